#include "control/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "control/agent_results.h"

namespace plumbline::control {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kApi = 1;
// Longest list of files in a message.
constexpr std::size_t kShownFiles = 300;
// Exchanges of times with each agent: before and after, and each time in between.
constexpr int kManyExchanges = 16;
constexpr int kFewExchanges = 4;
constexpr auto kBetweenComparisons = 5s;
constexpr auto kPollInterval = 200ms;
// Lead time of an order before its start time: this, plus a multiple of the orders' usual duration.
constexpr std::chrono::nanoseconds kLead = 50ms;
constexpr int kLeadPerWay = 3;
// A trial waits for this multiple of the timeout; each request to keep waiting starts it again.
constexpr int kHoldPerTimeout = 6;
constexpr std::int64_t kReservedSeconds = 300;  // until the runs have the ports

// Agents that read different traces measure different things. `known`: the files of earlier agents,
// and of this machine, which may lack some (the xclbin of a card).
void requireSameFiles(const std::string& agent, const std::string& files, std::string& known) {
  if (known.empty() || files == known) {
    known = files;
    return;
  }
  const auto shown = [](std::string text) {
    std::replace(text.begin(), text.end(), '\n', ';');
    return printableName(text.empty() ? "none" : text, kShownFiles);
  };
  throw Error(ErrorKind::kUsage,
              fmt::format("agent {} has other files than this machine or the agents before it: {} "
                          "instead of {}",
                          agent, shown(files), shown(known)),
              {}, "the same files on all machines");
}

}  // namespace

std::vector<AgentAddress> parseAgents(const std::string& text) {
  std::vector<AgentAddress> agents;
  std::set<std::pair<std::string, std::uint16_t>> known;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    AgentAddress agent{text.substr(from, end - from), {}};
    agent.address = ServerAddress::parse(agent.name);
    if (!known.emplace(agent.address.host, agent.address.port).second) {
      throw Error(ErrorKind::kUsage, "the agent " + agent.name + " is named twice", "--agents");
    }
    agents.push_back(std::move(agent));
    from = end + 1;
  }
  return agents;
}

Controller::Controller(ControllerOptions options, ControllerWatcher& watcher)
    : options_(std::move(options)), watcher_(watcher) {
  for (const AgentAddress& agent : options_.agents) {
    agents_.push_back(std::make_unique<Agent>(agent.name, agent.address, options_.timeout));
  }
}

Controller::~Controller() { release(); }

std::string Controller::benchText(const std::string& bench) const {
  std::vector<std::string> benches;
  for (const auto& agent : agents_) benches.push_back(bench + " at " + agent->name());
  return fmt::format("{}", fmt::join(benches, ", "));
}

void Controller::prepare() {
  std::vector<Answer<ServerCapabilities>> able;
  for (const auto& agent : agents_) {
    able.push_back(
        agent->call<ServerCapabilities>([&](auto done) { agent->client().capabilities(done); }));
  }
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    agents_[i]->can = agents_[i]->take(std::move(able[i]));
    if (agents_[i]->can.api != kApi) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("agent {} ({}) has version {} of the API, this program version {}",
                      agents_[i]->name(), agents_[i]->can.software, agents_[i]->can.api, kApi),
          {}, "the same version of plumbline on all machines");
    }
  }
  // One after the other, so that each has its whole timeout.
  std::string files = options_.files;
  for (const auto& agent : agents_) {
    const auto plan = agent->take(agent->requestPlan<PlanAnswer>(
        [&](auto done) { agent->client().plan(options_.request.scenario, done); }));
    requireSameFiles(agent->name(), plan.files, files);
    agent->ports = plan.ports;
  }
  for (const auto& agent : agents_) {
    if (agent->compareClocks(here_, kManyExchanges)) continue;
    throw Error(ErrorKind::kTester, "agent " + agent->name() + " does not tell its time", {},
                "the same version of plumbline on all machines");
  }
  try {
    for (const auto& agent : agents_) {
      const ReservationRequest wanted{agent->ports, options_.request.owner, kReservedSeconds};
      agent->reservation = agent
                               ->take(agent->call<Reservation>(
                                   [&](auto done) { agent->client().reserve(wanted, done); }))
                               .id;
    }
  } catch (...) {
    release();
    throw;
  }
}

void Controller::release() {
  std::vector<Answer<Nothing>> released;
  for (const auto& agent : agents_) {
    if (!agent->reservation || agent->phase == Agent::Phase::kLost) continue;
    released.push_back(agent->call<Nothing>(
        [&](auto done) { agent->client().release(*agent->reservation, done); }));
    agent->reservation.reset();
  }
  // Whatever the answer: a reservation that is not released expires.
  for (auto& answer : released) answer.wait();
}

void Controller::compareClocks(int exchanges) {
  for (const auto& agent : agents_) {
    if (agent->phase != Agent::Phase::kLost) agent->compareClocks(here_, exchanges);
  }
}

void Controller::start() {
  compareClocks(kFewExchanges);
  const auto hold = std::chrono::ceil<std::chrono::seconds>(kHoldPerTimeout * options_.timeout);
  std::vector<Answer<RunState>> begun;
  for (const auto& agent : agents_) {
    RunRequest request = options_.request;
    request.reservation = agent->reservation;
    const ClockEstimate& clock = agent->clock.latest();
    request.start = CommonStart{std::nullopt, hold.count(), clock.offset_ns, clock.uncertainty_ns};
    way_ = std::max(way_, std::chrono::nanoseconds(2 * clock.uncertainty_ns));
    begun.push_back(
        agent->requestPlan<RunState>([&](auto done) { agent->client().start(request, done); }));
  }
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    Agent& agent = *agents_[i];
    const auto state = begun[i].wait();
    if (!state.ok()) {
      agent.fail("it did not start: " + state.refusal().what);
      continue;
    }
    agent.state = state.value();
    agent.startPolling();
    LiveCallbacks callbacks;
    callbacks.interval = [this, i, run = agent.state.id](const LiveInterval& live) {
      if (live.run == run) watcher_.interval(i, live);
    };
    callbacks.run = [this](const RunState&) {
      const std::scoped_lock lock(mutex_);
      state_changed_ = true;
      news_.notify_one();
    };
    agent.client().watch(0, callbacks);
  }
  release();  // the runs have the ports now
}

