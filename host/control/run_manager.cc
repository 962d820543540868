#include "control/run_manager.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "bench/flow_plan.h"
#include "bench/registry.h"
#include "control/refused.h"
#include "session/reporting.h"

namespace plumbline::control {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCard = scenario::kSimulatedCard;
constexpr unsigned kMostThreads = 64;

[[noreturn]] void refuse(const Error& error) {
  const bool asked = error.kind() == ErrorKind::kUsage || error.kind() == ErrorKind::kUnsupported;
  throw Refused(asked ? 422 : 500, error.what(), error.where(), error.remedy());
}

std::string readFile(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) throw Refused(500, "the file cannot be read", file.string());
  return text.str();
}

void putStart(const StartGate::Times& times, RunState& state) {
  state.start_trial = times.trial;
  state.start_at_ns = times.at_ns;
  state.started_ns = times.started_ns;
  state.waiting = times.waiting;
}

}  // namespace

std::vector<PortState> allPorts() {
  std::vector<PortState> ports;
  for (const bench::BenchInfo& info : bench::benches()) {
    const auto bench = bench::makeBench(info.name, {});
    const bench::Capabilities& can = bench->capabilities();
    PortState port;
    port.bench = info.name;
    port.line_rate_bps = static_cast<std::uint64_t>(can.line_rate.bitsPerSecond());
    if (info.name != kCard) {
      port.name = info.name;
      ports.push_back(port);
      continue;
    }
    for (port.number = 0; port.number < can.max_ports; ++port.number) {
      port.name = fmt::format("{}/{}", info.name, port.number);
      ports.push_back(port);
    }
  }
  return ports;
}

std::vector<std::string> portsOf(const session::PreparedRun& prepared) {
  std::set<std::uint32_t> hosts;
  for (const session::PlannedTest& test : prepared.tests) {
    for (const suite::PlannedTrial& sample : test.plan.samples) {
      const std::vector<std::uint32_t> used = bench::usedHosts(sample.spec);
      hosts.insert(used.begin(), used.end());
    }
  }
  std::vector<std::string> ports;
  for (const std::string& bench : session::benchesOf(prepared.scenario.bench)) {
    if (bench != kCard) {
      ports.push_back(bench);
      continue;
    }
    // Hosts of the DUT go to the card's ports in ascending order.
    for (std::size_t i = 0; i < hosts.size(); ++i) ports.push_back(fmt::format("{}/{}", bench, i));
  }
  return ports;
}

scenario::Scenario scenarioOf(const ScenarioRequest& request) {
  std::string text = request.scenario;
  // Only a file's name: what a scenario refers to must not lead elsewhere on this machine.
  std::string file = fs::path(request.name).filename().string();
  if (text.empty()) {
    const fs::path shipped = session::shippedScenario(request.name);
    if (request.name.empty() || shipped.empty()) {
      throw Refused(404, "there is no scenario \"" + request.name + "\"", "name",
                    "GET /api/v1/scenarios lists them; or give the text as \"scenario\"");
    }
    text = readFile(shipped);
    file = shipped.string();
  }
  if (file.empty()) file = "scenario.yaml";
  auto parsed = scenario::parseScenario(text, file, session::vocabulary());
  if (!parsed.ok()) {
    Refusal refusal{422, "the scenario has mistakes", file, "", {}};
    for (const scenario::Problem& problem : parsed.problems) {
      refusal.problems.push_back({problem.line, problem.column, problem.what, problem.allowed});
    }
    throw Refused(std::move(refusal));
  }
  try {
    session::applyOverrides({file, request.bench, request.profile, request.seed}, parsed.scenario);
  } catch (const Error& error) {
    refuse(error);
  }
  return std::move(parsed.scenario);
}

session::PreparedRun prepare(const ScenarioRequest& request, unsigned threads) {
  try {
    return session::prepareRun(scenarioOf(request),
                               {.trace_fst = {}, .line_rate = {}, .threads = threads});
  } catch (const Error& error) {
    refuse(error);
  }
}

RunManager::RunManager(fs::path results, LiveHub& hub, PortTable& ports, const HostClock& clock)
    : results_(std::move(results)), clock_(clock), hub_(hub), ports_(ports) {
  const auto store = openStore();  // made now: what is wrong with it is wrong at once
}

RunManager::~RunManager() { shutDown(); }

results::ResultStore RunManager::openStore() const { return results::ResultStore::open(results_); }

fs::path RunManager::directoryOf(std::int64_t run) const {
  return session::defaultReportDirectory(results_.string(), run);
}

fs::path RunManager::captureFile(std::int64_t run) const {
  return directoryOf(run) / "capture.pcapng";
}

