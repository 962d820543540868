#include <fmt/format.h>

#include <map>

#include "base/error.h"
#include "suite/card/card.h"
#include "suite/free/free_procedure.h"
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
      &throughputProcedure(), &latencyProcedure(), &burstProcedure(),
      &serviceThroughputProcedure(), &serviceLatencyProcedure(), &sprayEfficacyProcedure(),
       &uetCongestionProcedure(), &llrProcedure(), &trimmingProcedure(), &cbfcPfcProcedure(),
      &uetCollectivesProcedure(), &pdcScaleProcedure(),
      &ecnAccuracyProcedure(), &pfcIncastProcedure(), &dcqcnConvergenceProcedure(), &pfcDeadlockProcedure(),
      &ecmpEntropyProcedure(), &flowletProcedure(), &sprayProcedure(), &fairnessProcedure(),
      &allReduceProcedure(), &allToAllProcedure(), &allGatherProcedure(), &busBandwidthSummaryProcedure(),
      &syntheticJctProcedure(), &profileProcedure(), &multiTenantProcedure(),
      &scaleProcedure(), &linkFailureProcedure(), &zeroImpactProcedure(),
      &soakProcedure(), &leakProcedure(),
      &kvTransferProcedure(),
      &kvThroughputProcedure(), &kvLatencyProcedure(), &kvScalingProcedure(), &tierProcedure(),
      &disaggregatedTtftProcedure(), &ratioProcedure(), &parallelismProcedure(), &queueDepthProcedure(),
      &expertDispatchProcedure(), &expertRoutingProcedure(), &wideExpertsProcedure(), &expertContentionProcedure(),
      &ecnIncastProcedure(), &pfcBurstProcedure(), &mixedConvergenceProcedure(), &kvDeadlockProcedure(),
      &routingProcedure(), &prefixProcedure(), &inferenceBalancingProcedure(), &decodeFairnessProcedure(),
      &promptLengthProcedure(), &tokenLatencyProcedure(), &tenantsProcedure(), &congestionProcedure(),
      &aggregateTokensProcedure(), &batchingProcedure(), &overloadProcedure(),
      &scaleLimitProcedure(), &servingScalingProcedure(), &servingFailureProcedure(),
      &servingSoakProcedure(), &kvLeakProcedure(), &servingFlapProcedure(),
      &bitErrorProcedure(), &pfcStormProcedure(), &incastPhaseProcedure(), &kvIncastProcedure(), &llrRetryProcedure(), &llrHopsProcedure(), &queuePairProcedure(), &entropyProcedure(),
      // clang-format on
      &freeProcedure()};
  return all;
}

const std::vector<scenario::MeasuredKpi>& measuredKpis() {
  static const std::vector<scenario::MeasuredKpi> all = [] {
    std::map<std::string, std::vector<std::string>> tests;
    for (const Procedure* test : procedures()) {
      for (const std::string& name : test->kpis()) tests[name].push_back(test->id());
    }
    std::vector<scenario::MeasuredKpi> kpis;
    kpis.reserve(kpi::declarations().size());
    for (const kpi::Declaration& one : kpi::declarations()) {
      kpis.push_back({one.name, tests[one.name]});
    }
    return kpis;
  }();
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
