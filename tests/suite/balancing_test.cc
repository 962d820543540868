// T8.1 to T8.4 and T6.3: orderings that must come out, and closed forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/random.h"
#include "suite/framework/balls_in_bins.h"
#include "suite/inference/inference.h"
#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Fairness, SprayIsFairerThanFlowletsAreFairerThanEcmp) {
  const scenario::Scenario scenario = smallFabric();
  SimRunner runner;
  const results::TestResult result =
      fairnessProcedure().run({scenario, runner.bench.capabilities()}, runner);
  ASSERT_TRUE(result.valid);
  const double ecmp = kpi(result, "link_jfi", "ECMP").value;
  const double flowlet = kpi(result, "link_jfi", "flowlet DLB").value;
  const double spray = kpi(result, "link_jfi", "packet spray").value;
  EXPECT_GE(spray, 0.99);  // except for the random traffic of leaves
  // Flowlets choose by queues, message by message: not as even as packets in turn.
  EXPECT_LT(flowlet, spray);
  EXPECT_LT(ecmp, flowlet);
  EXPECT_LT(ecmp, 0.95);
  ASSERT_EQ(result.charts.size(), 1U);
  EXPECT_EQ(result.charts[0].categories,
            (std::vector<std::string>{"ECMP", "ECMP, BTH-aware", "flowlet DLB", "packet spray"}));
  EXPECT_EQ(result.charts[0].series.at(0).y.at(3), spray);
  EXPECT_EQ(result.heat_maps.size(), 8U);
}

TEST(BallsInBins, AreThrownExactly) {
  // Two into two: both in one half of the time.
  EXPECT_DOUBLE_EQ(expectedMaxMeanRatio(2, 2, 1), 1.5);
  EXPECT_DOUBLE_EQ(expectedMaxMeanRatio(1, 8, 1), 8);
  EXPECT_DOUBLE_EQ(expectedMaxMeanRatio(5, 1, 3), 1);
  // Two throws of two: 1 - 1/4 that one of them has both in a bin.
  EXPECT_DOUBLE_EQ(expectedMaxMeanRatio(2, 2, 2), 1.75);
  // By throwing: 8 leaves, 8 uplinks, 32 flows each.
  RandomStream random(1, "balls");
  double sum = 0;
  constexpr int kThrows = 4000;
  for (int i = 0; i < kThrows; ++i) {
    int max = 0;
    for (int leaf = 0; leaf < 8; ++leaf) {
      std::array<int, 8> bins{};
      for (int ball = 0; ball < 32; ++ball) max = std::max(max, ++bins[random.below(8)]);
    }
    sum += max / 4.0;
  }
  EXPECT_NEAR(expectedMaxMeanRatio(32, 8, 8), sum / kThrows, 0.02);
}

// QPs that share the 5-tuple: ECMP cannot distinguish them and gives all of them one path, however
// many there are. With the destination QP, or a port for each, more QPs are more balls.
TEST(EcmpEntropy, QueuePairsOfOneTupleNeedBthAwareHashing) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.flows = {{1, 32}};
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(ecmpEntropyProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  const auto mmr = [&](const char* name, const char* point) {
    return kpi(result, name, std::string("8 leaves, ") + point).value;
  };
  for (const char* name : {"link_mmr", "link_flow_mmr"}) {
    const double one = mmr(name, "1 QPs, ECMP");
    EXPECT_GE(one, 2) << name;
    EXPECT_NEAR(mmr(name, "32 QPs, ECMP"), one, 0.02 * one) << name;
    for (const char* aware : {"32 QPs, ECMP, BTH-aware", "32 QPs, ECMP, a port per QP"}) {
      EXPECT_LT(mmr(name, aware), 0.8 * one) << name;
      EXPECT_GT(mmr(name, aware), 1) << name;
    }
  }
  // 4 flows of each of 8 leaves on 4 uplinks, whole numbers of flows: MMR is 2, 3 or 4.
  const double flows = mmr("link_flow_mmr", "1 QPs, ECMP");
  EXPECT_EQ(flows, std::round(flows));
  // The expectation for a uniform hash is shown beside it.
  const results::Table& balance = table(result, "balance");
  const auto column = std::find(balance.columns.begin(), balance.columns.end(), "MMR expected");
  ASSERT_NE(column, balance.columns.end());
  const auto place = static_cast<std::size_t>(column - balance.columns.begin());
  EXPECT_DOUBLE_EQ(quantity(balance.rows.at(0)[place]).value, expectedMaxMeanRatio(4, 4, 8));
}

