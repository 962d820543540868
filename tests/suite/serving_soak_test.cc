// Soaks of serving systems (I13.1 to I13.3) against closed forms: trends, Little's law, a planted
// leak.
#include "suite/inference/serving_soak.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "suite/inference/inference.h"
#include "tests/serving/serving_setup.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Ne;

// A model of 512 bytes of KV cache per token, pages of one token: 13 windows of a second of 16
// requests of 1,000 tokens each are 450,000 released pages and hardly a packet.
scenario::Scenario servingSoak() {
  scenario::Scenario scenario;
  scenario.bench = "sim";
  scenario.topology.kind = fabric::TopologyKind::kPools;
  scenario.topology.prefill_leaves = scenario.topology.decode_leaves = 1;
  scenario.topology.hosts_per_leaf = 2;
  scenario.topology.spines = 2;
  scenario.topology.link_rate = gigabitsPerSecond(10);
  scenario.switches.latency = nanoseconds(600);
  scenario.switches.shared_buffer.emplace();
  scenario.switches.pfc.emplace();
  scenario.convergence = milliseconds(5);
  auto& section = scenario.serving.emplace();
  serving::ServingSpec& system = section.program.system;
  system = serving::plainSpec();
  system.check_every = 0;
  system.reaction = microseconds(5);
  system.servers.prefill.workers = 2;
  system.servers.decode.workers = 2;
  system.model.layers = 1;
  system.model.kv_heads = 1;
  system.scheduler.page = 1;
  section.workload = serving::fixedWorkload(1, 1000, 4, UINT64_MAX);
  scenario.parameters.duration = seconds(1);  // of a window
  return scenario;
}

bool isUnmeasured(const results::TestResult& result, const std::string& name) {
  return std::any_of(result.unmeasured.begin(), result.unmeasured.end(),
                     [&](const results::UnmeasuredKpi& one) { return one.name == name; });
}

double soakKpi(const results::TestResult& result, const std::string& name,
               const std::string& point) {
  for (const results::Kpi& one : result.kpis) {
    if (one.name == name && one.point == point) return one.quantity.value;
  }
  ADD_FAILURE() << "no " << name << " at " << point;
  return std::nan("");
}

bool hasAnomaly(const results::TestResult& result, const std::string& text) {
  return std::any_of(
      result.anomalies.begin(), result.anomalies.end(),
      [&](const results::Anomaly& one) { return one.what.find(text) != std::string::npos; });
}

