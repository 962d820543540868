// Trend of a value over time: a straight line through samples, and the confidence of its slope.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "stats/summary.h"

namespace plumbline::suite {

// Least-squares line through (x, y); slope in units of y per unit of x.
struct Trend {
  std::size_t count = 0;
  double intercept = 0;  // y at x = 0
  double slope = 0;
  // Of the slope, from the scatter of the samples about the line; 0 when they all lie on it.
  double standard_error = 0;
};

// Nothing with fewer than three samples, which leave no scatter, or when all x are the same. `x`
// and `y` are of the same length.
std::optional<Trend> trendOf(std::span<const double> x, std::span<const double> y);

// Two-sided confidence interval of the slope (Student's t, count - 2 degrees of freedom), assuming
// independent deviations of the samples from the line. 0 < confidence < 1.
stats::Interval slopeInterval(const Trend& trend, double confidence);

// Conclusion about the slope from its interval at this confidence.
enum class Drift { kNone, kRising, kFalling };
Drift driftOf(const Trend& trend, double confidence);

// Mann-Kendall test for a trend of values in their order, which need not be a straight line: S is
// the number of rising pairs minus that of falling pairs. Without a trend S is about normal with
// mean 0 and, with groups of t equal values, variance (n(n-1)(2n+5) - sum t(t-1)(2t+5)) / 18.
struct MannKendall {
  std::int64_t s = 0;
  double variance = 0;
  double z = 0;       // with continuity correction; 0 if all values are equal
  double p = 1;       // two-sided
  double rising = 1;  // one-sided p-value: probability of such a rise without a trend
};
// Nothing with fewer than four values, of which no order is significant.
std::optional<MannKendall> mannKendall(std::span<const double> values);

// The least two-sided p that the test can give for `count` values: that of values in rising order.
// Levels at or below it find no trend in any values.
double leastMannKendallP(std::size_t count);

}  // namespace plumbline::suite
