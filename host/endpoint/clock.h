// The clock of endpoint software, and the cost of reading it.
#pragma once

#include <cstdint>

namespace plumbline::endpoint {

// Nanoseconds of the host's monotonic clock, from an arbitrary beginning.
std::int64_t monotonicNow();

// The time between two consecutive readings: its share in every latency from one reading to the
// next.
struct ClockCost {
  std::int64_t minimum_ns = 0;
  std::int64_t median_ns = 0;
  std::int64_t resolution_ns = 0;  // smallest observed difference above 0
};

// Reads the clock a few thousand times.
ClockCost measureClock();

}  // namespace plumbline::endpoint
