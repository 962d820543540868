#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Latency in ns: 1000 at zero load, 1000 + 10 per percent of load; the reverse direction 100 more.
// The pairs have a group for each direction.
FakeDut loadedDut() {
  FakeDut dut;
  dut.throughput = Fraction::percent(80);
  dut.latencies = [](std::uint32_t group, Fraction rate) {
    const auto percent = static_cast<std::uint64_t>(std::llround(rate.toDouble() * 100));
    const std::uint64_t base =
        1'000'000 + (percent <= 1 ? 0 : percent * 10'000) + group % 2 * std::uint64_t{100'000};
    std::vector<std::uint64_t> values(2000, base);
    values.push_back(2 * base);
    return values;
  };
  return dut;
}

TEST(Latency, GivesTheFiguresOfEveryLoad) {
  FakeDut dut = loadedDut();
  scenario::Scenario scenario = someScenario();
  scenario.traffic.directions = {{scenario::Direction::kUnidirectional}};
  const results::TestResult result = runTest(latencyProcedure(), scenario, dut);
  EXPECT_TRUE(result.valid);
  for (const auto& [point, base] :
       {std::pair{"1024 B, zero load", 1000.0}, std::pair{"1024 B, 50 % load", 1500.0},
        std::pair{"1024 B, throughput rate", 1800.0}}) {
    EXPECT_DOUBLE_EQ(kpi(result, "latency_min_ns", point).value, base) << point;
    EXPECT_NEAR(kpi(result, "latency_mean_ns", point).value, base * 2002 / 2001, 1e-6);
    EXPECT_NEAR(kpi(result, "latency_p50_ns", point).value, base, base * 0.004);
    EXPECT_NEAR(kpi(result, "latency_p99_ns", point).value, base, base * 0.004);
    EXPECT_NEAR(kpi(result, "latency_p999_ns", point).value, base, base * 0.004);
    EXPECT_DOUBLE_EQ(kpi(result, "latency_max_ns", point).value, 2 * base);
    EXPECT_EQ(kpi(result, "latency_max_ns", point).repetitions, 3U);
    EXPECT_EQ(kpi(result, "loss_ppm", point).value, 0);
  }
  ASSERT_EQ(result.distributions.size(), 3U);
  EXPECT_EQ(result.distributions[1].title, "1024 B, 50 % load");
  EXPECT_EQ(result.distributions[0].histogram.count(), 3U * 2001);      // of one pair
  EXPECT_EQ(result.distributions[1].histogram.count(), 3U * 2 * 2001);  // of both
  EXPECT_EQ(table(result, "latency").rows.size(), 3U);
}

TEST(Latency, RelatesLoadedToZeroLoad) {
  FakeDut dut = loadedDut();
  scenario::Scenario scenario = someScenario();
  scenario.traffic.directions = {{scenario::Direction::kUnidirectional}};
  const results::TestResult result = runTest(latencyProcedure(), scenario, dut);
  const results::Table& increase = table(result, "increase_factor");
  ASSERT_EQ(increase.rows.size(), 2U);
  EXPECT_EQ(text(increase.rows[0][1]), "50 % load");
  EXPECT_NEAR(quantity(increase.rows[0][2]).value, 1.5, 1e-9);
  // 79.6875 % is the highest of 64 steps below the DUT's 80 %.
  EXPECT_EQ(text(increase.rows[1][1]), "throughput rate (79.6875 %)");
  EXPECT_NEAR(quantity(increase.rows[1][2]).value, 1.8, 1e-9);
}

