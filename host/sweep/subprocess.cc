#include "sweep/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/interrupts.h"

namespace plumbline::sweep {
namespace {

constexpr int kCannotStart = 127;

std::vector<char*> pointersTo(std::vector<std::string>& command) {
  std::vector<char*> pointers;
  pointers.reserve(command.size() + 1);
  for (std::string& word : command) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

Error noProcess() {
  return {ErrorKind::kTester,
          std::string("no process can be made: ") + std::strerror(errno),
          {},
          "end other programs or use fewer workers"};
}

Ended endedOf(int status) {
  Ended ended;
  if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  return ended;
}

pid_t waitFor(pid_t pid, int& status, int options) {
  pid_t ended = ::waitpid(pid, &status, options);
  while (ended < 0 && errno == EINTR) ended = ::waitpid(pid, &status, options);
  return ended;
}

// Reads both pipes until their writers are gone.
void drain(std::array<int, 2> pipes, std::array<std::string*, 2> texts) {
  std::array<char, 4096> buffer{};
  std::array<pollfd, 2> waits{{{pipes[0], POLLIN, 0}, {pipes[1], POLLIN, 0}}};
  while (waits[0].fd >= 0 || waits[1].fd >= 0) {
    if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) return;
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].fd < 0 || waits[i].revents == 0) continue;
      const ssize_t got = ::read(waits[i].fd, buffer.data(), buffer.size());
      if (got > 0) {
        texts[i]->append(buffer.data(), static_cast<std::size_t>(got));
      } else if (got == 0 || errno != EINTR) {
        waits[i].fd = -1;
      }
    }
  }
}

}  // namespace

std::filesystem::path ownProgram() { return std::filesystem::read_symlink("/proc/self/exe"); }

Worker::Worker(std::vector<std::string> command, const std::filesystem::path& log) {
  const std::vector<char*> arguments = pointersTo(command);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw noProcess();
  if (pid_ > 0) return;
  // In the child: only calls that are allowed after a fork.
  unblockInterrupts();
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kCannotStart);  // the parent died before that took effect
  const int none = ::open("/dev/null", O_RDONLY);
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (none < 0 || out < 0) ::_exit(kCannotStart);
  ::dup2(none, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  ::execv(arguments[0], arguments.data());
  ::_exit(kCannotStart);
}

Worker::~Worker() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  waitFor(pid_, status, 0);
}

Worker::Worker(Worker&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}

Worker& Worker::operator=(Worker&& other) noexcept {
  std::swap(pid_, other.pid_);
  return *this;
}

void Worker::interrupt() const {
  if (pid_ > 0) ::kill(pid_, SIGINT);
}

std::optional<Ended> Worker::ended() {
  int status = 0;
  if (pid_ < 0 || waitFor(pid_, status, WNOHANG) != pid_) return std::nullopt;
  pid_ = -1;
  return endedOf(status);
}

Output runProgram(std::vector<std::string> command) {
  const std::vector<char*> arguments = pointersTo(command);
  std::array<int, 2> out{};
  std::array<int, 2> err{};
  if (::pipe2(out.data(), O_CLOEXEC) != 0) throw noProcess();
  if (::pipe2(err.data(), O_CLOEXEC) != 0) {
    for (const int end : out) ::close(end);
    throw noProcess();
  }
  const pid_t pid = ::fork();
  if (pid == 0) {
    unblockInterrupts();
    ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    ::execvp(arguments[0], arguments.data());
    ::_exit(kCannotStart);
  }
  ::close(out[1]);
  ::close(err[1]);
  Output output;
  if (pid > 0) {
    drain({out[0], err[0]}, {&output.out, &output.err});
    int status = 0;
    if (waitFor(pid, status, 0) == pid) output.ended = endedOf(status);
  }
  ::close(out[0]);
  ::close(err[0]);
  if (pid < 0) throw noProcess();
  return output;
}

}  // namespace plumbline::sweep
