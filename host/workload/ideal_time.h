// Completion times of collectives without contention, in closed form: from the moment when all
// ranks begin to the moment when the last one has finished (all it receives has arrived).
#pragma once

#include <cstdint>
#include <functional>

#include "base/units.h"
#include "workload/moe_plan.h"

namespace plumbline::workload {

// A network in which messages of one sender leave one after the other, and nothing else delays
// anything: the last byte of a message is there `latency` after it left. Messages to two receivers
// may take turns on the wire instead, packet by packet: `in_turns`.
struct MessageTime {
  // Of two equal messages posted together the second one's last packet leaves when both have been
  // serialised, the first one's by `last_packet` earlier, and either is there `latency` after it
  // left. (Other than that of a message alone: its packets do not follow close upon its first.)
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
// All at once, linear shift, S divisible by n: one message behind the other.
Picoseconds directAllToAllTime(std::uint32_t ranks, std::uint64_t bytes, const MessageTime& time);

// A dispatch or combine that all ranks begin together: the rank that sends or receives most, at its
// link's rate. What ranks inside a server need is not in it.
Picoseconds moePhaseTime(const MoePlan& plan, std::uint32_t phase, const MessageTime& time);

}  // namespace plumbline::workload
