// SPDX-License-Identifier: GPL-3.0-or-later
// A text editor for scenarios: line numbers, keys and comments in colour, and mistakes underlined
// where they are, with the message as tool tip.
#pragma once

#include <QPlainTextEdit>
#include <vector>

#include "control/api_types.h"
#include "gui/plots/theme.h"

class QSyntaxHighlighter;

namespace plumbline::gui {

class ScenarioEditor : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit ScenarioEditor(QWidget* parent = nullptr);

  void setProblems(std::vector<control::ScenarioProblem> problems);
  void setTheme(const Theme& theme);
  // Puts the cursor at line and column, both from 1.
  void goTo(std::uint64_t line, std::uint64_t column);

  // The underlined text of each problem that has a place, for tests.
  [[nodiscard]] QStringList underlined() const;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  class Margin;

  void placeMargin();
  void paintMargin(QPaintEvent* event);
  void mark();
  [[nodiscard]] QTextCursor cursorAt(const control::ScenarioProblem& problem) const;

  Theme theme_;
  std::vector<control::ScenarioProblem> problems_;
  QWidget* margin_;
  QSyntaxHighlighter* highlighter_ = nullptr;
};

}  // namespace plumbline::gui
