// Scripted impairments of a host's link into the fabric.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "fabric/link/propagation_queue.h"
#include "fabric/link/wire_clock.h"
#include "fabric/spec/fabric_spec.h"

namespace plumbline::fabric {

// The far end of a host's link into the fabric, when a script acts on it. Frames enter when the
// link hands them over and leave one at a time: a copy, or a delayed frame, needs a wire slot of
// its own, and later frames wait for the wire. Undisturbed frames are not delayed. The stage is at
// the end of the link, not at its beginning, because only there all frames are known in order:
// Fabric::send() may be called late.
class ImpairmentStage {  // NOLINT(clang-analyzer-optin.performance.Padding): see PropagationQueue
 public:
  // `script`: the lines of one host, in any order. `wire`: its link.
  ImpairmentStage(std::vector<Impairment> script, WireClock wire);

  // Moves frames that `queue` hands over before `end`, and delayed frames due before `end`, to
  // output().
  void advance(PropagationQueue& queue, Picoseconds end);
  // When advance() has something to do next.
  [[nodiscard]] Picoseconds next(const PropagationQueue& queue) const;

  [[nodiscard]] SpscRing<InFlightPacket>& output() { return output_; }
  // Delayed frames, and frames waiting in output().
  [[nodiscard]] std::size_t framesInside() const { return delayed_.size() + output_.size(); }
  // Frames dropped by the script, in order. The caller reports and clears them.
  [[nodiscard]] std::vector<InFlightPacket>& dropped() { return dropped_; }

 private:
  // A frame that the script delays until `frame.at`.
  struct DelayedFrame {
    InFlightPacket frame;
    std::uint64_t order = 0;
  };

  void take(const InFlightPacket& frame, bool from_last_bit);
  void release(const InFlightPacket& frame, bool from_last_bit);

  std::vector<Impairment> script_;  // ascending by frame
  std::size_t next_line_ = 0;
  std::uint64_t frames_ = 0;
  WireClock wire_;
  Picoseconds occupied_until_{INT64_MIN};  // by a frame: the next preamble must not overlap
  Picoseconds next_slot_{INT64_MIN};       // for a frame that had to wait: full gap
  std::vector<DelayedFrame> delayed_;      // ascending by (time, order)
  SpscRing<InFlightPacket> output_;
  std::vector<InFlightPacket> dropped_;
};

}  // namespace plumbline::fabric