fs::path RunManager::logFile(std::int64_t run) const { return directoryOf(run) / "trials.jsonl"; }

RunState RunManager::start(const RunRequest& request) {
  if (request.threads < 1 || request.threads > kMostThreads) {
    throw Refused(400, fmt::format("{} is no number of threads", request.threads), "threads",
                  fmt::format("1 to {}", kMostThreads));
  }
  if (request.start) checkStart(*request.start);
  session::PreparedRun prepared = prepare(request.scenario, request.threads);
  const std::uint32_t hosts = prepared.scenario.topology.hostCount();
  if (request.capture_port && *request.capture_port >= hosts) {
    throw Refused(422, fmt::format("there is no port {}", *request.capture_port), "capture_port",
                  fmt::format("0 to {}", hosts - 1));
  }
  if (request.capture_port && prepared.scenario.bench != kCard) {
    throw Refused(422, "only the card captures frames", "capture_port", "the rtl bench");
  }
  const auto resumed = request.resume ? unfinished(prepared.scenario) : std::nullopt;
  if (resumed && request.capture_port) {
    throw Refused(422, "stored trials have no frames to capture", "capture_port", "no \"resume\"");
  }
  return launch(std::move(prepared), resumed, request);
}

std::optional<std::int64_t> RunManager::unfinished(const scenario::Scenario& scenario) {
  try {
    const auto run = openStore().latestUnfinished(session::identityOf(scenario));
    return run ? std::optional(run->id) : std::nullopt;
  } catch (const Error& error) {
    refuse(error);
  }
}

void RunManager::checkStart(const CommonStart& start) const {
  constexpr std::int64_t kLongestHold = 3'600;
  if (start.at_ns.has_value() == start.hold_s.has_value()) {
    throw Refused(422, "a common start is of the first trial or of every one", "start",
                  "\"at_ns\" or \"hold_s\"");
  }
  if (start.at_ns) return checkInstant(*start.at_ns);
  if (*start.hold_s < 1 || *start.hold_s > kLongestHold) {
    throw Refused(422, fmt::format("{} s is no time to wait", *start.hold_s), "start.hold_s",
                  fmt::format("1 to {}", kLongestHold));
  }
}

// One that is far off was meant for another clock. A little late is no reason not to begin: who
// asked is told how late it was.
void RunManager::checkInstant(std::int64_t at_ns) const {
  constexpr std::int64_t kLongestPast = 60'000'000'000;
  constexpr std::int64_t kLongestWait = 3'600'000'000'000;
  const std::int64_t now = clock_.nowNs();
  if (at_ns >= now - kLongestPast && at_ns <= now + kLongestWait) return;
  throw Refused(422, fmt::format("{} is no time to start at: it is {} now", at_ns, now), "at_ns",
                "nanoseconds of this server's clock, within the next hour");
}

RunState RunManager::resume(std::int64_t run) {
  const results::RunInfo info = load(run).info;
  if (info.status == results::RunStatus::kDone) {
    throw Refused(409, fmt::format("run {} is done", run), {}, "start a new one");
  }
  RunRequest request;
  request.scenario = {info.identity.scenario_text, info.identity.scenario_file, info.identity.bench,
                      info.identity.profile, info.identity.seed};
  return launch(prepare(request.scenario, request.threads), run, request);
}

RunState RunManager::launch(session::PreparedRun prepared, std::optional<std::int64_t> resumed,
                            const RunRequest& request) {
  const std::scoped_lock starting(starting_);
  reap();
  {
    const std::scoped_lock lock(mutex_);
    if (shut_down_) throw Refused(503, "the server is shutting down");
    if (resumed && active_.contains(*resumed)) {
      throw Refused(409, fmt::format("run {} is running", *resumed));
    }
  }
  auto active = std::make_unique<Active>();
  active->ports = portsOf(prepared);
  active->prepared = std::move(prepared);
  active->capture_port = request.capture_port;
  ports_.claim(PortTable::kStarting, active->ports, request.owner, request.reservation);
  std::int64_t run = PortTable::kStarting;
  try {
    auto store = openStore();
    run = resumed ? *resumed : session::createRun(store, active->prepared.scenario);
    const results::RunLock free(store.directory(), run);  // another process may have it
    fs::create_directories(directoryOf(run));
    LiveWatcher::Files files{{}, logFile(run).string()};
    if (active->capture_port) files.capture = captureFile(run).string();
    active->watcher = std::make_unique<LiveWatcher>(hub_, run, files);
    if (request.start && request.start->at_ns) {
      active->watcher->startAt(clock_, *request.start->at_ns);
    } else if (request.start) {
      active->watcher->startEach(clock_, std::chrono::seconds(*request.start->hold_s),
                                 [this, run] { tellState(run); });
    }
  } catch (const Error& error) {
    ports_.free(PortTable::kStarting);
    throw Refused(error.kind() == ErrorKind::kUsage ? 409 : 500, error.what(), error.where(),
                  error.remedy());
  } catch (...) {
    ports_.free(PortTable::kStarting);
    throw;
  }
  ports_.rename(PortTable::kStarting, run);
  {
    const std::scoped_lock lock(mutex_);
    errors_.erase(run);
    active_.emplace(run, std::move(active));
  }
  // Told before anything of it can be.
  RunState begun = state(run);
  hub_.publish(begun);
  const std::scoped_lock lock(mutex_);
  Active& placed = *active_.at(run);
  placed.thread = std::thread([this, run, &placed] { execute(run, placed); });
  return begun;
}