// A uniform hash over uplinks of which one is down for some time is another one.
TEST(EcmpEntropy, NoExpectedRatioWithFailuresOfTheScenario) {
  scenario::Scenario scenario = smallFabric();
  scenario.failures = {{"leaf0-spine0", Picoseconds(0), std::nullopt}};
  scenario.parameters.flows = {{1}};
  scenario.parameters.sizes = {{Bytes(64 << 10)}};
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(ecmpEntropyProcedure(), scenario);
  const results::Table& balance = table(result, "balance");
  const auto column = std::find(balance.columns.begin(), balance.columns.end(), "MMR expected");
  ASSERT_NE(column, balance.columns.end());
  for (const auto& row : balance.rows) {
    EXPECT_EQ(text(row[static_cast<std::size_t>(column - balance.columns.begin())]), "-");
  }
}

// Flows are counted by packets of 256 B and more.
TEST(EcmpEntropy, FlowsOfFewBytesAreNotCountedAndTheReportSaysSo) {
  for (const auto& [bytes, counted] : {std::pair(4 * 255, false), std::pair(4 * 256, true)}) {
    scenario::Scenario scenario = smallFabric();
    scenario.parameters.flows = {{4}};
    scenario.parameters.sizes = {{Bytes(bytes)}};
    scenario.parameters.balancing = {{"ecmp"}};
    scenario.parameters.repetitions = 1;
    const results::TestResult result = runTest(ecmpEntropyProcedure(), scenario);
    EXPECT_EQ(std::any_of(result.deviations.begin(), result.deviations.end(),
                          [](const results::Deviation& one) {
                            return one.what.find("MMR of flows counts") != std::string::npos;
                          }),
              !counted)
        << bytes;
  }
}

// A gap shorter than the silence of a QP between messages moves them to free paths, a longer one
// keeps QPs where the hash put them; one shorter than the difference between queues reorders.
TEST(Flowlet, TheGapDecides) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.repetitions = 2;
  const results::TestResult result = runTest(flowletProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  const auto of = [&](const char* name, const char* gap) {
    return kpi(result, name, std::string("flowlet DLB, ") + gap).value;
  };
  EXPECT_LT(of("link_mmr", "100 ns"), of("link_mmr", "20 us"));
  EXPECT_GT(of("link_jfi", "100 ns"), of("link_jfi", "20 us"));
  EXPECT_LT(of("link_mmr", "1 us"), of("link_mmr", "20 us"));
  EXPECT_GT(of("out_of_order_per_s", "100 ns"), of("out_of_order_per_s", "20 us"));
  EXPECT_LT(kpi(result, "link_jfi", "ECMP, -").value, of("link_jfi", "100 ns"));
}

// Sprayed packets overtake each other: receivers that keep early packets, or need no order, cause
// no retransmissions; go-back-N does. ECMP keeps the order at the cost of balance.
TEST(Spray, ReorderingCostsOnlyWhoGoesBack) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(sprayProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  const auto of = [&](const char* name, const char* point) {
    return kpi(result, name, point).value;
  };
  for (const char* point :
       {"RC, packet spray", "RC, packet spray, go-back-N", "RUD, packet spray"}) {
    EXPECT_GE(of("link_jfi", point), 0.99) << point;
    EXPECT_GT(of("out_of_order_per_s", point), 0) << point;
  }
  EXPECT_EQ(of("retransmissions_per_s", "RC, packet spray"), 0);
  EXPECT_EQ(of("retransmissions_per_s", "RUD, packet spray"), 0);
  EXPECT_GT(of("retransmissions_per_s", "RC, packet spray, go-back-N"), 0);
  EXPECT_EQ(of("out_of_order_per_s", "RC, ECMP"), 0);
  EXPECT_LT(of("link_jfi", "RC, ECMP"), 0.95);
  EXPECT_EQ(of("link_flow_mmr", "RUD, packet spray"), 1);
}

// Where paths are unequally full (oversubscribed), ordered delivery pays for spray and RUD does
// not.
TEST(SprayEfficacy, RudGainsMoreThanRod) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.hosts_per_leaf = 8;  // 2:1 with four spines
  scenario.parameters.repetitions = 1;
  SimRunner runner;
  const results::TestResult result =
      sprayEfficacyProcedure().run({scenario, runner.bench.capabilities()}, runner);
  ASSERT_TRUE(result.valid);
  EXPECT_GT(kpi(result, "goodput_percent", "4 paths, RUD, packet spray").value,
            2 * kpi(result, "goodput_percent", "4 paths, ROD, packet spray").value);
  EXPECT_GT(kpi(result, "link_jfi", "4 paths, RUD, packet spray").value,
            kpi(result, "link_jfi", "4 paths, RC, ECMP").value);
}

