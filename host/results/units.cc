#include "results/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace plumbline::results {
namespace {

struct Multiple {
  std::string name;
  double size;
};

using Family = std::vector<Multiple>;

// Each ascending. Decimal multiples throughout, also for bytes, as link rates are decimal.
const std::array<Family, 4>& families() {
  static const std::array<Family, 4> all = {
      Family{{"ps", 1e-12}, {"ns", 1e-9}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}},
      Family{{"b/s", 1}, {"kb/s", 1e3}, {"Mb/s", 1e6}, {"Gb/s", 1e9}, {"Tb/s", 1e12}},
      Family{{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}},
      Family{{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}}};
  return all;
}

// "frames/s": a rate of events, which is not in the table of multiples.
bool isEventRate(const std::string& unit) { return unit.size() > 2 && unit.ends_with("/s"); }

// Multiples of such a rate: "kframes/s", "Mframes/s" …
Family eventFamily(const std::string& unit) {
  return {{unit, 1}, {"k" + unit, 1e3}, {"M" + unit, 1e6}, {"G" + unit, 1e9}};
}

// The family of `name`; empty if there is none.
Family familyOf(const std::string& name) {
  for (const Family& family : families()) {
    for (const Multiple& one : family) {
      if (name == one.name) return family;
    }
  }
  return isEventRate(name) ? eventFamily(name) : Family();
}

}  // namespace

ScaledUnit fitUnit(const std::string& unit, double largest, double keep_below) {
  const std::string name = unit == "us" ? "µs" : unit == "bytes" ? "B" : unit;
  const double magnitude = std::abs(largest);
  if (magnitude == 0 || magnitude < keep_below) return {1, unit};
  const Family family = familyOf(name);
  const auto own = std::find_if(family.begin(), family.end(),
                                [&](const Multiple& one) { return one.name == name; });
  if (own == family.end()) return {1, unit};
  const Multiple* best = &family.front();
  for (const Multiple& one : family) {
    // With a tolerance, so that 1000 ns is 1 µs despite the rounding of 1e-9 and 1e-6.
    if (magnitude * own->size >= one.size * (1 - 1e-9)) best = &one;
  }
  // The ratio of two powers of ten, without their rounding errors.
  return {std::pow(10.0, std::round(std::log10(best->size / own->size))), best->name};
}

std::string shownUnit(const std::string& unit) { return unit == "us" ? "µs" : unit; }

LabelledUnit splitUnit(const std::string& label) {
  if (label.empty()) return {label, ""};
  const char last = label.back();
  if (last != ']' && last != ')') return {label, ""};
  const std::size_t open = label.rfind(last == ']' ? '[' : '(');
  if (open == std::string::npos || open == 0) return {label, ""};
  std::string text = label.substr(0, open);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return {text, label.substr(open + 1, label.size() - open - 2)};
}

std::string labelWithUnit(const std::string& text, const std::string& unit) {
  return unit.empty() ? text : text + " [" + unit + "]";
}

}  // namespace plumbline::results
