// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/data/curves.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "stats/quantile.h"

namespace plumbline::gui {
namespace {

constexpr double kPicosecondsPerNanosecond = 1000;

using stats::Histogram;

}  // namespace

Curve cdfCurve(const stats::Histogram& histogram) {
  Curve curve;
  if (histogram.count() == 0) return curve;
  const auto add = [&curve](double x, double y) {
    curve.x.push_back(x);
    curve.y.push_back(y);
  };
  const auto total = static_cast<double>(histogram.count());
  double below = 0;
  add(static_cast<double>(histogram.minimum()) / kPicosecondsPerNanosecond, 0);
  for (const Histogram::Slice& one : histogram.slices(kPicosecondsPerNanosecond)) {
    add(one.middle, 100 * below / total);
    below += one.count;
    add(one.middle, 100 * below / total);
  }
  add(static_cast<double>(histogram.maximum()) / kPicosecondsPerNanosecond, 100 * below / total);
  return curve;
}

Curve tailCurve(const stats::Histogram& histogram) {
  Curve curve = cdfCurve(histogram);
  for (double& y : curve.y) y = 100 - y;
  while (!curve.y.empty() && curve.y.back() <= 0) {
    curve.x.pop_back();
    curve.y.pop_back();
  }
  if (!curve.x.empty()) {
    curve.x.push_back(static_cast<double>(histogram.maximum()) / kPicosecondsPerNanosecond);
    curve.y.push_back(curve.y.back());
  }
  return curve;
}

Curve histogramCurve(const stats::Histogram& histogram, std::size_t max_bins) {
  Curve curve;
  const std::vector<Histogram::Slice> data = histogram.slices(kPicosecondsPerNanosecond);
  if (data.empty()) return curve;
  // A zero latency cannot be shown on a logarithmic axis: it is drawn at the left edge, one
  // picosecond.
  const auto place = [](double value) { return std::log10(std::max(value, 1e-3)); };
  const double low = place(data.front().low);
  const double high = place(data.back().high);
  double widest = 1e-12;
  for (const Histogram::Slice& one : data)
    widest = std::max(widest, place(one.high) - place(one.low));
  const double bins =
      std::clamp(std::floor((high - low) / widest), 1.0, static_cast<double>(max_bins));
  // Equal values still get a bar: two thousandths of their value wide.
  const double margin = high > low ? 0 : 0.001;
  const double start = low - margin;
  const double width = (high + margin - start) / bins;

  std::vector<double> shares(static_cast<std::size_t>(bins), 0.0);
  const auto binOf = [&](double at) {
    return static_cast<std::size_t>(std::clamp(std::floor((at - start) / width), 0.0, bins - 1));
  };
  const auto total = static_cast<double>(histogram.count());
  for (const Histogram::Slice& one : data) {
    const double from = place(one.low);
    const double to = place(one.high);
    const std::size_t first = binOf(from);
    const std::size_t last = binOf(to);
    if (first == last) {
      shares[first] += 100 * one.count / total;
      continue;
    }
    for (std::size_t bin = first; bin <= last; ++bin) {
      const double left = std::max(from, start + width * static_cast<double>(bin));
      const double right = std::min(to, start + width * static_cast<double>(bin + 1));
      shares[bin] += 100 * one.count / total * std::max(0.0, right - left) / (to - from);
    }
  }
  for (std::size_t bin = 0; bin <= shares.size(); ++bin) {
    curve.x.push_back(std::pow(10, start + width * static_cast<double>(bin)));
    curve.y.push_back(bin < shares.size() ? shares[bin] : 0.0);
  }
  return curve;
}

std::vector<PercentileMark> percentileMarks(const stats::Histogram& histogram) {
  static constexpr std::array<std::pair<const char*, double>, 4> kPercentiles = {
      {{"P50", 0.5}, {"P95", 0.95}, {"P99", 0.99}, {"P99.9", 0.999}}};
  std::vector<PercentileMark> marks;
  if (histogram.count() == 0) return marks;
  for (const auto& [name, share] : kPercentiles) {
    const bool few = stats::restsOnFewSamples(share, histogram.count());
    marks.push_back({few ? std::string(name) + "*" : name, share,
                     static_cast<double>(histogram.quantile(share)) / kPicosecondsPerNanosecond});
  }
  return marks;
}

}  // namespace plumbline::gui
