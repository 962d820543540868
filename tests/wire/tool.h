// Runs external programs as oracles: scapy and tshark.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace plumbline::wire::test {

// A command's standard output, line by line, and its exit code (-1: not run).
struct ToolResult {
  int exit_code = -1;
  std::vector<std::string> lines;
};

// Runs `command` through the shell; its standard error is discarded.
ToolResult runTool(const std::string& command);

// A path in a directory of this process, which is removed at its end.
std::filesystem::path scratchFile(const std::string& name);

// Fields of a tab-separated line.
std::vector<std::string> splitTabs(const std::string& line);

}  // namespace plumbline::wire::test
