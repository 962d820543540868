// The API's functions for scenarios: the server's shipped ones, and checks and plans of a text.
// `access`: what the text may name.
#pragma once

#include <string>
#include <vector>

#include "control/api_types.h"
#include "scenario/access.h"

namespace plumbline::control {

std::vector<ScenarioListing> listScenarios();
// Throws Refused(404).
ScenarioText showScenario(const std::string& name);
// Mistakes are the answer, not a refusal; throws Refused for an unknown name or an invalid
// override.
ValidationAnswer validate(const ScenarioRequest& request, const scenario::Access& access);
// Throws Refused(422) for a scenario that is invalid or cannot run.
PlanAnswer plan(const ScenarioRequest& request, const scenario::Access& access);

}  // namespace plumbline::control
