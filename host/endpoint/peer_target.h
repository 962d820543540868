// Interface of a library in the target program: ends that receive messages of benches on other
// hosts. One implementation for libfabric, one for verbs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "endpoint/channel.h"
#include "endpoint/host_configuration.h"

namespace plumbline::endpoint {

// The target's end of a channel. Used by one thread. Throws endpoint::fault() as Channel does.
class PeerTarget {
 public:
  virtual ~PeerTarget() = default;

  // Data that the initiator needs to connect: a JSON object.
  [[nodiscard]] virtual std::string address() const = 0;
  // Connects to the initiator and prepares for its messages. Returns the data that it needs to
  // send: a JSON object.
  virtual std::string meet() = 0;
  // After meet(): completions of this end's software since the last call.
  virtual std::size_t serve() = 0;
  // Whether messages make progress only while serve() is called.
  [[nodiscard]] virtual bool needsServing() const = 0;
  // After meet(): the memory that is written, or read.
  [[nodiscard]] virtual std::span<std::uint8_t> memory() = 0;
};

class TargetLibrary {
 public:
  virtual ~TargetLibrary() = default;

  // The name in a bench's request: "verbs".
  [[nodiscard]] virtual std::string name() const = 0;
  // Its resource, for the program's first line: "device mlx5_0".
  [[nodiscard]] virtual std::string description() const = 0;
  // Its environment, for the bench's report. `end`: the request's; from any bench. Throws Error
  // when it is invalid, or cannot be served here.
  [[nodiscard]] virtual Configuration configuration(const std::string& end) const = 0;
  // The target of a channel that a bench requests, which reached this host at `own_address`. `end`
  // likewise.
  [[nodiscard]] virtual std::unique_ptr<PeerTarget> open(const ChannelSpec& channel,
                                                         const std::string& end,
                                                         const std::string& own_address) = 0;
};

}  // namespace plumbline::endpoint
