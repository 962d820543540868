#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.h"
#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPoint = "1024 B, 1 QP, unidirectional";

// The highest of the 64 steps that is not above the DUT's true throughput.
TEST(Throughput, IsFoundWithinTheResolution) {
  for (const std::int64_t percent : {100, 99, 75, 50, 33, 2}) {
    FakeDut dut;
    dut.throughput = Fraction::percent(percent);
    const results::TestResult result = runTest(throughputProcedure(), someScenario(), dut);
    const results::Quantity& found = kpi(result, "throughput_percent", kPoint);
    const std::int64_t step = percent * 64 / 100;
    EXPECT_DOUBLE_EQ(found.value, static_cast<double>(step) / 64 * 100);
    EXPECT_EQ(found.unit, "%");
    EXPECT_EQ(found.repetitions, 2U);
    EXPECT_FALSE(found.confidence_low);  // the search found the same twice
    EXPECT_EQ(found.uncertainty.statistics, results::Statistics::kIdentical);
    EXPECT_TRUE(result.valid);
  }
}

TEST(Throughput, ResolvesAsFinelyAsTheScenarioAsks) {
  FakeDut dut;
  dut.throughput = Fraction::partsPerTrillion(777'700'000'000);
  scenario::Scenario scenario = someScenario();
  scenario.parameters.resolution = Fraction::partsPerTrillion(1'000'000'000);
  EXPECT_DOUBLE_EQ(
      kpi(runTest(throughputProcedure(), scenario, dut), "throughput_percent", kPoint).value, 77.7);
}

// 1024 B of payload in 1102 B frames, 1122 B on the wire, two sending ports of 100 Gb/s, 75 %.
TEST(Throughput, ConvertsTheRateToItsUnits) {
  FakeDut dut;
  dut.throughput = Fraction::percent(75);
  const results::TestResult result = runTest(throughputProcedure(), someScenario(), dut);
  const auto& row = table(result, "throughput").rows.at(0);
  EXPECT_EQ(text(row[0]), "1024 B");
  EXPECT_EQ(text(row[1]), "1102 B");
  EXPECT_EQ(quantity(row[4]).value, 75);
  EXPECT_NEAR(quantity(row[5]).value, 0.75 * 100e9 / (1122 * 8), 1e-3);
  EXPECT_EQ(quantity(row[5]).unit, "frames/s");
  EXPECT_NEAR(quantity(row[6]).value, 0.150 * 1102 / 1122, 1e-12);
  EXPECT_EQ(quantity(row[6]).unit, "Tb/s");
  EXPECT_NEAR(quantity(row[7]).value, 0.150 * 1024 / 1122, 1e-12);
  // Payload on the line rate of both ports.
  EXPECT_NEAR(quantity(row[8]).value, 75.0 * 1024 / 1122, 1e-9);
  EXPECT_EQ(text(row[9]), "loss");
}

TEST(Throughput, CountsSendersOfBothDirections) {
  FakeDut dut;
  scenario::Scenario scenario = someScenario();
  scenario.traffic.directions = {{scenario::Direction::kBidirectional}};
  const results::TestResult result = runTest(throughputProcedure(), scenario, dut);
  const auto& row = table(result, "throughput").rows.at(0);
  EXPECT_NEAR(quantity(row[7]).value, 0.400 * 1024 / 1122, 1e-12);
  // Two pairs, both ways: every host sends and receives.
  EXPECT_EQ(dut.asked[0].first.streams.size(), 4U);
  EXPECT_EQ(table(result, "port_utilisation").rows.size(), 4U);
}

TEST(Throughput, SharesAPortAmongItsStreams) {
  FakeDut dut;
  scenario::Scenario scenario = someScenario();
  scenario.traffic.pairs = {{{0, 1}, {0, 2}, {0, 3}, {1, 2}}};
  runTest(throughputProcedure(), scenario, dut);
  const auto rate = [&](std::size_t i) {
    return std::get<bench::ConstantLoad>(dut.asked[0].first.streams.at(i).load).rate;
  };
  EXPECT_EQ(rate(0), Fraction::partsPerTrillion(333'333'333'333));
  EXPECT_EQ(rate(1), rate(0));
  EXPECT_EQ(rate(3), Fraction::one());
}

TEST(Throughput, SweepsEverySizeQpCountAndDirection) {
  FakeDut dut;
  scenario::Scenario scenario = someScenario();
  scenario.traffic.message_sizes = {{Bytes(64), Bytes(1024), Bytes(4096)}};
  scenario.traffic.qps = {{1, 16}};
  scenario.traffic.directions = {
      {scenario::Direction::kUnidirectional, scenario::Direction::kBidirectional}};
  const results::TestResult result = runTest(throughputProcedure(), scenario, dut);
  EXPECT_EQ(table(result, "throughput").rows.size(), 12U);
  EXPECT_EQ(result.kpis.size(), 12U);
  const results::Table& matrix = table(result, "payload_bidirectional");
  EXPECT_THAT(matrix.columns, ::testing::ElementsAre("Message", "1 QP", "16 QPs"));
  EXPECT_EQ(matrix.rows.size(), 3U);
  ASSERT_EQ(result.charts.size(), 2U);
  ASSERT_EQ(result.charts[0].series.size(), 3U);  // two QP counts and line rate
  EXPECT_TRUE(result.charts[0].series[2].reference);
  EXPECT_THAT(result.charts[0].series[0].x, ::testing::ElementsAre(64, 1024, 4096));
  // At full rate the measured line lies on the theoretical one.
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(result.charts[0].series[0].y[i], result.charts[0].series[2].y[i], 1e-12);
  }
  EXPECT_EQ(planForUnknownDut(throughputProcedure(), scenario).points.size(), 12U);
}

TEST(Throughput, TrialsOfOneRepetitionDifferInRateOnly) {
  FakeDut dut;
  dut.throughput = Fraction::percent(40);
  runTest(throughputProcedure(), someScenario(), dut);
  const auto starts = [](const bench::TrialSpec& spec) {
    std::vector<Picoseconds> list;
    for (const auto& stream : spec.streams) list.push_back(stream.start);
    return list;
  };
  std::map<std::uint32_t, std::vector<Picoseconds>> by_repetition;
  for (const auto& [spec, repetition] : dut.asked) {
    const auto [at, first] = by_repetition.emplace(repetition, starts(spec));
    EXPECT_EQ(at->second, starts(spec));
    for (const auto& stream : spec.streams) {
      EXPECT_GE(stream.start, Picoseconds());
      EXPECT_LT(stream.start, frameSlot(stream.frame, gigabitsPerSecond(100)));
    }
  }
  ASSERT_EQ(by_repetition.size(), 2U);
  EXPECT_NE(by_repetition[0], by_repetition[1]);
}

TEST(Throughput, NeedsNoMoreTrialsThanPlanned) {
  for (const std::int64_t percent : {100, 63, 31, 5}) {
    FakeDut dut;
    dut.throughput = Fraction::percent(percent);
    scenario::Scenario scenario = someScenario();
    scenario.parameters.repetitions = 4;
    runTest(throughputProcedure(), scenario, dut);
    EXPECT_LE(dut.asked.size(), planForUnknownDut(throughputProcedure(), scenario).trials_expected);
  }
}

TEST(Throughput, ATrialThatIsNotValidMakesThePointInvalid) {
  FakeDut dut;
  dut.throughput = Fraction::percent(60);
  dut.faults = [](const bench::TrialSpec&, std::uint32_t repetition) {
    return repetition == 1 ? std::vector<std::string>{"port 2: 3 frames left late"}
                           : std::vector<std::string>{};
  };
  const results::TestResult result = runTest(throughputProcedure(), someScenario(), dut);
  EXPECT_FALSE(result.valid);
  EXPECT_THAT(anomalies(result), HasSubstr("port 2: 3 frames left late"));
  EXPECT_THAT(anomalies(result), HasSubstr("repetition 1"));
  EXPECT_TRUE(result.kpis.empty());
  EXPECT_EQ(text(table(result, "throughput").rows.at(0)[4]), "not valid");
}

TEST(Throughput, SaysWhenNoRateIsWithoutLoss) {
  FakeDut dut;
  dut.throughput = Fraction();
  const results::TestResult result = runTest(throughputProcedure(), someScenario(), dut);
  EXPECT_TRUE(result.valid);
  EXPECT_EQ(kpi(result, "throughput_percent", kPoint).value, 0);
  EXPECT_THAT(anomalies(result), HasSubstr("no rate passed"));
  EXPECT_THAT(result.summary, HasSubstr("no rate passed; the lowest one was 1/64 of line rate"));
  const auto& row = table(result, "throughput").rows.at(0);
  for (std::size_t column = 4; column < 9; ++column) {
    EXPECT_EQ(text(row[column]), "no rate passed") << column;
  }
  EXPECT_EQ(text(table(result, "payload_unidirectional").rows.at(0)[1]), "no rate passed");
  EXPECT_TRUE(result.charts.at(0).series.at(0).x.empty());
}

// Half of line rate passes in the first repetition, and no rate in the others.
TEST(Throughput, CountsTheRepetitionsInWhichNoRatePassed) {
  FakeDut dut;
  dut.throughput = Fraction::percent(50);
  const auto loss = [&dut](const bench::TrialSpec&, std::uint32_t repetition) {
    dut.throughput = Fraction::percent(repetition == 0 ? 50 : 0);
    return std::vector<std::string>{};
  };
  dut.faults = loss;
  const results::TestResult result = runTest(throughputProcedure(), someScenario(), dut);
  EXPECT_EQ(kpi(result, "throughput_percent", kPoint).value, 25);  // of two repetitions
  EXPECT_THAT(anomalies(result), HasSubstr("no rate passed in 1 of 2 repetitions, which count as 0 "
                                           "in the mean: frames were lost"));
}

TEST(Throughput, NotesResultsThatDoNotRepeat) {
  FakeDut dut;
  int trials = 0;
  dut.faults = [&](const bench::TrialSpec&, std::uint32_t repetition) {
    dut.throughput = Fraction::percent(repetition == 0 ? 50 : 75);
    ++trials;
    return std::vector<std::string>{};
  };
  const results::TestResult result = runTest(throughputProcedure(), someScenario(), dut);
  EXPECT_DOUBLE_EQ(kpi(result, "throughput_percent", kPoint).value, 62.5);
  EXPECT_THAT(anomalies(result), HasSubstr("CV of throughput is 28.3 %"));
  EXPECT_EQ(result.repeatability.rows.size(), 1U);
  FakeDut steady;
  EXPECT_THAT(anomalies(runTest(throughputProcedure(), someScenario(), steady)),
              Not(HasSubstr("CV of")));
}

// A graph of one switch, or of two with a cable of 40 Gb/s between them: hosts a and b send to c
// and d.
scenario::Scenario twoPairs(bool shared_cable) {
  scenario::Scenario scenario;
  scenario.name = "two pairs";
  fabric::TopologySpec& topology = scenario.topology;
  topology.kind = fabric::TopologyKind::kGraph;
  topology.link_rate = gigabitsPerSecond(400);
  fabric::GraphSpec& graph = topology.graph;
  graph.hosts = {"a", "b", "c", "d"};
  graph.switches = {"s"};
  if (shared_cable) graph.switches.emplace_back("t");
  const std::string far = shared_cable ? "t" : "s";
  graph.cables = {{"a", "s", gigabitsPerSecond(400), nanoseconds(30)},
                  {"b", "s", gigabitsPerSecond(400), microseconds(9)},
                  {"c", far, gigabitsPerSecond(400), nanoseconds(100)},
                  {"d", far, gigabitsPerSecond(400), microseconds(2)}};
  if (shared_cable) {
    graph.cables.push_back({"s", "t", gigabitsPerSecond(160), microseconds(3)});
  }
  scenario.traffic.message_sizes = {{Bytes(1024)}};
  return scenario;
}

// What a host received is a range where a queue may have held frames beyond the trial's end, and a
// value where only the cables of the pairs differ, here by 10.9 us in a trial of 200 us.
TEST(Throughput, ReceivedIsARangeWhereQueuesGrewOnly) {
  const auto received = [](bool shared_cable) {
    const results::TestResult result = runTest(throughputProcedure(), twoPairs(shared_cable));
    return table(result, "port_utilisation").rows.at(2).at(3);
  };
  EXPECT_NEAR(quantity(received(false)).value, 100, 0.1);
  // A fifth of the hosts' line rate each, and what the buffer takes up beyond.
  const std::string range = text(received(true));
  EXPECT_THAT(range, ::testing::StartsWith("20"));
  EXPECT_THAT(range, HasSubstr(" to 2"));
}

TEST(Throughput, RefusesBeforeAnythingRuns) {
  FakeDut dut;
  scenario::Scenario scenario = someScenario();
  scenario.topology.hosts = 20;
  EXPECT_THAT(planForUnknownDut(throughputProcedure(), scenario).refusals,
              Not(::testing::IsEmpty()));
  EXPECT_THROW(runTest(throughputProcedure(), scenario, dut), Error);
  EXPECT_TRUE(dut.asked.empty());
  EXPECT_THAT(planForUnknownDut(throughputProcedure(), someScenario()).refusals,
              ::testing::IsEmpty());
}

TEST(Throughput, PlansHonestDurations) {
  scenario::Scenario scenario = someScenario();
  scenario.profile = scenario::Profile::kStandard;
  const Plan standard = planForUnknownDut(throughputProcedure(), scenario);
  // One size, four QP counts, two directions; 11 trials for the first search, 2 for each other.
  EXPECT_EQ(standard.trials_expected, 8U * (11 + 2 * 2));
  EXPECT_EQ(standard.simulated_time, seconds(60) * 8 * 15);
  EXPECT_EQ(standard.samples.size(), 8U);
}

TEST(Procedures, AreFoundByTheirIds) {
  EXPECT_GE(procedures().size(), 4U);
  for (const Procedure* test : procedures()) EXPECT_EQ(&procedure(test->id()), test);
  EXPECT_EQ(procedure("T5.1").title(), "Baseline throughput");
  EXPECT_THROW(procedure("T5.4"), Error);
}

}  // namespace
}  // namespace plumbline::suite
