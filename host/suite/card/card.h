// The tests of the tester card itself (docs/card-tests.md).
#pragma once

#include "suite/procedure.h"

namespace plumbline::suite {

const Procedure& bitErrorProcedure();     // bit-errors
const Procedure& pfcStormProcedure();     // pfc-storm
const Procedure& incastPhaseProcedure();  // incast-phase
const Procedure& kvIncastProcedure();     // kv-incast
const Procedure& llrRetryProcedure();     // llr-retry
const Procedure& llrHopsProcedure();      // llr-hops
const Procedure& queuePairProcedure();    // rocev2-qps
const Procedure& entropyProcedure();      // uet-entropy

}  // namespace plumbline::suite
