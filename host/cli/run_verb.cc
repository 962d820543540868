#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/error.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/remote_run.h"
#include "cli/setup.h"
#include "cli/verbs.h"
#include "results/export.h"
#include "results/store.h"
#include "session/capture_file.h"
#include "session/reporting.h"
#include "session/run.h"

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
  ServerOptions server;
};

// The run to continue, or a new one.
std::int64_t chooseRun(results::ResultStore& store, const scenario::Scenario& scenario,
                       const RunOptions& options) {
  if (options.resume) {
    if (const auto unfinished = store.latestUnfinished(session::identityOf(scenario))) {
      if (!options.quiet) {
        fmt::print(stderr, "going on with run {}: {} trials are stored\n", unfinished->id,
                   unfinished->trials);
        if (unfinished->software != session::softwareName()) {
          fmt::print(stderr, "those were measured by {}, the rest will be by {}\n",
                     unfinished->software, session::softwareName());
        }
      }
      return unfinished->id;
    }
    if (!options.quiet) fmt::print(stderr, "nothing to resume: this is a new run\n");
  }
  return session::createRun(store, scenario);
}

// One line of JSON per trial, as soon as it is answered.
class TrialLog {
 public:
  explicit TrialLog(const std::string& file) : file_(file), stream_(file, std::ios::trunc) {
    if (!stream_) throw Error(ErrorKind::kUsage, "the file cannot be written", file);
  }

  void write(const session::TrialRecord& record) {
    std::uint64_t sent = 0;
    for (const auto& stream : record.result.streams) sent += stream.sent_frames;
    nlohmann::ordered_json line{{"test", record.test},
                                {"bench", record.result.bench},
                                {"point", record.label},
                                {"repetition", record.repetition},
                                {"stored", record.stored},
                                {"sent_frames", sent},
                                {"lost_frames", record.result.lost()},
                                {"loss_ppm", session::lossPpm(record.result)}};
    const stats::Histogram latency = session::latencyOf(record.result);
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

// Shows the run on stderr, keeps the files that were asked for, and stops on Ctrl-C.
class CommandWatcher final : public session::RunWatcher {
 public:
  explicit CommandWatcher(const RunOptions& options)
      : progress_(stderr, Progress::styleFor(stderr, options.quiet)) {
    if (!options.capture.empty()) capture_.emplace(options.capture);
    if (!options.jsonl.empty()) log_.emplace(options.jsonl);
  }

  Progress& progress() { return progress_; }

  bool stopRequested() override { return interrupt_.requested(); }
  void beginTest(const std::string& test, std::uint64_t expected) override {
    progress_.beginTest(test, expected);
  }
  void beginTrial(const std::string& label, std::uint32_t /*repetition*/) override {
    progress_.beginTrial(label);
  }
  void progress(const bench::TrialProgress& progress) override {
    const auto total = static_cast<double>(std::max<std::int64_t>(1, progress.total.count()));
    progress_.update(std::clamp(static_cast<double>(progress.done.count()) / total, 0.0, 1.0));
  }
  void captured(const card::CapturedFrame& frame, const std::string& trial) override {
    capture_->write(frame, trial);
  }
  void endTrial(const session::TrialRecord& record) override {
    progress_.endTrial(session::trialInWords(record.result), record.stored);
    if (log_) log_->write(record);
  }
  void endTest() override { progress_.endTest(); }

 private:
  InterruptGuard interrupt_;
  Progress progress_;
  std::optional<session::CaptureFile> capture_;
  std::optional<TrialLog> log_;
};

// Tables, limits and files of a finished run; the exit code they amount to.
ExitCode conclude(const scenario::Scenario& scenario, const results::StoredRun& run,
                  const RunOptions& options) {
  const session::Verdict verdict = session::verdictOf(scenario, run);
  fmt::print("{}", session::runText(run, verdict));
  if (!options.json.empty()) session::writeFile(options.json, results::exportJson(run));
  const std::string directory = options.report.empty()
                                    ? session::defaultReportDirectory(options.results, run.info.id)
                                    : options.report;
  fmt::print("report {}\n", session::writeRunReport(run, directory));
  if (!verdict.valid) return ExitCode::kInvalid;
  return verdict.met ? ExitCode::kDone : ExitCode::kLimitMissed;
}

void checkCapture(const RunOptions& options, const scenario::Scenario& scenario) {
  if (options.capture.empty()) return;
  if (options.resume) {
    throw Error(ErrorKind::kUsage, "stored trials have no frames to capture", "--capture",
                "leave out --resume");
  }
  if (scenario.bench == scenario::kCompareBenches) {
    throw Error(ErrorKind::kUsage, "two benches are compared, only one has frames to capture",
                "--capture", "--bench rtl");
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

ExitCode runHere(const RunOptions& options) {
  scenario::Scenario scenario = loadScenario(options.scenario);
  checkCapture(options, scenario);
  const session::PreparedRun prepared = session::prepareRun(
      std::move(scenario),
      {.trace_fst = options.trace, .line_rate = {}, .threads = options.threads});

  auto store = results::ResultStore::open(options.results);
  const std::int64_t id = chooseRun(store, prepared.scenario, options);
  const auto capture_port =
      options.capture.empty() ? std::nullopt : std::optional(options.capture_port);
  CommandWatcher watcher(options);
  try {
    session::executeRun(prepared, store, id, watcher, capture_port);
  } catch (const session::Aborted&) {
    watcher.progress().clear();
    fmt::print(stderr, "run {} was interrupted; its finished trials are saved. To go on:\n  {}\n",
               id, resumeCommand(options));
    return ExitCode::kAborted;
  }
  return conclude(prepared.scenario, store.loadRun(id), options);
}

ExitCode run(const RunOptions& options) {
  if (options.server.address.empty()) return runHere(options);
  if (options.resume || !options.jsonl.empty() || !options.trace.empty()) {
    throw Error(ErrorKind::kUsage, "--resume, --jsonl and --trace are for runs on this machine",
                "--server");
  }
  RemoteRun remote;
  remote.server = options.server;
  remote.scenario = options.scenario;
  remote.quiet = options.quiet;
  remote.report = options.report;
  remote.json = options.json;
  remote.capture = options.capture;
  remote.capture_port = options.capture_port;
  remote.threads = options.threads;
  return runRemotely(remote);
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
  addServerOptions(*verb, options->server, "Run it on the server at HOST:PORT, not here");
  verb->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace plumbline::cli
