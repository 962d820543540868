// Holds trials back until the instant at which they begin together with those of other testers.
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

// The functions that tell may be called from any thread.
class StartGate {
 public:
  // The latest start that was agreed on, by the clock; nothing where there was none. And the trial
  // that waits for the next.
  struct Times {
    std::optional<std::uint64_t> trial;
    std::optional<std::int64_t> at_ns;
    std::optional<std::int64_t> started_ns;  // once it has begun
    std::optional<WaitingTrial> waiting;
  };

  // One of these, before anything waits. The first trial begins at `at_ns`, the others when they
  // can.
  void openOnce(const HostClock& clock, std::int64_t at_ns);
  // Every trial waits to be told its instant, at most `hold` after the latest word; `waits` is
  // called whenever one begins to.
  void openForEach(const HostClock& clock, std::chrono::nanoseconds hold,
                   std::function<void()> waits);

  // Returns once it is time for `trial`, at once when that is over or nothing was agreed on. False
  // when `stop` became true before, or nobody said a word for too long.
  bool wait(const std::atomic<bool>& stop, const WaitingTrial& trial);

  // The instant of a trial that waits for it, or the word that it is still to come. False when that
  // trial does not wait.
  bool tell(const TrialOrder& order);

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
