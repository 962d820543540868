// What a library has to offer the target program: ends that receive what benches on other hosts
// send. One implementation for libfabric, one for verbs.
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

  // What the initiator must know to connect: an object of JSON.
  [[nodiscard]] virtual std::string address() const = 0;
  // Connects with the initiator and makes ready for its messages. Returns what it must know to
  // send: an object of JSON.
  virtual std::string meet() = 0;
  // After meet(): messages that this end was told of since the last call.
  virtual std::size_t serve() = 0;
  // Whether messages stand still unless serve() is called all the time.
  [[nodiscard]] virtual bool needsServing() const = 0;
  // After meet(): the memory that is written, or read.
  [[nodiscard]] virtual std::span<std::uint8_t> memory() = 0;
};

class TargetLibrary {
 public:
  virtual ~TargetLibrary() = default;

  // As a bench's request has it: "verbs".
  [[nodiscard]] virtual std::string name() const = 0;
  // What it waits with, for the program's first line: "device mlx5_0".
  [[nodiscard]] virtual std::string description() const = 0;
  // What it runs on, for the bench's report. `end`: the request's; may be of any bench. Throws
  // Error when it is none, or cannot be served here.
  [[nodiscard]] virtual Configuration configuration(const std::string& end) const = 0;
  // The target of a channel that a bench asks for, which reached this host at `own_address`.
  // `end` likewise.
  [[nodiscard]] virtual std::unique_ptr<PeerTarget> open(const ChannelSpec& channel,
                                                         const std::string& end,
                                                         const std::string& own_address) = 0;
};

}  // namespace plumbline::endpoint
