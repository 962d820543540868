#include <algorithm>
#include <cmath>

#include "report/chart.h"
#include "report/picture.h"
#include "report/plot.h"
#include "results/number_text.h"

namespace plumbline::report {
namespace {

constexpr double kBarsTop = 10;
constexpr double kMaxNames = 250;  // pixels that names may take
constexpr double kNameLine = 17;
constexpr std::size_t kNameLines = 3;
constexpr double kBar = 16;        // a bar with the room around it
constexpr double kBarShare = 0.8;  // of that, the bar
constexpr double kGroupGap = 10;
constexpr double kValueRoom = 64;  // for the number after the longest bar
constexpr double kAxisRoom = 60;

struct Group {
  std::vector<std::string> name;
  double top = 0;
  double height = 0;
};

std::vector<LegendEntry> legendOf(const results::Chart& chart) {
  constexpr double kSwatchWidth = 9;
  std::vector<LegendEntry> legend;
  std::size_t measured = 0;
  std::size_t references = 0;
  for (const results::Series& series : chart.series) {
    Pen pen = series.reference ? referencePen(references++) : seriesPen(measured++);
    if (!series.reference) pen = {pen.color, kSwatchWidth, ""};
    legend.push_back({series.name, pen, false, 0});
  }
  return legend;
}

AxisSpec valueAxis(const results::Chart& chart) {
  std::vector<double> values;
  for (const results::Series& series : chart.series) {
    values.insert(values.end(), series.y.begin(), series.y.end());
  }
  if (chart.log_y) return logAxis(chart.y_label, values);
  values.push_back(0);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return linearAxis(chart.y_label, *low, *high, true);
}

}  // namespace

std::string renderCategoryPlot(const results::Chart& chart) {
  const auto measured = static_cast<std::size_t>(
      std::count_if(chart.series.begin(), chart.series.end(),
                    [](const results::Series& series) { return !series.reference; }));
  double names = 0;
  for (const std::string& name : chart.categories) {
    names = std::max(names, textWidth(name, kTickFont));
  }
  names = std::min(names, kMaxNames);
  const double left = names + 22;
  const double right = kPlotWidth - kValueRoom;
  std::vector<LegendEntry> legend = legendOf(chart);
  // A single series is named by the axis.
  if (legend.size() == 1) legend.clear();

  double y = kBarsTop + legendHeight(legend, left, kPlotWidth) + (legend.empty() ? 0 : 6);
  const double top = y;
  std::vector<Group> groups;
  for (const std::string& name : chart.categories) {
    Group group{wrapped(name, names, kTickFont, kNameLines), y, 0};
    group.height = kGroupGap + std::max(kNameLine * static_cast<double>(group.name.size()),
                                        kBar * static_cast<double>(measured));
    y += group.height;
    groups.push_back(std::move(group));
  }
  const double bottom = y;

  Svg svg(kPlotWidth, bottom + kAxisRoom, chart.title);
  drawLegend(svg, legend, left, kPlotWidth, kBarsTop);
  const AxisSpec spec = valueAxis(chart);
  Axis axis(spec.scale, spec.range, spec.ticks, left, right);
  axis.thinLabels(10, [](const std::string& text) { return textWidth(text, kTickFont); });
  for (const Tick& tick : axis.ticks()) {
    const double at = axis.pixel(tick.value);
    svg.line({at, top}, {at, bottom}, "grid");
    svg.text({at, bottom + 20}, Anchor::kMiddle, "tick", tick.label);
  }
  svg.text({(left + right) / 2, bottom + 46}, Anchor::kMiddle, "label", spec.label);
  for (const Group& group : groups) {
    double line = group.top + group.height / 2 + 5 -
                  kNameLine * static_cast<double>(group.name.size() - 1) / 2;
    for (const std::string& text : group.name) {
      svg.text({left - 8, line}, Anchor::kEnd, "tick", text);
      line += kNameLine;
    }
  }

  const double base = axis.pixel(chart.log_y ? axis.range().low : 0);
  const double bars = kBar * static_cast<double>(measured);
  std::size_t bar = 0;
  std::size_t reference = 0;
  for (const results::Series& series : chart.series) {
    const Pen pen = series.reference ? referencePen(reference) : seriesPen(bar);
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      const double place = std::round(series.x[i]);
      if (place < 0 || place >= static_cast<double>(groups.size())) continue;
      const Group& group = groups[static_cast<std::size_t>(place)];
      const double end = axis.pixel(series.y[i]);
      if (series.reference) {
        svg.line({end, group.top}, {end, group.top + group.height}, pen);
        continue;
      }
      const double from = group.top + (group.height - bars) / 2 + kBar * static_cast<double>(bar) +
                          kBar * (1 - kBarShare) / 2;
      svg.filledRect({std::min(base, end), from}, std::abs(end - base), kBar * kBarShare,
                     pen.color);
      svg.text({std::max(base, end) + 5, from + kBar * kBarShare - 2}, Anchor::kStart, "small",
               results::measuredNumber(series.y[i]));
    }
    ++(series.reference ? reference : bar);
  }
  svg.line({left, top}, {left, bottom}, "axis");
  return svg.finish();
}

}  // namespace plumbline::report
