// Lines through samples: against numbers computed by hand, and the rate of false positives.
#include "suite/framework/trend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "base/random.h"

namespace plumbline::suite {
namespace {

// Means 2 and 3, Sxx 10, Sxy 8; residuals -0.4, 0.8, -1, 1.2, -0.6, their squares 3.6.
TEST(Trend, WorkedExample) {
  const std::vector<double> x{0, 1, 2, 3, 4};
  const std::vector<double> y{1, 3, 2, 5, 4};
  const auto trend = trendOf(x, y);
  ASSERT_TRUE(trend);
  EXPECT_DOUBLE_EQ(trend->slope, 0.8);
  EXPECT_DOUBLE_EQ(trend->intercept, 1.4);
  EXPECT_NEAR(trend->standard_error, 0.346410, 1e-6);  // sqrt(3.6 / 3 / 10)
  const stats::Interval interval = slopeInterval(*trend, 0.95);
  EXPECT_NEAR(interval.low, 0.8 - 3.182446 * 0.346410, 1e-5);  // t of 3 degrees of freedom
  EXPECT_NEAR(interval.high, 0.8 + 3.182446 * 0.346410, 1e-5);
  EXPECT_EQ(driftOf(*trend, 0.95), Drift::kNone);
  EXPECT_EQ(driftOf(*trend, 0.80), Drift::kRising);  // t 1.638
}

TEST(Trend, WithoutScatterEverySlopeIsCertain) {
  const std::vector<double> x{0, 0.5, 1, 3};
  const auto falling = trendOf(x, std::vector<double>{10, 9, 8, 4});
  ASSERT_TRUE(falling);
  EXPECT_DOUBLE_EQ(falling->slope, -2);
  EXPECT_EQ(driftOf(*falling, 0.9999), Drift::kFalling);
  const auto level = trendOf(x, std::vector<double>{0.1, 0.1, 0.1, 0.1});
  ASSERT_TRUE(level);
  EXPECT_EQ(driftOf(*level, 0.5), Drift::kNone);
}

// Eleven times the same value: rounding in the sums is no scatter.
TEST(Trend, ConstantValuesHaveNoInterval) {
  std::vector<double> x;
  for (int i = 0; i < 11; ++i) x.push_back(i);
  for (const double value : {8.18, 195.6, 5418.0, 316985.3}) {
    const auto trend = trendOf(x, std::vector<double>(x.size(), value));
    ASSERT_TRUE(trend);
    EXPECT_EQ(trend->slope, 0) << value;
    EXPECT_EQ(slopeInterval(*trend, 0.95).high, 0) << value;
  }
}

TEST(Trend, TooFewSamplesSayNothing) {
  EXPECT_FALSE(trendOf(std::vector<double>{0, 1}, std::vector<double>{0, 1}));
  EXPECT_FALSE(trendOf(std::vector<double>{2, 2, 2}, std::vector<double>{0, 1, 2}));
}

// Noise of standard deviation 1 about a level: at 99 % one in a hundred is taken for a slope. Of
// 2000 that is 20, with a standard deviation of 4.4.
TEST(Trend, FalseAlarmsAreAsRareAsTheConfidenceSays) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(100, 1);
  std::size_t alarms = 0;
  std::size_t missed = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> x;
    std::vector<double> y;
    std::vector<double> drifting;
    for (int sample = 0; sample < 49; ++sample) {
      x.push_back(sample * 0.5);
      y.push_back(noise(random));
      // Standard error of the slope: 1 / sqrt(sum (x - 12)^2) = 0.0202; this is ten of them.
      drifting.push_back(y.back() + 0.2 * x.back());
    }
    alarms += driftOf(*trendOf(x, y), 0.99) != Drift::kNone ? 1 : 0;
    missed += driftOf(*trendOf(x, drifting), 0.99) != Drift::kRising ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(alarms), 20, 14);
  EXPECT_EQ(missed, 0U);
}

// Rising all the way: S = n(n-1)/2 = 78, variance 13*12*31/18 = 268.67, z = 77/16.391.
TEST(MannKendall, IsThatOfATableOfPairs) {
  std::vector<double> values;
  for (int i = 0; i < 13; ++i) values.push_back(i * i);
  const auto rising = mannKendall(values);
  ASSERT_TRUE(rising);
  EXPECT_EQ(rising->s, 78);
  EXPECT_NEAR(rising->variance, 268.6667, 1e-4);
  EXPECT_NEAR(rising->z, 4.6976, 1e-4);
  EXPECT_LT(rising->p, 1e-5);
  EXPECT_NEAR(rising->rising, rising->p / 2, 1e-12);
  std::reverse(values.begin(), values.end());
  const auto falling = mannKendall(values);
  EXPECT_EQ(falling->s, -78);
  EXPECT_GT(falling->rising, 0.999);
}

// 1 2 2 3 3 3: pairs that rise 11, ties of 2 and 3. Variance (6*5*17 - 2*1*9 - 3*2*11)/18 = 23.667.
TEST(MannKendall, TakesTiesOutOfTheVariance) {
  const auto test = mannKendall(std::vector<double>{1, 2, 2, 3, 3, 3});
  ASSERT_TRUE(test);
  EXPECT_EQ(test->s, 11);
  EXPECT_NEAR(test->variance, 23.6667, 1e-4);
  EXPECT_NEAR(test->z, 10 / std::sqrt(23.6667), 1e-4);
}

TEST(MannKendall, FindsNothingInConstantsAndTooFewValues) {
  EXPECT_FALSE(mannKendall(std::vector<double>{1, 2, 3}));
  const auto constant = mannKendall(std::vector<double>(20, 5.0));
  ASSERT_TRUE(constant);
  EXPECT_EQ(constant->s, 0);
  EXPECT_EQ(constant->p, 1);
  EXPECT_EQ(constant->rising, 1);
}

// n values in rising order: S = n(n - 1)/2, variance n(n - 1)(2n + 5)/18. z = 9 / sqrt(16.67)
// = 2.205 for five, 27 / sqrt(65.33) = 3.340 for eight.
TEST(MannKendall, FewValuesCannotBeSignificant) {
  EXPECT_EQ(leastMannKendallP(3), 1);
  EXPECT_NEAR(leastMannKendallP(5), 0.0275, 1e-4);
  EXPECT_NEAR(leastMannKendallP(8), 0.000837, 1e-6);
  EXPECT_LT(leastMannKendallP(9), 0.01 / 15);
}

// Without a trend one series in a hundred is below 1 %.
TEST(MannKendall, KeepsItsFalseAlarms) {
  RandomStream random(1, "mann-kendall");
  int alarms = 0;
  for (int series = 0; series < 4000; ++series) {
    std::vector<double> values;
    for (int i = 0; i < 13; ++i) values.push_back(static_cast<double>(random.below(1'000'000)));
    if (mannKendall(values)->p < 0.01) ++alarms;
  }
  EXPECT_LT(alarms, 40 + 4 * 7);  // binomial of 4000 and 1 %: deviation 6.3
}

}  // namespace
}  // namespace plumbline::suite
