#include "roce_guest.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace plumbline::roce_peer {
namespace {

constexpr std::chrono::seconds kBootTime{120};
constexpr std::size_t kMaxFrame = 9216;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
}

sockaddr_un socketAddress(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof address.sun_path) {
    throw std::runtime_error("too long for a socket: " + path.string());
  }
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return address;
}

}  // namespace

RoceGuest::RoceGuest(const GuestOptions& options) {
  std::string name = (std::filesystem::temp_directory_path() / "roce-guest-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) fail("mkdtemp " + name);
  directory_ = name;
  start(options);
  const auto deadline = std::chrono::steady_clock::now() + kBootTime;
  while (!ready_) {
    if (std::chrono::steady_clock::now() > deadline || log_.find("FAULT") != std::string::npos) {
      throw std::runtime_error("the guest did not become ready; it said:\n" + log_);
    }
    pollfd console{console_, POLLIN, 0};
    poll(&console, 1, 100);
    listen();
  }
}

RoceGuest::~RoceGuest() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  if (console_ >= 0) close(console_);
  if (socket_ >= 0) close(socket_);
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

void RoceGuest::start(const GuestOptions& options) {
  const std::filesystem::path ours = directory_ / "peer";
  const std::filesystem::path its = directory_ / "guest";
  socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const sockaddr_un address = socketAddress(ours);
  if (socket_ < 0 || bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address)) {
    fail("socket " + ours.string());
  }
  std::array<int, 2> console{};
  if (pipe2(console.data(), O_CLOEXEC) != 0) fail("pipe");

  const std::vector<std::string> command{
      "qemu-system-x86_64",
      "-M",
      "pc",
      "-accel",
      "tcg,thread=multi,tb-size=256",
      "-cpu",
      "max",
      "-m",
      "384",
      "-kernel",
      (options.image / "vmlinuz").string(),
      "-initrd",
      (options.image / "initrd.gz").string(),
      "-append",
      fmt::format("console=ttyS0 quiet loglevel=3 panic=-1 tsc=reliable mitigations=off nokaslr "
                  "random.trust_cpu=on address={} neighbour={},{} responder={},{},{},{}",
                  options.address.toString(), options.peer_address.toString(),
                  options.peer_mac.toString(), options.peer_address.toString(), options.peer_qp,
                  options.peer_psn, options.queue_pairs),
      "-nodefaults",
      "-no-user-config",
      "-no-reboot",
      "-display",
      "none",
      "-serial",
      "stdio",
      "-netdev",
      fmt::format("dgram,id=wire,local.type=unix,local.path={},remote.type=unix,remote.path={}",
                  its.string(), ours.string()),
      "-device",
      "virtio-net-pci,netdev=wire,mac=" + options.mac.toString()};
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

void RoceGuest::send(wire::ByteView frame) {
  const sockaddr_un address = socketAddress(directory_ / "guest");
  if (sendto(socket_, frame.data(), frame.size(), 0, reinterpret_cast<const sockaddr*>(&address),
             sizeof address) < 0) {
    fail("a frame to the guest");
  }
}

std::optional<wire::Buffer> RoceGuest::receive() {
  wire::Buffer frame(kMaxFrame);
  const ssize_t bytes = recv(socket_, frame.data(), frame.size(), 0);
  if (bytes < 0) {
    if (errno == EAGAIN || errno == EWOULDBLOCK) return std::nullopt;
    fail("a frame from the guest");
  }
  frame.resize(static_cast<std::size_t>(bytes));
  return frame;
}

void RoceGuest::listen() {
  std::array<char, 4096> bytes{};
  ssize_t got = 0;
  while ((got = read(console_, bytes.data(), bytes.size())) > 0) {
    unfinished_.append(bytes.data(), static_cast<std::size_t>(got));
  }
  std::size_t end = 0;
  while ((end = unfinished_.find('\n')) != std::string::npos) {
    std::string line = unfinished_.substr(0, end);
    unfinished_.erase(0, end + 1);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    log_ += line + "\n";
    take(line);
  }
}

void RoceGuest::take(const std::string& line) {
  std::istringstream in(line);
  std::string what;
  in >> what;
  std::uint32_t index = 0;
  if (what == "QP") {
    in >> index;
    in >> pairs_[index];
  } else if (what == "MEMORY") {
    in >> rkey_ >> address_ >> region_bytes_;
  } else if (what == "READY") {
    ready_ = true;
  } else if (what == "REGION") {
    in >> index;
    in >> std::hex >> sums_[index];
  } else if (what == "RECEIVED") {
    GuestReceive receive;
    in >> index >> receive.bytes >> receive.status;
    received_[index].push_back(receive);
  }
}

std::uint64_t RoceGuest::regionAddress(std::uint32_t index) const {
  return address_ + index * region_bytes_;
}

std::optional<std::uint32_t> RoceGuest::regionSum(std::uint32_t index) const {
  const auto found = sums_.find(index);
  if (found == sums_.end()) return std::nullopt;
  return found->second;
}

}  // namespace plumbline::roce_peer
