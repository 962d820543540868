#include "control/start_gate.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace plumbline::control {
namespace {

// What a thread that sleeps may be late by on a machine that is not overloaded. The rest of the
// time is spent looking at the clock.
constexpr std::int64_t kLookNs = 1'000'000;
constexpr std::int64_t kLongestSleepNs = 50'000'000;  // then `stop` is looked at

}  // namespace

void StartGate::set(const HostClock& clock, std::int64_t at_ns) {
  clock_ = clock;
  at_ns_ = at_ns;
}

bool StartGate::wait(const std::atomic<bool>& stop) {
  if (!clock_ || started_ns_ != kNever) return true;
  for (;;) {
    if (stop) return false;
    const std::int64_t now = clock_->nowNs();
    if (now >= at_ns_) {
      started_ns_ = now;
      return true;
    }
    if (at_ns_ - now <= kLookNs) continue;
    const std::int64_t sleep = std::min(at_ns_ - now - kLookNs, kLongestSleepNs);
    std::this_thread::sleep_for(std::chrono::nanoseconds(sleep));
  }
}

StartGate::Times StartGate::times() const {
  if (!clock_) return {};
  const std::int64_t started = started_ns_;
  return {at_ns_, started == kNever ? std::nullopt : std::optional(started)};
}

}  // namespace plumbline::control
