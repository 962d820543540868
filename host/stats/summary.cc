#include "stats/summary.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "base/error.h"

namespace plumbline::stats {

Summary summarize(std::span<const double> values) {
  Summary summary;
  summary.count = values.size();
  if (values.empty()) return summary;
  const auto n = static_cast<double>(values.size());
  const auto [minimum, maximum] = std::minmax_element(values.begin(), values.end());
  summary.minimum = *minimum;
  summary.maximum = *maximum;

  // Deviations are taken from the first value, and their squares from the mean: neither a large
  // common offset nor a small spread loses digits.
  const double origin = values.front();
  double sum = 0;
  for (const double value : values) sum += value - origin;
  summary.mean = origin + sum / n;
  if (values.size() < 2) return summary;
  double squares = 0;
  for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
  summary.standard_deviation = std::sqrt(squares / (n - 1));
  if (summary.mean != 0) summary.cv = summary.standard_deviation / std::abs(summary.mean);
  const double half = studentT(0.95, values.size() - 1) * summary.standard_deviation / std::sqrt(n);
  summary.ci95 = Interval{summary.mean - half, summary.mean + half};
  return summary;
}

double studentT(double confidence, std::size_t degrees_of_freedom) {
  if (degrees_of_freedom < 1 || !(confidence > 0 && confidence < 1)) {
    throw Error(ErrorKind::kUsage, "no Student-t quantile for this confidence and sample size", {},
                "at least two values and a confidence between 0 and 1");
  }
  const boost::math::students_t distribution(static_cast<double>(degrees_of_freedom));
  return boost::math::quantile(boost::math::complement(distribution, (1 - confidence) / 2));
}

std::optional<double> jainIndex(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, value);
  if (largest == 0) return std::nullopt;
  // Scaled by the largest so that squares of bit rates stay in range.
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    const double share = value / largest;
    sum += share;
    squares += share * share;
  }
  return sum * sum / (static_cast<double>(values.size()) * squares);
}

LatencyStats latencyStats(const Histogram& histogram) {
  LatencyStats stats;
  stats.count = histogram.count();
  stats.minimum = histogram.minimum();
  stats.mean = histogram.mean();
  stats.p50 = histogram.quantile(0.50);
  stats.p95 = histogram.quantile(0.95);
  stats.p99 = histogram.quantile(0.99);
  stats.p999 = histogram.quantile(0.999);
  stats.maximum = histogram.maximum();
  return stats;
}

}  // namespace plumbline::stats
