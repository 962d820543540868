// T9.1 to T9.4 and T6.6 on the bench of simulated hosts.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "suite/framework/percentiles.h"
#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

scenario::Scenario smallCollective() {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.sizes = {{Bytes(1 << 20)}};
  scenario.parameters.ranks = {{8}};
  scenario.parameters.iterations = 2;
  return scenario;
}

bool hasDeviation(const results::TestResult& result, const std::string& text) {
  for (const results::Deviation& one : result.deviations) {
    if (one.what.find(text) != std::string::npos) return true;
  }
  return false;
}

// 8 ranks, 1 MiB, rings over leaves, nothing in the way with spray: 14 steps of a chunk of 128 KiB.
// Such a chunk is 32 packets of 4096 B payload in frames of 4158 B (Ethernet 14, IPv4 20, UDP 8,
// BTH 12, ICRC 4, FCS 4), the first with 16 B of RETH, which hold back the others at each of the
// four stores.
TEST(AllReduce, BusBandwidthWithoutContentionIsTheClosedForm) {
  scenario::Scenario scenario = smallCollective();
  scenario.parameters.balancing = {{"spray"}};
  SimRunner runner;
  const results::TestResult result =
      allReduceProcedure().run({scenario, runner.bench.capabilities()}, runner);
  ASSERT_TRUE(result.valid);
  // Two links of 50 ns and two of 250 ns, three switches of 600 ns; the last packet is stored four
  // times, 31 slots after the first one began. Besides, a rank's ACKs share its link with its data,
  // which the closed form leaves out: less than 0.1 %.
  const double frame_ns = 4158 * 8 / 400.0;
  const double slots_ns = (31 * 4178 + 4 * 16) * 8 / 400.0;
  const double path_ns = 600 + 3 * 600 + 4 * frame_ns;
  const double time_ns = 14 * (slots_ns + path_ns);
  const double gbps = 8.0 * (1 << 20) * 1.75 / time_ns;
  EXPECT_NEAR(kpi(result, "busbw_gbps", "AllReduce, 1 MiB, 8 ranks, packet spray").value, gbps,
              gbps * 1e-3);
  EXPECT_NEAR(kpi(result, "efficiency_percent", "AllReduce, 1 MiB, 8 ranks, packet spray").value,
              gbps / 4, 0.05);
}

TEST(AllReduce, WhatTheDraftAsksForAndWasNotDoneIsSaid) {
  const scenario::Scenario scenario = smallCollective();
  SimRunner runner;
  const results::TestResult result =
      allReduceProcedure().run({scenario, runner.bench.capabilities()}, runner);
  EXPECT_TRUE(hasDeviation(result, "Buffer sizes not measured: 8 MiB, 64 MiB"));
  EXPECT_TRUE(hasDeviation(result, "Ranks not measured: 16, 32"));
  EXPECT_TRUE(hasDeviation(result, "Iterations: 2 instead of 100"));
  EXPECT_FALSE(hasDeviation(result, "Load balancing"));
}

// "The algo_factor column is REQUIRED": in the table of bus bandwidths, as KPI, of every point.
TEST(AllReduce, EveryPointTellsItsAlgoFactor) {
  const results::TestResult result = runTest(allReduceProcedure(), smallCollective());
  const results::Table& busbw = table(result, "busbw");
  EXPECT_EQ(busbw.columns.back(), "algo_factor");
  ASSERT_EQ(busbw.rows.size(), 3U);
  for (const auto& row : busbw.rows) {
    EXPECT_DOUBLE_EQ(std::get<results::Quantity>(row.back()).value, 2 * 7.0 / 8);
  }
  EXPECT_DOUBLE_EQ(kpi(result, "algo_factor", "AllReduce, 1 MiB, 8 ranks, ECMP").value, 1.75);
}

