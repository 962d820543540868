#include "cli/sweep_verb.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/shell_words.h"
#include "cli/interrupt.h"
#include "cli/note.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "cli/setup.h"
#include "cli/verbs.h"
#include "command/whole_number_option.h"
#include "session/reporting.h"
#include "session/run.h"
#include "session/text_table.h"
#include "sweep/local_engine.h"
#include "sweep/merge.h"
#include "sweep/point.h"
#include "sweep/slurm_engine.h"

namespace plumbline::cli {
namespace {

struct SweepOptions {
  ScenarioOptions scenario;
  std::string directory;
  std::string engine = "local";
  std::optional<std::size_t> jobs;
  std::string status;
  std::optional<std::uint64_t> point;
  std::string results;
  bool quiet = false;
  bool tables = false;
};

// Writes a worker's progress into the log of its point.
class PointWatcher final : public session::RunWatcher {
 public:
  bool stopRequested() override { return interrupt_.requested(); }
  void beginTest(const std::string& test, std::uint64_t expected) override {
    progress_.beginTest(test, expected);
  }
  void beginTrial(const std::string& label, std::uint32_t /*repetition*/) override {
    progress_.beginTrial(label);
  }
  void endTrial(const session::TrialRecord& record) override {
    progress_.endTrial(session::trialInWords(record.result), record.stored);
  }
  void endTest() override { progress_.endTest(); }

