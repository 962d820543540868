// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/data/comparison.h"

#include "results/compare.h"

namespace plumbline::gui {
namespace {

results::Statistics statisticsOf(const StoredUncertainty& stored) {
  for (const auto known : {results::Statistics::kIdentical, results::Statistics::kDeterministic}) {
    if (stored.statistics == results::statisticsName(known)) return known;
  }
  if (!stored.statistical) return results::Statistics::kNone;
  return stored.batches > 0 ? results::Statistics::kBatches : results::Statistics::kRepetitions;
}

}  // namespace

results::Quantity resultsQuantity(const StoredQuantity& stored) {
  results::Quantity quantity;
  quantity.value = stored.value;
  quantity.unit = stored.unit;
  quantity.repetitions = stored.repetitions;
  quantity.cv = stored.cv;
  quantity.confidence_low = stored.confidence_low;
  quantity.confidence_high = stored.confidence_high;
  results::Uncertainty& known = quantity.uncertainty;
  known.statistics = statisticsOf(stored.uncertainty);
  known.batches = stored.uncertainty.batches;
  known.statistical.value = stored.uncertainty.statistical.value_or(0);
  if (const auto& degrees = stored.uncertainty.degrees_of_freedom) {
    known.statistical.degrees_of_freedom = *degrees;
  }
  known.least = stored.uncertainty.least;
  known.most = stored.uncertainty.most;
  if (const auto& parts = stored.uncertainty.systematic) {
    known.systematic.emplace();
    for (const auto& [source, standard] : *parts) known.systematic->push_back({source, standard});
  }
  if (const auto& percentile = stored.percentile) {
    quantity.percentile = results::Percentile{percentile->quantile, percentile->samples};
  }
  return quantity;
}

FigureChange changeOf(const StoredQuantity& first, const StoredQuantity& second) {
  const results::ComparedKpi compared =
      results::comparedKpi({}, {{}, {}, resultsQuantity(first)}, resultsQuantity(second));
  return {changeText(compared), significanceText(compared),
          compared.significance() == results::Significance::kSignificant};
}

}  // namespace plumbline::gui
