#include "report/chart.h"

#include <algorithm>
#include <cmath>

#include "results/units.h"

namespace plumbline::report {
namespace {

// Without points that cannot be drawn, also those without partner.
results::Series drawable(const results::Series& series, bool log_x, bool log_y) {
  results::Series out{series.name, {}, {}, series.reference, {}};
  const std::size_t points = std::min(series.x.size(), series.y.size());
  for (std::size_t i = 0; i < points; ++i) {
    const double x = series.x[i];
    const double y = series.y[i];
    if (!std::isfinite(x) || !std::isfinite(y) || (log_x && x <= 0) || (log_y && y <= 0)) continue;
    if (std::binary_search(series.few_samples.begin(), series.few_samples.end(), i)) {
      out.few_samples.push_back(out.x.size());
    }
    out.x.push_back(x);
    out.y.push_back(y);
  }
  return out;
}

// Brings one coordinate of all series to the unit that fits and renames the axis.
void fitAxis(results::Chart& chart, std::vector<double> results::Series::*values,
             std::string results::Chart::*label) {
  const results::LabelledUnit named = results::splitUnit(chart.*label);
  double largest = 0;
  for (const results::Series& series : chart.series) {
    for (const double value : series.*values) largest = std::max(largest, std::abs(value));
  }
  // Frame sizes stay in bytes; times and rates change unit from five digits on.
  const bool bytes = named.unit == "B" || named.unit == "bytes";
  const double keep_below = largest < 1 ? 0 : bytes ? 100'000 : 10'000;
  const results::ScaledUnit fitted = results::fitUnit(named.unit, largest, keep_below);
  for (results::Series& series : chart.series) {
    for (double& value : series.*values) value /= fitted.factor;
  }
  const std::string unit = results::shownUnit(fitted.unit);
  if (unit != named.unit) chart.*label = results::labelWithUnit(named.text, unit);
}

// As few parts as let every line be told from the others, of about the same size; references are in
// all of them.
std::vector<results::Chart> parts(const results::Chart& chart) {
  constexpr std::size_t kMostLines = 8;
  constexpr std::size_t kComfortable = 6;
  const auto lines = static_cast<std::size_t>(
      std::count_if(chart.series.begin(), chart.series.end(),
                    [](const results::Series& series) { return !series.reference; }));
  if (lines <= kMostLines) return {chart};
  const std::size_t count = (lines + kComfortable - 1) / kComfortable;
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
  if (!chart.log_x && !bars) fitAxis(chart, &results::Series::x, &results::Chart::x_label);
  if (!chart.log_y) fitAxis(chart, &results::Series::y, &results::Chart::y_label);
  if (bars) return {chart.categories.empty() ? renderBarPlot(chart) : renderCategoryPlot(chart)};
  std::vector<std::string> plots;
  for (const results::Chart& part : parts(chart)) plots.push_back(renderLinePlot(part, chart));
  return plots;
}

}  // namespace plumbline::report
