// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives: bus bandwidth, algorithm bandwidth or share of the ideal over buffer size or ranks,
// and all of them as a table.
#pragma once

#include "gui/data/collective.h"
#include "gui/pages/page.h"

class QComboBox;
class QTableWidget;

namespace plumbline::gui {

class CollectivePage : public Page {
  Q_OBJECT
 public:
  explicit CollectivePage(QWidget* parent = nullptr);

  void show(const PageInput& input) override;

  [[nodiscard]] const Plot& plot() const { return *plot_; }

 private:
  struct Row {
    QString run;  // empty while only one is shown
    CollectivePoint point;
  };

  void draw();
  void fillTable();

  std::vector<Row> rows_;
  QComboBox* figure_;
  QComboBox* over_;
  Plot* plot_;
  QTableWidget* table_;
};

}  // namespace plumbline::gui
