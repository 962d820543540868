// Makes live intervals of a run: totals that the bench shows become intervals with rates.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "bench/bench.h"
#include "control/live_hub.h"
#include "session/capture_file.h"
#include "session/pace.h"
#include "session/run_watcher.h"

namespace plumbline::control {

// What changed between two snapshots of the same trial; `previous` may be none. The result has no
// place in a run or test yet.
LiveInterval intervalOf(const bench::TrialSnapshot& now,
                        const std::optional<bench::TrialSnapshot>& previous);

// Where a run stands, for those who ask.
struct RunPlace {
  std::string test;
  std::uint64_t trial_number = 0;
  std::uint64_t trials_expected = 0;
  std::optional<double> eta_s;
};

class LiveWatcher final : public session::RunWatcher, private bench::TrialObserver {
 public:
  // At most ten intervals per second of a trial in hand, fewer where looking takes long, and one
  // at the end of every trial; stored trials, which take no time, share the ten per second.
  // `capture_file`: for the captured frames; empty = none.
  LiveWatcher(LiveHub& hub, std::int64_t run, const std::string& capture_file);

  // From any thread.
  void requestStop() { stop_ = true; }
  [[nodiscard]] bool stopping() const { return stop_; }
  [[nodiscard]] RunPlace place() const;

  bool stopRequested() override { return stop_; }
  void beginTest(const std::string& test, std::uint64_t expected) override;
  void beginTrial(const std::string& label, std::uint32_t repetition) override;
  bench::TrialObserver* trialObserver() override { return this; }
  void captured(const card::CapturedFrame& frame, const std::string& trial) override;
  void endTrial(const session::TrialRecord& record) override;

 private:
  using Clock = std::chrono::steady_clock;

  bool due() override { return Clock::now() >= next_look_; }
  void onSnapshot(const bench::TrialSnapshot& snapshot) override;
  void publish(const bench::TrialSnapshot& snapshot, LiveTrial trial);
  void looked(Clock::time_point since);

  LiveHub& hub_;
  const std::int64_t run_;
  std::optional<session::CaptureFile> capture_;
  std::atomic<bool> stop_ = false;

  mutable std::mutex mutex_;  // of the following three
  std::string test_;
  session::Pace pace_;
  double share_ = 0;  // of the trial in hand

  LiveTrial trial_;
  std::string kpi_;
  std::optional<bench::TrialSnapshot> previous_;
  std::optional<bench::TrialSnapshot> final_;
  Clock::time_point next_look_;
};

}  // namespace plumbline::control
