// Times of collectives that are too large to simulate packet by packet: packet level up to an
// affordable size, beyond it max-min fair flows that are calibrated on the packet level.
// docs/model/fast-forward.md.
#pragma once

#include <string>
#include <vector>

#include "bench/trial/bench.h"
#include "bench/trial/trial.h"

namespace plumbline::bench {

// Why `spec`, whose fast_forward is set, cannot be fast-forwarded, one sentence each. Empty when it
// can be, or need not be. The packet level must be able to run the trial.
std::vector<std::string> fastForwardRefusals(const TrialSpec& spec);

// True when `spec` allows fast-forwarding and has more packets than its limit of simulated ones.
bool mustFastForward(const TrialSpec& spec);

// The job's predicted times, and the prediction's error where it could be checked; all else stays
// empty. `spec`: without refusals, and mustFastForward(). Throws Error(kTester) when a run at
// packet level does not end, or its times do not grow with the messages.
FabricResult fastForward(const TrialSpec& spec, unsigned threads, const TrialHooks& hooks);

}  // namespace plumbline::bench
