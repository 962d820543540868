// Whole tests of the suite on both benches, as `bench: compare` runs them: the figures agree within
// the resolution of the benches, and if the benches are made to differ the comparison reports it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/card/rtl_bench.h"
#include "bench/sim/sim_bench.h"
#include "suite/framework/bench_comparison.h"
#include "suite/training/training.h"
#include "tests/integration/direct_runner.h"

namespace plumbline::suite {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::SizeIs;

// Two senders to one receiver: queueing, and a limit at half of line rate.
scenario::Scenario incast() {
  scenario::Scenario scenario;
  scenario.topology.hosts = 3;
  scenario.switches.buffer_per_port = Bytes(20'000);
  scenario.traffic.pairs = {{{0, 2}, {1, 2}}};
  scenario.traffic.message_sizes = {{Bytes(1024)}};
  scenario.traffic.directions = {{scenario::Direction::kUnidirectional}};
  scenario.traffic.qps = {{4}};
  scenario.parameters.loads = {{Fraction::percent(45)}};
  scenario.parameters.duration = microseconds(100);
  scenario.parameters.incast_ratios = {{2}};
  scenario.parameters.max_burst = 200;
  return scenario;
}

BenchResult onCard(const Procedure& test, const scenario::Scenario& scenario) {
  bench::RtlBench bench{{}};
  DirectRunner runner(bench);
  return runOnBench(test, {scenario, bench.capabilities()}, runner);
}

// Runs every trial on another switch than specified: a wrong model.
class WrongSwitch final : public TrialRunner {
 public:
  WrongSwitch(bench::Bench& bench, void (*change)(fabric::SwitchSpec&))
      : bench_(bench), change_(change) {}

  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t, const std::string&) override {
    bench::TrialSpec changed = spec;
    change_(changed.dut.switches);
    return bench_.run(changed, {});
  }

 private:
  bench::Bench& bench_;
  void (*change_)(fabric::SwitchSpec&);
};

BenchResult onHosts(
    const Procedure& test, const scenario::Scenario& scenario,
    void (*change)(fabric::SwitchSpec&) = [](fabric::SwitchSpec&) {}) {
  bench::SimBench bench{{}};
  WrongSwitch runner(bench, change);
  return runOnBench(test, {scenario, bench.capabilities()}, runner);
}

TEST(CompareBenches, ThroughputIsTheSame) {
  const auto figures = discrepancies(onCard(throughputProcedure(), incast()),
                                     onHosts(throughputProcedure(), incast()));
  ASSERT_THAT(figures, SizeIs(1));
  EXPECT_EQ(figures[0].first.value, 50);
  EXPECT_EQ(figures[0].second.value, 50);
}

TEST(CompareBenches, BurstsAreTheSameWithinAFrame) {
  const auto figures =
      discrepancies(onCard(burstProcedure(), incast()), onHosts(burstProcedure(), incast()));
  ASSERT_THAT(figures, SizeIs(1));
  // 20000 B hold 18 frames of 1102 B, and 17 or 18 of a sender fit (burst_capacity_test.cc).
  EXPECT_GE(figures[0].second.value, 17);
  EXPECT_LE(figures[0].second.value, 18);
  EXPECT_NEAR(figures[0].first.value, figures[0].second.value, 1);
}

// Frames that meet at the receiver's port wait for each other's whole frame on either bench; the
// remaining difference is a clock of the card at each end.
TEST(CompareBenches, LatencyIsTheSameWithinTwoClocks) {
  const auto card = onCard(latencyProcedure(), incast());
  const auto hosts = onHosts(latencyProcedure(), incast());
  const auto figures = discrepancies(card, hosts);
  EXPECT_THAT(figures, SizeIs(24));  // seven latencies and the loss, at three loads
  for (const Discrepancy& figure : figures) {
    EXPECT_NEAR(figure.first.value, figure.second.value,
                2 * card.timestamp_resolution.toNanoseconds())
        << figure.kpi << " " << figure.point;
    EXPECT_FALSE(figure.excessive()) << figure.kpi << " " << figure.point;
    EXPECT_EQ(figure.first.observed, ObservationPoint::kTester);
    EXPECT_EQ(figure.second.observed, ObservationPoint::kModelled);
  }
  const results::TestResult both = compareBenches(card, hosts);
  EXPECT_THAT(both.summary, HasSubstr("24 figures on both benches, 24 within 10 %"));
  EXPECT_EQ(results::TestResult::fromJson(both.toJson()).toJson(), both.toJson());
}

scenario::Scenario marking() {
  scenario::Scenario scenario;
  scenario.topology.hosts = 3;
  scenario.parameters.sizes = {{Bytes(20'000)}};
  scenario.parameters.repetitions = 2;
  return scenario;
}

// On a ramp the switch draws for every frame whether it marks it: the draws are the same for the
// same queues, if the frames of both senders arrive in the same order. Marks 5 kB too late are
// detected.
TEST(CompareBenches, MarksAreTheSameWhereTheSwitchIs) {
  const auto card = onCard(ecnAccuracyProcedure(), marking());
  const auto figures = discrepancies(card, onHosts(ecnAccuracyProcedure(), marking()));
  EXPECT_THAT(figures, SizeIs(27));  // kmin, two deviations, and 24 bins of the ramp
  double max = 0;
  for (const Discrepancy& figure : figures) {
    EXPECT_EQ(figure.first.value, figure.second.value) << figure.kpi << " " << figure.point;
    EXPECT_EQ(figure.first.observed, ObservationPoint::kTester);
    EXPECT_EQ(figure.second.observed, ObservationPoint::kModelled);
    if (figure.kpi == "marking_percent") max = std::max(max, figure.first.value);
    if (figure.kpi == "ecn_threshold_bytes") {
      EXPECT_NEAR(figure.first.value, 20'000, 1024);  // one frame
    }
  }
  EXPECT_EQ(max, 100);

  const auto late = discrepancies(
      card, onHosts(ecnAccuracyProcedure(), marking(), [](fabric::SwitchSpec& switches) {
        switches.ecn.front().kmin += Bytes(5'000);
        switches.ecn.front().kmax += Bytes(5'000);
      }));
  ASSERT_FALSE(late.empty());
  EXPECT_EQ(late[0].kpi, "ecn_threshold_bytes");
  EXPECT_NEAR(late[0].percent, 25, 6);
  EXPECT_THAT(late[0].cause, HasSubstr("neither resolution nor scatter"));
}

// The hosts' switch is slower: no resolution or scatter explains that.
TEST(CompareBenches, AModelThatIsWrongIsFound) {
  const auto hosts = onHosts(latencyProcedure(), incast(), [](fabric::SwitchSpec& switches) {
    switches.latency += nanoseconds(200);
  });
  const auto both = compareBenches(onCard(latencyProcedure(), incast()), hosts);
  std::string all;
  for (const auto& anomaly : both.anomalies) all += anomaly.what + "\n";
  EXPECT_THAT(all, testing::ContainsRegex("latency_min_ns of rtl .*: neither resolution"));
}

// With a larger buffer the search of the hosts ends at a higher rate: at that point the offered
// loads differ, so that the models cannot be compared.
TEST(CompareBenches, ADifferentLoadIsNamedAsTheCause) {
  const auto hosts = onHosts(latencyProcedure(), incast(), [](fabric::SwitchSpec& switches) {
    switches.buffer_per_port = Bytes(400'000);
  });
  const auto figures = discrepancies(onCard(latencyProcedure(), incast()), hosts);
  for (const Discrepancy& figure : figures) {
    const bool searched = figure.point == "1024 B, throughput rate";
    EXPECT_EQ(figure.cause.find("its own search") != std::string::npos,
              searched && figure.excessive())
        << figure.kpi << " " << figure.point << ": " << figure.cause;
  }
  EXPECT_THAT(figures, Contains(Field(&Discrepancy::cause, HasSubstr("its own search"))));
}

}  // namespace
}  // namespace plumbline::suite
