// Scripted misbehaviour of a host's ingress link.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "fabric/fabric_spec.h"
#include "fabric/wire_clock.h"

namespace plumbline::fabric {

// The far end of a host's link into the fabric, when a script acts on it. Frames come to it when
// the link hands them over, and leave it one at a time: a copy, or a frame that was held back,
// needs a wire slot of its own, and what comes meanwhile waits behind it. Frames that nothing
// disturbs pass without any delay. The stage stands at the end of the link and not at its beginning
// because there every frame that could matter is known, also one that send() was told late.
class ImpairmentStage {
 public:
  // One line of the script. `held_slot` numbers the delays of the whole fabric.
  struct Line {
    Impairment what;
    std::uint32_t held_slot = 0;
  };

  // `script`: the lines of one host, in any order. `wire`: its link.
  ImpairmentStage(std::vector<Line> script, WireClock wire);

  // Counts the host's next frame; the line that acts on it, or nullptr.
  const Line* nextFrame();

  // Reserves the wire for a frame that comes at `now`, its first bit `head_start` earlier (its
  // serialisation time if it is handed over with its last bit, else 0). Returns when it leaves:
  // `now` unless it had to wait.
  Picoseconds place(std::uint32_t length, Picoseconds now, Picoseconds head_start);

 private:
  std::vector<Line> script_;  // ascending by frame
  std::size_t next_line_ = 0;
  std::uint64_t frames_ = 0;
  WireClock wire_;
  Picoseconds occupied_until_;  // frame and next preamble must not overlap
  Picoseconds next_slot_;       // where a frame goes that has to wait: with the full gap
};

}  // namespace plumbline::fabric
