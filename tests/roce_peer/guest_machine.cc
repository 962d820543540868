#include "guest_machine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace plumbline::roce_peer {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
}

std::vector<std::string> commandOf(const MachineOptions& options) {
  std::string words = fmt::format(
      "console=ttyS0 quiet loglevel=3 panic=-1 tsc=reliable mitigations=off nokaslr "
      "random.trust_cpu=on address={} run={}",
      options.address, fmt::join(options.run, ","));
  if (!options.neighbour.empty()) words += " neighbour=" + options.neighbour;
  std::vector<std::string> command{
      "qemu-system-x86_64",
      "-M",
      "pc",
      "-accel",
      "tcg,thread=multi,tb-size=256",
      "-cpu",
      "max",
      "-m",
      std::to_string(options.memory_mb),
      "-kernel",
      (options.image / "vmlinuz").string(),
      "-initrd",
      (options.image / options.programs).string(),
      "-append",
      words,
      "-nodefaults",
      "-no-user-config",
      "-no-reboot",
      "-display",
      "none",
      "-serial",
      "stdio",
      "-netdev",
      fmt::format("dgram,id=wire,local.type=unix,local.path={},remote.type=unix,remote.path={}",
                  options.socket.string(), options.peer_socket.string()),
      "-device",
      "virtio-net-pci,netdev=wire,mac=" + options.mac};
  if (!options.disk.empty()) {
    command.insert(command.end(),
                   {"-drive", fmt::format("file={},format=raw,if=virtio", options.disk.string())});
  }
  return command;
}

}  // namespace

SocketDirectory::SocketDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "roce-guest-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) fail("mkdtemp " + name);
  path_ = name;
}

SocketDirectory::~SocketDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

GuestMachine::GuestMachine(const MachineOptions& options) {
  std::array<int, 2> console{};
  if (pipe2(console.data(), O_CLOEXEC) != 0) fail("pipe");
  const std::vector<std::string> command = commandOf(options);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  process_ = fork();
  if (process_ < 0) fail("fork");
  if (process_ == 0) {
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(console[1], STDOUT_FILENO);
    dup2(console[1], STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(console[1]);
  console_ = console[0];
  fcntl(console_, F_SETFL, O_NONBLOCK);
}

GuestMachine::~GuestMachine() {
  cut();
  close(console_);
}

void GuestMachine::cut() {
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

std::vector<std::string> GuestMachine::listen(std::chrono::milliseconds time) {
  pollfd waiting{console_, POLLIN, 0};
  poll(&waiting, 1, static_cast<int>(time.count()));
  std::array<char, 4096> bytes{};
  ssize_t got = 0;
  while ((got = read(console_, bytes.data(), bytes.size())) > 0) {
    unfinished_.append(bytes.data(), static_cast<std::size_t>(got));
  }
  ended_ = got == 0;
  std::vector<std::string> lines;
  std::size_t end = 0;
  while ((end = unfinished_.find('\n')) != std::string::npos) {
    std::string line = unfinished_.substr(0, end);
    unfinished_.erase(0, end + 1);
    while (!line.empty() && line.back() == '\r') line.pop_back();
    log_ += line + "\n";
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string GuestMachine::waitFor(const std::string& begin, std::chrono::seconds time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  for (;;) {
    for (auto line = unanswered_.begin(); line != unanswered_.end(); ++line) {
      if (!line->starts_with(begin)) continue;
      std::string found = std::move(*line);
      unanswered_.erase(unanswered_.begin(), line + 1);
      return found;
    }
    unanswered_.clear();
    if (ended_ || std::chrono::steady_clock::now() > deadline) {
      throw std::runtime_error(fmt::format("the guest {} before it said \"{}\"; it said:\n{}",
                                           ended_ ? "ended" : "had no time left", begin, log_));
    }
    unanswered_ = listen(std::chrono::milliseconds(100));
  }
}

}  // namespace plumbline::roce_peer
