#include "scenario/quantity.h"

#include <array>
#include <limits>
#include <span>

#include "base/whole_number.h"

namespace plumbline::scenario {
namespace {

struct Unit {
  std::string_view name;
  Int128 factor;  // of the smallest unit
};

// `decimal` * `factor` in steps of one. `tolerance`: rounding may change the value by less than
// this, relative to it.
Parsed<std::int64_t> inSteps(const Decimal& decimal, Int128 factor, std::string_view smallest,
                             double tolerance) {
  const auto number = scaled(decimal, factor);
  if (!number) return {{}, "the value is too large"};
  if (!number->exact && number->change >= tolerance) {
    return {{}, "the value is finer than the smallest step, " + std::string(smallest)};
  }
  return {number->value, {}};
}

std::string listOf(std::span<const Unit> units) {
  std::string list;
  for (const Unit& unit : units) {
    if (!list.empty()) list += ", ";
    list += unit.name;
  }
  return list;
}

Parsed<std::int64_t> parseWithUnit(std::string_view text, std::span<const Unit> units,
                                   std::string_view smallest, double tolerance = 0) {
  const auto number = takeDecimal(text);
  if (!number.value) return {{}, number.error};
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  if (text.empty()) return {{}, "the unit is missing: one of " + listOf(units)};
  for (const Unit& unit : units) {
    if (text == unit.name) return inSteps(*number.value, unit.factor, smallest, tolerance);
  }
  return {{}, "unknown unit \"" + std::string(text) + "\": one of " + listOf(units)};
}

template <typename T>
Parsed<T> as(const Parsed<std::int64_t>& parsed) {
  if (!parsed.value) return {{}, parsed.error};
  return {T(*parsed.value), {}};
}

constexpr std::array kByteUnits{
    Unit{"B", 1},
    Unit{"KB", 1'000},
    Unit{"KiB", 1'024},
    Unit{"MB", 1'000'000},
    Unit{"MiB", 1'048'576},
    Unit{"GB", 1'000'000'000},
    Unit{"GiB", 1'073'741'824},
};
constexpr std::array kTimeUnits{
    Unit{"ps", 1},
    Unit{"ns", 1'000},
    Unit{"us", 1'000'000},
    Unit{"ms", 1'000'000'000},
    Unit{"s", 1'000'000'000'000},
    Unit{"µs", 1'000'000},
};
constexpr std::array kRateUnits{
    Unit{"M", 1'000'000},
    Unit{"G", 1'000'000'000},
    Unit{"T", 1'000'000'000'000},
};

constexpr std::string_view kSmallestShare = "10^-12";
// 0.1 + 0.2 is 0.30000000000000004 where a program writes it.
constexpr double kShareTolerance = 1e-9;

}  // namespace

Parsed<Bytes> parseBytes(std::string_view text) {
  return as<Bytes>(parseWithUnit(text, kByteUnits, "1 B"));
}

Parsed<Picoseconds> parseDuration(std::string_view text) {
  return as<Picoseconds>(parseWithUnit(text, kTimeUnits, "1 ps"));
}

Parsed<BitRate> parseBitRate(std::string_view text) {
  for (const std::string_view suffix : {"b/s", "bps"}) {
    if (text.ends_with(suffix)) {
      text.remove_suffix(suffix.size());
      break;
    }
  }
  return as<BitRate>(parseWithUnit(text, kRateUnits, "1 b/s"));
}

Parsed<Fraction> parseShare(std::string_view text) {
  constexpr std::array kUnits{Unit{"%", Fraction::kOne / 100}};
  const auto parsed = parseWithUnit(text, kUnits, kSmallestShare, kShareTolerance);
  if (!parsed.value) return {{}, parsed.error};
  return {Fraction::partsPerTrillion(*parsed.value), {}};
}

Parsed<Fraction> parseFactor(std::string_view text) {
  const auto number = parseReal(text);
  if (!number.value) return {{}, number.error};
  const auto parsed = inSteps(*number.value, Fraction::kOne, kSmallestShare, kShareTolerance);
  if (!parsed.value) return {{}, parsed.error};
  return {Fraction::partsPerTrillion(*parsed.value), {}};
}

Parsed<std::uint64_t> parseInteger(std::string_view text) {
  const WholeNumber number = wholeNumber(text);
  return {number.value, std::string(number.fault)};
}

Parsed<std::int64_t> parseSigned(std::string_view text) {
  const bool negative = text.starts_with('-');
  const auto magnitude = parseInteger(negative ? text.substr(1) : text);
  if (!magnitude.value) return {{}, magnitude.error};
  if (*magnitude.value > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    return {{}, "the value is too large"};
  }
  const auto value = static_cast<std::int64_t>(*magnitude.value);
  return {negative ? -value : value, {}};
}

}  // namespace plumbline::scenario
