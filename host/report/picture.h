// What the pictures of a result have in common: names as they fit, and what stands at a place.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "results/test_result.h"

namespace plumbline::report {

// `text` in at most `lines` lines of `width` pixels at a font of `size` pixels, broken at spaces;
// what does not fit ends with "…".
std::vector<std::string> wrapped(const std::string& text, double width, double size,
                                 std::size_t lines);

// Name of the category at `x`; empty if there is none.
std::string categoryAt(const results::Chart& chart, double x);

// Value of a cell; nothing if it is blank, or missing in a ragged map.
std::optional<double> cellOf(const results::HeatMap& map, std::size_t row, std::size_t column);

}  // namespace plumbline::report
