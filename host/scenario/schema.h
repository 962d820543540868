// The JSON schema of scenarios (draft 2020-12), for editors: completion, explanations, and most
// mistakes while typing. `plumbline validate` checks conditions between several values.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "scenario/parse.h"

namespace plumbline::scenario {

nlohmann::json scenarioSchema(const Vocabulary& vocabulary);

}  // namespace plumbline::scenario
