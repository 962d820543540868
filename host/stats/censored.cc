#include "stats/censored.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace plumbline::stats {

std::optional<std::uint64_t> censoredRank(const Histogram& ended, const Histogram& open, double q) {
  const std::vector<Histogram::Cell> ages = open.cells();
  auto age = ages.begin();
  // The share of durations that are longer is `share` where `at_risk` of them remain.
  double share = 1;
  auto remaining = static_cast<double>(ended.count() + open.count());
  double at_risk = remaining;
  std::uint64_t passed = 0;
  for (const Histogram::Cell& cell : ended.cells()) {
    double censored = 0;
    for (; age != ages.end() && age->bucket < cell.bucket; ++age) {
      censored += static_cast<double>(age->count);
    }
    if (censored > 0) {
      share *= remaining / at_risk;
      remaining -= censored;
      at_risk = remaining;
    }
    // Ranks of this bucket that do not reach the quantile: share * (remaining - n) / at_risk is
    // above 1 - q. The tolerance keeps rounding from adding one.
    const double above = (1 - q) * at_risk / share;
    const double rank = std::max(std::ceil((remaining - above) * (1 - 1e-12)), 1.0);
    if (rank <= static_cast<double>(cell.count)) return passed + static_cast<std::uint64_t>(rank);
    passed += cell.count;
    remaining -= static_cast<double>(cell.count);
  }
  return std::nullopt;
}

}  // namespace plumbline::stats
