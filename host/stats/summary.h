// Summaries over repetitions (mean, CV, confidence interval), fairness over flows, and the row of
// latency figures that every table has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "stats/histogram.h"

namespace plumbline::stats {

// A two-sided confidence interval of a mean, in the unit of the values.
struct Interval {
  double low = 0;
  double high = 0;
};

// Summary of the repetitions of a measurement, in the unit of the values.
struct Summary {
  std::size_t count = 0;
  double minimum = 0;
  double maximum = 0;
  double mean = 0;
  // Sample standard deviation (n - 1); 0 for a single value.
  double standard_deviation = 0;
  // Coefficient of variation, standard deviation / |mean|; absent when the mean is zero or there is
  // one value only.
  std::optional<double> cv;
  // Student-t 95 % confidence interval of the mean; absent with fewer than two values.
  std::optional<Interval> ci95;
};

// Summary of `values`; all members zero or absent without values.
Summary summarize(std::span<const double> values);

// Upper quantile of Student's t for a two-sided interval: P(|T| <= t) = `confidence`.
// Throws Error(kUsage) unless degrees_of_freedom >= 1 and 0 < confidence < 1.
double studentT(double confidence, std::size_t degrees_of_freedom);

// Jain's fairness index (sum x)^2 / (n * sum x^2), from 1/n (one takes all) to 1 (all equal)
// (FACTS H.2). Absent when there are no values or all are zero. Values are not negative.
std::optional<double> jainIndex(std::span<const double> values);

// One row of a latency table, in the histogram's unit (ps). Minimum, mean and maximum are exact,
// the percentiles within 0.4 %.
struct LatencyStats {
  std::uint64_t count = 0;
  std::uint64_t minimum = 0;
  double mean = 0;
  std::uint64_t p50 = 0;
  std::uint64_t p95 = 0;
  std::uint64_t p99 = 0;
  std::uint64_t p999 = 0;
  std::uint64_t maximum = 0;
};

LatencyStats latencyStats(const Histogram& histogram);

}  // namespace plumbline::stats
