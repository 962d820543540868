#include "control/start_gate.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace plumbline::control {
namespace {

using Steady = std::chrono::steady_clock;

// Wake-up latency of a sleeping thread on a machine that is not overloaded. The rest of the time is
// spent polling the clock.
constexpr std::int64_t kPollIntervalNs = 1'000'000;
constexpr std::chrono::nanoseconds kLongestSleep{50'000'000};  // then `stop` is checked

}  // namespace

void StartGate::openOnce(const HostClock& clock, std::int64_t at_ns) {
  clock_ = clock;
  times_.at_ns = at_ns;
}

void StartGate::openForEach(const HostClock& clock, std::chrono::nanoseconds hold,
                            std::function<void()> waits) {
  clock_ = clock;
  hold_ = hold;
  waits_ = std::move(waits);
}

bool StartGate::wait(const std::atomic<bool>& stop, const WaitingTrial& trial) {
  if (!clock_) return true;
  if (hold_) {
    if (!awaitOrder(stop, trial)) return false;
  } else if (times().started_ns) {
    return true;
  }
  if (!sleepUntil(*times().at_ns, stop)) return false;
  const std::int64_t now = clock_->nowNs();
  const std::scoped_lock lock(mutex_);
  times_.trial = trial.trial;
  times_.started_ns = now;
  return true;
}

bool StartGate::awaitOrder(const std::atomic<bool>& stop, const WaitingTrial& trial) {
  {
    const std::scoped_lock lock(mutex_);
    times_.waiting = trial;
    latest_word_ = Steady::now();
  }
  waits_();
  std::unique_lock lock(mutex_);
  while (times_.waiting && !stop && Steady::now() - latest_word_ < *hold_) {
    told_.wait_for(lock, kLongestSleep);
  }
  return !std::exchange(times_.waiting, std::nullopt).has_value();
}

bool StartGate::sleepUntil(std::int64_t at_ns, const std::atomic<bool>& stop) const {
  for (;;) {
    if (stop) return false;
    const std::int64_t left = at_ns - clock_->nowNs();
    if (left <= 0) return true;
    if (left <= kPollIntervalNs) continue;
    std::this_thread::sleep_for(
        std::min(std::chrono::nanoseconds(left - kPollIntervalNs), kLongestSleep));
  }
}

bool StartGate::sendStartTime(const TrialOrder& order) {
  const std::scoped_lock lock(mutex_);
  if (!times_.waiting || times_.waiting->trial != order.trial) return false;
  latest_word_ = Steady::now();
  if (order.at_ns) {
    times_ = {order.trial, order.at_ns, std::nullopt, std::nullopt};
    told_.notify_one();
  }
  return true;
}

StartGate::Times StartGate::times() const {
  const std::scoped_lock lock(mutex_);
  return times_;
}

}  // namespace plumbline::control
