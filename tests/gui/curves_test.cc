#include "gui/data/curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.h"

namespace plumbline::gui {
namespace {

TEST(CdfCurve, HandComputedStaircase) {
  stats::Histogram histogram;
  histogram.record(100, 3);  // ps; below 256 a bucket is one value
  histogram.record(200, 1);
  const Curve curve = cdfCurve(histogram);
  EXPECT_EQ(curve.x, (std::vector<double>{0.1, 0.1, 0.1, 0.2, 0.2, 0.2}));
  EXPECT_EQ(curve.y, (std::vector<double>{0, 0, 75, 75, 100, 100}));
}

TEST(CdfCurve, NothingForNoFrames) {
  EXPECT_TRUE(cdfCurve({}).x.empty());
  EXPECT_TRUE(tailCurve({}).x.empty());
  EXPECT_TRUE(histogramCurve({}, 100).x.empty());
  EXPECT_TRUE(percentileMarks({}).empty());
}

// The definition of a percentile, read off the drawn curve: left of it less than its share, at it
// at least that much; against the sorted samples themselves.
TEST(CdfCurve, MarkersLieOnTheCurveAndNearTheSamples) {
  RandomStream random(3, "samples");
  std::vector<std::uint64_t> samples;
  stats::Histogram histogram;
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t value = 500'000 + random.below(40'000) * random.below(40);
    samples.push_back(value);
    histogram.record(value);
  }
  std::sort(samples.begin(), samples.end());
  const Curve curve = cdfCurve(histogram);
  const std::vector<PercentileMark> marks = percentileMarks(histogram);
  ASSERT_EQ(marks.size(), 4U);
  for (const PercentileMark& mark : marks) {
    double before = 0;
    double at = 0;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (curve.x[i] < mark.value_ns) before = curve.y[i];
      if (curve.x[i] <= mark.value_ns) at = curve.y[i];
    }
    EXPECT_LT(before, 100 * mark.share) << mark.name;
    EXPECT_GE(at, 100 * mark.share - 1e-9) << mark.name;
    const auto rank = static_cast<std::size_t>(std::ceil(mark.share * 5000)) - 1;
    const double exact = static_cast<double>(samples[rank]) / 1000;
    EXPECT_NEAR(mark.value_ns, exact, 0.004 * exact) << mark.name;
  }
}

TEST(TailCurve, IsTheRestOfTheCdfAndNeverZero) {
  stats::Histogram histogram;
  histogram.record(100, 90);
  histogram.record(200, 9);
  histogram.record(250, 1);
  const Curve tail = tailCurve(histogram);
  EXPECT_EQ(tail.y.front(), 100);
  EXPECT_NEAR(*std::min_element(tail.y.begin(), tail.y.end()), 1, 1e-9);
  EXPECT_EQ(tail.x.back(), 0.25);
}

// 5,000 frames are enough for P99 (1,000) and too few for P99.9 (10,000).
TEST(CdfCurve, PercentilesOnFewFramesAreMarked) {
  stats::Histogram histogram;
  histogram.record(1'000'000, 5000);
  const std::vector<PercentileMark> marks = percentileMarks(histogram);
  ASSERT_EQ(marks.size(), 4U);
  EXPECT_EQ(marks[2].name, "P99");
  EXPECT_EQ(marks[3].name, "P99.9*");
}

TEST(HistogramCurve, SharesAddUpAndLieWhereTheFramesAre) {
  stats::Histogram histogram;
  histogram.record(1'000'000, 300);  // 1 µs
  histogram.record(8'000'000, 100);
  const Curve curve = histogramCurve(histogram, 200);
  EXPECT_LE(curve.x.size(), 201U);
  EXPECT_NEAR(std::accumulate(curve.y.begin(), curve.y.end(), 0.0), 100, 1e-9);
  EXPECT_TRUE(std::is_sorted(curve.x.begin(), curve.x.end()));
  double near_low = 0;
  double between = 0;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (curve.x[i] < 1100) near_low += curve.y[i];
    if (curve.x[i] > 1100 && curve.x[i] < 7500) between += curve.y[i];
  }
  EXPECT_NEAR(near_low, 75, 1e-9);
  EXPECT_EQ(between, 0);
}

TEST(HistogramCurve, OneValueHasABarAroundIt) {
  stats::Histogram histogram;
  histogram.record(620'000, 12);
  const Curve curve = histogramCurve(histogram, 200);
  ASSERT_GE(curve.x.size(), 2U);
  EXPECT_LT(curve.x.front(), 620);
  EXPECT_GT(curve.x.back(), 620);
  EXPECT_NEAR(std::accumulate(curve.y.begin(), curve.y.end(), 0.0), 100, 1e-9);
}

}  // namespace
}  // namespace plumbline::gui
