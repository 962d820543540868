// Several testers as one: starts every trial of a scenario on all of them at one instant, collects
// what they measure while they measure it, and stores it as one run. docs/control.md, "Several
// testers".
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

// "10.0.0.2,10.0.0.3:8471": addresses as ServerAddress::parse() takes them, none of them twice.
// Throws Error(kUsage).
std::vector<AgentAddress> parseAgents(const std::string& text);

struct ControllerOptions {
  std::vector<AgentAddress> agents;
  RunRequest request;  // the same for all, but for reservation and start
  std::string files;   // that the scenario names, as results::RunIdentity has them
  // A trial that begins later than this after its common start makes the result invalid.
  std::chrono::nanoseconds start_tolerance = std::chrono::milliseconds(1);
  // Without an answer for so long an agent is lost.
  std::chrono::milliseconds patience = std::chrono::seconds(10);
};

// Who looks on. Everything but interval() is called on the caller's thread.
class ControllerWatcher {
 public:
  virtual ~ControllerWatcher() = default;

  // Asked several times a second; true stops all agents after the trials they have in hand.
  virtual bool stopRequested() { return false; }
  // On the thread of the agent's client.
  virtual void interval(std::size_t /*agent*/, const LiveInterval& /*live*/) {}
  // Whole lines of an agent's session::TrialLog.
  virtual void log(const std::string& /*agent*/, const std::string& /*lines*/) {}
};

// What became of a run on several testers.
struct ControlledRun {
  results::RunStatus status = results::RunStatus::kDone;
  std::string failure;  // why it failed, with the agent's name
};

class Controller {
 public:
  // Throws Error(kUsage) for a CA file that cannot be read. The watcher must outlive it.
  Controller(ControllerOptions options, ControllerWatcher& watcher);
  // Releases what is reserved.
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // Asks every agent whether it can, compares clocks and reserves ports. Throws Error with the
  // agent's name: kUsage when one refuses (its scenario, its ports, the token), kTester when one
  // cannot be reached. Then nothing has begun and nothing stays reserved.
  void prepare();

  // After prepare(): starts all, follows them to their end, and keeps everything in `run` of the
  // store. One that fails or is lost stops the others; what was measured until then is stored.
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
  // What an order may take: as long as the last one, or half of what was thought before it.
  std::chrono::nanoseconds way_{};
  std::optional<std::int64_t> agreed_ns_;  // the first common start
  bool stopping_ = false;
  std::string failure_;
  std::mutex mutex_;  // of the following
  std::condition_variable news_;
  bool heard_news_ = false;  // a run's state has changed
  // Last: their clients' threads use the rest.
  std::vector<std::unique_ptr<Agent>> agents_;
};

}  // namespace plumbline::control
