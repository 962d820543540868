// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pages/results_page.h"

#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTableWidget>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <map>
#include <tuple>

#include "gui/data/comparison.h"
#include "gui/models/text.h"
#include "results/quantity_text.h"
#include "results/uncertainty_text.h"

namespace plumbline::gui {
namespace {

RowState stateOf(const std::string& status) {
  if (status == "running" || status == "stopping") return RowState::kActive;
  if (status == "done") return RowState::kGood;
  return status == "aborted" ? RowState::kWarning : RowState::kFailed;
}

// Tool tip of a figure.
QString uncertaintyText(const StoredQuantity& stored) {
  const results::Quantity quantity = resultsQuantity(stored);
  QString out =
      QObject::tr("Expanded uncertainty: %1\nStatistical: %2\nSystematic: %3")
          .arg(text(results::expandedText(quantity)), text(results::statisticalText(quantity)),
               text(results::systematicText(quantity)));
  if (const std::string of = results::percentileText(quantity); !of.empty()) {
    out += QLatin1Char('\n') + text(of);
  }
  return out;
}

enum RunColumn { kRun, kScenario, kStatus, kShown, kBench };

struct FigureKey {
  QString test;
  QString name;
  QString point;

  auto operator<=>(const FigureKey& other) const {
    return std::tie(test, name, point) <=> std::tie(other.test, other.name, other.point);
  }
  bool operator==(const FigureKey&) const = default;
};

// Of a run with more tests than this, anomalies are counted; of others this many are shown. The
// report has all.
constexpr std::size_t kFewTests = 3;
constexpr std::size_t kShownAnomalies = 3;

QString counted(std::size_t count, const QString& one, const QString& several) {
  return count == 1 ? one : several.arg(count);
}

QString summaryOf(const StoredTest& test, std::size_t anomalies) {
  QString summary = QStringLiteral("<b>%1 %2.</b> %3<br>")
                        .arg(text(test.id).toHtmlEscaped(), text(test.title).toHtmlEscaped(),
                             text(test.summary).toHtmlEscaped());
  if (!test.valid) summary += QObject::tr("<b>Not valid.</b> ");
  const std::size_t shown = std::min(test.anomalies.size(), anomalies);
  for (std::size_t i = 0; i < shown; ++i) {
    const StoredRemark& anomaly = test.anomalies[i];
    const QString where =
        anomaly.where.empty() ? QString() : text(anomaly.where) + QStringLiteral(": ");
    summary += QObject::tr("Anomaly: %1<br>").arg((where + text(anomaly.what)).toHtmlEscaped());
  }
  QStringList rest;
  if (const std::size_t more = test.anomalies.size() - shown; more > 0) {
    rest << (shown > 0
                 ? counted(more, QObject::tr("1 more anomaly"), QObject::tr("%1 more anomalies"))
                 : counted(more, QObject::tr("1 anomaly"), QObject::tr("%1 anomalies")));
  }
  if (const std::size_t count = test.deviations.size(); count > 0) {
    rest << counted(count, QObject::tr("1 deviation from the methodology"),
                    QObject::tr("%1 deviations from the methodology"));
  }
  if (!rest.empty()) {
    summary += QObject::tr("%1: see the report.<br>").arg(rest.join(QObject::tr(" and ")));
  }
  return summary;
}

}  // namespace

ResultsPage::ResultsPage(RunList* runList, QWidget* parent)
    : Page(parent),
      run_list_(runList),
      runs_(new GroupedModel({tr("Run"), tr("Scenario"), tr("Status"), tr("Shown"), tr("Bench")},
                             this)),
      list_(new QTreeView),
      show_button_(new QPushButton(tr("S&how"))),
      compare_button_(new QPushButton(tr("&Compare"))),
      remove_button_(new QPushButton(tr("Re&move"))),
      report_button_(new QPushButton(tr("Open r&eport"))),
      resume_button_(new QPushButton(tr("Res&ume"))),
      summary_(new QLabel),
      figures_(new QTableWidget),
      charts_(new QComboBox),
      chart_(addPlot(tr("Chart"))) {
  list_->setModel(runs_);
  list_->setAccessibleName(tr("Stored runs"));
  list_->setUniformRowHeights(true);
  list_->setRootIsDecorated(false);
  list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  list_->header()->setStretchLastSection(false);
  // Short columns show their whole text; the name takes the rest. If that is little the bench is
  // left out: tool tips have the whole row.
  list_->setIndentation(10);
  list_->header()->setMinimumSectionSize(30);
  list_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  list_->header()->setSectionResizeMode(kScenario, QHeaderView::Stretch);
  list_->viewport()->installEventFilter(this);
  show_button_->setToolTip(tr("Show the selected runs in all tabs, and no others"));
  compare_button_->setToolTip(tr("Show the selected runs beside those that are shown already"));
  remove_button_->setToolTip(tr("Show the selected runs no longer; they stay stored"));
  resume_button_->setToolTip(tr("Go on with a run that is not done"));
  auto* file_button = new QPushButton(tr("Open &file …"));
  auto* buttons = new QGridLayout;
  buttons->addWidget(show_button_, 0, 0);
  buttons->addWidget(compare_button_, 0, 1);
  buttons->addWidget(remove_button_, 1, 0);
  buttons->addWidget(report_button_, 1, 1);
  buttons->addWidget(resume_button_, 2, 0);
  buttons->addWidget(file_button, 2, 1);
  auto* side = new QWidget;
  auto* side_layout = new QVBoxLayout(side);
  side_layout->setContentsMargins(0, 0, 0, 0);
  side_layout->addWidget(list_, 1);
  side_layout->addLayout(buttons);

  summary_->setObjectName(QStringLiteral("summary"));
  summary_->setWordWrap(true);
  summary_->setTextFormat(Qt::RichText);
  figures_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  figures_->setAccessibleName(tr("Figures"));
  figures_->setTabKeyNavigation(false);
  figures_->setAlternatingRowColors(true);
  figures_->setTextElideMode(Qt::ElideMiddle);
  figures_->viewport()->installEventFilter(this);
  figures_->verticalHeader()->hide();
  figures_->verticalHeader()->setDefaultSectionSize(22);
  charts_->setAccessibleName(tr("Chart of the results"));
  charts_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  chart_->setEmptyText(tr("No stored run with charts is shown."));
  auto* right = new QSplitter(Qt::Vertical);
  auto* upper = new QWidget;
  auto* upper_layout = new QVBoxLayout(upper);
  upper_layout->setContentsMargins(0, 0, 0, 0);
  upper_layout->addWidget(summary_);
  upper_layout->addWidget(figures_, 1);
  auto* lower = new QWidget;
  auto* lower_layout = new QVBoxLayout(lower);
  lower_layout->setContentsMargins(0, 0, 0, 0);
  lower_layout->addWidget(charts_);
  lower_layout->addWidget(chart_, 1);
  right->addWidget(upper);
  right->addWidget(lower);
  auto* split = new QSplitter(Qt::Horizontal);
  split->addWidget(side);
  split->addWidget(right);
  side->setMinimumWidth(250);
  split->setStretchFactor(0, 2);
  split->setStretchFactor(1, 5);
  split->setSizes({330, 710});
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(split);

  const auto current = [this] { return list_->currentIndex().data(GroupedModel::kRowDataRole); };
  const auto want = [this](bool compare) {
    for (const QVariantList& run : selectedRuns()) {
      emit wanted(run[0].toString(), run[1].toLongLong(), compare);
      compare = true;
    }
  };
  connect(show_button_, &QPushButton::clicked, this, [want] { want(false); });
  connect(list_, &QTreeView::activated, this, [want] { want(false); });
  connect(compare_button_, &QPushButton::clicked, this, [want] { want(true); });
  connect(remove_button_, &QPushButton::clicked, this, [this] {
    for (const QVariantList& run : selectedRuns()) run_list_->compare(run[0].toString(), false);
  });
  connect(report_button_, &QPushButton::clicked, this, [this, current] {
    const QVariantList data = current().toList();
    emit reportWanted(data.value(0).toString(), data.value(1).toLongLong());
  });
  connect(resume_button_, &QPushButton::clicked, this,
          [this, current] { emit resumeWanted(current().toList().value(1).toLongLong()); });
  connect(file_button, &QPushButton::clicked, this, &ResultsPage::openFileWanted);
  connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &ResultsPage::enableButtons);
  connect(list_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &ResultsPage::enableButtons);
  connect(run_list_, &RunList::changed, this, &ResultsPage::fillRuns);
  connect(charts_, &QComboBox::currentIndexChanged, this, [this] {
    drawChart();
    chart_->fit();
  });
  fillRuns();
}

