// How many packets a workload will send, before it runs: for its plan.
#pragma once

#include "bench/trial/trial.h"

namespace plumbline::suite {

// PlannedTrial::hop_cost of a workload of the user's own: half of it where nothing is congested, up
// to twice as much for an incast with PFC.
inline constexpr double kWorkloadHopCost = 0.9;

// Packets crossing a link in a trial of simulated hosts with a workload, roughly: data packets and
// their acknowledgements along shortest paths, without retransmissions. A load that only time ends
// counts as what it offers until then, as far as the links of hosts and of their switches carry it.
// 0 for a workload that cannot be.
double workloadHops(const bench::TrialSpec& spec);

}  // namespace plumbline::suite
