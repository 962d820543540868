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
  std::uint16_t port = kDefaultPort;  // 0 = any that is free
  // PEM files; both or none.
  std::string certificate;
  std::string key;
  // More connections than this are closed as soon as they come.
  std::size_t most_connections = 4096;
  std::chrono::seconds idle{120};    // between two requests of a connection
  std::chrono::seconds request{30};  // for a request to come in, and an answer to go out
  std::chrono::seconds work{60};     // for working on one that takes long
};

// True for an address that only this machine reaches. Throws Error(kUsage) for text that is none.
bool isLoopbackAddress(const std::string& address);

// One thread moves bytes for all connections, two work on requests, two more on what takes long;
// runs have their own. Work that takes long and calls checkWork() ends when its time is over, its
// client leaves, or the server stops. Nothing a client does or leaves undone keeps memory beyond a
// fixed amount per connection, and beyond a fixed amount of all bodies together.
class Server {
 public:
  // Listens when it returns. Throws Error(kUsage) for an address or files that cannot be used. The
  // others must outlive it.
  Server(const ServerOptions& options, Api& api, LiveHub& live, Metrics& metrics);
  // Lets live clients have what is there for them, for two seconds at most, and closes everything.
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
