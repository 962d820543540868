// SPDX-License-Identifier: GPL-3.0-or-later
// The fabric of the scenario, its links by load, and the counters of each.
#pragma once

#include "control/api_types.h"
#include "gui/models/link_table_model.h"
#include "gui/pages/page.h"
#include "gui/pages/topology_view.h"

class QLabel;
class QStackedLayout;
class QTableView;

namespace plumbline::gui {

class TopologyPage : public Page {
  Q_OBJECT
 public:
  explicit TopologyPage(QWidget* parent = nullptr);

  // From a plan; replaces the previous one.
  void setTopology(const control::TopologyPicture& picture);
  void show(const PageInput& input) override;
  void setTheme(const Theme& theme) override;

  [[nodiscard]] const TopologyView& view() const { return *view_; }
  [[nodiscard]] const LinkTableModel& links() const { return *links_; }

 private:
  void selectLink(const QString& name);
  void describeSelected();

  QLabel* description_;
  QLabel* selected_text_;
  TopologyView* view_;
  LinkTableModel* links_;
  QTableView* table_;
  QLabel* empty_;
  std::string selected_;
};

}  // namespace plumbline::gui
