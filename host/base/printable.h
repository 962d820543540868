// Text from others for a terminal: nothing in it moves the cursor, sets a title or changes the
// direction of writing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumbline {

// `text` with every control character (C0, DEL, C1), every direction mark and every invalid UTF-8
// byte written as "\x1b" or "\u202e". Line breaks and tabs are kept if `lines`.
std::string printable(std::string_view text, bool lines = false);

// The same in one line of at most `columns`, cut with "…".
std::string printableName(std::string_view text, std::size_t columns = 100);

}  // namespace plumbline
