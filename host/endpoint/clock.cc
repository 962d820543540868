#include "endpoint/clock.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace plumbline::endpoint {

std::int64_t monotonicNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

ClockCost measureClock() {
  constexpr std::size_t kReadings = 4096;
  std::vector<std::int64_t> steps(kReadings);
  for (std::int64_t& step : steps) {
    const std::int64_t before = monotonicNow();
    step = monotonicNow() - before;
  }
  std::sort(steps.begin(), steps.end());
  ClockCost cost;
  cost.minimum_ns = steps.front();
  cost.median_ns = steps[kReadings / 2];
  const auto above = std::upper_bound(steps.begin(), steps.end(), 0);
  cost.resolution_ns = above == steps.end() ? 1 : *above;
  for (auto step = above; step != steps.end() && step + 1 != steps.end(); ++step) {
    if (step[1] > step[0]) cost.resolution_ns = std::min(cost.resolution_ns, step[1] - step[0]);
  }
  return cost;
}

}  // namespace plumbline::endpoint
