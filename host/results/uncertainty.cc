#include <algorithm>
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

double Reach::longer() const { return std::max(below, above); }

std::optional<Reach> reachOf(const Quantity& quantity) {
  const Uncertainty& known = quantity.uncertainty;
  double half = 0;
  if (const auto all = expandedUncertainty(quantity)) {
    half = all->half;
  } else if (quantity.confidence_low && quantity.confidence_high) {
    const bool cut = known.least || known.most;
    half = cut ? std::max(quantity.value - *quantity.confidence_low,
                          *quantity.confidence_high - quantity.value)
               : (*quantity.confidence_high - *quantity.confidence_low) / 2;
  }
  if (!(half > 0) || !std::isfinite(half)) return std::nullopt;
  Reach reach{half, half};
  if (known.least) reach.below = std::min(half, quantity.value - *known.least);
  if (known.most) reach.above = std::min(half, *known.most - quantity.value);
  return reach;
}

void cutIntervals(double least, double most, Quantity& quantity) {
  Uncertainty& known = quantity.uncertainty;
  least = std::max(least, known.least.value_or(least));
  most = std::min(most, known.most.value_or(most));
  known.least.reset();
  known.most.reset();
  if (quantity.value < least || quantity.value > most) return;
  if (const auto whole = reachOf(quantity)) {
    if (quantity.value - whole->below < least) known.least = least;
    if (quantity.value + whole->above > most) known.most = most;
  }
  if (quantity.confidence_low) quantity.confidence_low = std::max(*quantity.confidence_low, least);
  if (quantity.confidence_high) {
    quantity.confidence_high = std::min(*quantity.confidence_high, most);
  }
}

}  // namespace plumbline::results
