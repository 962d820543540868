// The token that authenticates a program: the first line of a file.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

// Throws Error(kUsage) when the file cannot be read or its first line is empty.
std::string readToken(const std::string& file);

// Weaknesses of this file's token, a sentence each: others can read it, it is short. Throws as
// readToken().
std::vector<std::string> tokenWarnings(const std::string& file);

}  // namespace plumbline