// Two iterations: a percentile needs ten samples beyond it, 20 for P50, 200 for P95.
TEST(AllReduce, PercentilesOfFewIterationsAreMarked) {
  const results::TestResult result = runTest(allReduceProcedure(), smallCollective());
  const results::Table& busbw = table(result, "busbw");
  EXPECT_EQ(std::count(busbw.columns.begin(), busbw.columns.end(), "P99 (of 2)"), 1);
  EXPECT_EQ(std::count(busbw.columns.begin(), busbw.columns.end(), "P99"), 0);
  const results::Quantity& p99 = kpi(result, "busbw_p99_gbps", "AllReduce, 1 MiB, 8 ranks, ECMP");
  EXPECT_EQ(p99.percentile, (results::Percentile{0.99, 2}));
  const bool noted = std::any_of(
      result.anomalies.begin(), result.anomalies.end(), [](const results::Anomaly& one) {
        return one.what.find("9 of 9 percentiles rest on too few samples") != std::string::npos;
      });
  EXPECT_TRUE(noted);
}

TEST(Percentiles, HeadingsTellOfFewSamples) {
  EXPECT_EQ(quantileColumn(0.999, 500), "P99.9 (of 500)");
  EXPECT_EQ(quantileColumn(0.5, 500), "P50");
}

// Training draft, revision 01, 3.3.3: declarations of a generator about its collectives.
TEST(AllReduce, SaysHowItsCollectivesAreDriven) {
  const results::TestResult result = runTest(allReduceProcedure(), smallCollective());
  for (const char* name : {"Synchronisation barriers", "Flows are driven by", "Stragglers"}) {
    const bool there = std::any_of(
        result.configuration.begin(), result.configuration.end(),
        [name](const auto& line) { return line.first == name && !line.second.empty(); });
    EXPECT_TRUE(there) << name;
  }
}

TEST(AllReduce, PlansWhatItRuns) {
  const scenario::Scenario scenario = smallCollective();
  SimRunner runner;
  const TestConfig config{scenario, runner.bench.capabilities()};
  const Plan plan = allReduceProcedure().plan(config);
  EXPECT_TRUE(plan.refusals.empty());
  EXPECT_EQ(plan.points.size(), 3);  // ECMP, flowlets, spray
  allReduceProcedure().run(config, runner);
  EXPECT_EQ(runner.trials, plan.trials_expected);
}

// On a single switch all settings are the same trial, and the report says so.
TEST(AllReduce, SaysWhereThereIsNothingToBalance) {
  scenario::Scenario scenario = smallCollective();
  EXPECT_FALSE(hasDeviation(runTest(allReduceProcedure(), scenario), "there is one path between"));
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 16;
  EXPECT_TRUE(hasDeviation(runTest(allReduceProcedure(), scenario), "there is one path between"));
}

TEST(AllReduce, TooFewHostsIsARefusal) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.kind = fabric::TopologyKind::kLink;
  SimRunner runner;
  const Plan plan = allReduceProcedure().plan({scenario, runner.bench.capabilities()});
  EXPECT_EQ(plan.refusals.size(), 1);
}

TEST(AllReduce, HugeRingsMayBeFastForwarded) {
  scenario::Scenario scenario = smallCollective();
  scenario.parameters.sizes = {{Bytes(std::int64_t{16} << 30)}};
  scenario.parameters.iterations = 100;
  SimRunner runner;
  const TestConfig config{scenario, runner.bench.capabilities()};
  EXPECT_TRUE(allReduceProcedure().plan(config).samples[0].spec.fast_forward);
  EXPECT_FALSE(allToAllProcedure().plan(config).samples[0].spec.fast_forward);
  // The plan has the two billion packets over four links, with a fifth of control, from which the
  // result is predicted; a fabric with failures is simulated packet by packet, and planned so.
  EXPECT_NEAR(allReduceProcedure().plan(config).samples[0].packet_hops, 2e9 * 4 * 1.2, 1);
  const PlannedTrial failing = linkFailureProcedure().plan(config).samples.at(0);
  EXPECT_FALSE(failing.spec.fast_forward);
  EXPECT_GT(failing.packet_hops, 1e10);
}

