// Numbers as text, for people and for machines.
#pragma once

#include <string>
#include <vector>

namespace plumbline::report {

// The shortest decimal text that reads back as exactly `value`: for programs.
std::string exactNumber(double value);

// `value` with `decimals` places and commas between thousands. A value that would lose its first
// two digits that way is given with these two instead ("0.00012").
std::string groupedNumber(double value, int decimals);

// Decimal places (0 to 6) with which a column of `values` reads well: five significant digits of
// the largest, but no place that is zero in all of them.
int columnDecimals(const std::vector<double>& values);

// groupedNumber() with the decimals that suit this value alone.
std::string readableNumber(double value);

}  // namespace plumbline::report
