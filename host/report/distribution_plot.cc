#include "report/distribution_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/plot.h"
#include "results/number_text.h"
#include "stats/histogram.h"

namespace plumbline::report {
namespace {

struct Percentile {
  const char* name;
  double share;
};
constexpr std::array<Percentile, 4> kPercentiles = {
    Percentile{"P50", 0.5}, {"P95", 0.95}, {"P99", 0.99}, {"P99.9", 0.999}};

// Light enough for marks and text on it.
constexpr const char* kBarColor = "#56b4e9";

// Above this ratio of largest to smallest value the abscissa is logarithmic.
constexpr double kLogFromRatio = 20;
// Upper end of a plot on a linear ordinate; beyond, only the percentile plot shows details.
constexpr double kCdfQuantile = 0.999;

double scaled(std::uint64_t value, const results::ScaledUnit& unit) {
  return static_cast<double>(value) / unit.factor;
}

// Abscissa for all of the distributions, from the least minimum to the highest `quantile`.
AxisSpec valueAxis(const DistributionRefs& distributions, const results::ScaledUnit& unit,
                   double quantile = 1) {
  double low = INFINITY;
  double high = 0;
  for (const results::Distribution* one : distributions) {
    const stats::Histogram& histogram = one->histogram;
    if (histogram.count() == 0) continue;
    low = std::min(low, scaled(histogram.minimum(), unit));
    high = std::max(
        high, scaled(quantile < 1 ? histogram.quantile(quantile) : histogram.maximum(), unit));
  }
  const std::string label = results::labelWithUnit("latency", unit.unit);
  if (low > high || high == 0) return linearAxis(label, 0, 1, true);
  if (low > 0 && high / low > kLogFromRatio) return logAxis(label, {low, high});
  // Room on both sides; at least one percent of the value, so that equal values do not look apart.
  const double margin = std::max(0.04 * (high - low), 0.01 * high);
  const Range range{std::max(0.0, low - margin), high + margin};
  return {label, Axis::Scale::kLinear, range, labelled(roundTicks(range.low, range.high, 6))};
}

// The distribution as a staircase that agrees with quantile(): (value, frames up to it).
std::vector<Point> staircase(const stats::Histogram& histogram, const results::ScaledUnit& unit) {
  std::vector<Point> points;
  if (histogram.count() == 0) return points;
  double below = 0;
  points.push_back({scaled(histogram.minimum(), unit), 0});
  for (const stats::Histogram::Slice& one : histogram.slices(unit.factor)) {
    points.push_back({one.middle, below});
    below += one.count;
    points.push_back({one.middle, below});
  }
  points.push_back({scaled(histogram.maximum(), unit), below});
  return points;
}

std::vector<LegendEntry> legendOf(const DistributionRefs& distributions) {
  std::vector<LegendEntry> legend;
  if (distributions.size() < 2) return legend;
  for (std::size_t i = 0; i < distributions.size(); ++i) {
    legend.push_back({distributions[i]->title, seriesPen(i), false, 0});
  }
  return legend;
}

void drawEmptyMessage(PlotFrame& frame) {
  const Range& x = frame.x().range();
  const Range& y = frame.y().range();
  frame.svg().text(frame.at((x.low + x.high) / 2, (y.low + y.high) / 2), Anchor::kMiddle, "label",
                   "no frames");
}

bool allEmpty(const DistributionRefs& distributions) {
  return std::all_of(distributions.begin(), distributions.end(),
                     [](const auto* one) { return one->histogram.count() == 0; });
}

// Height of share `q` on the ordinate of nines; one frame of `count` is the highest.
double nines(double q, double count) { return -std::log10(std::max(1 - q, 1 / count)); }

// --- Histogram ---------------------------------------------------------------------------------

struct Bar {
  double low = 0;
  double high = 0;
  double height = 0;
};
using Bins = std::vector<Bar>;

// The buckets themselves as bins, if there are few; a single value gets a bar of a fifth of a
// percent.
Bins bucketBins(const std::vector<stats::Histogram::Slice>& data) {
  Bins out;
  for (const stats::Histogram::Slice& one : data) {
    const double pad = one.high > one.low ? 0 : 0.001 * one.high + 1e-9;
    out.push_back({one.low - pad, one.high + pad, one.count});
  }
  return out;
}

// Distributes the buckets over bins of equal width, a bucket's frames evenly over its own width.
// Bins are never narrower than the widest bucket, which would show gaps that are not in the data.
Bins binned(const std::vector<stats::Histogram::Slice>& data, bool log) {
  constexpr double kMaxBins = 60;
  constexpr double kMinBins = 12;
  const auto place = [log](double value) { return log ? std::log10(value) : value; };
  const double low = place(data.front().low);
  const double high = place(data.back().high);
  double widest = 1e-12;
  for (const stats::Histogram::Slice& one : data)
    widest = std::max(widest, place(one.high) - place(one.low));
  const double bins = std::min(std::floor((high - low) / widest), kMaxBins);
  if (bins < kMinBins) return bucketBins(data);

  const double width = (high - low) / bins;
  const auto edge = [&](double bin) {
    return log ? std::pow(10, low + width * bin) : low + width * bin;
  };
  Bins out;
  for (int bin = 0; bin < static_cast<int>(bins); ++bin) {
    out.push_back({edge(bin), edge(bin + 1), 0});
  }
  const auto binOf = [&](double at) {
    return static_cast<std::size_t>(std::clamp(std::floor((at - low) / width), 0.0, bins - 1));
  };
  for (const stats::Histogram::Slice& one : data) {
    const double from = place(one.low);
    const double to = place(one.high);
    const std::size_t first = binOf(from);
    const std::size_t last = binOf(to);
    if (first == last) {
      out[first].height += one.count;
      continue;
    }
    for (std::size_t bin = first; bin <= last; ++bin) {
      const double start = std::max(from, low + width * static_cast<double>(bin));
      const double end = std::min(to, low + width * static_cast<double>(bin + 1));
      out[bin].height += one.count * std::max(0.0, end - start) / (to - from);
    }
  }
  return out;
}

AxisSpec shareAxis(const Bins& bins) {
  const std::string label = "share of frames [%]";
  std::vector<double> occupied;
  for (const Bar& bar : bins) {
    if (bar.height > 0) occupied.push_back(bar.height);
  }
  const auto [low, high] = std::minmax_element(occupied.begin(), occupied.end());
  if (*high > 100 * *low) return logAxis(label, occupied);
  return linearAxis(label, 0, *high, true);
}

void markPercentiles(PlotFrame& frame, const stats::Histogram& histogram,
                     const results::ScaledUnit& unit) {
  double row = 0;
  for (const Percentile& one : kPercentiles) {
    if (one.share == 0.95) continue;  // three marks stay readable side by side
    const double value = scaled(histogram.quantile(one.share), unit);
    const Point top{frame.x().pixel(value), frame.y().to()};
    frame.svg().line(top, {top.x, frame.y().from()}, "mark");
    const bool left = top.x > (frame.x().from() + frame.x().to()) / 2;
    frame.svg().text({top.x + (left ? -5 : 5), top.y + 15 + row * 17},
                     left ? Anchor::kEnd : Anchor::kStart, "note", one.name);
    ++row;
  }
}

}  // namespace

results::ScaledUnit displayUnit(const DistributionRefs& distributions) {
  double largest = 0;
  std::string unit;
  for (const results::Distribution* one : distributions) {
    largest = std::max(largest, static_cast<double>(one->histogram.maximum()));
    unit = one->unit;
  }
  if (unit != "ps") return results::fitUnit(unit, largest, 10'000);
  results::ScaledUnit shown = results::fitUnit("ns", largest / 1000, 10'000);
  shown.factor *= 1000;
  return shown;
}

std::string renderHistogram(const results::Distribution& distribution,
                            const results::ScaledUnit& unit) {
  const std::string title = "Histogram: " + distribution.title;
  const stats::Histogram& histogram = distribution.histogram;
  AxisSpec x = valueAxis({&distribution}, unit);
  if (histogram.count() == 0) {
    PlotFrame frame(title, x, linearAxis("share of frames [%]", 0, 1, true), {});
    drawEmptyMessage(frame);
    return frame.finish();
  }
  Bins bins = binned(histogram.slices(unit.factor), x.scale == Axis::Scale::kLog);
  for (Bar& bar : bins) bar.height *= 100 / static_cast<double>(histogram.count());
  PlotFrame frame(title, x, shareAxis(bins), {});
  const double base = frame.y().from();
  for (const Bar& bar : bins) {
    if (bar.height <= 0) continue;
    const Point corner = frame.at(bar.low, bar.height);
    const double width = std::max(frame.x().pixel(bar.high) - corner.x, 1.0);
    const double gap = width > 4 ? 0.6 : 0;
    frame.svg().filledRect(corner, width - gap, base - corner.y, kBarColor);
  }
  markPercentiles(frame, histogram, unit);
  return frame.finish();
}

std::string renderCdf(const DistributionRefs& distributions, const std::string& title,
                      const results::ScaledUnit& unit) {
  PlotFrame frame(title, valueAxis(distributions, unit, kCdfQuantile),
                  linearAxis("share of frames [%]", 0, 100, true), legendOf(distributions));
  const double end = frame.x().range().high;
  for (std::size_t i = 0; i < distributions.size(); ++i) {
    const auto count = static_cast<double>(distributions[i]->histogram.count());
    std::vector<Point> points;
    for (const Point& one : staircase(distributions[i]->histogram, unit)) {
      points.push_back(frame.at(std::min(one.x, end), 100 * one.y / count));
      if (one.x >= end) break;
    }
    frame.svg().polyline(points, seriesPen(i));
  }
  if (allEmpty(distributions)) drawEmptyMessage(frame);
  return frame.finish();
}

std::string renderTail(const DistributionRefs& distributions, const std::string& title,
                       const results::ScaledUnit& unit) {
  double max = 1;
  for (const results::Distribution* one : distributions) {
    max = std::max(max, static_cast<double>(one->histogram.count()));
  }
  const double top = std::max(1.0, std::log10(max));
  AxisSpec y{"percentile", Axis::Scale::kLinear, {0, top}, {{0, "P0"}, {nines(0.5, 1e9), "P50"}}};
  for (std::size_t nine = 1; nine <= static_cast<std::size_t>(top); ++nine) {
    std::string name = "P90";
    if (nine >= 2) name = "P99";
    if (nine >= 3) name += "." + std::string(nine - 2, '9');
    y.ticks.push_back({static_cast<double>(nine), name});
  }
  PlotFrame frame(title, valueAxis(distributions, unit), y, legendOf(distributions));
  for (std::size_t i = 0; i < distributions.size(); ++i) {
    const stats::Histogram& histogram = distributions[i]->histogram;
    const auto count = static_cast<double>(histogram.count());
    std::vector<Point> points;
    for (const Point& one : staircase(histogram, unit)) {
      points.push_back(frame.at(one.x, nines(one.y / count, count)));
    }
    frame.svg().polyline(points, seriesPen(i));
    if (!points.empty()) frame.svg().marker(points.back(), 0, seriesPen(i).color);
  }
  if (allEmpty(distributions)) {
    drawEmptyMessage(frame);
  } else if (distributions.size() == 1) {
    const stats::Histogram& histogram = distributions.front()->histogram;
    for (const Percentile& one : kPercentiles) {
      const auto count = static_cast<double>(histogram.count());
      if (count * (1 - one.share) < 1) continue;  // fewer frames than the percentile needs
      const double value = scaled(histogram.quantile(one.share), unit);
      const Point at = frame.at(value, nines(one.share, count));
      frame.svg().line({frame.x().from(), at.y}, at, "mark");
      frame.svg().marker(at, 0, seriesPen(1).color);
      // The curve rises to the right: there is room below right of a point and above left of it.
      const bool left = at.x > (frame.x().from() + frame.x().to()) / 2;
      const double side = left && at.y > frame.y().to() + 20 ? -7 : 14;
      frame.svg().text(
          {at.x + (left ? -9 : 9), at.y + side}, left ? Anchor::kEnd : Anchor::kStart, "note",
          fmt::format("{}  {} {}", one.name, results::measuredNumber(value), unit.unit));
    }
  }
  return frame.finish();
}

}  // namespace plumbline::report
