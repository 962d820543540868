// SPDX-License-Identifier: GPL-3.0-or-later
// First page of a new user: the few ways to begin.
#pragma once

#include <QWidget>

namespace plumbline::gui {

class StartPage : public QWidget {
  Q_OBJECT
 public:
  explicit StartPage(QWidget* parent = nullptr);

 signals:
  void quickstartWanted();
  void connectWanted();
  void openResultWanted();
  void editScenarioWanted();
};

}  // namespace plumbline::gui
