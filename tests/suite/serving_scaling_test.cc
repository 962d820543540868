// Decode servers that join and leave (I12.2), against closed forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "suite/inference/inference.h"
#include "tests/serving/serving_setup.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A prefill worker (20 ms for 200 tokens: 50 requests/s) and `decode` decode workers in turn on
// one switch at 100 Gb/s; 40 requests/s at equal distances, answers of 5 tokens, 2 ms each.
scenario::Scenario scalingSystem(std::uint32_t decode) {
  scenario::Scenario scenario;
  scenario.bench = "sim";
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 1 + decode;
  scenario.topology.link_rate = gigabitsPerSecond(100);
  scenario.switches.latency = nanoseconds(600);
  scenario.switches.shared_buffer.emplace();
  scenario.switches.pfc.emplace();
  scenario.convergence = milliseconds(10);
  auto& section = scenario.serving.emplace();
  serving::ServingSpec& system = section.program.system;
  system = serving::plainSpec();
  system.check_every = 0;
  system.reaction = microseconds(5);
  system.servers.decode.workers = decode;
  system.router.decode = serving::RouterPolicy::kRoundRobin;
  section.workload = serving::fixedWorkload(1, 200, 5, UINT64_MAX);
  section.workload->arrivals.kind = serving::ArrivalKind::kConstant;
  return scenario;
}

double scalingKpi(const results::TestResult& result, const std::string& name) {
  for (const results::Kpi& one : result.kpis) {
    if (one.name == name) return one.quantity.value;
  }
  ADD_FAILURE() << "no " << name;
  return std::nan("");
}

// Two of three join: two thirds of the requests are theirs. A request comes every 25 ms; the first
// one of theirs is among the next three, takes 20 ms of prefill and 26.2 MB at 100 Gb/s, 2.1 ms.
TEST(ServingScaling, JoinedServersGetTheirShare) {
  const scenario::Scenario scenario = scalingSystem(3);
  const results::TestResult result = runTest(servingScalingProcedure(), scenario);
  EXPECT_TRUE(result.valid);
  EXPECT_NEAR(scalingKpi(result, "joined_requests_percent"), 100.0 * 2 / 3, 5);
  const double wire = 200 * 131'072.0 * 8 / 100e9 * 4178 / 4096 * 1e3;
  const double first = scalingKpi(result, "first_transfer_ms");
  EXPECT_GT(first, 20 + wire);
  EXPECT_LT(first, 3 * 25 + 20 + wire * 1.05 + 0.1);
  EXPECT_EQ(scalingKpi(result, "packets_lost"), 0);
  // The last request routed there before they leave may be in prefill; then follow transfer and
  // five steps of decode, each of which waits for the end of a running one.
  EXPECT_LE(scalingKpi(result, "scale_down_drain_ms"), 20 + wire * 1.05 + 6 * 2);
  EXPECT_LE(scalingKpi(result, "scale_up_steady_ms"), 3 * 25 + 20 + wire * 1.05 + 0.1 + 300);
}

// Eleven workers on servers of four: the last two servers have seven of them.
TEST(ServingScaling, WholeServersJoin) {
  SimRunner runner;
  scenario::Scenario scenario = scalingSystem(3);
  serving::MappingSpec& servers = scenario.serving->program.system.servers;
  servers.gpus = 4;
  servers.decode.workers = 11;
  const Plan plan = servingScalingProcedure().plan({scenario, runner.bench.capabilities()});
  ASSERT_EQ(plan.samples.size(), 1U);
  const bench::TrialSpec& spec = plan.samples.front().spec;
  EXPECT_EQ(spec.serving->system.scaling.joining, 7U);
  ASSERT_EQ(spec.dut.failures.size(), 2U);
  EXPECT_EQ(spec.dut.failures.front().element, "host2-switch0");
}

TEST(ServingScaling, NeedsAServerThatStays) {
  SimRunner runner;
  const scenario::Scenario one = scalingSystem(1);
  EXPECT_THAT(servingScalingProcedure().plan({one, runner.bench.capabilities()}).refusals,
              ElementsAre(HasSubstr("one decode server")));
}

TEST(ServingScaling, NeedsTimeToConverge) {
  SimRunner runner;
  scenario::Scenario slow = scalingSystem(3);
  slow.convergence = seconds(10);
  EXPECT_THAT(servingScalingProcedure().plan({slow, runner.bench.capabilities()}).refusals,
              ElementsAre(HasSubstr("before the fabric routes to them")));
}

}  // namespace
}  // namespace plumbline::suite
