// SPDX-License-Identifier: GPL-3.0-or-later
// The strip across the top: connection, scenario, Run and Stop, and the run's progress.
#pragma once

#include <QWidget>

#include "gui/models/session.h"
#include "gui/plots/theme.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace plumbline::gui {

class StatusStrip : public QWidget {
  Q_OBJECT
 public:
  explicit StatusStrip(Session* session, QWidget* parent = nullptr);

  // The scenario that the Run button starts.
  void setScenarioName(const QString& name);
  void setTheme(const Theme& theme);

  [[nodiscard]] QPushButton* runButton() { return run_; }
  [[nodiscard]] QPushButton* stopButton() { return stop_; }
  [[nodiscard]] QString trialText() const;

 signals:
  void connectWanted();
  // One of the server's scenarios was chosen.
  void scenarioChosen(const QString& name);

 private:
  // `usual`: a text of the value's usual length.
  static QLabel* addValue(QHBoxLayout* row, const QString& title, const QString& tool_tip,
                          const char* defaults);
  void showConnection();
  void showScenarios();
  void showRun();
  void showProgress(const control::LiveInterval& now, bool active);

  Session* session_;
  Theme theme_;
  QString scenario_name_;
  QToolButton* connection_;
  QComboBox* scenario_;
  QPushButton* run_;
  QPushButton* stop_;
  QLabel* tx_;
  QLabel* rx_;
  QLabel* loss_;
  QLabel* time_;
  QLabel* trial_;
  QProgressBar* progress_;
};

}  // namespace plumbline::gui