TEST(AllToAll, ComparesWithEcmp) {
  const scenario::Scenario scenario = smallCollective();
  SimRunner runner;
  const results::TestResult result =
      allToAllProcedure().run({scenario, runner.bench.capabilities()}, runner);
  EXPECT_EQ(findKpi(result, "time_vs_ecmp", "AlltoAll, 1 MiB, 8 ranks, ECMP"), nullptr);
  const double spray = kpi(result, "time_vs_ecmp", "AlltoAll, 1 MiB, 8 ranks, packet spray").value;
  EXPECT_LE(spray, 1.001);
}

TEST(AllGather, IsAsFastAsAllReduceWhereOnlySerialisationCounts) {
  scenario::Scenario scenario = smallCollective();
  scenario.parameters.balancing = {{"spray"}};
  SimRunner runner;
  const results::TestResult result =
      allGatherProcedure().run({scenario, runner.bench.capabilities()}, runner);
  EXPECT_NEAR(
      kpi(result, "allgather_vs_allreduce", "AllGather, 1 MiB, 8 ranks, packet spray").value, 1,
      0.001);
}

// The ratio has the uncertainty of repetitions whose bandwidths differ.
TEST(AllGather, TheRatioIsOneOfPairs) {
  scenario::Scenario scenario = smallCollective();
  scenario.parameters.balancing = {{"ecmp"}};
  scenario.parameters.repetitions = 3;
  SimRunner runner;
  const results::TestResult result =
      allGatherProcedure().run({scenario, runner.bench.capabilities()}, runner);
  const std::string gather = "AllGather, 1 MiB, 8 ranks, ECMP";
  const results::Quantity& ratio = kpi(result, "allgather_vs_allreduce", gather);
  EXPECT_EQ(ratio.repetitions, 3U);
  EXPECT_NEAR(ratio.value,
              kpi(result, "busbw_gbps", gather).value /
                  kpi(result, "busbw_gbps", "AllReduce, 1 MiB, 8 ranks, ECMP").value,
              1e-9);
  EXPECT_TRUE(ratio.cv.has_value());
}

// Five ranks on four leaves: the last one is on the first one's, and this hop has one switch.
TEST(AllReduce, SaysWhichRingsStayInALeaf) {
  scenario::Scenario scenario = smallCollective();
  scenario.parameters.ranks = {{4, 5, 7, 8, 9}};
  SimRunner runner;
  const auto says = [&](const char* text) {
    return hasDeviation(allReduceProcedure().run({scenario, runner.bench.capabilities()}, runner),
                        text);
  };
  EXPECT_TRUE(says("1 of 5, 1 of 9 hops of the ring are between ranks on the same switch"));
  scenario.parameters.ranks = {{4, 8}};
  EXPECT_FALSE(says("on the same switch"));
  // Two servers of three NICs share the leaf of each rail: the fourth rank, the first NIC of the
  // second server, is on the leaf of the first rank.
  scenario.topology.kind = fabric::TopologyKind::kRail;
  scenario.topology.servers = 4;
  scenario.topology.rails = 3;
  scenario.topology.servers_per_leaf = 2;
  scenario.topology.spines = 2;
  scenario.parameters.ranks = {{4, 6}};
  EXPECT_TRUE(says("1 of 4 hops of the ring are between ranks on the same switch"));
  EXPECT_FALSE(says("cross more switches"));
  // Two pods of two leaves: from the second leaf of each to the other pod a hop crosses leaf,
  // spine, superspine, spine and leaf.
  scenario.topology.kind = fabric::TopologyKind::kClos3;
  scenario.topology.pods = 2;
  scenario.topology.leaves = 2;
  scenario.topology.superspines = 2;
  scenario.topology.hosts_per_leaf = 2;
  scenario.parameters.ranks = {{2, 4}};
  EXPECT_TRUE(
      says("hops of the ring that cross more switches than the others: 2 of 4 (5 "
           "switches, not 3)"));
}

