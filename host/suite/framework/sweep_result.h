// The points of a sweep folded into one result per test: every figure over the swept values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/test_result.h"
#include "scenario/scenario.h"

namespace plumbline::suite {

// A point of a sweep, measured.
struct SweepPointResult {
  std::string label;                // "buffer 64KB, qps 4"
  std::vector<std::string> values;  // of the axes, as the scenario has them
  std::vector<results::TestResult> tests;
};

// One result for each test, in the order of the points' tests: a table of all figures, a chart of
// each over the first axis whose values are numbers (else over the first one), the KPIs at "buffer
// 64KB, qps 4: 1024 B, 50 % load", repeatability, deviations and anomalies by point. A
// value of a test's own sweep that another point of the same DUT has is no deviation. The
// configuration lists the lines that all points share, and the swept values. Other tables, charts
// and distributions stay with the points.
std::vector<results::TestResult> foldSweep(const std::vector<scenario::SweepAxis>& axes,
                                           const std::vector<SweepPointResult>& points);

}  // namespace plumbline::suite
