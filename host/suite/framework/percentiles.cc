#include "suite/framework/percentiles.h"

#include <fmt/format.h>

#include "stats/quantile.h"

namespace plumbline::suite {

std::string quantileColumn(double q, std::uint64_t samples) {
  const std::string name = stats::quantileName(q);
  return stats::restsOnFewSamples(q, samples) ? fmt::format("{} (of {})", name, samples) : name;
}

}  // namespace plumbline::suite
