// The pseudo test `free`: a transport and a workload of the user's own.
#pragma once

#include "suite/procedure.h"

namespace plumbline::suite {

// Runs the scenario's workload over its transport once per repetition and reports what the fabric,
// its hosts and its jobs saw. No draft describes it, so nothing deviates from one.
const Procedure& freeTest();

}  // namespace plumbline::suite
