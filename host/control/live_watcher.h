// Makes live intervals of a run: the bench's totals become intervals with rates.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "bench/trial/bench.h"
#include "control/live_hub.h"
#include "control/start_gate.h"
#include "session/capture_file.h"
#include "session/remaining_time.h"
#include "session/run_watcher.h"
#include "session/trial_log.h"

namespace plumbline::control {

// The changes between two snapshots of the same trial; `previous` may be null. The position in run
// and test is not set.
LiveInterval intervalOf(const bench::TrialSnapshot& now,
                        const std::optional<bench::TrialSnapshot>& previous);

// The position of a run.
struct RunPlace {
  std::string test;
  std::uint64_t trial_number = 0;
  std::uint64_t trials_expected = 0;
  std::optional<double> eta_s;
};

class LiveWatcher final : public session::RunWatcher, private bench::TrialObserver {
 public:
  // At most ten intervals per second of a current trial, fewer where snapshots take long, and one
  // at the end of every trial; stored trials, which take no time, share the ten per second.
  // `files`: empty = none.
  struct Files {
    std::string capture;  // pcapng of the captured frames
    std::string log;      // a line per trial
  };
  LiveWatcher(LiveHub& hub, std::int64_t run, const Files& files);

  // See StartGate::openOnce() and openForEach(). To be called before the run.
  void startAt(const HostClock& clock, std::int64_t at_ns) { gate_.openOnce(clock, at_ns); }
  void startEach(const HostClock& clock, std::chrono::nanoseconds hold,
                 std::function<void()> waits) {
    gate_.openForEach(clock, hold, std::move(waits));
  }
  bool order(const TrialOrder& order) { return gate_.sendStartTime(order); }
  [[nodiscard]] StartGate::Times startTimes() const { return gate_.times(); }

  // From any thread.
  void requestStop() { stop_ = true; }
  [[nodiscard]] bool stopping() const { return stop_; }
  [[nodiscard]] RunPlace place() const;

  bool stopRequested() override { return stop_; }
  std::optional<std::chrono::milliseconds> stopTimeout() override {
    return std::chrono::milliseconds(500);
  }
  void beginTest(const std::string& test, std::uint64_t expected) override;
  void beginTrial(const std::string& label, std::uint32_t repetition) override;
  // Waits for the trial's common start. Throws Aborted when the run is stopped meanwhile, or no
  // start time arrives.
  void beginMeasurement() override;
  bench::TrialObserver* trialObserver() override { return this; }
  void captured(const card::CapturedFrame& frame, const std::string& trial) override;
  void endTrial(const session::TrialRecord& record) override;

 private:
  using Clock = std::chrono::steady_clock;

  bool due() override { return Clock::now() >= next_poll_; }
  void onSnapshot(const bench::TrialSnapshot& snapshot) override;
  void publish(const bench::TrialSnapshot& snapshot, LiveTrial trial);
  void polled(Clock::time_point since);

  LiveHub& hub_;
  const std::int64_t run_;
  std::optional<session::CaptureFile> capture_;
  std::optional<session::TrialLog> log_;
  StartGate gate_;
  std::atomic<bool> stop_ = false;

  mutable std::mutex mutex_;  // of the following three
  std::string test_;
  session::RemainingTime pace_;
  double share_ = 0;  // of the current trial

  std::uint64_t trials_begun_ = 0;  // of the run
  LiveTrial trial_;
  std::string kpi_;
  std::optional<bench::TrialSnapshot> previous_;
  std::optional<bench::TrialSnapshot> final_;
  Clock::time_point next_poll_;
};

}  // namespace plumbline::control
