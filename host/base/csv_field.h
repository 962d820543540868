// A field of a table as text (RFC 4180): in quotes where it must be. What a spreadsheet would
// compute as a formula, text that begins with = + - or @ and is no number, has an apostrophe in
// front. Control characters and marks of direction are written as "\x1b" or "\u202e" (printable.h).
#pragma once

#include <string>

namespace plumbline {

std::string csvField(const std::string& text);

}  // namespace plumbline
