// `plumbline run --agents`: the same scenario on several servers with common starts, stored here as
// one run.
#pragma once

#include "cli/exit_code.h"
#include "cli/run_options.h"

namespace plumbline::cli {

// Ctrl-C stops all agents after their current trials. Throws Error with the agent's name: kUsage
// when it refuses, kTester when it fails or is lost; completed trials are stored then.
ExitCode runOnAgents(const RunOptions& options);

}  // namespace plumbline::cli
