#include "suite/training/services.h"

namespace plumbline::suite {

bench::TrialSpec serviceTrial(const TestConfig& config, const ServicePairs& pairs) {
  bench::TrialSpec spec = emptyTrial(config);
  const bool unordered =
      pairs.service == "RUD" || pairs.service == "RUDI" || pairs.service == "UUD";
  applyVariant(serviceVariant(config, pairs.service, balancingOf(unordered ? "spray" : "ecmp")),
               spec);
  workload::JobSpec job;
  job.name = pairs.service;
  job.flows = pairs.flows;
  job.placement.rule = workload::PlacementRule::kExplicit;
  const std::uint32_t half = config.scenario.topology.hostCount() / 2;
  for (std::uint32_t i = 0; i < pairs.pairs; ++i) {
    job.placement.hosts.push_back(i);
    job.placement.hosts.push_back(half + i);
  }
  workload::MessageProgram program;
  program.pattern = workload::Pattern::kPairs;
  program.bidirectional = pairs.bidirectional;
  program.bytes = static_cast<std::uint64_t>(pairs.message.count());
  program.load = workload::ClosedLoop{pairs.outstanding};
  program.messages = pairs.messages;
  job.program = program;
  spec.workload->jobs.push_back(std::move(job));
  return spec;
}

double serviceHops(const TestConfig& config, const ServicePairs& pairs) {
  return messageHops(
      config, pairs.message,
      static_cast<double>(pairs.messages) * pairs.pairs * (pairs.bidirectional ? 2 : 1));
}

}  // namespace plumbline::suite
