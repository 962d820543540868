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
#include "control/run_archive.h"
#include "control/run_preparation.h"
#include "session/run.h"

namespace plumbline::control {

// Thread-safe.
class RunManager {
 public:
  // `results`: directory of the results database, shared with the command. `clock`: by which
  // common starts are kept. `access`: what scenarios may name.
  RunManager(std::filesystem::path results, LiveHub& hub, PortTable& ports,
             const HostClock& clock = HostClock(),
             scenario::Access access = {.origin = scenario::Origin::kNetwork});
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
  // Of runs with a higher number than `since`, ascending.
  [[nodiscard]] std::vector<RunState> list(std::uint64_t since = 0);
  // Throws Refused(404) for a run that captured nothing, 409 while it still does.
  [[nodiscard]] std::string capture(std::int64_t run);

  // What is stored of them.
  [[nodiscard]] const RunArchive& archive() const { return archive_; }
  [[nodiscard]] const HostClock& clock() const { return clock_; }
  [[nodiscard]] const scenario::Access& access() const { return access_; }
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
  [[nodiscard]] bool isActive(std::int64_t run) const;
  [[nodiscard]] RunState stateOf(const results::RunInfo& info);
  [[nodiscard]] std::optional<int> exitCodeOf(const results::RunInfo& info);

  const RunArchive archive_;
  const scenario::Access access_;
  const HostClock clock_;
  LiveHub& hub_;
  PortTable& ports_;
  std::mutex starting_;       // one start at a time
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
