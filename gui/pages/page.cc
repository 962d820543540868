// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pages/page.h"

#include <algorithm>

#include "gui/models/text.h"

namespace plumbline::gui {

void Page::setTheme(const Theme& theme) {
  for (Plot* plot : plots_) plot->setTheme(theme);
}

Plot* Page::addPlot(const QString& name) {
  plots_.push_back(new Plot(name, this));
  return plots_.back();
}

KpiBars kpiBars(const std::vector<ShownRun>& runs, const std::vector<std::string>& names,
                std::size_t max) {
  KpiBars out;
  for (const ShownRun& shown : runs) {
    PlotSeries bars{shown.name, {}, {}, SeriesStyle::kBars, false, std::nullopt};
    std::vector<std::pair<double, double>> points;
    for (const StoredTest& test : shown.run->tests) {
      for (const StoredKpi& kpi : test.kpis) {
        if (std::find(names.begin(), names.end(), kpi.name) == names.end()) continue;
        const QString label = shown.run->tests.size() > 1
                                  ? text(test.id) + QStringLiteral(": ") + text(kpi.point)
                                  : text(kpi.point);
        qsizetype place = out.points.indexOf(label);
        if (place < 0) {
          if (static_cast<std::size_t>(out.points.size()) == max) {
            ++out.left_out;
            continue;
          }
          place = out.points.size();
          out.points.push_back(label);
        }
        out.unit = text(kpi.quantity.unit);
        points.emplace_back(static_cast<double>(place), kpi.quantity.value);
      }
    }
    if (points.empty()) continue;
    std::sort(points.begin(), points.end());
    for (const auto& [x, y] : points) {
      bars.x.push_back(x);
      bars.y.push_back(y);
    }
    out.series.push_back(std::move(bars));
  }
  return out;
}

PlotSeries timeSeries(const QString& name, const TimeSeries& values) {
  return {name, values.times(), values.values(), SeriesStyle::kLine, false, std::nullopt};
}

}  // namespace plumbline::gui
