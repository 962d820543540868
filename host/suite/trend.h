// Whether something grows or falls over time: a straight line through samples, and how sure its
// slope is.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/summary.h"

namespace plumbline::suite {

// Least-squares line through (x, y); slope in units of y per unit of x.
struct Trend {
  std::size_t count = 0;
  double intercept = 0;  // y at x = 0
  double slope = 0;
  // Of the slope, from what the samples scatter about the line; 0 when they all lie on it.
  double standard_error = 0;
};

// Nothing with fewer than three samples, where the line leaves nothing to judge it by, or when all
// x are the same. `x` and `y` are of the same length.
std::optional<Trend> trendOf(std::span<const double> x, std::span<const double> y);

// Two-sided confidence interval of the slope (Student's t, count - 2 degrees of freedom), which
// takes the samples' departures from the line for independent. 0 < confidence < 1.
stats::Interval slopeInterval(const Trend& trend, double confidence);

// What the interval at this confidence allows to say of the slope.
enum class Drift { kNone, kRising, kFalling };
Drift driftOf(const Trend& trend, double confidence);

}  // namespace plumbline::suite