void ResultsPage::setServerRuns(const QString& address,
                                const std::vector<control::RunState>& runs) {
  address_ = address;
  server_runs_ = runs;
  fillRuns();
}

void ResultsPage::fillRuns() {
  const auto shownMark = [this](const QString& key) {
    return run_list_->isShown(key) ? tr("yes") : QString();
  };
  std::vector<Group> groups;
  Group server{{{address_.isEmpty() ? tr("No server") : tr("Server")}}, {}};
  for (const control::RunState& run : server_runs_) {
    const QString key = serverRunKey(address_, run.id);
    GroupedRow row{{QString::number(run.id), text(run.name), text(run.status), shownMark(key),
                    text(run.bench)},
                   stateOf(run.status),
                   tr("Run %1, %2, on %3: %4\n%5")
                       .arg(QString::number(run.id), text(run.name), text(run.bench),
                            text(run.status), text(run.created)),
                   QVariantList{key, static_cast<qlonglong>(run.id), text(run.status)}};
    if (!run.error.empty()) row.tool_tip += QLatin1Char('\n') + text(run.error);
    server.rows.push_back(std::move(row));
  }
  groups.push_back(std::move(server));
  Group files{{{tr("Files")}}, {}};
  for (const auto& [key, one] : run_list_->all()) {
    if (key.startsWith(QStringLiteral("server "))) continue;
    files.rows.push_back({{QString::number(one.run->run), text(one.run->scenario_name),
                           text(one.run->status), shownMark(key), text(one.run->bench)},
                          stateOf(one.run->status),
                          tr("Run %1, %2, on %3: %4\n%5")
                              .arg(QString::number(one.run->run), text(one.run->scenario_name),
                                   text(one.run->bench), text(one.run->status), key),
                          QVariantList{key, 0, text(one.run->status)}});
  }
  if (!files.rows.empty()) groups.push_back(std::move(files));
  runs_->setGroups(std::move(groups));
  for (int group = 0; group < runs_->rowCount({}); ++group) {
    list_->setFirstColumnSpanned(group, {}, true);
  }
  list_->expandAll();
  fitRunColumns();
  enableButtons();
}

