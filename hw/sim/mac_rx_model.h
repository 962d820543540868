// The receiving half of a port's MAC: takes frames at exact times on the wire, outputs beats of the
// card's AXI4-Stream.
//
// A beat is presented at the first clock edge at or after the arrival of its last byte plus
// kMacRxLatency, at most one per clock. Bytes of a last beat after the frame's end are undefined.
// An ordered set is presented likewise, beside the beats.
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
    Preamble preamble;  // of its frame
  };

  // A frame (with FCS) arrives, its first bit after the SFD at `first_bit`. Frames must be in time
  // order with room for each other's preamble; throws Error(kTester) otherwise, and for an empty
  // frame.
  void deliver(FrameBytes frame, Picoseconds first_bit, Preamble preamble = kOrdinaryPreamble);
  // An ordered set arrives, its column beginning at `begin`. In time order among themselves; throws
  // Error(kTester) otherwise.
  void deliverSet(OrderedSet set, Picoseconds begin);

  // The beat to present at the clock edge at `edge`, if any. Edges must ascend.
  std::optional<Beat> next(Picoseconds edge) {
    return edge < next_beat_ ? std::nullopt : std::optional(takeBeat());
  }
  // The ordered set to present at that edge, if any.
  std::optional<OrderedSet> nextSet(Picoseconds edge) {
    return edge < next_set_ ? std::nullopt : std::optional(takeSet());
  }

 private:
  static constexpr Picoseconds kNever{std::numeric_limits<std::int64_t>::max()};

  struct Arriving {
    FrameBytes frame;
    Picoseconds first_bit;
    Preamble preamble;
  };
  struct ArrivingSet {
    OrderedSet set;
    Picoseconds due;  // when it may be presented
  };

  Beat takeBeat();
  OrderedSet takeSet();
  void scheduleBeat();

  std::deque<Arriving> queue_;  // the first one is being presented
  FrameBytes presented_;        // keeps the bytes of the last beat alive
  std::size_t offset_ = 0;      // bytes of the first frame already presented
  Picoseconds next_beat_ = kNever;
  std::deque<ArrivingSet> sets_;
  Picoseconds next_set_ = kNever;
  Picoseconds line_free_{std::numeric_limits<std::int64_t>::min()};  // end of the last frame
};

}  // namespace plumbline::sim
