#include "results/quantity_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>

#include "results/number_text.h"

namespace plumbline::results {
namespace {

// Values from 1 to here keep their unit.
constexpr double kKeepUnit = 10'000;
// Whole values of a column keep theirs up to here: five digits are exact.
constexpr double kKeepWhole = 100'000;
// Significant digits of the largest value of a column.
constexpr int kColumnDigits = 4;
// At least, of the largest value of a column that shares its unit with columns of larger values.
constexpr int kLeastDigits = 3;
// Ratio of largest to smallest value up to which columns share a multiple of their unit.
constexpr double kSideBySide = 10'000;
// Least value that a shared multiple may leave.
constexpr double kMinShown = 0.01;
// Places that a narrow interval may add to measuredDecimals().
constexpr int kExtraPlaces = 2;
constexpr int kMaxDecimalPlaces = 6;

bool isWhole(double value) { return std::abs(value) < 1e15 && std::trunc(value) == value; }

bool isBytes(const std::string& unit) { return unit == "B" || unit == "bytes"; }

// Places after the point according to half an interval: one significant digit of it, two where the
// first is 1. Negative, and always two digits, where these stand before the point.
int decidedPlaces(double half) {
  const auto exponent = static_cast<int>(std::floor(std::log10(half)));
  const bool two_digits = exponent > 0 || half / std::pow(10.0, exponent) < 2;
  return std::clamp(two_digits ? 1 - exponent : -exponent, -kMaxDecimalPlaces, kMaxDecimalPlaces);
}

// Places with which a percentage just below 100 shows how far from it, in `digits` digits.
int placesFromHundred(double percent, int digits) {
  const double away = 100 - percent;
  if (away <= 0 || away > 10) return 0;
  return std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(away))), 0,
                    kMaxDecimalPlaces);
}

// Largest of KiB, MiB and GiB of which all `values` are whole numbers, if decimal multiples need
// more than four digits for one of them.
std::optional<ScaledUnit> binaryUnit(std::span<const double> values) {
  constexpr std::array<std::pair<double, const char*>, 3> kUnits{
      {{1024.0 * 1024 * 1024, "GiB"}, {1024.0 * 1024, "MiB"}, {1024.0, "KiB"}}};
  const auto short_decimal = [](double value) {
    const double digit = std::pow(10.0, std::floor(std::log10(value)) - 3);
    return isWhole(value / digit);
  };
  const auto fits = [&](const auto& test) {
    return std::all_of(values.begin(), values.end(), test);
  };
  if (!fits([](double value) { return value >= 0 && isWhole(value); })) return std::nullopt;
  if (fits([&](double value) { return value == 0 || short_decimal(value); })) return std::nullopt;
  for (const auto& [factor, name] : kUnits) {
    if (fits([size = factor](double value) { return isWhole(value / size); })) {
      return ScaledUnit{factor, name};
    }
  }
  return std::nullopt;
}

