// Input of congestion control: the events that a UET source observes for one destination.
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"

namespace plumbline::transport {

// An ACK with new information.
struct AckEvent {
  Picoseconds now;
  // From sending to the ACK, without the time at the target; nothing if the packet is unknown.
  std::optional<Picoseconds> rtt;
  bool marked = false;              // the packet that caused it had CE
  std::int64_t received_bytes = 0;  // increase of the target's count of bytes
  std::int64_t inflight = 0;        // bytes in flight, after this ACK
  std::uint8_t penalty = 0;         // rcv_cwnd_pend of the target, 0 to 127
};

// A packet was trimmed, is inferred lost, or was not acknowledged before its timer expired.
struct LossEvent {
  Picoseconds now;
  std::int64_t bytes = 0;     // of the packet, nominal
  std::int64_t inflight = 0;  // bytes under way without it
};

}  // namespace plumbline::transport
