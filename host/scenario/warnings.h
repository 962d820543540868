// What a scenario may say, but hardly means: a headroom that loses frames, a rate that no link has.
// Nothing here refuses a scenario. docs/scenarios.md, "Warnings", has the closed form of each.
#pragma once

#include <vector>

#include "scenario/parse.h"
#include "scenario/scenario.h"

namespace plumbline::scenario {

// In the order of the file, each once; Problem::allowed says what would be right. Of a sweep: of
// all its points, at their places in the sweep's file. `scenario` is one that parseScenario() read
// without problems, with its text.
std::vector<Problem> warningsOf(const Scenario& scenario, const Vocabulary& vocabulary);

}  // namespace plumbline::scenario
