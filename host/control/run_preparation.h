// Resolves a request to run something: the scenario and its ports, or the reason for a refusal.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "control/api_types.h"
#include "scenario/scenario.h"
#include "session/run.h"

namespace plumbline::control {

// Ports of this build's benches: those of the card one by one, "rtl/0"; for any other bench a
// single one, since a run there has its hosts to itself.
std::vector<PortState> allPorts();
// The ports that a run would own, out of allPorts().
std::vector<std::string> portsOf(const session::PreparedRun& prepared);

// Reads and checks the requested scenario. Throws Refused: 404 for an unknown shipped scenario, 422
// with all problems for an invalid scenario or override. `access`: what a text may name. The text
// of a shipped scenario may name the files beside that one.
scenario::Scenario scenarioOf(const ScenarioRequest& request, const scenario::Access& access);
// The same, prepared to run. Throws Refused(422) when its bench cannot run it.
session::PreparedRun prepare(const ScenarioRequest& request, const scenario::Access& access,
                             unsigned threads);

// Throws Refused: 422 for an error in the request, 500 for one of the server.
[[noreturn]] void refuse(const Error& error);

}  // namespace plumbline::control