double largestOf(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

// Smallest of the values that are not zero; 0 if there are none.
double smallestOf(std::span<const double> values) {
  double smallest = 0;
  for (const double value : values) {
    if (value == 0 || !std::isfinite(value)) continue;
    smallest = smallest == 0 ? std::abs(value) : std::min(smallest, std::abs(value));
  }
  return smallest;
}

ScaledUnit unitFor(const std::string& unit, std::span<const double> values, bool spread) {
  const double largest = largestOf(values);
  if (largest == 0 || (largest >= 1 && largest < kKeepUnit)) return {1, unit};
  if (isBytes(unit) && !spread && largest >= kKeepUnit) {
    const std::optional<ScaledUnit> binary = binaryUnit(values);
    if (binary && largest / binary->factor < kKeepUnit) return *binary;
  }
  if (values.size() > 1 && largest >= 1 && largest < kKeepWhole &&
      std::all_of(values.begin(), values.end(), isWhole)) {
    return {1, unit};
  }
  ScaledUnit fitted = fitUnit(unit, largest);
  const double smallest = smallestOf(values);
  for (double reached = largest; fitted.factor > 1 && smallest / fitted.factor < kMinShown;) {
    reached /= 1000;
    fitted = fitUnit(unit, reached);
  }
  return fitted;
}

// Lower bound of half an interval, below which digits are meaningless: reachOf(), or where the
// statistical part is unknown the one from the systematic part alone.
std::optional<double> smallestHalfWidth(const Quantity& quantity) {
  if (const auto reach = reachOf(quantity)) return reach->longer();
  if (quantity.uncertainty.statistics != Statistics::kNone) return std::nullopt;
  constexpr double kCoverage = 2;
  const std::optional<double> systematic = systematicUncertainty(quantity);
  return systematic && *systematic > 0 ? std::optional(kCoverage * *systematic) : std::nullopt;
}

// Whether the interval is visible with this number of places.
bool visible(const Reach& reach, int places) {
  return reach.longer() >= 0.5 * std::pow(10.0, -places);
}

Reach inUnit(const Reach& reach, const ScaledUnit& unit) {
  return {reach.below / unit.factor, reach.above / unit.factor};
}

// An interval rounded to the place that the value ends at.
std::string spreadText(const Reach& reach, int places) {
  const double scale = std::pow(10.0, places);
  const auto rounded = [&](double side) {
    return groupedNumber(std::round(side * scale) / scale, places);
  };
  const std::string below = rounded(reach.below);
  const std::string above = rounded(reach.above);
  return below == above ? "± " + above : "+" + above + " −" + below;
}

// Format of a single quantity.
struct Shown {
  ScaledUnit unit;
  std::optional<Reach> reach;  // in this unit
  int places = 0;
};

Shown shown(const Quantity& quantity) {
  Shown shown;
  shown.reach = reachOf(quantity);
  shown.unit = unitFor(quantity.unit, {&quantity.value, 1}, shown.reach.has_value());
  const double value = quantity.value / shown.unit.factor;
  shown.places = measuredDecimals(value);
  int max = kMaxDecimalPlaces;
  if (const auto min = smallestHalfWidth(quantity)) max = decidedPlaces(*min / shown.unit.factor);
  if (shown.reach) {
    shown.reach = inUnit(*shown.reach, shown.unit);
    const int places = std::min(max, shown.places + kExtraPlaces);
    // An interval far below the value's digits is not shown.
    if (visible(*shown.reach, places)) {
      shown.places = places;
    } else {
      shown.reach.reset();
    }
  }
  if (quantity.unit == "%") shown.places = std::max(shown.places, placesFromHundred(value, 2));
  shown.places = std::min(shown.places, max);
  return shown;
}

// The quantities of a column, or of several of one unit.
struct Values {
  std::vector<double> values;
  std::vector<double> halves;  // of their intervals
  bool all_have_halves = true;

  void add(const Quantity& quantity) {
    values.push_back(quantity.value);
    const std::optional<Reach> reach = reachOf(quantity);
    if (reach) halves.push_back(reach->longer());
    if (!reach && quantity.value != 0) all_have_halves = false;
  }
};

int placesIn(const ScaledUnit& unit, std::span<const double> values, int digits) {
  std::vector<double> scaled;
  for (const double value : values) scaled.push_back(value / unit.factor);
  return columnDecimals(scaled, digits);
}

// `places`, without those that no interval of the column decides.
int placesWithin(int places, const Values& column, const ScaledUnit& unit) {
  if (!column.all_have_halves || column.halves.empty()) return places;
  int decided = 0;
  for (const double half : column.halves) {
    decided = std::max(decided, decidedPlaces(half / unit.factor));
  }
  return std::min(places, decided);
}

// "latency_p99_ns": the unit is part of the name, so the values keep it.
bool isMachineName(const std::string& name) {
  return name.find('_') != std::string::npos && name.find(' ') == std::string::npos;
}

bool sideBySide(std::span<const double> values) {
  const double smallest = smallestOf(values);
  return smallest == 0 || largestOf(values) / smallest <= kSideBySide;
}

}  // namespace

std::string markOf(const Quantity& quantity) {
  return quantity.percentile && quantity.percentile->tooFew() ? "*" : "";
}

QuantityText quantityParts(const Quantity& quantity) {
  const Shown as = shown(quantity);
  return {groupedNumber(quantity.value / as.unit.factor, as.places),
          as.reach ? spreadText(*as.reach, as.places) : "", shownUnit(as.unit.unit),
          markOf(quantity)};
}

std::string quantityText(const Quantity& quantity) {
  const QuantityText text = quantityParts(quantity);
  return text.number + text.mark + (text.unit.empty() ? "" : " " + text.unit);
}

