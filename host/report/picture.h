// Common functions of a result's pictures: fitting names, and values at a position.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "results/test_result.h"

namespace plumbline::report {

// `text` in at most `lines` lines of `width` pixels at a font of `size` pixels, broken at spaces;
// text that does not fit ends with "…".
std::vector<std::string> wrapped(const std::string& text, double width, double size,
                                 std::size_t lines);

// Name of the category at `x`; empty if there is none.
std::string categoryAt(const results::Chart& chart, double x);

// Value of a cell; nothing if it is blank, or missing in a ragged map.
std::optional<double> cellOf(const results::HeatMap& map, std::size_t row, std::size_t column);

}  // namespace plumbline::report
