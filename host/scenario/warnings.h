// Legal but probably unintended settings of a scenario: a headroom that loses frames, a rate that
// no link has. A warning never refuses a scenario. docs/scenarios.md, "Warnings", has the closed
// form of each.
#pragma once

#include <vector>

#include "scenario/parse.h"
#include "scenario/scenario.h"

namespace plumbline::scenario {

// In the order of the file, each once; Problem::allowed gives a better value. For a sweep: of all
// its points, at their places in the sweep's file. `scenario` is one that parseScenario() read
// without problems, with its text.
std::vector<Problem> warningsOf(const Scenario& scenario, const Vocabulary& vocabulary);

}  // namespace plumbline::scenario
