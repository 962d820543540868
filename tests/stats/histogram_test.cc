#include "stats/histogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "base/error.h"
#include "base/random.h"

namespace plumbline::stats {
namespace {

constexpr std::uint64_t kMax48 = (1ULL << 48) - 1;

// docs/card.md, "Per group", word for word.
std::uint32_t cardBucket(std::uint64_t v) {
  if (v < 256) return static_cast<std::uint32_t>(v);
  if (v >= (1ULL << 40)) return 4351;
  std::uint32_t e = 0;
  while ((v >> (e + 1)) != 0) ++e;
  const std::uint32_t shift = e - 7;
  return shift * 128 + static_cast<std::uint32_t>(v >> shift);
}

TEST(HistogramBucket, IsTheCards) {
  for (std::uint64_t v = 0; v < 100'000; ++v) ASSERT_EQ(histogramBucket(v), cardBucket(v)) << v;
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t v = random() >> (random() % 64);
    ASSERT_EQ(cardHistogramBucket(v), cardBucket(v)) << v;
    if (v >> 40 == 0) {
      ASSERT_EQ(histogramBucket(v), cardBucket(v)) << v;
    }
  }
}

TEST(HistogramBucket, BoundsRoundTripAndMeetWithoutGap) {
  EXPECT_EQ(bucketLowerBound(0), 0U);
  for (std::uint32_t b = 0; b < kHistogramBuckets; ++b) {
    const std::uint64_t lower = bucketLowerBound(b);
    const std::uint64_t upper = bucketUpperBound(b);
    ASSERT_LT(lower, upper);
    ASSERT_EQ(histogramBucket(lower), b);
    ASSERT_EQ(histogramBucket(upper - 1), b);
    if (b + 1 < kHistogramBuckets) {
      ASSERT_EQ(bucketLowerBound(b + 1), upper);
      ASSERT_EQ(histogramBucket(upper), b + 1);
    }
  }
  EXPECT_EQ(bucketUpperBound(kCardHistogramBuckets - 1), 1ULL << 40);
  EXPECT_EQ(bucketUpperBound(kHistogramBuckets - 1), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(histogramBucket(std::numeric_limits<std::uint64_t>::max()), kHistogramBuckets - 1);
}

TEST(HistogramBucket, IsAtMostOne128thOfItsLowerBoundWide) {
  for (std::uint32_t b = 256; b < kHistogramBuckets; ++b) {
    const std::uint64_t width = bucketUpperBound(b) - bucketLowerBound(b);
    ASSERT_LE(width * 128, bucketLowerBound(b)) << b;
  }
  for (std::uint32_t b = 0; b < 256; ++b) {
    ASSERT_EQ(bucketUpperBound(b) - bucketLowerBound(b), 1U) << b;
  }
}

TEST(Histogram, EmptyIsZeroEverywhere) {
  const Histogram h;
  EXPECT_EQ(h.count(), 0U);
  EXPECT_EQ(h.minimum(), 0U);
  EXPECT_EQ(h.maximum(), 0U);
  EXPECT_EQ(h.mean(), 0);
  EXPECT_EQ(h.quantile(0.5), 0U);
  EXPECT_TRUE(h.cells().empty());
}

TEST(Histogram, RecordingZeroTimesChangesNothing) {
  Histogram h;
  h.record(5, 0);
  EXPECT_EQ(h.count(), 0U);
  h.record(7);
  h.record(1, 0);
  EXPECT_EQ(h.minimum(), 7U);
}

struct Distribution {
  const char* name;
  std::function<std::uint64_t(std::mt19937_64&)> draw;
};

class HistogramQuantiles : public testing::TestWithParam<Distribution> {};

INSTANTIATE_TEST_SUITE_P(
    Distributions, HistogramQuantiles,
    testing::Values(Distribution{"Constant", [](auto&) { return 123'456'789ULL; }},
                    Distribution{"Small", [](auto& r) { return r() % 300; }},
                    Distribution{"Uniform", [](auto& r) { return r() % 10'000'000; }},
                    Distribution{"Normal",
                                 [](auto& r) {
                                   std::normal_distribution<double> d(600'000, 5'000);
                                   return static_cast<std::uint64_t>(std::max(0.0, d(r)));
                                 }},
                    Distribution{"HeavyTail",
                                 [](auto& r) {
                                   std::lognormal_distribution<double> d(13, 2.5);
                                   return std::min(kMax48, static_cast<std::uint64_t>(d(r)));
                                 }},
                    Distribution{"TwoPaths",
                                 [](auto& r) {
                                   return r() % 100 < 97 ? 1'000'000 + r() % 3'000
                                                         : 90'000'000 + r() % 1'000;
                                 }}),
    [](const auto& info) { return info.param.name; });

TEST_P(HistogramQuantiles, AreWithinFourPerMilleOfTheSortedValues) {
  std::mt19937_64 random(42);
  std::vector<std::uint64_t> values(100'000);
  Histogram h;
  for (auto& value : values) {
    value = GetParam().draw(random);
    h.record(value);
  }
  std::sort(values.begin(), values.end());
  EXPECT_EQ(h.minimum(), values.front());
  EXPECT_EQ(h.maximum(), values.back());
  EXPECT_EQ(h.count(), values.size());
  // Ranks in parts per 100,000 of the values, so that the oracle needs no rounding.
  for (const std::size_t rank : {1UL, 7UL, 1'000UL, 25'000UL, 50'000UL, 90'000UL, 95'000UL,
                                 99'000UL, 99'900UL, 99'999UL, 100'000UL}) {
    const double q = static_cast<double>(rank) / 100'000.0;
    const auto exact = static_cast<double>(values[rank - 1]);
    EXPECT_LE(std::abs(static_cast<double>(h.quantile(q)) - exact), 0.004 * exact)
        << "q = " << q << ", exact " << exact << ", got " << h.quantile(q);
  }
}

TEST(Histogram, QuantileRanksAreNotMovedByRounding) {
  // 0.07 * 100 is above 7 in floating point; the 7th value is meant all the same.
  Histogram h;
  for (std::uint64_t v = 1; v <= 100; ++v) h.record(v);
  for (std::uint64_t p = 1; p <= 100; ++p) {
    EXPECT_EQ(h.quantile(static_cast<double>(p) / 100.0), p);
  }
  EXPECT_EQ(h.quantile(0), 1U);
  EXPECT_EQ(h.quantile(0.0101), 2U);
}

TEST(Histogram, QuantilesOfHugeCountsDoNotOverflow) {
  Histogram h;
  h.record(10, 1ULL << 62);
  h.record(20, 1ULL << 62);
  EXPECT_EQ(h.quantile(0.5), 10U);
  EXPECT_EQ(h.quantile(0.500001), 20U);
}

// Message times of seconds: 2^40 ps, where the card's histogram ends, are 1.0995 s.
TEST(Histogram, ResolvesTimesOfHoursAsWellAsOfNanoseconds) {
  const std::vector<double> seconds{1.09, 1.1, 2, 4, 8, 60, 3'600, 86'400};
  Histogram h;
  for (const double time : seconds) h.record(static_cast<std::uint64_t>(time * 1e12));
  Histogram twice = h;
  twice.merge(h);
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const double q = (static_cast<double>(i) + 0.5) / static_cast<double>(seconds.size());
    for (const Histogram* one : {&h, &twice}) {
      EXPECT_NEAR(static_cast<double>(one->quantile(q)) / 1e12, seconds[i], 0.004 * seconds[i]);
    }
  }
  EXPECT_EQ(h.saturated(), 0U);
  EXPECT_EQ(h.maximum(), 86'400'000'000'000'000U);
}

TEST(Histogram, MeanResistsCancellation) {
  // A double sum of these loses the small values altogether.
  Histogram h;
  constexpr std::uint64_t kTimes = 1ULL << 50;
  h.record(1ULL << 47, kTimes);
  const std::uint64_t before_high = h.sumHigh();
  const std::uint64_t before_low = h.sumLow();
  for (int i = 0; i < 1000; ++i) h.record(1);
  EXPECT_EQ(h.sumHigh(), before_high);
  EXPECT_EQ(h.sumLow() - before_low, 1000U);
  EXPECT_EQ(h.sumHigh(), 1ULL << 33);  // 2^97

  // Neighbouring large values: the mean keeps half a unit at 2^44.
  Histogram near;
  near.record(1ULL << 44, 3);
  near.record((1ULL << 44) + 2, 1);
  EXPECT_EQ(near.mean() - std::pow(2.0, 44), 0.5);
}

TEST(Histogram, SumCarriesIntoItsHighHalf) {
  Histogram h;
  h.record(std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(h.sumHigh(), 0U);
  h.record(1);
  EXPECT_EQ(h.sumHigh(), 1U);
  EXPECT_EQ(h.sumLow(), 0U);
}

void expectEqual(const Histogram& a, const Histogram& b) {
  EXPECT_EQ(a.count(), b.count());
  EXPECT_EQ(a.minimum(), b.minimum());
  EXPECT_EQ(a.maximum(), b.maximum());
  EXPECT_EQ(a.sumHigh(), b.sumHigh());
  EXPECT_EQ(a.sumLow(), b.sumLow());
  const auto left = a.cells();
  const auto right = b.cells();
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(left[i].bucket, right[i].bucket);
    EXPECT_EQ(left[i].count, right[i].count);
  }
}

TEST(Histogram, RecordingCellsEqualsRecordingTheirValues) {
  std::mt19937_64 random(5);
  Histogram together;
  Histogram single;
  // The last buckets whose values, a hundred of them, have a sum of 64 bits, as recordCells() takes
  // it: those below 2^57.
  const std::uint32_t last = histogramBucket((std::uint64_t{1} << 57) - 1);
  for (const std::uint32_t first : {0U, 1000U, 255U, last - 19, 1000U}) {
    std::array<std::uint16_t, 20> cells{};
    std::uint64_t minimum = ~std::uint64_t{0};
    std::uint64_t maximum = 0;
    std::uint64_t sum = 0;
    for (int i = 0; i < 100; ++i) {
      const std::uint32_t cell = random() % cells.size();
      const std::uint64_t low = bucketLowerBound(first + cell);
      const std::uint64_t value = low + random() % (bucketUpperBound(first + cell) - low);
      ++cells[cell];
      minimum = std::min(minimum, value);
      maximum = std::max(maximum, value);
      sum += value;
      single.record(value);
    }
    together.recordCells(first, cells, minimum, maximum, sum);
    expectEqual(together, single);
  }
}

// Ten million message times of an hour each take as much memory as one.
TEST(Histogram, TakesTheMemoryOfItsOctaves) {
  Histogram histogram;
  EXPECT_EQ(histogram.countBytes(), 0U);
  histogram.record((1ULL << 40) + 5, 10'000'000);
  histogram.record((1ULL << 41) - 1);
  EXPECT_EQ(histogram.countBytes(), 1'024U);
  histogram.record(1ULL << 39);
  EXPECT_EQ(histogram.countBytes(), 2'048U);
  Histogram merged;
  merged.merge(histogram);
  EXPECT_EQ(merged.countBytes(), 2'048U);
}

// In any order, so that room is made at either end.
TEST(Histogram, CountsValuesOfAllMagnitudesInAnyOrder) {
  RandomStream random(7, "magnitudes");
  for (int round = 0; round < 50; ++round) {
    Histogram histogram;
    std::map<std::uint32_t, std::uint64_t> expected;
    const std::uint64_t values = 1 + random.below(20);
    for (std::uint64_t i = 0; i < values; ++i) {
      const std::uint64_t value = random.next() >> random.below(64);
      histogram.record(value);
      ++expected[histogramBucket(value)];
    }
    std::map<std::uint32_t, std::uint64_t> counted;
    for (const Histogram::Cell& cell : histogram.cells()) counted[cell.bucket] = cell.count;
    EXPECT_EQ(counted, expected);
    EXPECT_EQ(histogramBucket(histogram.quantile(1e-9)), expected.begin()->first);
    EXPECT_EQ(histogramBucket(histogram.quantile(1)), expected.rbegin()->first);
  }
}

TEST(Histogram, MergingIsAssociativeAndEqualsRecordingTogether) {
  std::mt19937_64 random(3);
  std::array<Histogram, 3> parts;
  Histogram together;
  for (auto& part : parts) {
    for (int i = 0; i < 5'000; ++i) {
      const std::uint64_t value = random() >> (random() % 64);
      part.record(value);
      together.record(value);
    }
  }
  Histogram left = parts[0];
  left.merge(parts[1]);
  left.merge(parts[2]);
  Histogram tail = parts[1];
  tail.merge(parts[2]);
  Histogram right = parts[0];
  right.merge(tail);
  expectEqual(left, right);
  expectEqual(left, together);

  Histogram empty;
  Histogram copy = left;
  copy.merge(empty);
  expectEqual(copy, left);
  empty.merge(left);
  expectEqual(empty, left);
}

// The card's counters for `values`.
struct Hardware {
  std::uint32_t first = 0;
  std::vector<std::uint64_t> cells;
  std::uint64_t minimum = 0;
  std::uint64_t maximum = 0;
  std::uint32_t sum_high = 0;
  std::uint64_t sum_low = 0;

  [[nodiscard]] Histogram read() const {
    return Histogram::fromHardware(first, cells, minimum, maximum, sum_high, sum_low);
  }
};

Hardware hardwareOf(const std::vector<std::uint64_t>& values) {
  Hardware hw;
  hw.minimum = *std::min_element(values.begin(), values.end());
  hw.maximum = *std::max_element(values.begin(), values.end());
  hw.first = cardHistogramBucket(hw.minimum);
  hw.cells.resize(cardHistogramBucket(hw.maximum) - hw.first + 1);
  for (const std::uint64_t value : values) {
    ++hw.cells[cardHistogramBucket(value) - hw.first];
    hw.sum_low += value;
  }
  return hw;
}

TEST(HistogramFromHardware, EqualsRecordingTheSameValues) {
  const std::vector<std::uint64_t> values{
      3, 255, 256, 700'001, 700'002, 1'000'000, (1ULL << 40) - 1};
  Histogram recorded;
  for (const std::uint64_t value : values) recorded.record(value);
  expectEqual(hardwareOf(values).read(), recorded);
}

// The card has one bucket for everything from 2^40 ps on: the number of such values is reported.
TEST(HistogramFromHardware, SaysHowManyValuesItsLastBucketHides) {
  const Histogram h = hardwareOf({700'000, 1ULL << 40, 3ULL << 40, kMax48}).read();
  EXPECT_EQ(h.saturated(), 3U);
  EXPECT_EQ(h.maximum(), kMax48);
  EXPECT_NEAR(static_cast<double>(h.quantile(0.25)), 700'000, 2'800);
  EXPECT_EQ(h.quantile(0.5), kMax48);
  const Histogram all = hardwareOf({1ULL << 41, 1ULL << 42}).read();
  EXPECT_EQ(all.saturated(), 2U);
  EXPECT_EQ(all.minimum(), 1ULL << 41);
  EXPECT_EQ(hardwareOf({700'000, (1ULL << 40) - 1}).read().saturated(), 0U);
  Histogram merged = all;
  merged.merge(h);
  EXPECT_EQ(merged.saturated(), 5U);
}

TEST(HistogramFromHardware, EmptyGroupIgnoresTheResetExtremes) {
  const Histogram h =
      Histogram::fromHardware(0, std::vector<std::uint64_t>(kHistogramBuckets), kMax48, 0, 0, 0);
  EXPECT_EQ(h.count(), 0U);
  EXPECT_EQ(h.minimum(), 0U);
}

void expectRefused(const Hardware& hw, const char* part) {
  try {
    (void)hw.read();
    ADD_FAILURE() << "accepted although: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kTester);
    EXPECT_THAT(error.what(), testing::HasSubstr(part));
  }
}

TEST(HistogramFromHardware, RefusesPartsThatContradictEachOther) {
  const Hardware good = hardwareOf({700'000, 710'000, 5'000'000});
  EXPECT_EQ(good.read().count(), 3U);

  Hardware bad = good;
  bad.minimum = 600'000;
  expectRefused(bad, "minimum 600000");
  bad = good;
  bad.maximum = 6'000'000;
  expectRefused(bad, "maximum 6000000");
  bad = good;
  std::swap(bad.minimum, bad.maximum);
  expectRefused(bad, "minimum 5000000");
  bad = good;
  bad.sum_low += 1'000'000;
  expectRefused(bad, "sum does not fit");
  bad = good;
  bad.sum_low -= 100'000;
  expectRefused(bad, "sum does not fit");
  bad = good;
  bad.sum_high = 1;
  expectRefused(bad, "sum does not fit");
  bad = good;
  ++bad.cells.front();  // a frame that is not in the sum
  expectRefused(bad, "sum does not fit");
  bad = good;
  std::fill(bad.cells.begin(), bad.cells.end(), 0);
  expectRefused(bad, "every bucket is empty");
  bad = good;
  bad.first = kHistogramBuckets;
  expectRefused(bad, "exceed");
}

TEST(HistogramSlices, AreBucketsCutToTheExtremes) {
  Histogram histogram;
  EXPECT_TRUE(histogram.slices(1).empty());
  const std::uint64_t huge = (std::uint64_t{1} << 40) + 4'000;
  for (const std::uint64_t value :
       {std::uint64_t{301}, std::uint64_t{7'040}, std::uint64_t{7'041}, huge}) {
    histogram.record(value);
  }
  const auto slices = histogram.slices(10);
  ASSERT_EQ(slices.size(), 3U);
  // 300 and 301 share a bucket, of which only the upper value is there.
  EXPECT_DOUBLE_EQ(slices[0].low, 30.1);
  EXPECT_DOUBLE_EQ(slices[0].middle, 30.1);
  EXPECT_DOUBLE_EQ(slices[0].high, 30.1);
  // 7040 to 7071: buckets of 32 from 4096 on.
  EXPECT_DOUBLE_EQ(slices[1].low, 704.0);
  EXPECT_DOUBLE_EQ(slices[1].middle, 705.5);
  EXPECT_DOUBLE_EQ(slices[1].high, 707.1);
  EXPECT_DOUBLE_EQ(slices[1].count, 2);
  // The last one begins at 2^40 and ends at the maximum.
  EXPECT_DOUBLE_EQ(slices[2].low, 109951162777.6);
  EXPECT_DOUBLE_EQ(slices[2].middle, 109951163177.6);
  EXPECT_DOUBLE_EQ(slices[2].high, 109951163177.6);
  // The card's last bucket begins 2^32 below 2^40 and has no end.
  const auto saturated = hardwareOf({301, 1ULL << 42}).read().slices(1);
  EXPECT_DOUBLE_EQ(saturated.back().low, 1095216660480.0);
  EXPECT_DOUBLE_EQ(saturated.back().middle, 4398046511104.0);
  EXPECT_DOUBLE_EQ(saturated.back().high, 4398046511104.0);
}

}  // namespace
}  // namespace plumbline::stats
