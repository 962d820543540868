// Simulates the network between a client and a server on another machine: delay, and answers of
// another version.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

namespace plumbline::control {

// A TCP relay on a free port of loopback.
class Relay {
 public:
  struct Options {
    std::chrono::milliseconds there{};  // until what a client sends arrives
    std::chrono::milliseconds back{};   // until it has the answer
    // In answers `from` is replaced by `to`, which has the same length.
    std::string from;
    std::string to;
  };

  Relay(std::uint16_t server, Options options);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  // From now on the server is unreachable: connections break, new ones are refused.
  void cut();

 private:
  void accept();
  void relay(int client) const;

  std::uint16_t server_;
  Options options_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> cut_ = false;
  std::thread thread_;
};

}  // namespace plumbline::control
