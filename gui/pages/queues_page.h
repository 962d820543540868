// SPDX-License-Identifier: GPL-3.0-or-later
// Depths of the DUT's queues: over time for the deepest, and the deepest of each point of stored
// runs.
#pragma once

#include "gui/pages/page.h"

namespace plumbline::gui {

class QueuesPage : public Page {
  Q_OBJECT
 public:
  explicit QueuesPage(QWidget* parent = nullptr);

  void show(const PageInput& input) override;

  [[nodiscard]] const Plot& plot() const { return *plot_; }

 private:
  Plot* plot_;
};

}  // namespace plumbline::gui
