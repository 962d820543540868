// Runs a procedure's trials: from the store when they are there, else on the bench, and then into
// the store. That is all that resuming a run is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "bench/bench.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "results/store.h"
#include "suite/procedure.h"

namespace plumbline::cli {

// One answered trial, for whoever keeps a record of them.
struct TrialRecord {
  const std::string& test;
  const std::string& label;
  std::uint32_t repetition;
  bool stored;  // was in the store already
  const bench::TrialResult& result;
};

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
    Progress& progress;
    const InterruptGuard& interrupt;
  };
  struct Options {
    // Every frame of this port is captured and handed over. Does not change a trial's key: looking
    // on does not change what is measured.
    std::optional<std::uint32_t> capture_port;
    std::function<void(const card::CapturedFrame&, const std::string& trial)> captured;
    std::function<void(const TrialRecord&)> answered;  // may be empty
  };

  // What `parts` refers to must outlive the runner.
  StoredTrialRunner(const Parts& parts, Options options);

  void beginTest(const std::string& test, std::uint64_t expected_trials);
  void endTest();

  // Throws Aborted when an interrupt was asked for, before anything starts; else as Bench::run().
  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override;

 private:
  bench::TrialResult measure(const bench::TrialSpec& spec, const std::string& trial);

  Parts parts_;
  Options options_;
  std::string test_;
};

}  // namespace plumbline::cli
