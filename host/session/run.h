// One run from its plan to its verdict, shared by the command and the server. A RunWatcher gets its
// progress and can stop it.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/trial/registry.h"
#include "results/store.h"
#include "scenario/scenario.h"
#include "session/exit_code.h"
#include "session/limits.h"
#include "session/planning.h"
#include "session/stored_trial_runner.h"

namespace plumbline::session {

// A scenario that can run, with the bench for it.
struct PreparedRun {
  scenario::Scenario scenario;
  std::unique_ptr<bench::Bench> bench;
  std::vector<PlannedTest> tests;
  // Of `bench: compare`: the second bench, and the plans for it.
  std::unique_ptr<bench::Bench> second_bench;
  std::vector<PlannedTest> second_tests;
};

// `options.line_rate`, `endpoint` and `fpga` are taken from the scenario. Throws as planTests() and
// makeBench().
PreparedRun prepareRun(scenario::Scenario scenario, bench::BenchOptions options);

results::RunIdentity identityOf(const scenario::Scenario& scenario);

// Throws Error(kUsage) unless the stored run may be continued as `now`: its input files are
// unchanged, and the same version of the program measured its trials. Trials with different inputs
// or programs are not one result.
void requireSameInputs(const results::RunInfo& run, const results::RunIdentity& now);

// Creates a run of `scenario` in the store and returns its number.
std::int64_t createRun(results::ResultStore& store, const scenario::Scenario& scenario);

// Runs the trials of `run` that are not stored yet and stores them; sets the run's status, also
// when it throws. Throws Aborted when the watcher requested a stop, Error(kUsage) when another
// process holds the run, and all exceptions of a trial.
void executeRun(const PreparedRun& prepared, results::ResultStore& store, std::int64_t run,
                RunWatcher& watcher, std::optional<std::uint32_t> capture_port);

// Outcome of a finished run.
struct Verdict {
  bool valid = true;     // every test
  bool measured = true;  // every limit
  bool met = true;       // all limits that were measured
  std::vector<LimitVerdict> limits;

  // kInvalid if a test is not valid, else kLimitMissed if a limit was missed, else kInvalid if one
  // was not measured, else kDone.
  [[nodiscard]] ExitCode exitCode() const;
};

Verdict verdictOf(const scenario::Scenario& scenario, const results::StoredRun& run);

}  // namespace plumbline::session
