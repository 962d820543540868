// The `plumbline` command without its main().
#pragma once

namespace plumbline::cli {

// Parses the command line, executes it and returns the exit code. Never throws: every fault ends as
// one message on stderr.
int runCommand(int argc, const char* const* argv);

}  // namespace plumbline::cli