// Packets overtake each other under spray without an effect on RUD: none is discarded, none
// retransmitted. ROD's receiver discards early packets.
TEST(SprayEfficacy, ReorderingIsInvisibleToTheHostsOfRud) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.hosts_per_leaf = 8;  // 2:1 with four spines
  // Nothing overflows, so that only reordering could cause retransmissions.
  scenario.switches.trim.reset();
  scenario.parameters.repetitions = 1;
  SimRunner runner;
  const results::TestResult result =
      sprayEfficacyProcedure().run({scenario, runner.bench.capabilities()}, runner);
  ASSERT_TRUE(result.valid);
  const std::string rud = "4 paths, RUD, packet spray";
  EXPECT_GT(kpi(result, "out_of_order_per_s", rud).value, 0);
  EXPECT_EQ(kpi(result, "discarded_packets", rud).value, 0);
  EXPECT_EQ(kpi(result, "retransmissions_per_s", rud).value, 0);
  EXPECT_GT(kpi(result, "discarded_packets", "4 paths, ROD, packet spray").value, 0);
}

// Equal services are those that lose nothing.
TEST(SprayEfficacy, ServicesAreEqualOnlyWithoutErrorsOfTheLinks) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.repetitions = 1;
  scenario.parameters.sizes = {{Bytes(64 << 10)}};
  const auto note = [&] {
    return table(runTest(sprayEfficacyProcedure(), scenario), "balance").note;
  };
  const std::string equal = "sprayed services then differ in windows and congestion control only";
  EXPECT_THAT(note(), testing::HasSubstr(equal));
  scenario.bit_errors = {{"fabric", 1e-7}};
  EXPECT_THAT(note(), testing::Not(testing::HasSubstr(equal)));
  EXPECT_THAT(note(), testing::HasSubstr("Sprayed services may differ"));
}

// At least as many paths as a leaf has hosts: no link is full, but services still differ in their
// handling of packets out of order.
TEST(SprayEfficacy, OrderCountsWhereNoLinkIsFull) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.hosts_per_leaf = 8;
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(sprayEfficacyProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  for (const char* paths : {"4 paths, ", "8 paths, "}) {
    const auto of = [&](const char* name, const char* service) {
      return kpi(result, name, std::string(paths) + service).value;
    };
    EXPECT_GT(of("out_of_order_per_s", "RUD, packet spray"), 0) << paths;
    EXPECT_EQ(of("discarded_packets", "RUD, packet spray"), 0) << paths;
    EXPECT_GT(of("discarded_packets", "ROD, packet spray"), 0) << paths;
    EXPECT_GT(of("message_p99_us", "ROD, packet spray"), of("message_p99_us", "RUD, packet spray"))
        << paths;
    EXPECT_LT(of("link_jfi", "RC, ECMP"), of("link_jfi", "RC, packet spray")) << paths;
  }
}

TEST(Balancing, AnotherTopologyKeepsItsLeaves) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.kind = fabric::TopologyKind::kClos3;
  scenario.topology.superspines = scenario.topology.spines;
  SimRunner runner;
  const Plan plan = ecmpEntropyProcedure().plan({scenario, runner.bench.capabilities()});
  EXPECT_TRUE(plan.refusals.empty());
  EXPECT_EQ(plan.points.size(), 8);  // three numbers of QPs, two hashes, two with own ports
  for (const std::string& point : plan.points) {
    EXPECT_THAT(point, testing::StartsWith("the DUT's leaves, "));
  }
}

// Eight leaves are measured, whatever the scenario has.
TEST(Balancing, ATopologyOfTheTestsOwnIsTheOneStated) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.leaves = 5;
  scenario.parameters.flows = {{1}};
  scenario.parameters.sizes = {{Bytes(64 << 10)}};
  scenario.parameters.balancing = {{"ecmp"}};
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(ecmpEntropyProcedure(), scenario);
  const auto stated = [](const results::TestResult& of) {
    for (const auto& [name, value] : of.configuration) {
      if (name == "Topology") return value;
    }
    return std::string();
  };
  EXPECT_THAT(stated(result), HasSubstr("8 leaves × 4 spines"));
  EXPECT_THAT(stated(result), Not(HasSubstr("5 leaves")));
  const auto says = testing::Field(&results::Deviation::what,
                                   HasSubstr("are the test's own, not the 5 of the scenario's"));
  EXPECT_THAT(result.deviations, testing::Contains(says));
  scenario.topology.leaves = 8;
  EXPECT_THAT(runTest(ecmpEntropyProcedure(), scenario).deviations,
              Not(testing::Contains(
                  testing::Field(&results::Deviation::what, HasSubstr("are the test's own")))));
}

