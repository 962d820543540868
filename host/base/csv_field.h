// A field of a table as text (RFC 4180): in quotes where it must be.
#pragma once

#include <string>

namespace plumbline {

std::string csvField(const std::string& text);

}  // namespace plumbline
