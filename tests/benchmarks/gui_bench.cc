// links: plumbline_gui
// Time that one update takes in the window's thread: taking the data over, and painting. Frames
// per second is its reciprocal. Without a display it paints on Qt's offscreen platform.
#include <benchmark/benchmark.h>

#include <QApplication>
#include <QStyleFactory>
#include <QTableView>
#include <cmath>

#include "base/random.h"
#include "gui/pages/distribution_page.h"
#include "gui/pages/flows_page.h"

namespace plumbline::gui {
namespace {

void show(QWidget& widget) {
  widget.resize(1100, 640);
  widget.show();
  QApplication::processEvents();
}

void reportFrames(benchmark::State& state) {
  state.counters["frames/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

control::LiveInterval intervalWithFlows(std::size_t count, std::uint64_t round) {
  RandomStream random(round, "flows");
  control::LiveInterval interval;
  interval.run = 1;
  interval.trial.number = 1;
  interval.trial.interval_ps = 1'000'000;
  interval.trial.time_ps = static_cast<std::int64_t>(round) * 1'000'000;
  interval.flows.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    interval.flows[i].name = "host" + std::to_string(i % 128) + ">host" + std::to_string(i / 128);
    interval.flows[i].rx_bps = static_cast<double>(random.below(400)) * 1e9;
    interval.flows[i].received_frames = random.below(1'000'000);
  }
  interval.flow_count = count;
  return interval;
}

// The table of 4,096 flows, sorted by rate, all of which change.
void flowTable(benchmark::State& state) {
  FlowsPage page;
  show(page);
  page.findChild<QTableView*>()->sortByColumn(FlowTableModel::kRate, Qt::DescendingOrder);
  std::vector<control::LiveInterval> rounds;
  for (std::uint64_t round = 0; round < 16; ++round) {
    rounds.push_back(intervalWithFlows(static_cast<std::size_t>(state.range(0)), round));
  }
  LiveRun live;
  std::size_t round = 0;
  for (auto unused : state) {
    (void)unused;
    live.add(rounds[round++ % rounds.size()]);
    PageInput input;
    input.live = &live;
    page.show(input);
    QApplication::processEvents();
  }
  reportFrames(state);
}
BENCHMARK(flowTable)->Arg(4096)->Unit(benchmark::kMillisecond);

// The live CDF of a trial with a million frames spread over all latencies from 0.5 to 50 µs.
void liveCdf(benchmark::State& state) {
  DistributionPage page(DistributionPage::Kind::kCdf);
  show(page);
  RandomStream random(1, "latencies");
  stats::Histogram histogram;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    const double decades = static_cast<double>(random.below(1'000'000)) / 5e5;
    histogram.record(static_cast<std::uint64_t>(5e5 * std::pow(10, decades)));
  }
  control::LiveInterval interval = intervalWithFlows(1, 1);
  interval.latency = control::LiveLatency{
      histogram.count(), histogram.minimum(), histogram.maximum(),
      histogram.mean() * static_cast<double>(histogram.count()), histogram.cells()};
  LiveRun live;
  for (auto unused : state) {
    (void)unused;
    live.add(interval);
    PageInput input;
    input.live = &live;
    page.show(input);
    QApplication::processEvents();
  }
  reportFrames(state);
}
BENCHMARK(liveCdf)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

// A plot of a million points, all of which are new.
void plotPoints(benchmark::State& state) {
  Plot plot(QStringLiteral("points"));
  show(plot);
  PlotSeries series;
  RandomStream random(1, "points");
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    series.x.push_back(static_cast<double>(i));
    series.y.push_back(static_cast<double>(random.below(1000)));
  }
  for (auto unused : state) {
    (void)unused;
    plot.setContent({}, {series});
    QApplication::processEvents();
  }
  reportFrames(state);
}
BENCHMARK(plotPoints)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace plumbline::gui

// QApplication must be there before the first widget and go after the last.
int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  const QApplication app(argc, argv);
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
