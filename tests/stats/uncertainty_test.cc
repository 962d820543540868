#include "stats/uncertainty.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/error.h"

namespace plumbline::stats {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// 1, 2, 3, 4, 5: s = sqrt(10 / 4) = 1.58114, over sqrt(5) = 0.70711.
TEST(Uncertainty, TypeAIsTheDeviationOfTheMean) {
  const StandardUncertainty mean = typeA(std::sqrt(10.0 / 4), 5);
  EXPECT_NEAR(mean.value, 0.70711, 1e-5);
  EXPECT_EQ(mean.degrees_of_freedom, 4);
  EXPECT_THROW(typeA(1, 1), Error);
}

TEST(Uncertainty, TypeBOfBoundsAndResolutions) {
  EXPECT_NEAR(ofBound(3), 1.7320508, 1e-7);         // 3 / sqrt(3)
  EXPECT_NEAR(ofWidth(12), 3.4641016, 1e-7);        // 12 / sqrt(12)
  EXPECT_DOUBLE_EQ(ofBound(1), ofWidth(2));         // the same interval
  EXPECT_NEAR(ofTwoReadings(1), 0.40824829, 1e-8);  // sqrt(2 / 12)
}

// 3 and 4 make 5. With 4 degrees of freedom for the 3: 625 / (81 / 4) = 30.86.
TEST(Uncertainty, CombinesInQuadrature) {
  const StandardUncertainty sum =
      combined(std::vector<StandardUncertainty>{{3, 4}, {4, kInfinite}});
  EXPECT_DOUBLE_EQ(sum.value, 5);
  EXPECT_NEAR(sum.degrees_of_freedom, 30.864, 1e-3);
  const StandardUncertainty nothing = combined({});
  EXPECT_EQ(nothing.value, 0);
  EXPECT_EQ(nothing.degrees_of_freedom, kInfinite);
}

// For numbers whose fourth power does not fit into a double.
TEST(Uncertainty, CombinesAnyMagnitude) {
  for (const double scale : {1e-120, 1e120}) {
    const StandardUncertainty sum =
        combined(std::vector<StandardUncertainty>{{3 * scale, 4}, {4 * scale, kInfinite}});
    EXPECT_NEAR(sum.value / scale, 5, 1e-12);
    EXPECT_NEAR(sum.degrees_of_freedom, 30.864, 1e-3);
  }
}

// Student's t for 95 %: 2.0423 of 30 degrees of freedom, 2.7764 of 4; 2 where they are infinite.
TEST(Uncertainty, ExpandsByTheEffectiveDegreesOfFreedom) {
  const ExpandedUncertainty both =
      expanded(std::vector<StandardUncertainty>{{3, 4}, {4, kInfinite}});
  EXPECT_NEAR(both.coverage_factor, 2.0423, 1e-4);
  EXPECT_NEAR(both.half, 10.211, 1e-3);
  const ExpandedUncertainty sample = expanded(std::vector<StandardUncertainty>{{0.7, 4}});
  EXPECT_NEAR(sample.coverage_factor, 2.7764, 1e-4);
  const ExpandedUncertainty bounds = expanded(std::vector<StandardUncertainty>{{3}, {4}});
  EXPECT_EQ(bounds.coverage_factor, 2);
  EXPECT_DOUBLE_EQ(bounds.half, 10);
}

// GUM annex H.1, the end gauge: components of 25, 9.7, 2.9 and 16.6 nm with 18, 25.6, 50 and 2
// degrees of freedom make 32 nm with 16 of them (H.1.6); t for 95 % is then 2.12 (table G.2).
TEST(Uncertainty, IsThatOfTheEndGauge) {
  const std::vector<StandardUncertainty> components{{25, 18}, {9.7, 25.6}, {2.9, 50}, {16.6, 2}};
  const ExpandedUncertainty length = expanded(components);
  EXPECT_NEAR(length.standard.value, 31.67, 0.01);
  EXPECT_NEAR(length.standard.degrees_of_freedom, 16.7, 0.1);
  EXPECT_NEAR(length.coverage_factor, 2.12, 0.005);
  EXPECT_NEAR(length.half, 67.1, 0.1);
}

// Five batches with an interval of +-1.3882: over t = 2.7764 that is 0.5.
TEST(Uncertainty, OfBatchesIsTheirIntervalOverStudentsT) {
  const StandardUncertainty mean = typeA(BatchMean{100, 2.7764451 / 2, 5});
  EXPECT_NEAR(mean.value, 0.5, 1e-6);
  EXPECT_EQ(mean.degrees_of_freedom, 4);
  EXPECT_THROW(typeA(BatchMean{100, 1, 1}), Error);
}

}  // namespace
}  // namespace plumbline::stats
