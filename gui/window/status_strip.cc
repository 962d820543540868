// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/status_strip.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/models/text.h"

namespace plumbline::gui {
namespace {

// Lost frames of those sent. Frames in flight are not lost: only those that a flow counts as lost.
QString lossText(const control::LiveInterval& now) {
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;
  bool known = false;
  for (const control::LiveFlow& flow : now.flows) {
    sent += flow.sent_frames;
    lost += flow.lost.value_or(0);
    known = known || flow.lost.has_value();
  }
  if (sent == 0 || !known) return QStringLiteral("–");
  if (lost == 0) return QStringLiteral("0");
  return QObject::tr("%1 ppm").arg(
      numberText(1e6 * static_cast<double>(lost) / static_cast<double>(sent), 3));
}

}  // namespace

StatusStrip::StatusStrip(Session* session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      theme_(lightTheme()),
      connection_(new QToolButton),
      scenario_(new QComboBox),
      run_(new QPushButton(tr("&Run"))),
      stop_(new QPushButton(tr("S&top"))) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 4, 8, 2);
  column->setSpacing(4);
  auto* layout = new QHBoxLayout;
  layout->setSpacing(7);
  column->addLayout(layout);
  connection_->setAutoRaise(true);
  connection_->setToolTip(tr("Connect to another server"));
  layout->addWidget(connection_);
  scenario_->setAccessibleName(tr("Scenario"));
  scenario_->setToolTip(
      tr("Scenarios that come with the server; open or edit others in the tab "
         "Scenario"));
  scenario_->setMinimumContentsLength(8);
  scenario_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  scenario_->setMaximumWidth(240);
  scenario_->setPlaceholderText(tr("no scenario"));
  layout->addWidget(scenario_, 2);
  run_->setToolTip(tr("Start the scenario (F5)"));
  run_->setDefault(true);
  stop_->setToolTip(tr("Stop after the trial in hand; what is finished is kept (Shift+F5)"));
  stop_->setEnabled(false);
  layout->addWidget(run_);
  layout->addWidget(stop_);
  layout->addStretch(1);
  tx_ = addValue(layout, tr("Tx"), tr("Sent by all ports in the last interval"), "99.9 Gb/s");
  rx_ = addValue(layout, tr("Rx"), tr("Received by all ports in the last interval"), "99.9 Gb/s");
  loss_ = addValue(layout, tr("Loss"), tr("Frames known to be lost in this trial, of those sent"),
                   "99.9 ppm");
  time_ = addValue(layout, tr("Elapsed / left"), tr("Of the test in hand, wall clock"),
                   "00:00 / ended");
  trial_ = addValue(layout, tr("Trial"),
                    tr("Number of the trial in hand, and how many the plan has"), "T5.2 99 of 99");
  progress_ = new QProgressBar;
  progress_->setAccessibleName(tr("Progress of the test"));
  progress_->setTextVisible(false);
  progress_->setFixedHeight(4);
  column->addWidget(progress_);

  connect(connection_, &QToolButton::clicked, this, &StatusStrip::connectWanted);
  connect(scenario_, &QComboBox::activated, this,
          [this] { emit scenarioChosen(scenario_->currentText()); });
  connect(session_, &Session::stateChanged, this, &StatusStrip::showConnection);
  connect(session_, &Session::scenariosChanged, this, &StatusStrip::showScenarios);
  connect(session_, &Session::updated, this, &StatusStrip::showRun);
  connect(session_, &Session::runsChanged, this, &StatusStrip::showRun);
  showConnection();
  showRun();
}

QLabel* StatusStrip::addValue(QHBoxLayout* row, const QString& title, const QString& tool_tip,
                              const char* defaults) {
  auto* column = new QVBoxLayout;
  column->setSpacing(0);
  auto* head = new QLabel(title);
  head->setObjectName(QStringLiteral("hint"));
  auto* value = new QLabel(QStringLiteral("–"));
  value->setObjectName(QStringLiteral("value"));
  value->setAccessibleName(title);
  // As wide as its longest usual content, so that the strip does not jump.
  QFont bold = value->font();
  bold.setBold(true);
  value->setMinimumWidth(QFontMetrics(bold).horizontalAdvance(QLatin1String(defaults)) + 4);
  for (QLabel* label : {head, value}) {
    label->setToolTip(tool_tip);
    column->addWidget(label);
  }
  row->addLayout(column);
  return value;
}

