// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pages/distribution_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTableWidget>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "gui/data/curves.h"
#include "gui/models/text.h"
#include "stats/quantile.h"
#include "stats/summary.h"

namespace plumbline::gui {
namespace {

constexpr std::size_t kShownAtFirst = 4;
constexpr std::size_t kHistogramBins = 400;
constexpr int kRunRole = Qt::UserRole;
constexpr int kTestRole = Qt::UserRole + 1;
constexpr int kDistributionRole = Qt::UserRole + 2;

// The best unit for `largest_ns`, and the divisor for it.
struct AxisUnit {
  double factor = 1;
  QString name = QStringLiteral("ns");
};

AxisUnit unitFor(double largest_ns) {
  if (largest_ns >= 1e7) return {1e6, QStringLiteral("ms")};
  if (largest_ns >= 1e5) return {1e3, QStringLiteral("µs")};
  return {};
}

}  // namespace

DistributionPage::DistributionPage(Kind kind, QWidget* parent)
    : Page(parent),
      kind_(kind),
      picker_(new QTreeWidget),
      plot_(addPlot(kind == Kind::kCdf ? tr("Latency CDF") : tr("Latency histogram"))),
      table_(new QTableWidget) {
  picker_->setHeaderHidden(true);
  picker_->setAccessibleName(tr("Distributions shown"));
  picker_->setMinimumWidth(120);
  picker_->setTextElideMode(Qt::ElideMiddle);
  auto* layout = new QVBoxLayout(this);
  if (kind == Kind::kCdf) {
    form_ = new QComboBox;
    form_->setAccessibleName(tr("Form of the curve"));
    form_->addItem(tr("Cumulative distribution"));
    form_->addItem(tr("Tail (share above)"));
    layout->addWidget(form_, 0, Qt::AlignLeft);
    connect(form_, &QComboBox::currentIndexChanged, this, [this] {
      draw();
      plot_->fit();
    });
  }

  table_->setColumnCount(9);
  table_->setToolTip(tr("* percentile on fewer than 10/(1 − p) frames"));
  table_->setHorizontalHeaderLabels({tr("Distribution"), tr("P50"), tr("P95"), tr("P99"),
                                     tr("P99.9"), tr("Max"), tr("Mean"), tr("Min"), tr("Frames")});
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setAccessibleName(tr("Percentiles"));
  table_->setTabKeyNavigation(false);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(22);
  table_->setWordWrap(false);
  table_->setTextElideMode(Qt::ElideMiddle);
  table_->horizontalHeader()->setDefaultSectionSize(70);
  table_->setColumnWidth(0, 180);
  table_->setMinimumHeight(60);

  auto* right = new QSplitter(Qt::Vertical);
  right->addWidget(plot_);
  right->addWidget(table_);
  right->setStretchFactor(0, 4);
  right->setStretchFactor(1, 1);
  right->setSizes({520, 150});
  auto* across = new QSplitter(Qt::Horizontal);
  across->addWidget(picker_);
  across->addWidget(right);
  across->setStretchFactor(1, 1);
  across->setSizes({200, 900});
  layout->addWidget(across, 1);

  connect(picker_, &QTreeWidget::itemChanged, this, [this] { showPicked(); });
}

void DistributionPage::show(const PageInput& input) {
  const bool running = input.live != nullptr && input.live->latest().has_value();
  plot_->setEmptyText(
      running
          ? tr("A trial is running. Its latencies appear here once the bench has reported some; "
               "a search for throughput reports none.")
          : tr("No latencies yet: run a test that measures them (T5.2, the quickstart), or "
               "open a stored result with distributions."));
  if (input.live != nullptr) {
    showLive(*input.live);
    return;
  }
  picker_->setVisible(true);
  const bool same = std::equal(runs_.begin(), runs_.end(), input.runs.begin(), input.runs.end(),
                               [](const ShownRun& a, const ShownRun& b) { return a.run == b.run; });
  if (!same) fillPicker(input.runs);
  showPicked();
  if (!same) plot_->fit();
}

void DistributionPage::fillPicker(const std::vector<ShownRun>& runs) {
  runs_ = runs;
  const QSignalBlocker quiet(picker_);
  picker_->clear();
  for (std::size_t run = 0; run < runs.size(); ++run) {
    auto* run_item = new QTreeWidgetItem(picker_, {runs[run].name});
    run_item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    std::size_t listed = 0;
    const std::vector<StoredTest>& tests = runs[run].run->tests;
    for (std::size_t test = 0; test < tests.size(); ++test) {
      for (std::size_t i = 0; i < tests[test].distributions.size(); ++i) {
        const QString title = text(tests[test].distributions[i].title);
        auto* item =
            new QTreeWidgetItem(run_item, {text(tests[test].id) + QStringLiteral(": ") + title});
        item->setToolTip(0, title);
        item->setCheckState(0, listed < kShownAtFirst ? Qt::Checked : Qt::Unchecked);
        item->setData(0, kRunRole, static_cast<qulonglong>(run));
        item->setData(0, kTestRole, static_cast<qulonglong>(test));
        item->setData(0, kDistributionRole, static_cast<qulonglong>(i));
        ++listed;
      }
    }
    if (listed == 0) new QTreeWidgetItem(run_item, {tr("no distributions")});
  }
  picker_->expandAll();
}

void DistributionPage::showPicked() {
  entries_.clear();
  for (int i = 0; i < picker_->topLevelItemCount(); ++i) {
    const QTreeWidgetItem* run_item = picker_->topLevelItem(i);
    for (int k = 0; k < run_item->childCount(); ++k) {
      const QTreeWidgetItem* item = run_item->child(k);
      if (item->checkState(0) != Qt::Checked) continue;
      const ShownRun& shown = runs_[item->data(0, kRunRole).toULongLong()];
      const StoredDistribution& one =
          shown.run->tests[item->data(0, kTestRole).toULongLong()]
              .distributions[item->data(0, kDistributionRole).toULongLong()];
      const QString name =
          runs_.size() > 1 ? shown.name + QStringLiteral(": ") + text(one.title) : text(one.title);
      entries_.push_back({name, one.histogram});
    }
  }
  draw();
  fillTable(false);
}

void DistributionPage::showLive(const LiveRun& live) {
  picker_->setVisible(false);
  runs_.clear();
  entries_.clear();
  if (live.latest()) {
    Entry entry{text(live.latest()->trial.label), live.latency()};
    if (const std::uint64_t missing = live.missingLatencies(); missing > 0) {
      entry.name +=
          tr(" (without %1 frames whose interval did not arrive)").arg(countText(missing));
    }
    if (entry.histogram.count() > 0) entries_.push_back(std::move(entry));
  }
  draw();
  fillTable(true);
}

void DistributionPage::draw() {
  double largest_ns = 0;
  for (const Entry& entry : entries_) {
    largest_ns = std::max(largest_ns, static_cast<double>(entry.histogram.quantile(0.99)) / 1000);
  }
  const AxisUnit unit = unitFor(largest_ns);
  const bool tail = form_ != nullptr && form_->currentIndex() == 1;
  std::vector<PlotSeries> series;
  std::vector<PlotMarker> markers;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const stats::Histogram& histogram = entries_[i].histogram;
    Curve curve;
    if (kind_ == Kind::kHistogram) {
      curve = histogramCurve(histogram, kHistogramBins);
    } else {
      curve = tail ? tailCurve(histogram) : cdfCurve(histogram);
    }
    for (double& x : curve.x) x /= unit.factor;
    series.push_back({entries_[i].name, std::move(curve.x), std::move(curve.y),
                      kind_ == Kind::kHistogram ? SeriesStyle::kArea : SeriesStyle::kLine, false,
                      i});
    // Names and lines for the first only; of the others, dots on their curves.
    for (const PercentileMark& mark : percentileMarks(histogram)) {
      const bool on_curve = kind_ == Kind::kCdf;
      if (i > 0 && !on_curve) continue;
      const double share = tail ? 100 * (1 - mark.share) : 100 * mark.share;
      markers.push_back({mark.value_ns / unit.factor,
                         on_curve ? std::optional(share) : std::nullopt,
                         i == 0 ? QString::fromStdString(mark.name) : QString(), i});
    }
  }
  Plot::Axes axes;
  axes.x_label = tr("latency [%1]").arg(unit.name);
  axes.log_x = true;
  if (kind_ == Kind::kHistogram) {
    axes.y_label = tr("frames [%]");
  } else if (tail) {
    axes.y_label = tr("frames above [%]");
    axes.log_y = true;
  } else {
    axes.y_label = tr("frames up to here [%]");
    axes.y_max = 100;
  }
  plot_->setContent(axes, std::move(series), std::move(markers));
}

