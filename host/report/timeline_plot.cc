#include <algorithm>
#include <cmath>

#include "report/chart.h"
#include "report/picture.h"
#include "report/plot.h"
#include "report/style.h"
#include "results/units.h"

namespace plumbline::report {
namespace {

constexpr double kLanesTop = 10;
constexpr double kLane = 16;
constexpr double kLaneShare = 0.7;
constexpr double kMaxLaneNames = 200;
constexpr double kTimeAxisRoom = 60;
constexpr double kLanesRight = kPlotWidth - 30;

// Bars closer than this are drawn as one, and none is narrower: a pause of a microsecond in a
// second must be seen.
constexpr double kMinBar = 0.7;

void drawLane(Svg& svg, const results::Lane& lane, const Axis& axis, double unit, double top) {
  const std::string color = seriesPen(1).color;
  double from = 0;
  double until = -1;  // nothing to be drawn yet
  const auto draw = [&] {
    if (until >= from) {
      svg.filledRect({from, top + kLane * (1 - kLaneShare) / 2}, std::max(until - from, kMinBar),
                     kLane * kLaneShare, color);
    }
  };
  for (const results::Span& span : lane.spans) {
    if (!std::isfinite(span.from) || !std::isfinite(span.until)) continue;
    const double left = axis.pixel(span.from / unit);
    const double right = std::max(left, axis.pixel(span.until / unit));
    if (until >= from && left - until < kMinBar) {
      until = std::max(until, right);
      continue;
    }
    draw();
    from = left;
    until = right;
  }
  draw();
}

}  // namespace

std::string renderTimeline(const results::Timeline& timeline) {
  double end = std::max(timeline.until, 0.0);
  double names = 0;
  for (const results::Lane& lane : timeline.lanes) {
    names = std::max(names, textWidth(lane.name, kSmallFont));
    for (const results::Span& span : lane.spans) end = std::max(end, span.until);
  }
  names = std::min(names, kMaxLaneNames);
  const double left = names + 20;
  const double bottom =
      kLanesTop + kLane * std::max<double>(3, static_cast<double>(timeline.lanes.size()));
  const results::LabelledUnit named = results::splitUnit(timeline.x_label);
  const results::ScaledUnit unit = results::fitUnit(named.unit, end, 10'000);
  const std::string label = named.unit.empty()
                                ? timeline.x_label
                                : results::labelWithUnit(named.text, results::shownUnit(unit.unit));

  Svg svg(kPlotWidth, bottom + kTimeAxisRoom, timeline.title);
  const AxisSpec spec = linearAxis(label, 0, end / unit.factor, true);
  Axis axis(spec.scale, spec.range, spec.ticks, left, kLanesRight);
  axis.thinLabels(10, [](const std::string& text) { return textWidth(text, kTickFont); });
  for (const Tick& tick : axis.ticks()) {
    const double at = axis.pixel(tick.value);
    svg.line({at, kLanesTop}, {at, bottom}, "grid");
    svg.line({at, bottom}, {at, bottom + 5}, "axis");
    svg.text({at, bottom + 21}, Anchor::kMiddle, "tick", tick.label);
  }
  if (timeline.lanes.empty()) {
    svg.text({(left + kLanesRight) / 2, (kLanesTop + bottom) / 2 + 5}, Anchor::kMiddle, "label",
             "none");
  }
  for (std::size_t i = 0; i < timeline.lanes.size(); ++i) {
    const double top = kLanesTop + kLane * static_cast<double>(i);
    svg.text({left - 8, top + kLane / 2 + 4}, Anchor::kEnd, "small",
             wrapped(timeline.lanes[i].name, names, kSmallFont, 1).front());
    drawLane(svg, timeline.lanes[i], axis, unit.factor, top);
  }
  svg.line({left, kLanesTop}, {left, bottom}, "axis");
  svg.line({left, bottom}, {kLanesRight, bottom}, "axis");
  svg.text({(left + kLanesRight) / 2, bottom + 48}, Anchor::kMiddle, "label", label);
  return svg.finish();
}

}  // namespace plumbline::report