void ResultsPage::fitRunColumns() {
  constexpr int kMinName = 84;
  const QHeaderView& header = *list_->header();
  int room = list_->viewport()->width() - header.sectionSizeHint(kBench);
  for (const int column : {kRun, kStatus, kShown}) room -= header.sectionSize(column);
  list_->setColumnHidden(kBench, room < kMinName);
}

bool ResultsPage::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) {
    fitRunColumns();
    fitFigureColumns();
  }
  return Page::eventFilter(watched, event);
}

// The selected runs that have ended, from the top: key, number on the server (0: of a file),
// status.
std::vector<QVariantList> ResultsPage::selectedRuns() const {
  QModelIndexList rows = list_->selectionModel()->selectedRows();
  if (rows.isEmpty() && list_->currentIndex().isValid()) rows.push_back(list_->currentIndex());
  std::sort(rows.begin(), rows.end(), [](const QModelIndex& a, const QModelIndex& b) {
    return std::pair(a.parent().row(), a.row()) < std::pair(b.parent().row(), b.row());
  });
  std::vector<QVariantList> runs;
  for (const QModelIndex& row : rows) {
    QVariantList data = row.data(GroupedModel::kRowDataRole).toList();
    if (data.size() != 3 || data[2] == QStringLiteral("running") ||
        data[2] == QStringLiteral("stopping")) {
      continue;
    }
    runs.push_back(std::move(data));
  }
  return runs;
}

