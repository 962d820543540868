#include "stats/censored.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace plumbline::stats {
namespace {

Histogram histogramOf(const std::vector<std::uint64_t>& values) {
  Histogram histogram;
  for (const std::uint64_t value : values) histogram.record(value);
  return histogram;
}

// The example of Kaplan and Meier (J. Am. Stat. Assoc. 53, 1958), in tenths: deaths at 0.8, 3.1,
// 5.4 and 9.2 leave shares of 0.875, 0.70, 0.525 and 0.2625; losses at 1.0, 2.7, 7.0 and 12.1.
TEST(Censored, IsTheProductLimitEstimate) {
  const Histogram ended = histogramOf({8, 31, 54, 92});
  const Histogram open = histogramOf({10, 27, 70, 121});
  EXPECT_EQ(censoredRank(ended, open, 0.1), 1U);
  EXPECT_EQ(censoredRank(ended, open, 0.125), 1U);
  EXPECT_EQ(censoredRank(ended, open, 0.126), 2U);
  EXPECT_EQ(censoredRank(ended, open, 0.3), 2U);
  EXPECT_EQ(censoredRank(ended, open, 0.301), 3U);
  EXPECT_EQ(censoredRank(ended, open, 0.475), 3U);
  EXPECT_EQ(censoredRank(ended, open, 0.5), 4U);
  EXPECT_EQ(censoredRank(ended, open, 0.7375), 4U);
  EXPECT_FALSE(censoredRank(ended, open, 0.738));
  EXPECT_FALSE(censoredRank(ended, open, 1));
}

TEST(Censored, IsTheNearestRankWithoutOpenOnes) {
  for (const std::uint64_t count : {1U, 7U, 100U, 1000U, 20'000U}) {
    Histogram ended;
    for (std::uint64_t i = 0; i < count; ++i) ended.record(100 + i * 3);
    for (const double q : {0.001, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0}) {
      // q in thousandths, so that the expected rank has no rounding.
      const auto thousandths = static_cast<std::uint64_t>(std::lround(q * 1000));
      EXPECT_EQ(censoredRank(ended, {}, q), (thousandths * count + 999) / 1000)
          << count << " " << q;
    }
  }
  EXPECT_FALSE(censoredRank({}, {}, 0.5));
}

// Older than all that ended: longer than all.
TEST(Censored, OldOpenOnesAreTheLongest) {
  Histogram ended;
  ended.record(20, 95);
  Histogram open;
  open.record(50'000, 5);
  EXPECT_EQ(censoredRank(ended, open, 0.5), 50U);
  EXPECT_EQ(censoredRank(ended, open, 0.95), 95U);
  EXPECT_FALSE(censoredRank(ended, open, 0.96));
  EXPECT_FALSE(censoredRank({}, open, 0.5));
}

// Younger than all that ended: they say nothing.
TEST(Censored, YoungOpenOnesChangeNothing) {
  Histogram ended;
  ended.record(20, 95);
  Histogram open;
  open.record(19, 1000);
  EXPECT_EQ(censoredRank(ended, open, 0.99), 95U);
  EXPECT_EQ(censoredRank(ended, open, 1), 95U);
  open.record(20);  // may be longer than 20
  EXPECT_FALSE(censoredRank(ended, open, 1));
}

}  // namespace
}  // namespace plumbline::stats
