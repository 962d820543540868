// T10.1, T10.3, T11.1 to T11.3 on the bench of simulated hosts.
#include <gtest/gtest.h>

#include <algorithm>

#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

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