void RunManager::execute(std::int64_t run, Active& active) {
  std::string error;
  try {
    auto store = openStore();
    session::executeRun(active.prepared, store, run, *active.watcher, active.capture_port);
  } catch (const session::Aborted&) {
    // Its status says so.
  } catch (const std::exception& fault) {
    error = fault.what();
  }
  {
    const std::scoped_lock lock(mutex_);
    if (!error.empty()) errors_[run] = error;
    starts_[run] = active.watcher->startTimes();
    const auto place = active_.find(run);
    ended_.push_back(std::move(place->second));
    active_.erase(place);
  }
  ports_.free(run);
  tellState(run);
}

void RunManager::tellState(std::int64_t run) {
  const std::scoped_lock telling(telling_);
  try {
    hub_.publish(state(run));
  } catch (const std::exception&) {
    // The store cannot be read; whoever asks for the run is told.
  }
}

// Joins the threads of runs that have ended, but never that of the caller.
void RunManager::reap() {
  std::vector<std::unique_ptr<Active>> ended;
  {
    const std::scoped_lock lock(mutex_);
    ended.swap(ended_);
  }
  for (const auto& active : ended) {
    if (active->thread.joinable()) active->thread.join();
  }
}

RunState RunManager::stop(std::int64_t run) {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = active_.find(run);
    if (found != active_.end()) found->second->watcher->requestStop();
  }
  // So that nobody is told that it is stopping after it has stopped.
  const std::scoped_lock telling(telling_);
  RunState stopping = state(run);
  if (!stopping.active) {
    throw Refused(409, fmt::format("run {} is not running here", run), {},
                  "its status is " + stopping.status);
  }
  hub_.publish(stopping);
  return stopping;
}

RunState RunManager::order(std::int64_t run, const TrialOrder& order) {
  if (order.at_ns) checkInstant(*order.at_ns);
  {
    const std::scoped_lock lock(mutex_);
    const auto found = active_.find(run);
    if (found == active_.end() || !found->second->watcher->order(order)) {
      throw Refused(
          409, fmt::format("trial {} of run {} does not wait for its start", order.trial, run));
    }
  }
  return state(run);
}

void RunManager::shutDown() {
  {
    const std::scoped_lock lock(mutex_);
    shut_down_ = true;
    for (const auto& [run, active] : active_) active->watcher->requestStop();
  }
  // A start that was under way has either been refused or is in active_ now.
  const std::scoped_lock starting(starting_);
  for (;;) {
    std::thread next;
    {
      const std::scoped_lock lock(mutex_);
      for (const auto& [run, active] : active_) active->watcher->requestStop();
      if (!active_.empty()) next = std::move(active_.begin()->second->thread);
    }
    if (!next.joinable()) break;
    next.join();
  }
  reap();
}

std::size_t RunManager::active() const {
  const std::scoped_lock lock(mutex_);
  return active_.size();
}

results::StoredRun RunManager::load(std::int64_t run) {
  try {
    return openStore().loadRun(run);
  } catch (const Error& error) {
    throw Refused(error.kind() == ErrorKind::kUsage ? 404 : 500, error.what(), error.where(),
                  error.remedy());
  }
}

bool RunManager::isActive(std::int64_t run) const {
  const std::scoped_lock lock(mutex_);
  return active_.contains(run);
}

RunState RunManager::state(std::int64_t run) {
  const bool was_active = isActive(run);
  RunState state = stateOf(load(run).info);
  // Its end came between both looks: the store's word was of before.
  if (was_active && !state.active) state = stateOf(load(run).info);
  return state;
}

std::vector<RunState> RunManager::list() {
  std::set<std::int64_t> were_active;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [run, active] : active_) were_active.insert(run);
  }
  std::vector<RunState> runs;
  for (const results::RunInfo& info : openStore().listRuns()) {
    RunState known = stateOf(info);
    if (were_active.contains(info.id) && !known.active) known = state(info.id);
    runs.push_back(std::move(known));
  }
  return runs;
}

