#include "bench/card/retry_time.h"

#include <algorithm>
#include <cstdint>

#include "sim/wire.h"

namespace plumbline::bench {
namespace {

// In clocks: from the last beat of a damaged frame to the NACK at the MAC boundary, from the NACK
// there to the first repeated beat (docs/card.md). Crossing the boundary happens at the edge that
// ends a clock.
constexpr std::int64_t kBeatToNack = 11 + 1;
constexpr std::int64_t kNackToReplay = 9 + 1;

constexpr Picoseconds kColumn = sim::kByteTime * sim::kColumnBytes.count();

Picoseconds roundUp(Picoseconds time, Picoseconds unit) {
  return unit * ((time + unit - Picoseconds(1)) / unit);
}

// First clock edge at or after `time`.
std::int64_t edgeAt(Picoseconds time) {
  std::int64_t edge = time.count() * sim::kClockPeriodDen / sim::kClockPeriodNum;
  while (sim::edgeTime(edge) < time) ++edge;
  return edge;
}

// First column of a free line for a beat that crosses the boundary at `edge`.
Picoseconds columnAfter(std::int64_t edge) {
  return roundUp(sim::edgeTime(edge) + sim::kMacTxLatency, kColumn);
}

// Clock in which the receiver gets the last beat of a frame. A beat is presented with its last
// byte, one beat per clock: a short last beat may wait for the one before it.
std::int64_t lastBeat(Picoseconds first_bit, Bytes frame, Picoseconds delay) {
  const auto arrival = [&](std::int64_t bytes) {
    return edgeAt(first_bit + sim::kByteTime * bytes + delay + sim::kMacRxLatency);
  };
  const std::int64_t whole = (frame.count() - 1) / sim::kBeatBytes * sim::kBeatBytes;
  const std::int64_t last = arrival(frame.count());
  return whole == 0 ? last : std::max(last, arrival(whole) + 1);
}

}  // namespace

RetryTime retryOnFreeLine(Bytes frame, Picoseconds delay) {
  RetryTime time;
  // The phase between edges and columns repeats after this many edges.
  for (std::int64_t failed = 0; failed < sim::kClockPeriodDen; ++failed) {
    // The NACK's column ends where a frame's first bit would be.
    const Picoseconds nack = columnAfter(failed + kBeatToNack);
    const std::int64_t nack_edge = edgeAt(nack + delay + sim::kMacRxLatency);
    const Picoseconds again = columnAfter(nack_edge + kNackToReplay);
    const Picoseconds taken = sim::edgeTime(lastBeat(again, frame, delay)) - sim::edgeTime(failed);
    time.min = failed == 0 ? taken : std::min(time.min, taken);
    time.max = std::max(time.max, taken);
  }
  return time;
}

double goBackNShare(double failures, Picoseconds slot, Picoseconds wasted) {
  return 1 /
         (1 + failures * static_cast<double>(wasted.count()) / static_cast<double>(slot.count()));
}

}  // namespace plumbline::bench
