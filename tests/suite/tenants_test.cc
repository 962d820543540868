// I10.3 against its closed forms: tenants that share no link, and tenants that share one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "suite/inference/inference.h"
#include "suite/inference/steady_load.h"
#include "tests/suite/serving_system.h"

namespace plumbline::suite {
namespace {

using ::testing::HasSubstr;

// Requests of 64 tokens every 10 ms: prefill takes 6.4 ms, the KV cache of 8.4 MB 0.17 ms.
scenario::Scenario tenants(std::uint32_t hosts) {
  scenario::Scenario scenario = system(1, 1);
  scenario.topology.hosts = hosts;
  auto& section = *scenario.serving;
  section.workload = serving::fixedWorkload(100, 64, 4, UINT64_MAX);
  section.workload->arrivals.kind = serving::ArrivalKind::kConstant;
  section.warmup = milliseconds(50);
  scenario.parameters.duration = milliseconds(150);
  return scenario;
}

// A leaf of prefill hosts and one of decode hosts, and one link between them and their spine.
scenario::Scenario onOneUplink() {
  scenario::Scenario scenario = tenants(4);
  scenario.topology = {};
  scenario.topology.kind = fabric::TopologyKind::kPools;
  scenario.topology.prefill_leaves = scenario.topology.decode_leaves = 1;
  scenario.topology.hosts_per_leaf = 2;
  scenario.topology.spines = 1;
  scenario.topology.link_rate = gigabitsPerSecond(400);
  return scenario;
}

TEST(Tenants, OnLinksOfTheirOwnFeelNothing) {
  scenario::Scenario scenario = tenants(6);
  scenario.parameters.tenants = 3;
  scenario.serving->workload->arrivals.kind = serving::ArrivalKind::kPoisson;
  const results::TestResult result = runTest(tenantsProcedure(), scenario);
  EXPECT_TRUE(result.valid);
  for (const char* tenant : {"tenant 1", "tenant 2", "tenant 3"}) {
    const std::string shared = std::string(tenant) + ", shared";
    const std::string alone = std::string(tenant) + ", alone";
    for (const char* name :
         {"ttft_penalty_percent", "itl_penalty_percent", "transfer_penalty_percent"}) {
      EXPECT_EQ(kpiValue(result, name, shared), 0) << name;
    }
    for (const char* name : {"ttft_p99_ms", "ttft_p50_ms", "request_transfer_p99_ms"}) {
      EXPECT_EQ(kpiValue(result, name, shared), kpiValue(result, name, alone)) << name;
    }
  }
  // Requests of their own: other arrivals, other times.
  EXPECT_NE(kpiValue(result, "ttft_p99_ms", "tenant 1, alone"),
            kpiValue(result, "ttft_p99_ms", "tenant 2, alone"));
}

// Both send at the same times, so that each has half of the uplink: a transfer takes twice as long.
TEST(Tenants, OnOneUplinkHaveHalfOfItEach) {
  const results::TestResult result = runTest(tenantsProcedure(), onOneUplink());
  EXPECT_TRUE(result.valid);
  const double bytes = 64 * 131'072.0;
  for (const char* tenant : {"tenant 1", "tenant 2"}) {
    const std::string shared = std::string(tenant) + ", shared";
    const std::string alone = std::string(tenant) + ", alone";
    // Four links and three switches.
    EXPECT_NEAR(kpiValue(result, "request_transfer_p99_ms", alone), wireMs(bytes, 2'500), 0.005);
    EXPECT_NEAR(kpiValue(result, "transfer_penalty_percent", shared), 100, 2) << tenant;
    const double more = kpiValue(result, "request_transfer_p99_ms", shared) -
                        kpiValue(result, "request_transfer_p99_ms", alone);
    EXPECT_NEAR(kpiValue(result, "ttft_p99_ms", shared) - kpiValue(result, "ttft_p99_ms", alone),
                more, 1e-6);
    EXPECT_EQ(kpiValue(result, "itl_penalty_percent", shared), 0);
  }
}

TEST(Tenants, HaveOneTrialTogether) {
  SimRunner runner;
  const scenario::Scenario scenario = onOneUplink();
  const Plan plan = tenantsProcedure().plan({scenario, runner.bench.capabilities()});
  ASSERT_EQ(plan.samples.size(), 4U);
  EXPECT_EQ(plan.trials_expected, 3U);
  EXPECT_EQ(plan.samples[1].spec.toJson(), plan.samples[3].spec.toJson());
  const std::vector<std::uint32_t> first{0, 2};
  const std::vector<std::uint32_t> second{1, 3};
  EXPECT_EQ(plan.samples[1].spec.serving->hosts, first);
  ASSERT_EQ(plan.samples[1].spec.tenants.size(), 1U);
  EXPECT_EQ(plan.samples[1].spec.tenants.front().hosts, second);
  EXPECT_EQ(plan.samples[2].spec.serving->hosts, second);
}

TEST(Tenants, RefuseWhatCannotBe) {
  const auto refusal = [](const scenario::Scenario& scenario) {
    SimRunner runner;
    const auto all = tenantsProcedure().plan({scenario, runner.bench.capabilities()}).refusals;
    return all.empty() ? std::string() : all.front();
  };
  EXPECT_THAT(refusal(tenants(3)), HasSubstr("2 tenants have 4 NICs, and the topology 3 hosts"));
  scenario::Scenario pools = onOneUplink();
  pools.parameters.tenants = 3;
  EXPECT_THAT(refusal(pools), HasSubstr("3 prefill and 3 decode NICs"));
  scenario::Scenario placed = tenants(4);
  placed.serving->program.hosts = {0, 1};
  EXPECT_THAT(refusal(placed), HasSubstr("serving.hosts"));
  scenario::Scenario one = tenants(4);
  one.parameters.tenants = 1;
  EXPECT_THAT(refusal(one), HasSubstr("needs at least 2"));
}

}  // namespace
}  // namespace plumbline::suite
