// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pages/pfc_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPoint>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/models/text.h"

namespace plumbline::gui {
namespace {

// Most lanes that one screen can show; those with the longest pauses are selected.
constexpr std::size_t kMaxLanes = 32;

struct Lane {
  QString name;
  std::vector<double> ends;  // from and until, alternating
  double paused = 0;
};

PlotSeries spansOf(const std::vector<Lane>& lanes, std::size_t lane) {
  return {QString(),
          lanes[lane].ends,
          std::vector<double>(lanes[lane].ends.size(), static_cast<double>(lane)),
          SeriesStyle::kSpans,
          false,
          1};
}

// The longest paused ones, in their original order; `note` mentions the others.
std::vector<Lane> longest(std::vector<Lane> lanes, QString& note) {
  if (lanes.size() <= kMaxLanes) return lanes;
  std::vector<double> paused;
  paused.reserve(lanes.size());
  for (const Lane& lane : lanes) paused.push_back(lane.paused);
  std::nth_element(paused.begin(), paused.begin() + kMaxLanes - 1, paused.end(), std::greater<>());
  const double min = paused[kMaxLanes - 1];
  note += QObject::tr("The %1 longest paused of %2 lanes. ").arg(kMaxLanes).arg(lanes.size());
  std::vector<Lane> kept;
  for (Lane& lane : lanes) {
    if (lane.paused >= min && kept.size() < kMaxLanes) kept.push_back(std::move(lane));
  }
  return kept;
}

}  // namespace

PfcPage::PfcPage(QWidget* parent)
    : Page(parent),
      timelines_(new QComboBox),
      note_(new QLabel),
      lanes_(addPlot(tr("PFC timeline"))),
      rates_(addPlot(tr("Rate beside PFC"))) {
  timelines_->setAccessibleName(tr("Point of the sweep"));
  timelines_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  note_->setObjectName(QStringLiteral("hint"));
  lanes_->setEmptyText(
      tr("No port has been paused. A running trial with PFC shows pauses live, and so do "
         "stored results of tests that record them (T7.2, T7.4)."));
  rates_->setEmptyText(tr("No running trial."));
  auto* top = new QHBoxLayout;
  top->addWidget(timelines_);
  top->addWidget(note_, 1);
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(lanes_);
  split->addWidget(rates_);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(top);
  layout->addWidget(split, 1);

  connect(timelines_, &QComboBox::currentIndexChanged, this, [this] {
    showTimeline();
    lanes_->fit();
  });
  const auto follow = [](Plot* from, Plot* to) {
    connect(from, &Plot::xRangeMoved, to, [to](double low, double high, bool fitted) {
      const QSignalBlocker quiet(to);
      fitted ? to->fit() : to->setXRange(low, high);
    });
  };
  follow(lanes_, rates_);
  follow(rates_, lanes_);
}

void PfcPage::show(const PageInput& input) {
  rates_->setVisible(input.live != nullptr);  // stored results have no rates with their pauses
  if (input.live != nullptr) {
    timelines_->hide();
    runs_.clear();
    showLive(*input.live);
    return;
  }
  const bool same = std::equal(runs_.begin(), runs_.end(), input.runs.begin(), input.runs.end(),
                               [](const ShownRun& a, const ShownRun& b) { return a.run == b.run; });
  if (!same) {
    runs_ = input.runs;
    const QSignalBlocker quiet(timelines_);
    timelines_->clear();
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      for (const StoredTest& test : runs_[run].run->tests) {
        for (const StoredTimeline& one : test.timelines) {
          const auto place = static_cast<int>(&one - test.timelines.data());
          const auto test_place = static_cast<int>(&test - runs_[run].run->tests.data());
          timelines_->addItem(runs_[run].name + QStringLiteral(": ") + text(one.title),
                              QVariantList{static_cast<int>(run), test_place, place});
        }
      }
    }
  }
  timelines_->setVisible(timelines_->count() > 0);
  showTimeline();
  if (!same) lanes_->fit();
}

void PfcPage::showTimeline() {
  const QVariantList place = timelines_->currentData().toList();
  QString note;
  std::vector<Lane> lanes;
  Plot::Axes axes;
  if (place.size() == 3) {
    const StoredTimeline& timeline =
        runs_[place[0].toUInt()].run->tests[place[1].toUInt()].timelines[place[2].toUInt()];
    for (const StoredLane& stored : timeline.lanes) {
      Lane lane{text(stored.name), {}, 0};
      for (const StoredSpan& span : stored.spans) {
        lane.ends.insert(lane.ends.end(), {span.from, span.until});
        lane.paused += span.until - span.from;
      }
      lanes.push_back(std::move(lane));
    }
    axes.x_label = text(timeline.x_label);
    axes.x_until = timeline.until;
  }
  lanes = longest(std::move(lanes), note);
  std::vector<PlotSeries> series;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    axes.y_names.push_back(lanes[i].name);
    series.push_back(spansOf(lanes, i));
  }
  note_->setText(note);
  lanes_->setContent(axes, std::move(series));
  rates_->setContent({}, {});
}

void PfcPage::showLive(const LiveRun& live) {
  QString note;
  if (live.pausesCutShort()) note = tr("More pauses than can be kept: the first ones are shown. ");
  std::vector<Lane> lanes;
  for (const PauseLane& one : live.pauses()) {
    Lane lane{QStringLiteral("%1 p%2").arg(text(one.link)).arg(one.priority), {}, 0};
    for (const auto& [from, until] : one.spans_us) {
      lane.ends.insert(lane.ends.end(), {from, until});
      lane.paused += until - from;
    }
    lanes.push_back(std::move(lane));
  }
  lanes = longest(std::move(lanes), note);
  Plot::Axes axes;
  axes.x_label = tr("trial time [µs]");
  if (live.latest() && live.latest()->trial.time_ps > 0) {
    axes.x_until = static_cast<double>(live.latest()->trial.time_ps) / 1e6;
  }
  std::vector<PlotSeries> spans;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    axes.y_names.push_back(lanes[i].name);
    spans.push_back(spansOf(lanes, i));
  }
  note_->setText(note);
  lanes_->setContent(axes, std::move(spans));

  std::vector<PlotSeries> rates;
  if (live.portRates().size() > 1) {
    for (const auto& [port, values] : live.portRates()) {
      rates.push_back(timeSeries(tr("%1 received").arg(text(port)), values));
    }
  } else {
    rates.push_back(timeSeries(tr("all ports received"), live.rxRate()));
  }
  Plot::Axes rate_axes;
  rate_axes.x_label = tr("trial time [µs]");
  rate_axes.y_label = tr("rate [Gb/s]");
  rate_axes.x_until = axes.x_until;
  rates_->setContent(rate_axes, std::move(rates));
}

}  // namespace plumbline::gui
