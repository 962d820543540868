// `plumbline run --agents`: the same scenario on several servers at one instant, stored here as one
// run.
#pragma once

#include "cli/exit_code.h"
#include "cli/run_options.h"

namespace plumbline::cli {

// Ctrl-C stops all agents after the trials they have in hand. Throws Error with the agent's name:
// kUsage for what it refuses, kTester when it fails or is lost; what was measured is stored then.
ExitCode runOnAgents(const RunOptions& options);

}  // namespace plumbline::cli
