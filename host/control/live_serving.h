// Serving systems in live intervals.
#pragma once

#include <vector>

#include "bench/trial/snapshot.h"
#include "control/live_interval.h"

namespace plumbline::control {

// The systems of `now`, with the changes since `previous`, a snapshot of the same trial; it may be
// null.
std::vector<LiveServing> liveServing(const bench::TrialSnapshot& now,
                                     const bench::TrialSnapshot* previous);

}  // namespace plumbline::control
