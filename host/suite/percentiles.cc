#include "suite/percentiles.h"

#include <fmt/format.h>

#include <cmath>

#include "suite/numbers.h"

namespace plumbline::suite {

std::uint64_t samplesForQuantile(double q) {
  constexpr double kBeyond = 10;
  return static_cast<std::uint64_t>(std::llround(kBeyond / (1 - q)));
}

bool restsOnFewSamples(double q, std::uint64_t samples) { return samples < samplesForQuantile(q); }

std::string quantileName(double q) { return fmt::format("P{:g}", 100 * q); }

std::string quantileColumn(double q, std::uint64_t samples) {
  return restsOnFewSamples(q, samples) ? fmt::format("{} (of {})", quantileName(q), samples)
                                       : quantileName(q);
}

void noteFewSamples(const std::vector<double>& quantiles, std::uint64_t samples,
                    const std::string& what, const std::string& where, ResultBuilder& builder) {
  std::vector<std::string> names;
  std::vector<std::string> needed;
  for (const double q : quantiles) {
    if (!restsOnFewSamples(q, samples)) continue;
    names.push_back(quantileName(q));
    needed.push_back(std::to_string(samplesForQuantile(q)));
  }
  if (names.empty()) return;
  builder.anomaly(fmt::format("{} of {} {}: ten samples beyond the percentile need {}",
                              listText(names), samples, what, listText(needed)),
                  where);
}

}  // namespace plumbline::suite
