// Welch's t-test against values worked out by hand. For 1, 2 and 4 degrees of freedom Student's
// distribution has closed forms:
//   1: p = 1 - 2 atan(t) / pi      2: p = 1 - t / sqrt(2 + t^2)
//   4: p = 1 - s (1 + (1 - s^2) / 2)   with s = t / sqrt(4 + t^2)
#include "results/welch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace plumbline::results {
namespace {

Quantity quantity(double mean, double standard_deviation, std::uint32_t repetitions) {
  Quantity q;
  q.value = mean;
  q.repetitions = repetitions;
  q.cv = standard_deviation / std::abs(mean);
  return q;
}

TEST(Welch, EqualVariancesOfThreeEach) {
  // Variances of the means 4/3 each: t = 4 / sqrt(8/3) = sqrt(6); (n - 1) * 2 = 4 degrees.
  const auto welch = welchTest(quantity(10, 2, 3), quantity(14, 2, 3));
  ASSERT_TRUE(welch);
  EXPECT_NEAR(*welch->t, std::sqrt(6.0), 1e-12);
  EXPECT_NEAR(*welch->degrees_of_freedom, 4, 1e-12);
  const double s = std::sqrt(0.6);
  EXPECT_NEAR(welch->p, 1 - s * (1 + 0.4 / 2), 1e-12);  // 0.0705
}

// Three batches within one trial, or three repetitions: the same variances of the means.
TEST(Welch, TakesBatchesOfOneTrial) {
  Quantity batches;
  batches.value = 10;
  batches.uncertainty.statistics = Statistics::kBatches;
  batches.uncertainty.statistical = {2 / std::sqrt(3.0), 2};
  batches.uncertainty.batches = 3;
  const auto welch = welchTest(batches, quantity(14, 2, 3));
  ASSERT_TRUE(welch);
  EXPECT_NEAR(*welch->t, std::sqrt(6.0), 1e-12);
  EXPECT_NEAR(*welch->degrees_of_freedom, 4, 1e-12);
}

TEST(Welch, WithoutScatterAnyDifferenceIsOne) {
  Quantity first;
  first.repetitions = 3;
  first.uncertainty.statistics = Statistics::kDeterministic;
  Quantity second = first;
  EXPECT_EQ(welchTest(first, second)->p, 1);
  second.value = 1e-6;
  EXPECT_EQ(welchTest(first, second)->p, 0);
}

TEST(Welch, UnequalVariancesAndCounts) {
  // 4/2 = 2 and 3/3 = 1: t = 6 / sqrt(3); degrees 3^2 / (2^2/1 + 1^2/2) = 2.
  const auto welch = welchTest(quantity(20, 2, 2), quantity(26, std::sqrt(3.0), 3));
  ASSERT_TRUE(welch);
  EXPECT_NEAR(*welch->t, 6 / std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(*welch->degrees_of_freedom, 2, 1e-12);
  EXPECT_NEAR(welch->p, 1 - std::sqrt(12.0 / 14.0), 1e-12);  // 0.0742
}

TEST(Welch, OneSideWithoutScatter) {
  // 2/2 = 1 and 0: t = -3; the degrees of the side that scatters, 1.
  const auto welch = welchTest(quantity(8, std::sqrt(2.0), 2), quantity(5, 0, 20));
  ASSERT_TRUE(welch);
  EXPECT_NEAR(*welch->t, -3, 1e-12);
  EXPECT_NEAR(*welch->degrees_of_freedom, 1, 1e-12);
  EXPECT_NEAR(welch->p, 1 - 2 * std::atan(3.0) / std::numbers::pi, 1e-12);  // 0.205
}

TEST(Welch, NegativeMeansScatterAsPositiveOnesDo) {
  const auto up = welchTest(quantity(10, 2, 3), quantity(14, 2, 3));
  const auto down = welchTest(quantity(-10, 2, 3), quantity(-14, 2, 3));
  EXPECT_NEAR(*down->t, -*up->t, 1e-12);
  EXPECT_NEAR(down->p, up->p, 1e-12);
}

TEST(Welch, NoScatterAtAll) {
  const auto same = welchTest(quantity(7, 0, 3), quantity(7, 0, 3));
  EXPECT_FALSE(same->t);
  EXPECT_EQ(same->p, 1);
  const auto other = welchTest(quantity(7, 0, 3), quantity(7.5, 0, 3));
  EXPECT_FALSE(other->t);
  EXPECT_EQ(other->p, 0);
}

TEST(Welch, AMeanOfZeroGoesByItsConfidenceInterval) {
  // -1 and 1: mean 0 has no CV; deviation sqrt(2), of the mean 1; t(97.5 %, 1) = 12.7062.
  Quantity zero;
  zero.value = 0;
  zero.repetitions = 2;
  zero.confidence_low = -12.706204736;
  zero.confidence_high = 12.706204736;
  const auto welch = welchTest(zero, quantity(3, 0, 2));
  ASSERT_TRUE(welch);
  EXPECT_NEAR(*welch->t, 3, 1e-9);
  EXPECT_NEAR(*welch->degrees_of_freedom, 1, 1e-12);
}

TEST(Welch, SingleMeasurementsAndUnknownScatterCannotBeTested) {
  EXPECT_FALSE(welchTest(quantity(1, 0.1, 1), quantity(2, 0.1, 20)));
  EXPECT_FALSE(welchTest(quantity(1, 0.1, 20), quantity(2, 0.1, 1)));
  Quantity bare;
  bare.value = 1;
  bare.repetitions = 5;
  EXPECT_FALSE(welchTest(bare, quantity(2, 0.1, 5)));
}

}  // namespace
}  // namespace plumbline::results