// ECMP sends the packets of a flow by one path, whatever entropy the scenario's hosts give them: 12
// ranks on 4 leaves share uplinks by chance, which spray does not.
TEST(AllToAll, EcmpIsNoSprayOfTheHosts) {
  scenario::Scenario scenario = smallCollective();
  scenario.parameters.ranks = {{12}};
  scenario.parameters.balancing = {{"ecmp", "spray"}};
  transport::UetSpec uet;
  const auto mmr = [&](const char* balancing) {
    return kpi(runTest(allToAllProcedure(), scenario), "link_mmr",
               std::string("AlltoAll, 1 MiB, 12 ranks, ") + balancing)
        .value;
  };
  for (const auto policy :
       {transport::UetEntropyPolicy::kOblivious, transport::UetEntropyPolicy::kConstant}) {
    uet.entropy.policy = policy;
    scenario.transport = uet;
    EXPECT_GT(mmr("ECMP"), 1.3);
    EXPECT_LT(mmr("packet spray"), 1.1);
  }
  transport::RoceSpec roce;
  roce.spray = true;
  scenario.transport = roce;
  EXPECT_GT(mmr("ECMP"), 1.3);
}

// The time of the same repetition with ECMP, whose hashes differ from one to the next: the ratio
// scatters as they do.
TEST(AllToAll, TheRatioToEcmpScattersAsEcmpDoes) {
  scenario::Scenario scenario = smallCollective();
  scenario.parameters.ranks = {{12}};
  scenario.parameters.balancing = {{"ecmp", "spray"}};
  scenario.parameters.repetitions = 3;
  const results::TestResult result = runTest(allToAllProcedure(), scenario);
  const std::string point = "AlltoAll, 1 MiB, 12 ranks, ";
  const results::Quantity& ecmp = kpi(result, "iteration_us", point + "ECMP");
  const results::Quantity& spray = kpi(result, "iteration_us", point + "packet spray");
  const results::Quantity& ratio = kpi(result, "time_vs_ecmp", point + "packet spray");
  EXPECT_NEAR(ratio.value, spray.value / ecmp.value, 1e-9);
  EXPECT_EQ(ratio.repetitions, 3U);
  ASSERT_TRUE(ecmp.cv.has_value());
  ASSERT_GT(*ecmp.cv, 0.005);
  ASSERT_TRUE(ratio.cv.has_value());
  EXPECT_NEAR(*ratio.cv, *ecmp.cv, *ecmp.cv / 2);
  EXPECT_TRUE(ratio.confidence_low.has_value());
}

