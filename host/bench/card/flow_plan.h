// Maps the streams of a trial to the flows of a card: port, flow number, receiver row and group,
// number of frames, end time. Uses the sizes of the card's tables and no specific bench.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "bench/trial/bench.h"
#include "bench/trial/trial.h"
#include "card/flow.h"

namespace plumbline::bench {

// An unobstructed frame leaves within two clocks of its due time, on a card and on simulated hosts.
inline constexpr Picoseconds kLateThreshold = nanoseconds(10);

// Where a stream of the trial is placed, in the order of the trial's streams. All ports have the
// same receiver rows, so that a frame received at a wrong port is recognised.
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
  Picoseconds end;         // when the last frame has left the wire, and all storms are over
  bool wide_rows = false;  // RxTracking::wide_rows of all ports
};

// Hosts that the trial's streams (and capture) use, ascending.
std::vector<std::uint32_t> usedHosts(const TrialSpec& spec);

// Why streams cannot be planned with these capabilities, one sentence each: too many hosts, flows
// or groups, frames that the card cannot send, more load on a port than its line rate, loads
// without an end.
std::vector<std::string> planRefusals(const TrialSpec& spec, const Capabilities& capabilities);

// Plans a trial without refusals.
FlowPlan planFlows(const TrialSpec& spec, const Capabilities& capabilities);

}  // namespace plumbline::bench
