// One test on two benches: both results side by side, and where they disagree.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/observation_point.h"
#include "bench/trial/bench.h"
#include "results/test_result.h"
#include "suite/procedure.h"

namespace plumbline::suite {

// A larger difference between the benches is an anomaly. The bound is this tester's own.
inline constexpr double kMaxDiscrepancyPercent = 10;

// The result of a test on one of the benches, and the data for judging it.
struct BenchResult {
  std::string bench;  // "rtl": appended in the comparison to names that belong to this bench alone
  ObservationPoint observed = ObservationPoint::kTester;  // where it sees figures
  Picoseconds timestamp_resolution;
  double rate_step_percent = 0;  // of a search for a rate, share of line rate
  // The trials that were run, as JSON, by their labels.
  std::map<std::string, std::set<std::string>> trials;
  results::TestResult result;
};

// Runs the test as Procedure::run() does.
BenchResult runOnBench(const Procedure& procedure, const TestConfig& config, TrialRunner& runner);

// A KPI at a point that both benches measured.
struct Discrepancy {
  std::string kpi;
  std::string point;
  results::Quantity first;
  results::Quantity second;
  // |second - first| of the first; of the second where the first is zero.
  double percent = 0;
  // The reason for an excessive difference; else empty.
  std::string cause;

  [[nodiscard]] bool excessive() const { return percent > kMaxDiscrepancyPercent; }
};

// In the order of the first result's KPIs. A cause is the first of these that holds: endpoint
// software observed one figure and not the other; the loads offered at the point differ, because
// each bench had searched for its own; the difference is at most a timestamp's resolution, one
// frame of a burst, or one step of the search; the repetitions scatter as much (Welch's t-test,
// two-sided, at 5 %). Otherwise it states that none holds.
std::vector<Discrepancy> discrepancies(const BenchResult& first, const BenchResult& second);

// Both results in one: a table of all figures side by side with their difference, the tables,
// charts and distributions of both, and for every excessive difference an anomaly with its cause.
// The KPIs are those of both, at "rtl: 64 B, zero load", and `discrepancy_percent` of every figure
// that both have. Observation points stay with the figures. Both must be of the same test.
results::TestResult compareBenches(const BenchResult& first, const BenchResult& second);

}  // namespace plumbline::suite
