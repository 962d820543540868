#include "scenario/quantity.h"

#include <array>
#include <charconv>
#include <limits>
#include <span>

#include "base/whole_number.h"

namespace plumbline::scenario {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

// digits / 10^decimals, exactly.
struct Decimal {
  Int128 digits = 0;
  int decimals = 0;  // negative: so many zeros behind the digits
};

struct Unit {
  std::string_view name;
  Int128 factor;  // of the smallest unit
};

// More significant digits than any value here needs; keeps digits * factor inside 128 bits.
constexpr int kMaxDigits = 22;
// Larger exponents than any value here can need.
constexpr int kMaxExponent = 999;

// The longest prefix of `text` that is a decimal number without an exponent; the rest stays in
// `text`.
Parsed<Decimal> parseDigits(std::string_view& text) {
  if (text.empty()) return {{}, "the value is empty"};
  if (text.front() == '-') return {{}, "the value must not be negative"};
  Decimal decimal;
  int digits = 0;
  int zeros = 0;  // after the point, since the last other digit: possibly insignificant
  std::size_t at = 0;
  bool point = false;
  for (; at < text.size() && (isDigit(text[at]) || (text[at] == '.' && !point)); ++at) {
    if (text[at] == '.') {
      point = true;
      continue;
    }
    if (point && text[at] == '0') {
      ++zeros;
      continue;
    }
    // Leading zeros are insignificant, too.
    if (decimal.digits != 0) digits += zeros;
    if (decimal.digits != 0 || text[at] != '0') ++digits;
    if (digits > kMaxDigits) return {{}, "the number has too many digits"};
    if (point) decimal.decimals += zeros + 1;
    for (; zeros > 0; --zeros) decimal.digits *= 10;
    decimal.digits = decimal.digits * 10 + (text[at] - '0');
  }
  if (at == 0) return {{}, "this is not a number"};
  if (text[0] == '.' || text[at - 1] == '.') {
    return {{}, "a number must begin and end with a digit"};
  }
  text.remove_prefix(at);
  return {decimal, {}};
}

// All of `text` as a decimal number that may have an exponent, as programs write them: 0.5, 1e-05,
// 2.5E+3.
Parsed<Decimal> parseReal(std::string_view text) {
  auto number = parseDigits(text);
  if (!number.value || text.empty()) return number;
  const auto fault = [&] {
    return Parsed<Decimal>{{}, "\"" + std::string(text) + "\" is not part of a plain number"};
  };
  if (text.front() != 'e' && text.front() != 'E') return fault();
  std::string_view digits = text.substr(1);
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const auto exponent = wholeNumberUpTo(digits, kMaxExponent);
  if (!exponent) return fault();
  number.value->decimals += static_cast<int>(*exponent) * (negative ? 1 : -1);
  return number;
}

// digits * factor / 10^decimals when that is an integer of 63 bits.
Parsed<std::int64_t> scaled(const Decimal& decimal, Int128 factor, std::string_view smallest) {
  Int128 value = decimal.digits;
  if (value == 0) return {0, {}};
  // Trailing zeros after the point are insignificant and would only enlarge the product.
  int decimals = decimal.decimals;
  while (decimals > 0 && value % 10 == 0) {
    value /= 10;
    --decimals;
  }
  constexpr Int128 kMax = std::numeric_limits<Int128>::max();
  for (; decimals < 0; ++decimals) {
    if (value > kMax / 10) return {{}, "the value is too large"};
    value *= 10;
  }
  if (factor > kMax / value) return {{}, "the value is too large"};
  value *= factor;
  for (; decimals > 0; --decimals) {
    if (value % 10 != 0) {
      return {{}, "the value is finer than the smallest step, " + std::string(smallest)};
    }
    value /= 10;
  }
  if (value > std::numeric_limits<std::int64_t>::max()) return {{}, "the value is too large"};
  return {static_cast<std::int64_t>(value), {}};
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
                                   std::string_view smallest) {
  const auto number = parseDigits(text);
  if (!number.value) return {{}, number.error};
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  if (text.empty()) return {{}, "the unit is missing: one of " + listOf(units)};
  for (const Unit& unit : units) {
    if (text == unit.name) return scaled(*number.value, unit.factor, smallest);
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
  const auto parsed = parseWithUnit(text, kUnits, "10^-12");
  if (!parsed.value) return {{}, parsed.error};
  return {Fraction::partsPerTrillion(*parsed.value), {}};
}

Parsed<double> parseDecimal(std::string_view text) {
  const auto number = parseReal(text);
  if (!number.value) return {{}, number.error};
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc::result_out_of_range) {
    return {{}, number.value->decimals < 0 ? "the value is too large" : "the value is too small"};
  }
  return {value, {}};
}

Parsed<Fraction> parseFactor(std::string_view text) {
  const auto number = parseReal(text);
  if (!number.value) return {{}, number.error};
  const auto parsed = scaled(*number.value, Fraction::kOne, "10^-12");
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
