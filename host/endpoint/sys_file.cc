#include "endpoint/sys_file.h"

#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

namespace plumbline::endpoint {

namespace fs = std::filesystem;

std::optional<std::string> firstLine(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  if (!std::getline(stream, line)) return std::nullopt;
  line.erase(line.find_last_not_of(" \t\r") + 1);
  return line.empty() ? std::nullopt : std::optional(line);
}

std::string unknown(const std::string& why) { return "unknown, " + why; }

std::string lineOrUnknown(const fs::path& file, const std::string& why) {
  auto line = firstLine(file);
  return line ? std::move(*line) : unknown(why);
}

std::optional<std::string> linkName(const fs::path& link) {
  std::error_code error;
  const fs::path target = fs::read_symlink(link, error);
  return error ? std::nullopt : std::optional(target.filename().string());
}

std::vector<std::string> namesIn(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> numberedIn(const fs::path& directory, const std::string& prefix) {
  std::vector<std::string> names = namesIn(directory);
  std::erase_if(names, [&](const std::string& name) {
    return name.size() == prefix.size() || !name.starts_with(prefix) ||
           name.find_first_not_of("0123456789", prefix.size()) != std::string::npos;
  });
  // Of equal prefixes the shorter name has the smaller number.
  std::stable_sort(names.begin(), names.end(),
                   [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
  return names;
}

}  // namespace plumbline::endpoint
