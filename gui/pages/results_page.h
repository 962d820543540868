// SPDX-License-Identifier: GPL-3.0-or-later
// Stored runs: choose what to show and compare, read figures side by side, look at any chart of the
// results, open the report.
#pragma once

#include "control/api_types.h"
#include "gui/models/grouped_model.h"
#include "gui/pages/page.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTableWidget;
class QTreeView;

namespace plumbline::gui {

class ResultsPage : public Page {
  Q_OBJECT
 public:
  explicit ResultsPage(RunList* runList, QWidget* parent = nullptr);

  // The runs of the server at `address`, newest first.
  void setServerRuns(const QString& address, const std::vector<control::RunState>& runs);
  void show(const PageInput& input) override;

  [[nodiscard]] const QTableWidget& figures() const { return *figures_; }
  [[nodiscard]] const Plot& chart() const { return *chart_; }
  [[nodiscard]] const QTreeView& runList() const { return *list_; }

 signals:
  // The user requests this run, alone or beside the others. `server_run` is 0 for a file.
  void wanted(const QString& key, qint64 server_run, bool compare);
  void reportWanted(const QString& key, qint64 server_run);
  void resumeWanted(qint64 server_run);
  void openFileWanted();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fillRuns();
  void fitRunColumns();
  void fillFigures();
  void fitFigureColumns();
  void fillCharts();
  void drawChart();
  void enableButtons();
  [[nodiscard]] std::vector<QVariantList> selectedRuns() const;

  RunList* run_list_;
  QString address_;
  std::vector<control::RunState> server_runs_;
  std::vector<ShownRun> shown_;
  GroupedModel* runs_;
  QTreeView* list_;
  QPushButton* show_button_;
  QPushButton* compare_button_;
  QPushButton* remove_button_;
  QPushButton* report_button_;
  QPushButton* resume_button_;
  QLabel* summary_;
  QTableWidget* figures_;
  QComboBox* charts_;
  Plot* chart_;
};

}  // namespace plumbline::gui
