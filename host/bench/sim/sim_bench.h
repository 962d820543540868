// Simulated hosts on the simulated fabric: no tester card takes part.
#pragma once

#include "bench/trial/bench.h"

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
// duration, at the latest after duration and drain. A workload that is cut off by that is no fault;
// one with messages that failed is, and one that could never have finished: because nothing is left
// to happen, or no frame of those in the fabric was delivered for 10 s of its time.
//
// A trial with a serving system ends when the model has seen all that it measures: its window and
// drain say when at the latest; TrialSpec::duration is for streams and background only.
//
// A trial with TrialSpec::early_end ends when its main figure is stationary (early_end.h), if that
// is earlier.
//
// A trial with TrialSpec::fast_forward that has more packets than that allows is not simulated but
// predicted (fast_forward.h): its result has FabricResult::fast_forward and nothing but times.
//
// A trial with TrialSpec::flow_level has no packets (flow_trial.h).
class SimBench final : public Bench {
 public:
  explicit SimBench(const SimBenchOptions& options);

  [[nodiscard]] const Capabilities& capabilities() const override { return capabilities_; }
  [[nodiscard]] std::vector<std::string> refusals(const TrialSpec& spec) const override;
  TrialResult run(const TrialSpec& spec, const TrialHooks& hooks) override;

 private:
  [[nodiscard]] TrialResult simulate(const TrialSpec& spec, const TrialHooks& hooks) const;
  // Without packets, or with no more than spec.fast_forward allows.
  [[nodiscard]] TrialResult predict(const TrialSpec& spec, const TrialHooks& hooks) const;

  Capabilities capabilities_;
  unsigned threads_;
};

}  // namespace plumbline::bench
