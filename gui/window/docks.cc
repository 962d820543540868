// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/docks.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSaveFile>
#include <QSpinBox>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QTextBlock>
#include <QTime>
#include <QTreeView>
#include <QVBoxLayout>

#include "gui/models/text.h"

namespace plumbline::gui {
namespace {

constexpr int kMaxLogLines = 5000;

enum LogLine { kPlainLine, kFailureLine };  // states of the log's blocks

QTreeView* makeTree(GroupedModel* model, const QString& name) {
  auto* view = new QTreeView;
  view->setModel(model);
  view->setAccessibleName(name);
  view->setUniformRowHeights(true);
  view->setIndentation(14);
  view->header()->setStretchLastSection(false);
  view->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  view->header()->setDefaultSectionSize(64);
  view->header()->setMinimumSectionSize(30);
  return view;
}

QVBoxLayout* fill(QWidget* panel, QWidget* content) {
  auto* layout = new QVBoxLayout(panel);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(content, 1);
  return layout;
}

}  // namespace

class StateDelegate : public QStyledItemDelegate {
 public:
  explicit StateDelegate(QObject* parent) : QStyledItemDelegate(parent), theme_(lightTheme()) {}
  void setTheme(const Theme& theme) { theme_ = theme; }

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    QColor color;
    switch (static_cast<RowState>(index.data(GroupedModel::kRowStateRole).toInt())) {
      case RowState::kPlain:
        return;
      case RowState::kActive:
        color = theme_.accent;
        break;
      case RowState::kGood:
        color = theme_.good;
        break;
      case RowState::kWarning:
        color = theme_.warning;
        break;
      case RowState::kFailed:
        color = theme_.failure;
        break;
    }
    option->palette.setColor(QPalette::Text, color);
  }

 private:
  Theme theme_;
};

// --- Ports ------------------------------------------------------------------------------------

