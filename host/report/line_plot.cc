#include <algorithm>
#include <optional>

#include "report/chart.h"
#include "report/plot.h"

namespace plumbline::report {
namespace {

std::vector<double> allX(const results::Chart& chart) {
  std::vector<double> all;
  for (const results::Series& series : chart.series) {
    all.insert(all.end(), series.x.begin(), series.x.end());
  }
  return all;
}

std::vector<double> allY(const results::Chart& chart, bool right) {
  std::vector<double> all;
  for (const results::Series& series : chart.series) {
    if (series.right == right) all.insert(all.end(), series.y.begin(), series.y.end());
  }
  return all;
}

AxisSpec axisOf(const std::string& label, const std::vector<double>& values, bool log, bool swept) {
  if (log) return swept ? logSweepAxis(label, values) : logAxis(label, values);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return linearAxis(label, *low, *high, true);
}

// The lines, areas under them first, so that no line is covered.
class Lines {
 public:
  Lines(const results::Chart& chart, const std::vector<LegendEntry>& legend, PlotFrame& frame)
      : chart_(chart), legend_(legend), frame_(frame) {}

  void draw() {
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      if (chart_.series[s].area) drawArea(chart_.series[s], legend_[s].pen);
    }
    for (std::size_t s = 0; s < chart_.series.size(); ++s) drawLine(chart_.series[s], legend_[s]);
  }

 private:
  [[nodiscard]] Point at(const results::Series& series, double x, double y) const {
    return series.right ? frame_.atRight(x, y) : frame_.at(x, y);
  }

  void drawArea(const results::Series& series, const Pen& pen) {
    if (series.x.size() < 2) return;
    std::vector<Point> points;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      points.push_back(at(series, series.x[i], series.y[i]));
    }
    const double bottom = frame_.y().from();
    points.push_back({points.back().x, bottom});
    points.push_back({points.front().x, bottom});
    frame_.svg().area(points, pen.color);
  }

  void drawLine(const results::Series& series, const LegendEntry& look) {
    std::vector<Point> points;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (chart_.kind == results::ChartKind::kStep && i > 0) {
        points.push_back(at(series, series.x[i], series.y[i - 1]));
      }
      points.push_back(at(series, series.x[i], series.y[i]));
    }
    frame_.svg().polyline(points, look.pen);
    if (!look.has_marker) return;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      const Point point = at(series, series.x[i], series.y[i]);
      const auto& few = series.few_samples;
      frame_.svg().marker(point, look.marker, look.pen.color,
                          !std::binary_search(few.begin(), few.end(), i));
      if (std::binary_search(series.marked.begin(), series.marked.end(), i)) {
        frame_.svg().ring(point, look.pen.color);
      }
    }
  }

  const results::Chart& chart_;
  const std::vector<LegendEntry>& legend_;
  PlotFrame& frame_;
};

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
      Pen pen = seriesPen(measured);
      if (series.right && pen.dash.empty()) pen.dash = "8 4";  // distinguishable without colours
      legend.push_back({series.name + (series.right ? " (right)" : ""), pen, markers, measured});
      ++measured;
    }
  }
  const std::vector<double> x = allX(whole);
  const std::vector<double> y = allY(whole, false);
  const std::vector<double> right = allY(whole, true);
  if (x.empty()) {
    PlotFrame frame(chart.title, linearAxis(chart.x_label, 0, 1, true),
                    linearAxis(chart.y_label, 0, 1, true), legend);
    frame.svg().text(frame.at(0.5, 0.5), Anchor::kMiddle, "label", "no data");
    return frame.finish();
  }
  const AxisSpec left_axis = y.empty() ? linearAxis(chart.y_label, 0, 1, true)
                                       : axisOf(chart.y_label, y, chart.log_y, false);
  std::optional<AxisSpec> right_axis;
  if (!right.empty()) right_axis = axisOf(chart.right_label, right, false, false);
  PlotFrame frame(chart.title, axisOf(chart.x_label, x, chart.log_x, true), left_axis, legend,
                  right_axis ? &*right_axis : nullptr);
  Lines(chart, legend, frame).draw();
  return frame.finish();
}

}  // namespace plumbline::report
