// SPDX-License-Identifier: GPL-3.0-or-later
// Panels around the tabs: ports, trials, counters, log and captures.
#pragma once

#include <QWidget>
#include <optional>

#include "gui/models/counter_table_model.h"
#include "gui/models/grouped_model.h"
#include "gui/models/session.h"
#include "gui/plots/theme.h"

class QPlainTextEdit;
class QSpinBox;
class QTextBlock;
class QCheckBox;
class QTreeView;

namespace plumbline::gui {

// Colours rows of a GroupedModel by their state.
class StateDelegate;

// Ports of the server with their owners, and their send and receive rates.
class PortsPanel : public QWidget {
  Q_OBJECT
 public:
  explicit PortsPanel(Session* session, QWidget* parent = nullptr);
  void setTheme(const Theme& theme);
  [[nodiscard]] const GroupedModel& model() const { return *model_; }

 private:
  void refresh();

  Session* session_;
  GroupedModel* model_;
  QTreeView* view_;
  StateDelegate* delegate_;
};

// The trials of the run so far, test by test.
class TrialsPanel : public QWidget {
  Q_OBJECT
 public:
  explicit TrialsPanel(Session* session, QWidget* parent = nullptr);
  void setTheme(const Theme& theme);
  [[nodiscard]] const GroupedModel& model() const { return *model_; }

 private:
  void refresh();

  Session* session_;
  GroupedModel* model_;
  QTreeView* view_;
  StateDelegate* delegate_;
};

class CountersPanel : public QWidget {
  Q_OBJECT
 public:
  explicit CountersPanel(Session* session, QWidget* parent = nullptr);
  [[nodiscard]] const CounterTableModel& model() const { return *model_; }

 private:
  CounterTableModel* model_;
};

class LogPanel : public QWidget {
  Q_OBJECT
 public:
  explicit LogPanel(QWidget* parent = nullptr);
  void add(const QString& line, bool failure);
  void setTheme(const Theme& theme);
  [[nodiscard]] QString contents() const;

 private:
  void applyColor(const QTextBlock& block);

  QPlainTextEdit* lines_;
  Theme theme_;
};

// Whether the next run captures a port's frames, and the captures of earlier runs.
class CapturesPanel : public QWidget {
  Q_OBJECT
 public:
  explicit CapturesPanel(Session* session, QWidget* parent = nullptr);
  // The port to capture in the next run; nothing for none.
  [[nodiscard]] std::optional<std::uint32_t> port() const;

 signals:
  void message(const QString& text, bool failure);

 private:
  void refresh();
  void save();

  Session* session_;
  QCheckBox* enabled_;
  QSpinBox* port_;
  GroupedModel* model_;
  QTreeView* view_;
};

}  // namespace plumbline::gui
