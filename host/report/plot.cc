#include "report/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace plumbline::report {
namespace {

constexpr double kLeft = 92;
constexpr double kRight = 18;
constexpr double kRightAxis = 84;  // instead, with a right axis
constexpr double kTop = 12;
constexpr double kBottom = 64;
constexpr double kLegendRow = 22;
constexpr double kLegendFont = 14;
constexpr double kSwatch = 26;
constexpr int kTicks = 6;
constexpr int kMaxDecades = 8;

double legendEntryWidth(const LegendEntry& entry) {
  return kSwatch + 6 + textWidth(entry.name, kLegendFont) + 18;
}

// Left ends of the entries, the first row's at height 0.
std::vector<Point> layoutLegend(const std::vector<LegendEntry>& legend, double left, double right) {
  std::vector<Point> places;
  places.reserve(legend.size());
  Point at{left, kLegendRow / 2};
  for (const LegendEntry& entry : legend) {
    const double width = legendEntryWidth(entry);
    if (at.x > left && at.x + width > right) {
      at.x = left;
      at.y += kLegendRow;
    }
    places.push_back(at);
    at.x += width;
  }
  return places;
}

// A long legend makes the figure taller, not the plot smaller.
double plotHeight(const std::vector<LegendEntry>& legend) {
  return kPlotHeight + legendHeight(legend, kLeft, kPlotWidth - kRight);
}

double plotTop(const std::vector<LegendEntry>& legend) {
  return kTop + legendHeight(legend, kLeft, kPlotWidth - kRight) + (legend.empty() ? 0 : 6);
}

// Ascending; {1} if there are none.
std::vector<double> distinctPositive(const std::vector<double>& values) {
  std::vector<double> distinct;
  std::copy_if(values.begin(), values.end(), std::back_inserter(distinct),
               [](double value) { return value > 0; });
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (distinct.empty()) distinct.push_back(1);
  return distinct;
}

}  // namespace

Pen seriesPen(std::size_t n) {
  static constexpr std::array<const char*, 8> kColors = {
      "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4d4d4d", "#8c6d31"};
  static constexpr std::array<const char*, 3> kDashes = {"", "7 3", "2 3"};
  return {kColors[n % kColors.size()], 2.0, kDashes[n / kColors.size() % kDashes.size()]};
}

Pen referencePen(std::size_t n) {
  static constexpr std::array<const char*, 3> kDashes = {"6 4", "2 4", "10 4 2 4"};
  return {"#6b7280", 1.5, kDashes[n % kDashes.size()]};
}

double legendHeight(const std::vector<LegendEntry>& legend, double left, double right) {
  if (legend.empty()) return 0;
  return layoutLegend(legend, left, right).back().y + kLegendRow / 2;
}

void drawLegend(Svg& svg, const std::vector<LegendEntry>& legend, double left, double right,
                double top) {
  const std::vector<Point> places = layoutLegend(legend, left, right);
  for (std::size_t i = 0; i < legend.size(); ++i) {
    const Point at{places[i].x, top + places[i].y};
    svg.line(at, {at.x + kSwatch, at.y}, legend[i].pen);
    if (legend[i].has_marker) {
      svg.marker({at.x + kSwatch / 2, at.y}, legend[i].marker, legend[i].pen.color);
    }
    svg.text({at.x + kSwatch + 6, at.y + 5}, Anchor::kStart, "legend", legend[i].name);
  }
}

PlotFrame::PlotFrame(const std::string& label, const AxisSpec& x, const AxisSpec& y,
                     const std::vector<LegendEntry>& legend, const AxisSpec* right)
    : svg_(kPlotWidth, plotHeight(legend), label),
      x_(x.scale, x.range, x.ticks, kLeft, kPlotWidth - (right == nullptr ? kRight : kRightAxis)),
      y_(y.scale, y.range, y.ticks, plotHeight(legend) - kBottom, plotTop(legend)) {
  x_.thinLabels(10, [](const std::string& text) { return textWidth(text, kTickFont); });
  y_.thinLabels(2, [](const std::string&) { return kTickFont; });
  drawLegend(svg_, legend, kLeft, kPlotWidth - kRight, kTop);
  drawAxes(x, y);
  if (right == nullptr) return;
  right_.emplace(right->scale, right->range, right->ticks, y_.from(), y_.to());
  right_->thinLabels(2, [](const std::string&) { return kTickFont; });
  drawRightAxis(*right);
}

void PlotFrame::drawRightAxis(const AxisSpec& right) {
  const double at = x_.to();
  for (const Tick& tick : right_->ticks()) {
    const double height = right_->pixel(tick.value);
    svg_.line({at, height}, {at + 5, height}, "axis");
    svg_.text({at + 8, height + 5}, Anchor::kStart, "tick", tick.label);
  }
  svg_.line({at, y_.to()}, {at, y_.from()}, "axis");
  svg_.verticalText({kPlotWidth - 10, (y_.to() + y_.from()) / 2}, "label", right.label);
}

void PlotFrame::drawAxes(const AxisSpec& x, const AxisSpec& y) {
  const double left = x_.from();
  const double right = x_.to();
  const double bottom = y_.from();
  const double top = y_.to();
  for (const Tick& tick : y_.ticks()) {
    const double at = y_.pixel(tick.value);
    svg_.line({left, at}, {right, at}, "grid");
    svg_.text({left - 8, at + 5}, Anchor::kEnd, "tick", tick.label);
  }
  for (const Tick& tick : x_.ticks()) {
    const double at = x_.pixel(tick.value);
    svg_.line({at, top}, {at, bottom}, "grid");
    svg_.line({at, bottom}, {at, bottom + 5}, "axis");
    svg_.text({at, bottom + 22}, Anchor::kMiddle, "tick", tick.label);
  }
  svg_.line({left, bottom}, {right, bottom}, "axis");
  svg_.line({left, top}, {left, bottom}, "axis");
  svg_.text({(left + right) / 2, bottom + 50}, Anchor::kMiddle, "label", x.label);
  svg_.verticalText({18, (top + bottom) / 2}, "label", y.label);
}

AxisSpec linearAxis(const std::string& label, double low, double high, bool zero) {
  if (zero && low >= 0) low = 0;
  if (zero && low == 0 && high == 0) high = 1;
  const RoundRange round = roundRange(low, high, kTicks);
  return {label, Axis::Scale::kLinear, round.range, labelled(round.ticks)};
}

AxisSpec logAxis(const std::string& label, const std::vector<double>& values) {
  const std::vector<double> sorted = distinctPositive(values);
  const std::vector<double> decades = decadeTicks(sorted.front(), sorted.back(), kMaxDecades);
  return {label,
          Axis::Scale::kLog,
          {std::min(decades.front(), sorted.front() / 2), std::max(decades.back(), sorted.back())},
          labelledDecades(decades)};
}

AxisSpec logSweepAxis(const std::string& label, const std::vector<double>& values) {
  constexpr std::size_t kMaxOwnTicks = 12;
  const std::vector<double> sorted = distinctPositive(values);
  if (sorted.size() > kMaxOwnTicks) return logAxis(label, values);
  // A little room, so that no point sits on the frame.
  const double span = sorted.back() / sorted.front();
  const double margin = span > 1 ? std::pow(span, 0.04) : 2;
  return {label,
          Axis::Scale::kLog,
          {sorted.front() / margin, sorted.back() * margin},
          labelled(sorted)};
}

}  // namespace plumbline::report
