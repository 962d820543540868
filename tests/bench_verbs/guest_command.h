// Common parts of the tests in a guest: directories, and running the command there.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace plumbline::bench_verbs {

inline std::string peer_address;  // of the machine with the target program
inline std::string own_address;

struct CommandOutcome {
  int exit_code = -1;
  std::string text;
};

// A file or directory of this guest's own.
inline std::string scratch(const std::string& name) {
  return (std::filesystem::temp_directory_path() / name).string();
}

// A scenario between two hosts on a link; members of the sections as in its file.
struct GuestScenario {
  std::string tests;
  std::string endpoint;
  std::string parameters;
  std::string bench = "verbs";
  std::string topology = "link: 10M";
  std::string traffic = "message_sizes: [64B, 16KiB], qps: 2";
};

// Runs it by the command, with its results in the scratch directory `results`.
inline CommandOutcome runCommand(const GuestScenario& scenario, const std::string& results) {
  const std::string file = scratch("guests.yaml");
  std::ofstream(file) << "plumbline: 1\nname: guests\ntests: [" << scenario.tests
                      << "]\nbench: " << scenario.bench << "\nendpoint: {" << scenario.endpoint
                      << "}\ndut: {topology: {kind: link, " << scenario.topology << "}}\ntraffic: {"
                      << scenario.traffic << ", pairs: [[0, 1]], direction: uni}\nparameters: {"
                      << scenario.parameters << "}\n";
  CommandOutcome outcome;
  const std::string command =
      "plumbline run " + file + " --quiet --tables --results " + scratch(results) + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 512> line{};
  while (fgets(line.data(), line.size(), pipe) != nullptr) outcome.text += line.data();
  outcome.exit_code = WEXITSTATUS(pclose(pipe));
  return outcome;
}

}  // namespace plumbline::bench_verbs
