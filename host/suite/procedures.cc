#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "suite/card/card.h"
#include "suite/free/free_test.h"
#include "suite/inference/inference.h"
#include "suite/procedure.h"
#include "suite/training/training.h"

namespace plumbline::suite {

std::vector<std::string> with(std::vector<std::string> names,
                              const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

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

std::vector<std::string> testsMeasuring(const std::string& kpi) {
  std::vector<std::string> tests;
  for (const Procedure* test : procedures()) {
    const std::vector<std::string> measured = test->kpis();
    if (std::find(measured.begin(), measured.end(), kpi) != measured.end()) {
      tests.push_back(test->id());
    }
  }
  return tests;
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
