// Scripted misbehaviour of a host's ingress link.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "fabric/link/lane.h"
#include "fabric/link/wire_clock.h"
#include "fabric/spec/fabric_spec.h"

namespace plumbline::fabric {

// The far end of a host's link into the fabric, when a script acts on it. Frames come to it when
// the link hands them over, and leave it one at a time: a copy, or a frame that was held back,
// needs a wire slot of its own, and what comes meanwhile waits behind it. Frames that nothing
// disturbs pass without any delay. The stage stands at the end of the link and not at its beginning
// because there every frame that could matter is known, also one that Fabric::send() was told late.
class ImpairmentStage {  // NOLINT(clang-analyzer-optin.performance.Padding): see Lane
 public:
  // `script`: the lines of one host, in any order. `wire`: its link.
  ImpairmentStage(std::vector<Impairment> script, WireClock wire);

  // Moves what `lane` hands over before `end`, and what was held back until then, to output().
  void advance(Lane& lane, Picoseconds end);
  // When advance() has something to do next.
  [[nodiscard]] Picoseconds next(const Lane& lane) const;

  [[nodiscard]] SpscRing<Flight>& output() { return output_; }
  // Frames held back, or waiting in output().
  [[nodiscard]] std::size_t framesInside() const { return held_.size() + output_.size(); }
  // What the script dropped, in order; the caller reports and clears it.
  [[nodiscard]] std::vector<Flight>& dropped() { return dropped_; }

 private:
  // A packet that the script holds back until `at`.
  struct Held {
    Flight flight;
    std::uint64_t order = 0;
  };

  void take(const Flight& flight, bool stored);
  void release(const Flight& flight, bool stored);

  std::vector<Impairment> script_;  // ascending by frame
  std::size_t next_line_ = 0;
  std::uint64_t frames_ = 0;
  WireClock wire_;
  Picoseconds occupied_until_{INT64_MIN};  // frame and next preamble must not overlap
  Picoseconds next_slot_{INT64_MIN};       // where a frame goes that has to wait: with the full gap
  std::vector<Held> held_;                 // ascending by (time, order)
  SpscRing<Flight> output_;
  std::vector<Flight> dropped_;
};

}  // namespace plumbline::fabric
