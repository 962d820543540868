// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pages/serving_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "gui/models/text.h"

namespace plumbline::gui {
namespace {

enum WorkerFigure { kCacheOfWorkers, kQueuesOfWorkers, kCacheOverTime, kQueuesOverTime };

constexpr std::size_t kMaxWorkers = 64;

const QString kNone = QStringLiteral("–");

QString modelledNote() {
  return QObject::tr(
      "Modelled: requests, steps, queues and memory. KV cache crosses the simulated "
      "fabric.");
}

PlotSeries curve(const QString& name, const ServedCurve& values, SeriesStyle style,
                 std::optional<std::size_t> color = std::nullopt) {
  return {name, values.x, values.y, style, false, color};
}

Plot::Axes overTime(const QString& y_label, double until_s) {
  Plot::Axes axes;
  axes.x_label = QObject::tr("trial time [s]");
  axes.y_label = y_label;
  if (until_s > 0) axes.x_until = until_s;
  return axes;
}

std::vector<PlotSeries> partSeries(const std::array<ServedCurve, kTtftParts>& parts) {
  std::vector<PlotSeries> series;
  series.reserve(kTtftParts);
  for (std::size_t i = 0; i < kTtftParts; ++i) {
    series.push_back(curve(QObject::tr(ttftPartNames()[i]), parts[i], SeriesStyle::kStacked, i));
  }
  return series;
}

QString ms(const std::optional<double>& seconds) {
  return seconds ? numberText(*seconds * kMsPerSecond) : kNone;
}

// Rows of workers, a bar for each.
class WorkerRows {
 public:
  // The position of a worker; nothing without room.
  std::optional<double> add(const QString& worker) {
    if (axes.x_names.size() == static_cast<qsizetype>(kMaxWorkers)) return std::nullopt;
    axes.x_names.push_back(worker);
    return static_cast<double>(axes.x_names.size() - 1);
  }
  static void bar(PlotSeries& series, double place, double value) {
    series.x.push_back(place);
    series.y.push_back(value);
  }
  // `shares` in %: the axis ends at 100 %, unless all values are too small to be visible on it.
  void endAtHundredPercent(const PlotSeries& shares) {
    constexpr double kNegligiblePercent = 5;
    const auto largest = std::max_element(shares.y.begin(), shares.y.end());
    if (largest != shares.y.end() && *largest >= kNegligiblePercent) axes.y_max = 100;
  }
  Plot::Axes axes;
};

}  // namespace

ServingPage::ServingPage(QWidget* parent)
    : Page(parent),
      which_(new QComboBox),
      of_(new QComboBox),
      note_(new QLabel),
      ttft_(addPlot(tr("Parts of the TTFT"))),
      tokens_(addPlot(tr("Time between tokens"))),
      goodput_(addPlot(tr("Goodput"))),
      workers_(addPlot(tr("Workers"))),
      figures_(new QTableWidget) {
  which_->setAccessibleName(tr("Serving system or point"));
  which_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  which_->setMinimumContentsLength(20);
  of_->setAccessibleName(tr("Figure of the workers"));
  of_->addItems({tr("KV cache of workers"), tr("Queues of workers"), tr("KV cache over time"),
                 tr("Queues over time")});
  note_->setObjectName(QStringLiteral("hint"));
  note_->setWordWrap(true);
  for (Plot* plot : {ttft_, tokens_, goodput_, workers_}) plot->setMinimumSize(180, 165);
  figures_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  figures_->setAccessibleName(tr("Figures of the serving system"));
  figures_->setTabKeyNavigation(false);
  figures_->verticalHeader()->hide();
  figures_->verticalHeader()->setDefaultSectionSize(22);
  figures_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  figures_->setMinimumHeight(70);

  auto* top = new QHBoxLayout;
  top->addWidget(which_);
  top->addWidget(of_);
  top->addWidget(note_, 1);
  const auto side_by_side = [](Plot* left, Plot* right) {
    auto* split = new QSplitter(Qt::Horizontal);
    split->addWidget(left);
    split->addWidget(right);
    split->setSizes({1000, 1000});
    return split;
  };
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(side_by_side(ttft_, tokens_));
  split->addWidget(side_by_side(goodput_, workers_));
  split->addWidget(figures_);
  split->setSizes({1000, 1000, 400});
  // A small window cannot show all of it at once.
  auto* scroll = new QScrollArea;
  scroll->setWidget(split);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(top);
  layout->addWidget(scroll, 1);
  for (QComboBox* box : {which_, of_}) {
    connect(box, &QComboBox::currentIndexChanged, this, [this] {
      if (!live_) showStored();  // live, the next interval draws it
      for (Plot* plot : {ttft_, tokens_, goodput_, workers_}) plot->fit();
    });
  }
  clearPlots();
}

QString ServingPage::note() const { return note_->text(); }

void ServingPage::clearPlots() {
  for (Plot* plot : {ttft_, tokens_, goodput_, workers_}) plot->setContent({}, {});
}

// Without requests and workers one of them shows what it waits for.
void ServingPage::setShown(bool requests, bool workers) {
  ttft_->setVisible(requests || !workers);
  tokens_->setVisible(requests);
  goodput_->setVisible(requests);
  workers_->setVisible(workers);
  of_->setVisible(requests);
}

void ServingPage::setNames(const QStringList& names) {
  QStringList before;
  for (int i = 0; i < which_->count(); ++i) before.push_back(which_->itemText(i));
  if (before != names) {
    const QSignalBlocker quiet(which_);
    which_->clear();
    which_->addItems(names);
  }
  which_->setVisible(names.size() > 1);
}

void ServingPage::show(const PageInput& input) {
  live_ = input.live != nullptr;
  if (input.live != nullptr) {
    runs_.clear();
    trials_.clear();
    showLive(*input.live);
    return;
  }
  const bool same = std::equal(runs_.begin(), runs_.end(), input.runs.begin(), input.runs.end(),
                               [](const ShownRun& a, const ShownRun& b) { return a.run == b.run; });
  if (!same || runs_.empty()) readStored(input.runs);
  showStored();
}

void ServingPage::setFigures(int texts, const QStringList& headings,
                             const std::vector<QStringList>& rows) {
  std::vector<int> columns;
  for (int column = 0; column < headings.size(); ++column) {
    const bool any = std::any_of(rows.begin(), rows.end(), [column](const QStringList& row) {
      return !row[column].isEmpty() && row[column] != kNone;
    });
    if (any) columns.push_back(column);
  }
  figures_->setVisible(!columns.empty());
  figures_->setColumnCount(static_cast<int>(columns.size()));
  figures_->setRowCount(static_cast<int>(rows.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto column = static_cast<int>(i);
    figures_->setHorizontalHeaderItem(column, new QTableWidgetItem(headings[columns[i]]));
    for (std::size_t row = 0; row < rows.size(); ++row) {
      auto* item = new QTableWidgetItem(rows[row][columns[i]]);
      if (columns[i] >= texts) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      figures_->setItem(static_cast<int>(row), column, item);
    }
  }
}

// --- Live ---

void ServingPage::showLive(const LiveRun& live) {
  const QString none = live.latest() ? tr("This trial has no serving system.")
                                     : tr("No trial with a serving system yet (tests I6, I9.1, "
                                          "I9.2, I9.4 and I10 to I13).");
  for (Plot* plot : {ttft_, tokens_, goodput_, workers_}) plot->setEmptyText(none);
  const std::vector<LiveServed>& systems = live.served();
  if (systems.empty()) {
    setNames({});
    note_->clear();
    setFigures(1, {}, {});
    clearPlots();
    setShown(false, false);
    return;
  }
  setShown(true, true);
  QStringList names;
  for (const LiveServed& one : systems) names.push_back(text(one.latest().name));
  setNames(names);
  const auto chosen = static_cast<std::size_t>(std::max(which_->currentIndex(), 0));
  const LiveServed& served = systems[std::min(chosen, systems.size() - 1)];
  ttft_->setEmptyText(tr("No first tokens yet."));
  tokens_->setEmptyText(tr("No second tokens yet: only a running trial shows them."));
  goodput_->setEmptyText(tr("No answers yet."));
  workers_->setEmptyText(
      tr("Pages and queues are shown for a running trial only, not for a stored one."));

  const double until = served.until();
  ttft_->setContent(overTime(tr("TTFT, mean [ms]"), until), partSeries(served.ttftParts()));
  tokens_->setContent(overTime(tr("ITL [ms]"), until), {timeSeries(tr("P50"), served.itlP50()),
                                                        timeSeries(tr("P99"), served.itlP99())});
  goodput_->setContent(
      overTime(tr("tokens/s"), until),
      {curve(tr("all tokens that came"), served.tokenRate(), SeriesStyle::kPoints),
       curve(tr("goodput, of answers that ended"), served.goodTokenRate(), SeriesStyle::kPoints)});
  showLiveWorkers(served);
  fillLiveFigures(systems);

  const control::LiveServing& now = served.latest();
  const std::uint64_t over = now.done + now.rejected + now.failed;
  QString figures = tr("%1 requests arrived, %2 done, %3 in the system")
                        .arg(countText(now.arrived), countText(now.done),
                             countText(now.arrived - std::min(over, now.arrived)));
  if (now.rejected > 0) figures += tr(", %1 refused").arg(countText(now.rejected));
  if (now.failed > 0) figures += tr(", %1 failed").arg(countText(now.failed));
  if (live.latest()->trial.stored) figures += tr("; a stored trial: means over all of it");
  if (now.measured.arrived == 0) figures += tr("; warm-up: none is measured yet");
  note_->setText(figures + QStringLiteral(". ") + modelledNote());
}

void ServingPage::showLiveWorkers(const LiveServed& served) {
  const control::LiveServing& now = served.latest();
  if (of_->currentIndex() >= kCacheOverTime) {
    const bool cache = of_->currentIndex() == kCacheOverTime;
    Plot::Axes axes =
        overTime(cache ? tr("KV cache in use [%]") : tr("requests waiting"), served.until());
    workers_->setContent(
        axes,
        {timeSeries(tr("prefill pool"), cache ? served.prefill().used : served.prefill().waiting),
         timeSeries(tr("decode pool"), cache ? served.decode().used : served.decode().waiting)});
    return;
  }
  const bool cache = of_->currentIndex() == kCacheOfWorkers;
  WorkerRows rows;
  rows.axes.y_label = cache ? tr("KV cache in use now [%]") : tr("requests now");
  PlotSeries first{cache ? QString() : tr("waiting"), {}, {}, SeriesStyle::kBars, false, 0};
  PlotSeries second{tr("in a step"), {}, {}, SeriesStyle::kBars, false, 1};
  std::uint64_t all = 0;
  for (const auto& [pool, name] :
       {std::pair(&now.prefill, tr("prefill %1")), std::pair(&now.decode, tr("decode %1"))}) {
    all += pool->worker_count;
    for (std::size_t i = 0; i < pool->workers.size(); ++i) {
      const control::LiveServingWorker& worker = pool->workers[i];
      const std::optional<double> used = occupancy(worker);
      if (cache ? !used : !worker.waiting || !worker.running) continue;
      const std::optional<double> place = rows.add(name.arg(i));
      if (!place) break;
      WorkerRows::bar(first, *place, cache ? *used : static_cast<double>(*worker.waiting));
      if (!cache) WorkerRows::bar(second, *place, static_cast<double>(*worker.running));
    }
  }
  const auto shown = static_cast<std::uint64_t>(rows.axes.x_names.size());
  if (shown > 0 && shown < all) rows.axes.y_label += tr(" – %1 of %2 workers").arg(shown).arg(all);
  if (cache) rows.endAtHundredPercent(first);
  std::vector<PlotSeries> series{std::move(first)};
  if (!cache) series.push_back(std::move(second));
  workers_->setContent(rows.axes, std::move(series));
}

void ServingPage::fillLiveFigures(const std::vector<LiveServed>& systems) {
  const QStringList headings = {
      tr("System"),           tr("Measured"),         tr("Done"),
      tr("TTFT mean [ms]"),   tr("TTFT P50 [ms]"),    tr("TTFT P95 [ms]"),
      tr("TTFT P99 [ms]"),    tr("Queue [ms]"),       tr("Prefill [ms]"),
      tr("KV transfer [ms]"), tr("Decode init [ms]"), tr("ITL P50 [ms]"),
      tr("ITL P95 [ms]"),     tr("ITL P99 [ms]"),     tr("Within limits")};
  std::vector<QStringList> rows;
  rows.reserve(systems.size());
  for (const LiveServed& one : systems) {
    const control::LiveMeasured& measured = one.latest().measured;
    if (measured.arrived == 0) continue;
    const std::optional<control::LiveTtft>& ttft = measured.ttft;
    const auto part = [&](double control::LiveTtft::*member) {
      return ttft ? numberText((*ttft).*member * kMsPerSecond) : kNone;
    };
    rows.push_back({text(one.latest().name), countText(measured.arrived), countText(measured.done),
                    part(&control::LiveTtft::mean_s), ms(measured.ttft_p50_s),
                    ms(measured.ttft_p95_s), ms(measured.ttft_p99_s),
                    part(&control::LiveTtft::queue_s), part(&control::LiveTtft::prefill_s),
                    part(&control::LiveTtft::transfer_s), part(&control::LiveTtft::decode_init_s),
                    ms(measured.itl_p50_s), ms(measured.itl_p95_s), ms(measured.itl_p99_s),
                    countText(measured.within_limits)});
  }
  setFigures(1, headings, rows);
}

// --- Stored ---

void ServingPage::readStored(const std::vector<ShownRun>& runs) {
  runs_ = runs;
  trials_.clear();
  QStringList names;
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    const std::vector<StoredTest>& tests = runs_[run].run->tests;
    for (std::size_t test = 0; test < tests.size(); ++test) {
      std::vector<StoredTrialRequests> trials = storedRequests(tests[test]);
      const bool repeated = std::any_of(trials.begin(), trials.end(),
                                        [](const auto& one) { return one.repetition != "0"; });
      for (StoredTrialRequests& trial : trials) {
        QString name = text(tests[test].id) + QStringLiteral(": ") + text(trial.point);
        if (runs_.size() > 1) name = runs_[run].name + QStringLiteral(", ") + name;
        if (repeated) name += tr(", repetition %1").arg(text(trial.repetition));
        names.push_back(name);
        trials_.push_back({name, run, test, std::move(trial)});
      }
    }
  }
  setNames(names);
}

void ServingPage::showStored() {
  bool served = false;
  for (const ShownRun& shown : runs_) {
    served = served || std::any_of(shown.run->tests.begin(), shown.run->tests.end(), isServed);
  }
  const QString none =
      runs_.empty() ? tr("No stored results of a serving system yet (tests I6, I9.1, I9.2, I9.4 "
                         "and I10 to I13).")
                    : tr("This run has no serving system.");
  const QString no_requests = tr("This result has no single requests.");
  for (Plot* plot : {ttft_, tokens_, goodput_, workers_}) {
    plot->setEmptyText(served ? no_requests : none);
  }
  note_->setText(served ? modelledNote() : QString());
  fillStoredFigures();
  const auto chosen = static_cast<std::size_t>(std::max(which_->currentIndex(), 0));
  const StoredTrial* trial = chosen < trials_.size() ? &trials_[chosen] : nullptr;
  clearPlots();
  bool pages = false;
  for (const ShownRun& shown : runs_) {
    pages = pages || std::any_of(shown.run->tests.begin(), shown.run->tests.end(),
                                 [](const StoredTest& test) { return pagesOverTime(test); });
  }
  setShown(trial != nullptr, trial != nullptr || pages);
  if (trial != nullptr) {
    const std::vector<StoredRequest>& requests = trial->trial.requests;
    const double until = lastTime(requests);
    ttft_->setContent(overTime(tr("TTFT, mean [ms]"), until), partSeries(ttftParts(requests)));
    const StoredTpot tpot = timePerToken(requests);
    tokens_->setEmptyText(tr("No answer of two tokens ended."));
    tokens_->setContent(
        overTime(tr("TPOT [ms]"), until),
        {curve(tr("median of answers that ended"), tpot.median, SeriesStyle::kPoints),
         curve(tr("largest"), tpot.largest, SeriesStyle::kPoints)});
    const StoredRates rates = goodRates(requests);
    goodput_->setEmptyText(tr("This result does not tell which requests kept the limits."));
    if (rates.good_tokens) {
      goodput_->setContent(overTime(tr("tokens/s"), until),
                           {curve(tr("goodput, of answers that ended"), *rates.good_tokens,
                                  SeriesStyle::kPoints, 1)});
    }
  }
  if (served) showStoredWorkers(trial);
}

void ServingPage::showStoredWorkers(const StoredTrial* trial) {
  const int figure = trial == nullptr ? kCacheOverTime : of_->currentIndex();
  if (figure == kCacheOverTime) {
    workers_->setEmptyText(tr("Results hold pages over time for I13.2 only."));
    for (const ShownRun& shown : runs_) {
      for (const StoredTest& test : shown.run->tests) {
        const StoredChart* chart = pagesOverTime(test);
        if (chart == nullptr) continue;
        Plot::Axes axes;
        axes.x_label = text(chart->x_label);
        axes.y_label = text(chart->y_label);
        std::vector<PlotSeries> series;
        series.reserve(chart->series.size());
        for (const StoredSeries& one : chart->series) {
          series.push_back({text(one.name), one.x, one.y, SeriesStyle::kLine, false, std::nullopt});
        }
        workers_->setContent(axes, std::move(series));
        return;
      }
    }
    return;
  }
  if (trial == nullptr) return;
  const std::vector<StoredRequest>& requests = trial->trial.requests;
  if (figure == kQueuesOverTime) {
    std::vector<PlotSeries> series;
    for (const bool decode : {false, true}) {
      const QString name = decode ? tr("decode pool") : tr("prefill pool");
      for (const WorkerQueue& queue : queuesOf(requests, decode, true)) {
        series.push_back({name, queue.x, queue.y, SeriesStyle::kSteps, false, std::nullopt});
      }
    }
    workers_->setContent(overTime(tr("requests waiting"), lastTime(requests)), std::move(series));
    return;
  }
  WorkerRows rows;
  PlotSeries mean{tr("mean over the trial"), {}, {}, SeriesStyle::kBars, false, 0};
  PlotSeries max{tr("most"), {}, {}, SeriesStyle::kBars, false, 1};
  const auto add = [&](const QString& worker, std::optional<double> of,
                       std::optional<double> peak) {
    const std::optional<double> place = rows.add(worker);
    if (place && of) WorkerRows::bar(mean, *place, *of);
    if (place && peak) WorkerRows::bar(max, *place, *peak);
  };
  if (figure == kCacheOfWorkers) {
    workers_->setEmptyText(tr("This result holds no KV cache of workers."));
    rows.axes.y_label = tr("KV cache in use [%]");
    for (const StoredWorker& one : storedWorkers(runs_[trial->run].run->tests[trial->test])) {
      if (one.point == trial->trial.point) add(text(one.worker), one.mean, one.max);
    }
    rows.endAtHundredPercent(max);
  } else {
    rows.axes.y_label = tr("requests waiting");
    for (const bool decode : {false, true}) {
      const QString name = decode ? tr("decode %1") : tr("prefill %1");
      for (const WorkerQueue& queue : queuesOf(requests, decode, false)) {
        add(name.arg(queue.worker), queue.mean, queue.max);
      }
    }
  }
  workers_->setContent(rows.axes, {std::move(mean), std::move(max)});
}

void ServingPage::fillStoredFigures() {
  QStringList headings = {tr("Run"), tr("Point")};
  for (const ServedFigureName& one : servedFigureNames()) headings.push_back(tr(one.heading));
  std::vector<QStringList> rows;
  for (const ShownRun& shown : runs_) {
    for (const StoredTest& test : shown.run->tests) {
      for (const ServedFigures& figures : servedFigures(test)) {
        QStringList row = {runs_.size() > 1 ? shown.name : QString(),
                           text(test.id) + QStringLiteral(": ") + text(figures.point)};
        for (const StoredQuantity* value : figures.values) {
          row.push_back(value == nullptr ? kNone : numberText(value->value));
        }
        rows.push_back(std::move(row));
      }
    }
  }
  setFigures(2, headings, rows);
}

}  // namespace plumbline::gui
