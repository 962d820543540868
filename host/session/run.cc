#include "session/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "session/reporting.h"
#include "suite/framework/bench_comparison.h"

namespace plumbline::session {
namespace {

results::TestResult runTest(const scenario::Scenario& scenario, const bench::Bench& bench,
                            const PlannedTest& test, StoredTrialRunner& runner) {
  runner.beginTest(test.procedure->id(), test.plan.trials_expected);
  results::TestResult result = test.procedure->run({scenario, bench.capabilities()}, runner);
  runner.endTest();
  return result;
}

suite::BenchResult runTestToCompare(const scenario::Scenario& scenario, const bench::Bench& bench,
                                    const PlannedTest& test, StoredTrialRunner& runner) {
  runner.beginTest(test.procedure->id() + " on " + bench.capabilities().name,
                   test.plan.trials_expected);
  suite::BenchResult result =
      suite::runOnBench(*test.procedure, {scenario, bench.capabilities()}, runner);
  runner.endTest();
  return result;
}

void runTests(const PreparedRun& prepared, results::ResultStore& store, std::int64_t run,
              RunWatcher& watcher, std::optional<std::uint32_t> capture_port) {
  const bool compare = prepared.second_bench != nullptr;
  const scenario::Scenario& scenario = prepared.scenario;
  StoredTrialRunner runner({store, run, *prepared.bench, watcher, compare, &scenario},
                           capture_port);
  if (!compare) {
    for (const PlannedTest& test : prepared.tests) {
      store.saveTestResult(run, runTest(scenario, *prepared.bench, test, runner));
    }
    return;
  }
  StoredTrialRunner second({store, run, *prepared.second_bench, watcher, compare, &scenario});
  for (std::size_t i = 0; i < prepared.tests.size(); ++i) {
    const auto on_first = runTestToCompare(scenario, *prepared.bench, prepared.tests[i], runner);
    const auto on_second =
        runTestToCompare(scenario, *prepared.second_bench, prepared.second_tests[i], second);
    store.saveTestResult(run, suite::compareBenches(on_first, on_second));
  }
}

// "trace.csv, 1234 bytes, 0123456789abcdef", a line for each.
std::string filesText(const std::vector<scenario::InputFile>& files) {
  std::string text;
  for (const scenario::InputFile& file : files) {
    text += fmt::format("{}, {} bytes, {:016x}\n", file.name, file.bytes, file.hash);
  }
  return text;
}

}  // namespace

PreparedRun prepareRun(scenario::Scenario scenario, bench::BenchOptions options) {
  PreparedRun prepared;
  prepared.scenario = std::move(scenario);
  options.line_rate = prepared.scenario.topology.link_rate;
  options.endpoint = prepared.scenario.endpoint.value_or(bench::EndpointSpec());
  options.fpga = prepared.scenario.fpga.value_or(bench::FpgaSpec());
  const std::vector<std::string> benches = benchesOf(prepared.scenario.bench);
  prepared.bench = bench::makeBench(benches.front(), options);
  prepared.tests = planTests(prepared.scenario, *prepared.bench);
  if (benches.size() > 1) {
    prepared.second_bench = bench::makeBench(benches.back(), options);
    prepared.second_tests = planTests(prepared.scenario, *prepared.second_bench);
  }
  return prepared;
}

results::RunIdentity identityOf(const scenario::Scenario& scenario) {
  return {scenario.name,
          scenario.file,
          scenario.text,
          scenario.bench,
          std::string(scenario::profileName(scenario.profile)),
          scenario.seed,
          filesText(scenario.files)};
}

void requireSameInputs(const results::RunInfo& run, const results::RunIdentity& now) {
  if (run.identity.files != now.files) {
    const auto shown = [](const std::string& text) {
      std::string line = text.empty() ? std::string("none") : text.substr(0, text.size() - 1);
      std::replace(line.begin(), line.end(), '\n', ';');
      return line;
    };
    throw Error(ErrorKind::kUsage,
                fmt::format("the files of run {} have changed: it began with {}; now they are {}",
                            run.id, shown(run.identity.files), shown(now.files)),
                now.scenario_file, "start a new run, or put the files back");
  }
  if (run.software != softwareName()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("the trials of run {} were measured by {}, and this is {}", run.id,
                            run.software, softwareName()),
                now.scenario_file, "start a new run, or go on with the version that began it");
  }
}

std::int64_t createRun(results::ResultStore& store, const scenario::Scenario& scenario) {
  return store.createRun(identityOf(scenario), softwareName(), machineName());
}

void executeRun(const PreparedRun& prepared, results::ResultStore& store, std::int64_t run,
                RunWatcher& watcher, std::optional<std::uint32_t> capture_port) {
  const results::RunLock lock(store.directory(), run);
  store.setStatus(run, results::RunStatus::kRunning);
  try {
    runTests(prepared, store, run, watcher, capture_port);
  } catch (const Aborted&) {
    store.setStatus(run, results::RunStatus::kAborted);
    throw;
  } catch (...) {
    store.setStatus(run, results::RunStatus::kFailed);
    throw;
  }
  store.setStatus(run, results::RunStatus::kDone);
}

Verdict verdictOf(const scenario::Scenario& scenario, const results::StoredRun& run) {
  Verdict verdict;
  verdict.valid = run.damaged.empty();
  for (const results::TestResult& test : run.tests) verdict.valid = verdict.valid && test.valid;
  verdict.limits = judge(scenario.limits, run.tests);
  for (const LimitVerdict& limit : verdict.limits) {
    verdict.met = verdict.met && (limit.met || !limit.measured);
    verdict.measured = verdict.measured && limit.measured;
  }
  return verdict;
}

ExitCode Verdict::exitCode() const {
  if (!valid) return ExitCode::kInvalid;
  if (!met) return ExitCode::kLimitMissed;
  return measured ? ExitCode::kDone : ExitCode::kInvalid;
}

}  // namespace plumbline::session
