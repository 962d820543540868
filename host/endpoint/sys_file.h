// Files of /proc and /sys with one value each.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::endpoint {

// The first line of a file, without blanks at its end; nothing when it cannot be read or is empty.
std::optional<std::string> firstLine(const std::filesystem::path& file);

// Text for an unreadable value: "unknown, there is no cpufreq driver".
std::string unknown(const std::string& why);

// The first line, or unknown(why).
std::string lineOrUnknown(const std::filesystem::path& file, const std::string& why);

// Name of a symbolic link's target; nothing if it is no link.
std::optional<std::string> linkName(const std::filesystem::path& link);

// Names in a directory, sorted; empty if it does not exist.
std::vector<std::string> namesIn(const std::filesystem::path& directory);

// Names that consist of `prefix` and a number, sorted by number.
std::vector<std::string> numberedIn(const std::filesystem::path& directory,
                                    const std::string& prefix);

}  // namespace plumbline::endpoint
