#include "tests/attack/hostile_peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace plumbline {
namespace {

struct Open {
  int descriptor;
  std::size_t said = 0;
};

void say(Open& open, const std::vector<std::string>& lines) {
  if (open.said == lines.size()) return;
  const std::string line = lines[open.said++] + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t now =
        ::send(open.descriptor, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (now <= 0) return;
    sent += static_cast<std::size_t>(now);
  }
}

}  // namespace

HostilePeer::HostilePeer(std::vector<std::string> lines, std::vector<std::string> later)
    : lines_(std::move(lines)),
      later_(std::move(later)),
      socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const raw = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket_, raw, sizeof address) != 0 || ::listen(socket_, 16) != 0 ||
      ::getsockname(socket_, raw, &size) != 0) {
    throw std::runtime_error("cannot listen");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

HostilePeer::~HostilePeer() {
  stop_ = true;
  thread_.join();
  ::close(socket_);
}

void HostilePeer::serve() {
  std::vector<Open> all;
  while (!stop_) {
    std::vector<pollfd> waiting{{socket_, POLLIN, 0}};
    for (const Open& open : all) waiting.push_back({open.descriptor, POLLIN, 0});
    if (::poll(waiting.data(), waiting.size(), 20) <= 0) continue;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (waiting[i + 1].revents == 0 || all[i].descriptor < 0) continue;
      std::array<char, 4096> bytes{};
      if (::recv(all[i].descriptor, bytes.data(), bytes.size(), 0) <= 0) {
        ::close(std::exchange(all[i].descriptor, -1));
        continue;
      }
      say(all[i], i == 0 || later_.empty() ? lines_ : later_);
    }
    if (waiting[0].revents == 0) continue;
    all.push_back({::accept(socket_, nullptr, nullptr), 0});
    ++connections_;
    say(all.back(), all.size() == 1 || later_.empty() ? lines_ : later_);
  }
  for (const Open& open : all) {
    if (open.descriptor >= 0) ::close(open.descriptor);
  }
}

}  // namespace plumbline
