// Uncertainty of measurement by the GUM (JCGM 100:2008, "Guide to the expression of uncertainty in
// measurement"). docs/uncertainty.md lists the sources that the product states. All values are in
// the unit of their quantity.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

namespace plumbline::stats {

// A standard uncertainty and its degrees of freedom: infinitely many where it follows from a bound
// (type B, GUM G.4.3) and not from a sample.
struct StandardUncertainty {
  double value = 0;
  double degrees_of_freedom = std::numeric_limits<double>::infinity();

  bool operator==(const StandardUncertainty&) const = default;
};

// Type A, of the mean of `count` observations: s / sqrt(n) with n - 1 degrees of freedom (GUM
// 4.2.3). Throws Error(kUsage) unless count >= 2.
StandardUncertainty typeA(double standard_deviation, std::size_t count);

// Type B, of a value within +-bound: bound / sqrt(3) (GUM 4.3.7).
double ofBound(double bound);
// Type B, of a reading with this resolution, or of the middle of an interval this wide:
// width / sqrt(12) (GUM F.2.2.1).
double ofWidth(double width);
// Type B, of the difference of two readings with this resolution: sqrt(2) * width / sqrt(12).
double ofTwoReadings(double resolution);

// A mean over batches of one long trial, with the half of its 95 % interval (Student's t with
// batches - 1 degrees of freedom).
struct BatchMean {
  double mean = 0;
  double half_width = 0;
  std::size_t batches = 0;  // two at least
};

// Such an interval as a type A uncertainty. Throws Error(kUsage) for fewer than two batches.
StandardUncertainty typeA(const BatchMean& mean);

// Root of the sum of squares of uncorrelated components (GUM 5.1.2), with the effective degrees of
// freedom of Welch and Satterthwaite (GUM G.4.1). Zero without components.
StandardUncertainty combined(std::span<const StandardUncertainty> components);

struct ExpandedUncertainty {
  StandardUncertainty standard;  // combined
  double coverage_factor = 2;    // k
  double half = 0;               // U = k * u: the value is within +-U with about 95 % probability
};

// k is Student's t for 95 % with the effective degrees of freedom, rounded down to a whole number
// (GUM G.6.4), and 2 where these are infinite (GUM G.6.6).
ExpandedUncertainty expanded(std::span<const StandardUncertainty> components);

}  // namespace plumbline::stats
