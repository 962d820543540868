#include "control/host_clock.h"

#include <limits>

namespace plumbline::control {
namespace {

using std::chrono::steady_clock;
using std::chrono::system_clock;

template <typename Clock>
std::int64_t nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
      .count();
}

// How far the machine's clock is ahead of its steady one. They cannot be read at once: the reading
// with the shortest interruption counts.
std::int64_t aheadOfSteady() {
  constexpr int kReadings = 8;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  std::int64_t ahead = 0;
  for (int i = 0; i < kReadings; ++i) {
    const std::int64_t before = nanoseconds<steady_clock>();
    const std::int64_t utc = nanoseconds<system_clock>();
    const std::int64_t took = nanoseconds<steady_clock>() - before;
    if (took >= shortest) continue;
    shortest = took;
    ahead = utc - (before + took / 2);
  }
  return ahead;
}

}  // namespace

HostClock::HostClock(std::chrono::nanoseconds shift)
    : from_steady_ns_(aheadOfSteady() + shift.count()) {}

std::int64_t HostClock::nowNs() const { return nanoseconds<steady_clock>() + from_steady_ns_; }

}  // namespace plumbline::control
