#include "stats/fairness.h"

#include <algorithm>
#include <vector>

#include "stats/summary.h"

namespace plumbline::stats {

std::optional<Fairness> fairness(std::span<const std::uint64_t> loads) {
  const std::vector<double> values(loads.begin(), loads.end());
  const std::optional<double> jfi = jainIndex(values);
  if (!jfi) return std::nullopt;
  double sum = 0;
  for (const double value : values) sum += value;
  const double largest = *std::max_element(values.begin(), values.end());
  return Fairness{*jfi, largest * static_cast<double>(values.size()) / sum};
}

}  // namespace plumbline::stats