// Once all running agents wait, those with the lowest trial number begin it together. After a
// resume some agents have more stored trials than others: they wait until the others have caught
// up.
void Controller::beginTrials() {
  std::vector<Agent*> waiting;
  std::size_t running = 0;
  for (const auto& agent : agents_) {
    if (!agent->over()) ++running;
    if (agent->waits()) waiting.push_back(agent.get());
  }
  if (waiting.empty()) return;
  if (waiting.size() < running) {
    for (Agent* agent : waiting) agent->requestReservation();
    return;
  }
  const auto trialOf = [](const Agent* agent) { return agent->state.waiting->trial; };
  const std::uint64_t next = trialOf(*std::min_element(
      waiting.begin(), waiting.end(), [&](Agent* a, Agent* b) { return trialOf(a) < trialOf(b); }));
  const Clock::time_point since = Clock::now();
  const std::int64_t agreed = here_.nowNs() + (kLead + kLeadPerWay * way_).count();
  std::vector<std::pair<Agent*, Answer<RunState>>> told;
  for (Agent* agent : waiting) {
    if (trialOf(agent) == next) {
      told.emplace_back(agent, agent->order(agreed));
    } else {
      agent->requestReservation();
    }
  }
  for (auto& [agent, answer] : told) agent->onAnswer(std::move(answer));
  // A single delay must not slow down all later trials.
  way_ = std::max<std::chrono::nanoseconds>(way_ / 2, Clock::now() - since);
  if (!agreed_ns_) agreed_ns_ = agreed;
}

void Controller::stopAll() {
  stopping_ = true;
  for (const auto& agent : agents_) agent->stop();
}

std::string Controller::firstFailure() const {
  for (const auto& agent : agents_) {
    if (!agent->failure().empty()) return agent->failure();
  }
  return {};
}

void Controller::collect(results::ResultStore& store, std::int64_t run) {
  for (const auto& agent : agents_) {
    // The lines first: every trial in the log is then among the saved ones.
    const std::string lines = agent->newLog();
    std::vector<results::StoredTrial> trials;
    for (const TrialDocument& trial : agent->newTrials()) {
      trials.push_back(mergedTrial(agent->name(), trial));
    }
    if (!trials.empty()) store.saveTrials(run, trials);
    if (!lines.empty()) watcher_.log(agent->name(), lines);
  }
}

void Controller::follow(results::ResultStore& store, std::int64_t run) {
  Clock::time_point next_comparison = Clock::now() + kBetweenComparisons;
  for (;;) {
    for (const auto& agent : agents_) agent->poll();
    collect(store, run);
    // Only original faults: stopped agents report the stop as well.
    if (!stopping_ && !firstFailure().empty()) {
      failure_ = firstFailure();
      stopAll();
    }
    if (!stopping_ && watcher_.stopRequested()) stopAll();
    if (!stopping_) beginTrials();
    if (std::all_of(agents_.begin(), agents_.end(),
                    [](const auto& agent) { return agent->over(); })) {
      return;
    }
    if (Clock::now() >= next_comparison) {
      compareClocks(kFewExchanges);
      next_comparison = Clock::now() + kBetweenComparisons;
    }
    std::unique_lock lock(mutex_);
    news_.wait_for(lock, kPollInterval, [this] { return state_changed_; });
    state_changed_ = false;
  }
}

// Merges the agents' final results.
void Controller::conclude(results::ResultStore& store, std::int64_t run) {
  std::vector<AgentResults> all;
  std::vector<results::AgentRecord> records;
  for (const auto& agent : agents_) {
    AgentResults one;
    if (agent->began() && agent->phase != Agent::Phase::kLost) {
      try {
        one.tests = agent->tests();
      } catch (const Error& fault) {
        agent->lose(fault.what());
        if (failure_.empty()) failure_ = agent->failure();
      }
    }
    one.agent = agent->record(agreed_ns_.value_or(here_.nowNs()), options_.start_tolerance.count());
    one.starts = agent->starts();
    one.clock_strayed_ns = agent->clock.strayedNs();
    records.push_back(one.agent);
    all.push_back(std::move(one));
  }
  store.saveAgents(run, std::move(records));
  for (const results::TestResult& test : mergeAgents(all)) store.saveTestResult(run, test);
}

ControlledRun Controller::run(results::ResultStore& store, std::int64_t run) {
  const results::RunLock lock(store.directory(), run);
  store.setStatus(run, results::RunStatus::kRunning);
  try {
    start();
    follow(store, run);
    compareClocks(kManyExchanges);
    conclude(store, run);
  } catch (...) {
    stopAll();
    store.setStatus(run, results::RunStatus::kFailed);
    throw;
  }
  const results::RunStatus status = !failure_.empty() ? results::RunStatus::kFailed
                                    : stopping_       ? results::RunStatus::kAborted
                                                      : results::RunStatus::kDone;
  store.setStatus(run, status);
  return {status, failure_};
}

}  // namespace plumbline::control
