// Histogram, CDF and percentile plot against the numbers of the histogram itself.
#include "report/distribution_plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/report/sample_report.h"
#include "tests/report/xml.h"

namespace plumbline::report::testing {
namespace {

// Value at a pixel column, from two tick labels.
class Ruler {
 public:
  explicit Ruler(const Element& svg) {
    std::vector<std::pair<double, double>> ticks;
    double bottom = 0;
    for (const Element* text : svg.all("text")) {
      if (text->attributes.at("class") == "tick") bottom = std::max(bottom, text->number("y"));
    }
    for (const Element* text : svg.all("text")) {
      if (text->attributes.at("class") != "tick" || text->number("y") != bottom) continue;
      std::string digits = text->text;
      digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
      if (!digits.empty()) ticks.emplace_back(text->number("x"), std::stod(digits));
    }
    EXPECT_GE(ticks.size(), 2U);
    std::tie(x0_, v0_) = ticks.front();
    std::tie(x1_, v1_) = ticks.back();
  }
  [[nodiscard]] double value(double x) const { return v0_ + (x - x0_) / (x1_ - x0_) * (v1_ - v0_); }
  [[nodiscard]] double perPixel() const { return (v1_ - v0_) / (x1_ - x0_); }

 private:
  double x0_ = 0;
  double v0_ = 0;
  double x1_ = 1;
  double v1_ = 1;
};

results::Distribution typical() {
  return sampleDistribution("1024 B, 90 % load", 2'645'760, 240'000, 50'000);
}

TEST(PercentilePlot, MarksAreAtTheQuantiles) {
  const results::Distribution distribution = typical();
  const results::ScaledUnit unit = displayUnit({&distribution});
  EXPECT_EQ(unit.unit, "µs");
  const Element svg = parseXml(renderTail({&distribution}, "t", unit));
  const Ruler ruler(svg);
  const auto marks = svg.all("circle");
  ASSERT_EQ(marks.size(), 5U);  // the end of the curve, then P50, P95, P99, P99.9
  const double shares[] = {0.5, 0.95, 0.99, 0.999};
  for (std::size_t i = 0; i < 4; ++i) {
    const double expected = static_cast<double>(distribution.histogram.quantile(shares[i])) / 1e6;
    EXPECT_NEAR(ruler.value(marks[i + 1]->number("cx")), expected, ruler.perPixel());
  }
  EXPECT_NEAR(ruler.value(marks[0]->number("cx")),
              static_cast<double>(distribution.histogram.maximum()) / 1e6, ruler.perPixel());
  // Nines are equally far apart: P99.9 is as far above P99 as P99 is above P90.
  const double p99 = marks[3]->number("cy");
  const double p999 = marks[4]->number("cy");
  for (const Element* text : svg.all("text")) {
    if (text->text == "P90") {
      EXPECT_NEAR(text->number("y") - 5 - p99, p99 - p999, 0.3);
    }
  }
}

TEST(PercentilePlot, MarksLieOnTheCurve) {
  const results::Distribution distribution = typical();
  const Element svg = parseXml(renderTail({&distribution}, "t", displayUnit({&distribution})));
  const auto curve = pointsOf(*svg.all("polyline")[0]);
  for (const Element* mark : svg.all("circle")) {
    double nearest = INFINITY;
    for (std::size_t i = 1; i < curve.size(); ++i) {
      // The curve is a staircase: distance to a horizontal or vertical piece.
      const auto inside = [](double v, double a, double b) {
        return std::clamp(v, std::min(a, b), std::max(a, b));
      };
      const double dx =
          mark->number("cx") - inside(mark->number("cx"), curve[i - 1].first, curve[i].first);
      const double dy =
          mark->number("cy") - inside(mark->number("cy"), curve[i - 1].second, curve[i].second);
      nearest = std::min(nearest, std::hypot(dx, dy));
    }
    EXPECT_LT(nearest, 1.5);
  }
}

TEST(PercentilePlot, LeavesOutPercentilesThatTooFewFramesDefine) {
  const results::Distribution distribution = sampleDistribution("few", 1'000'000, 100'000, 50);
  const Element svg = parseXml(renderTail({&distribution}, "t", displayUnit({&distribution})));
  EXPECT_EQ(svg.all("circle").size(), 3U);  // end, P50, P95
}

TEST(Cdf, EndsAtTheHighestP999) {
  const results::Distribution slow = typical();
  const results::Distribution fast = sampleDistribution("64 B", 600'000, 1'000, 50'000);
  const DistributionRefs both = {&fast, &slow};
  const results::ScaledUnit unit = displayUnit(both);
  const Element svg = parseXml(renderCdf(both, "t", unit));
  const Ruler ruler(svg);
  const auto lines = svg.all("polyline");
  ASSERT_EQ(lines.size(), 2U);
  const auto fast_points = pointsOf(*lines[0]);
  const auto slow_points = pointsOf(*lines[1]);
  EXPECT_NEAR(ruler.value(fast_points.front().first), 0.6, 2 * ruler.perPixel());
  EXPECT_NEAR(ruler.value(slow_points.front().first), 2.64576, 2 * ruler.perPixel());
  EXPECT_LT(ruler.value(slow_points.back().first),
            static_cast<double>(slow.histogram.maximum()) / 1e6);
  // Rising throughout.
  for (const auto& points : {fast_points, slow_points}) {
    for (std::size_t i = 1; i < points.size(); ++i) {
      EXPECT_GE(points[i].first, points[i - 1].first);
      EXPECT_LE(points[i].second, points[i - 1].second);
    }
  }
}

TEST(HistogramPlot, BarsAddUpToAllFrames) {
  // A linear ordinate: two equal halves of a few values each.
  results::Distribution distribution;
  distribution.title = "flat";
  for (std::uint64_t v = 1'000'000; v < 1'900'000; v += 1000) distribution.histogram.record(v);
  const Element svg = parseXml(renderHistogram(distribution, displayUnit({&distribution})));
  double top = 0;
  double zero = 0;
  double highest = 0;
  for (const Element* text : svg.all("text")) {
    if (text->attributes.at("text-anchor") != "end" || text->attributes.at("class") != "tick") {
      continue;
    }
    const double value = std::stod(text->text);
    if (value == 0) zero = text->number("y");
    if (value > highest) {
      highest = value;
      top = text->number("y");
    }
  }
  ASSERT_GT(highest, 0);
  const double pixels_per_percent = (zero - top) / highest;
  double sum = 0;
  for (const Element* bar : svg.all("rect")) sum += bar->number("height");
  EXPECT_GT(svg.all("rect").size(), 30U);
  EXPECT_NEAR(sum / pixels_per_percent, 100, 1);
}

TEST(HistogramPlot, FramesAllAlikeAreOneBar) {
  results::Distribution distribution;
  distribution.title = "constant";
  distribution.histogram.record(700'000, 1000);
  const Element svg = parseXml(renderHistogram(distribution, displayUnit({&distribution})));
  ASSERT_EQ(svg.all("rect").size(), 1U);
  const Element* bar = svg.all("rect")[0];
  const Ruler ruler(svg);
  EXPECT_NEAR(ruler.value(bar->number("x") + bar->number("width") / 2), 700, 1);
  EXPECT_LT(bar->number("width"), 100);
}

TEST(HistogramPlot, WideRangesAreLogarithmic) {
  results::Distribution distribution;
  distribution.title = "wide";
  for (std::uint64_t v = 1'000; v < 1'000'000'000; v += v / 10) distribution.histogram.record(v);
  const Element svg = parseXml(renderHistogram(distribution, displayUnit({&distribution})));
  std::vector<double> widths;
  for (const Element* bar : svg.all("rect")) widths.push_back(bar->number("width"));
  ASSERT_GT(widths.size(), 20U);
  EXPECT_NEAR(widths.front(), widths.back(), 0.3);
}

TEST(AllDistributionPlots, SurviveTheExtremes) {
  std::vector<results::Distribution> cases(5);
  cases[0].title = "empty";
  cases[1].title = "one frame";
  cases[1].histogram.record(123'456);
  cases[2].title = "zero";
  cases[2].histogram.record(0, 10);
  cases[3].title = "beyond the last bucket";
  cases[3].histogram.record(std::uint64_t{1} << 42, 3);
  cases[3].histogram.record(5);
  cases[4].title = "not a time";
  cases[4].unit = "B";
  cases[4].histogram.record(100, 7);
  for (const results::Distribution& one : cases) {
    const DistributionRefs alone = {&one};
    const results::ScaledUnit unit = displayUnit(alone);
    for (const std::string& svg :
         {renderHistogram(one, unit), renderCdf(alone, "t", unit), renderTail(alone, "t", unit)}) {
      EXPECT_NO_THROW(parseXml(svg)) << one.title;
      EXPECT_EQ(svg.find("nan"), std::string::npos) << one.title;
      EXPECT_EQ(svg.find("inf"), std::string::npos) << one.title;
    }
  }
  EXPECT_NE(renderTail({cases.data()}, "t", displayUnit({cases.data()})).find("no frames"),
            std::string::npos);
}

}  // namespace
}  // namespace plumbline::report::testing
