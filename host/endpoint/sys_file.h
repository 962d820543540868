// Files of /proc and /sys that hold one fact each.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::endpoint {

// The first line of a file, without blanks at its end; nothing when it cannot be read or is empty.
std::optional<std::string> firstLine(const std::filesystem::path& file);

// What stands for a fact that cannot be read: "unknown, there is no cpufreq driver".
std::string unknown(const std::string& why);

// The first line, or unknown(why).
std::string lineOrUnknown(const std::filesystem::path& file, const std::string& why);

// Name of what a symbolic link leads to; nothing when it is none.
std::optional<std::string> linkName(const std::filesystem::path& link);

// Names in a directory, sorted; empty when there is none.
std::vector<std::string> namesIn(const std::filesystem::path& directory);

// Those that are `prefix` and a number, by their numbers.
std::vector<std::string> numberedIn(const std::filesystem::path& directory,
                                    const std::string& prefix);

}  // namespace plumbline::endpoint
