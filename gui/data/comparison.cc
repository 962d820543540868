// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/data/comparison.h"

#include "results/compare.h"

namespace plumbline::gui {
namespace {

results::Quantity quantityOf(const StoredQuantity& stored) {
  results::Quantity quantity;
  quantity.value = stored.value;
  quantity.unit = stored.unit;
  quantity.repetitions = stored.repetitions;
  quantity.cv = stored.cv;
  quantity.confidence_low = stored.confidence_low;
  quantity.confidence_high = stored.confidence_high;
  return quantity;
}

}  // namespace

FigureChange changeOf(const StoredQuantity& first, const StoredQuantity& second) {
  const results::ComparedKpi compared =
      results::comparedKpi({}, {{}, {}, quantityOf(first)}, quantityOf(second));
  return {changeText(compared), significanceText(compared),
          compared.significance() == results::Significance::kSignificant};
}

}  // namespace plumbline::gui
