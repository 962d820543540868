// `plumbline run --server`: the run happens on the server; what it shows, writes and ends with is
// the same as of a run here.
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

// Throws Error(kUsage) for an address that is none or files that cannot be read.
std::unique_ptr<control::Client> connectTo(const ServerOptions& options);

// The name of this machine, for others to read.
std::string ownerName();

// Ctrl-C stops the run after the trial in hand. When the connection breaks, the run goes on; this
// comes back to it. Throws Error for a refusal, and kTester when the run failed.
ExitCode runRemotely(const RunOptions& run);

}  // namespace plumbline::cli
