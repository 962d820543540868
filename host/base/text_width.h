// UTF-8 text on a terminal: its width, and cutting or wrapping it. An invalid byte counts as one
// column.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

// Columns [characters of a terminal]: combining marks take none, East Asian wide characters and
// emoji two.
std::size_t displayWidth(std::string_view text);

// As much of `text` from its beginning as fits into `columns`.
std::string_view firstColumns(std::string_view text, std::size_t columns);

// `text` if it fits into `columns` (1 or more), else its first words that fit and "…". Where that
// would leave less than half, a word is cut.
std::string clippedText(std::string_view text, std::size_t columns);

// `text` in lines of at most `columns` (1 or more), broken at spaces; a longer word is cut. Line
// breaks in `text` stay. At least one line.
std::vector<std::string> wrappedText(std::string_view text, std::size_t columns);

}  // namespace plumbline
