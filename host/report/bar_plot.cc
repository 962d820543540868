#include <algorithm>
#include <map>

#include "report/chart.h"
#include "report/plot.h"

namespace plumbline::report {
namespace {

std::vector<double> distinctX(const results::Chart& chart) {
  std::vector<double> all;
  for (const results::Series& series : chart.series) {
    all.insert(all.end(), series.x.begin(), series.x.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Groups stand at 0, 1, 2 … with half a step of room on either side.
AxisSpec groupAxis(const std::string& label, const std::vector<double>& groups) {
  std::vector<Tick> ticks = labelled(groups);
  for (std::size_t i = 0; i < ticks.size(); ++i) ticks[i].value = static_cast<double>(i);
  return {label,
          Axis::Scale::kLinear,
          {-0.5, std::max(static_cast<double>(groups.size()), 1.0) - 0.5},
          std::move(ticks)};
}

// Where the parts of each x end, one on top of the other.
std::map<double, double> stackHeights(const results::Chart& chart) {
  std::map<double, double> heights;
  for (const results::Series& series : chart.series) {
    if (series.reference) continue;
    for (std::size_t i = 0; i < series.x.size(); ++i) heights[series.x[i]] += series.y[i];
  }
  return heights;
}

AxisSpec heightAxis(const results::Chart& chart) {
  std::vector<double> heights;
  for (const results::Series& series : chart.series) {
    heights.insert(heights.end(), series.y.begin(), series.y.end());
  }
  if (chart.stacked) {
    for (const auto& [x, height] : stackHeights(chart)) heights.push_back(height);
  }
  if (chart.log_y) return logAxis(chart.y_label, heights);
  heights.push_back(0);
  const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
  return linearAxis(chart.y_label, *low, *high, true);
}

}  // namespace

std::string renderBarPlot(const results::Chart& chart) {
  constexpr double kGroupShare = 0.72;  // of a group's step that its bars take
  constexpr double kBarShare = 0.92;    // share of its slot that a bar takes
  constexpr double kLegendLine = 9;

  std::vector<LegendEntry> legend;
  std::size_t measured = 0;
  std::size_t references = 0;
  for (const results::Series& series : chart.series) {
    Pen pen = series.reference ? referencePen(references++) : seriesPen(measured++);
    if (!series.reference) pen = {pen.color, kLegendLine, ""};
    legend.push_back({series.name, pen, false, 0});
  }
  const std::vector<double> groups = distinctX(chart);
  PlotFrame frame(chart.title, groupAxis(chart.x_label, groups), heightAxis(chart), legend);
  if (groups.empty()) {
    frame.svg().text(frame.at(0, 0.5), Anchor::kMiddle, "label", "no data");
    return frame.finish();
  }

  const std::size_t beside = chart.stacked ? std::min<std::size_t>(measured, 1) : measured;
  const double place = beside == 0 ? 0 : kGroupShare / static_cast<double>(beside);
  const double base = frame.y().pixel(chart.log_y ? frame.y().range().low : 0);
  double slot = -kGroupShare / 2;
  std::map<double, double> below;  // by x: height of the parts drawn so far
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const results::Series& series = chart.series[s];
    std::vector<Point> across;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      const auto group = static_cast<double>(
          std::lower_bound(groups.begin(), groups.end(), series.x[i]) - groups.begin());
      if (series.reference) {
        across.push_back(frame.at(group - 0.5, series.y[i]));
        across.push_back(frame.at(group + 0.5, series.y[i]));
        continue;
      }
      double foot = base;
      double height = series.y[i];
      if (chart.stacked) {
        double& under = below[series.x[i]];
        if (under > 0) foot = frame.y().pixel(under);
        under += height;
        height = under;
      }
      const Point from = frame.at(group + slot + place * (1 - kBarShare) / 2, height);
      const Point to = frame.at(group + slot + place * (1 + kBarShare) / 2, height);
      frame.svg().filledRect({from.x, std::min(from.y, foot)}, to.x - from.x,
                             std::max(from.y, foot) - std::min(from.y, foot), legend[s].pen.color);
    }
    frame.svg().polyline(across, legend[s].pen);
    if (!series.reference && !chart.stacked) slot += place;
  }
  return frame.finish();
}

}  // namespace plumbline::report
