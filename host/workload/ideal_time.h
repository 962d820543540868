// Completion times of collectives without contention, in closed form: from the common start of all
// ranks to the moment when the last one has finished (all its messages have arrived).
#pragma once

#include <cstdint>
#include <functional>

#include "base/units.h"
#include "workload/moe_plan.h"

namespace plumbline::workload {

// A network in which messages of one sender leave one after the other, without other delays: the
// last byte of a message arrives `latency` after it left. Messages to two receivers may instead
// alternate on the wire, packet by packet: `in_turns`.
struct MessageTime {
  // Of two equal messages posted together the second one's last packet leaves when both have been
  // serialised, the first one's `last_packet` earlier, and either arrives `latency` after it left.
  // (This differs from a message alone, whose packets follow each other without gaps.)
  struct Turn {
    Picoseconds last_packet;
    Picoseconds latency;
  };

  std::function<Picoseconds(std::uint64_t bytes)> serialization;
  Picoseconds latency;
  Picoseconds acknowledgement;                          // from arrival to completion at the poster
  std::function<Turn(std::uint64_t bytes)> in_turns{};  // empty: one message after the other

  [[nodiscard]] Picoseconds arrival(std::uint64_t bytes) const {
    return serialization(bytes) + latency;
  }
  [[nodiscard]] Turn turn(std::uint64_t bytes) const {
    return in_turns ? in_turns(bytes) : Turn{serialization(bytes), latency};
  }
};

// n ranks, S = `bytes`, chunks in one message each. 2(n-1), resp. n-1 steps of the largest chunk.
Picoseconds ringAllReduceTime(std::uint32_t ranks, std::uint64_t bytes, const MessageTime& time);
Picoseconds ringHalfTime(std::uint32_t ranks, std::uint64_t bytes, const MessageTime& time);

// n = 2^k ranks, S divisible by n: two messages each of S/2, S/4, …, S/n.
Picoseconds halvingDoublingTime(std::uint32_t ranks, std::uint64_t bytes, const MessageTime& time);

// Binary tree in heap numbering, `chunks` equal chunks of `chunk_bytes`, window never exhausted. A
// parent sends a chunk to both its children at once.
Picoseconds treeBroadcastTime(std::uint32_t ranks, std::uint32_t chunks, std::uint64_t chunk_bytes,
                              const MessageTime& time);

// n ranks, S divisible by n, one peer at a time: n-1 exchanges, all but the last acknowledged.
Picoseconds pairwiseAllToAllTime(std::uint32_t ranks, std::uint64_t bytes, const MessageTime& time);
// All at once, linear shift, S divisible by n: the messages leave one after the other.
Picoseconds directAllToAllTime(std::uint32_t ranks, std::uint64_t bytes, const MessageTime& time);

// A dispatch or combine that all ranks begin together: the rank that sends or receives most, at its
// link's rate. Without the time inside servers.
Picoseconds moePhaseTime(const MoePlan& plan, std::uint32_t phase, const MessageTime& time);

}  // namespace plumbline::workload
