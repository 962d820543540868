#include "roce_guest.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
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
  openWire();
  MachineOptions machine;
  machine.image = options.image;
  machine.programs = "responder.img";
  machine.mac = options.mac.toString();
  machine.address = options.address.toString();
  machine.neighbour =
      fmt::format("{},{}", options.peer_address.toString(), options.peer_mac.toString());
  machine.run = {"roce_responder", options.peer_address.toString(), std::to_string(options.peer_qp),
                 std::to_string(options.peer_psn), std::to_string(options.queue_pairs)};
  machine.socket = directory_ / "guest";
  machine.peer_socket = directory_ / "peer";
  machine_ = std::make_unique<GuestMachine>(machine);
  const auto deadline = std::chrono::steady_clock::now() + kBootTime;
  while (!ready_) {
    if (std::chrono::steady_clock::now() > deadline || log().find("FAULT") != std::string::npos) {
      throw std::runtime_error("the guest did not become ready; it said:\n" + log());
    }
    listenFor(std::chrono::milliseconds(100));
  }
}

RoceGuest::~RoceGuest() {
  if (socket_ >= 0) close(socket_);
}

void RoceGuest::openWire() {
  const std::filesystem::path ours = directory_ / "peer";
  socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const sockaddr_un address = socketAddress(ours);
  if (socket_ < 0 || bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address)) {
    fail("socket " + ours.string());
  }
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

void RoceGuest::listen() { listenFor(std::chrono::milliseconds(0)); }

void RoceGuest::listenFor(std::chrono::milliseconds time) {
  for (const std::string& line : machine_->listen(time)) take(line);
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
