#include "results/uncertainty_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/number_text.h"
#include "results/quantity_text.h"
#include "results/units.h"
#include "stats/quantile.h"

namespace plumbline::results {
namespace {

// A standard uncertainty in two significant digits (GUM 7.2.6), in a unit that fits.
std::string standardText(double value, const std::string& unit) {
  constexpr double kMinDecimal = 1e-4;
  const ScaledUnit scaled = fitUnit(unit, value);
  const double number = value / scaled.factor;
  const std::string shown = shownUnit(scaled.unit);
  const std::string text =
      number < kMinDecimal
          ? fmt::format("{:.2g}", number)
          : groupedNumber(number, 1 - static_cast<int>(std::floor(std::log10(number))));
  return fmt::format("{}{}{}", text, shown.empty() ? "" : " ", shown);
}

bool scatters(const Quantity& quantity) {
  const Statistics statistics = quantity.uncertainty.statistics;
  return statistics == Statistics::kRepetitions || statistics == Statistics::kBatches;
}

}  // namespace

std::string statisticsText(const Quantity& quantity) {
  switch (quantity.uncertainty.statistics) {
    case Statistics::kRepetitions:
      return fmt::format("{} repetitions", quantity.repetitions);
    case Statistics::kBatches:
      return fmt::format("{} batches of one trial", quantity.uncertainty.batches);
    case Statistics::kIdentical:
      return fmt::format("identical in all {} repetitions", quantity.repetitions);
    case Statistics::kDeterministic:
      return "deterministic: repetitions add nothing";
    case Statistics::kNone:
      break;
  }
  // Results of older versions have an interval without width.
  if (quantity.confidence_low && quantity.confidence_low == quantity.confidence_high) {
    return fmt::format("identical in all {} repetitions", quantity.repetitions);
  }
  return quantity.repetitions == 1 ? "not known: one repetition" : "not known";
}

std::string statisticalText(const Quantity& quantity) {
  if (!scatters(quantity)) return statisticsText(quantity);
  return fmt::format("{} ({})", standardText(quantity.uncertainty.statistical.value, quantity.unit),
                     statisticsText(quantity));
}

std::string systematicText(const Quantity& quantity) {
  const auto sum = systematicUncertainty(quantity);
  if (!sum) return "not known";
  const std::vector<SystematicPart>& parts = *quantity.uncertainty.systematic;
  if (parts.empty()) return "none: counted";
  std::vector<std::string> sources;
  sources.reserve(parts.size());
  for (const SystematicPart& part : parts) sources.push_back(part.source);
  return fmt::format("{} ({})", standardText(*sum, quantity.unit), fmt::join(sources, "; "));
}

std::string expandedText(const Quantity& quantity) {
  const auto all = expandedUncertainty(quantity);
  if (!all) return "not known";
  if (all->half == 0) return "0: exact";
  const auto bound = [&](const char* side, const std::optional<double>& value) {
    if (!value) return std::string();
    if (*value == 0) return fmt::format(", not {} 0", side);  // in any unit
    Quantity plain;
    plain.unit = quantity.unit;
    plain.value = *value;
    return fmt::format(", not {} {}", side, quantityText(plain));
  };
  return fmt::format("± {} (k = {:.3g}){}{}", standardText(all->half, quantity.unit),
                     all->coverage_factor, bound("below", quantity.uncertainty.least),
                     bound("above", quantity.uncertainty.most));
}

std::string percentileText(const Quantity& quantity) {
  const auto& percentile = quantity.percentile;
  if (!percentile) return "";
  std::string of = fmt::format("{} of {} sample{}", stats::quantileName(percentile->quantile),
                               groupedNumber(static_cast<double>(percentile->samples), 0),
                               percentile->samples == 1 ? "" : "s");
  if (!percentile->tooFew()) return of;
  const auto needed = static_cast<double>(stats::samplesForQuantile(percentile->quantile));
  return fmt::format("{}, {} needed", of, groupedNumber(needed, 0));
}

std::array<std::string, 6> uncertaintyFields(const Quantity& quantity) {
  std::array<std::string, 6> fields;
  auto& [statistics, statistical, systematic, factor, half, samples] = fields;
  if (quantity.uncertainty != Uncertainty{}) {
    statistics = statisticsName(quantity.uncertainty.statistics);
  }
  if (scatters(quantity)) statistical = exactNumber(quantity.uncertainty.statistical.value);
  if (const auto sum = systematicUncertainty(quantity)) systematic = exactNumber(*sum);
  if (const auto all = expandedUncertainty(quantity)) {
    factor = exactNumber(all->coverage_factor);
    half = exactNumber(all->half);
  }
  if (quantity.percentile) samples = std::to_string(quantity.percentile->samples);
  return fields;
}

Table uncertaintyTable(const TestResult& test) {
  Table table{"uncertainty",
              "Uncertainty of the key figures",
              "Standard uncertainties; expanded: both parts together times k, about 95 %.",
              {"Figure", "Value", "Statistical", "Systematic", "Expanded"},
              {}};
  for (std::size_t i = 0; i < test.primary.size(); ++i) {
    const Quantity& one = test.primary[i];
    std::string value = quantityWithSpread(one);
    if (const std::string of = percentileText(one); !of.empty()) value += fmt::format(" ({})", of);
    table.rows.push_back({i < test.primary_names.size() ? test.primary_names[i] : std::string(),
                          std::move(value), statisticalText(one), systematicText(one),
                          expandedText(one)});
  }
  return table;
}

std::string fewSamplesNote(const Table& table) {
  const bool any = std::any_of(table.rows.begin(), table.rows.end(), [](const auto& row) {
    return std::any_of(row.begin(), row.end(), [](const Cell& cell) {
      const auto* quantity = std::get_if<Quantity>(&cell);
      return quantity != nullptr && !markOf(*quantity).empty();
    });
  });
  return any ? "* Percentile on fewer than 10/(1 − p) samples: fewer than ten lie beyond it." : "";
}

}  // namespace plumbline::results
