// The verbs of the command, one file each: <verb>_verb.cc declares the verb's options and executes
// it. Results go to stdout, all other output to stderr.
#pragma once

#include <functional>

#include "cli/exit_code.h"

namespace CLI {
class App;
}

namespace plumbline::cli {

// The action of the command line, executed after parsing. Throws plumbline::Error.
using Action = std::function<ExitCode()>;

// Each adds its sub-command to `app`; when the user selects it, it sets `action`, which must
// outlive parsing.
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
