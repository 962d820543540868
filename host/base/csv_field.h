// A field of a table as text (RFC 4180): quoted where necessary. Text that a spreadsheet would
// compute as a formula (it begins with = + - or @ and is no number) gets an apostrophe in front.
// Control characters and direction marks are written as "\x1b" or "\u202e" (printable.h).
#pragma once

#include <string>

namespace plumbline {

std::string csvField(const std::string& text);

}  // namespace plumbline
