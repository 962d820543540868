// The tests of the training draft, one file each.
#pragma once

#include "suite/procedure.h"

namespace plumbline::suite {

const Procedure& throughputTest();           // T5.1
const Procedure& latencyTest();              // T5.2
const Procedure& burstTest();                // T5.3
const Procedure& serviceThroughputTest();    // T6.1
const Procedure& serviceLatencyTest();       // T6.2
const Procedure& sprayEfficacyTest();        // T6.3
const Procedure& uetCongestionTest();        // T6.4
const Procedure& llrTest();                  // T6.5a
const Procedure& trimmingTest();             // T6.5b
const Procedure& cbfcPfcTest();              // T6.5c
const Procedure& uetCollectivesTest();       // T6.6
const Procedure& pdcScaleTest();             // T6.7
const Procedure& ecnAccuracyTest();          // T7.1
const Procedure& pfcIncastTest();            // T7.2
const Procedure& dcqcnConvergenceTest();     // T7.3
const Procedure& pfcDeadlockTest();          // T7.4
const Procedure& ecmpEntropyTest();          // T8.1
const Procedure& flowletTest();              // T8.2
const Procedure& sprayTest();                // T8.3
const Procedure& fairnessTest();             // T8.4
const Procedure& allReduceTest();            // T9.1
const Procedure& allToAllTest();             // T9.2
const Procedure& allGatherTest();            // T9.3
const Procedure& busBandwidthSummaryTest();  // T9.4
const Procedure& syntheticJctTest();         // T10.1
const Procedure& profileTest();              // T10.2
const Procedure& multiTenantTest();          // T10.3
const Procedure& scaleTest();                // T11.1
const Procedure& linkFailureTest();          // T11.2
const Procedure& zeroImpactTest();           // T11.3
const Procedure& soakTest();                 // T12.1
const Procedure& leakTest();                 // T12.2

}  // namespace plumbline::suite
