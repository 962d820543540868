// Holds a run back until the instant at which it begins together with others.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "control/host_clock.h"

namespace plumbline::control {

// times() may be asked for from any thread.
class StartGate {
 public:
  // Of the clock; nothing for a run without a common start, or one that has not begun.
  struct Times {
    std::optional<std::int64_t> at_ns;
    std::optional<std::int64_t> started_ns;
  };

  // Before anything waits.
  void set(const HostClock& clock, std::int64_t at_ns);

  // Returns once it is time, at once when that is over or was never set. The first time counts: a
  // run begins once. False when `stop` became true before.
  bool wait(const std::atomic<bool>& stop);

  [[nodiscard]] Times times() const;

 private:
  static constexpr std::int64_t kNever = -1;

  std::optional<HostClock> clock_;
  std::int64_t at_ns_ = 0;
  std::atomic<std::int64_t> started_ns_ = kNever;
};

}  // namespace plumbline::control
