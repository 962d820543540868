// Common definitions of the simulated card's harness: clock edges, the line, frames on it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/units.h"

namespace plumbline::sim {

// The card clock, 322.265625 MHz: its period as a fraction [ps] (docs/card.md, "Time").
inline constexpr std::int64_t kClockPeriodNum = 102400;
inline constexpr std::int64_t kClockPeriodDen = 33;
// One clock rounded up: the bound of every timestamp error.
inline constexpr Picoseconds kClockPeriodMax{kClockPeriodNum / kClockPeriodDen + 1};
inline constexpr Picoseconds kClockPeriodMin{kClockPeriodNum / kClockPeriodDen};

// Time of clock edge `n`.
constexpr Picoseconds edgeTime(std::int64_t n) {
  return Picoseconds(n * kClockPeriodNum / kClockPeriodDen);
}

inline constexpr BitRate kLineRate = gigabitsPerSecond(100);
inline constexpr Picoseconds kByteTime = serializationTime(Bytes(1), kLineRate);
// A byte time is a whole number, so positions on the line can be counted in bytes.
static_assert(kByteTime * (kLineRate.bitsPerSecond() / 8) == seconds(1));

// Bytes per beat of the AXI4-Streams at the MAC boundary.
inline constexpr std::int64_t kBeatBytes = 64;

// Fixed delays of the MAC model between the AXI4-Stream boundary and the reference point.
inline constexpr Picoseconds kMacTxLatency = nanoseconds(100);
inline constexpr Picoseconds kMacRxLatency = nanoseconds(100);

// Length of the line's columns, in which frames start.
inline constexpr Bytes kColumnBytes{8};

// Preamble of a frame without its first byte: D1 in bits 7:0, the SFD in bits 55:48. Default for
// frames that carry no data in it.
using Preamble = std::uint64_t;
inline constexpr Preamble kOrdinaryPreamble = 0xD5'55'55'55'55'55'55;

// A control ordered set: a column of the line between frames, D0 in bits 7:0.
using OrderedSet = std::uint64_t;

// Bytes of a frame (with FCS) between card and peer: shared, constant once sent.
using FrameBytes = std::shared_ptr<const std::vector<std::uint8_t>>;

// Statistics of the MAC model of one port, from the exact wire times: the reference for the card's
// counters.
struct WireStats {
  std::uint64_t tx_frames = 0;
  std::int64_t min_gap_bytes = 0;  // smallest gap between two sent frames; 0 before there are two
  std::uint64_t tx_sets = 0;       // ordered sets sent
  // Sent frames in which the wire ran out of data: the card left a bubble.
  std::uint64_t underruns = 0;
};

}  // namespace plumbline::sim
