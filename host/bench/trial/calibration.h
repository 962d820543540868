// Offsets from the card's MAC boundary to the reference point of its timestamps, the first bit
// after the SFD at the port (docs/card.md, "Time"). On hardware they are measured; of the simulated
// MAC they follow from its definition (hw/sim/card_sim.h).
#pragma once

#include <cstdint>

#include "base/units.h"
#include "sim/wire.h"

namespace plumbline::bench {

// Sending: the first bit leaves kMacTxLatency after the first beat, at the next 8-byte column of
// the line. Clock edges come 160/33 columns apart, so they meet the columns in 33 equally frequent
// phases: the offset is the mean over these, and no frame is further from it than half a column
// (320 ps).
inline constexpr Picoseconds kColumnTime = 8 * sim::kByteTime;
static_assert(sim::kClockPeriodNum % kColumnTime.count() == 0,
              "the phases repeat with the clock's denominator");

constexpr Picoseconds meanWayOut() {
  Picoseconds sum;
  for (std::int64_t edge = 1; edge <= sim::kClockPeriodDen; ++edge) {
    const Picoseconds earliest = sim::edgeTime(edge) + sim::kMacTxLatency;
    const std::int64_t column = (earliest + kColumnTime - Picoseconds(1)) / kColumnTime;
    sum += kColumnTime * column - sim::edgeTime(edge);
  }
  return sum / sim::kClockPeriodDen;
}
inline constexpr Picoseconds kTxOffset = meanWayOut();

// Receiving: the first beat is presented at the first clock edge at or after the arrival of its
// last byte plus kMacRxLatency; waiting for the edge takes half a clock on average, and no frame is
// further from it than that.
inline constexpr Picoseconds kMeanEdgeWait{sim::kClockPeriodNum / (2 * sim::kClockPeriodDen)};
inline constexpr Picoseconds kRxOffset =
    -(sim::kBeatBytes * sim::kByteTime + sim::kMacRxLatency + kMeanEdgeWait);

}  // namespace plumbline::bench
