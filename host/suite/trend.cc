#include "suite/trend.h"

#include <algorithm>
#include <cmath>

namespace plumbline::suite {

std::optional<Trend> trendOf(std::span<const double> x, std::span<const double> y) {
  constexpr std::size_t kFewest = 3;
  if (x.size() < kFewest) return std::nullopt;
  const auto count = static_cast<double>(x.size());
  double mean_x = 0;
  double mean_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / count;
    mean_y += y[i] / count;
  }
  double xx = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  if (xx <= 0) return std::nullopt;
  Trend trend;
  trend.count = x.size();
  trend.slope = xy / xx;
  trend.intercept = mean_y - trend.slope * mean_x;
  double residual = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double off = y[i] - (trend.intercept + trend.slope * x[i]);
    residual += off * off;
  }
  trend.standard_error = std::sqrt(residual / (count - 2) / xx);
  // Rounding in the sums is no slope: what a constant leaves of them is below this.
  constexpr double kRounding = 1e-12;
  const auto [first, last] = std::minmax_element(x.begin(), x.end());
  double largest = 0;
  for (const double value : y) largest = std::max(largest, std::abs(value));
  if (std::abs(trend.slope) * (*last - *first) <= kRounding * largest) trend.slope = 0;
  return trend;
}

stats::Interval slopeInterval(const Trend& trend, double confidence) {
  const double reach = stats::studentT(confidence, trend.count - 2) * trend.standard_error;
  return {trend.slope - reach, trend.slope + reach};
}

Drift driftOf(const Trend& trend, double confidence) {
  const stats::Interval interval = slopeInterval(trend, confidence);
  if (interval.low > 0) return Drift::kRising;
  if (interval.high < 0) return Drift::kFalling;
  return Drift::kNone;
}

}  // namespace plumbline::suite
