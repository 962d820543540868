#include "stats/paired_ratio.h"

#include <cmath>

#include "base/error.h"

namespace plumbline::stats {

PairedRatio pairedRatio(std::span<const double> numerators, std::span<const double> denominators) {
  PairedRatio result;
  result.count = numerators.size();
  bool valid = result.count > 0 && denominators.size() == result.count;
  for (const double value : denominators) valid = valid && value > 0;
  if (!valid) {
    throw Error(ErrorKind::kUsage, "no ratio of these pairs", {},
                "at least one pair, every denominator above zero");
  }
  double numerator_sum = 0;
  double denominator_sum = 0;
  result.ratios.reserve(result.count);
  for (std::size_t i = 0; i < result.count; ++i) {
    numerator_sum += numerators[i];
    denominator_sum += denominators[i];
    result.ratios.push_back(numerators[i] / denominators[i]);
  }
  result.ratio = numerator_sum / denominator_sum;
  result.cv = summarize(result.ratios).cv;
  if (result.count < 2) return result;
  const auto n = static_cast<double>(result.count);
  double squares = 0;
  for (std::size_t i = 0; i < result.count; ++i) {
    const double residual = numerators[i] - result.ratio * denominators[i];
    // Rounding of the ratio is no variation.
    constexpr double kRounding = 1e-12;
    if (std::abs(residual) > kRounding * std::abs(numerators[i])) squares += residual * residual;
  }
  const double error = std::sqrt(squares / (n - 1) / n) / (denominator_sum / n);
  const double half = studentT(0.95, result.count - 1) * error;
  result.ci95 = Interval{result.ratio - half, result.ratio + half};
  return result;
}

}  // namespace plumbline::stats
