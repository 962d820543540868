#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/capture_file.h"
#include "cli/interrupt.h"
#include "cli/limits.h"
#include "cli/progress.h"
#include "cli/reporting.h"
#include "cli/setup.h"
#include "cli/stored_trial_runner.h"
#include "cli/text_table.h"
#include "cli/verbs.h"
#include "results/export.h"
#include "results/store.h"

namespace plumbline::cli {
namespace {

struct RunOptions {
  unsigned threads = 1;
  ScenarioOptions scenario;
  bool resume = false;
  bool quiet = false;
  std::string results;
  std::string report;
  std::string json;
  std::string jsonl;
  std::string capture;
  std::uint32_t capture_port = 0;
  std::string trace;
};

results::RunIdentity identityOf(const scenario::Scenario& scenario) {
  return {scenario.name,
          scenario.file,
          scenario.text,
          scenario.bench,
          std::string(scenario::profileName(scenario.profile)),
          scenario.seed};
}

// The run to continue, or a new one.
std::int64_t chooseRun(results::ResultStore& store, const scenario::Scenario& scenario,
                       const RunOptions& options) {
  const results::RunIdentity identity = identityOf(scenario);
  if (options.resume) {
    if (const auto unfinished = store.latestUnfinished(identity)) {
      if (!options.quiet) {
        fmt::print(stderr, "going on with run {}: {} trials are stored\n", unfinished->id,
                   unfinished->trials);
        if (unfinished->software != softwareName()) {
          fmt::print(stderr, "those were measured by {}, the rest will be by {}\n",
                     unfinished->software, softwareName());
        }
      }
      return unfinished->id;
    }
    if (!options.quiet) fmt::print(stderr, "nothing to resume: this is a new run\n");
  }
  return store.createRun(identity, softwareName(), machineName());
}

// One line of JSON per trial, as soon as it is answered.
class TrialLog {
 public:
  explicit TrialLog(const std::string& file) : file_(file), stream_(file, std::ios::trunc) {
    if (!stream_) throw Error(ErrorKind::kUsage, "the file cannot be written", file);
  }

  void write(const TrialRecord& record) {
    std::uint64_t sent = 0;
    for (const auto& stream : record.result.streams) sent += stream.sent_frames;
    nlohmann::ordered_json line{{"test", record.test},
                                {"point", record.label},
                                {"repetition", record.repetition},
                                {"stored", record.stored},
                                {"sent_frames", sent},
                                {"lost_frames", record.result.lost()},
                                {"loss_ppm", lossPpm(record.result)}};
    const stats::Histogram latency = latencyOf(record.result);
    if (latency.count() > 0) {
      line["latency_min_ps"] = latency.minimum();
      line["latency_p50_ps"] = latency.quantile(0.5);
      line["latency_p99_ps"] = latency.quantile(0.99);
      line["latency_max_ps"] = latency.maximum();
    }
    line["faults"] = record.result.faults;
    if (!(stream_ << line.dump() << std::endl)) {
      throw Error(ErrorKind::kTester, "the file cannot be written any further", file_,
                  "make room on the disk, then run again with --resume");
    }
  }

