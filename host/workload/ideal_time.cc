#include "workload/ideal_time.h"

#include <algorithm>
#include <vector>

namespace plumbline::workload {
namespace {

std::uint64_t largestChunk(std::uint64_t bytes, std::uint32_t ranks) {
  return (bytes + ranks - 1) / ranks;
}

}  // namespace

Picoseconds ringHalfTime(std::uint32_t ranks, std::uint64_t bytes, const MessageTime& time) {
  if (ranks < 2 || bytes == 0) return {};
  return time.arrival(largestChunk(bytes, ranks)) * (ranks - 1);
}

Picoseconds ringAllReduceTime(std::uint32_t ranks, std::uint64_t bytes, const MessageTime& time) {
  return ringHalfTime(ranks, bytes, time) * 2;
}

Picoseconds halvingDoublingTime(std::uint32_t ranks, std::uint64_t bytes, const MessageTime& time) {
  Picoseconds total;
  for (std::uint64_t parts = 2; parts <= ranks; parts *= 2) {
    total += time.arrival(bytes / parts) * 2;
  }
  return total;
}

Picoseconds treeBroadcastTime(std::uint32_t ranks, std::uint32_t chunks, std::uint64_t chunk_bytes,
                              const MessageTime& time) {
  if (ranks < 2 || chunks == 0 || chunk_bytes == 0) return {};
  const Picoseconds slot = time.serialization(chunk_bytes);
  const MessageTime::Turn turn = time.turn(chunk_bytes);
  // The root sends a chunk to each of its children per round; deeper ranks keep up with it. A chunk
  // reaches an only child one slot after its parent had it, a second child after two slots, and a
  // first child earlier by its sibling's last packet (plus latency).
  const std::int64_t rounds = std::int64_t{chunks} - 1;
  const std::int64_t fanout = ranks > 2 ? 2 : 1;
  const auto hop = [&](std::uint32_t child) {
    if (child % 2 == 0) return slot * 2 + turn.latency;
    if (child + 1 < ranks) return slot * 2 - turn.last_packet + turn.latency;
    return slot + time.latency;
  };
  Picoseconds worst;
  for (std::uint32_t position = ranks / 2; position < ranks; ++position) {
    Picoseconds path;
    for (std::uint32_t at = position; at != 0; at = (at - 1) / 2) path += hop(at);
    worst = std::max(worst, path);
  }
  return slot * (rounds * fanout) + worst;
}

Picoseconds pairwiseAllToAllTime(std::uint32_t ranks, std::uint64_t bytes,
                                 const MessageTime& time) {
  if (ranks < 2 || bytes == 0) return {};
  const Picoseconds exchange = time.arrival(bytes / ranks);
  return (exchange + time.acknowledgement) * (ranks - 2) + exchange;
}

Picoseconds directAllToAllTime(std::uint32_t ranks, std::uint64_t bytes, const MessageTime& time) {
  if (ranks < 2 || bytes == 0) return {};
  return time.serialization(bytes / ranks) * (ranks - 1) + time.latency;
}

Picoseconds moePhaseTime(const MoePlan& plan, std::uint32_t phase, const MessageTime& time) {
  std::vector<Picoseconds> sent(plan.ranks());
  std::vector<Picoseconds> received(plan.ranks());
  for (std::uint32_t from = 0; from < plan.ranks(); ++from) {
    for (std::uint32_t to = 0; to < plan.ranks(); ++to) {
      const std::uint32_t messages = plan.end(phase, from, to) - plan.begin(phase, from, to);
      if (messages == 0) continue;
      // All are as long as the first one, except the last.
      const Picoseconds all =
          time.serialization(plan.bytesOf(phase, from, to, 0)) * (std::int64_t{messages} - 1) +
          time.serialization(plan.bytesOf(phase, from, to, messages - 1));
      sent[from] += all;
      received[to] += all;
    }
  }
  const Picoseconds max = std::max(*std::max_element(sent.begin(), sent.end()),
                                   *std::max_element(received.begin(), received.end()));
  return max > Picoseconds() ? max + time.latency : Picoseconds();
}

}  // namespace plumbline::workload
