#include "tests/cli/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace plumbline {
namespace {

int openForOutput(const std::filesystem::path& file) {
  return ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
}

}  // namespace

Process::Process(const std::filesystem::path& scratch, const std::vector<std::string>& arguments,
                 const std::string& program)
    : out_(scratch / "stdout.txt"), err_(scratch / "stderr.txt") {
  std::vector<std::string> texts{program};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) {
    ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
    ::dup2(openForOutput(out_), STDOUT_FILENO);
    ::dup2(openForOutput(err_), STDERR_FILENO);
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }
}

Process::~Process() {
  if (ended_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Process::signal(int number) const { ::kill(pid_, number); }

void Process::reap(int status) {
  ended_ = true;
  if (WIFEXITED(status)) outcome_.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome_.signal = WTERMSIG(status);
  outcome_.out = contentOf(out_);
  outcome_.err = contentOf(err_);
}

bool Process::ended() {
  int status = 0;
  if (!ended_ && ::waitpid(pid_, &status, WNOHANG) == pid_) reap(status);
  return ended_;
}

Outcome Process::wait() {
  int status = 0;
  if (!ended_ && ::waitpid(pid_, &status, 0) == pid_) reap(status);
  return outcome_;
}

Outcome plumblineCommand(const std::filesystem::path& scratch,
                         const std::vector<std::string>& arguments) {
  return Process(scratch, arguments).wait();
}

std::string contentOf(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace plumbline
