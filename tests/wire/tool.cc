#include "tool.h"

#include <stdlib.h>  // NOLINT: mkdtemp is POSIX
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <sstream>
#include <stdexcept>

namespace plumbline::wire::test {
namespace {

class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "wire_test_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = name;
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

ToolResult runTool(const std::string& command) {
  ToolResult result;
  FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return result;
  std::string text;
  std::array<char, 4096> buffer{};
  std::size_t got = 0;
  while ((got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0) text.append(buffer.data(), got);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) result.lines.push_back(line);
  return result;
}

std::filesystem::path scratchFile(const std::string& name) {
  static const ScratchDirectory directory;
  return directory.path() / name;
}

std::vector<std::string> splitTabs(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == '\t') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

}  // namespace plumbline::wire::test
