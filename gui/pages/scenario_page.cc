// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pages/scenario_page.h"

#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSaveFile>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include "gui/data/scenario_text.h"
#include "gui/models/text.h"
#include "gui/pages/scenario_editor.h"
#include "scenario/parse.h"

namespace plumbline::gui {
namespace {

constexpr int kCheckAfterMs = 400;
constexpr int kLineRole = Qt::UserRole;
constexpr int kColumnRole = Qt::UserRole + 1;

}  // namespace

ScenarioPage::ScenarioPage(Session* session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      theme_(lightTheme()),
      editor_(new ScenarioEditor),
      verdict_(new QLabel),
      problems_(new QListWidget) {
  verdict_->setObjectName(QStringLiteral("verdict"));
  verdict_->setWordWrap(true);
  problems_->setAccessibleName(tr("Problems"));
  problems_->setMaximumHeight(110);
  problems_->hide();

  auto* open_button = new QPushButton(tr("&Open …"));
  auto* save_button = new QPushButton(tr("&Save"));
  auto* validate_button = new QPushButton(tr("&Validate"));
  auto* plan_button = new QPushButton(tr("&Plan"));
  auto* buttons = new QHBoxLayout;
  for (QPushButton* button : {open_button, save_button, validate_button, plan_button}) {
    buttons->addWidget(button);
  }
  buttons->addWidget(verdict_, 1);

  auto* text_side = new QWidget;
  auto* text_layout = new QVBoxLayout(text_side);
  text_layout->setContentsMargins(0, 0, 0, 0);
  text_layout->addWidget(editor_, 1);
  text_layout->addWidget(problems_);
  auto* split = new QSplitter(Qt::Horizontal);
  split->addWidget(makeForm());
  split->addWidget(text_side);
  split->setStretchFactor(0, 2);
  split->setStretchFactor(1, 3);
  split->setSizes({400, 600});
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(buttons);
  layout->addWidget(split, 1);

  check_timer_.setSingleShot(true);
  check_timer_.setInterval(kCheckAfterMs);
  connect(&check_timer_, &QTimer::timeout, this, &ScenarioPage::validate);
  connect(editor_, &QPlainTextEdit::textChanged, this, &ScenarioPage::textEdited);
  connect(open_button, &QPushButton::clicked, this, [this] {
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Open scenario"), {}, tr("Scenarios (*.yaml *.yml)"));
    if (!path.isEmpty()) open(path);
  });
  connect(save_button, &QPushButton::clicked, this, &ScenarioPage::save);
  connect(validate_button, &QPushButton::clicked, this, [this] {
    plan_shown_.reset();
    validate();
  });
  connect(plan_button, &QPushButton::clicked, this, &ScenarioPage::plan);
  connect(problems_, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
    editor_->goTo(item->data(kLineRole).toULongLong(), item->data(kColumnRole).toULongLong());
  });
  connect(session_, &Session::stateChanged, this, [this] { check_timer_.start(); });
}

QWidget* ScenarioPage::makeForm() {
  auto* form = new QWidget;
  auto* layout = new QFormLayout(form);
  layout->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  layout->setVerticalSpacing(4);
  const std::vector<ScenarioField>& fields = scenarioFields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const ScenarioField& field = fields[i];
    FieldRow row{i, new QLabel(text(field.label)), new QComboBox};
    row.value->setEditable(true);
    row.value->setInsertPolicy(QComboBox::NoInsert);
    for (const std::string& choice : field.choices) row.value->addItem(text(choice));
    row.value->setAccessibleName(text(field.label));
    row.value->setAccessibleDescription(text(field.explanation));
    row.value->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    row.value->setMinimumContentsLength(10);
    row.value->lineEdit()->setPlaceholderText(tr("not set"));
    const QString tip =
        QStringLiteral("<b>%1</b><br>%2")
            .arg(text(field.path).toHtmlEscaped(), text(field.explanation).toHtmlEscaped());
    row.label->setToolTip(tip);
    row.value->setToolTip(tip);
    row.label->setBuddy(row.value);
    auto* explanation = new QLabel(text(field.hint));
    explanation->setObjectName(QStringLiteral("hint"));
    explanation->setWordWrap(true);
    auto* cell = new QVBoxLayout;
    cell->setSpacing(1);
    cell->addWidget(row.value);
    cell->addWidget(explanation);
    layout->addRow(row.label, cell);
    connect(row.value->lineEdit(), &QLineEdit::editingFinished, this,
            [this, row] { fieldEdited(row); });
    connect(row.value, &QComboBox::activated, this, [this, row] { fieldEdited(row); });
    rows_.push_back(row);
  }
  auto* scroll = new QScrollArea;
  scroll->setWidget(form);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setMinimumWidth(280);
  return scroll;
}

