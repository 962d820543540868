#include <fmt/format.h>

#include "base/error.h"
#include "suite/card/card.h"
#include "suite/free/free_test.h"
#include "suite/inference/inference.h"
#include "suite/procedure.h"
#include "suite/training/training.h"

namespace plumbline::suite {

const std::vector<const Procedure*>& procedures() {
  static const std::vector<const Procedure*> all{
      // clang-format off
      &throughputTest(), &latencyTest(), &burstTest(),
      &serviceThroughputTest(), &serviceLatencyTest(), &sprayEfficacyTest(),
       &uetCongestionTest(), &llrTest(), &trimmingTest(), &cbfcPfcTest(),
      &uetCollectivesTest(), &pdcScaleTest(),
      &ecnAccuracyTest(), &pfcIncastTest(), &dcqcnConvergenceTest(), &pfcDeadlockTest(),
      &ecmpEntropyTest(), &flowletTest(), &sprayTest(), &fairnessTest(),
      &allReduceTest(), &allToAllTest(), &allGatherTest(), &busBandwidthSummaryTest(),
      &syntheticJctTest(), &profileTest(), &multiTenantTest(),
      &scaleTest(), &linkFailureTest(), &zeroImpactTest(),
      &soakTest(), &leakTest(),
      &kvTransferTest(),
      &bitErrorTest(), &pfcStormTest(), &incastPhaseTest(), &llrRetryTest(), &llrHopsTest(), &queuePairTest(), &entropyTest(),
      // clang-format on
      &freeTest()};
  return all;
}

const Procedure& procedure(const std::string& id) {
  std::vector<std::string> ids;
  for (const Procedure* candidate : procedures()) {
    if (candidate->id() == id) return *candidate;
    ids.push_back(candidate->id());
  }
  throw Error(ErrorKind::kUsage, fmt::format("there is no test '{}'", id), {},
              fmt::format("one of: {}", fmt::join(ids, ", ")));
}

}  // namespace plumbline::suite
