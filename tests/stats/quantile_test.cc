#include "stats/quantile.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace plumbline::stats {
namespace {

TEST(Quantile, NeedsTenSamplesBeyond) {
  EXPECT_EQ(samplesForQuantile(0.5), 20U);
  EXPECT_EQ(samplesForQuantile(0.95), 200U);
  EXPECT_EQ(samplesForQuantile(0.99), 1000U);
  EXPECT_EQ(samplesForQuantile(0.999), 10'000U);
  EXPECT_TRUE(restsOnFewSamples(0.99, 999));
  EXPECT_FALSE(restsOnFewSamples(0.99, 1000));
  EXPECT_EQ(quantileName(0.5), "P50");
  EXPECT_EQ(quantileName(0.999), "P99.9");
}

// 1,001 is in the bucket of 1,000 to 1,003: its octave begins at 512 and has 128 buckets of 4.
TEST(Quantile, IsKnownToItsBucket) {
  Histogram times;
  times.record(500);
  times.record(1001, 100);
  times.record(3000);
  EXPECT_EQ(quantileWidth(times, 0.5), 3U);
}

TEST(Quantile, IsKnownBetweenTheExtremes) {
  Histogram times;
  times.record(1001, 50);
  times.record(1002, 50);
  EXPECT_EQ(quantileWidth(times, 0.5), 1U);
  Histogram same;
  same.record(1001, 50);
  EXPECT_EQ(quantileWidth(same, 0.5), 0U);
  Histogram small;  // a bucket for each value
  small.record(7, 50);
  small.record(200, 50);
  EXPECT_EQ(quantileWidth(small, 0.5), 0U);
  EXPECT_EQ(quantileWidth(Histogram(), 0.5), 0U);
}

// The interval that contains it lies around the figure, however the extremes cut the bucket: that
// of 1,000 to 1,003 to the upper two, or the lower two.
TEST(Quantile, IsTheMiddleOfTheIntervalThatContainsIt) {
  Histogram upper;
  upper.record(1002, 999);
  upper.record(1003);
  EXPECT_EQ(upper.quantile(0.5), 1002U);
  Histogram wide;  // a bucket of 2^19, of which the least is a third above the beginning
  const std::uint64_t begin = std::uint64_t{1} << 26;
  wide.record(begin + 170'000, 999);
  wide.record(begin + 500'000);
  EXPECT_EQ(quantileWidth(wide, 0.5), 330'000U);
  EXPECT_EQ(wide.quantile(0.5), begin + 170'000 + 165'000);
}

// The card's last bucket holds everything from 255 * 2^32 ps on.
TEST(Quantile, AmongSaturatedValuesIsAnywhereBelowTheMaximum) {
  constexpr std::uint64_t kFrom = std::uint64_t{255} << 32;
  constexpr std::uint64_t kMax = std::uint64_t{1} << 41;
  const Histogram times =
      Histogram::fromHardware(kCardHistogramBuckets - 1, {2}, kFrom, kMax, 0, kFrom + kMax);
  EXPECT_EQ(quantileWidth(times, 0.5), kMax - kFrom);
}

}  // namespace
}  // namespace plumbline::stats
