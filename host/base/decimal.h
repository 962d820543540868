// Decimal numbers as text, read exactly: the common reader of scenarios and of CSV files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"

namespace plumbline {

// A value, or the reason for having none (one clause without a full stop).
template <typename T>
struct Parsed {
  std::optional<T> value;
  std::string error;
};

// digits / 10^decimals, exactly.
struct Decimal {
  Int128 digits = 0;
  int decimals = 0;  // negative: so many zeros behind the digits
};

// The longest prefix of `text` that is a decimal number without sign and exponent; the rest stays
// in `text`.
Parsed<Decimal> takeDecimal(std::string_view& text);

// All of `text` as a decimal number without sign that may have an exponent, as people and programs
// write them: 0, 12, 0.5, 1e-05, 2.5E+3.
Parsed<Decimal> parseReal(std::string_view text);
// The same as the nearest double.
Parsed<double> parseDecimal(std::string_view text);

// A number times a factor, rounded to the nearest integer.
struct Scaled {
  std::int64_t value = 0;
  bool exact = true;
  double change = 0;  // by rounding, relative to the exact value
};
// Nothing if it does not fit 63 bits.
std::optional<Scaled> scaled(const Decimal& decimal, Int128 factor);

}  // namespace plumbline
