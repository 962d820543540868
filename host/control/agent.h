// One tester of a controller: an ordinary server, called and followed under its name.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "control/client.h"
#include "control/clock_offset.h"
#include "results/agent_record.h"
#include "results/test_result.h"

namespace plumbline::control {

// A pending answer. Waiting for it is limited to the given time, whatever the server does.
template <typename T>
class Answer {
 public:
  using Clock = std::chrono::steady_clock;

  // `call` starts the request: it gets the callback for the outcome.
  template <typename Call>
  Answer(std::chrono::milliseconds timeout, Call call) : until_(Clock::now() + timeout) {
    auto promise = std::make_shared<std::promise<Outcome<T>>>();
    outcome_ = promise->get_future();
    call([promise](const Outcome<T>& outcome) { promise->set_value(outcome); });
  }

  Outcome<T> wait() {
    if (outcome_.wait_until(until_) == std::future_status::ready) return outcome_.get();
    return Refusal{0, "there was no answer in time", "", "is the machine still there?", {}};
  }

 private:
  Clock::time_point until_;
  std::future<Outcome<T>> outcome_;
};

// A trial that an agent began together with the others.
struct AgentStart {
  WaitingTrial trial;
  std::int64_t agreed_ns = 0;   // the common start, by the controller's clock
  std::int64_t at_ns = 0;       // the same, by the agent's clock as estimated then
  std::int64_t started_ns = 0;  // when it began, by the agent's clock
};

// A controller's state of one tester. Not thread-safe; messages of its live stream arrive on the
// client's thread.
class Agent {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::seconds kPlanTime{120};

  enum class Phase { kIdle, kRunning, kEnded, kLost };

  // `name`: the address as the user wrote it. `timeout`: time without an answer after which it is
  // lost.
  Agent(std::string name, const ServerAddress& address, std::chrono::milliseconds timeout);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Client& client() { return *client_; }

  template <typename T, typename Call>
  Answer<T> call(Call call) {
    return Answer<T>(timeout_, call);
  }
  // The same for calls that may have to plan a large fabric.
  template <typename T, typename Call>
  Answer<T> requestPlan(Call call) {
    return Answer<T>(std::max<std::chrono::milliseconds>(timeout_, kPlanTime), call);
  }
  // The answer, or Error with the agent's name: kUsage for a refusal, else kTester.
  template <typename T>
  T take(Answer<T> answer) {
    const Outcome<T> outcome = answer.wait();
    if (!outcome.ok()) refuse(outcome.refusal());
    return outcome.value();
  }
  [[noreturn]] void refuse(const Refusal& refusal) const;

  // Several exchanges of times, of which the best counts. False when all failed.
  bool compareClocks(const HostClock& here, int exchanges);

  // Its run has begun.
  void startPolling();
  // Polls its run: the state, and all that is new. Never throws: an agent that cannot be reached
  // for too long, or no longer has the run, is kLost, and failure() has the reason.
  void poll();
  [[nodiscard]] bool over() const { return phase == Phase::kEnded || phase == Phase::kLost; }
  // Why it failed; empty if it did not, or was stopped.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  void lose(const std::string& why);
  void fail(const std::string& why);  // its run never began
  [[nodiscard]] bool began() const { return state.id != 0; }

  // One of its trials waits for its start time, which has not been sent.
  [[nodiscard]] bool waits() const;
  // Only when it waits: sends it the start time, by the local clock. The answer is for heard().
  Answer<RunState> order(std::int64_t agreed_ns);
  // Marks an agent that did not get the start time as lost: its later trials would not begin with
  // those of the other agents.
  void onAnswer(Answer<RunState> answer);
  // Only when it waits: periodically asks it to keep waiting for its start time.
  void requestReservation();
  // Trials that began so far, in order.
  [[nodiscard]] const std::vector<AgentStart>& starts() const { return starts_; }

  // Trials stored there that were not fetched before, all or none when it fails.
  std::vector<TrialDocument> newTrials();
  // Lines of its log that were not fetched before.
  std::string newLog();
  // Results of the complete tests. Throws Error(kTester), also when trials are missing here.
  std::vector<results::TestResult> tests();
  void stop();

  // `agreed_ns`: of the first common start, by the local clock.
  [[nodiscard]] results::AgentRecord record(std::int64_t agreed_ns,
                                            std::int64_t tolerance_ns) const;

  Phase phase = Phase::kIdle;
  ServerCapabilities can;
  std::vector<std::string> ports;          // that its run owns
  std::optional<std::string> reservation;  // of them
  RunState state;                          // of its run, when last polled
  ClockTrack clock;

 private:
  std::string name_;
  std::chrono::milliseconds timeout_;
  std::unique_ptr<Client> client_;
  Clock::time_point last_answer_;
  Clock::time_point last_word_;        // to the trial that waits
  std::optional<AgentStart> ordered_;  // not known to have begun
  std::vector<AgentStart> starts_;
  std::string failure_;
  std::uint64_t trials_ = 0;  // taken
  std::uint64_t log_ = 0;     // bytes taken
};

}  // namespace plumbline::control
