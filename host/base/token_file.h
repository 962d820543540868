// The token that lets a program in: the first line of a file.
#pragma once

#include <string>

namespace plumbline {

// Throws Error(kUsage) when the file cannot be read or its first line is empty.
std::string readToken(const std::string& file);

}  // namespace plumbline
