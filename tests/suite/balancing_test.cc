// T8.1 to T8.4 and T6.3: orderings that must come out, and closed forms.
#include <gtest/gtest.h>

#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

TEST(Fairness, SprayIsFairerThanFlowletsAreFairerThanEcmp) {
  const scenario::Scenario scenario = smallFabric();
  SimRunner runner;
  const results::TestResult result =
      fairnessTest().run({scenario, runner.bench.capabilities()}, runner);
  ASSERT_TRUE(result.valid);
  const double ecmp = kpi(result, "link_jfi", "ECMP").value;
  const double flowlet = kpi(result, "link_jfi", "flowlet DLB").value;
  const double spray = kpi(result, "link_jfi", "packet spray").value;
  EXPECT_GE(spray, 0.999);
  EXPECT_LE(flowlet, spray + 1e-9);
  EXPECT_LT(ecmp, flowlet);
  EXPECT_LT(ecmp, 0.95);
  ASSERT_EQ(result.charts.size(), 1U);
  EXPECT_EQ(result.charts[0].categories,
            (std::vector<std::string>{"ECMP", "ECMP, BTH-aware", "flowlet DLB", "packet spray"}));
  EXPECT_EQ(result.charts[0].series.at(0).y.at(3), spray);
  EXPECT_EQ(result.heat_maps.size(), 8U);
}

// More flows are more balls in the same bins.
TEST(EcmpEntropy, MoreQueuePairsBalanceBetter) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.flows = {{1, 32}};
  scenario.parameters.balancing = {{"ecmp"}};
  SimRunner runner;
  const results::TestResult result =
      ecmpEntropyTest().run({scenario, runner.bench.capabilities()}, runner);
  const double one = kpi(result, "link_mmr", "8 leaves, 1 QPs, ECMP").value;
  const double many = kpi(result, "link_mmr", "8 leaves, 32 QPs, ECMP").value;
  EXPECT_LT(many, one);
  EXPECT_GT(many, 1);
}

TEST(Flowlet, GapIsSweptBesideEcmp) {
  const scenario::Scenario scenario = smallFabric();
  SimRunner runner;
  const results::TestResult result =
      flowletTest().run({scenario, runner.bench.capabilities()}, runner);
  ASSERT_TRUE(result.valid);
  EXPECT_LT(kpi(result, "link_jfi", "ECMP, -").value,
            kpi(result, "link_jfi", "flowlet DLB, 100 ns").value);
}

TEST(Spray, BothTransportsSpreadEvenly) {
  const scenario::Scenario scenario = smallFabric();
  SimRunner runner;
  const results::TestResult result =
      sprayTest().run({scenario, runner.bench.capabilities()}, runner);
  EXPECT_GE(kpi(result, "link_jfi", "RC, packet spray").value, 0.999);
  EXPECT_GE(kpi(result, "link_jfi", "RUD, packet spray").value, 0.999);
}

// Where paths are unequally full (oversubscribed), ordered delivery pays for spray and RUD does
// not.
TEST(SprayEfficacy, RudGainsMoreThanRod) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.hosts_per_leaf = 8;  // 2:1 with four spines
  scenario.parameters.repetitions = 1;
  SimRunner runner;
  const results::TestResult result =
      sprayEfficacyTest().run({scenario, runner.bench.capabilities()}, runner);
  ASSERT_TRUE(result.valid);
  EXPECT_GT(kpi(result, "goodput_percent", "4 paths, RUD, packet spray").value,
            2 * kpi(result, "goodput_percent", "4 paths, ROD, packet spray").value);
  EXPECT_GT(kpi(result, "link_jfi", "4 paths, RUD, packet spray").value,
            kpi(result, "link_jfi", "4 paths, RC, ECMP").value);
}

// Packets overtake each other under spray, and RUD's host sees nothing of it: none is of no use,
// none is asked for again. ROD's receiver has no use for what comes early.
TEST(SprayEfficacy, ReorderingIsInvisibleToTheHostsOfRud) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.hosts_per_leaf = 8;  // 2:1 with four spines
  // Nothing overflows, so that only order could make anything be sent again.
  scenario.switches.trim.reset();
  scenario.parameters.repetitions = 1;
  SimRunner runner;
  const results::TestResult result =
      sprayEfficacyTest().run({scenario, runner.bench.capabilities()}, runner);
  ASSERT_TRUE(result.valid);
  const std::string rud = "4 paths, RUD, packet spray";
  EXPECT_GT(kpi(result, "out_of_order_per_s", rud).value, 0);
  EXPECT_EQ(kpi(result, "discarded_packets", rud).value, 0);
  EXPECT_EQ(kpi(result, "retransmissions_per_s", rud).value, 0);
  EXPECT_GT(kpi(result, "discarded_packets", "4 paths, ROD, packet spray").value, 0);
}

// Twice as many paths as hosts on a leaf. Four hosts send in step, each on four connections in
// turn, and each connection is acknowledged after every k packets: 4 k groups of four data packets,
// and behind each of the last four of them a group of acknowledgements. Both take the paths in
// turn, four a group, and 4 (k + 1) is even: acknowledgements always meet the same half of the
// paths, which carries k - 1 data packets where the other half carries k + 1. So the JFI of data is
// k^2 / (k^2 + 1); an acknowledgement's own bytes add less than 0.01. Every path has as many
// packets.
TEST(SprayEfficacy, AcknowledgementsInStepTakeHalfOfThePaths) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.repetitions = 1;
  SimRunner runner;
  const results::TestResult result =
      sprayEfficacyTest().run({scenario, runner.bench.capabilities()}, runner);
  ASSERT_TRUE(result.valid);
  const auto jfi = [](double k) { return k * k / (k * k + 1); };
  const double uet = kpi(result, "link_jfi", "8 paths, RUD, packet spray").value;
  EXPECT_GE(uet, jfi(4));
  EXPECT_LE(uet, jfi(4) + 0.01);
  const double roce = kpi(result, "link_jfi", "8 paths, RC, packet spray").value;
  EXPECT_GE(roce, jfi(16));
  EXPECT_LE(roce, jfi(16) + 0.002);
  EXPECT_GE(kpi(result, "link_jfi", "4 paths, RUD, packet spray").value, 0.999);
}

TEST(Balancing, AnotherTopologyKeepsItsLeaves) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.kind = fabric::TopologyKind::kClos3;
  SimRunner runner;
  const Plan plan = ecmpEntropyTest().plan({scenario, runner.bench.capabilities()});
  EXPECT_TRUE(plan.refusals.empty());
  EXPECT_EQ(plan.points.size(), 6);  // three numbers of QPs, two hashes
}

}  // namespace
}  // namespace plumbline::suite