// Two hosts of a sweep's Clos on different leaves have as many paths as the point says: one over
// each spine.
TEST(Balancing, PathsAreThoseOfTheName) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.uplinks = 2;
  SimRunner runner;
  const Plan plan = sprayEfficacyProcedure().plan({scenario, runner.bench.capabilities()});
  EXPECT_TRUE(plan.refusals.empty());
  ASSERT_FALSE(plan.samples.empty());
  for (const PlannedTrial& trial : plan.samples) {
    const fabric::TopologySpec& topology = trial.spec.dut.topology;
    const auto between = topology.spines * topology.uplinks * topology.uplinks;
    EXPECT_EQ(std::stoul(trial.label), between) << trial.label;
  }
  // Where hashes of leaves and spines decide together, no closed form is stated.
  scenario.parameters.repetitions = 1;
  scenario.parameters.flows = {{1}};
  scenario.parameters.sizes = {{Bytes(64 << 10)}};
  const results::TestResult result = runTest(ecmpEntropyProcedure(), scenario);
  const results::Table& balance = result.tables.front();
  const auto column = std::find(balance.columns.begin(), balance.columns.end(), "MMR expected");
  ASSERT_NE(column, balance.columns.end());
  for (const auto& row : balance.rows) {
    EXPECT_EQ(
        std::get<std::string>(row[static_cast<std::size_t>(column - balance.columns.begin())]),
        "-");
  }
}

// No host sends anything in the time of one byte, so there is nothing to measure.
TEST(Flowlet, MessagesAtRandomTimesNeedTimeForOne) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.sizes = {{Bytes(1)}};
  SimRunner runner;
  const Plan plan = flowletProcedure().plan({scenario, runner.bench.capabilities()});
  ASSERT_EQ(plan.refusals.size(), 1U);
  EXPECT_THAT(plan.refusals[0], testing::HasSubstr("1 B is shorter than one of them"));
}

// A tree of switches: every figure of balance would be perfect, and nothing was balanced.
TEST(Balancing, NeedsSeveralPaths) {
  SimRunner runner;
  const auto refusals = [&](const Procedure& test, const scenario::Scenario& scenario) {
    return test.plan({scenario, runner.bench.capabilities()}).refusals;
  };
  for (const Procedure* test : {&ecmpEntropyProcedure(), &flowletProcedure(), &sprayProcedure(),
                                &fairnessProcedure(), &inferenceBalancingProcedure()}) {
    scenario::Scenario scenario = smallFabric();
    EXPECT_TRUE(refusals(*test, scenario).empty()) << test->id();
    scenario.topology.spines = 1;
    EXPECT_THAT(refusals(*test, scenario), ElementsAre(HasSubstr("one path between any two hosts")))
        << test->id();
  }
  scenario::Scenario one_switch = smallFabric();
  one_switch.topology.kind = fabric::TopologyKind::kSingleSwitch;
  one_switch.topology.hosts = 16;
  EXPECT_THAT(refusals(sprayProcedure(), one_switch), ElementsAre(HasSubstr("one path")));
  one_switch.topology.kind = fabric::TopologyKind::kLink;
  EXPECT_THAT(refusals(sprayProcedure(), one_switch), ElementsAre(HasSubstr("one path")));
  scenario::Scenario parallel = smallFabric();
  parallel.topology.spines = 1;
  parallel.topology.uplinks = 2;
  EXPECT_TRUE(refusals(sprayProcedure(), parallel).empty());
}

// The text about the traffic is true for this topology.
TEST(EcmpEntropy, SaysWhereHostsSendTo) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.repetitions = 1;
  scenario.parameters.flows = {{1}};
  scenario.parameters.sizes = {{Bytes(64 << 10)}};
  EXPECT_THAT(runTest(ecmpEntropyProcedure(), scenario).tables.front().note,
              testing::HasSubstr("the host of the same place on the next leaf"));
  scenario.topology.kind = fabric::TopologyKind::kRail;
  scenario.topology.servers = 4;
  scenario.topology.rails = 2;
  EXPECT_THAT(runTest(ecmpEntropyProcedure(), scenario).tables.front().note,
              testing::HasSubstr("the NIC of the next rail, 2 servers further on"));
}

}  // namespace
}  // namespace plumbline::suite
