// Trials at flow level: a serving system, or messages between hosts, over links that are shared
// max-min fairly, instead of packets. docs/model/flow-level.md.
#pragma once

#include <string>
#include <vector>

#include "bench/trial/trial.h"

namespace plumbline::bench {

// Why `spec`, whose flow_level is set, cannot be run so, one sentence each.
std::vector<std::string> flowTrialRefusals(const TrialSpec& spec);

// `spec` has no refusals. A probe at packet level says what a link carries of payload and how long
// a message takes beyond that; then nothing of the trial is simulated in packets. The result has
// TrialResult::flow_level and no TrialResult::fabric. Throws Error(kTester) when the probe's
// messages do not arrive.
TrialResult runFlowTrial(const TrialSpec& spec);

}  // namespace plumbline::bench
