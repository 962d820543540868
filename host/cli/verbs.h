// The verbs of the command, one file each: <verb>_verb.cc declares the verb's options and does what
// it is for. Results go to stdout, everything else to stderr.
#pragma once

#include <functional>

#include "cli/exit_code.h"

namespace CLI {
class App;
}

namespace plumbline::cli {

// What the command line asked for, to be done once it is parsed. Throws plumbline::Error.
using Action = std::function<ExitCode()>;

// Each adds its sub-command to `app`; when that is chosen, it sets `action`, which must outlive
// parsing.
void addRunVerb(CLI::App& app, Action& action);
void addValidateVerb(CLI::App& app, Action& action);
void addPlanVerb(CLI::App& app, Action& action);
void addListVerb(CLI::App& app, Action& action);
void addFirmwareVerb(CLI::App& app, Action& action);
void addPortsVerb(CLI::App& app, Action& action);
void addReportVerb(CLI::App& app, Action& action);
void addResultsVerb(CLI::App& app, Action& action);
void addSweepVerb(CLI::App& app, Action& action);
void addSchemaVerb(CLI::App& app, Action& action);
void addSelftestVerb(CLI::App& app, Action& action);
void addServeVerb(CLI::App& app, Action& action);
void addTopVerb(CLI::App& app, Action& action);
void addVersionVerb(CLI::App& app, Action& action);

}  // namespace plumbline::cli
