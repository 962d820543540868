#include "suite/framework/trend.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

namespace plumbline::suite {

std::optional<Trend> trendOf(std::span<const double> x, std::span<const double> y) {
  constexpr std::size_t kMinCount = 3;
  if (x.size() < kMinCount) return std::nullopt;
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
  // Two roots: the quotient of the squares may be beyond the largest number.
  trend.standard_error = std::sqrt(residual / (count - 2)) / std::sqrt(xx);
  // Rounding in the sums is neither slope nor scatter: for constant values they stay below this.
  constexpr double kRounding = 1e-12;
  const auto [first, last] = std::minmax_element(x.begin(), x.end());
  double largest = 0;
  for (const double value : y) largest = std::max(largest, std::abs(value));
  if (std::abs(trend.slope) * (*last - *first) <= kRounding * largest) trend.slope = 0;
  if (std::sqrt(residual / count) <= kRounding * largest) trend.standard_error = 0;
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

std::optional<MannKendall> mannKendall(std::span<const double> values) {
  constexpr std::size_t kMinCount = 4;
  if (values.size() < kMinCount) return std::nullopt;
  MannKendall test;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      if (values[j] > values[i]) ++test.s;
      if (values[j] < values[i]) --test.s;
    }
  }
  const auto term = [](double n) { return n * (n - 1) * (2 * n + 5); };
  double sum = term(static_cast<double>(values.size()));
  std::map<double, std::size_t> groups;
  for (const double value : values) ++groups[value];
  for (const auto& group : groups) sum -= term(static_cast<double>(group.second));
  test.variance = sum / 18;
  if (test.variance <= 0) return test;
  const double toward = test.s > 0 ? -1 : test.s < 0 ? 1 : 0;
  test.z = (static_cast<double>(test.s) + toward) / std::sqrt(test.variance);
  test.p = std::erfc(std::abs(test.z) / std::sqrt(2.0));
  test.rising = 0.5 * std::erfc(test.z / std::sqrt(2.0));
  return test;
}

double leastMannKendallP(std::size_t count) {
  std::vector<double> rising(count);
  std::iota(rising.begin(), rising.end(), 0.0);
  const std::optional<MannKendall> test = mannKendall(rising);
  return test ? test->p : 1;
}

}  // namespace plumbline::suite
