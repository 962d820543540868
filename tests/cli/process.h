// Runs the plumbline command like its users: as a process of its own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/paths/paths.h"

namespace plumbline {

struct Outcome {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
  std::string out;
  std::string err;
};

// A running command, or another program of ours. Its output goes to files in `scratch`, which must
// exist.
class Process {
 public:
  Process(const std::filesystem::path& scratch, const std::vector<std::string>& arguments,
          const std::string& program = commandPath());
  ~Process();  // kills it if it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void signal(int number) const;
  // True once the command has ended, without waiting.
  bool ended();
  // Waits for the end.
  Outcome wait();

 private:
  void reap(int status);

  std::filesystem::path out_;
  std::filesystem::path err_;
  pid_t pid_ = -1;
  Outcome outcome_;
  bool ended_ = false;
};

// Runs the command to its end.
Outcome plumblineCommand(const std::filesystem::path& scratch,
                         const std::vector<std::string>& arguments);

std::string contentOf(const std::filesystem::path& file);

}  // namespace plumbline
