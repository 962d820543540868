// The ratio of two quantities that were measured in pairs, one pair for each repetition.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/summary.h"

namespace plumbline::stats {

// Ratio estimator of paired samples (Cochran, Sampling Techniques, chapter 6).
struct PairedRatio {
  std::size_t count = 0;
  double ratio = 0;              // sum of the numerators / sum of the denominators
  std::vector<double> ratios;    // of the single pairs
  std::optional<double> cv;      // of `ratios`; absent with fewer than two pairs
  std::optional<Interval> ci95;  // Student's t, count - 1; absent with fewer than two pairs
};

// Standard error of the ratio R: s / (mean denominator * sqrt(n)), s the standard deviation (n - 1)
// of the residuals numerator - R * denominator, so that the common part of a pair cancels. Both of
// the same length, at least 1, denominators above zero: else throws Error(kUsage).
PairedRatio pairedRatio(std::span<const double> numerators, std::span<const double> denominators);

}  // namespace plumbline::stats