TEST(BusBandwidthSummary, HasEveryCollectiveWithEveryBalancing) {
  const scenario::Scenario scenario = smallCollective();
  SimRunner runner;
  const results::TestResult result =
      busBandwidthSummaryProcedure().run({scenario, runner.bench.capabilities()}, runner);
  EXPECT_TRUE(result.valid);
  for (const char* id : {"busbw", "fabric", "summary"}) {
    EXPECT_EQ(table(result, id).rows.size(), 9U) << id;
  }
  // The draft's table: a row for each collective, a column for each balancing.
  const results::Table& wide = table(result, "busbw_by_balancing");
  EXPECT_EQ(wide.columns, (std::vector<std::string>{"Collective", "Buffer", "Ranks", "algo_factor",
                                                    "ECMP", "flowlet DLB", "packet spray"}));
  ASSERT_EQ(wide.rows.size(), 3U);
  EXPECT_DOUBLE_EQ(std::get<results::Quantity>(wide.rows[1][3]).value, 7.0 / 8);
  const std::string spray = "AlltoAll, 1 MiB, 8 ranks, packet spray";
  EXPECT_EQ(std::get<results::Quantity>(wide.rows[1][6]).value,
            kpi(result, "busbw_gbps", spray).value);
  // Of 8 ranks at 400 Gb/s.
  EXPECT_NEAR(kpi(result, "effective_goodput_percent", spray).value,
              100 * kpi(result, "goodput_gbps", spray).value / (8 * 400), 1e-9);
  const results::Chart& bars = result.charts.back();
  EXPECT_EQ(bars.categories, (std::vector<std::string>{"AllReduce, 8 ranks", "AlltoAll, 8 ranks",
                                                       "AllGather, 8 ranks"}));
  ASSERT_EQ(bars.series.size(), 3U);  // a bar for each balancing in every group
  EXPECT_EQ(bars.series[2].name, "packet spray");
  EXPECT_EQ(bars.series[2].x, (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(bars.series[2].y[1],
            kpi(result, "busbw_gbps", "AlltoAll, 1 MiB, 8 ranks, packet spray").value);
  // Leaves to spines and back, of AllReduce with each balancing.
  ASSERT_EQ(result.heat_maps.size(), 6U);
  EXPECT_EQ(result.heat_maps[4].title,
            "AllReduce, 1 MiB, 8 ranks, packet spray: load of links: leaf to spine");
  EXPECT_EQ(result.heat_maps[4].rows.size(), 4U);
}

TEST(UetCollectives, StandBesideRoce) {
  const scenario::Scenario scenario = smallCollective();
  SimRunner runner;
  const results::TestResult result =
      uetCollectivesProcedure().run({scenario, runner.bench.capabilities()}, runner);
  EXPECT_TRUE(result.valid);
  const std::string point = "AllReduce, 1 MiB, 8 ranks, ";
  const double rud = kpi(result, "busbw_gbps", point + "RUD, packet spray").value;
  const double rc = kpi(result, "busbw_gbps", point + "RC, ECMP").value;
  EXPECT_NEAR(kpi(result, "busbw_vs_roce_percent", point + "RUD, packet spray").value,
              100 * (rud / rc - 1), 1e-6);
  // BusBW is S times a constant over the time: twice the bandwidth is half the time.
  EXPECT_NEAR(kpi(result, "jct_improvement_percent", point + "RUD, packet spray").value,
              100 * (1 - rc / rud), 1e-6);
  // RC is compared with, not with itself: a limit on the improvement can be met.
  for (const char* compared : {"busbw_vs_roce_percent", "jct_improvement_percent"}) {
    EXPECT_EQ(findKpi(result, compared, point + "RC, ECMP"), nullptr);
  }
  EXPECT_TRUE(result.unmeasured.empty());
  EXPECT_EQ(table(result, "uet_vs_roce").columns.at(4), "algo_factor");
  EXPECT_EQ(table(result, "busbw_by_service").rows.size(), 3U);
}

// A gap below the difference of the paths' delays lets packets overtake each other, and RC
// retransmits the packets after them; above it there are none: a queue of kmax, 800 KB, drains in
// 16 us.
TEST(AllToAll, FlowletsKeepTheOrderWhenTheGapIsLongerThanQueues) {
  const auto sentAgain = [](Picoseconds gap) {
    scenario::Scenario scenario = smallCollective();
    scenario.topology.hosts_per_leaf = 8;  // 2:1, for long queues
    scenario.parameters.sizes = {{Bytes(16 << 20)}};
    scenario.parameters.ranks = {{32}};
    scenario.parameters.iterations = 1;
    scenario.parameters.balancing = {{"flowlet"}};
    scenario.switches.load_balancing.flowlet_gap = gap;
    SimRunner runner;
    const results::TestResult result =
        allToAllProcedure().run({scenario, runner.bench.capabilities()}, runner);
    return kpi(result, "retransmission_percent", "AlltoAll, 16 MiB, 32 ranks, flowlet DLB").value;
  };
  EXPECT_GT(sentAgain(microseconds(1)), 0);
  EXPECT_EQ(sentAgain(microseconds(64)), 0);
}

}  // namespace
}  // namespace plumbline::suite
