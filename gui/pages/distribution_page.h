// SPDX-License-Identifier: GPL-3.0-or-later
// Latency distributions: as CDF with percentile markers, its tail, or as histogram; live, or of any
// number of stored runs on top of each other, with a table of percentiles.
#pragma once

#include "gui/pages/page.h"

class QComboBox;
class QTableWidget;
class QTreeWidget;

namespace plumbline::gui {

class DistributionPage : public Page {
  Q_OBJECT
 public:
  enum class Kind { kCdf, kHistogram };

  explicit DistributionPage(Kind kind, QWidget* parent = nullptr);

  void show(const PageInput& input) override;

  [[nodiscard]] const Plot& plot() const { return *plot_; }

 private:
  struct Entry {
    QString name;
    stats::Histogram histogram;
  };

  void fillPicker(const std::vector<ShownRun>& runs);
  void showPicked();
  void showLive(const LiveRun& live);
  void draw();
  void fillTable(bool live);

  Kind kind_;
  std::vector<ShownRun> runs_;  // whose distributions the picker lists
  std::vector<Entry> entries_;  // drawn
  QTreeWidget* picker_;
  QComboBox* form_ = nullptr;
  Plot* plot_;
  QTableWidget* table_;
};

}  // namespace plumbline::gui
