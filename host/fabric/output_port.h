// The output queue of one switch port: a finite buffer in front of a wire.
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"
#include "fabric/ring.h"
#include "fabric/wire_clock.h"

namespace plumbline::fabric {

// First come, first served. As nothing overtakes or pauses, a frame's departure is settled the
// moment it is admitted, and no event is needed for it: the port remembers until when its wire is
// taken and which frames have not left yet.
//
// Buffer: a frame counts with its whole length from admission until its last bit has left, the
// frame in transmission included. A bit that leaves at the instant another frame arrives has left.
class OutputPort {
 public:
  OutputPort(WireClock wire, Bytes buffer) : wire_(wire), buffer_(buffer.count()) {}

  // A frame of `length` bytes is ready to be sent at `ready` (not before an earlier frame's ready).
  // Returns when its first bit leaves, or nothing when it does not fit and is dropped.
  std::optional<Picoseconds> admit(std::uint32_t length, Picoseconds ready);

  [[nodiscard]] const WireClock& wire() const { return wire_; }
  [[nodiscard]] std::uint64_t packets() const { return packets_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t drops() const { return drops_; }
  [[nodiscard]] std::int64_t maxQueueBytes() const { return max_queued_; }

 private:
  struct Departure {
    Picoseconds last_bit;
    std::uint32_t length = 0;
  };

  WireClock wire_;
  std::int64_t buffer_;
  std::int64_t queued_ = 0;
  std::int64_t max_queued_ = 0;
  Picoseconds wire_free_;  // when the next frame's first bit may leave
  Ring<Departure> departures_;
  std::uint64_t packets_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t drops_ = 0;
};

}  // namespace plumbline::fabric
