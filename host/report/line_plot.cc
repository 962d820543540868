#include <algorithm>

#include "report/chart.h"
#include "report/plot.h"

namespace plumbline::report {
namespace {

std::vector<double> allValues(const results::Chart& chart,
                              std::vector<double> results::Series::*values) {
  std::vector<double> all;
  for (const results::Series& series : chart.series) {
    all.insert(all.end(), (series.*values).begin(), (series.*values).end());
  }
  return all;
}

AxisSpec axisOf(const std::string& label, const std::vector<double>& values, bool log, bool swept) {
  if (log) return swept ? logSweepAxis(label, values) : logAxis(label, values);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return linearAxis(label, *low, *high, true);
}

}  // namespace

std::string renderLinePlot(const results::Chart& chart, const results::Chart& whole) {
  const bool markers = chart.kind != results::ChartKind::kTime;
  std::vector<LegendEntry> legend;
  std::size_t measured = 0;
  std::size_t references = 0;
  for (const results::Series& series : chart.series) {
    if (series.reference) {
      legend.push_back({series.name, referencePen(references++), false, 0});
    } else {
      legend.push_back({series.name, seriesPen(measured), markers, measured});
      ++measured;
    }
  }
  const std::vector<double> x = allValues(whole, &results::Series::x);
  const std::vector<double> y = allValues(whole, &results::Series::y);
  if (x.empty()) {
    PlotFrame frame(chart.title, linearAxis(chart.x_label, 0, 1, true),
                    linearAxis(chart.y_label, 0, 1, true), legend);
    frame.svg().text(frame.at(0.5, 0.5), Anchor::kMiddle, "label", "no data");
    return frame.finish();
  }
  PlotFrame frame(chart.title, axisOf(chart.x_label, x, chart.log_x, true),
                  axisOf(chart.y_label, y, chart.log_y, false), legend);
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const results::Series& series = chart.series[s];
    std::vector<Point> points;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (chart.kind == results::ChartKind::kStep && i > 0) {
        points.push_back(frame.at(series.x[i], series.y[i - 1]));
      }
      points.push_back(frame.at(series.x[i], series.y[i]));
    }
    frame.svg().polyline(points, legend[s].pen);
    if (!legend[s].has_marker) continue;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      const auto& few = series.few_samples;
      frame.svg().marker(frame.at(series.x[i], series.y[i]), legend[s].marker, legend[s].pen.color,
                         !std::binary_search(few.begin(), few.end(), i));
    }
  }
  return frame.finish();
}

}  // namespace plumbline::report
