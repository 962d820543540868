// Number of packets of a workload before it runs, for its plan.
#pragma once

#include "bench/trial/trial.h"

namespace plumbline::suite {

// PlannedTrial::hop_cost of a user-defined workload: half of it without congestion, up to twice as
// much for an incast with PFC.
inline constexpr double kWorkloadHopCost = 0.9;

// Approximate number of packets that cross a link in a trial of simulated hosts with a workload:
// data packets and their acknowledgements along shortest paths, without retransmissions. A load
// without an end counts with its offered load until the trial's end, limited by the links of hosts
// and of their switches. 0 for an invalid workload.
double workloadHops(const bench::TrialSpec& spec);

}  // namespace plumbline::suite
