// Numbers as text, for people and for machines.
#pragma once

#include <string>
#include <vector>

namespace plumbline::results {

// The shortest decimal text that reads back as exactly `value`: for programs.
std::string exactNumber(double value);

// `value` with `decimals` places and commas between thousands. A value that would lose its first
// two digits that way is given with these two instead ("0.00012").
std::string groupedNumber(double value, int decimals);

// Decimal places (0 to 6) with which a column of `values` reads well: `digits` significant digits
// of the largest, but no place that is zero in all of them. Digits before the point are all kept.
int columnDecimals(const std::vector<double>& values, int digits);

// Decimal places that a measured value deserves when nothing is known of its error: three
// significant digits, four where the first is 1, so that rounding changes it by 0.5 % at most.
// Digits before the point are all kept, and no place is zero by rounding alone: 8 has none.
int measuredDecimals(double value);
// groupedNumber() with these: "32.9", "1.234", "2,346", "8".
std::string measuredNumber(double value);

// A setting that somebody stated, in up to six significant digits: "0.5", "2.44573", "1,953".
std::string readableNumber(double value);

}  // namespace plumbline::results
