// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pages/collective_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <map>

#include "gui/models/text.h"

namespace plumbline::gui {
namespace {

enum Figure { kBusBandwidth, kAlgorithmBandwidth, kIdealShare };
constexpr double kBytesPerMebibyte = 1 << 20;
enum Abscissa { kOverSize, kOverRanks };

std::optional<double> valueOf(const CollectivePoint& point, int figure) {
  switch (figure) {
    case kAlgorithmBandwidth:
      return point.algbw_gbps;
    case kIdealShare:
      return point.ideal_percent;
    default:
      return point.busbw_gbps;
  }
}

QString cell(const std::optional<double>& value) {
  return value ? numberText(*value) : QStringLiteral("–");
}

}  // namespace

CollectivePage::CollectivePage(QWidget* parent)
    : Page(parent),
      figure_(new QComboBox),
      over_(new QComboBox),
      plot_(addPlot(tr("Collectives"))),
      table_(new QTableWidget) {
  figure_->addItems({tr("Bus bandwidth"), tr("Algorithm bandwidth"), tr("Share of the ideal")});
  figure_->setAccessibleName(tr("Figure"));
  over_->addItems({tr("over buffer size"), tr("over ranks")});
  over_->setAccessibleName(tr("Abscissa"));
  plot_->setEmptyText(
      tr("No collective yet: bandwidths are computed at the end of a test of collectives "
         "(T6.6, T9.1 to T9.4)."));
  table_->setColumnCount(8);
  table_->setHorizontalHeaderLabels({tr("Run"), tr("Collective"), tr("Buffer"), tr("Ranks"),
                                     tr("Carried by"), tr("busbw [Gb/s]"), tr("algbw [Gb/s]"),
                                     tr("ideal [%]")});
  table_->horizontalHeaderItem(6)->setToolTip(
      tr("Buffer over time: bus bandwidth without the factor 2(n − 1)/n or (n − 1)/n"));
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setAccessibleName(tr("Collectives, point by point"));
  table_->setTabKeyNavigation(false);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(22);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setSectionResizeMode(4, QHeaderView::Stretch);

  auto* top = new QHBoxLayout;
  top->addWidget(figure_);
  top->addWidget(over_);
  top->addStretch();
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(plot_);
  split->addWidget(table_);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 1);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(top);
  layout->addWidget(split, 1);
  for (QComboBox* box : {figure_, over_}) {
    connect(box, &QComboBox::currentIndexChanged, this, [this] {
      draw();
      plot_->fit();
    });
  }
}

void CollectivePage::show(const PageInput& input) {
  rows_.clear();
  if (input.live == nullptr) {
    for (const ShownRun& shown : input.runs) {
      for (const StoredTest& test : shown.run->tests) {
        for (CollectivePoint& point : collectivePoints(test)) {
          rows_.push_back({input.runs.size() > 1 ? shown.name : QString(), std::move(point)});
        }
      }
    }
  }
  draw();
  fillTable();
}

void CollectivePage::draw() {
  const bool over_ranks = over_->currentIndex() == kOverRanks;
  std::map<QString, std::map<double, double>> lines;
  std::vector<QString> order;
  for (const Row& row : rows_) {
    const std::optional<double> value = valueOf(row.point, figure_->currentIndex());
    if (!value) continue;
    QStringList parts;
    if (!row.run.isEmpty()) parts.push_back(row.run);
    parts.push_back(text(row.point.collective));
    parts.push_back(over_ranks ? text(row.point.buffer) : tr("%1 ranks").arg(row.point.ranks));
    parts.push_back(text(row.point.carried_by));
    const QString name = parts.join(QStringLiteral(", "));
    if (lines.find(name) == lines.end()) order.push_back(name);
    lines[name][over_ranks ? row.point.ranks
                           : static_cast<double>(row.point.bytes) / kBytesPerMebibyte] = *value;
  }
  Plot::Axes axes;
  axes.x_label = over_ranks ? tr("ranks") : tr("buffer [MiB]");
  axes.y_label = figure_->currentIndex() == kIdealShare ? tr("share of a host's link [%]")
                                                        : tr("bandwidth [Gb/s]");
  axes.log_x = true;
  std::vector<PlotSeries> series;
  for (const QString& name : order) {
    PlotSeries line{name, {}, {}, SeriesStyle::kPoints, false, std::nullopt};
    for (const auto& [x, y] : lines[name]) {
      line.x.push_back(x);
      line.y.push_back(y);
    }
    series.push_back(std::move(line));
  }
  plot_->setContent(axes, std::move(series));
}

void CollectivePage::fillTable() {
  table_->setVisible(!rows_.empty());
  table_->setRowCount(static_cast<int>(rows_.size()));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const CollectivePoint& point = rows_[i].point;
    const QStringList cells = {rows_[i].run,           text(point.collective),
                               text(point.buffer),     QString::number(point.ranks),
                               text(point.carried_by), numberText(point.busbw_gbps),
                               cell(point.algbw_gbps), cell(point.ideal_percent)};
    for (int column = 0; column < cells.size(); ++column) {
      auto* item = new QTableWidgetItem(cells[column]);
      if (column == 3 || column > 4) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      table_->setItem(static_cast<int>(i), column, item);
    }
  }
  table_->setColumnHidden(0, rows_.empty() || rows_.front().run.isEmpty());
}

}  // namespace plumbline::gui
