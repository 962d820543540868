// What the API says of scenarios: those that come with the server, and what a text would do.
#pragma once

#include <string>
#include <vector>

#include "control/api_types.h"

namespace plumbline::control {

std::vector<ScenarioListing> listScenarios();
// Throws Refused(404).
ScenarioText showScenario(const std::string& name);
// Mistakes are the answer, not a refusal; throws Refused for a name or override that is none.
ValidationAnswer validate(const ScenarioRequest& request);
// Throws Refused(422) for a scenario that is wrong or cannot run.
PlanAnswer plan(const ScenarioRequest& request);

}  // namespace plumbline::control