void DistributionPage::fillTable(bool live) {
  table_->setRowCount(static_cast<int>(entries_.size()));
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const stats::LatencyStats row = stats::latencyStats(entries_[i].histogram);
    const auto shown = [](std::uint64_t ps) {
      return durationText(static_cast<double>(ps) / 1000);
    };
    // Marked where fewer than ten frames lie beyond it.
    const auto percentile = [&](double quantile, std::uint64_t ps) {
      return stats::restsOnFewSamples(quantile, row.count) ? shown(ps) + QLatin1Char('*')
                                                           : shown(ps);
    };
    // Live intervals have no sum, and so no exact mean.
    const std::array<QString, 9> cells = {
        entries_[i].name,
        percentile(0.5, row.p50),
        percentile(0.95, row.p95),
        percentile(0.99, row.p99),
        percentile(0.999, row.p999),
        shown(row.maximum),
        live ? QStringLiteral("–") : durationText(row.mean / 1000),
        shown(row.minimum),
        countText(row.count)};
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const int at = static_cast<int>(column);
      QTableWidgetItem* item = table_->item(static_cast<int>(i), at);
      if (item == nullptr) {
        item = new QTableWidgetItem;
        if (column > 0) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        table_->setItem(static_cast<int>(i), at, item);
      }
      item->setText(cells[column]);
      item->setToolTip(cells[column]);
    }
  }
}

}  // namespace plumbline::gui