// The second pair sends under load only, and its way is 5 us longer: what the load adds is that of
// the first pair, and so is the round trip.
TEST(Latency, ComparesTheFirstPairWithItself) {
  FakeDut dut = loadedDut();
  dut.latencies = [of_first = dut.latencies](std::uint32_t group, Fraction rate) {
    std::vector<std::uint64_t> values = of_first(group, rate);
    if (group >= 2) {
      for (std::uint64_t& value : values) value += 5'000'000;
    }
    return values;
  };
  const results::TestResult result = runTest(latencyProcedure(), someScenario(), dut);
  // There and back: 1000 and 1100 ns without load, 1500 and 1600 ns at 50 %.
  const auto& half = table(result, "increase_factor").rows[0];
  EXPECT_NEAR(quantity(half[2]).value, 1550.0 / 1050, 1e-9);
  EXPECT_NEAR(quantity(half[3]).value, 1600.0 / 1100, 0.008);
  EXPECT_NEAR(quantity(table(result, "round_trip").rows[1][4]).value, 3100.0 * 2002 / 2001, 1e-6);
  EXPECT_NEAR(kpi(result, "latency_mean_ns", "1024 B, 50 % load").value,
              (1550.0 + 2500) * 2002 / 2001, 10);
}

TEST(Latency, AddsUpTheRoundTripFromBothDirections) {
  FakeDut dut = loadedDut();
  const results::TestResult result = runTest(latencyProcedure(), someScenario(), dut);
  const results::Table& round_trip = table(result, "round_trip");
  ASSERT_EQ(round_trip.rows.size(), 3U);
  const double forward = quantity(round_trip.rows[0][2]).value;
  const double reverse = quantity(round_trip.rows[0][3]).value;
  EXPECT_NEAR(forward, 1000.0 * 2002 / 2001, 1e-6);
  EXPECT_NEAR(reverse, 1100.0 * 2002 / 2001, 1e-6);
  EXPECT_NEAR(quantity(round_trip.rows[0][4]).value, forward + reverse, 1e-9);
  EXPECT_THAT(deviations(result), Not(HasSubstr("round-trip latency not measured")));
}

TEST(Latency, ClaimsNoRoundTripFromOneDirection) {
  FakeDut dut = loadedDut();
  scenario::Scenario scenario = someScenario();
  scenario.traffic.directions = {{scenario::Direction::kUnidirectional}};
  const results::TestResult result = runTest(latencyProcedure(), scenario, dut);
  EXPECT_THROW(table(result, "round_trip"), std::runtime_error);
  EXPECT_THAT(deviations(result), HasSubstr("round-trip latency not measured"));
}

TEST(Latency, ZeroLoadIsOneQueuePairOfOnePair) {
  FakeDut dut = loadedDut();
  scenario::Scenario scenario = someScenario();
  scenario.traffic.qps = {{2, 8}};
  runTest(latencyProcedure(), scenario, dut);
  const bench::TrialSpec& zero = dut.asked[0].first;
  ASSERT_EQ(zero.streams.size(), 2U);  // there and back
  EXPECT_EQ(zero.streams[0].format.qps, 1U);
  EXPECT_EQ(std::get<bench::ConstantLoad>(zero.streams[0].load).rate, Fraction::percent(1));
  // 20 frames of 1122 byte times at 1 %: more than the 200 us of a loaded trial? 179.5 us: no.
  EXPECT_EQ(zero.duration, microseconds(200));
  const bench::TrialSpec& loaded = dut.asked[3].first;
  EXPECT_EQ(loaded.streams.size(), 4U);
  EXPECT_EQ(loaded.streams[0].format.qps, 8U);
}

TEST(Latency, ProlongsZeroLoadTrialsToSomeFrames) {
  FakeDut dut = loadedDut();
  scenario::Scenario scenario = someScenario();
  scenario.traffic.message_sizes = {{Bytes(4096)}};
  runTest(latencyProcedure(), scenario, dut);
  // 4194 byte times / 1 % * 20 frames.
  EXPECT_EQ(dut.asked[0].first.duration, Picoseconds(4194) * 80 * 100 * 20);
}

