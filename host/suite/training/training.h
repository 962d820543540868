// The tests of the training draft, one file each.
#pragma once

#include "suite/procedure.h"

namespace plumbline::suite {

const Procedure& throughputProcedure();           // T5.1
const Procedure& latencyProcedure();              // T5.2
const Procedure& burstProcedure();                // T5.3
const Procedure& serviceThroughputProcedure();    // T6.1
const Procedure& serviceLatencyProcedure();       // T6.2
const Procedure& sprayEfficacyProcedure();        // T6.3
const Procedure& uetCongestionProcedure();        // T6.4
const Procedure& llrProcedure();                  // T6.5a
const Procedure& trimmingProcedure();             // T6.5b
const Procedure& cbfcPfcProcedure();              // T6.5c
const Procedure& uetCollectivesProcedure();       // T6.6
const Procedure& pdcScaleProcedure();             // T6.7
const Procedure& ecnAccuracyProcedure();          // T7.1
const Procedure& pfcIncastProcedure();            // T7.2
const Procedure& dcqcnConvergenceProcedure();     // T7.3
const Procedure& pfcDeadlockProcedure();          // T7.4
const Procedure& ecmpEntropyProcedure();          // T8.1
const Procedure& flowletProcedure();              // T8.2
const Procedure& sprayProcedure();                // T8.3
const Procedure& fairnessProcedure();             // T8.4
const Procedure& allReduceProcedure();            // T9.1
const Procedure& allToAllProcedure();             // T9.2
const Procedure& allGatherProcedure();            // T9.3
const Procedure& busBandwidthSummaryProcedure();  // T9.4
const Procedure& syntheticJctProcedure();         // T10.1
const Procedure& profileProcedure();              // T10.2
const Procedure& multiTenantProcedure();          // T10.3
const Procedure& scaleProcedure();                // T11.1
const Procedure& linkFailureProcedure();          // T11.2
const Procedure& zeroImpactProcedure();           // T11.3
const Procedure& soakProcedure();                 // T12.1
const Procedure& leakProcedure();                 // T12.2

}  // namespace plumbline::suite
