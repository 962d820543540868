// The pseudo test `free`: a transport and a workload of the user's own.
#pragma once

#include "suite/procedure.h"

namespace plumbline::suite {

// Runs the scenario's workload over its transport once per repetition, each with its own seeds, and
// reports the jobs' results, the counters of fabric and hosts, and the cost of the simulation. It
// is in no draft, so it has no deviations.
const Procedure& freeProcedure();

}  // namespace plumbline::suite
