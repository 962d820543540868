// The server's runs: starts them on threads of their own, through the same session::executeRun() as
// `plumbline run`, and keeps their state.
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
  // `results`: directory of the results database, shared with the command. `clock`: for common
  // starts. `access`: what scenarios may name.
  RunManager(std::filesystem::path results, LiveHub& hub, PortTable& ports,
             const HostClock& clock = HostClock(),
             scenario::Access access = {.origin = scenario::Origin::kNetwork});
  // Stops active runs after their current trials.
  ~RunManager();
  RunManager(const RunManager&) = delete;
  RunManager& operator=(const RunManager&) = delete;

  // Each throws Refused with the reason when it is impossible.
  RunState start(const RunRequest& request);
  RunState resume(std::int64_t run);
  RunState stop(std::int64_t run);
  // For a run with common starts.
  RunState order(std::int64_t run, const TrialOrder& order);

  [[nodiscard]] RunState state(std::int64_t run);
  // Runs with a higher number than `since`, ascending.
  [[nodiscard]] std::vector<RunState> list(std::uint64_t since = 0);
  // Throws Refused(404) for a run without a capture, 409 while it is still being written.
  [[nodiscard]] std::string capture(std::int64_t run);

  // Their stored data.
  [[nodiscard]] const RunArchive& archive() const { return archive_; }
  [[nodiscard]] const HostClock& clock() const { return clock_; }
  [[nodiscard]] const scenario::Access& access() const { return access_; }
  [[nodiscard]] std::size_t active() const;
  // Requests a stop of all runs and waits for their end; no run can be started afterwards.
  void shutDown();

 private:
  struct Active {
    session::PreparedRun prepared;
    std::vector<std::string> ports;
    std::optional<std::uint32_t> capture_port;
    std::unique_ptr<LiveWatcher> watcher;
    std::thread thread;
  };

  // The run that a request to resume refers to, if there is one.
  std::optional<std::int64_t> unfinished(const scenario::Scenario& scenario);
  void checkStart(const CommonStart& start) const;
  void checkInstant(std::int64_t at_ns) const;
  RunState launch(session::PreparedRun prepared, std::optional<std::int64_t> resumed,
                  const RunRequest& request);
  void execute(std::int64_t run, Active& active);
  // To all clients of the live stream.
  void publishState(std::int64_t run);
  void joinFinished();
  [[nodiscard]] bool isActive(std::int64_t run) const;
  [[nodiscard]] RunState stateOf(const results::RunInfo& info);
  [[nodiscard]] std::optional<int> exitCodeOf(const results::RunInfo& info);

  const RunArchive archive_;
  const scenario::Access access_;
  const HostClock clock_;
  LiveHub& hub_;
  PortTable& ports_;
  std::mutex starting_;       // one start at a time
  std::mutex telling_;        // serialises changes of runs' states
  mutable std::mutex mutex_;  // protects the members below
  bool shut_down_ = false;
  std::map<std::int64_t, std::unique_ptr<Active>> active_;
  std::vector<std::unique_ptr<Active>> ended_;       // whose threads have to be joined
  std::map<std::int64_t, std::string> errors_;       // why runs of this process failed
  std::map<std::int64_t, int> exit_codes_;           // of runs that are done
  std::map<std::int64_t, StartGate::Times> starts_;  // of runs that ended under this server
};

}  // namespace plumbline::control
