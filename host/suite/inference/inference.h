// The tests of the inference draft, one file each; kv-transfer, which has no number, covers
// sections 5.1 and 5.2 between two endpoints.
#pragma once

#include "suite/procedure.h"

namespace plumbline::suite {

// One test each, of static lifetime; see the .cc file for what it does.
const Procedure& kvTransferProcedure();          // kv-transfer
const Procedure& kvThroughputProcedure();        // I5.1
const Procedure& kvLatencyProcedure();           // I5.2
const Procedure& kvScalingProcedure();           // I5.3
const Procedure& tierProcedure();                // I5.4
const Procedure& disaggregatedTtftProcedure();   // I6.1
const Procedure& ratioProcedure();               // I6.2
const Procedure& parallelismProcedure();         // I6.3
const Procedure& queueDepthProcedure();          // I6.4
const Procedure& expertDispatchProcedure();      // I7.1
const Procedure& expertRoutingProcedure();       // I7.2
const Procedure& wideExpertsProcedure();         // I7.3
const Procedure& expertContentionProcedure();    // I7.4
const Procedure& ecnIncastProcedure();           // I8.1
const Procedure& pfcBurstProcedure();            // I8.2
const Procedure& mixedConvergenceProcedure();    // I8.3
const Procedure& kvDeadlockProcedure();          // I8.4
const Procedure& routingProcedure();             // I9.1
const Procedure& prefixProcedure();              // I9.2
const Procedure& inferenceBalancingProcedure();  // I9.3
const Procedure& decodeFairnessProcedure();      // I9.4
const Procedure& promptLengthProcedure();        // I10.1
const Procedure& tokenLatencyProcedure();        // I10.2
const Procedure& tenantsProcedure();             // I10.3
const Procedure& congestionProcedure();          // I10.4
const Procedure& aggregateTokensProcedure();     // I11.1
const Procedure& batchingProcedure();            // I11.2
const Procedure& overloadProcedure();            // I11.3
const Procedure& scaleLimitProcedure();          // I12.1
const Procedure& servingScalingProcedure();      // I12.2
const Procedure& servingFailureProcedure();      // I12.3
const Procedure& servingSoakProcedure();         // I13.1
const Procedure& kvLeakProcedure();              // I13.2
const Procedure& servingFlapProcedure();         // I13.3

}  // namespace plumbline::suite
