// Kolmogorov-Smirnov test against the exponential distribution.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace plumbline::test {

// sqrt(n) times the largest distance between the samples' distribution function and that of the
// exponential distribution with mean 1. Above kKsOnePercent in 1 % of all cases if they are from
// it.
inline constexpr double kKsOnePercent = 1.628;

inline double ksExponential(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto n = static_cast<double>(samples.size());
  double largest = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double f = -std::expm1(-samples[i]);
    largest =
        std::max({largest, static_cast<double>(i + 1) / n - f, f - static_cast<double>(i) / n});
  }
  return largest * std::sqrt(n);
}

}  // namespace plumbline::test
