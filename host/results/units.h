// Scaling of units: the multiple of a unit that makes numbers easy to read.
#pragma once

#include <string>

namespace plumbline::results {

// Divide by `factor` to get from the original unit to `unit`.
struct ScaledUnit {
  double factor = 1;
  std::string unit;
};

// The multiple of `unit` in which `largest` lies between 1 and 1000 if there is one: ps to s; b/s
// to Tb/s; B to GB; B/s to GB/s; and a rate of events, "frames/s", with k, M or G as prefix. Other
// units, including counts, are unchanged. With `keep_below`, a value below that many of the
// original unit keeps it ("4,000 ns" is easier to compare with others in ns than "4 µs").
ScaledUnit fitUnit(const std::string& unit, double largest, double keep_below = 0);

// Display form of a unit: "µs" for "us", others unchanged.
std::string shownUnit(const std::string& unit);

// A label that ends with a unit in brackets or parentheses: "P99 latency [ns]".
struct LabelledUnit {
  std::string text;  // "P99 latency"; the whole label if it has no unit
  std::string unit;  // "ns"
};
LabelledUnit splitUnit(const std::string& label);
// The inverse: "P99 latency [µs]".
std::string labelWithUnit(const std::string& text, const std::string& unit);

}  // namespace plumbline::results
