#include "session/dut_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "base/interrupts.h"

namespace plumbline::session {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string comment(std::string_view why) { return fmt::format("# {}\n", why); }

std::string readReport(const scenario::Scenario& scenario) {
  const std::string& file = scenario.dut_metrics->file;
  int error = 0;
  const auto opened = scenario::openAgain(file, scenario.access, scenario.file, error);
  if (!opened) {
    return comment(fmt::format("{} cannot be read: {}", file, openFault(error)));
  }
  std::ifstream stream(opened->path(), std::ios::binary);
  std::string text(kMaxDutReport + 1, '\0');
  if (!stream.read(text.data(), static_cast<std::streamsize>(text.size())) && !stream.eof()) {
    return comment(fmt::format("{} cannot be read", file));
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kMaxDutReport) return comment(fmt::format("{} is too long", file));
  return text;
}

constexpr int kNotStarted = 127;  // exit code, as shells have it

// Pointers to the texts, and the null that ends them.
std::vector<char*> pointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// A program in its own process group, whose output is read from a pipe.
class Program {
 public:
  // `variable`: of its environment, besides those of this process.
  Program(std::vector<std::string> command, const std::string& folder, const std::string& variable,
          Clock::time_point until)
      : until_(until) {
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return;
    std::vector<std::string> environment{variable};
    for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
    // No allocation after the fork, as another thread may have held the allocator's lock.
    const std::vector<char*> words = pointersTo(command);
    const std::vector<char*> variables = pointersTo(environment);
    pid_ = ::fork();
    if (pid_ == 0) {
      unblockInterrupts();
      ::setpgid(0, 0);
      const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
      const bool ready = null >= 0 && ::dup2(null, STDIN_FILENO) >= 0 &&
                         ::dup2(pipe[1], STDOUT_FILENO) >= 0 && ::chdir(folder.c_str()) == 0;
      if (ready) ::execvpe(words[0], words.data(), variables.data());
      ::_exit(kNotStarted);
    }
    ::close(pipe[1]);
    output_ = pipe[0];
  }
  ~Program() {
    if (output_ >= 0) ::close(output_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] bool started() const { return pid_ > 0; }

  // All of its output, or nothing when that is too long or takes too long.
  [[nodiscard]] std::optional<std::string> read() const {
    std::string text;
    std::array<char, 4096> part{};
    while (text.size() <= kMaxDutReport) {
      pollfd waiting{output_, POLLIN, 0};
      if (::poll(&waiting, 1, millisecondsLeft()) == 0) return std::nullopt;
      const ssize_t count = ::read(output_, part.data(), part.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return text;
      text.append(part.data(), static_cast<std::size_t>(count));
    }
    return std::nullopt;
  }

  // Waits for its end; when its time is over, kills it and all processes that it started. Returns
  // its exit code; -1 when a signal ended it.
  [[nodiscard]] int end(bool at_once) const {
    constexpr std::chrono::milliseconds kPause{2};
    int status = 0;
    while (!at_once && ::waitpid(pid_, &status, WNOHANG) == 0) {
      at_once = millisecondsLeft() == 0;
      if (!at_once) std::this_thread::sleep_for(kPause);
    }
    if (at_once) {
      ::kill(-pid_, SIGKILL);
      while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
      }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  [[nodiscard]] int millisecondsLeft() const {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until_ - Clock::now()).count();
    return static_cast<int>(std::max<std::int64_t>(left, 0));
  }

  Clock::time_point until_;
  pid_t pid_ = -1;
  int output_ = -1;
};

std::string runProgram(const std::vector<std::string>& command, const std::string& folder,
                       const std::string& time, std::chrono::milliseconds max) {
  const Program program(command, folder, "PLUMBLINE_TIME_S=" + time, Clock::now() + max);
  if (!program.started()) return comment(command.front() + " could not be started");
  const auto text = program.read();
  const int code = program.end(!text);
  if (!text) {
    return comment(fmt::format("{} took longer than {} ms, or printed more than {} bytes",
                               command.front(), max.count(), kMaxDutReport));
  }
  if (code == kNotStarted) return comment(command.front() + " could not be started");
  if (code != 0) {
    return comment(code < 0 ? command.front() + " was ended by a signal"
                            : fmt::format("{} ended with exit code {}", command.front(), code));
  }
  return *text;
}

}  // namespace

std::string queryDutMetrics(const scenario::Scenario& scenario, std::optional<Picoseconds> time,
                            std::chrono::milliseconds max) {
  const scenario::DutMetricsSource& source = *scenario.dut_metrics;
  if (source.command.empty()) return readReport(scenario);
  const fs::path folder = fs::absolute(fs::path(scenario.file)).parent_path();
  const std::int64_t seconds_into = time.value_or(Picoseconds(0)) / seconds(1);
  return runProgram(source.command, folder.string(), std::to_string(seconds_into), max);
}

}  // namespace plumbline::session
