// The receiving half of a port's MAC: frames at exact times on the wire in, beats of the card's
// AXI4-Stream out.
//
// A beat is presented at the first clock edge at or after the arrival of its last byte plus
// kMacRxLatency, at most one per clock. Bytes of a last beat beyond the frame carry no meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>

#include "base/units.h"
#include "sim/wire.h"

namespace plumbline::sim {

class MacRxModel {
 public:
  // One beat; `data` stays valid until the next call of next().
  struct Beat {
    const std::uint8_t* data;
    std::size_t bytes;
    bool last;
  };

  // A frame (with FCS) arrives, its first bit after the SFD at `first_bit`. Frames come in time
  // order and leave room for each other's preamble; throws Error(kTester) otherwise, and for an
  // empty frame.
  void deliver(FrameBytes frame, Picoseconds first_bit);

  // The beat to present at the clock edge at `edge`, if any. Edges must ascend.
  std::optional<Beat> next(Picoseconds edge) {
    return edge < next_beat_ ? std::nullopt : std::optional(takeBeat());
  }

 private:
  static constexpr Picoseconds kNever{std::numeric_limits<std::int64_t>::max()};

  struct Arriving {
    FrameBytes frame;
    Picoseconds first_bit;
  };

  Beat takeBeat();
  void scheduleBeat();

  std::deque<Arriving> queue_;  // the front one is being presented
  FrameBytes presented_;        // keeps the bytes of the last beat alive
  std::size_t offset_ = 0;      // bytes of the front frame already presented
  Picoseconds next_beat_ = kNever;
  Picoseconds line_free_{std::numeric_limits<std::int64_t>::min()};  // end of the last frame
};

}  // namespace plumbline::sim
