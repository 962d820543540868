#include "suite/free/repetitions.h"

#include <cmath>
#include <utility>

#include "suite/framework/result_builder.h"

namespace plumbline::suite {

std::vector<Reading> valuesOf(const Repetitions& trials, const FabricFigure& figure) {
  std::vector<Reading> values;
  for (const bench::TrialResult& trial : trials) {
    const std::optional<Reading> value = figure(trial);
    if (!value || !std::isfinite(value->value)) return {};
    values.push_back(*value);
  }
  return values;
}

std::optional<results::Quantity> meanOf(const Repetitions& trials, const std::string& unit,
                                        const FabricFigure& figure) {
  const std::vector<Reading> values = valuesOf(trials, figure);
  if (values.empty()) return std::nullopt;
  return quantityOf(values, unit, ObservationPoint::kModelled, trials.deterministic());
}

results::Cell cellOf(const Repetitions& trials, const std::string& unit,
                     const FabricFigure& figure) {
  std::optional<results::Quantity> mean = meanOf(trials, unit, figure);
  return mean ? results::Cell(*std::move(mean)) : results::Cell(std::string("-"));
}

}  // namespace plumbline::suite
