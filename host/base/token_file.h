// The token that lets a program in: the first line of a file.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

// Throws Error(kUsage) when the file cannot be read or its first line is empty.
std::string readToken(const std::string& file);

// What makes the token of this file a weak one, a sentence each: that others can read it, that it
// is short. Throws as readToken().
std::vector<std::string> tokenWarnings(const std::string& file);

}  // namespace plumbline
