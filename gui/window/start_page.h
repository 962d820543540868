// SPDX-License-Identifier: GPL-3.0-or-later
// What a new user sees: the few things one can begin with.
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
