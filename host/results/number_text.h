// Numbers as text, for people and for machines.
#pragma once

#include <string>
#include <vector>

namespace plumbline::results {

// The shortest decimal text that reads back as exactly `value`: for programs.
std::string exactNumber(double value);

// `value` with `decimals` places and commas between thousands. A value that would lose its first
// two digits that way is written with these two instead ("0.00012"). Negative `decimals` round
// before the point: 1,234,567 with -2 is "1,234,600".
std::string groupedNumber(double value, int decimals);

// Decimal places (0 to 6) for a column of `values`: `digits` significant digits of the largest,
// without places that are zero in all of them. All digits before the point are kept.
int columnDecimals(const std::vector<double>& values, int digits);

// Decimal places for a measured value of unknown error: three significant digits, four where the
// first is 1, so that rounding changes it by 0.5 % at most. All digits before the point are kept,
// and rounding adds no zeros: 8 has no places.
int measuredDecimals(double value);
// groupedNumber() with these: "32.9", "1.234", "2,346", "8".
std::string measuredNumber(double value);

// A configured setting, in up to six significant digits: "0.5", "2.44573", "1,953".
std::string readableNumber(double value);

}  // namespace plumbline::results
