#include "stats/paired_ratio.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "base/error.h"

namespace plumbline::stats {
namespace {

// Pairs (12, 10), (22, 20), (36, 30): R = 70/60 = 7/6. Residuals 12 - 70/6 = 1/3, 22 - 140/6 =
// -4/3, 36 - 35 = 1; sum of squares 1/9 + 16/9 + 9/9 = 26/9. Standard error sqrt(26/9/2/3)/20;
// t(0.975, 2) is 4.302653.
TEST(PairedRatio, IsTheSumsRatioWithTheErrorOfTheResiduals) {
  const std::array<double, 3> numerators{12, 22, 36};
  const std::array<double, 3> denominators{10, 20, 30};
  const PairedRatio result = pairedRatio(numerators, denominators);
  EXPECT_EQ(result.count, 3U);
  EXPECT_DOUBLE_EQ(result.ratio, 7.0 / 6);
  const double half = 4.302653 * std::sqrt(26.0 / 9 / 2 / 3) / 20;
  ASSERT_TRUE(result.ci95);
  EXPECT_NEAR(result.ci95->low, 7.0 / 6 - half, 1e-6);
  EXPECT_NEAR(result.ci95->high, 7.0 / 6 + half, 1e-6);
  // Of 1.2, 1.1, 1.2: mean 3.5/3, squares (1/30)^2 + (2/30)^2 + (1/30)^2 = 6/900, over n - 1:
  // 1/300.
  EXPECT_NEAR(*result.cv, std::sqrt(1.0 / 300) / (3.5 / 3), 1e-6);
}

// Common factors of a pair are no uncertainty: all ratios are equal, whatever the sizes.
TEST(PairedRatio, ProportionalPairsHaveNone) {
  const std::array<double, 3> numerators{3, 30, 300};
  const std::array<double, 3> denominators{1, 10, 100};
  const PairedRatio result = pairedRatio(numerators, denominators);
  EXPECT_DOUBLE_EQ(result.ratio, 3);
  EXPECT_NEAR(result.ci95->high - result.ci95->low, 0, 1e-9);
}

// Rounding of the ratio is no variation of equal pairs.
TEST(PairedRatio, EqualPairsHaveExactlyNone) {
  const std::vector<double> numerators(7, 999.1);
  const std::vector<double> denominators(7, 333.3);
  const PairedRatio result = pairedRatio(numerators, denominators);
  EXPECT_EQ(result.ci95->low, result.ratio);
  EXPECT_EQ(result.ci95->high, result.ratio);
}

TEST(PairedRatio, OfOnePairHasNoInterval) {
  const std::array<double, 1> numerator{5};
  const std::array<double, 1> denominator{4};
  const PairedRatio result = pairedRatio(numerator, denominator);
  EXPECT_DOUBLE_EQ(result.ratio, 1.25);
  EXPECT_FALSE(result.ci95);
  EXPECT_FALSE(result.cv);
}

TEST(PairedRatio, NeedsDenominatorsAboveZero) {
  const std::array<double, 1> one{5};
  const std::array<double, 1> zero{0};
  EXPECT_THROW(pairedRatio(one, zero), Error);
  EXPECT_THROW(pairedRatio({}, {}), Error);
}

}  // namespace
}  // namespace plumbline::stats
