// Runs a procedure's trials: from the store when they are there, else on the bench, and then into
// the store. That is all that resuming a run is.
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
// Frames lost of frames sent over all streams; 0 when nothing was sent.
double lossPpm(const bench::TrialResult& result);
// All latency groups of the trial together.
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
    // Of whom the DUT's own figures are asked, and the folder in which that is; nullptr: nobody.
    const scenario::Scenario* dut_metrics = nullptr;
  };

  // What `parts` refers to must outlive the runner. Every frame of `capture_port` is captured and
  // handed to the watcher. That does not change a trial's key: looking on does not change what is
  // measured.
  explicit StoredTrialRunner(const Parts& parts, std::optional<std::uint32_t> capture_port = {});

  void beginTest(const std::string& test, std::uint64_t expected_trials);
  void endTest();

  // Throws Aborted when the watcher asks to stop: before anything starts, while the bench prepares
  // the trial (bench::TrialBeginning), or in one that does not end in RunWatcher::stopPatience().
  // Else as Bench::run().
  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override;

  // From the store when it was asked in this run before, else from the scenario's source, and then
  // into the store.
  std::string dutReport(const std::string& key, std::optional<Picoseconds> time) override;

 private:
  bench::TrialResult measure(const bench::TrialSpec& spec, const std::string& trial);
  bench::TrialResult runOnBench(const bench::TrialSpec& spec, const std::string& trial);

  Parts parts_;
  std::optional<std::uint32_t> capture_port_;
  std::string test_;
};

}  // namespace plumbline::session
