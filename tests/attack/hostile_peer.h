// A listener that a server takes for a target program, and that sends invalid lines.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace plumbline {

// Serves any number of connections: sends the lines one after the other, the first at once, each
// further one after input. Then it keeps the connection open in silence. Connections after the
// first get the lines of `later`, if there are any.
class HostilePeer {
 public:
  explicit HostilePeer(std::vector<std::string> lines, std::vector<std::string> later = {});
  ~HostilePeer();
  HostilePeer(const HostilePeer&) = delete;
  HostilePeer& operator=(const HostilePeer&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] int connections() const { return connections_; }

 private:
  void serve();

  std::vector<std::string> lines_;
  std::vector<std::string> later_;
  int socket_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<int> connections_{0};
  std::thread thread_;
};

}  // namespace plumbline
