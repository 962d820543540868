// The other half of a verbs bench with a peer: the targets of its channels, on another host.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "bench_verbs/peer_message.h"
#include "bench_verbs/peer_socket.h"

namespace plumbline::bench_verbs {

class TargetService {
 public:
  // `spec`: device, port, gid_index, and the address where the connection manager waits for calls;
  // the rest comes with each request. `log` is told a line of what happens, on any thread. Throws
  // Error(kUnsupported) when this machine does not have the device.
  TargetService(bench::EndpointSpec spec, std::unique_ptr<VerbsLibrary> library,
                std::function<void(const std::string&)> log);

  // Serves every connection on a thread of its own until `stop`.
  void serve(PeerListener& listener, const std::atomic<bool>& stop);

  [[nodiscard]] const std::string& device() const { return spec_.device; }

 private:
  void serveOne(PeerSocket& peer, const std::atomic<bool>& stop);

  bench::EndpointSpec spec_;
  std::unique_ptr<VerbsLibrary> library_;
  std::function<void(const std::string&)> log_;
};

}  // namespace plumbline::bench_verbs
