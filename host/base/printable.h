// Text that others wrote, for a terminal: nothing in it moves the cursor, sets a title or turns the
// direction of writing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumbline {

// `text` with every control character (C0, DEL, C1), every mark of direction and every byte that is
// not UTF-8 written as "\x1b" or "\u202e". Line breaks and tabs stay where `lines` says so.
std::string printable(std::string_view text, bool lines = false);

// The same in one line of at most `columns`, cut with "…".
std::string printableName(std::string_view text, std::size_t columns = 100);

}  // namespace plumbline