 private:
  std::string file_;
  std::ofstream stream_;
};

void runTests(const scenario::Scenario& scenario, const std::vector<PlannedTest>& tests,
              const bench::Bench& bench, results::ResultStore& store, std::int64_t run,
              StoredTrialRunner& runner) {
  for (const PlannedTest& test : tests) {
    runner.beginTest(test.procedure->id(), test.plan.trials_expected);
    store.saveTestResult(run, test.procedure->run({scenario, bench.capabilities()}, runner));
    runner.endTest();
  }
}

// Tables, limits and files of a finished run; the exit code they amount to.
ExitCode conclude(const scenario::Scenario& scenario, const results::StoredRun& run,
                  const RunOptions& options) {
  bool valid = true;
  for (const results::TestResult& test : run.tests) {
    fmt::print("{}\n", testText(test));
    valid = valid && test.valid;
  }
  bool met = true;
  for (const LimitVerdict& verdict : judge(scenario.limits, run.tests)) {
    fmt::print("limit {}\n", verdictText(verdict));
    met = met && (verdict.met || !verdict.measured);
    valid = valid && verdict.measured;
  }
  if (!options.json.empty()) writeFile(options.json, results::exportJson(run));
  const std::string directory = options.report.empty()
                                    ? defaultReportDirectory(options.results, run.info.id)
                                    : options.report;
  fmt::print("report {}\n", writeRunReport(run, directory));
  if (!valid) return ExitCode::kInvalid;
  return met ? ExitCode::kDone : ExitCode::kLimitMissed;
}

StoredTrialRunner::Options observers(const RunOptions& options,
                                     const std::shared_ptr<CaptureFile>& capture,
                                     const std::shared_ptr<TrialLog>& log) {
  StoredTrialRunner::Options observers;
  if (capture) {
    observers.capture_port = options.capture_port;
    observers.captured = [capture](const card::CapturedFrame& frame, const std::string& trial) {
      capture->write(frame, trial);
    };
  }
  if (log) observers.answered = [log](const TrialRecord& record) { log->write(record); };
  return observers;
}

void checkCapture(const RunOptions& options, const scenario::Scenario& scenario) {
  if (options.capture.empty()) return;
  if (options.resume) {
    throw Error(ErrorKind::kUsage, "stored trials have no frames to capture", "--capture",
                "leave out --resume");
  }
  const std::uint32_t hosts = scenario.topology.hostCount();
  if (options.capture_port >= hosts) {
    throw Error(ErrorKind::kUsage, fmt::format("there is no port {}", options.capture_port),
                "--capture-port", fmt::format("0 to {}", hosts - 1));
  }
}

std::string resumeCommand(const RunOptions& options) {
  std::string command = "plumbline run " + options.scenario.file + " --resume";
  if (options.scenario.bench) command += " --bench " + *options.scenario.bench;
  if (options.scenario.profile) command += " --profile " + *options.scenario.profile;
  if (options.scenario.seed) command += fmt::format(" --seed {}", *options.scenario.seed);
  return command + " --results " + options.results;
}

ExitCode run(const RunOptions& options) {
  const scenario::Scenario scenario = loadScenario(options.scenario);
  checkCapture(options, scenario);
  const auto bench = bench::makeBench(scenario.bench, {.trace_fst = options.trace,
                                                       .line_rate = scenario.topology.link_rate,
                                                       .threads = options.threads});
  const std::vector<PlannedTest> tests = planTests(scenario, *bench);

  auto store = results::ResultStore::open(options.results);
  const std::int64_t id = chooseRun(store, scenario, options);
  const results::RunLock lock(store.directory(), id);
  store.setStatus(id, results::RunStatus::kRunning);

  const auto capture =
      options.capture.empty() ? nullptr : std::make_shared<CaptureFile>(options.capture);
  const auto log = options.jsonl.empty() ? nullptr : std::make_shared<TrialLog>(options.jsonl);
  const InterruptGuard interrupt;
  Progress progress(stderr, Progress::styleFor(stderr, options.quiet));
  StoredTrialRunner runner({store, id, *bench, progress, interrupt},
                           observers(options, capture, log));
  try {
    runTests(scenario, tests, *bench, store, id, runner);
  } catch (const Aborted&) {
    store.setStatus(id, results::RunStatus::kAborted);
    progress.clear();
    fmt::print(stderr, "run {} was interrupted; its finished trials are saved. To go on:\n  {}\n",
               id, resumeCommand(options));
    return ExitCode::kAborted;
  } catch (...) {
    store.setStatus(id, results::RunStatus::kFailed);
    throw;
  }
  store.setStatus(id, results::RunStatus::kDone);
  return conclude(scenario, store.loadRun(id), options);
}

}  // namespace

void addRunVerb(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* verb = app.add_subcommand("run", "Run a scenario, store its results, write a report");
  addScenarioOptions(*verb, options->scenario);
  verb->add_flag("--resume", options->resume,
                 "Go on with the latest unfinished run of the same scenario, bench, profile, seed");
  addResultsOption(*verb, options->results);
  verb->add_option("--report", options->report,
                   "Directory for the report (default: RESULTS/run-N)");
  verb->add_option("--json", options->json, "Write the run and its results to this file");
  verb->add_option("--jsonl", options->jsonl, "Write a line of JSON per trial to this file");
  auto* capture = verb->add_option("--capture", options->capture,
                                   "Write every frame of one tester port to this pcapng file");
  verb->add_option("--capture-port", options->capture_port, "Which port to capture")
      ->needs(capture)
      ->check(plainInteger())
      ->capture_default_str();
  verb->add_option("--trace", options->trace,
                   "Write a waveform (FST) of the simulated card to this file");
  verb->add_option("--threads", options->threads,
                   "Threads of one simulation on the sim bench; results do not depend on it")
      ->check(plainInteger())
      ->capture_default_str();
  verb->add_flag("--quiet", options->quiet, "No progress on stderr");
  verb->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace plumbline::cli
