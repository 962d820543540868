// The test of link-level retry on the card: its computed values, and that it detects errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suite/card/card.h"
#include "tests/suite/scripted_card.h"

namespace plumbline::suite {
namespace {

using bench::TrialResult;
using bench::TrialSpec;
using ::testing::HasSubstr;

// 1000 frames of 512 bytes over 500 ns, ten of them damaged and repaired in `took` each. On a free
// line that is 1511.2 ns (tests/bench_rtl/retry_time_test.cc), under load up to 42.56 ns more.
TrialResult repaired(const TrialSpec& spec, const std::vector<Picoseconds>& took) {
  TrialResult result = nothingWrong(spec);
  bench::LinkRetryOutcome sender;
  bench::LinkRetryOutcome receiver;
  for (const Picoseconds one : took) {
    receiver.damaged.record(static_cast<std::uint64_t>(one.count()));
  }
  sender.counters.tx_ok = 1000;
  sender.counters.tx_replay = took.size();
  sender.counters.tx_replay_frames = 5 * took.size();
  receiver.counters.rx_bad = receiver.counters.expected_bad = took.size();
  receiver.counters.tx_nack = receiver.counters.rx_replay = took.size();
  bench::DamageOutcome damage;
  damage.counters.frames = took.size();
  const bench::StreamSpec& stream = spec.streams.front();
  result.ports[stream.from].link_retry = sender;
  result.ports[stream.to].link_retry = receiver;
  result.ports[stream.from].damage_sent = damage;
  return result;
}

scenario::Scenario onALinkOf500ns() {
  scenario::Scenario scenario = onALink();
  scenario.topology.host_link_delay = nanoseconds(500);
  scenario.traffic.frame_sizes = {{Bytes(512)}};
  scenario.parameters.card.error_ratios = {{1e-6, 1e-4}};
  return scenario;
}

TEST(LlrRetry, ComparesTimesWithThoseComputed) {
  Scripted runner([](const TrialSpec& spec) {
    // 20 ns more than on a free line: the sender's current frame, if there is one.
    return repaired(spec, std::vector<Picoseconds>(10, Picoseconds(1'531'176)));
  });
  const scenario::Scenario scenario = onALinkOf500ns();
  const results::TestResult result = llrRetryProcedure().run({scenario, aCard()}, runner);
  checkWellFormed(result);
  EXPECT_TRUE(result.valid);
  EXPECT_NEAR(kpi(result, "llr_retry_error_ns", "single, line free").value, 20, 1e-9);
  EXPECT_EQ(kpi(result, "llr_retry_error_ns", "1e-06 per bit").value, 0);
  EXPECT_NEAR(kpi(result, "llr_retry_max_ns", "1e-06 per bit").value, 1531.176, 1e-9);
  EXPECT_EQ(kpi(result, "lost_frames", "0.0001 per bit").value, 0);
  EXPECT_EQ(kpi(result, "lost_frames", "0.0001 per bit").observed, ObservationPoint::kTester);
  EXPECT_THAT(anomalies(result), HasSubstr("20.0 ns more or less than computed"));
  const auto& counts = table(result, "counts").rows.at(1);
  EXPECT_EQ(quantity(counts.at(3)).value, 10);  // damaged
  EXPECT_EQ(quantity(counts.at(4)).value, 10);  // and found
  EXPECT_EQ(quantity(counts.at(5)).value, 10);  // NACKs
  // 1000 good ones of 1050.
  EXPECT_NEAR(quantity(table(result, "efficiency").rows.at(1).at(1)).value, 95.238, 0.001);
  // Closed form on a full line: 1 % fail and cost 1511.176 + 21.28 ns, half a frame more, of
  // 42.56 ns each: 1 / (1 + 0.01 * 36.507).
  EXPECT_NEAR(quantity(table(result, "efficiency").rows.at(1).at(3)).value, 73.256, 0.01);
  EXPECT_EQ(result.distributions.size(), 3U);
  ASSERT_EQ(result.charts.size(), 1U);
  EXPECT_EQ(result.charts[0].series.at(0).x, (std::vector<double>{1e-6, 1e-4}));
}

TEST(LlrRetry, ARetryThatMeetsAnotherErrorTakesTwice) {
  const scenario::Scenario scenario = onALinkOf500ns();
  const auto runWith = [&](std::uint64_t nacks) {
    Scripted runner([nacks](const TrialSpec& spec) {
      TrialResult result = repaired(spec, {Picoseconds(1'511'176), Picoseconds(3'100'000)});
      result.ports[1].link_retry->counters.tx_nack = nacks;
      return result;
    });
    return llrRetryProcedure().run({scenario, aCard()}, runner);
  };
  EXPECT_EQ(kpi(runWith(3), "llr_retry_error_ns", "1e-06 per bit").value, 0);
  // With one NACK for each the second one is too long by all of an attempt: 1'553'736 ps.
  EXPECT_NEAR(kpi(runWith(2), "llr_retry_error_ns", "1e-06 per bit").value, 3100 - 1553.736, 0.01);
}

// 2200 ns are too long for one attempt and too short for two, which take 3022.352 ns at least. They
// are known to their bucket, which begins at 134 * 16.384 ns.
TEST(LlrRetry, ATimeBetweenTwoNumbersOfAttemptsIsWrong) {
  Scripted runner([](const TrialSpec& spec) {
    TrialResult result =
        repaired(spec, {Picoseconds(1'511'176), Picoseconds(2'200'000), Picoseconds(3'100'000)});
    result.ports[1].link_retry->counters.tx_nack = 5;
    return result;
  });
  const scenario::Scenario scenario = onALinkOf500ns();
  const results::TestResult result = llrRetryProcedure().run({scenario, aCard()}, runner);
  EXPECT_NEAR(kpi(result, "llr_retry_error_ns", "1e-06 per bit").value, 2195.456 - 1553.736, 0.01);
}

TEST(LlrRetry, SaysWhatGotThrough) {
  Scripted runner([](const TrialSpec& spec) {
    TrialResult result = repaired(spec, {Picoseconds(1'511'176)});
    result.streams[0].lost = 2;
    result.streams[0].duplicate = 3;
    result.ports[0].damage_sent->counters.frames = 4;
    return result;
  });
  const scenario::Scenario scenario = onALinkOf500ns();
  const results::TestResult result = llrRetryProcedure().run({scenario, aCard()}, runner);
  EXPECT_EQ(kpi(result, "lost_frames", "single, line free").value, 2);
  EXPECT_THAT(anomalies(result), HasSubstr("2 frames lost, 3 came twice"));
  EXPECT_THAT(anomalies(result), HasSubstr("4 frames damaged, 1 found"));
  EXPECT_THAT(result.summary, HasSubstr("6 frames lost"));
}

TEST(LlrRetry, LoadsTheLineWithWhatGoBackNLeavesOfIt) {
  Scripted runner([](const TrialSpec& spec) { return repaired(spec, {Picoseconds(1'511'176)}); });
  const scenario::Scenario scenario = onALinkOf500ns();
  (void)llrRetryProcedure().run({scenario, aCard()}, runner);
  ASSERT_EQ(runner.asked.size(), 3U);
  const auto rate = [&](std::size_t i) {
    return std::get<bench::ConstantLoad>(runner.asked[i].streams.at(0).load).rate;
  };
  EXPECT_EQ(rate(1), Fraction::percent(80));
  // 4096 bits at 1e-4: 33.6 % of the attempts fail, 0.5062 for each good frame, each for
  // 1532.5 / 42.56 slots.
  EXPECT_NEAR(rate(2).toDouble(), 1 / (1 + 0.5062 * 36.007), 1e-4);
  // Single errors are further apart than retries.
  const double period = 42.56 / rate(0).toDouble();
  EXPECT_GT(period, 2 * 1554);
  EXPECT_GE(runner.asked[0].duration.toNanoseconds(), 39 * period);
  for (const TrialSpec& spec : runner.asked) {
    ASSERT_TRUE(spec.link_retry);
    EXPECT_GT(spec.link_retry->config.replay_count_max, card::kLlrMaxReplays);
    EXPECT_GE(spec.link_retry->config.replay_timer, microseconds(20));
    EXPECT_EQ(spec.damage.at(0).host, 0U);
  }
}

// Both directions of the link, each measured where its frames arrive.
TEST(LlrRetry, TakesEveryPairForAHop) {
  Scripted runner([](const TrialSpec& spec) {
    return repaired(spec, {Picoseconds(spec.streams.at(0).from == 0 ? 1'511'176 : 1'531'176)});
  });
  scenario::Scenario scenario = onALinkOf500ns();
  scenario.traffic.pairs = {{0, 1}, {1, 0}};
  const results::TestResult result = llrRetryProcedure().run({scenario, aCard()}, runner);
  checkWellFormed(result);
  ASSERT_EQ(runner.asked.size(), 6U);
  for (const TrialSpec& spec : runner.asked) {
    ASSERT_EQ(spec.streams.size(), 1U);
    EXPECT_EQ(spec.damage.at(0).host, spec.streams[0].from);
    EXPECT_EQ(spec.streams[0].to, 1 - spec.streams[0].from);
  }
  EXPECT_EQ(kpi(result, "llr_retry_error_ns", "0 to 1, single, line free").value, 0);
  EXPECT_NEAR(kpi(result, "llr_retry_error_ns", "1 to 0, single, line free").value, 20, 1e-9);
  EXPECT_NEAR(kpi(result, "llr_retry_max_ns", "0 to 1, 1e-06 per bit").value, 1511.176, 1e-9);
  EXPECT_NEAR(kpi(result, "llr_retry_max_ns", "1 to 0, 1e-06 per bit").value, 1531.176, 1e-9);
  EXPECT_EQ(table(result, "retries").rows.size(), 6U);
  // Three of each hop, and two computed for both.
  ASSERT_EQ(result.charts.size(), 1U);
  ASSERT_EQ(result.charts[0].series.size(), 8U);
  for (const results::Series& series : result.charts[0].series) {
    EXPECT_EQ(series.x, (std::vector<double>{1e-6, 1e-4})) << series.name;
  }
}

// 4096 bytes pass at 1e-4 once in 26 attempts, at 1e-5 in 1.4.
TEST(LlrRetry, WantsFramesThatHaveAChance) {
  scenario::Scenario scenario = onALinkOf500ns();
  scenario.traffic.frame_sizes = {{Bytes(4096)}};
  EXPECT_THAT(llrRetryProcedure().plan({scenario, aCard()}).refusals.at(0),
              HasSubstr("hardly ever pass at 0.0001"));
  scenario.parameters.card.error_ratios.reset();
  const Plan plan = llrRetryProcedure().plan({scenario, aCard()});
  EXPECT_TRUE(plan.refusals.empty());
  EXPECT_EQ(plan.points.size(), 3U);
}

TEST(LlrRetry, RefusesALinkLongerThanItsBuffer) {
  scenario::Scenario scenario = onALinkOf500ns();
  scenario.topology.host_link_delay = microseconds(7);  // 14.5 us
  EXPECT_TRUE(llrRetryProcedure().plan({scenario, aCard()}).refusals.empty());
  scenario.topology.host_link_delay = microseconds(8);
  EXPECT_THAT(llrRetryProcedure().plan({scenario, aCard()}).refusals.at(0), HasSubstr("16.6 us"));
}

TEST(LlrRetry, NeedsABareLink) {
  scenario::Scenario scenario = onALinkOf500ns();
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 2;
  EXPECT_THAT(llrRetryProcedure().plan({scenario, aCard()}).refusals.at(0),
              HasSubstr("a bare link"));
}

}  // namespace
}  // namespace plumbline::suite
