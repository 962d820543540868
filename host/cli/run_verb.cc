#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "cli/agents_run.h"
#include "cli/interrupt.h"
#include "cli/note.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/remote_run.h"
#include "cli/run_options.h"
#include "cli/setup.h"
#include "cli/verbs.h"
#include "command/whole_number_option.h"
#include "results/store.h"
#include "session/capture_file.h"
#include "session/reporting.h"
#include "session/run.h"
#include "session/trial_log.h"

namespace plumbline::cli {
namespace {

// Shows the run on stderr, writes the requested files, and stops on Ctrl-C.
class CommandWatcher final : public session::RunWatcher {
 public:
  explicit CommandWatcher(const RunOptions& options)
      : progress_(stderr, Progress::styleFor(stderr, options.quiet)) {
    if (!options.capture.empty()) capture_.emplace(options.capture);
    if (!options.jsonl.empty()) log_.emplace(options.jsonl);
  }

  Progress& progress() { return progress_; }
  OutputErrors& outputErrors() { return errors_; }

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
    writeLive(capture_, [&](session::CaptureFile& file) { file.write(frame, trial); });
  }
  void endTrial(const session::TrialRecord& record) override {
    progress_.endTrial(session::trialInWords(record.result), record.stored);
    writeLive(log_, [&](session::TrialLog& log) { log.write(record); });
    writeLive(capture_, [](session::CaptureFile& file) { file.endTrial(); });
  }
  void endTest() override { progress_.endTest(); }

 private:
  template <typename File, typename Write>
  void writeLive(std::optional<File>& file, const Write& write) {
    errors_.attemptLive(file, write, [this] { progress_.clear(); });
  }

  InterruptGuard interrupt_;
  Progress progress_;
  OutputErrors errors_;
  std::optional<session::CaptureFile> capture_;
  std::optional<session::TrialLog> log_;
};

void checkCapture(const RunOptions& options, const scenario::Scenario& scenario) {
  if (options.capture.empty()) return;
  if (options.resume) {
    throw Error(ErrorKind::kUsage, "stored trials have no frames to capture", "--capture",
                "leave out --resume");
  }
  if (session::benchesOf(scenario.bench).size() > 1) {
    throw Error(ErrorKind::kUsage, "two benches are compared, only one has frames to capture",
                "--capture", "--bench rtl");
  }
  const std::uint32_t hosts = scenario.topology.hostCount();
  if (options.capture_port >= hosts) {
    throw Error(ErrorKind::kUsage, fmt::format("there is no port {}", options.capture_port),
                "--capture-port", fmt::format("0 to {}", hosts - 1));
  }
}

ExitCode runHere(const RunOptions& options) {
  scenario::Scenario scenario = loadScenario(options.scenario);
  checkCapture(options, scenario);
  checkOutputFiles(options, &scenario);
  printWarnings(scenario);
  const session::PreparedRun prepared = session::prepareRun(
      std::move(scenario),
      {.trace_fst = options.trace, .line_rate = {}, .threads = options.threads});
  makeOutputDirectories(options);

  auto store = results::ResultStore::open(options.results);
  const std::int64_t id = chooseRun(store, session::identityOf(prepared.scenario), options);
  const auto capture_port =
      options.capture.empty() ? std::nullopt : std::optional(options.capture_port);
  CommandWatcher watcher(options);
  try {
    session::executeRun(prepared, store, id, watcher, capture_port);
  } catch (const session::Aborted&) {
    watcher.progress().clear();
    note(stderr, "run {} was interrupted; its finished trials are saved. To go on:\n  {}\n", id,
         resumeCommand(options));
    return ExitCode::kAborted;
  }
  return conclude(prepared.scenario, store.loadRun(id), options, watcher.outputErrors());
}

ExitCode run(const RunOptions& options) {
  const bool remote = !options.server.address.empty();
  const auto refuse = [](const char* what, const char* where, const char* remedy) {
    throw Error(ErrorKind::kUsage, what, where, remedy);
  };
  if (remote && !options.agents.empty()) {
    refuse("one server or several agents", "--server, --agents", "one of them");
  }
  if (remote || !options.agents.empty()) {
    if (!options.trace.empty()) refuse("waveforms are for runs on this machine", "--trace", "");
  } else if (!options.server.token_file.empty() || !options.server.ca_file.empty()) {
    refuse("--token-file and --ca need --server or --agents", "--token-file, --ca",
           "--server or --agents");
  }
  if (remote) return runRemotely(options);
  if (!options.agents.empty()) return runOnAgents(options);
  return runHere(options);
}

}  // namespace

void addRunVerb(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* verb = app.add_subcommand("run", "Run a scenario, store its results, write a report");
  addScenarioOptions(*verb, options->scenario);
  verb->add_flag("--resume", options->resume,
                 "Go on with the latest unfinished run of the same settings and seed");
  addResultsOption(*verb, options->results);
  addMemoryOption(*verb);
  verb->add_option("--report", options->report,
                   "Directory for the report (default: RESULTS/run-N)");
  verb->add_option("--json", options->json, "Write the run and its results to this file");
  verb->add_option("--jsonl", options->jsonl, "Write a line of JSON per trial to this file");
  auto* capture = verb->add_option("--capture", options->capture,
                                   "Write every frame of one tester port to this pcapng file");
  command::addWholeNumber(*verb, "--capture-port", options->capture_port, "Which port to capture")
      ->needs(capture)
      ->capture_default_str();
  verb->add_option("--trace", options->trace,
                   "Write a waveform (FST) of the simulated card to this file");
  command::addWholeNumber(*verb, "--threads", options->threads,
                          "Threads of one simulation (bench sim); results do not depend on it")
      ->capture_default_str();
  verb->add_flag("--tables", options->tables, "Print all tables instead of a summary");
  verb->add_flag("--quiet", options->quiet, "No progress on stderr");
  addServerOptions(*verb, options->server, "Run it on the server at HOST:PORT, not here");
  auto* agents = verb->add_option("--agents", options->agents,
                                  "Run it on the servers at HOST:PORT,HOST:PORT,... together");
  verb->add_option("--start-tolerance", options->start_tolerance,
                   "How late an agent may begin before the result is not valid")
      ->needs(agents)
      ->capture_default_str();
  verb->add_option("--agent-timeout", options->agent_timeout,
                   "Without an answer for so long an agent is lost")
      ->needs(agents)
      ->capture_default_str();
  verb->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace plumbline::cli
