// The verdict: a run's KPIs against the limits of its scenario.
#pragma once

#include <string>
#include <vector>

#include "results/test_result.h"
#include "scenario/scenario.h"

namespace plumbline::session {

// One limit at its worst point.
struct LimitVerdict {
  scenario::Limit limit;
  // False: no KPI of this name in the results, or none at `where`, and no KPI misses the limit; the
  // limit is then neither met nor missed.
  bool measured = false;
  bool met = false;
  double worst = 0;   // the worst value
  std::string unit;   // of that value
  std::string where;  // test and point of it
};

std::vector<LimitVerdict> judge(const std::vector<scenario::Limit>& limits,
                                const std::vector<results::TestResult>& tests);

// "latency_p99_ns at most 5000: met, worst 1234 (T5.2, 64 B, 50 % load)"
std::string verdictText(const LimitVerdict& verdict);

}  // namespace plumbline::session