PortsPanel::PortsPanel(Session* session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      model_(new GroupedModel({tr("Port"), tr("State"), tr("Tx"), tr("Rx")}, this)),
      view_(makeTree(model_, tr("Ports"))),
      delegate_(new StateDelegate(this)) {
  view_->setItemDelegate(delegate_);
  view_->setObjectName(QStringLiteral("portsTree"));
  view_->setColumnWidth(1, 52);
  fill(this, view_);
  connect(session_, &Session::portsChanged, this, &PortsPanel::refresh);
  connect(session_, &Session::updated, this, &PortsPanel::refresh);
}

void PortsPanel::setTheme(const Theme& theme) { delegate_->setTheme(theme); }

void PortsPanel::refresh() {
  const control::RunState* active = session_->activeRun();
  const std::optional<control::LiveInterval>& latest = session_->live().latest();
  std::vector<Group> groups;
  for (const control::PortState& port : session_->ports()) {
    const QString bench = text(port.bench);
    if (groups.empty() || groups.back().head.cells.value(0) != bench) {
      groups.push_back({{{bench}}, {}});
    }
    RowState look = RowState::kActive;
    if (port.state == "free") look = RowState::kGood;
    if (port.state == "absent") look = RowState::kPlain;
    GroupedRow row{{text(port.name), text(port.state), QString(), QString()},
                   look,
                   tr("%1, %2").arg(rateText(static_cast<double>(port.line_rate_bps)),
                                    port.owner.empty()
                                        ? text(port.state)
                                        : tr("%1 by %2").arg(text(port.state), text(port.owner)))};
    // Rates of a card's ports are matched by number; simulated hosts are listed below.
    if (active != nullptr && latest && active->bench == port.bench && port.bench == "rtl") {
      for (const control::LivePort& live : latest->ports) {
        if (live.number != port.number) continue;
        row.cells[2] = rateText(live.tx_bps);
        row.cells[3] = rateText(live.rx_bps);
      }
    }
    groups.back().rows.push_back(std::move(row));
  }
  if (latest && active != nullptr && active->bench != "rtl" && !latest->ports.empty()) {
    Group hosts{{{tr("hosts of run %1").arg(latest->run)}}, {}};
    for (const control::LivePort& live : latest->ports) {
      hosts.rows.push_back(
          {{text(live.name), tr("running"), rateText(live.tx_bps), rateText(live.rx_bps)},
           RowState::kActive});
    }
    groups.push_back(std::move(hosts));
  }
  const auto before = model_->rowCount({});
  model_->setGroups(std::move(groups));
  if (model_->rowCount({}) != before) view_->expandAll();
}

// --- Trials -----------------------------------------------------------------------------------

namespace {

// "8 ranks, ECMP #2" for the label "8 ranks, ECMP, repetition 1": trials of one point differ only
// in the repetition, and the column is narrow.
QString trialName(const TrialOutcome& trial) {
  QString name = text(trial.label);
  const QString repetition = QStringLiteral(", repetition %1").arg(trial.repetition);
  if (name.endsWith(repetition)) {
    name.chop(repetition.size());
    name += QStringLiteral(" #%1").arg(trial.repetition + 1);
  }
  return QStringLiteral("%1. %2").arg(trial.number).arg(name);
}

}  // namespace

TrialsPanel::TrialsPanel(Session* session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      model_(new GroupedModel({tr("Trial"), tr("State")}, this)),
      view_(makeTree(model_, tr("Trials of the run"))),
      delegate_(new StateDelegate(this)) {
  view_->setTextElideMode(Qt::ElideMiddle);  // trials differ at the end of their names
  view_->setItemDelegate(delegate_);
  fill(this, view_);
  connect(session_, &Session::updated, this, &TrialsPanel::refresh);
}

void TrialsPanel::setTheme(const Theme& theme) { delegate_->setTheme(theme); }

void TrialsPanel::refresh() {
  std::vector<Group> groups;
  for (const TrialOutcome& trial : session_->live().trials()) {
    const QString test = text(trial.test);
    if (groups.empty() || groups.back().head.cells.value(0) != test) {
      groups.push_back({{{test, QString()}}, {}});
    }
    QString state = tr("running");
    RowState look = RowState::kActive;
    if (!trial.faults.empty()) {
      state = tr("not valid");
      look = RowState::kFailed;
    } else if (trial.stored) {
      state = tr("stored");
      look = RowState::kPlain;
    } else if (trial.ended) {
      state = tr("done");
      look = RowState::kGood;
    }
    QStringList faults;
    for (const std::string& fault : trial.faults) faults.push_back(text(fault));
    groups.back().rows.push_back(
        {{trialName(trial), state},
         look,
         faults.empty() ? tr("%1, repetition %2").arg(text(trial.label)).arg(trial.repetition + 1)
                        : faults.join(QLatin1Char('\n'))});
  }
  const int before = model_->rowCount({});
  model_->setGroups(std::move(groups));
  const int tests = model_->rowCount({});
  if (tests == 0) return;
  if (tests != before) view_->expandAll();
  const QModelIndex last = model_->index(tests - 1, 0, {});
  view_->scrollTo(model_->index(model_->rowCount(last) - 1, 0, last));
}

// --- Counters ---------------------------------------------------------------------------------

CountersPanel::CountersPanel(Session* session, QWidget* parent)
    : QWidget(parent), model_(new CounterTableModel(this)) {
  auto* view = new QTableView;
  view->setModel(model_);
  view->setAccessibleName(tr("Counters"));
  view->setTabKeyNavigation(false);
  view->setSelectionBehavior(QAbstractItemView::SelectRows);
  view->verticalHeader()->hide();
  view->verticalHeader()->setDefaultSectionSize(21);
  view->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  auto* clear = new QPushButton(tr("C&lear"));
  clear->setToolTip(tr("Count from zero here; nothing in the tester is reset"));
  auto* mark = new QPushButton(tr("&Mark"));
  mark->setToolTip(tr("Show beside it what has come since now"));
  auto* buttons = new QVBoxLayout;
  buttons->addWidget(clear);
  buttons->addWidget(mark);
  buttons->addStretch();
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view, 1);
  layout->addLayout(buttons);
  connect(clear, &QPushButton::clicked, model_, &CounterTableModel::clear);
  connect(mark, &QPushButton::clicked, model_, &CounterTableModel::mark);
  connect(session, &Session::updated, this, [this, session] {
    const LiveRun& live = session->live();
    model_->setCounters(live.trialCounters(), live.runCounters(),
                        live.latest() ? live.latest()->run : 0);
  });
}

// --- Log --------------------------------------------------------------------------------------

LogPanel::LogPanel(QWidget* parent)
    : QWidget(parent), lines_(new QPlainTextEdit), theme_(lightTheme()) {
  lines_->setReadOnly(true);
  lines_->setMaximumBlockCount(kMaxLogLines);
  lines_->setAccessibleName(tr("Log"));
  lines_->setTabChangesFocus(true);
  lines_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  fill(this, lines_);
}

void LogPanel::add(const QString& line, bool failure) {
  QString stamped =
      QStringLiteral("%1  %2").arg(QTime::currentTime().toString(QStringLiteral("HH:mm:ss")), line);
  // One block for each call, so that its state applies to all of it.
  stamped.replace(QLatin1Char('\n'), QChar(QChar::LineSeparator));
  lines_->appendPlainText(stamped);
  QTextBlock block = lines_->document()->lastBlock();
  block.setUserState(failure ? kFailureLine : kPlainLine);
  applyColor(block);
}

void LogPanel::setTheme(const Theme& theme) {
  theme_ = theme;
  for (QTextBlock block = lines_->document()->begin(); block.isValid(); block = block.next()) {
    applyColor(block);
  }
}

void LogPanel::applyColor(const QTextBlock& block) {
  QTextCharFormat format;
  format.setForeground(block.userState() == kFailureLine ? theme_.failure : theme_.text);
  QTextCursor cursor(block);
  cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
  cursor.setCharFormat(format);
}

QString LogPanel::contents() const { return lines_->toPlainText(); }

// --- Captures ---------------------------------------------------------------------------------

CapturesPanel::CapturesPanel(Session* session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      enabled_(new QCheckBox(tr("Next run: &keep every frame of port"))),
      port_(new QSpinBox),
      model_(new GroupedModel({tr("Run"), tr("Scenario"), tr("Created")}, this)),
      view_(makeTree(model_, tr("Runs with a capture"))) {
  enabled_->setObjectName(QStringLiteral("captureWanted"));
  port_->setRange(0, 63);
  port_->setEnabled(false);
  port_->setAccessibleName(tr("Port to capture"));
  view_->setRootIsDecorated(false);
  view_->header()->setSectionResizeMode(QHeaderView::Stretch);
  auto* save_button = new QPushButton(tr("Save as pcapn&g …"));
  auto* top = new QHBoxLayout;
  top->addWidget(enabled_);
  top->addWidget(port_);
  top->addStretch();
  top->addWidget(save_button);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 4, 0, 0);
  layout->addLayout(top);
  layout->addWidget(view_, 1);
  connect(enabled_, &QCheckBox::toggled, port_, &QWidget::setEnabled);
  connect(save_button, &QPushButton::clicked, this, &CapturesPanel::save);
  connect(session_, &Session::runsChanged, this, &CapturesPanel::refresh);
}

std::optional<std::uint32_t> CapturesPanel::port() const {
  if (!enabled_->isChecked()) return std::nullopt;
  return static_cast<std::uint32_t>(port_->value());
}

void CapturesPanel::refresh() {
  Group group{{{tr("Runs with a capture")}}, {}};
  for (const control::RunState& run : session_->runs()) {
    if (!run.capture || run.active) continue;
    group.rows.push_back({{QString::number(run.id), text(run.name), text(run.created)},
                          RowState::kPlain,
                          {},
                          static_cast<qlonglong>(run.id)});
  }
  model_->setGroups({std::move(group)});
  view_->expandAll();
}

void CapturesPanel::save() {
  const qlonglong run = view_->currentIndex().data(GroupedModel::kRowDataRole).toLongLong();
  if (run == 0 || session_->client() == nullptr) {
    emit message(tr("Choose a run with a capture first."), true);
    return;
  }
  const QString path = QFileDialog::getSaveFileName(this, tr("Save capture"),
                                                    QStringLiteral("run-%1.pcapng").arg(run));
  if (path.isEmpty()) return;
  session_->client()->capture(
      run, session_->onGui<std::string>(this, [this, path](const auto& outcome) {
        if (!outcome.ok()) {
          emit message(Session::refusalText(outcome.refusal()), true);
          return;
        }
        QSaveFile file(path);
        const std::string& bytes = outcome.value();
        const auto size = static_cast<qint64>(bytes.size());
        const bool written = file.open(QIODevice::WriteOnly) &&
                             file.write(bytes.data(), size) == size && file.commit();
        emit message(written ? tr("Saved %1").arg(path)
                             : tr("%1 could not be written: %2").arg(path, file.errorString()),
                     !written);
      }));
}

}  // namespace plumbline::gui
