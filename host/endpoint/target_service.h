// The remote half of a bench with a peer: serves the targets of its channels, on another host.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "endpoint/peer_socket.h"
#include "endpoint/peer_target.h"

namespace plumbline::endpoint {

class TargetService {
 public:
  // `token`: required from a bench; empty: every client of the listener is served. `log` gets a
  // line for each event, on any thread; it must neither block nor throw.
  TargetService(std::unique_ptr<TargetLibrary> library, std::string token,
                std::function<void(const std::string&)> log);

  // Serves every connection on a thread of its own until `stop`. The messages of all of them
  // together are limited to memoryLimit(). Returns within a second of `stop`, unless a library's
  // own call takes longer.
  void serve(PeerListener& listener, const std::atomic<bool>& stop);

 private:
  // `asked` becomes true when a request is served.
  void serveOne(PeerSocket& peer, std::atomic<bool>& asked, const std::atomic<bool>& stop);
  void serveChannel(PeerSocket& peer, const ChannelSpec& channel, PeerTarget& target,
                    const std::atomic<bool>& stop);

  std::atomic<std::uint64_t> reserved_{0};  // bytes of the messages of all sessions
  std::unique_ptr<TargetLibrary> library_;
  std::string token_;
  std::function<void(const std::string&)> log_;
};

}  // namespace plumbline::endpoint
