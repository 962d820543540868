// SPDX-License-Identifier: GPL-3.0-or-later
// The scenario that Run starts: form and text side by side, checked by the server while the user
// types.
#pragma once

#include <QTimer>
#include <QWidget>
#include <optional>
#include <vector>

#include "control/api_types.h"
#include "gui/models/session.h"
#include "gui/plots/theme.h"

class QComboBox;
class QFormLayout;
class QLabel;
class QListWidget;
class QPushButton;

namespace plumbline::gui {

class ScenarioEditor;

class ScenarioPage : public QWidget {
  Q_OBJECT
 public:
  explicit ScenarioPage(Session* session, QWidget* parent = nullptr);

  // Replaces the text; `name` is the file name in messages.
  void setScenario(const QString& name, const QString& text);
  // The request to the server for validating, planning and running.
  [[nodiscard]] control::ScenarioRequest request() const;
  [[nodiscard]] QString name() const { return name_; }
  [[nodiscard]] bool isEmpty() const;
  // True when the text has no unsaved changes.
  [[nodiscard]] bool saved() const;
  // True when the newest text has been planned, or its plan is under way.
  [[nodiscard]] bool isPlanned() const { return planned_edition_ == edition_; }
  bool open(const QString& path);
  // Prompts for a file name if there is none yet. False when nothing was saved.
  bool save();
  void setTheme(const Theme& theme);

  [[nodiscard]] const ScenarioEditor& editor() const { return *editor_; }
  [[nodiscard]] const QListWidget& problems() const { return *problems_; }

 public slots:
  void validate();
  void plan();

 signals:
  void nameChanged();
  // The answer for the newest text.
  void planned(const control::PlanAnswer& plan);
  void failed(const QString& message);

 private:
  struct FieldRow {
    std::size_t field = 0;
    QLabel* label = nullptr;
    QComboBox* value = nullptr;
  };

  QWidget* makeForm();
  void textEdited();
  void fillForm();
  void fieldEdited(const FieldRow& row);
  void showAnswer(const control::ValidationAnswer& answer);
  // A line below the text with a link to its place; `kind` is its prefix.
  void addProblem(const control::ScenarioProblem& problem, const QString& kind);
  void showPlan(const control::PlanAnswer& plan);

  Session* session_;
  QString name_;
  QString path_;  // empty: not of a file
  Theme theme_;
  bool filling_ = false;
  std::uint64_t edition_ = 0;  // of the text; answers to older ones are dropped
  std::optional<std::uint64_t> planned_edition_;
  std::optional<std::uint64_t> plan_shown_;  // edition whose plan is the verdict
  QTimer check_timer_;
  ScenarioEditor* editor_;
  std::vector<FieldRow> rows_;
  QLabel* verdict_;
  QListWidget* problems_;
};

}  // namespace plumbline::gui
