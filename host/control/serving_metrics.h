// Serving systems of running trials, for Prometheus: a part of LiveMetrics. All of it is modelled.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "control/live_interval.h"
#include "control/metric_families.h"

namespace plumbline::control {

// Requests and tokens since the server began, by bench and system.
class ServingTotals {
 public:
  // Adds the change from `before` to `now`; `before` is an interval of the same trial, or empty.
  void count(const LiveInterval& now, const LiveInterval& before);
  void addTotals(MetricFamilies& families) const;

 private:
  struct Totals {
    std::uint64_t arrived = 0;
    std::uint64_t done = 0;
    std::uint64_t rejected = 0;
    std::uint64_t failed = 0;
    std::uint64_t tokens = 0;
    std::uint64_t within_limits = 0;
    std::uint64_t tokens_within_limits = 0;
  };
  std::map<std::pair<std::string, std::string>, Totals> systems_;  // by bench and system
};

// The state of each system in an interval: queues, KV cache, TTFT and ITL. A value that the bench
// does not know has no series.
void addServingLevels(const LiveInterval& now, MetricFamilies& families);

}  // namespace plumbline::control
