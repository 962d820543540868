// The whole of a file that a user or a client names, if it is not too large.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace plumbline {

// Throws Error(kUsage) for anything except a readable regular file of at most `most` bytes; as
// checkWork() while it reads.
std::string readFile(const std::filesystem::path& file, std::uint64_t max);

}  // namespace plumbline
