// Common parts of all plots: the frame with axes, grid and legend, and the style of series.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/axis.h"
#include "report/svg.h"

namespace plumbline::report {

inline constexpr double kPlotWidth = 640;
inline constexpr double kPlotHeight = 380;
inline constexpr double kTickFont = 14;

// Style of the n-th series: eight colours that are distinguishable with any colour vision (after
// Okabe and Ito), then the same with dashes. A reference line is grey and dashed.
Pen seriesPen(std::size_t n);
Pen referencePen(std::size_t n);

struct LegendEntry {
  std::string name;
  Pen pen;
  bool has_marker = false;
  std::size_t marker = 0;
};

// Height of a legend; and draws it: entries side by side from `left` to `right`, in as many rows as
// needed.
double legendHeight(const std::vector<LegendEntry>& legend, double left, double right);
void drawLegend(Svg& svg, const std::vector<LegendEntry>& legend, double left, double right,
                double top);

// One axis before it has a place.
struct AxisSpec {
  std::string label;  // with unit
  Axis::Scale scale = Axis::Scale::kLinear;
  Range range;
  std::vector<Tick> ticks;
};

// Draws grid, axes and legend at once; series are added afterwards with the axes' pixels.
class PlotFrame {
 public:
  // `label` is the plot's title for screen readers; `right`, an optional right axis.
  PlotFrame(const std::string& label, const AxisSpec& x, const AxisSpec& y,
            const std::vector<LegendEntry>& legend, const AxisSpec* right = nullptr);

  [[nodiscard]] Point at(double x, double y) const { return {x_.pixel(x), y_.pixel(y)}; }
  // On the right axis, which must exist.
  [[nodiscard]] Point atRight(double x, double y) const {
    return {x_.pixel(x), right_.value().pixel(y)};
  }
  [[nodiscard]] const Axis& x() const { return x_; }
  [[nodiscard]] const Axis& y() const { return y_; }
  Svg& svg() { return svg_; }
  [[nodiscard]] std::string finish() const { return svg_.finish(); }

 private:
  void drawAxes(const AxisSpec& x, const AxisSpec& y);
  void drawRightAxis(const AxisSpec& right);

  Svg svg_;
  Axis x_;
  Axis y_;
  std::optional<Axis> right_;
};

// A linear axis over [low, high] with round ticks; with `zero` it starts at zero if low >= 0.
AxisSpec linearAxis(const std::string& label, double low, double high, bool zero);
// A logarithmic axis over the positive ones of `values`, with powers of ten as ticks.
AxisSpec logAxis(const std::string& label, const std::vector<double>& values);
// The same for a swept parameter: up to twelve distinct values are the ticks themselves.
AxisSpec logSweepAxis(const std::string& label, const std::vector<double>& values);

}  // namespace plumbline::report