std::string quantityWithSpread(const Quantity& quantity) {
  const QuantityText text = quantityParts(quantity);
  const std::string spread = text.spread.empty() ? "" : " " + text.spread;
  return text.number + text.mark + spread + (text.unit.empty() ? "" : " " + text.unit);
}

std::optional<IntervalText> intervalParts(const Quantity& quantity) {
  if (!quantity.confidence_low || !quantity.confidence_high) return std::nullopt;
  if (!(*quantity.confidence_low < *quantity.confidence_high)) return std::nullopt;
  const Shown as = shown(quantity);
  const auto bound = [&](double value) { return groupedNumber(value / as.unit.factor, as.places); };
  return IntervalText{bound(*quantity.confidence_low), bound(*quantity.confidence_high),
                      shownUnit(as.unit.unit)};
}

std::string intervalText(const Quantity& quantity) {
  const std::optional<IntervalText> text = intervalParts(quantity);
  if (!text) return "";
  return text->low + " to " + text->high + (text->unit.empty() ? "" : " " + text->unit);
}

std::vector<ColumnFormat> columnFormats(const Table& table) {
  std::size_t columns = table.columns.size();
  for (const auto& row : table.rows) columns = std::max(columns, row.size());
  std::vector<ColumnFormat> formats(columns);
  std::vector<Values> of_column(columns);
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto* quantity = std::get_if<Quantity>(&row[i]);
      if (quantity == nullptr) continue;
      ColumnFormat& format = formats[i];
      if (format.numeric && quantity->unit != format.own_unit) format.common_unit = false;
      format.numeric = true;
      format.own_unit = quantity->unit;
      of_column[i].add(*quantity);
    }
  }
  std::map<std::string, std::vector<double>> of_unit;
  for (std::size_t i = 0; i < columns; ++i) {
    if (!formats[i].numeric || !formats[i].common_unit) continue;
    std::vector<double>& values = of_unit[formats[i].own_unit];
    values.insert(values.end(), of_column[i].values.begin(), of_column[i].values.end());
  }
  for (std::size_t i = 0; i < columns; ++i) {
    ColumnFormat& format = formats[i];
    if (!format.common_unit) {
      format.own_unit.clear();
      continue;
    }
    if (!format.numeric) continue;
    const std::vector<double>& all = of_unit[format.own_unit];
    const bool machine_name = i < table.columns.size() && isMachineName(table.columns[i]);
    const bool together = !machine_name && !format.own_unit.empty() && sideBySide(all);
    const std::span<const double> values = together ? all : of_column[i].values;
    format.unit = machine_name ? ScaledUnit{1, format.own_unit}
                               : unitFor(format.own_unit, values, !of_column[i].halves.empty());
    const int places = std::max(placesIn(format.unit, values, kColumnDigits),
                                placesIn(format.unit, of_column[i].values, kLeastDigits));
    format.decimals = placesWithin(places, of_column[i], format.unit);
    if (format.own_unit != "%") continue;
    for (const double value : of_column[i].values) {
      format.decimals = std::max(format.decimals, placesFromHundred(value, 1));
    }
  }
  return formats;
}

QuantityText cellParts(const Quantity& quantity, const ColumnFormat& format) {
  if (!format.common_unit) return quantityParts(quantity);
  const auto places = [&](double half) {
    return std::min(format.decimals, decidedPlaces(half / format.unit.factor));
  };
  const std::optional<double> min = smallestHalfWidth(quantity);
  const int decimals = min ? places(*min) : format.decimals;
  std::optional<Reach> reach = reachOf(quantity);
  if (reach) reach = inUnit(*reach, format.unit);
  const bool spread = reach && visible(*reach, decimals);
  return {groupedNumber(quantity.value / format.unit.factor, decimals),
          spread ? spreadText(*reach, decimals) : "", "", markOf(quantity)};
}

LabelledUnit columnHead(const std::string& name, const ColumnFormat& format) {
  if (!format.numeric || !format.common_unit || format.own_unit.empty()) return {name, ""};
  const LabelledUnit named = splitUnit(name);
  return {named.unit == format.own_unit ? named.text : name, shownUnit(format.unit.unit)};
}

}  // namespace plumbline::results
