// T6.1, T6.2, T10.1, T10.3, T11.1 to T11.3 on the bench of simulated hosts.
#include <gtest/gtest.h>

#include <algorithm>

#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

// Payload over what it takes on the wire: 4096 B in slots of 4178 B for RoCEv2 (RETH only once a
// message), 4096 B with 44 B of SES and 12 B of PDS in 4218 B for UET.
TEST(ServiceThroughput, UnorderedServicesComeCloseToLineRate) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.flows = {{1}};
  const results::TestResult result = runTest(serviceThroughputTest(), scenario);
  ASSERT_TRUE(result.valid);
  for (const char* service : {"RUD", "RUDI", "UUD"}) {
    const std::string point = std::string("1 MiB, 1 flows, unidirectional, ") + service;
    EXPECT_GT(kpi(result, "payload_gbps", point).value, 0.9 * 400 * 4096 / 4218) << service;
    EXPECT_LE(kpi(result, "payload_gbps", point).value, 400.0 * 4096 / 4218) << service;
    EXPECT_EQ(kpi(result, "drop_ppm", point).value, 0) << service;
  }
  ASSERT_EQ(result.tables.size(), 2U);
  EXPECT_EQ(result.tables[1].rows.size(), 2U);  // one a direction, a column a service
  EXPECT_EQ(result.tables[1].columns.size(), 9U);
}

// 64 B from host 0 to host 8: links of 50, 250, 250 and 50 ns, three switches of 600 ns, and the
// frame stored at each of four ends.
TEST(ServiceLatency, AtZeroLoadIsThePath) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.sizes = {{Bytes(64)}};
  scenario.parameters.iterations = 10;
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(serviceLatencyTest(), scenario);
  ASSERT_TRUE(result.valid);
  // RoCEv2 WRITE Only of 64 B: 14 + 20 + 8 + 12 + 16 + 64 + 4 + 4 = 142 B, 2.84 ns; the first bit
  // arrives when it has been stored three times.
  EXPECT_NEAR(kpi(result, "one_way_mean_ns", "64 B, zero load, RC").value, 600 + 3 * 600 + 3 * 2.84,
              0.01);
  EXPECT_EQ(kpi(result, "one_way_min_ns", "64 B, zero load, RC").value,
            kpi(result, "one_way_min_ns", "64 B, first message, RC").value);
  EXPECT_GT(kpi(result, "message_mean_ns", "64 B, zero load, ROD").value,
            2 * kpi(result, "one_way_mean_ns", "64 B, zero load, ROD").value - 100);
}

TEST(SyntheticJct, WithoutContentionIsTheRooflineButForTheFabricsDelays) {
  scenario::Scenario scenario = smallFabric();
  scenario.switches.load_balancing.kind = fabric::LoadBalancingKind::kSprayRoundRobin;
  scenario.parameters.sizes = {{Bytes(16 << 20)}};
  scenario.parameters.ranks = {{4}};
  scenario.parameters.compute = {{milliseconds(10)}};
  scenario.parameters.iterations = 2;
  const results::TestResult result = runTest(syntheticJctTest(), scenario);
  ASSERT_TRUE(result.valid);
  const std::string point = "10 ms compute, 16 MiB, 4 ranks, ";
  // 6 steps of a path of 2.4 us and headers of 2 % on 0.5 ms, beside 10 ms of computing.
  const double sequential = kpi(result, "jct_ratio", point + "sequential").value;
  EXPECT_GT(sequential, 1);
  EXPECT_LT(sequential, 1.005);
  EXPECT_NEAR(kpi(result, "comm_overhead_percent", point + "sequential").value, 5.2, 0.3);
  // Seven of eight buckets hide behind computing; the delays of the last one's steps do not.
  EXPECT_NEAR(kpi(result, "overlap_fraction", point + "overlapped").value, 7.0 / 8, 0.04);
}

// 100 messages of 64 B take no longer than the slowest of them; their number per second follows.
TEST(PdcScale, CountsConnectionsOpenedAtOnce) {
  scenario::Scenario scenario = smallFabric();
  const results::TestResult result = runTest(pdcScaleTest(), scenario);
  ASSERT_TRUE(result.valid);
  for (const char* service : {"RUD", "RC"}) {
    const std::string point = std::string("100 connections, 64 B, ") + service;
    const double p99_us = kpi(result, "first_message_p99_us", point).value;
    // 15 peers need 7 connections each: 105 in all.
    EXPECT_NEAR(kpi(result, "connections_per_s", point).value, 105 / (p99_us * 1e-6),
                0.25 * 105 / (p99_us * 1e-6));
  }
}

