// Programs that a sweep runs: its own workers, and Slurm's commands.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::sweep {

// Path of this program, for workers.
std::filesystem::path ownProgram();

// How a program ended.
struct Ended {
  int exit_code = -1;  // -1: by a signal, or it could not be started
  int signal = 0;
};

// A worker in its own process group, so that a Ctrl-C at the terminal reaches only its parent. Its
// output is appended to `log`. It ends when its parent does, in any way.
class Worker {
 public:
  // Throws Error(kTester) when no process can be created.
  Worker(std::vector<std::string> command, const std::filesystem::path& log);
  ~Worker();  // kills it if it still runs
  Worker(Worker&& other) noexcept;
  Worker& operator=(Worker&& other) noexcept;

  void interrupt() const;  // as Ctrl-C
  // Once it has ended; does not wait.
  std::optional<Ended> ended();

 private:
  pid_t pid_ = -1;  // -1: none, or reaped
};

struct Output {
  Ended ended;
  std::string out;
  std::string err;
};

// Runs a program found in PATH to its end, without input.
Output runProgram(std::vector<std::string> command);

}  // namespace plumbline::sweep
