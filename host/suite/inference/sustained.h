// Serving systems under 80 % of the load that they can sustain, for the tests of failures, of
// scaling and of soaks (inference draft, sections 12.2 to 13.3).
#pragma once

#include <string>
#include <vector>

#include "suite/inference/steady_load.h"

namespace plumbline::suite {

// 80 % of the first of `parameters.rates`, which is the rate that I11.1 found, or of the capacity
// of the pools, which is noted [requests/s]. Sets the rate of the program's load.
void sustainRate(const TestConfig& config, Numbers& numbers, serving::ServingProgram& program);

// The scenario's system under that load, over the window.
serving::ServingProgram sustainedProgram(const TestConfig& config, Numbers& numbers,
                                         const serving::WindowSpec& window);

// Samples the system's and the fabric's state at multiples of `interval`.
void sampleBoth(Picoseconds interval, bench::TrialSpec& spec);

// First timeout of a sender without an answer.
Picoseconds firstTimeout(const bench::TrialSpec& spec);

}  // namespace plumbline::suite
