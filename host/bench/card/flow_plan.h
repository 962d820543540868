// From the streams of a trial to the flows of a card: which port, which flow number, which row and
// group of the receiver, how many frames, when the last one leaves. Knows the card's tables but no
// bench in particular.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "bench/trial/bench.h"
#include "bench/trial/trial.h"
#include "card/flow.h"

namespace plumbline::bench {

// A frame that waits for nothing leaves within two clocks of its due time, on a card and off it.
inline constexpr Picoseconds kLateThreshold = nanoseconds(10);

// Where a stream of the trial ended up, in the order of the trial's streams. The receiver's rows
// are the same on every port: a frame that comes out of a wrong port is known.
struct StreamPlan {
  std::uint32_t flow = 0;    // number on its sending port
  std::uint64_t frames = 0;  // that it will send
  std::uint32_t row = 0;     // first of its rows
  std::uint32_t rows = 1;    // one, or one for each of its queue pairs
};

struct FlowPlan {
  std::vector<std::vector<card::FlowConfig>> flows;  // by host
  std::vector<StreamPlan> streams;
  std::vector<Picoseconds> late_threshold;  // by host
  Picoseconds end;  // when the wire is free again after the last frame, and all storms are over
  bool wide_rows = false;  // RxTracking::wide_rows of all ports
};

// Hosts that the trial's streams (and capture) use, ascending.
std::vector<std::uint32_t> usedHosts(const TrialSpec& spec);

// Why streams cannot be planned with these capabilities, one sentence each: too many hosts, flows
// or groups, frames the card cannot send, a port promised more than its line rate, loads without an
// end.
std::vector<std::string> planRefusals(const TrialSpec& spec, const Capabilities& capabilities);

// Plans a trial without refusals.
FlowPlan planFlows(const TrialSpec& spec, const Capabilities& capabilities);

}  // namespace plumbline::bench