void ScenarioPage::setScenario(const QString& name, const QString& scenario) {
  name_ = name;
  path_.clear();
  editor_->setPlainText(scenario);
  editor_->document()->setModified(false);
  check_timer_.stop();
  validate();
  plan();
  emit nameChanged();
}

control::ScenarioRequest ScenarioPage::request() const {
  control::ScenarioRequest request;
  request.scenario = editor_->toPlainText().toStdString();
  request.name = name_.toStdString();
  return request;
}

bool ScenarioPage::isEmpty() const { return editor_->toPlainText().trimmed().isEmpty(); }

bool ScenarioPage::saved() const { return !editor_->document()->isModified(); }

bool ScenarioPage::open(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) {
    emit failed(tr("%1 could not be read: %2").arg(path, file.errorString()));
    return false;
  }
  constexpr qint64 kMax = scenario::kMaxScenarioBytes;
  if (file.size() > kMax) {
    emit failed(tr("%1 is larger than a scenario may be (%2 MiB)").arg(path).arg(kMax >> 20));
    return false;
  }
  setScenario(QFileInfo(path).fileName(), QString::fromUtf8(file.readAll()));
  path_ = path;
  return true;
}

bool ScenarioPage::save() {
  QString path = path_;
  if (path.isEmpty()) {
    path = QFileDialog::getSaveFileName(this, tr("Save scenario"), name_,
                                        tr("Scenarios (*.yaml *.yml)"));
    if (path.isEmpty()) return false;
  }
  QSaveFile file(path);
  const QByteArray bytes = editor_->toPlainText().toUtf8();
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit()) {
    emit failed(tr("%1 could not be written: %2").arg(path, file.errorString()));
    return false;
  }
  path_ = path;
  name_ = QFileInfo(path).fileName();
  editor_->document()->setModified(false);
  emit nameChanged();
  return true;
}

void ScenarioPage::setTheme(const Theme& theme) {
  theme_ = theme;
  editor_->setTheme(theme);
}

void ScenarioPage::textEdited() {
  ++edition_;
  if (!filling_) fillForm();
  check_timer_.start();
}

void ScenarioPage::fillForm() {
  const std::string scenario = editor_->toPlainText().toStdString();
  for (const FieldRow& row : rows_) {
    if (row.value->hasFocus() || row.value->lineEdit()->hasFocus()) continue;
    const std::optional<std::string> value = fieldValue(scenario, scenarioFields()[row.field].path);
    row.value->setCurrentText(value ? text(*value) : QString());
  }
}

void ScenarioPage::fieldEdited(const FieldRow& row) {
  const ScenarioField& field = scenarioFields()[row.field];
  const std::string before = editor_->toPlainText().toStdString();
  const QString wanted = row.value->currentText().trimmed();
  const std::optional<std::string> value = fieldValue(before, field.path);
  if (wanted == (value ? text(*value) : QString())) return;
  if (wanted.isEmpty()) {
    verdict_->setText(tr("To leave %1 out, delete it from the text.").arg(text(field.path)));
    fillForm();
    return;
  }
  const FieldEdit edit = setField(before, field.path, wanted.toStdString());
  if (!edit.error.empty()) {
    verdict_->setText(text(edit.error));
    return;
  }
  // As one step for Undo.
  filling_ = true;
  QTextCursor cursor(editor_->document());
  cursor.select(QTextCursor::Document);
  cursor.insertText(text(edit.text));
  filling_ = false;
}

