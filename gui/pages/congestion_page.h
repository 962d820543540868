// SPDX-License-Identifier: GPL-3.0-or-later
// Congestion marks over time: what switches marked, what arrived marked, the notifications (CNPs)
// that answered, and drops. Of stored runs, the share of marked packets point by point.
#pragma once

#include "gui/pages/page.h"

namespace plumbline::gui {

class CongestionPage : public Page {
  Q_OBJECT
 public:
  explicit CongestionPage(QWidget* parent = nullptr);

  void show(const PageInput& input) override;

  [[nodiscard]] const Plot& plot() const { return *plot_; }

 private:
  Plot* plot_;
};

}  // namespace plumbline::gui
