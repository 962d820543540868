// SPDX-License-Identifier: GPL-3.0-or-later
// Flows, QPs and PDCs of the current trial as a table.
#pragma once

#include "gui/models/flow_table_model.h"
#include "gui/pages/page.h"

class QLabel;
class QTableView;

namespace plumbline::gui {

class FlowsPage : public Page {
  Q_OBJECT
 public:
  explicit FlowsPage(QWidget* parent = nullptr);

  void show(const PageInput& input) override;

  [[nodiscard]] const FlowTableModel& model() const { return *model_; }

 private:
  FlowTableModel* model_;
  QLabel* note_;
  QTableView* table_;
};

}  // namespace plumbline::gui
