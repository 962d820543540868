// The tests of the tester card itself (docs/card-tests.md).
#pragma once

#include "suite/procedure.h"

namespace plumbline::suite {

const Procedure& bitErrorTest();     // bit-errors
const Procedure& pfcStormTest();     // pfc-storm
const Procedure& incastPhaseTest();  // incast-phase
const Procedure& kvIncastTest();     // kv-incast
const Procedure& llrRetryTest();     // llr-retry
const Procedure& llrHopsTest();      // llr-hops
const Procedure& queuePairTest();    // rocev2-qps
const Procedure& entropyTest();      // uet-entropy

}  // namespace plumbline::suite
