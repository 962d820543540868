#include "stats/summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/error.h"

namespace plumbline::stats {
namespace {

// Two-sided Student-t values as printed in tables.
TEST(StudentT, MatchesTheTable) {
  EXPECT_NEAR(studentT(0.95, 1), 12.706, 5e-4);
  EXPECT_NEAR(studentT(0.95, 2), 4.303, 5e-4);
  EXPECT_NEAR(studentT(0.95, 4), 2.776, 5e-4);
  EXPECT_NEAR(studentT(0.95, 9), 2.262, 5e-4);
  EXPECT_NEAR(studentT(0.95, 19), 2.093, 5e-4);
  EXPECT_NEAR(studentT(0.95, 120), 1.980, 5e-4);
  EXPECT_NEAR(studentT(0.99, 9), 3.250, 5e-4);
  EXPECT_NEAR(studentT(0.90, 9), 1.833, 5e-4);
}

TEST(StudentT, RefusesWhatHasNoValue) {
  EXPECT_THROW(studentT(0.95, 0), Error);
  EXPECT_THROW(studentT(0, 5), Error);
  EXPECT_THROW(studentT(1, 5), Error);
  EXPECT_THROW(studentT(std::nan(""), 5), Error);
}

TEST(Summary, OfKnownValues) {
  // Mean 5, sum of squares 32, so s = sqrt(32/7).
  const std::array<double, 8> values{2, 4, 4, 4, 5, 5, 7, 9};
  const Summary s = summarize(values);
  EXPECT_EQ(s.count, 8U);
  EXPECT_EQ(s.minimum, 2);
  EXPECT_EQ(s.maximum, 9);
  EXPECT_DOUBLE_EQ(s.mean, 5);
  EXPECT_DOUBLE_EQ(s.standard_deviation, std::sqrt(32.0 / 7.0));
  ASSERT_TRUE(s.cv.has_value());
  EXPECT_DOUBLE_EQ(*s.cv, std::sqrt(32.0 / 7.0) / 5);
  ASSERT_TRUE(s.ci95.has_value());
  const double half = 2.36462425 * std::sqrt(32.0 / 7.0) / std::sqrt(8.0);  // t(0.975, 7)
  EXPECT_NEAR(s.ci95->low, 5 - half, 1e-7);
  EXPECT_NEAR(s.ci95->high, 5 + half, 1e-7);
}

TEST(Summary, SaysNothingItCannotKnow) {
  const Summary none = summarize({});
  EXPECT_EQ(none.count, 0U);
  EXPECT_FALSE(none.cv || none.ci95);
  const std::array<double, 1> single{42};
  const Summary one = summarize(single);
  EXPECT_EQ(one.mean, 42);
  EXPECT_EQ(one.standard_deviation, 0);
  EXPECT_FALSE(one.cv || one.ci95);
  const std::array<double, 2> around_zero{-1, 1};
  const Summary zero = summarize(around_zero);
  EXPECT_FALSE(zero.cv.has_value());
  EXPECT_TRUE(zero.ci95.has_value());
}

TEST(Summary, EqualRepetitionsHaveNoSpread) {
  const std::vector<double> values(20, 1234.5);
  const Summary s = summarize(values);
  EXPECT_EQ(s.standard_deviation, 0);
  EXPECT_EQ(*s.cv, 0);
  EXPECT_EQ(s.ci95->low, 1234.5);
  EXPECT_EQ(s.ci95->high, 1234.5);
}

TEST(Summary, ResistsCancellation) {
  // Spread of 1 around 10^15: the textbook formula with sums of squares gives nonsense here.
  std::vector<double> values(1000, 1e15 + 1);
  std::fill_n(values.begin(), 500, 1e15 - 1);
  const Summary s = summarize(values);
  EXPECT_DOUBLE_EQ(s.mean, 1e15);
  EXPECT_NEAR(s.standard_deviation, std::sqrt(1000.0 / 999.0), 1e-9);
}

TEST(JainIndex, KnownValues) {
  const std::array<double, 4> equal{3, 3, 3, 3};
  EXPECT_DOUBLE_EQ(*jainIndex(equal), 1);
  const std::array<double, 4> one_takes_all{0, 7, 0, 0};
  EXPECT_DOUBLE_EQ(*jainIndex(one_takes_all), 0.25);
  const std::array<double, 3> mixed{1, 2, 3};
  EXPECT_DOUBLE_EQ(*jainIndex(mixed), 36.0 / 42.0);
  const std::array<double, 2> huge{1e300, 1e300};
  EXPECT_DOUBLE_EQ(*jainIndex(huge), 1);
  EXPECT_FALSE(jainIndex({}).has_value());
  const std::array<double, 2> nothing{0, 0};
  EXPECT_FALSE(jainIndex(nothing).has_value());
}

TEST(LatencyStats, RowOfAKnownHistogram) {
  Histogram h;
  for (std::uint64_t v = 1; v <= 200; ++v) h.record(v);
  const LatencyStats row = latencyStats(h);
  EXPECT_EQ(row.count, 200U);
  EXPECT_EQ(row.minimum, 1U);
  EXPECT_DOUBLE_EQ(row.mean, 100.5);
  EXPECT_EQ(row.p50, 100U);
  EXPECT_EQ(row.p95, 190U);
  EXPECT_EQ(row.p99, 198U);
  EXPECT_EQ(row.p999, 200U);
  EXPECT_EQ(row.maximum, 200U);
}

}  // namespace
}  // namespace plumbline::stats
