#include "cli/agents_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/output_file.h"
#include "base/token_file.h"
#include "cli/host_name.h"
#include "cli/interrupt.h"
#include "cli/note.h"
#include "cli/outputs.h"
#include "cli/remote_run.h"
#include "control/controller.h"
#include "scenario/quantity.h"
#include "session/run.h"

namespace plumbline::cli {
namespace {

using namespace std::chrono_literals;

std::chrono::nanoseconds durationOf(const std::string& text, const char* option) {
  const auto parsed = scenario::parseDuration(text);
  if (!parsed.value) throw Error(ErrorKind::kUsage, parsed.error, option, "for example 1ms");
  return std::chrono::nanoseconds(parsed.value->count() / 1'000);
}

control::ControllerOptions controllerOptions(const RunOptions& options,
                                             const scenario::Scenario& scenario) {
  control::ControllerOptions controller;
  controller.agents = control::parseAgents(options.agents);
  for (control::AgentAddress& agent : controller.agents) {
    if (!options.server.token_file.empty()) {
      agent.address.token = readToken(options.server.token_file);
    }
    agent.address.ca_file = options.server.ca_file;
  }
  controller.request.scenario = {scenario.text, options.scenario.file, options.scenario.bench,
                                 options.scenario.profile, options.scenario.seed};
  controller.request.threads = options.threads;
  controller.request.resume = options.resume;
  controller.files = session::identityOf(scenario).files;
  controller.request.owner = hostName();
  controller.start_tolerance = durationOf(options.start_tolerance, "--start-tolerance");
  controller.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(
      durationOf(options.agent_timeout, "--agent-timeout"));
  if (controller.timeout < 1s) {
    throw Error(ErrorKind::kUsage, "no agent answers as fast as that", "--agent-timeout",
                "a second or more");
  }
  return controller;
}

// "10.0.0.2 T5.2 3/40, 10.0.0.3 T5.2 4/40": a line that stays on a terminal, or one every ten
// seconds.
class AgentsWatcher final : public control::ControllerWatcher {
 public:
  AgentsWatcher(const RunOptions& options, const std::vector<control::AgentAddress>& agents)
      : quiet_(options.quiet), terminal_(::isatty(STDERR_FILENO) != 0), places_(agents.size()) {
    for (const control::AgentAddress& agent : agents) names_.push_back(agent.name);
    if (!options.jsonl.empty()) log_.emplace(options.jsonl);
  }

  bool stopRequested() override {
    show();
    return interrupt_.requested();
  }

  void interval(std::size_t agent, const control::LiveInterval& live) override {
    const std::scoped_lock lock(mutex_);
    places_[agent] =
        fmt::format("{} {}/{}", live.trial.test, live.trial.number, live.trial.expected);
  }

  // Each line begins with the agent.
  void log(const std::string& agent, const std::string& lines) override {
    const auto write = [&](OutputFile& file) {
      for (std::size_t from = 0; from < lines.size();) {
        const std::size_t end = lines.find('\n', from);
        file.stream() << R"({"agent":)" << nlohmann::json(agent).dump() << ","
                      << lines.substr(from + 1, end - from);
        from = end + 1;
      }
      file.check();
    };
    errors_.attemptLive(log_, write, [this] { clear(); });
  }

  OutputErrors& outputErrors() { return errors_; }

  void clear() {
    if (shown_) noteToTerminal(stderr, "\r\x1b[K");
    shown_ = false;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void show() {
    const auto now = Clock::now();
    if (quiet_ || now < next_) return;
    next_ = now + (terminal_ ? 500ms : 10s);
    std::string line;
    {
      const std::scoped_lock lock(mutex_);
      for (std::size_t i = 0; i < places_.size(); ++i) {
        if (!places_[i].empty()) {
          line += fmt::format("{}{} {}", line.empty() ? "" : ", ", names_[i], places_[i]);
        }
      }
    }
    if (line.empty()) return;
    note(stderr, "{}{}", line, terminal_ ? "" : "\n");
    if (terminal_) noteToTerminal(stderr, "\x1b[K\r");
    shown_ = terminal_;
  }

  InterruptGuard interrupt_;
  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point next_;
  std::vector<std::string> names_;
  std::mutex mutex_;  // of the following
  std::vector<std::string> places_;
  std::optional<OutputFile> log_;
  OutputErrors errors_;
};

// "10.0.0.2:8470: clock +1.2 us, within 30.4 us; trials began at most 12.5 us after …"
void printStarts(const results::StoredRun& run) {
  const auto us = [](std::int64_t ns) { return static_cast<double>(ns) / 1e3; };
  const std::uint32_t attempt = run.agents.empty() ? 0 : run.agents.back().attempt;
  for (const results::AgentRecord& agent : run.agents) {
    if (agent.attempt != attempt) continue;
    note(stderr, "{}: clock {:+.1f} us, within {:.1f} us; {}\n", agent.name,
         us(agent.clock_offset_ns), us(agent.clock_uncertainty_ns),
         agent.late_ns ? fmt::format("trials began at most {:.1f} us after their common start{}",
                                     us(*agent.late_ns), agent.late ? ", TOO LATE" : "")
                       : "did not begin");
  }
}

}  // namespace

ExitCode runOnAgents(const RunOptions& options) {
  if (!options.capture.empty()) {
    throw Error(ErrorKind::kUsage, "captures are for runs on one tester", "--capture, --agents",
                "--server");
  }
  const scenario::Scenario scenario = loadScenario(options.scenario);
  printWarnings(scenario);
  checkOutputFiles(options, &scenario);
  const control::ControllerOptions asked = controllerOptions(options, scenario);
  AgentsWatcher watcher(options, asked.agents);
  control::Controller controller(asked, watcher);
  controller.prepare();
  makeOutputDirectories(options);

  auto store = results::ResultStore::open(options.results);
  results::RunIdentity identity = session::identityOf(scenario);
  identity.bench = controller.benchText(identity.bench);
  const std::int64_t id = chooseRun(store, identity, options);
  const control::ControlledRun ended = controller.run(store, id);
  watcher.clear();
  const results::StoredRun run = store.loadRun(id);
  if (!options.quiet) printStarts(run);
  if (ended.status == results::RunStatus::kFailed) {
    note(stderr, "{} trials of all agents are saved as run {}. To go on:\n  {}\n", run.info.trials,
         id, resumeCommand(options));
    throw Error(ErrorKind::kTester, ended.failure);
  }
  if (ended.status == results::RunStatus::kAborted) {
    note(stderr, "run {} was interrupted; its finished trials are saved. To go on:\n  {}\n", id,
         resumeCommand(options));
    return ExitCode::kAborted;
  }
  return conclude(scenario, run, options, watcher.outputErrors());
}

}  // namespace plumbline::cli
