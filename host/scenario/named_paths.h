// Where the files are that a scenario names.
#pragma once

#include <string>
#include <vector>

#include "scenario/scenario.h"

namespace plumbline::scenario {

// Of all of them, and of the scenario's program if it is named by a path.
std::vector<std::string> namedPaths(const Scenario& scenario);

}  // namespace plumbline::scenario
