// The tests of the inference draft, one file each; kv-transfer, which has no number of its own, has
// those of sections 5.1 and 5.2 between two endpoints.
#pragma once

#include "suite/procedure.h"

namespace plumbline::suite {

const Procedure& kvTransferTest();
const Procedure& kvThroughputTest();        // I5.1
const Procedure& kvLatencyTest();           // I5.2
const Procedure& kvScalingTest();           // I5.3
const Procedure& tierTest();                // I5.4
const Procedure& ecnIncastTest();           // I8.1
const Procedure& pfcBurstTest();            // I8.2
const Procedure& mixedConvergenceTest();    // I8.3
const Procedure& kvDeadlockTest();          // I8.4
const Procedure& inferenceBalancingTest();  // I9.3

}  // namespace plumbline::suite
