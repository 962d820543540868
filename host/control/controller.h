// Several testers as one: starts every trial of a scenario on all of them at the same time,
// collects their measurements as they are made, and stores them as one run. docs/control.md,
// "Several testers".
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "control/agent.h"
#include "results/store.h"

namespace plumbline::control {

struct AgentAddress {
  std::string name;  // as the user gave it
  ServerAddress address;
};

// "10.0.0.2,10.0.0.3:8471": addresses as for ServerAddress::parse(), each once. Throws
// Error(kUsage).
std::vector<AgentAddress> parseAgents(const std::string& text);

struct ControllerOptions {
  std::vector<AgentAddress> agents;
  RunRequest request;  // the same for all, except for reservation and start
  std::string files;   // which the scenario names, as in results::RunIdentity
  // A trial that begins later than this after its common start makes the result invalid.
  std::chrono::nanoseconds start_tolerance = std::chrono::milliseconds(1);
  // Time without an answer after which an agent is lost.
  std::chrono::milliseconds timeout = std::chrono::seconds(10);
};

// Observer of the run. All functions except interval() are called on the caller's thread.
class ControllerWatcher {
 public:
  virtual ~ControllerWatcher() = default;

  // Called several times a second; true stops all agents after their current trials.
  virtual bool stopRequested() { return false; }
  // On the thread of the agent's client.
  virtual void interval(std::size_t /*agent*/, const LiveInterval& /*live*/) {}
  // Whole lines of an agent's session::TrialLog.
  virtual void log(const std::string& /*agent*/, const std::string& /*lines*/) {}
};

// Outcome of a run on several testers.
struct ControlledRun {
  results::RunStatus status = results::RunStatus::kDone;
  std::string failure;  // why it failed, with the agent's name
};

class Controller {
 public:
  // Throws Error(kUsage) for an unreadable CA file. The watcher must outlive it.
  Controller(ControllerOptions options, ControllerWatcher& watcher);
  // Releases all reservations.
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // Checks that every agent can run it, compares clocks and reserves ports. Throws Error with the
  // agent's name: kUsage when one refuses (its scenario, its ports, the token), kTester when one
  // cannot be reached. Then no run has begun and no port stays reserved.
  void prepare();

  // After prepare(): starts all agents, follows them to their end, and stores everything in `run`
  // of the store. An agent that fails or is lost stops the others; completed trials are stored.
  ControlledRun run(results::ResultStore& store, std::int64_t run);

  // "sim at 10.0.0.2, sim at 10.0.0.3": the bench of the run in the store, so that it is not
  // resumed with other agents, or without any.
  [[nodiscard]] std::string benchText(const std::string& bench) const;

 private:
  void start();
  void beginTrials();
  void follow(results::ResultStore& store, std::int64_t run);
  void collect(results::ResultStore& store, std::int64_t run);
  void conclude(results::ResultStore& store, std::int64_t run);
  void compareClocks(int exchanges);
  void stopAll();
  void release();
  [[nodiscard]] std::string firstFailure() const;

  ControllerOptions options_;
  ControllerWatcher& watcher_;
  HostClock here_;
  // Estimated duration of an order: that of the last one, or half of the previous estimate.
  std::chrono::nanoseconds way_{};
  std::optional<std::int64_t> agreed_ns_;  // the first common start
  bool stopping_ = false;
  std::string failure_;
  std::mutex mutex_;  // of the following
  std::condition_variable news_;
  bool state_changed_ = false;  // a run's state has changed
  // Last member: its clients' threads use the others.
  std::vector<std::unique_ptr<Agent>> agents_;
};

}  // namespace plumbline::control
