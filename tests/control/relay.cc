#include "tests/control/relay.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

namespace plumbline::control {
namespace {

constexpr int kMomentMs = 20;  // then it is looked whether to end

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool sendAll(int socket, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(socket, data, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    data += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace

Relay::Relay(std::uint16_t server, Options options)
    : server_(server), options_(std::move(options)), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("cannot listen");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { accept(); });
}

Relay::~Relay() {
  cut();
  thread_.join();
}

void Relay::cut() { cut_ = true; }

void Relay::accept() {
  std::vector<std::thread> connections;
  while (!cut_) {
    pollfd ready{listener_, POLLIN, 0};
    if (::poll(&ready, 1, kMomentMs) <= 0) continue;
    const int client = ::accept(listener_, nullptr, nullptr);
    if (client >= 0) connections.emplace_back([this, client] { relay(client); });
  }
  ::close(listener_);
  for (std::thread& connection : connections) connection.join();
}

void Relay::relay(int client) const {
  const int server = ::socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = loopback(server_);
  bool open = ::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  std::array<char, 65'536> buffer{};
  while (open && !cut_) {
    std::array<pollfd, 2> ready{{{client, POLLIN, 0}, {server, POLLIN, 0}}};
    if (::poll(ready.data(), ready.size(), kMomentMs) <= 0) continue;
    for (std::size_t side = 0; side < 2 && open; ++side) {
      if ((ready[side].revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
      const ssize_t size = ::recv(ready[side].fd, buffer.data(), buffer.size(), 0);
      if (size <= 0) {
        open = false;
        break;
      }
      std::string data(buffer.data(), static_cast<std::size_t>(size));
      std::this_thread::sleep_for(side == 0 ? options_.there : options_.back);
      if (side == 1 && !options_.from.empty()) {
        for (auto at = data.find(options_.from); at != std::string::npos;
             at = data.find(options_.from, at + 1)) {
          data.replace(at, options_.from.size(), options_.to);
        }
      }
      open = sendAll(ready[1 - side].fd, data.data(), data.size());
    }
  }
  ::close(server);
  ::close(client);
}

}  // namespace plumbline::control
