// The whole of a file that a user or a client names, as far as it is of a size to be held.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace plumbline {

// Throws Error(kUsage) for what is no regular file, cannot be read, or has more than `most` bytes;
// as checkWork() while it reads.
std::string readFile(const std::filesystem::path& file, std::uint64_t most);

}  // namespace plumbline
