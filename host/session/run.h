// One run from its plan to its verdict: what the command and the server share. Who looks on is told
// through a RunWatcher, who also says when to stop.
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
#include "session/limits.h"
#include "session/planning.h"
#include "session/stored_trial_runner.h"

namespace plumbline::session {

// A scenario that can run, with the bench it runs on.
struct PreparedRun {
  scenario::Scenario scenario;
  std::unique_ptr<bench::Bench> bench;
  std::vector<PlannedTest> tests;
  // Of `bench: compare`: where every test runs as well, and the plans for it.
  std::unique_ptr<bench::Bench> second_bench;
  std::vector<PlannedTest> second_tests;
};

// `options.line_rate`, `endpoint` and `fpga` are taken from the scenario. Throws as planTests() and
// makeBench().
PreparedRun prepareRun(scenario::Scenario scenario, bench::BenchOptions options);

results::RunIdentity identityOf(const scenario::Scenario& scenario);

// Throws Error(kUsage) unless the stored run may go on as `now`: its files hold what they held,
// and this version of the program measured its trials. Trials of two inputs or of two programs are
// not one result.
void requireSameInputs(const results::RunInfo& run, const results::RunIdentity& now);

// A run in the store, by its number, that `scenario` began.
std::int64_t createRun(results::ResultStore& store, const scenario::Scenario& scenario);

// Runs what is not stored of `run` yet and stores it; sets the run's status, also when it throws.
// Throws Aborted when the watcher asked to stop, Error(kUsage) when another process has the run,
// and whatever a trial throws.
void executeRun(const PreparedRun& prepared, results::ResultStore& store, std::int64_t run,
                RunWatcher& watcher, std::optional<std::uint32_t> capture_port);

// What a finished run amounts to.
struct Verdict {
  bool valid = true;  // of every test and limit
  bool met = true;    // all limits that were measured
  std::vector<LimitVerdict> limits;
};

Verdict verdictOf(const scenario::Scenario& scenario, const results::StoredRun& run);

}  // namespace plumbline::session