 private:
  InterruptGuard interrupt_;
  Progress progress_{stderr, Progress::Style::kLines};
};

ExitCode measureOne(const SweepOptions& options) {
  if (options.directory.empty()) {
    throw Error(ErrorKind::kUsage, "a point belongs to a directory", "--point", "--dir DIR");
  }
  const auto directory = sweep::SweepDirectory::open(options.directory);
  if (*options.point == 0 || *options.point > directory.size()) {
    throw Error(ErrorKind::kUsage, fmt::format("there is no point {}", *options.point), "--point",
                fmt::format("1 to {}", directory.size()));
  }
  PointWatcher watcher;
  try {
    sweep::measurePoint(directory, *options.point - 1, watcher);
  } catch (const session::Aborted&) {
    note(stderr, "interrupted; the finished trials are saved\n");
    return ExitCode::kAborted;
  }
  return ExitCode::kDone;
}

// With the engine's own list of points that no worker has started.
ExitCode showStatus(const std::string& path) {
  const auto directory = sweep::SweepDirectory::open(path);
  const std::set<std::size_t> queued = sweep::slurmPending(directory);
  std::vector<std::vector<std::string>> rows;
  std::size_t done = 0;
  for (std::size_t point = 0; point < directory.size(); ++point) {
    const sweep::PointStatus status = directory.status(point);
    const bool running = status.state == sweep::PointState::kRunning;
    if (status.state == sweep::PointState::kDone) ++done;
    std::string state(sweep::pointStateName(status.state));
    const bool waits = !running && status.state != sweep::PointState::kDone;
    if (waits && queued.contains(point)) state += ", queued in Slurm";
    rows.push_back({std::to_string(point + 1), directory.sweep().label(point), state,
                    running ? std::string("-") : std::to_string(status.trials)});
  }
  fmt::print("{}{} of {} points are done\n",
             session::alignedTable({"point", "values", "state", "trials"}, rows), done,
             directory.size());
  return done == directory.size() ? ExitCode::kDone : ExitCode::kAborted;
}

std::size_t localWorkers(const SweepOptions& options) {
  return options.jobs.value_or(std::max(1U, std::thread::hardware_concurrency()));
}

ExitCode runHere(const sweep::SweepDirectory& directory, const SweepOptions& options) {
  const InterruptGuard interrupt;
  const auto outcome = sweep::runLocally(
      directory, {.workers = localWorkers(options),
                  .stop_requested = [&interrupt] { return interrupt.requested(); },
                  .say =
                      [&options](const std::string& line) {
                        if (!options.quiet) note(stderr, "{}\n", line);
                      }});
  if (outcome.stopped) {
    note(stderr, "the sweep was interrupted; the same command goes on with it\n");
    return ExitCode::kAborted;
  }
  if (!outcome.failed.empty()) {
    note(stderr, "{} of {} points have failed; the same command tries them again\n",
         outcome.failed.size(), directory.size());
    return ExitCode::kTesterFault;
  }
  return mergeAndConclude(directory.path().string(), false, options.tables);
}

ExitCode submit(const sweep::SweepDirectory& directory, const SweepOptions& options) {
  const auto submission = sweep::submitToSlurm(directory, options.jobs.value_or(0));
  if (submission.points.empty()) {
    if (directory.unfinished().empty())
      return mergeAndConclude(directory.path().string(), false, options.tables);
    fmt::print("nothing to submit: the points that are not done are in Slurm's hands\n");
    return ExitCode::kDone;
  }
  fmt::print("job {}: {} of {} points\n", submission.job, submission.points.size(),
             directory.size());
  fmt::print("see  plumbline sweep --status {0}\nthen plumbline results merge {0}\n",
             shellPath(directory.path().string()));
  return ExitCode::kDone;
}

ExitCode sweepScenario(const SweepOptions& options) {
  const scenario::Scenario scenario = loadScenario(options.scenario);
  const scenario::Sweep all(scenario.text, scenario.file);
  // Slurm's workers have a machine each.
  if (options.engine == "local") shareMemory(std::min(localWorkers(options), all.size()));
  sweep::checkPoints(all, options.scenario);
  printWarnings(scenario);
  const std::string path = options.directory.empty()
                               ? (std::filesystem::path(options.results) /
                                  ("sweep-" + std::filesystem::path(scenario.file).stem().string()))
                                     .string()
                               : options.directory;
  const auto directory = sweep::SweepDirectory::begin(path, options.scenario);
  note(stderr, "{} points in {}\n", directory.size(), directory.path().string());
  return options.engine == "slurm" ? submit(directory, options) : runHere(directory, options);
}

ExitCode act(const SweepOptions& options) {
  const std::array<bool, 3> asked{!options.scenario.file.empty(), !options.status.empty(),
                                  options.point.has_value()};
  if (std::count(asked.begin(), asked.end(), true) != 1) {
    throw Error(ErrorKind::kUsage, "one of a scenario, --status and --point is needed",
                "plumbline sweep", "plumbline sweep --help");
  }
  if (asked[1]) return showStatus(options.status);
  return asked[2] ? measureOne(options) : sweepScenario(options);
}

}  // namespace

ExitCode mergeAndConclude(const std::string& path, bool partial, bool tables) {
  const auto directory = sweep::SweepDirectory::open(path);
  const sweep::Merged merged = sweep::mergeSweep(directory, partial);
  const std::string store = merged.directory.string();
  const std::string report = session::writeRunReport(
      merged.run, session::defaultReportDirectory(store, merged.run.info.id));
  const ExitCode code =
      printRun(merged.run, session::verdictOf(directory.whole(), merged.run), tables, store);
  fmt::print("results {}\nreport {}\n", store, report);
  return code;
}

void addSweepVerb(CLI::App& app, Action& action) {
  auto options = std::make_shared<SweepOptions>();
  CLI::App* verb =
      app.add_subcommand("sweep", "Run every point of a scenario's sweep, each in its own process");
  addScenarioOptions(*verb, options->scenario);
  addMemoryOption(*verb);
  verb->get_option("scenario")->required(false);
  verb->add_option("--dir", options->directory,
                   "Directory of the sweep (default: RESULTS/sweep-NAME)");
  verb->add_option("--engine", options->engine, "local processes, or a slurm job array")
      ->check(CLI::IsMember({"local", "slurm"}))
      ->capture_default_str();
  command::addWholeNumber(*verb, "-j,--jobs", options->jobs,
                          "Points at a time (default: local one per processor, slurm all)", 1);
  verb->add_option("--status", options->status, "Show how far the sweep in this directory is");
  command::addWholeNumber(*verb, "--point", options->point,
                          "Measure this point of --dir: what the engines run");
  addResultsOption(*verb, options->results);
  verb->add_flag("--tables", options->tables, "Print all tables instead of a summary");
  verb->add_flag("--quiet", options->quiet, "No progress on stderr");
  verb->callback([options, &action] { action = [options] { return act(*options); }; });
}

}  // namespace plumbline::cli
