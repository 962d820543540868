// The pseudo test `free`: a transport and a workload of the user's own.
#pragma once

#include "suite/procedure.h"

namespace plumbline::suite {

// Runs the scenario's workload over its transport once per repetition, each with seeds of its own,
// and reports what its jobs achieved, what fabric and hosts counted, and what simulating it cost.
// No draft describes it, so nothing deviates from one.
const Procedure& freeProcedure();

}  // namespace plumbline::suite