void ResultsPage::enableButtons() {
  const QVariantList data = list_->currentIndex().data(GroupedModel::kRowDataRole).toList();
  const bool run = data.size() == 3;
  const bool ended =
      run && data[2] != QStringLiteral("running") && data[2] != QStringLiteral("stopping");
  const bool of_server = run && data[1].toLongLong() > 0;
  const std::vector<QVariantList> selected = selectedRuns();
  const auto shown = [this](const QVariantList& one) {
    return run_list_->isShown(one[0].toString());
  };
  show_button_->setEnabled(!selected.empty());
  compare_button_->setEnabled(!std::all_of(selected.begin(), selected.end(), shown));
  remove_button_->setEnabled(std::any_of(selected.begin(), selected.end(), shown));
  report_button_->setEnabled(ended);
  resume_button_->setEnabled(ended && of_server && data[2] != QStringLiteral("done"));
}

void ResultsPage::show(const PageInput& input) {
  if (input.live != nullptr) return;
  shown_ = input.runs;
  fillFigures();
  fillCharts();
}

void ResultsPage::fillFigures() {
  QString summary;
  std::vector<FigureKey> order;
  std::map<FigureKey, std::vector<const StoredQuantity*>> values;
  for (std::size_t run = 0; run < shown_.size(); ++run) {
    for (const StoredTest& test : shown_[run].run->tests) {
      if (run == 0) {
        summary += summaryOf(test, shown_[run].run->tests.size() > kFewTests ? 0 : kShownAnomalies);
      }
      for (const StoredKpi& kpi : test.kpis) {
        const FigureKey key{text(test.id), text(kpi.name), text(kpi.point)};
        auto& row = values[key];
        if (row.empty()) {
          row.resize(shown_.size(), nullptr);
          order.push_back(key);
        }
        row[run] = &kpi.quantity;
      }
    }
  }
  summary_->setText(shown_.empty() ? tr("Choose a run on the left and press Show.") : summary);

  QStringList headers = {tr("Test"), tr("Figure"), tr("Point")};
  for (std::size_t run = 0; run < shown_.size(); ++run) {
    headers.push_back(shown_[run].name);
    if (run > 0) headers << tr("Change") << tr("Significance");
  }
  figures_->clear();
  figures_->setColumnCount(static_cast<int>(headers.size()));
  figures_->setHorizontalHeaderLabels(headers);
  figures_->setRowCount(static_cast<int>(order.size()));
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto set = [this, row = static_cast<int>(i)](int column, const QString& content,
                                                       bool number, const QString& more = {}) {
      auto* item = new QTableWidgetItem(content);
      item->setToolTip(more.isEmpty() ? content : content + QLatin1Char('\n') + more);
      if (number) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      figures_->setItem(row, column, item);
    };
    set(0, order[i].test, false);
    set(1, order[i].name, false);
    set(2, order[i].point, false);
    const std::vector<const StoredQuantity*>& row = values[order[i]];
    int column = 3;
    for (std::size_t run = 0; run < row.size(); ++run) {
      if (const StoredQuantity* shown = row[run]) {
        set(column++, text(results::quantityWithSpread(resultsQuantity(*shown))), true,
            uncertaintyText(*shown));
      } else {
        set(column++, QStringLiteral("–"), true);
      }
      if (run == 0) continue;
      FigureChange change{"–", "–", false};
      if (row[0] != nullptr && row[run] != nullptr && row[0]->unit == row[run]->unit) {
        change = changeOf(*row[0], *row[run]);
      }
      set(column++, text(change.change), true);
      set(column++, text(change.significance), false);
      if (!change.significant) continue;
      QFont bold = figures_->font();
      bold.setBold(true);
      for (int one = column - 2; one < column; ++one) {
        figures_->item(static_cast<int>(i), one)->setFont(bold);
      }
    }
  }
  figures_->resizeColumnsToContents();
  fitFigureColumns();
}

