#include "control/run_manager.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/work.h"
#include "control/refused.h"

namespace plumbline::control {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCard = scenario::kSimulatedCard;
constexpr unsigned kMaxThreads = 64;

void putStart(const StartGate::Times& times, RunState& state) {
  state.start_trial = times.trial;
  state.start_at_ns = times.at_ns;
  state.started_ns = times.started_ns;
  state.waiting = times.waiting;
}

}  // namespace

RunManager::RunManager(fs::path results, LiveHub& hub, PortTable& ports, const HostClock& clock,
                       scenario::Access access)
    : archive_(std::move(results)),
      access_(std::move(access)),
      clock_(clock),
      hub_(hub),
      ports_(ports) {}

RunManager::~RunManager() { shutDown(); }

RunState RunManager::start(const RunRequest& request) {
  if (request.threads < 1 || request.threads > kMaxThreads) {
    throw Refused(400, fmt::format("{} is no number of threads", request.threads), "threads",
                  fmt::format("1 to {}", kMaxThreads));
  }
  if (request.start) checkStart(*request.start);
  session::PreparedRun prepared = prepare(request.scenario, access_, request.threads);
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
    const results::RunIdentity identity = session::identityOf(scenario);
    const auto run = archive_.open().latestUnfinished(identity);
    if (run) session::requireSameInputs(*run, identity);
    return run ? std::optional(run->id) : std::nullopt;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kUsage) {
      throw Refused(409, error.what(), error.where(), error.remedy());
    }
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

// A time far away was meant for another clock. A slightly late one is accepted: the caller gets the
// actual start time.
void RunManager::checkInstant(std::int64_t at_ns) const {
  constexpr std::int64_t kLongestPast = 60'000'000'000;
  constexpr std::int64_t kLongestWait = 3'600'000'000'000;
  const std::int64_t now = clock_.nowNs();
  if (at_ns >= now - kLongestPast && at_ns <= now + kLongestWait) return;
  throw Refused(422, fmt::format("{} is no time to start at: it is {} now", at_ns, now), "at_ns",
                "nanoseconds of this server's clock, within the next hour");
}

RunState RunManager::resume(std::int64_t run) {
  const results::RunInfo info = archive_.info(run);
  if (info.status == results::RunStatus::kDone) {
    throw Refused(409, fmt::format("run {} is done", run), {}, "start a new one");
  }
  RunRequest request;
  request.scenario = {info.identity.scenario_text, info.identity.scenario_file, info.identity.bench,
                      info.identity.profile, info.identity.seed};
  session::PreparedRun prepared = prepare(request.scenario, access_, request.threads);
  try {
    session::requireSameInputs(info, session::identityOf(prepared.scenario));
  } catch (const Error& error) {
    throw Refused(409, error.what(), error.where(), error.remedy());
  }
  return launch(std::move(prepared), run, request);
}

RunState RunManager::launch(session::PreparedRun prepared, std::optional<std::int64_t> resumed,
                            const RunRequest& request) {
  const std::scoped_lock starting(starting_);
  joinFinished();
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
    auto store = archive_.open();
    run = resumed ? *resumed : session::createRun(store, active->prepared.scenario);
    const results::RunLock free(store.directory(), run);  // another process may have it
    fs::create_directories(archive_.directoryOf(run));
    LiveWatcher::Files files{{}, archive_.logFile(run).string()};
    if (active->capture_port) files.capture = archive_.captureFile(run).string();
    active->watcher = std::make_unique<LiveWatcher>(hub_, run, files);
    if (request.start && request.start->at_ns) {
      active->watcher->startAt(clock_, *request.start->at_ns);
    } else if (request.start) {
      active->watcher->startEach(clock_, std::chrono::seconds(*request.start->hold_s),
                                 [this, run] { publishState(run); });
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
  // Published before any of its other messages.
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
    auto store = archive_.open();
    session::executeRun(active.prepared, store, run, *active.watcher, active.capture_port);
  } catch (const session::Aborted&) {
    // Its status shows it.
  } catch (const std::exception& fault) {
    error = faultText(fault);
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
  publishState(run);
}

void RunManager::publishState(std::int64_t run) {
  const std::scoped_lock telling(telling_);
  try {
    hub_.publish(state(run));
  } catch (const std::exception&) {
    // The store cannot be read; requests for the run report it.
  }
}

// Joins the threads of runs that have ended, but never that of the caller.
void RunManager::joinFinished() {
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
  // So that "stopping" is not published after the run has stopped.
  const std::scoped_lock telling(telling_);
  // Read before the stop request: the run may end immediately afterwards.
  RunState stopping = state(run);
  if (!stopping.active) {
    throw Refused(409, fmt::format("run {} is not running here", run), {},
                  "its status is " + stopping.status);
  }
  {
    const std::scoped_lock lock(mutex_);
    const auto found = active_.find(run);
    if (found != active_.end()) found->second->watcher->requestStop();
  }
  stopping.status = "stopping";
  hub_.publish(stopping);
  return stopping;
}

RunState RunManager::order(std::int64_t run, const TrialOrder& order) {
  if (order.at_ns) checkInstant(*order.at_ns);
  bool waits = false;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = active_.find(run);
    waits = found != active_.end() && found->second->watcher->order(order);
  }
  RunState now = state(run);  // refuses a run that does not exist
  if (!waits) {
    throw Refused(409,
                  fmt::format("trial {} of run {} does not wait for its start", order.trial, run));
  }
  return now;
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
  joinFinished();
}

std::size_t RunManager::active() const {
  const std::scoped_lock lock(mutex_);
  return active_.size();
}

bool RunManager::isActive(std::int64_t run) const {
  const std::scoped_lock lock(mutex_);
  return active_.contains(run);
}

RunState RunManager::state(std::int64_t run) {
  const bool was_active = isActive(run);
  RunState state = stateOf(archive_.info(run));
  // It ended between both reads: the stored state was outdated.
  if (was_active && !state.active) state = stateOf(archive_.info(run));
  return state;
}

std::vector<RunState> RunManager::list(std::uint64_t since) {
  std::set<std::int64_t> were_active;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [run, active] : active_) were_active.insert(run);
  }
  std::vector<RunState> runs;
  for (const results::RunInfo& info : archive_.open().listRunsBriefly(since, kMaxListedRuns)) {
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
  state.capture = fs::exists(archive_.captureFile(info.id), error);
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
  const results::StoredRun stored = archive_.load(info.id);
  const results::RunIdentity& identity = stored.info.identity;
  // Another version may have created it, with scenarios that this one cannot read.
  const auto parsed =
      scenario::parseScenario(identity.scenario_text, identity.scenario_file, session::vocabulary(),
                              {.origin = scenario::Origin::kStored});
  if (!parsed.ok()) return std::nullopt;
  const auto code = static_cast<int>(session::verdictOf(parsed.scenario, stored).exitCode());
  const std::scoped_lock lock(mutex_);
  return exit_codes_.emplace(info.id, code).first->second;
}

std::string RunManager::capture(std::int64_t run) {
  const RunState state = this->state(run);
  if (!state.capture) {
    throw Refused(404, fmt::format("run {} captured nothing", run), {},
                  "start it with a \"capture_port\"");
  }
  if (state.active) throw Refused(409, fmt::format("run {} still captures", run));
  return fileText(archive_.captureFile(run));
}

}  // namespace plumbline::control
