// Parsing a command line, with suggestions for misspelt words.
#pragma once

namespace CLI {
class App;
}

namespace plumbline::command {

// Parses with `app`. False when only the help was to be printed. Throws Error(kUsage) for an
// invalid command line, `plumbline: unknown verb "reuslts" (did you mean "results"?)`, and for an
// empty value of any option.
bool parse(CLI::App& app, int argc, const char* const* argv);

}  // namespace plumbline::command