void ResultsPage::fitFigureColumns() {
  constexpr int kPoint = 2;
  constexpr int kMinPoint = 130;
  if (figures_->columnCount() <= kPoint) return;
  const int others = figures_->horizontalHeader()->length() - figures_->columnWidth(kPoint);
  figures_->setColumnWidth(kPoint, std::max(figures_->viewport()->width() - others, kMinPoint));
}

void ResultsPage::fillCharts() {
  const QSignalBlocker quiet(charts_);
  const QString before = charts_->currentText();
  charts_->clear();
  for (std::size_t run = 0; run < shown_.size(); ++run) {
    const std::vector<StoredTest>& tests = shown_[run].run->tests;
    for (std::size_t test = 0; test < tests.size(); ++test) {
      for (std::size_t chart = 0; chart < tests[test].charts.size(); ++chart) {
        charts_->addItem(
            QStringLiteral("%1: %2: %3")
                .arg(shown_[run].name, text(tests[test].id), text(tests[test].charts[chart].title)),
            QVariantList{static_cast<int>(run), static_cast<int>(test), static_cast<int>(chart)});
      }
    }
  }
  charts_->setVisible(charts_->count() > 0);
  const int same = charts_->findText(before);
  if (same >= 0) charts_->setCurrentIndex(same);
  drawChart();
  chart_->fit();
}

namespace {

// Parts of a whole over numbers, which become rows: their distances are meaningless for bars.
void stackByName(Plot::Axes& axes, std::vector<PlotSeries>& series) {
  std::map<double, double> places;
  for (const PlotSeries& one : series) {
    for (const double x : one.x) places.try_emplace(x, 0);
  }
  for (auto& [x, place] : places) {
    place = static_cast<double>(axes.x_names.size());
    axes.x_names.push_back(numberText(x));
  }
  axes.log_x = false;
  for (PlotSeries& one : series) {
    for (double& x : one.x) x = places[x];
    one.style = SeriesStyle::kStacked;
  }
}

}  // namespace

void ResultsPage::drawChart() {
  const QVariantList place = charts_->currentData().toList();
  if (place.size() != 3) {
    chart_->setContent({}, {});
    return;
  }
  const StoredChart& chart =
      shown_[place[0].toUInt()].run->tests[place[1].toUInt()].charts[place[2].toUInt()];
  Plot::Axes axes;
  axes.x_label = text(chart.x_label);
  axes.y_label = text(chart.y_label);
  axes.log_x = chart.log_x;
  axes.log_y = chart.log_y;
  for (const std::string& name : chart.categories) axes.x_names.push_back(text(name));
  SeriesStyle style = SeriesStyle::kPoints;
  if (chart.kind == "bar" && !chart.categories.empty()) style = SeriesStyle::kBars;
  if (chart.kind == "time") style = SeriesStyle::kLine;
  if (chart.kind == "step") style = SeriesStyle::kSteps;
  std::vector<PlotSeries> series;
  for (const StoredSeries& one : chart.series) {
    series.push_back({text(one.name), one.x, one.y, one.reference ? SeriesStyle::kLine : style,
                      one.reference, std::nullopt});
  }
  if (chart.stacked) stackByName(axes, series);
  // A dot on each percentile with too few samples, and on highlighted points.
  std::vector<PlotMarker> dots;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const StoredSeries& one = chart.series[i];
    for (const std::uint64_t place : one.few_samples) {
      if (place >= one.x.size()) continue;
      dots.push_back({one.x[place], one.y[place], tr("few samples"), i});
    }
    for (const std::uint64_t place : one.marked) {
      if (place >= one.x.size()) continue;
      dots.push_back({one.x[place], one.y[place], tr("marked"), i});
    }
  }
  chart_->setContent(axes, std::move(series), std::move(dots));
}

}  // namespace plumbline::gui