RunState RunManager::stateOf(const results::RunInfo& info) {
  RunState state;
  state.id = info.id;
  state.name = info.identity.scenario_name;
  state.file = info.identity.scenario_file;
  state.bench = info.identity.bench;
  state.profile = info.identity.profile;
  state.seed = info.identity.seed;
  state.status = results::runStatusName(info.status);
  state.created = info.created;
  state.finished = info.finished;
  state.software = info.software;
  state.trials = info.trials;
  std::error_code error;
  state.capture = fs::exists(captureFile(info.id), error);
  state.exit_code = exitCodeOf(info);
  const std::scoped_lock lock(mutex_);
  if (const auto found = errors_.find(info.id); found != errors_.end()) {
    state.error = found->second;
  }
  const auto found = active_.find(info.id);
  if (found == active_.end()) {
    if (const auto start = starts_.find(info.id); start != starts_.end()) {
      putStart(start->second, state);
    }
    return state;
  }
  const Active& active = *found->second;
  putStart(active.watcher->startTimes(), state);
  const RunPlace place = active.watcher->place();
  state.active = true;
  state.status = active.watcher->stopping() ? "stopping" : "running";
  state.finished.clear();
  state.exit_code.reset();
  state.ports = active.ports;
  state.test = place.test;
  state.trial_number = place.trial_number;
  state.trials_expected = place.trials_expected;
  state.eta_s = place.eta_s;
  return state;
}

std::optional<int> RunManager::exitCodeOf(const results::RunInfo& info) {
  if (info.status != results::RunStatus::kDone) return std::nullopt;
  {
    const std::scoped_lock lock(mutex_);
    if (const auto known = exit_codes_.find(info.id); known != exit_codes_.end()) {
      return known->second;
    }
  }
  // Another version may have made it, whose scenarios this one no longer reads.
  const auto parsed = scenario::parseScenario(info.identity.scenario_text,
                                              info.identity.scenario_file, session::vocabulary());
  if (!parsed.ok()) return std::nullopt;
  const session::Verdict verdict = session::verdictOf(parsed.scenario, load(info.id));
  const int code = !verdict.valid ? 4 : verdict.met ? 0 : 1;
  const std::scoped_lock lock(mutex_);
  return exit_codes_.emplace(info.id, code).first->second;
}

TrialPage RunManager::trials(std::int64_t run, std::uint64_t since) {
  constexpr std::uint64_t kMostBytes = 4U << 20U;
  TrialPage page;
  try {
    auto store = openStore();
    const std::uint64_t all = store.loadRun(run).info.trials;
    for (results::StoredTrial& trial : store.listTrials(run, since, kMostBytes)) {
      page.trials.push_back({std::move(trial.label), trial.repetition, std::move(trial.finished),
                             std::move(trial.spec_json), std::move(trial.result_json)});
    }
    page.more = !page.trials.empty() && since + page.trials.size() < all;
  } catch (const Error& error) {
    throw Refused(error.kind() == ErrorKind::kUsage ? 404 : 500, error.what(), error.where(),
                  error.remedy());
  }
  return page;
}

std::string RunManager::log(std::int64_t run, std::uint64_t since) {
  constexpr std::size_t kMostBytes = 4U << 20U;
  std::ifstream stream(logFile(run), std::ios::binary);
  if (!stream) throw Refused(404, fmt::format("run {} has no log", run), {}, "a run of a server");
  std::string text(kMostBytes, '\0');
  stream.seekg(static_cast<std::streamoff>(since));
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, stream.gcount())));
  text.resize(text.rfind('\n') + 1);  // npos + 1 is 0: there is no whole line yet
  return text;
}

std::string RunManager::summary(std::int64_t run) {
  const results::StoredRun stored = load(run);
  const auto parsed =
      scenario::parseScenario(stored.info.identity.scenario_text,
                              stored.info.identity.scenario_file, session::vocabulary());
  return session::runText(stored, session::verdictOf(parsed.scenario, stored));
}

std::string RunManager::report(std::int64_t run) {
  const results::StoredRun stored = load(run);
  const std::scoped_lock writing(reporting_);
  try {
    return readFile(
        session::writeRunReport(stored, session::defaultReportDirectory(results_.string(), run)));
  } catch (const Error& error) {
    refuse(error);
  }
}

std::string RunManager::capture(std::int64_t run) {
  const RunState state = this->state(run);
  if (!state.capture) {
    throw Refused(404, fmt::format("run {} captured nothing", run), {},
                  "start it with a \"capture_port\"");
  }
  if (state.active) throw Refused(409, fmt::format("run {} still captures", run));
  return readFile(captureFile(run));
}

}  // namespace plumbline::control
