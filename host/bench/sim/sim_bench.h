// Simulated hosts on the simulated fabric: no tester card takes part.
#pragma once

#include "bench/trial/bench.h"

namespace plumbline::bench {

struct SimBenchOptions {
  BitRate line_rate = gigabitsPerSecond(100);  // of the hosts' links in later trials
  unsigned threads = 1;                        // without influence on any result
};

// Runs streams (sent as the card would) and workloads over the transports of host/transport. All
// its results are modelled: streams and latencies as endpoint software would see them, beside the
// fabric's own counters (TrialResult::fabric).
//
// A trial ends when its workload is finished and its streams have been sent and drained; with a
// duration, at the latest after duration and drain. A workload cut off by this limit is no fault.
// Failed messages are a fault, and so is a workload that cannot finish: no events are left, or the
// fabric holds frames and has delivered none for 10 s of simulated time.
//
// A trial with a serving system ends when the model has its measurements, at the latest after its
// window and drain; TrialSpec::duration applies to streams and background only.
//
// A trial with TrialSpec::early_end ends when its main figure is stationary (early_end.h), if that
// is earlier.
//
// A trial with TrialSpec::fast_forward and more packets than that allows is predicted instead of
// simulated (fast_forward.h): its result has FabricResult::fast_forward and only times.
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
  // For trials without packets, or with at most spec.fast_forward of them.
  [[nodiscard]] TrialResult predict(const TrialSpec& spec, const TrialHooks& hooks) const;

  Capabilities capabilities_;
  unsigned threads_;
};

}  // namespace plumbline::bench