// A run of both tests must not search twice: the trials are the same ones.
TEST(Latency, SearchesWithTheTrialsOfTheThroughputTest) {
  scenario::Scenario scenario = someScenario();
  scenario.traffic.qps = {{4}};
  scenario.traffic.directions = {{scenario::Direction::kBidirectional}};
  scenario.parameters.duration = microseconds(50);
  FakeDut throughput = loadedDut();
  const bench::Capabilities bench = someBench();
  throughputProcedure().run({scenario, bench}, throughput);
  FakeDut latency = loadedDut();
  runTest(latencyProcedure(), scenario, latency);
  std::set<std::string> known;
  for (const auto& [spec, repetition] : throughput.asked) {
    known.insert(spec.toJson() + std::to_string(repetition));
  }
  std::size_t shared = 0;
  for (const auto& [spec, repetition] : latency.asked) {
    shared += known.count(spec.toJson() + std::to_string(repetition));
  }
  EXPECT_GE(shared, 7U);  // line rate and six or seven bisections
}

TEST(Latency, LeavesOutRepetitionsThatAreNotValid) {
  FakeDut dut = loadedDut();
  dut.faults = [](const bench::TrialSpec& spec, std::uint32_t repetition) {
    const bool loaded =
        std::get<bench::ConstantLoad>(spec.streams[0].load).rate == Fraction::percent(50);
    return loaded && repetition != 2 ? std::vector<std::string>{"event overflow"}
                                     : std::vector<std::string>{};
  };
  const results::TestResult result = runTest(latencyProcedure(), someScenario(), dut);
  EXPECT_FALSE(result.valid);
  EXPECT_THAT(anomalies(result), HasSubstr("event overflow @ 1024 B, 50 % load, repetition 0"));
  EXPECT_THAT(anomalies(result), HasSubstr("event overflow @ 1024 B, 50 % load, repetition 1"));
  EXPECT_EQ(kpi(result, "latency_mean_ns", "1024 B, 50 % load").repetitions, 1U);
  EXPECT_FALSE(kpi(result, "latency_mean_ns", "1024 B, 50 % load").cv);
}

TEST(Latency, HasNoFiguresWithoutValidTrials) {
  FakeDut dut = loadedDut();
  dut.faults = [](const bench::TrialSpec&, std::uint32_t) {
    return std::vector<std::string>{"late start"};
  };
  const results::TestResult result = runTest(latencyProcedure(), someScenario(), dut);
  EXPECT_FALSE(result.valid);
  EXPECT_TRUE(result.kpis.empty());
  EXPECT_TRUE(result.distributions.empty());
  EXPECT_THAT(anomalies(result), HasSubstr("no latency at the throughput rate"));
  EXPECT_EQ(text(table(result, "latency").rows.at(0)[3]), "not valid");
}

// The search finds no rate: the latency at that rate is missing, and the other loads are there.
TEST(Latency, ThatIsMissingIsSaidToBe) {
  FakeDut dut;
  dut.throughput = Fraction();
  const results::TestResult result = runTest(latencyProcedure(), someScenario(), dut);
  std::size_t p99 = 0;
  for (const results::UnmeasuredKpi& one : result.unmeasured) {
    EXPECT_TRUE(one.name.starts_with("latency_") && one.name.ends_with("_ns")) << one.name;
    EXPECT_NE(one.point.find("throughput rate"), std::string::npos) << one.point;
    if (one.name == "latency_p99_ns") ++p99;
  }
  EXPECT_EQ(p99, 1U);
}

TEST(Latency, SaysWhenFramesWereLost) {
  FakeDut dut = loadedDut();
  dut.throughput = Fraction::percent(40);
  const results::TestResult result = runTest(latencyProcedure(), someScenario(), dut);
  // One of a million frames in each of four streams and three repetitions.
  EXPECT_DOUBLE_EQ(kpi(result, "loss_ppm", "1024 B, 50 % load").value, 1);
  EXPECT_THAT(anomalies(result), HasSubstr("12 of 12000000 frames lost"));
  EXPECT_EQ(kpi(result, "loss_ppm", "1024 B, throughput rate").value, 0);
}

