// Runs a procedure's trials: takes them from the store if they are there, else runs them on the
// bench and stores them. Resuming a run needs nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/trial/bench.h"
#include "results/store.h"
#include "session/run_watcher.h"
#include "suite/procedure.h"

namespace plumbline::session {

// "loss 0 ppm, P99 1.234 µs": a trial in a few words.
std::string trialInWords(const bench::TrialResult& result);
// Data frames of a trial.
struct FrameLosses {
  std::uint64_t sent = 0;            // retransmissions left out
  std::uint64_t lost = 0;            // and not retransmitted
  [[nodiscard]] double ppm() const;  // 0 when nothing was sent
  bool operator==(const FrameLosses&) const = default;
};
// Of all streams, or of the messages of simulated hosts and the streams beside them. Nothing where
// they were not counted, as in a trial that was fast-forwarded.
std::optional<FrameLosses> lossesOf(const bench::TrialResult& result);
// One-way latency of all streams, or of the data packets of simulated hosts.
stats::Histogram latencyOf(const bench::TrialResult& result);

class StoredTrialRunner final : public suite::TrialRunner {
 public:
  struct Parts {
    results::ResultStore& store;
    std::int64_t run;
    bench::Bench& bench;
    RunWatcher& watcher;
    // The bench is part of a trial's key: in a run on two benches both have the same trials.
    bool bench_in_key = false;
    // The scenario with the source of the DUT's metrics, and its folder; nullptr: no source.
    const scenario::Scenario* dut_metrics = nullptr;
  };

  // `parts` must outlive the runner. Every frame of `capture_port` is captured and passed to the
  // watcher. That does not change a trial's key, because it does not affect the measurement.
  explicit StoredTrialRunner(const Parts& parts, std::optional<std::uint32_t> capture_port = {});

  void beginTest(const std::string& test, std::uint64_t expected_trials);
  void endTest();

  // Throws Aborted when the watcher requests a stop: before the trial starts, while the bench
  // prepares it (bench::TrialBeginning), or during a trial that does not end within
  // RunWatcher::stopTimeout(). Otherwise as Bench::run().
  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override;

  // From the store if this run has the answer already, else from the scenario's source, and then
  // stored.
  std::string dutReport(const std::string& key, std::optional<Picoseconds> time) override;

 private:
  bench::TrialResult measure(const bench::TrialSpec& spec, const std::string& trial);
  bench::TrialResult runOnBench(const bench::TrialSpec& spec, const std::string& trial);

  Parts parts_;
  std::optional<std::uint32_t> capture_port_;
  std::string test_;
};

}  // namespace plumbline::session