void StatusStrip::setTheme(const Theme& theme) {
  theme_ = theme;
  showConnection();
}

void StatusStrip::setScenarioName(const QString& name) {
  scenario_name_ = name;
  showScenarios();
}

QString StatusStrip::trialText() const { return trial_->text(); }

void StatusStrip::showConnection() {
  switch (session_->state()) {
    case Session::State::kConnected:
      connection_->setText(tr("● %1").arg(session_->addressText()));
      break;
    case Session::State::kConnecting:
      connection_->setText(tr("◌ connecting to %1 …").arg(session_->addressText()));
      break;
    case Session::State::kDisconnected:
      connection_->setText(tr("○ not connected"));
      break;
  }
  const bool connected = session_->state() == Session::State::kConnected;
  connection_->setStyleSheet(
      QStringLiteral("color: %1;").arg((connected ? theme_.good : theme_.warning).name()));
}

void StatusStrip::showScenarios() {
  const QSignalBlocker quiet(scenario_);
  scenario_->clear();
  for (const control::ScenarioListing& one : session_->scenarios()) {
    scenario_->addItem(text(one.name));
  }
  int place = scenario_->findText(scenario_name_);
  if (place < 0 && !scenario_name_.isEmpty()) {
    scenario_->insertItem(0, scenario_name_);
    place = 0;
  }
  scenario_->setCurrentIndex(place);
}

void StatusStrip::showRun() {
  const control::RunState* active = session_->activeRun();
  stop_->setEnabled(active != nullptr && active->status == "running");
  const std::optional<control::LiveInterval>& latest = session_->live().latest();
  if (!latest) {
    for (QLabel* label : {tx_, rx_, loss_, time_, trial_}) label->setText(QStringLiteral("–"));
    progress_->setValue(0);
    return;
  }
  const control::LiveInterval& now = *latest;
  double tx = 0;
  double rx = 0;
  for (const control::LivePort& port : now.ports) {
    tx += port.tx_bps;
    rx += port.rx_bps;
  }
  // Between runs nothing is sent.
  tx_->setText(rateText(active != nullptr ? tx : 0));
  rx_->setText(rateText(active != nullptr ? rx : 0));
  loss_->setText(lossText(now));
  const QString left =
      active == nullptr ? tr("ended") : (now.eta_s ? clockText(*now.eta_s) : tr("not known"));
  time_->setText(QStringLiteral("%1 / %2").arg(clockText(now.elapsed_s), left));
  trial_->setText(
      tr("%1 %2 of %3").arg(text(now.trial.test)).arg(now.trial.number).arg(now.trial.expected));
  trial_->setToolTip(text(now.trial.label));
  showProgress(now, active != nullptr);
}

// Of the current test: by time where the remaining time is known, else by finished trials. For a
// single trial both are unknown: the bar only shows activity.
void StatusStrip::showProgress(const control::LiveInterval& now, bool active) {
  constexpr int kSteps = 1000;
  const double done = static_cast<double>(now.trial.number) - 1;
  const auto expected = static_cast<double>(now.trial.expected);
  if (active && !now.eta_s && expected <= 1) {
    progress_->setRange(0, 0);
    return;
  }
  double share = 1;
  if (active) {
    share =
        now.eta_s ? now.elapsed_s / std::max(now.elapsed_s + *now.eta_s, 1e-9) : done / expected;
  }
  progress_->setRange(0, kSteps);
  progress_->setValue(static_cast<int>(std::clamp(share, 0.0, 1.0) * kSteps));
}

}  // namespace plumbline::gui
