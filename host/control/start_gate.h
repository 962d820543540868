// Delays trials until their common start with those of other testers.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

#include "control/api_types.h"
#include "control/host_clock.h"

namespace plumbline::control {

// tell() and the getters may be called from any thread.
class StartGate {
 public:
  // The latest agreed start, by the clock; nothing without one. And the trial that waits for the
  // next.
  struct Times {
    std::optional<std::uint64_t> trial;
    std::optional<std::int64_t> at_ns;
    std::optional<std::int64_t> started_ns;  // once it has begun
    std::optional<WaitingTrial> waiting;
  };

  // One of these, before any trial waits. The first trial begins at `at_ns`, the others without a
  // delay.
  void openOnce(const HostClock& clock, std::int64_t at_ns);
  // Every trial waits for its start time, at most `hold` after the latest message; `waits` is
  // called whenever a trial begins to wait.
  void openForEach(const HostClock& clock, std::chrono::nanoseconds hold,
                   std::function<void()> waits);

  // Returns at the start time of `trial`, at once when that has passed or none was agreed. False
  // when `stop` became true before, or no message came for too long.
  bool wait(const std::atomic<bool>& stop, const WaitingTrial& trial);

  // Sets the start time of a waiting trial, or keeps it waiting. False when that trial does not
  // wait.
  bool sendStartTime(const TrialOrder& order);

  [[nodiscard]] Times times() const;

 private:
  bool awaitOrder(const std::atomic<bool>& stop, const WaitingTrial& trial);
  bool sleepUntil(std::int64_t at_ns, const std::atomic<bool>& stop) const;

  std::optional<HostClock> clock_;
  std::optional<std::chrono::nanoseconds> hold_;  // of each trial; nothing: only the first waits
  std::function<void()> waits_;

  mutable std::mutex mutex_;  // of the following
  std::condition_variable told_;
  Times times_;
  std::chrono::steady_clock::time_point latest_word_;
};

}  // namespace plumbline::control