TEST(Latency, SaysWhenAPercentileRestsOnFewFrames) {
  scenario::Scenario scenario = someScenario();
  scenario.traffic.directions = {{scenario::Direction::kUnidirectional}};
  const auto with = [&scenario](std::size_t frames) {
    FakeDut dut = loadedDut();
    dut.latencies = [frames](std::uint32_t, Fraction) {
      return std::vector<std::uint64_t>(frames, 5000);
    };
    return runTest(latencyProcedure(), scenario, dut);
  };
  EXPECT_THAT(anomalies(with(10'000)), Not(HasSubstr("too few samples")));
  // 3 repetitions of 400 frames, under load of each of two pairs, but each repetition has its own
  // percentiles: P50 and P95 of three loads have 20 and 200, P99 and P99.9 do not have 1,000 and
  // 10,000.
  const results::TestResult few = with(400);
  EXPECT_THAT(anomalies(few), HasSubstr("6 of 12 percentiles rest on too few samples"));
  EXPECT_THAT(anomalies(few), HasSubstr("P99.9 of 400 samples, 10,000 needed"));
  const results::Quantity& p99 = kpi(few, "latency_p99_ns", "1024 B, 50 % load");
  EXPECT_EQ(p99.percentile, (results::Percentile{0.99, 800}));
  EXPECT_EQ(quantity(table(few, "latency").rows.at(1).at(7)).percentile, p99.percentile);
  EXPECT_FALSE(kpi(few, "latency_p95_ns", "1024 B, 50 % load").percentile->tooFew());
  EXPECT_FALSE(kpi(few, "latency_max_ns", "1024 B, 50 % load").percentile);
  // The chart has a point for each load in a series of its own.
  for (const results::Series& series : few.charts.front().series) {
    EXPECT_EQ(series.few_samples.size(), series.name.starts_with("P99") ? 1U : 0U) << series.name;
  }
}

// Four hosts of a leaf share one uplink, and PFC holds them back for longer than trial and drain
// take. Frames that are on their way then are not lost: nothing is dropped.
TEST(Latency, FramesOfSendersThatAreHeldBackAreNotLost) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.leaves = 2;
  scenario.topology.spines = 1;
  scenario.traffic.message_sizes = {{Bytes(4096)}};
  scenario.parameters.loads = {{Fraction::percent(90)}};
  scenario.parameters.duration = microseconds(500);
  scenario.parameters.drain = microseconds(200);
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(latencyProcedure(), scenario);
  EXPECT_EQ(kpi(result, "loss_ppm", "4096 B, 90 % load").value, 0);
  EXPECT_THAT(anomalies(result), Not(HasSubstr("frames lost")));
  EXPECT_THAT(anomalies(result), HasSubstr("PFC held senders back"));
}

TEST(Latency, NeedsNoMoreTrialsThanPlanned) {
  scenario::Scenario scenario = someScenario();
  scenario.traffic.message_sizes = {{Bytes(64), Bytes(4096)}};
  scenario.parameters.loads = {{Fraction::percent(10), Fraction::percent(70)}};
  FakeDut dut = loadedDut();
  runTest(latencyProcedure(), scenario, dut);
  const Plan planned = planForUnknownDut(latencyProcedure(), scenario);
  // The first trial at the throughput rate is the search's: a run has it already.
  std::set<std::pair<std::string, std::uint32_t>> different;
  for (const auto& [spec, repetition] : dut.asked) different.emplace(spec.toJson(), repetition);
  EXPECT_LE(different.size(), planned.trials_expected);
  EXPECT_EQ(planned.trials_expected, 2U * (3 * 4 - 1 + 7));
  EXPECT_EQ(planned.points.size(), 2U * 4);
}

}  // namespace
}  // namespace plumbline::suite
