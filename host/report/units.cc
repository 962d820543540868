#include "report/units.h"

#include <array>
#include <cmath>
#include <vector>

namespace plumbline::report {
namespace {

struct Multiple {
  const char* name;
  double size;
};

using Family = std::vector<Multiple>;

// Each ascending. Decimal multiples throughout, also for bytes, as link rates are decimal.
const std::array<Family, 3>& families() {
  static const std::array<Family, 3> all = {
      Family{{"ps", 1e-12}, {"ns", 1e-9}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}},
      Family{{"b/s", 1}, {"kb/s", 1e3}, {"Mb/s", 1e6}, {"Gb/s", 1e9}, {"Tb/s", 1e12}},
      Family{{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}}};
  return all;
}

}  // namespace

ScaledUnit fitUnit(const std::string& unit, double largest, double keep_below) {
  const std::string name = unit == "us" ? "µs" : unit == "bytes" ? "B" : unit;
  const double magnitude = std::abs(largest);
  if (magnitude == 0 || magnitude < keep_below) return {1, unit};
  for (const Family& family : families()) {
    const Multiple* own = nullptr;
    for (const Multiple& one : family) {
      if (name == one.name) own = &one;
    }
    if (own == nullptr) continue;
    const Multiple* best = &family.front();
    for (const Multiple& one : family) {
      // A hair of tolerance, so that 1000 ns is 1 µs whatever the rounding of 1e-9 and 1e-6.
      if (magnitude * own->size >= one.size * (1 - 1e-9)) best = &one;
    }
    // The ratio of two powers of ten, without their rounding errors.
    return {std::pow(10.0, std::round(std::log10(best->size / own->size))), best->name};
  }
  return {1, unit};
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

}  // namespace plumbline::report
