// The tests of the inference draft, one file each; kv-transfer, which has no number of its own, has
// those of sections 5.1 and 5.2 between two endpoints.
#pragma once

#include "suite/procedure.h"

namespace plumbline::suite {

// One test each, of static lifetime; see the .cc file for what it does.
const Procedure& kvTransferTest();          // kv-transfer
const Procedure& kvThroughputTest();        // I5.1
const Procedure& kvLatencyTest();           // I5.2
const Procedure& kvScalingTest();           // I5.3
const Procedure& tierTest();                // I5.4
const Procedure& disaggregatedTtftTest();   // I6.1
const Procedure& ratioTest();               // I6.2
const Procedure& parallelismTest();         // I6.3
const Procedure& queueDepthTest();          // I6.4
const Procedure& expertDispatchTest();      // I7.1
const Procedure& expertRoutingTest();       // I7.2
const Procedure& wideExpertsTest();         // I7.3
const Procedure& expertContentionTest();    // I7.4
const Procedure& ecnIncastTest();           // I8.1
const Procedure& pfcBurstTest();            // I8.2
const Procedure& mixedConvergenceTest();    // I8.3
const Procedure& kvDeadlockTest();          // I8.4
const Procedure& routingTest();             // I9.1
const Procedure& prefixTest();              // I9.2
const Procedure& inferenceBalancingTest();  // I9.3
const Procedure& decodeFairnessTest();      // I9.4
const Procedure& promptLengthTest();        // I10.1
const Procedure& tokenLatencyTest();        // I10.2
const Procedure& tenantsTest();             // I10.3
const Procedure& congestionTest();          // I10.4
const Procedure& aggregateTokensTest();     // I11.1
const Procedure& batchingTest();            // I11.2
const Procedure& overloadTest();            // I11.3
const Procedure& scaleLimitTest();          // I12.1
const Procedure& servingScalingTest();      // I12.2
const Procedure& servingFailureTest();      // I12.3
const Procedure& servingSoakTest();         // I13.1
const Procedure& kvLeakTest();              // I13.2
const Procedure& servingFlapTest();         // I13.3

}  // namespace plumbline::suite
