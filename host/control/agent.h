// One tester as a controller sees it: an ordinary server, asked and followed under its name.
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

// An answer that is on its way. Waits for it no longer than was said, whatever the other side does.
template <typename T>
class Answer {
 public:
  using Clock = std::chrono::steady_clock;

  // `call` begins the question: it is given the callback for its outcome.
  template <typename Call>
  Answer(std::chrono::milliseconds patience, Call call) : until_(Clock::now() + patience) {
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
  std::int64_t agreed_ns = 0;   // the instant, by the controller's clock
  std::int64_t at_ns = 0;       // the same, by the agent's clock as it was thought to stand
  std::int64_t started_ns = 0;  // when it began, by the agent's clock
};

// What a controller knows of one tester. Not thread-safe; what its live stream says comes on the
// client's thread.
class Agent {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::seconds kPlanTime{120};

  enum class Phase { kIdle, kRunning, kEnded, kLost };

  // `name`: as the user gave the address. `patience`: without an answer for so long it is lost.
  Agent(std::string name, const ServerAddress& address, std::chrono::milliseconds patience);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Client& client() { return *client_; }

  template <typename T, typename Call>
  Answer<T> ask(Call call) {
    return Answer<T>(patience_, call);
  }
  // The same for what may mean planning a large fabric.
  template <typename T, typename Call>
  Answer<T> askToPlan(Call call) {
    return Answer<T>(std::max<std::chrono::milliseconds>(patience_, kPlanTime), call);
  }
  // The answer, or Error with the agent's name: kUsage for what it refuses, else kTester.
  template <typename T>
  T take(Answer<T> answer) {
    const Outcome<T> outcome = answer.wait();
    if (!outcome.ok()) refuse(outcome.refusal());
    return outcome.value();
  }
  [[noreturn]] void refuse(const Refusal& refusal) const;

  // Some exchanges of times, of which the best counts. False when there was none.
  bool compareClocks(const HostClock& here, int exchanges);

  // Its run has begun.
  void beginToLook();
  // A look at its run: its state, and what of it was not seen so far. Never throws: one that cannot
  // be reached for too long, or has forgotten its run, is kLost, and failure() says why.
  void look();
  [[nodiscard]] bool over() const { return phase == Phase::kEnded || phase == Phase::kLost; }
  // Why it did not do what it was asked to; empty if it did, or was stopped.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  void lose(const std::string& why);
  void fail(const std::string& why);  // its run never began
  [[nodiscard]] bool began() const { return state.id != 0; }

  // A trial of it waits for its start, and has not been told.
  [[nodiscard]] bool waits() const;
  // Only when it waits: tells it the instant, by the clock here. The answer is for heard().
  Answer<RunState> order(std::int64_t agreed_ns);
  // One that cannot be told is lost: the trials after it would not begin with the others.
  void heard(Answer<RunState> answer);
  // Only when it waits: tells it from time to time that its instant is still to come.
  void askToWaitOn();
  // Of the trials that began so far, in that order.
  [[nodiscard]] const std::vector<AgentStart>& starts() const { return starts_; }

  // Trials that are stored there and were not taken before, all or nothing when it fails.
  std::vector<TrialDocument> newTrials();
  // Lines of its log that were not taken before.
  std::string newLog();
  // Of the tests that are complete. Throws Error(kTester), also when trials of it are missing here.
  std::vector<results::TestResult> tests();
  void stop();

  // `agreed_ns`: of the first common start, by the clock here.
  [[nodiscard]] results::AgentRecord record(std::int64_t agreed_ns,
                                            std::int64_t tolerance_ns) const;

  Phase phase = Phase::kIdle;
  ServerCapabilities can;
  std::vector<std::string> ports;          // that its run owns
  std::optional<std::string> reservation;  // of them
  RunState state;                          // of its run, as it was last seen
  ClockTrack clock;

 private:
  std::string name_;
  std::chrono::milliseconds patience_;
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
