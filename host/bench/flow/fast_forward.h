// Times of collectives that are too large to simulate packet by packet: packet level where it is
// affordable, max-min fair flows calibrated on it beyond. docs/model/fast-forward.md.
#pragma once

#include <string>
#include <vector>

#include "bench/trial/bench.h"
#include "bench/trial/trial.h"

namespace plumbline::bench {

// Why `spec`, whose fast_forward is set, cannot be fast-forwarded, one sentence each. Empty when it
// can be, or need not be. The trial must be one that the packet level could run.
std::vector<std::string> fastForwardRefusals(const TrialSpec& spec);

// True when `spec` allows fast-forwarding and has more packets than it allows to simulate.
bool mustFastForward(const TrialSpec& spec);

// The job's predicted times, and how well the prediction did where it could be checked; everything
// else stays empty. `spec`: without refusals, and mustFastForward(). Throws Error(kTester) when a
// run at packet level does not end, or its times do not grow with the messages.
FabricResult fastForward(const TrialSpec& spec, unsigned threads, const TrialHooks& hooks);

}  // namespace plumbline::bench
