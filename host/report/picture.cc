#include "report/picture.h"

#include <cmath>
#include <sstream>

#include "report/svg.h"

namespace plumbline::report {
namespace {

// The longest beginning of `text` that fits, followed by "…" if it is not all. Never cuts within a
// UTF-8 sequence.
std::string cut(const std::string& text, double width, double size) {
  if (textWidth(text, size) <= width) return text;
  std::string shorter = text;
  while (!shorter.empty() && textWidth(shorter + "…", size) > width) {
    while (!shorter.empty() && (static_cast<unsigned char>(shorter.back()) & 0xC0U) == 0x80U) {
      shorter.pop_back();
    }
    if (!shorter.empty()) shorter.pop_back();
  }
  return shorter + "…";
}

}  // namespace

std::vector<std::string> wrapped(const std::string& text, double width, double size,
                                 std::size_t lines) {
  std::vector<std::string> out(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::string longer = out.back().empty() ? word : out.back() + " " + word;
    if (out.back().empty() || out.size() == lines || textWidth(longer, size) <= width) {
      out.back() = longer;
    } else {
      out.push_back(word);
    }
  }
  for (std::string& line : out) line = cut(line, width, size);
  return out;
}

std::string categoryAt(const results::Chart& chart, double x) {
  const double place = std::round(x);
  const bool known = place >= 0 && place < static_cast<double>(chart.categories.size());
  return known ? chart.categories[static_cast<std::size_t>(place)] : std::string();
}

std::optional<double> cellOf(const results::HeatMap& map, std::size_t row, std::size_t column) {
  if (row >= map.values.size() || column >= map.values[row].size()) return std::nullopt;
  const std::optional<double> value = map.values[row][column];
  return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace plumbline::report
