#include "stats/uncertainty.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"
#include "stats/summary.h"

namespace plumbline::stats {
namespace {

constexpr double kConfidence = 0.95;
constexpr double kCoverageOfBounds = 2;
// More degrees of freedom count as infinitely many.
constexpr double kManyDegrees = 1e6;

void requireSample(std::size_t count, const char* what) {
  if (count >= 2) return;
  throw Error(ErrorKind::kUsage, std::string("no type A uncertainty of this number of ") + what, {},
              "two at least");
}

}  // namespace

StandardUncertainty typeA(double standard_deviation, std::size_t count) {
  requireSample(count, "observations");
  const auto n = static_cast<double>(count);
  return {standard_deviation / std::sqrt(n), n - 1};
}

double ofBound(double bound) { return bound / std::sqrt(3.0); }
double ofWidth(double width) { return width / std::sqrt(12.0); }
double ofTwoReadings(double resolution) { return std::sqrt(2.0) * ofWidth(resolution); }

StandardUncertainty typeA(const BatchMean& mean) {
  requireSample(mean.batches, "batches");
  return {mean.half_width / studentT(kConfidence, mean.batches - 1),
          static_cast<double>(mean.batches - 1)};
}

StandardUncertainty combined(std::span<const StandardUncertainty> components) {
  double largest = 0;
  for (const StandardUncertainty& one : components) largest = std::max(largest, one.value);
  if (largest == 0) return {};
  // Relative to the largest, so that fourth powers neither overflow nor underflow.
  double squares = 0;
  double per_degree = 0;
  for (const StandardUncertainty& one : components) {
    const double square = one.value / largest * (one.value / largest);
    squares += square;
    per_degree += square * square / one.degrees_of_freedom;
  }
  StandardUncertainty sum{largest * std::sqrt(squares)};
  if (per_degree > 0) sum.degrees_of_freedom = squares * squares / per_degree;
  return sum;
}

ExpandedUncertainty expanded(std::span<const StandardUncertainty> components) {
  ExpandedUncertainty all{combined(components)};
  const double degrees = all.standard.degrees_of_freedom;
  if (degrees < kManyDegrees) {
    // A rounding error must not turn 4 degrees into 3.
    constexpr double kRounding = 1e-9;
    const auto whole = static_cast<std::size_t>(std::floor(degrees * (1 + kRounding)));
    all.coverage_factor = studentT(kConfidence, std::max<std::size_t>(whole, 1));
  } else {
    all.standard.degrees_of_freedom = std::numeric_limits<double>::infinity();
    all.coverage_factor = kCoverageOfBounds;
  }
  all.half = all.coverage_factor * all.standard.value;
  return all;
}

}  // namespace plumbline::stats
