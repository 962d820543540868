#include "gui/data/live_run.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace plumbline::gui {
namespace {

using control::LiveInterval;

// Interval number `sequence` of a trial, one microsecond after the one before.
LiveInterval interval(std::int64_t run, std::uint64_t trial, std::int64_t time_us) {
  LiveInterval out;
  out.run = run;
  out.trial.test = "T5.2";
  out.trial.label = "64 B, 50 % load";
  out.trial.number = trial;
  out.trial.time_ps = time_us * 1'000'000;
  out.trial.interval_ps = 1'000'000;
  return out;
}

std::size_t counter(const std::string& name) {
  const auto& names = counterNames();
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

TEST(TimeSeries, HalvesItsResolutionWhenFullAndKeepsItsSpan) {
  TimeSeries series;
  const std::size_t offered = 5 * TimeSeries::kMaxPoints;
  for (std::size_t i = 0; i < offered; ++i) {
    series.add(static_cast<double>(i), static_cast<double>(2 * i));
  }
  EXPECT_LE(series.times().size(), TimeSeries::kMaxPoints);
  EXPECT_GE(series.times().size(), TimeSeries::kMaxPoints / 2);
  EXPECT_LT(series.times().front(), 16);
  EXPECT_GT(series.times().back(), static_cast<double>(offered) - 16);
  EXPECT_TRUE(std::is_sorted(series.times().begin(), series.times().end()));
  for (std::size_t i = 0; i < series.times().size(); ++i) {
    ASSERT_EQ(series.values()[i], 2 * series.times()[i]);
  }
}

TEST(LiveRun, LatencyDeltasAddUpToTheHistogram) {
  stats::Histogram expected;
  LiveRun run;
  for (std::int64_t i = 1; i <= 3; ++i) {
    LiveInterval one = interval(1, 1, i);
    expected.record(static_cast<std::uint64_t>(600'000 + 10'000 * i), 7);
    one.latency = control::LiveLatency{
        expected.count(),
        expected.minimum(),
        expected.maximum(),
        expected.mean() * static_cast<double>(expected.count()),
        {{stats::histogramBucket(static_cast<std::uint64_t>(600'000 + 10'000 * i)), 7}}};
    run.add(one);
  }
  const stats::Histogram live = run.latency();
  EXPECT_EQ(live.count(), 21U);
  EXPECT_EQ(live.minimum(), 610'000U);
  EXPECT_EQ(live.maximum(), 630'000U);
  EXPECT_EQ(live.quantile(0.5), expected.quantile(0.5));
  EXPECT_EQ(run.missingLatencies(), 0U);
}

TEST(LiveRun, MissingIntervalsAreCountedAndDoNotBreakTheHistogram) {
  LiveRun run;
  LiveInterval one = interval(1, 1, 5);
  // 30 frames so far, of which this interval brings 10; the fastest came before.
  one.latency =
      control::LiveLatency{30, 100'000, 900'000, 7e6, {{stats::histogramBucket(700'000), 10}}};
  run.add(one);
  EXPECT_EQ(run.missingLatencies(), 20U);
  EXPECT_EQ(run.latency().count(), 10U);
  EXPECT_GE(run.latency().minimum(), stats::bucketLowerBound(stats::histogramBucket(700'000)));
}

TEST(LiveRun, RatesComeFromDifferencesOfTotals) {
  LiveRun run;
  LiveInterval first = interval(1, 1, 1);
  first.congestion.marked = 10;
  run.add(first);
  LiveInterval second = interval(1, 1, 2);
  second.congestion.marked = 25;
  run.add(second);
  EXPECT_EQ(run.marked().times(), (std::vector<double>{1, 2}));
  // 10 and 15 packets in a microsecond each.
  EXPECT_NEAR(run.marked().values()[0], 10e6, 1);
  EXPECT_NEAR(run.marked().values()[1], 15e6, 1);
}

TEST(LiveRun, AnIntervalWithoutLengthHasTotalsButNoRates) {
  LiveRun run;
  LiveInterval last = interval(1, 1, 9);
  last.trial.interval_ps = 0;
  last.congestion.marked = 4;
  run.add(last);
  EXPECT_TRUE(run.marked().times().empty());
  EXPECT_EQ(run.trialCounters()[counter("Marked by switches")], 4U);
}

TEST(LiveRun, CountersAddUpOverTrialsAndStartAgainWithARun) {
  LiveRun run;
  const auto with_frames = [](LiveInterval one, std::uint64_t sent) {
    control::LivePort port;
    port.name = "host0";
    port.tx_frames = sent;
    one.ports = {port};
    return one;
  };
  run.add(with_frames(interval(1, 1, 1), 100));
  LiveInterval end = with_frames(interval(1, 1, 2), 150);
  end.trial.ended = true;
  run.add(end);
  run.add(with_frames(interval(1, 2, 1), 30));
  const std::size_t sent = counter("Frames sent");
  EXPECT_EQ(run.trialCounters()[sent], 30U);
  EXPECT_EQ(run.runCounters()[sent], 180U);
  ASSERT_EQ(run.trials().size(), 2U);
  EXPECT_TRUE(run.trials()[0].ended);
  EXPECT_FALSE(run.trials()[1].ended);

  run.add(with_frames(interval(2, 1, 1), 5));
  EXPECT_EQ(run.runCounters()[sent], 5U);
  EXPECT_EQ(run.trials().size(), 1U);
}

TEST(LiveRun, ATrialThatEndedAndComesAgainIsANewOne) {
  LiveRun run;
  LiveInterval end = interval(1, 1, 2);
  end.trial.ended = true;
  run.add(end);
  run.add(interval(1, 1, 1));
  EXPECT_EQ(run.trials().size(), 2U);
}

TEST(LiveRun, AnOpenPauseGrowsInsteadOfComingTwice) {
  LiveRun run;
  LiveInterval one = interval(1, 1, 1);
  one.pauses = {{"host0-leaf0", 3, 200'000, 1'000'000, true}};
  one.pause_count = 1;
  run.add(one);
  LiveInterval two = interval(1, 1, 2);
  two.pauses = {{"host0-leaf0", 3, 200'000, 1'500'000, false},
                {"host0-leaf0", 3, 1'700'000, 2'000'000, true},
                {"host1-leaf0", 3, 1'000'000, 1'100'000, false}};
  two.pause_count = 3;
  run.add(two);
  ASSERT_EQ(run.pauses().size(), 2U);
  using Spans = std::vector<std::pair<double, double>>;
  EXPECT_EQ(run.pauses()[0].spans_us, (Spans{{0.2, 1.5}, {1.7, 2.0}}));
  EXPECT_EQ(run.pauses()[1].spans_us, (Spans{{1.0, 1.1}}));
  EXPECT_FALSE(run.pausesCutShort());
}

TEST(LiveRun, PausesBeyondItsMemoryAreToldOf) {
  LiveRun run;
  for (std::size_t i = 0; i < LiveRun::kMaxSpans / 100 + 1; ++i) {
    LiveInterval one = interval(1, 1, static_cast<std::int64_t>(i) + 1);
    for (std::int64_t k = 0; k < 100; ++k) {
      const std::int64_t from = (static_cast<std::int64_t>(i) * 100 + k) * 1000;
      one.pauses.push_back({"a-b", 0, from, from + 500, false});
    }
    one.pause_count = 100;
    run.add(one);
  }
  EXPECT_EQ(run.pauses()[0].spans_us.size(), LiveRun::kMaxSpans);
  EXPECT_TRUE(run.pausesCutShort());
}

TEST(LiveRun, QueuesAreFollowedFromTheirFirstByteOn) {
  LiveRun run;
  LiveInterval one = interval(1, 1, 1);
  control::LiveLink idle;
  idle.name = "leaf0-spine0";
  control::LiveLink busy = idle;
  busy.name = "leaf0-host0";
  busy.queue_max_bytes = 9000;
  one.links = {idle, busy};
  run.add(one);
  ASSERT_EQ(run.queues().size(), 1U);
  EXPECT_EQ(run.queues().at("leaf0-host0").values(), std::vector<double>{9000});
}

}  // namespace
}  // namespace plumbline::gui