// Two buckets of 1 MB beside 100 us of computing: the roofline is the larger, 2 * 1 MB * 1.5 at
// 400 Gb/s = 60 us, so 100 us. The quick profile takes a tenth of all.
TEST(Profile, RunsTheScenariosOwnJobAgainstItsRoofline) {
  scenario::Scenario scenario = smallFabric();
  workload::JobSpec job;
  job.name = "step";
  job.placement.ranks = 4;
  workload::TrainingProgram program;
  program.iterations = 2;
  program.compute = microseconds(100);
  program.overlap = true;
  workload::CollectiveSpec bucket;
  bucket.bytes = 1'000'000;
  program.collectives = {bucket, bucket};
  job.program = program;
  scenario.workload.emplace();
  scenario.workload->jobs.push_back(job);
  scenario.parameters.progress = {1000, "images"};
  for (const auto& [profile, part] :
       {std::pair{scenario::Profile::kStandard, 1.0}, {scenario::Profile::kQuick, 10.0}}) {
    scenario.profile = profile;
    const results::TestResult result = runTest(profileTest(), scenario);
    ASSERT_TRUE(result.valid);
    const double jct_ms = kpi(result, "jct_ms", "").value;
    EXPECT_NEAR(kpi(result, "jct_ratio", "").value, jct_ms / (0.2 / part), 1e-9);
    EXPECT_NEAR(kpi(result, "progress_per_s", "").value, 2 * 1000 / part / (jct_ms / 1e3), 1e-3);
    const bool told = std::any_of(
        result.deviations.begin(), result.deviations.end(), [](const results::Deviation& one) {
          return one.what.find("a step of 1/10 of the profile's") != std::string::npos;
        });
    EXPECT_EQ(told, part > 1);
  }
}

TEST(MultiTenant, JobsWithoutACommonLeafDoNotDisturbEachOther) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.sizes = {{Bytes(1 << 20)}};
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(multiTenantTest(), scenario);
  ASSERT_TRUE(result.valid);
  EXPECT_NEAR(kpi(result, "interference_a", "0 % common, both jobs").value, 1, 0.01);
  EXPECT_GE(kpi(result, "interference_a", "50 % common, both jobs").value, 0.99);
}

TEST(Scale, MoreRanksHaveAHigherJctRatio) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.ranks = {{4, 16}};
  scenario.parameters.iterations = 2;
  const results::TestResult result = runTest(scaleTest(), scenario);
  ASSERT_TRUE(result.valid);
  const std::string tail = " ranks, as the DUT balances";
  EXPECT_GT(kpi(result, "jct_ratio", "AllReduce, 4 MiB, 16" + tail).value,
            kpi(result, "jct_ratio", "AllReduce, 4 MiB, 4" + tail).value);
  EXPECT_GT(kpi(result, "jct_ratio", "AllReduce, 4 MiB, 4" + tail).value, 1);
}

TEST(LinkFailure, CostsPacketsAndTimeAndIsJudgedAgainstSteadyState) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.ranks = {{16}};
  scenario.parameters.sizes = {{Bytes(1 << 20)}};
  scenario.parameters.repetitions = 1;
  scenario.parameters.balancing = {{"spray"}};
  const results::TestResult result = runTest(linkFailureTest(), scenario);
  ASSERT_TRUE(result.valid);
  EXPECT_EQ(kpi(result, "packets_lost", "nothing, packet spray").value, 0);
  const std::string spine = "spine switch (spine0), packet spray";
  EXPECT_GT(kpi(result, "packets_lost", spine).value, 0);
  EXPECT_GT(kpi(result, "jct_overhead_percent", spine).value, 0);
  EXPECT_GT(kpi(result, "failure_iteration_vs_p99", spine).value, 1);
  EXPECT_EQ(result.failed_elements, (std::vector<std::string>{"leaf0-spine0", "spine0"}));
  // Routing reacts after 100 us; nothing is lost any more from then on, but for what is under way.
  EXPECT_LE(kpi(result, "loss_duration_us", spine).value, 110);
}

TEST(LinkFailure, NeedsLinksBetweenSwitches) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 16;
  SimRunner runner;
  EXPECT_EQ(linkFailureTest().plan({scenario, runner.bench.capabilities()}).refusals.size(), 1U);
}

}  // namespace
}  // namespace plumbline::suite
