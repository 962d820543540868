// What a request to run something means: which scenario, on which ports; or why it cannot be.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "control/api_types.h"
#include "scenario/scenario.h"
#include "session/run.h"

namespace plumbline::control {

// Ports of this build's benches: those of the card one by one, "rtl/0"; of any other bench one that
// stands for it, since a run there has its hosts to itself.
std::vector<PortState> allPorts();
// The ports that a run would own, out of allPorts().
std::vector<std::string> portsOf(const session::PreparedRun& prepared);

// Reads and checks what was asked for. Throws Refused: 404 for a name that no shipped scenario has,
// 422 with all problems for a scenario that is wrong, and for overrides that are. `access`: what a
// text may name. The text of a shipped scenario may name the files beside that one.
scenario::Scenario scenarioOf(const ScenarioRequest& request, const scenario::Access& access);
// The same, prepared to run. Throws Refused(422) when its bench cannot run it.
session::PreparedRun prepare(const ScenarioRequest& request, const scenario::Access& access,
                             unsigned threads);

// Throws Refused: 422 for what was asked wrongly, 500 for what went wrong here.
[[noreturn]] void refuse(const Error& error);

}  // namespace plumbline::control
