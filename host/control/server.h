// The sockets of the server: HTTP/1.1 and WebSocket, plain or over TLS.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "control/api.h"
#include "control/live_hub.h"
#include "control/metrics.h"

namespace plumbline::control {

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = kDefaultPort;  // 0 = any free port
  // PEM files; both or none.
  std::string certificate;
  std::string key;
  // Further connections are closed at once.
  std::size_t max_connections = 4096;
  std::chrono::seconds idle{120};    // between two requests of a connection
  std::chrono::seconds request{30};  // for receiving a request, and for sending an answer
  std::chrono::seconds work{60};     // for handling a long request
};

// True for an address that only this machine can reach. Throws Error(kUsage) for invalid text.
bool isLoopbackAddress(const std::string& address);

// One thread moves bytes for all connections, two handle requests, two more long requests; runs
// have threads of their own. A long request that calls checkWork() ends when its time is over, its
// connection breaks, or the server stops. No behaviour of a client can occupy more than a fixed
// amount of memory per connection, and a fixed amount for all bodies together.
class Server {
 public:
  // Listens when it returns. Throws Error(kUsage) for an unusable address or files. The other
  // objects must outlive it.
  Server(const ServerOptions& options, Api& api, LiveHub& live, Metrics& metrics);
  // Delivers pending messages to live clients, for two seconds at most, and closes everything.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::size_t connections() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plumbline::control
