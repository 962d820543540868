// SPDX-License-Identifier: GPL-3.0-or-later
// Jain's fairness index over time, and the current distribution of the load over links or flows;
// for stored runs, the index and the max-mean ratio by point.
#pragma once

#include "gui/pages/page.h"

class QComboBox;
class QLabel;

namespace plumbline::gui {

class FairnessPage : public Page {
  Q_OBJECT
 public:
  explicit FairnessPage(QWidget* parent = nullptr);

  void show(const PageInput& input) override;

  [[nodiscard]] const Plot& index() const { return *index_; }
  [[nodiscard]] const Plot& loads() const { return *loads_; }

 private:
  void showLive(const LiveRun& live);
  void showStored(const std::vector<ShownRun>& runs);

  QLabel* figures_;
  QComboBox* of_;  // whose loads are shown
  Plot* index_;
  Plot* loads_;
};

}  // namespace plumbline::gui