TEST(ServingSoak, ADayWithoutEventsHasNoTrend) {
  const results::TestResult result = runTest(servingSoakProcedure(), servingSoak());
  EXPECT_TRUE(result.valid);
  EXPECT_EQ(soakKpi(result, "significant_drifts", ""), 0);
  EXPECT_FALSE(hasAnomaly(result, "a fault of the model"));
  // 80 % of the 20 requests/s that two prefill workers compute, four tokens each.
  EXPECT_NEAR(soakKpi(result, "requests_per_window", "mean of the windows"), 16, 4);
  EXPECT_NEAR(soakKpi(result, "output_tokens_per_s", "mean of the windows"), 64, 16);
  EXPECT_EQ(soakKpi(result, "packets_dropped", "worst window"), 0);
  EXPECT_EQ(soakKpi(result, "qp_errors", "worst window"), 0);
  // A decode step is the only gap.
  EXPECT_NEAR(soakKpi(result, "itl_p99_ms", "worst window"), 2, 0.02);
  const auto deviation = [&](const std::string& text) {
    return std::any_of(
        result.deviations.begin(), result.deviations.end(),
        [&](const results::Deviation& one) { return one.what.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(deviation("clock compressed: of each 7200 s a window of 1 s"));
  EXPECT_TRUE(deviation("cannot show a variation of 1 %"));
  const auto load = std::find_if(result.configuration.begin(), result.configuration.end(),
                                 [](const auto& line) { return line.first == "Load"; });
  ASSERT_NE(load, result.configuration.end());
  EXPECT_EQ(load->second,
            "16 requests/s, 80 % of the capacity of the pools; not the rate of serving.workload");
}

// 0.0001 of 450,000 pages: 45, three or four in each window.
TEST(ServingSoak, APlantedLeakIsFlagged) {
  scenario::Scenario scenario = servingSoak();
  scenario.serving->program.system.memory.leak = 1e-4;
  const results::TestResult result = runTest(kvLeakProcedure(), scenario);
  EXPECT_GT(soakKpi(result, "pages_left", ""), 45 - 4 * 6.7);
  EXPECT_LT(soakKpi(result, "pages_left", ""), 45 + 4 * 6.7);
  EXPECT_GE(soakKpi(result, "potential_leaks", ""), 2);
  EXPECT_TRUE(hasAnomaly(result, "potential leak: Prefill pages used, mean"));
  EXPECT_TRUE(hasAnomaly(result, "potential leak: Decode pages used, mean"));
}

// At a fifth of the capacity the system is briefly empty in every window: the fewest pages in use
// are the lost ones. Of 112,000 pages 0.001, four in each window and pool.
TEST(ServingSoak, ALeakIsATrendOfTheFewestPages) {
  scenario::Scenario scenario = servingSoak();
  scenario.serving->program.system.memory.leak = 1e-3;
  scenario.parameters.rates = {5};
  const results::TestResult result = runTest(kvLeakProcedure(), scenario);
  EXPECT_TRUE(hasAnomaly(result, "potential leak: Prefill pages used, fewest rises"));
  EXPECT_TRUE(hasAnomaly(result, "potential leak: Decode pages used, fewest rises"));
}

TEST(ServingSoak, ACleanRunHasNoLeak) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    scenario::Scenario scenario = servingSoak();
    scenario.seed = seed;
    const results::TestResult result = runTest(kvLeakProcedure(), scenario);
    EXPECT_TRUE(result.valid);
    EXPECT_EQ(soakKpi(result, "potential_leaks", ""), 0) << seed;
    EXPECT_EQ(soakKpi(result, "pages_left", ""), 0);
    EXPECT_FALSE(hasAnomaly(result, "potential leak"));
  }
}

// The least p of five windows is 0.027, and that of a trend below 0.01 / 15.
TEST(ServingSoak, FewWindowsShowNeitherATrendNorThatThereIsNone) {
  scenario::Scenario scenario = servingSoak();
  scenario.parameters.soak.duration = seconds(4 * 3600);
  scenario.parameters.soak.interval = seconds(3600);
  const results::TestResult soak = runTest(servingSoakProcedure(), scenario);
  EXPECT_TRUE(hasAnomaly(soak, "5 windows are too few to find a trend"));
  EXPECT_TRUE(isUnmeasured(soak, "significant_drifts"));
  const results::TestResult leak = runTest(kvLeakProcedure(), scenario);
  EXPECT_TRUE(hasAnomaly(leak, "5 windows are too few to find a rise"));
  EXPECT_TRUE(isUnmeasured(leak, "potential_leaks"));
}

TEST(ServingSoak, WithoutRequestsNothingCouldLeak) {
  scenario::Scenario scenario = servingSoak();
  scenario.parameters.rates = {0.002};
  const results::TestResult result = runTest(kvLeakProcedure(), scenario);
  EXPECT_FALSE(result.valid);
  EXPECT_TRUE(hasAnomaly(result, "no request arrived"));
}

// A window without a request has no P99, which is no zero.
TEST(ServingSoak, AWindowWithoutRequestsHasNoPercentile) {
  scenario::Scenario scenario = servingSoak();
  scenario.parameters.rates = {1};
  const results::TestResult result = runTest(servingSoakProcedure(), scenario);
  EXPECT_TRUE(hasAnomaly(result, "TTFT P99 has no value in"));
  EXPECT_TRUE(std::any_of(result.kpis.begin(), result.kpis.end(),
                          [](const results::Kpi& one) { return one.name == "pfc_per_s"; }));
  EXPECT_FALSE(std::any_of(result.kpis.begin(), result.kpis.end(),
                           [](const results::Kpi& one) { return one.name == "ttft_p99_ms"; }));
  EXPECT_TRUE(isUnmeasured(result, "ttft_p99_ms"));
}

// For a run that ends before its requests the remainder is unknown.
TEST(ServingSoak, WhatIsLeftIsKnownOnlyAtQuiescence) {
  scenario::Scenario scenario = servingSoak();
  scenario.serving->drain = Picoseconds(0);
  scenario.serving->workload->output.low = 1000;  // two seconds of decode
  const results::TestResult result = runTest(kvLeakProcedure(), scenario);
  EXPECT_TRUE(hasAnomaly(result, "requests are left at the end"));
  EXPECT_TRUE(isUnmeasured(result, "pages_left"));
}

// The three are one soak: the first two are one trial, which the third has besides its own.
TEST(ServingSoak, IsOneTrialForItsTests) {
  const scenario::Scenario scenario = servingSoak();
  SimRunner runner;
  const TestConfig config{scenario, runner.bench.capabilities()};
  const std::string trial = servingSoakProcedure().plan(config).samples.front().spec.toJson();
  EXPECT_EQ(kvLeakProcedure().plan(config).samples.front().spec.toJson(), trial);
  const Plan flap = servingFlapProcedure().plan(config);
  ASSERT_EQ(flap.samples.size(), 2U);
  EXPECT_EQ(flap.samples.front().spec.toJson(), trial);
}

// Sixteen requests a second, whose transfers take 0.4 ms each: none in the 61 ms of the outage.
TEST(ServingSoak, AFlapWithoutTransfersShowsNoRecovery) {
  scenario::Scenario scenario = servingSoak();
  scenario.parameters.soak.flap = milliseconds(50);
  scenario.parameters.duration = milliseconds(200);
  const results::TestResult result = runTest(servingFlapProcedure(), scenario);
  EXPECT_TRUE(hasAnomaly(result, "no KV cache was in transfer during the outage"));
  EXPECT_THAT(result.summary, HasSubstr("is not observed"));
  for (const results::Kpi& one : result.kpis) {
    EXPECT_THAT(one.name, AllOf(Ne("serving_recovery_ms"), Ne("kv_disruption_ms")));
  }
  EXPECT_EQ(result.unmeasured.size(), 2U);
}

// Transfers of 1 MB in one message, 0.8 ms each, 160 a second, with a flap of 50 ms: recovery
// within flap, convergence twice and the timeout, as the timer that runs may have doubled.
TEST(ServingSoak, AFlapIsOverWithItsOutage) {
  scenario::Scenario scenario = servingSoak();
  scenario.serving->program.system.model.layers = 20;
  scenario.serving->workload = serving::fixedWorkload(1, 100, 4, UINT64_MAX);
  scenario.parameters.soak.flap = milliseconds(50);
  scenario.parameters.duration = milliseconds(200);
  const results::TestResult result = runTest(servingFlapProcedure(), scenario);
  EXPECT_TRUE(result.valid);
  const double recovery = soakKpi(result, "serving_recovery_ms", "link flap");
  EXPECT_GT(recovery, 5);  // convergence: until then a switch sends into the link
  EXPECT_LE(recovery, 50 + 2 * 5 + 1.05 + 1);
  EXPECT_EQ(soakKpi(result, "qp_errors", "link flap"), 0);
  EXPECT_THAT(result.failed_elements, ElementsAre("prefill0-spine0"));
}

TEST(ServingSoak, RefusesWhatGivesNoTrend) {
  SimRunner runner;
  scenario::Scenario few = servingSoak();
  few.parameters.soak.duration = seconds(7200);
  const auto refusals = [&](const Procedure& test, const scenario::Scenario& scenario) {
    return test.plan({scenario, runner.bench.capabilities()}).refusals;
  };
  EXPECT_THAT(refusals(servingSoakProcedure(), few),
              ElementsAre(HasSubstr("2 windows are fewer than 4")));
  scenario::Scenario longer = servingSoak();
  longer.parameters.soak.duration = seconds(60);
  longer.parameters.soak.interval = seconds(10);
  longer.parameters.duration = seconds(20);
  EXPECT_THAT(refusals(kvLeakProcedure(), longer), ElementsAre(HasSubstr("longer than the 10 s")));
  scenario::Scenario far = servingSoak();
  far.parameters.soak.flap = seconds(10);
  EXPECT_THAT(refusals(servingFlapProcedure(), far),
              ElementsAre(HasSubstr("less than two windows")));
}

// sqrt(99/n)/ln 100: 6.8 % of 1,000 requests, 1.4 % of 22,500, 1 % of 46,682.
TEST(SamplingOfP99, IsThatOfAnExponentialTail) {
  EXPECT_NEAR(errorOfP99(1000), 0.0683, 1e-4);
  EXPECT_NEAR(errorOfP99(22'500), 0.0144, 1e-4);
  EXPECT_NEAR(requestsForP99(0.01), 46'682, 1);
}

}  // namespace
}  // namespace plumbline::suite
