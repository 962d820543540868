#include "suite/framework/balls_in_bins.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace plumbline::suite {
namespace {

// Logarithms of the factorials of 0 to n.
std::vector<double> logFactorials(std::uint32_t n) {
  std::vector<double> logs(n + std::size_t{1});
  for (std::uint32_t i = 2; i <= n; ++i) logs[i] = logs[i - 1] + std::log(i);
  return logs;
}

// P(no bin has more than `most`). Bin by bin, follows the distribution of the number of remaining
// balls, of which each bin takes a binomial share. Shares beyond ten standard deviations are
// ignored.
double probabilityOfAtMost(std::uint32_t bins, std::uint32_t max,
                           const std::vector<double>& log_factorials) {
  const auto balls = static_cast<std::uint32_t>(log_factorials.size() - 1);
  std::vector<double> left(balls + std::size_t{1});
  left[balls] = 1;
  for (std::uint32_t bin = 0; bin + 1 < bins; ++bin) {
    const double p = 1.0 / (bins - bin);
    std::vector<double> next(left.size());
    for (std::uint32_t n = 0; n <= balls; ++n) {
      if (left[n] < 1e-18) continue;
      const double far = 10 * std::sqrt(n * p * (1 - p)) + 10;
      const auto first = static_cast<std::uint32_t>(std::max(n * p - far, 0.0));
      const auto last = std::min({n, max, static_cast<std::uint32_t>(n * p + far)});
      for (std::uint32_t i = first; i <= last; ++i) {
        const double log_share = log_factorials[n] - log_factorials[i] - log_factorials[n - i] +
                                 i * std::log(p) + (n - i) * std::log1p(-p);
        next[n - i] += left[n] * std::exp(log_share);
      }
    }
    left = std::move(next);
  }
  double sum = 0;
  for (std::uint32_t n = 0; n <= std::min(balls, max); ++n) sum += left[n];
  return std::min(sum, 1.0);
}

}  // namespace

double expectedMaxMeanRatio(std::uint32_t balls, std::uint32_t bins, std::uint32_t groups) {
  const double mean = static_cast<double>(balls) / bins;
  if (bins <= 1) return 1;
  const std::vector<double> log_factorials = logFactorials(balls);
  // E[max] = sum over m of P(max > m).
  double expected = 0;
  for (std::uint32_t m = 0; m < balls; ++m) {
    // Below the mean some bin has more for sure.
    const double within =
        m < mean ? 0 : std::pow(probabilityOfAtMost(bins, m, log_factorials), groups);
    expected += 1 - within;
    if (1 - within < 1e-9) break;
  }
  return expected / mean;
}

}  // namespace plumbline::suite
