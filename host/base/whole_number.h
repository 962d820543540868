// Whole numbers as text: the common reader of the command line, scenarios, CSV files and the API.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace plumbline {

// A number, or why the text is invalid (one clause without a full stop).
struct WholeNumber {
  std::optional<std::uint64_t> value;
  std::string_view fault;
};

// Decimal digits only: no sign, blank, separator, fraction, exponent or prefix. Leading zeros are
// ignored: 010 is ten.
constexpr WholeNumber wholeNumber(std::string_view text) {
  if (text.empty()) return {{}, "the value is empty"};
  if (text.front() == '-') return {{}, "the value must not be negative"};
  for (const char c : text) {
    if (c < '0' || c > '9') return {{}, "this is not a plain integer"};
  }
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t value = 0;
  for (const char c : text) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (kMax - digit) / 10) return {{}, "the value is too large"};
    value = value * 10 + digit;
  }
  return {value, {}};
}

// The same where only the range up to `most` matters.
constexpr std::optional<std::uint64_t> wholeNumberUpTo(std::string_view text, std::uint64_t max) {
  const WholeNumber number = wholeNumber(text);
  return number.value && *number.value <= max ? number.value : std::nullopt;
}

}  // namespace plumbline
