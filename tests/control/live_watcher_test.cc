// Rates and differences of intervals against hand calculations, and the times at which a run's
// watcher publishes.
#include "control/live_watcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/control/openapi.h"

namespace plumbline::control {
namespace {

using bench::TrialSnapshot;
using testing::ElementsAre;
using testing::IsEmpty;

TrialSnapshot early() {
  TrialSnapshot snapshot;
  snapshot.time = microseconds(10);
  snapshot.total = microseconds(40);
  snapshot.ports = {{3, 100, 10'000, 50, 5'000}};
  snapshot.ports[0].paused[3] = {1, microseconds(2)};
  snapshot.ports[0].tx_pending = 1'000;  // of the 10,000 B, not on the wire yet
  snapshot.flows = {{"a", 0, 1, 10, 9, 1'000}, {"b", 2, 1, 10, 9, 1'000, {}, 4}};
  snapshot.flow_count = 2;
  snapshot.links = {{"leaf0-spine0", gigabitsPerSecond(100), true, 10, 1'000, 0, 0, 0, 0},
                    {"leaf0-spine1", gigabitsPerSecond(100), true, 10, 1'000, 0, 0, 0, 0}};
  snapshot.latency.emplace();
  snapshot.latency->record(100, 5);
  return snapshot;
}

// 20 µs later: port 3 sent 24,000 B and the pending 1,000 B, flow b received 3,000 B more and flow
// a 1,000, link spine0 carried 99 frames with 123,020 B and spine1 none.
TrialSnapshot late() {
  TrialSnapshot snapshot = early();
  snapshot.time = microseconds(30);
  snapshot.ports[0].tx_bytes += 24'000;
  snapshot.ports[0].tx_pending = 0;
  snapshot.flows[0].received_bytes += 1'000;
  snapshot.flows[1].received_bytes += 3'000;
  snapshot.links[0].packets += 99;
  snapshot.links[0].bytes += 123'020;
  snapshot.links[0].busy += microseconds(10);  // with 99 × 20 B of preamble and gap
  snapshot.links[0].max_queue_bytes = 777;
  snapshot.latency->record(100, 2);
  snapshot.latency->record(50);
  snapshot.pauses = {{{"leaf0-host1", 3, microseconds(25), microseconds(30)}, true}};
  snapshot.pause_count = 1;
  snapshot.congestion.cnp_sent = 4;
  return snapshot;
}

TEST(IntervalOf, TakesDifferencesAndRates) {
  const LiveInterval live = intervalOf(late(), early());
  EXPECT_EQ(live.trial.interval_ps, 20'000'000);
  EXPECT_EQ(live.ports.at(0).name, "host3");
  EXPECT_EQ(live.ports.at(0).tx_bytes, 34'000u);
  EXPECT_DOUBLE_EQ(live.ports.at(0).tx_bps, 10e9);  // 25 kB in 20 µs
  EXPECT_EQ(live.ports.at(0).rx_bps, 0);
  EXPECT_DOUBLE_EQ(live.flows.at(0).rx_bps, 0.4e9);
  EXPECT_DOUBLE_EQ(live.flows.at(1).rx_bps, 1.2e9);
  // (1 + 3)^2 / (2 (1 + 9))
  EXPECT_DOUBLE_EQ(live.fairness.flow_jfi.value(), 0.8);
  EXPECT_EQ(live.ports.at(0).pauses_received, 1u);
  EXPECT_EQ(live.ports.at(0).priorities.at(0).priority, 3u);
  EXPECT_EQ(live.ports.at(0).priorities.at(0).paused_ps, 2'000'000);
  EXPECT_DOUBLE_EQ(live.links.at(0).utilisation, 0.5);
  EXPECT_EQ(live.links.at(1).utilisation, 0);
  EXPECT_EQ(live.links.at(0).queue_max_bytes, 777u);
  EXPECT_DOUBLE_EQ(live.fairness.link_jfi.value(), 0.5);  // one of two takes all
  EXPECT_DOUBLE_EQ(live.fairness.link_mmr.value(), 2);
  // Two more have no traffic, and are not listed.
  TrialSnapshot with_idle = late();
  with_idle.fabric_links = 4;
  EXPECT_DOUBLE_EQ(intervalOf(with_idle, early()).fairness.link_jfi.value(), 0.25);
  EXPECT_DOUBLE_EQ(intervalOf(with_idle, early()).fairness.link_mmr.value(), 4);
  ASSERT_TRUE(live.latency.has_value());
  EXPECT_EQ(live.latency->count, 8u);
  EXPECT_EQ(live.latency->min_ps, 50u);
  EXPECT_DOUBLE_EQ(live.latency->sum_ps, 750);
  ASSERT_EQ(live.latency->delta.size(), 2u);
  EXPECT_EQ(live.latency->delta[0].bucket, 50u);
  EXPECT_EQ(live.latency->delta[0].count, 1u);
  EXPECT_EQ(live.latency->delta[1].bucket, 100u);
  EXPECT_EQ(live.latency->delta[1].count, 2u);
  EXPECT_TRUE(live.pauses.at(0).open);
  EXPECT_EQ(live.congestion.cnp_sent, 4u);
}

TEST(IntervalOf, TheFirstCountsFromTheBeginning) {
  const LiveInterval live = intervalOf(early(), std::nullopt);
  EXPECT_EQ(live.trial.interval_ps, 10'000'000);
  EXPECT_DOUBLE_EQ(live.ports.at(0).tx_bps, 7.2e9);  // 9 of the 10 kB
  EXPECT_EQ(live.latency->delta.at(0).count, 5u);
}

TEST(IntervalOf, WhatIsNotKnownIsAbsent) {
  TrialSnapshot snapshot;
  snapshot.time = microseconds(1);
  const LiveInterval live = intervalOf(snapshot, std::nullopt);
  EXPECT_FALSE(live.latency.has_value());
  EXPECT_FALSE(live.fairness.flow_jfi.has_value());
  EXPECT_FALSE(live.fairness.link_jfi.has_value());
  EXPECT_FALSE(live.congestion.ce_received.has_value());
  EXPECT_FALSE(live.congestion.timeouts.has_value());
  const LiveInterval flows = intervalOf(early(), std::nullopt);
  EXPECT_FALSE(flows.flows.at(0).lost.has_value());
  EXPECT_EQ(flows.flows.at(1).lost, 4u);
  const auto again = LiveInterval::fromJson(flows.toJson());
  ASSERT_TRUE(again.has_value());
  EXPECT_FALSE(again->flows.at(0).lost.has_value());
  EXPECT_EQ(again->flows.at(1).lost, 4u);
}

// All intervals that a subscriber gets now.
std::vector<LiveInterval> taken(LiveHub::Subscriber& subscriber) {
  std::vector<LiveInterval> intervals;
  while (const auto text = subscriber.take()) {
    const auto message = parseMessage(*text);
    if (message && std::holds_alternative<LiveInterval>(*message)) {
      intervals.push_back(std::get<LiveInterval>(*message));
    }
  }
  return intervals;
}

class LiveWatcherTest : public testing::Test {
 protected:
  void endTrial(const std::string& label, bool stored) {
    bench::TrialResult result;
    result.observed = ObservationPoint::kTester;
    result.card_time = microseconds(5);
    result.streams = {{"s", 8, 800, 8, 800}};
    result.faults = {"late start"};
    bench::TrialSpec spec;
    spec.streams.emplace_back().to = 1;
    watcher_.endTrial({"T5.2", label, 0, stored, spec, result});
  }

  LiveHub hub_{"i"};
  LiveWatcher watcher_{hub_, 9, {}};
  std::shared_ptr<LiveHub::Subscriber> subscriber_ = hub_.subscribe(0, [] {});
};

TEST_F(LiveWatcherTest, EveryMeasuredTrialEndsWithAnInterval) {
  watcher_.beginTest("T5.2", 3);
  for (int i = 0; i < 2; ++i) {
    watcher_.beginTrial("64 B", 1);
    endTrial("64 B", false);
  }
  const auto intervals = taken(*subscriber_);
  ASSERT_EQ(intervals.size(), 2u);
  const LiveInterval& second = intervals[1];
  EXPECT_THAT(openApiFaults("LiveInterval", second.toJson()), IsEmpty());
  EXPECT_EQ(second.run, 9);
  EXPECT_EQ(second.trial.test, "T5.2");
  EXPECT_EQ(second.trial.number, 2u);
  EXPECT_EQ(second.trial.expected, 3u);
  EXPECT_EQ(second.trial.repetition, 1u);
  EXPECT_TRUE(second.trial.ended);
  EXPECT_EQ(second.observed, "tester");
  EXPECT_THAT(second.trial.faults, ElementsAre("late start"));
  EXPECT_EQ(second.kpi, "loss 0 ppm, NOT VALID");
  EXPECT_EQ(second.flows.at(0).received_bytes, 800u);
  EXPECT_EQ(second.flows.at(0).to, 1u);
  EXPECT_EQ(watcher_.place().trial_number, 3u);
  EXPECT_EQ(watcher_.place().trials_expected, 3u);
}

TEST_F(LiveWatcherTest, StoredTrialsDoNotFloodTheStream) {
  watcher_.beginTest("T5.2", 1'000);
  for (int i = 0; i < 1'000; ++i) {
    watcher_.beginTrial("64 B", 0);
    endTrial("64 B", true);
  }
  const auto intervals = taken(*subscriber_);
  EXPECT_GE(intervals.size(), 1u);
  EXPECT_LT(intervals.size(), 100u);
  EXPECT_TRUE(intervals[0].trial.stored);
  EXPECT_EQ(watcher_.place().eta_s, std::nullopt);  // nothing was measured
}

TEST_F(LiveWatcherTest, RunningAndFinalSnapshotsAreOneTrial) {
  watcher_.beginTest("T9.1", 1);
  watcher_.beginTrial("ring", 0);
  bench::TrialObserver& observer = *watcher_.trialObserver();
  EXPECT_TRUE(observer.due());
  observer.onSnapshot(early());
  EXPECT_FALSE(observer.due());  // not again so soon
  TrialSnapshot last = late();
  last.ended = true;
  observer.onSnapshot(last);
  endTrial("ring", false);
  const auto intervals = taken(*subscriber_);
  ASSERT_EQ(intervals.size(), 2u);
  EXPECT_FALSE(intervals[0].trial.ended);
  EXPECT_TRUE(intervals[1].trial.ended);
  EXPECT_EQ(intervals[0].trial.number, 1u);
  EXPECT_EQ(intervals[1].trial.number, 1u);
  EXPECT_EQ(intervals[1].trial.interval_ps, 20'000'000);
  EXPECT_EQ(intervals[1].latency->delta.size(), 2u);
}

TEST_F(LiveWatcherTest, StopsWhenAsked) {
  EXPECT_FALSE(watcher_.stopRequested());
  watcher_.requestStop();
  EXPECT_TRUE(watcher_.stopRequested());
}

}  // namespace
}  // namespace plumbline::control
