#include "tests/control/raw_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <limits>
#include <stdexcept>
#include <utility>

namespace plumbline::control {

RawSocket::RawSocket(std::uint16_t port) : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (descriptor_ < 0 ||
      ::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw std::runtime_error("cannot connect");
  }
}

RawSocket::~RawSocket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

RawSocket::RawSocket(RawSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

std::size_t RawSocket::send(const std::string& bytes) const {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t now = ::send(descriptor_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (now <= 0) break;
    sent += static_cast<std::size_t>(now);
  }
  return sent;
}

void RawSocket::endSending() const { ::shutdown(descriptor_, SHUT_WR); }

void RawSocket::reset() {
  const linger at_once{1, 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(std::exchange(descriptor_, -1));
}

std::string RawSocket::receiveSome(std::size_t bytes, std::chrono::milliseconds time) const {
  std::string text;
  std::array<char, 16384> buffer{};
  while (text.size() < bytes) {
    pollfd ready{descriptor_, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(time.count())) <= 0) break;
    const ssize_t now = ::recv(descriptor_, buffer.data(), buffer.size(), 0);
    if (now <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(now));
  }
  return text;
}

std::string RawSocket::receive(std::chrono::milliseconds time) const {
  return receiveSome(std::numeric_limits<std::size_t>::max(), time);
}

bool RawSocket::closedWithin(std::chrono::milliseconds time) const {
  std::array<char, 16384> buffer{};
  for (;;) {
    pollfd ready{descriptor_, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(time.count())) <= 0) return false;
    if (::recv(descriptor_, buffer.data(), buffer.size(), 0) <= 0) return true;
  }
}

}  // namespace plumbline::control
