// SPDX-License-Identifier: GPL-3.0-or-later
// Common base of the window's tabs.
#pragma once

#include <QString>
#include <QWidget>
#include <vector>

#include "gui/data/live_run.h"
#include "gui/models/run_list.h"
#include "gui/plots/plot.h"
#include "gui/plots/theme.h"

namespace plumbline::gui {

// Input of the tabs: the live run, or stored ones, the first being the reference for comparisons.
struct PageInput {
  const LiveRun* live = nullptr;  // null while stored runs are shown
  std::vector<ShownRun> runs;
};

class Page : public QWidget {
  Q_OBJECT
 public:
  using QWidget::QWidget;

  // Called for the visible page only, at most ten times a second for live data. `input` is valid
  // during the call.
  virtual void show(const PageInput& input) = 0;
  virtual void setTheme(const Theme& theme);

 protected:
  // Makes a plot that follows the page's theme.
  Plot* addPlot(const QString& name);

 private:
  std::vector<Plot*> plots_;
};

// Bars of one figure over the points of a sweep, a colour per run: `names` are machine names, of
// which the first one in a run is used. Points are at most `most`; empty if no run has it.
struct KpiBars {
  std::vector<PlotSeries> series;
  QStringList points;
  QString unit;
  std::size_t left_out = 0;  // points without room
};
KpiBars kpiBars(const std::vector<ShownRun>& runs, const std::vector<std::string>& names,
                std::size_t max = 40);

// A series of `values` over trial time.
PlotSeries timeSeries(const QString& name, const TimeSeries& values);

}  // namespace plumbline::gui
