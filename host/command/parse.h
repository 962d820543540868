// Parsing a command line, with messages that say what was probably meant.
#pragma once

namespace CLI {
class App;
}

namespace plumbline::command {

// Parses with `app`. False when all there was to do was to print the help. Throws Error(kUsage) for
// a command line that is wrong: `plumbline: unknown verb "reuslts" (did you mean "results"?)`.
bool parse(CLI::App& app, int argc, const char* const* argv);

}  // namespace plumbline::command
