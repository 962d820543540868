// `plumbline run --server`: the run executes on the server; its output, files and exit code are the
// same as for a local run.
#pragma once

#include <memory>
#include <string>

#include "cli/exit_code.h"
#include "cli/run_options.h"

namespace CLI {
class App;
}

namespace plumbline::control {
class Client;
}  // namespace plumbline::control

namespace plumbline::cli {

void addServerOptions(CLI::App& verb, ServerOptions& options, const std::string& help);

// Throws Error(kUsage) for an invalid address or unreadable files.
std::unique_ptr<control::Client> connectTo(const ServerOptions& options);

// Ctrl-C stops the run after the current trial. When the connection breaks, the run continues and
// this function reconnects. Throws Error for a refusal, and kTester when the run failed.
ExitCode runRemotely(const RunOptions& run);

}  // namespace plumbline::cli
