#include "base/decimal.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "base/whole_number.h"

namespace plumbline {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

// More significant digits than any value here needs; keeps digits * factor inside 128 bits.
constexpr int kMaxDigits = 22;
// Larger exponents than any value here can need.
constexpr int kMaxExponent = 999;

}  // namespace

Parsed<Decimal> takeDecimal(std::string_view& text) {
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

Parsed<Decimal> parseReal(std::string_view text) {
  auto number = takeDecimal(text);
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

std::optional<Scaled> scaled(const Decimal& decimal, Int128 factor) {
  if (decimal.digits == 0) return Scaled{};
  constexpr Int128 kMax = std::numeric_limits<Int128>::max();
  Int128 value = decimal.digits;
  int decimals = decimal.decimals;
  for (; decimals < 0; ++decimals) {
    if (value > kMax / 10) return std::nullopt;
    value *= 10;
  }
  if (factor > kMax / value) return std::nullopt;
  value *= factor;
  const double exact = static_cast<double>(value) * std::pow(10.0, -decimals);
  Scaled result;
  int digit = 0;  // the last that was cut off
  for (; decimals > 0 && (value != 0 || digit != 0); --decimals) {
    digit = static_cast<int>(value % 10);
    result.exact = result.exact && digit == 0;
    value /= 10;
  }
  if (digit >= 5) ++value;
  if (value > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  result.value = static_cast<std::int64_t>(value);
  // Nothing is left of the value: `exact` may be too small for a double.
  if (value == 0) result.change = 1;
  if (value != 0 && !result.exact) result.change = std::abs(static_cast<double>(value) / exact - 1);
  return result;
}

}  // namespace plumbline
