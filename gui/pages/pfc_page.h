// SPDX-License-Identifier: GPL-3.0-or-later
// When ports were paused: a lane for each link and priority, and beneath it, on the same time axis,
// the rates that the ports received.
#pragma once

#include "gui/pages/page.h"

class QComboBox;
class QLabel;

namespace plumbline::gui {

class PfcPage : public Page {
  Q_OBJECT
 public:
  explicit PfcPage(QWidget* parent = nullptr);

  void show(const PageInput& input) override;

  [[nodiscard]] const Plot& lanes() const { return *lanes_; }
  [[nodiscard]] const Plot& rates() const { return *rates_; }

 private:
  void showLive(const LiveRun& live);
  void showTimeline();

  std::vector<ShownRun> runs_;
  QComboBox* timelines_;  // of the stored runs
  QLabel* note_;
  Plot* lanes_;
  Plot* rates_;
};

}  // namespace plumbline::gui
