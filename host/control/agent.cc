#include "control/agent.h"

#include <fmt/format.h>

#include <utility>

#include "base/json.h"
#include "base/printable.h"

namespace plumbline::control {

Agent::Agent(std::string name, const ServerAddress& address, std::chrono::milliseconds timeout)
    : name_(std::move(name)),
      timeout_(timeout),
      client_(std::make_unique<Client>(address)),
      last_answer_(Clock::now()) {}

void Agent::refuse(const Refusal& refusal) const {
  std::string what = "agent " + name_ + ": " + refusal.what;
  for (const ScenarioProblem& problem : refusal.problems) {
    what += fmt::format("\n{}:{}: {}{}", problem.line, problem.column, problem.what,
                        problem.allowed.empty() ? "" : " (" + problem.allowed + ")");
  }
  const bool asked = refusal.status >= 400 && refusal.status < 500;
  throw Error(asked ? ErrorKind::kUsage : ErrorKind::kTester, what, refusal.where, refusal.remedy);
}

bool Agent::compareClocks(const HostClock& here, int exchanges) {
  std::vector<ClockExchange> all;
  for (int i = 0; i < exchanges; ++i) {
    const auto one = call<ClockExchange>([&](auto done) { client_->clock(here, done); }).wait();
    if (!one.ok()) break;
    all.push_back(one.value());
  }
  const auto estimate = estimateClock(all);
  if (estimate) clock.add(*estimate);
  return estimate.has_value();
}

void Agent::lose(const std::string& why) {
  phase = Phase::kLost;
  failure_ = fmt::format("agent {} was lost: {}", name_, why);
}

void Agent::fail(const std::string& why) {
  phase = Phase::kEnded;
  state.status = "failed";
  failure_ = fmt::format("agent {}: {}", name_, why);
}

void Agent::startPolling() {
  phase = Phase::kRunning;
  last_answer_ = Clock::now();
}

void Agent::poll() {
  if (over()) return;
  const auto seen = call<RunState>([&](auto done) { client_->run(state.id, done); }).wait();
  if (!seen.ok()) {
    // A refusal of access, or an answer without this run, comes from another server.
    if (seen.refusal().status != 0 || Clock::now() - last_answer_ >= timeout_) {
      lose(seen.refusal().what);
    }
    return;
  }
  last_answer_ = Clock::now();
  state = seen.value();
  if (ordered_ && state.started_ns && state.start_trial == ordered_->trial.trial) {
    ordered_->started_ns = *state.started_ns;
    starts_.push_back(*std::exchange(ordered_, std::nullopt));
  }
  if (state.active) return;
  if (state.status == "running") {
    lose("it was started anew, and its run was not finished");
    return;
  }
  phase = Phase::kEnded;
  if (state.status == "failed") {
    failure_ = fmt::format("agent {}: its run failed: {}", name_, state.error);
  } else if (state.status != "done") {
    failure_ = fmt::format("agent {}: its run was stopped", name_);
  }
}

std::vector<TrialDocument> Agent::newTrials() {
  std::vector<TrialDocument> trials;
  for (bool more = began() && phase != Phase::kLost; more;) {
    auto page = call<TrialPage>([&](auto done) {
                  client_->trials(state.id, trials_ + trials.size(), done);
                }).wait();
    if (!page.ok()) return {};
    for (const TrialDocument& trial : page.value().trials) {
      if (trial.damaged) {
        lose(fmt::format("its trial \"{}\" is damaged in its results database",
                         printableName(trial.label)));
        return {};
      }
    }
    trials.insert(trials.end(), page.value().trials.begin(), page.value().trials.end());
    more = page.value().more && !page.value().trials.empty();
  }
  trials_ += trials.size();
  return trials;
}

bool Agent::waits() const {
  return phase == Phase::kRunning && state.waiting &&
         !(ordered_ && ordered_->trial.trial == state.waiting->trial);
}

Answer<RunState> Agent::order(std::int64_t agreed_ns) {
  const std::int64_t at = agreed_ns + clock.latest().offset_ns;
  ordered_ = AgentStart{*state.waiting, agreed_ns, at, 0};
  return call<RunState>([&](auto done) {
    client_->order(state.id, {ordered_->trial.trial, at}, done);
  });
}

void Agent::onAnswer(Answer<RunState> answer) {
  const auto told = answer.wait();
  // A run that was stopped meanwhile no longer waits; look() notices it.
  if (told.ok() || told.refusal().status == 409) return;
  lose(fmt::format("the start time of trial {} could not be sent: {}", ordered_->trial.trial,
                   told.refusal().what));
}

void Agent::requestReservation() {
  if (Clock::now() - last_word_ < timeout_) return;
  last_word_ = Clock::now();
  client_->order(state.id, {state.waiting->trial, std::nullopt}, {});
}

std::string Agent::newLog() {
  std::string all;
  while (began() && phase != Phase::kLost) {
    const auto lines = call<std::string>([&](auto done) {
                         client_->log(state.id, log_ + all.size(), done);
                       }).wait();
    if (!lines.ok() || lines.value().empty()) break;
    all += lines.value();
  }
  log_ += all.size();
  return all;
}

std::vector<results::TestResult> Agent::tests() {
  if (trials_ < state.trials) {
    throw Error(ErrorKind::kTester, fmt::format("agent {}: only {} of its {} trials came", name_,
                                                trials_, state.trials));
  }
  const std::string text =
      take(call<std::string>([&](auto done) { client_->results(state.id, done); }));
  std::vector<results::TestResult> tests;
  try {
    const auto run = parseJson(text);
    for (const auto& test : run.at("tests")) {
      tests.push_back(results::TestResult::fromJson(test.dump()));
    }
  } catch (const std::exception& e) {
    throw Error(ErrorKind::kTester, "agent " + name_ + ": its results cannot be read: " + e.what(),
                {}, "the same version of plumbline on all machines");
  }
  return tests;
}

void Agent::stop() {
  if (phase != Phase::kRunning) return;
  // A refusal means that it has ended by itself.
  client_->stop(state.id, {});
}

results::AgentRecord Agent::record(std::int64_t agreed_ns, std::int64_t tolerance_ns) const {
  results::AgentRecord record;
  record.name = name_;
  record.software = can.software;
  record.machine = can.machine;
  record.run = state.id;
  // Its reported exit code only if it is one of those that a run can have.
  const bool stopped = state.status == "done" || state.status == "aborted";
  record.outcome = phase == Phase::kLost ? "lost" : stopped ? state.status : "failed";
  record.trials = trials_;
  if (!clock.empty()) {
    const ClockEstimate estimate = clock.at(agreed_ns);
    record.clock_offset_ns = estimate.offset_ns;
    record.clock_uncertainty_ns = estimate.uncertainty_ns;
  }
  if (const auto drift = clock.drift()) {
    record.clock_drift_ppm = drift->ppm;
    record.clock_drift_uncertainty_ppm = drift->uncertainty_ppm;
  }
  const auto latest = std::max_element(starts_.begin(), starts_.end(),
                                       [](const AgentStart& a, const AgentStart& b) {
                                         return a.started_ns - a.at_ns < b.started_ns - b.at_ns;
                                       });
  if (latest != starts_.end()) {
    record.late_ns = latest->started_ns - latest->at_ns;
    record.start_error_ns =
        latest->started_ns - clock.at(latest->agreed_ns).offset_ns - latest->agreed_ns;
    record.late = *record.late_ns > tolerance_ns;
  }
  return record;
}

}  // namespace plumbline::control
