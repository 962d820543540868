#include "report/chart.h"

#include <algorithm>
#include <cmath>

#include "results/units.h"

namespace plumbline::report {
namespace {

// Without points that cannot be drawn, also those without partner.
results::Series drawable(const results::Series& series, bool log_x, bool log_left) {
  const bool log_y = log_left && !series.right;
  results::Series out;
  out.name = series.name;
  out.reference = series.reference;
  out.right = series.right;
  out.area = series.area;
  const auto keep = [&out](const std::vector<std::size_t>& from, std::size_t place,
                           std::vector<std::size_t>& into) {
    if (std::binary_search(from.begin(), from.end(), place)) into.push_back(out.x.size());
  };
  const std::size_t points = std::min(series.x.size(), series.y.size());
  for (std::size_t i = 0; i < points; ++i) {
    const double x = series.x[i];
    const double y = series.y[i];
    if (!std::isfinite(x) || !std::isfinite(y) || (log_x && x <= 0) || (log_y && y <= 0)) continue;
    keep(series.few_samples, i, out.few_samples);
    keep(series.marked, i, out.marked);
    out.x.push_back(x);
    out.y.push_back(y);
  }
  return out;
}

bool everyOne(const results::Series& /*series*/) { return true; }
bool atTheLeft(const results::Series& series) { return !series.right; }
bool atTheRight(const results::Series& series) { return series.right; }

// Brings one coordinate of the series to the unit that fits and renames the axis.
void fitAxis(results::Chart& chart, std::vector<double> results::Series::*values,
             std::string results::Chart::*label, bool (*belongs)(const results::Series&)) {
  const results::LabelledUnit named = results::splitUnit(chart.*label);
  double largest = 0;
  for (const results::Series& series : chart.series) {
    if (!belongs(series)) continue;
    for (const double value : series.*values) largest = std::max(largest, std::abs(value));
  }
  // Frame sizes stay in bytes; times and rates change unit from five digits on.
  const bool bytes = named.unit == "B" || named.unit == "bytes";
  const double keep_below = largest < 1 ? 0 : bytes ? 100'000 : 10'000;
  const results::ScaledUnit fitted = results::fitUnit(named.unit, largest, keep_below);
  for (results::Series& series : chart.series) {
    if (!belongs(series)) continue;
    for (double& value : series.*values) value /= fitted.factor;
  }
  const std::string unit = results::shownUnit(fitted.unit);
  if (unit != named.unit) chart.*label = results::labelWithUnit(named.text, unit);
}

// The smallest number of parts in which all lines can be distinguished, of about equal size;
// references are in all of them.
std::vector<results::Chart> parts(const results::Chart& chart) {
  constexpr std::size_t kMaxLines = 8;
  constexpr std::size_t kMaxLinesPerPart = 6;
  const auto lines = static_cast<std::size_t>(
      std::count_if(chart.series.begin(), chart.series.end(),
                    [](const results::Series& series) { return !series.reference; }));
  if (lines <= kMaxLines) return {chart};
  const std::size_t count = (lines + kMaxLinesPerPart - 1) / kMaxLinesPerPart;
  std::vector<results::Chart> parts(count, chart);
  for (results::Chart& part : parts) part.series.clear();
  std::size_t line = 0;
  for (const results::Series& series : chart.series) {
    if (series.reference) {
      for (results::Chart& part : parts) part.series.push_back(series);
    } else {
      parts[line * count / lines].series.push_back(series);
      ++line;
    }
  }
  return parts;
}

}  // namespace

std::vector<std::string> renderChart(const results::Chart& original) {
  results::Chart chart = original;
  const bool bars = chart.kind == results::ChartKind::kBar;
  for (results::Series& series : chart.series) {
    series = drawable(series, chart.log_x && !bars, chart.log_y);
  }
  if (!chart.log_x && !bars) {
    fitAxis(chart, &results::Series::x, &results::Chart::x_label, everyOne);
  }
  if (!chart.log_y) fitAxis(chart, &results::Series::y, &results::Chart::y_label, atTheLeft);
  if (!chart.right_label.empty()) {
    fitAxis(chart, &results::Series::y, &results::Chart::right_label, atTheRight);
  }
  if (bars) return {chart.categories.empty() ? renderBarPlot(chart) : renderCategoryPlot(chart)};
  std::vector<std::string> plots;
  for (const results::Chart& part : parts(chart)) plots.push_back(renderLinePlot(part, chart));
  return plots;
}

}  // namespace plumbline::report
