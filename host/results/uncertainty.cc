#include <cmath>
#include <vector>

#include "results/test_result.h"
#include "stats/quantile.h"

namespace plumbline::results {

bool Percentile::tooFew() const { return stats::restsOnFewSamples(quantile, samples); }

void Series::add(double at, const Quantity& quantity) {
  if (quantity.percentile && quantity.percentile->tooFew()) few_samples.push_back(x.size());
  x.push_back(at);
  y.push_back(quantity.value);
}

std::optional<double> systematicUncertainty(const Quantity& quantity) {
  if (!quantity.uncertainty.systematic) return std::nullopt;
  std::vector<stats::StandardUncertainty> parts;
  parts.reserve(quantity.uncertainty.systematic->size());
  for (const SystematicPart& part : *quantity.uncertainty.systematic) {
    parts.push_back({part.standard});
  }
  return stats::combined(parts).value;
}

std::optional<stats::ExpandedUncertainty> expandedUncertainty(const Quantity& quantity) {
  const Uncertainty& known = quantity.uncertainty;
  const std::optional<double> systematic = systematicUncertainty(quantity);
  if (!systematic || known.statistics == Statistics::kNone) return std::nullopt;
  // A count that was the same in a few repetitions: the values of further ones are unknown.
  if (known.statistics == Statistics::kIdentical && *systematic == 0) return std::nullopt;
  const std::vector<stats::StandardUncertainty> components{known.statistical, {*systematic}};
  return stats::expanded(components);
}

}  // namespace plumbline::results
