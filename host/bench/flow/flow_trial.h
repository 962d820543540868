// Trials at flow level: a serving system, or messages between hosts, over links that are shared
// max-min fairly, without packets. docs/model/flow-level.md.
#pragma once

#include <string>
#include <vector>

#include "bench/trial/trial.h"

namespace plumbline::bench {

// Why `spec`, whose flow_level is set, cannot run at flow level, one sentence each.
std::vector<std::string> flowTrialRefusals(const TrialSpec& spec);

// `spec` has no refusals. A probe at packet level measures how much payload a link carries and a
// message's fixed delay; the trial itself has no packets. The result has TrialResult::flow_level
// and no TrialResult::fabric. Throws Error(kTester) when the probe's messages do not arrive.
TrialResult runFlowTrial(const TrialSpec& spec);

}  // namespace plumbline::bench
