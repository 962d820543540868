// The server's runs: starts them on threads of their own, through the same session::executeRun() as
// `plumbline run`, and knows what has become of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "control/api_types.h"
#include "control/host_clock.h"
#include "control/live_hub.h"
#include "control/live_watcher.h"
#include "control/port_table.h"
#include "results/store.h"
#include "session/run.h"

namespace plumbline::control {

// Ports of this build's benches: those of the card one by one, "rtl/0"; of any other bench one that
// stands for it, since a run there has its hosts to itself.
std::vector<PortState> allPorts();
// The ports that a run would own, out of allPorts().
std::vector<std::string> portsOf(const session::PreparedRun& prepared);

// Reads and checks what was asked for. Throws Refused: 404 for a name that no shipped scenario has,
// 422 with all problems for a scenario that is wrong, and for overrides that are.
scenario::Scenario scenarioOf(const ScenarioRequest& request);
// The same, prepared to run. Throws Refused(422) when its bench cannot run it.
session::PreparedRun prepare(const ScenarioRequest& request, unsigned threads);

// Thread-safe.
class RunManager {
 public:
  // `results`: directory of the results database, shared with the command. `clock`: by which
  // common starts are kept.
  RunManager(std::filesystem::path results, LiveHub& hub, PortTable& ports,
             const HostClock& clock = HostClock());
  // Stops what runs, after the trials in hand.
  ~RunManager();
  RunManager(const RunManager&) = delete;
  RunManager& operator=(const RunManager&) = delete;

  // Each throws Refused when it cannot be, with the reason.
  RunState start(const RunRequest& request);
  RunState resume(std::int64_t run);
  RunState stop(std::int64_t run);
  // Of a run whose trials begin together with those of others.
  RunState order(std::int64_t run, const TrialOrder& order);

  [[nodiscard]] RunState state(std::int64_t run);
  [[nodiscard]] std::vector<RunState> list();
  [[nodiscard]] results::StoredRun load(std::int64_t run);
  // Trials from the one numbered `since` on, counted from 0: at most a few megabytes of them.
  [[nodiscard]] TrialPage trials(std::int64_t run, std::uint64_t since);
  // From byte `since` on, whole lines of the run's session::TrialLog: at most a few megabytes of
  // them. Throws Refused(404) for a run that no server has run.
  [[nodiscard]] std::string log(std::int64_t run, std::uint64_t since);
  // What `plumbline run` prints of it.
  [[nodiscard]] std::string summary(std::int64_t run);
  [[nodiscard]] std::string report(std::int64_t run);
  // Throws Refused(404) for a run that captured nothing, 409 while it still does.
  [[nodiscard]] std::string capture(std::int64_t run);

  [[nodiscard]] const HostClock& clock() const { return clock_; }
  [[nodiscard]] std::size_t active() const;
  // Asks all runs to stop and waits until they have, for good: nothing can be started any more.
  void shutDown();

 private:
  struct Active {
    session::PreparedRun prepared;
    std::vector<std::string> ports;
    std::optional<std::uint32_t> capture_port;
    std::unique_ptr<LiveWatcher> watcher;
    std::thread thread;
  };

  // The run that a request to resume means, if there is one.
  std::optional<std::int64_t> unfinished(const scenario::Scenario& scenario);
  void checkStart(const CommonStart& start) const;
  void checkInstant(std::int64_t at_ns) const;
  RunState launch(session::PreparedRun prepared, std::optional<std::int64_t> resumed,
                  const RunRequest& request);
  void execute(std::int64_t run, Active& active);
  // To all who follow the live stream.
  void tellState(std::int64_t run);
  void reap();
  [[nodiscard]] results::ResultStore openStore() const;
  [[nodiscard]] bool isActive(std::int64_t run) const;
  [[nodiscard]] RunState stateOf(const results::RunInfo& info);
  [[nodiscard]] std::optional<int> exitCodeOf(const results::RunInfo& info);
  [[nodiscard]] std::filesystem::path directoryOf(std::int64_t run) const;
  [[nodiscard]] std::filesystem::path captureFile(std::int64_t run) const;
  [[nodiscard]] std::filesystem::path logFile(std::int64_t run) const;

  const std::filesystem::path results_;
  const HostClock clock_;
  LiveHub& hub_;
  PortTable& ports_;
  std::mutex starting_;       // one start at a time
  std::mutex reporting_;      // one report at a time
  std::mutex telling_;        // one change of a run's state after the other
  mutable std::mutex mutex_;  // of what follows
  bool shut_down_ = false;
  std::map<std::int64_t, std::unique_ptr<Active>> active_;
  std::vector<std::unique_ptr<Active>> ended_;       // whose threads have to be joined
  std::map<std::int64_t, std::string> errors_;       // why runs of this process failed
  std::map<std::int64_t, int> exit_codes_;           // of runs that are done
  std::map<std::int64_t, StartGate::Times> starts_;  // of runs that ended under this server
};

}  // namespace plumbline::control
