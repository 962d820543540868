// Simulated hosts on the simulated fabric: no tester card takes part.
#pragma once

#include "bench/bench.h"

namespace plumbline::bench {

struct SimBenchOptions {
  BitRate line_rate = gigabitsPerSecond(100);  // of the hosts' links of the trials to come
  unsigned threads = 1;                        // without influence on any result
};

// Runs streams (that send as the card would) and workloads over the transports of host/transport.
// Everything it reports is modelled: streams and latencies as endpoint software would see them, the
// fabric's own counters beside them (TrialResult::fabric).
//
// A trial ends when its workload is finished and its streams have been sent and drained; with a
// duration, at the latest after duration and drain. A workload that is cut off by that is a fault
// only if something of it could not finish.
class SimBench final : public Bench {
 public:
  explicit SimBench(const SimBenchOptions& options);

  [[nodiscard]] const Capabilities& capabilities() const override { return capabilities_; }
  [[nodiscard]] std::vector<std::string> refusals(const TrialSpec& spec) const override;
  TrialResult run(const TrialSpec& spec, const TrialHooks& hooks) override;

 private:
  Capabilities capabilities_;
  unsigned threads_;
};

}  // namespace plumbline::bench