void ScenarioPage::validate() {
  check_timer_.stop();
  if (isEmpty()) return;
  if (session_->client() == nullptr) {
    verdict_->setText(tr("Connect to a server to have it checked."));
    return;
  }
  session_->client()->validate(request(),
                               session_->onGui<control::ValidationAnswer>(
                                   this, [this, edition = edition_](const auto& outcome) {
                                     if (edition != edition_) return;
                                     if (outcome.ok()) {
                                       showAnswer(outcome.value());
                                     } else {
                                       verdict_->setText(Session::refusalText(outcome.refusal()));
                                     }
                                   }));
}

void ScenarioPage::showAnswer(const control::ValidationAnswer& answer) {
  editor_->setProblems(answer.problems);
  problems_->clear();
  for (const control::ScenarioProblem& problem : answer.problems) addProblem(problem, {});
  for (const control::ScenarioProblem& one : answer.warnings) addProblem(one, tr("warning: "));
  for (const std::string& refusal : answer.refusals) problems_->addItem(text(refusal));
  problems_->setVisible(problems_->count() > 0);
  // A planned text is valid: a later check adds nothing.
  if (answer.valid && plan_shown_ == edition_) return;
  if (!answer.valid) {
    verdict_->setText(tr("Not valid, see below the text."));
  } else if (answer.warnings.empty()) {
    verdict_->setText(tr("Valid."));
  } else {
    verdict_->setText(tr("Valid, see the warnings below the text."));
  }
}

void ScenarioPage::addProblem(const control::ScenarioProblem& problem, const QString& kind) {
  QString line = QStringLiteral("%1:%2: %3%4")
                     .arg(problem.line)
                     .arg(problem.column)
                     .arg(kind, text(problem.what));
  if (!problem.allowed.empty()) line += QStringLiteral(" (%1)").arg(text(problem.allowed));
  auto* item = new QListWidgetItem(line, problems_);
  item->setData(kLineRole, static_cast<qulonglong>(problem.line));
  item->setData(kColumnRole, static_cast<qulonglong>(problem.column));
}

void ScenarioPage::plan() {
  if (isEmpty() || session_->client() == nullptr) return;
  planned_edition_ = edition_;
  session_->client()->plan(
      request(),
      session_->onGui<control::PlanAnswer>(this, [this, edition = edition_](const auto& outcome) {
        if (edition != edition_) return;
        if (!outcome.ok()) {
          verdict_->setText(Session::refusalText(outcome.refusal()));
          return;
        }
        showPlan(outcome.value());
        emit planned(outcome.value());
      }));
}

void ScenarioPage::showPlan(const control::PlanAnswer& plan) {
  std::uint64_t trials = 0;
  double expected_s = 0;
  QStringList tests;
  for (const control::PlannedTestAnswer& test : plan.tests) {
    trials += test.trials;
    expected_s += test.expected_s;
    tests.push_back(QStringLiteral("%1: %2").arg(text(test.id), countText(test.trials)));
  }
  const QString how_many = trials == 1 ? tr("one trial") : tr("%1 trials").arg(countText(trials));
  const QString which =
      tests.size() > 1 ? QStringLiteral(" (%1)").arg(tests.join(QStringLiteral(", "))) : QString();
  plan_shown_ = edition_;
  verdict_->setText(tr("Plan: %1%2 on the %3 bench, about %4.")
                        .arg(how_many, which, text(plan.bench),
                             expected_s < 1 ? tr("a second") : clockText(expected_s)));
}

}  // namespace plumbline::gui
