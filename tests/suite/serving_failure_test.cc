// Failures of links under serving load (I12.3) and in a soak (I13.3), against closed forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "suite/inference/inference.h"
#include "suite/inference/link_impact.h"
#include "suite/inference/sustained.h"
#include "tests/serving/serving_setup.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Ne;

constexpr double kTimeoutMs = 1.048576;  // 4.096 us * 2^8

// Two prefill and two decode NICs on a leaf each, `spines` spines, links of 10 Gb/s; 0.1 ms of
// prefill per token: 2 x 10 kB tokens a second, 16.8 of 20 Gb/s at 80 %.
scenario::Scenario twoLeaves(std::uint32_t spines, fabric::LoadBalancingKind balancing) {
  scenario::Scenario scenario;
  scenario.bench = "sim";
  scenario.topology.kind = fabric::TopologyKind::kPools;
  scenario.topology.prefill_leaves = 1;
  scenario.topology.decode_leaves = 1;
  scenario.topology.hosts_per_leaf = 2;
  scenario.topology.spines = spines;
  scenario.topology.link_rate = gigabitsPerSecond(10);
  scenario.switches.latency = nanoseconds(600);
  scenario.switches.shared_buffer.emplace();
  scenario.switches.pfc.emplace();
  scenario.switches.load_balancing.kind = balancing;
  scenario.convergence = milliseconds(2);
  auto& section = scenario.serving.emplace();
  auto& program = section.program;
  program.system = serving::plainSpec();
  program.system.check_every = 0;
  program.system.reaction = microseconds(5);
  program.system.servers.prefill.workers = 2;
  program.system.servers.decode.workers = 2;
  section.workload = serving::fixedWorkload(1, 100, 2, UINT64_MAX);
  section.workload->arrivals.kind = serving::ArrivalKind::kConstant;
  section.warmup = milliseconds(50);
  scenario.parameters.duration = milliseconds(200);
  scenario.parameters.repetitions = 1;
  // Without congestion control: the link is the limit.
  scenario.transport = transport::RoceSpec();
  return scenario;
}

double failureKpi(const results::TestResult& result, const std::string& name,
                  const std::string& point) {
  for (const results::Kpi& one : result.kpis) {
    if (one.name == name && one.point.starts_with(point)) return one.quantity.value;
  }
  ADD_FAILURE() << "no " << name << " at " << point;
  return std::nan("");
}

// Spraying puts 1/U of the traffic on each uplink; hashing does so in the mean over its seeds.
TEST(ServingFailure, AnUplinkCarriesItsShare) {
  const auto share = [](std::uint32_t spines, fabric::LoadBalancingKind balancing,
                        std::uint32_t repetitions) {
    scenario::Scenario scenario = twoLeaves(spines, balancing);
    scenario.parameters.repetitions = repetitions;
    scenario.parameters.duration = milliseconds(60);
    scenario.serving->program.queue_pairs = 32;
    const results::TestResult result = runTest(servingFailureProcedure(), scenario);
    return failureKpi(result, "failed_link_kv_percent", "uplink of a prefill leaf");
  };
  EXPECT_NEAR(share(2, fabric::LoadBalancingKind::kSprayRoundRobin, 1), 50, 1);
  EXPECT_NEAR(share(4, fabric::LoadBalancingKind::kSprayRoundRobin, 1), 25, 1);
  // About 10 requests over 128 queue pairs: ten balls into two bins, four times.
  EXPECT_NEAR(share(2, fabric::LoadBalancingKind::kEcmp, 4), 50, 25);
}

// Lost packets are retransmitted at the latest when the timer that runs at the end of convergence
// has expired, which has doubled up to convergence + timeout.
TEST(ServingFailure, TransfersRecoverWithinConvergenceAndTimeout) {
  const results::TestResult result =
      runTest(servingFailureProcedure(), twoLeaves(4, fabric::LoadBalancingKind::kSprayRoundRobin));
  EXPECT_TRUE(result.valid);
  const std::string point = "uplink of a prefill leaf";
  EXPECT_GT(failureKpi(result, "packets_lost", point), 0);
  EXPECT_LE(failureKpi(result, "last_loss_ms", point), 2.05);
  EXPECT_GT(failureKpi(result, "last_loss_ms", point), 1);
  // A transfer of 13.1 MB takes 10.7 ms at 10 Gb/s, twice that where two share a link.
  const double recovery = failureKpi(result, "serving_recovery_ms", point);
  EXPECT_GT(recovery, 0);
  EXPECT_LE(recovery, 2 * 2 + kTimeoutMs + 2 * 10.7);
  // Three uplinks of 10 Gb/s carry 16.8: the rate is not reduced.
  EXPECT_NEAR(failureKpi(result, "kv_rate_after_percent", point), 100, 5);
  EXPECT_THAT(result.failed_elements, ElementsAre("prefill0-spine0", "decode0-spine0",
                                                  "prefill0-spine1", "decode0-spine1"));
}

// Two uplinks of which one is left: min(1, (U - 1)/U * capacity/load), 9.80 of 16.78 Gb/s.
TEST(ServingFailure, WhatIsLeftOfTheCapacityIsUsed) {
  scenario::Scenario scenario = twoLeaves(2, fabric::LoadBalancingKind::kSprayRoundRobin);
  scenario.parameters.duration = milliseconds(400);
  const results::TestResult result = runTest(servingFailureProcedure(), scenario);
  const double load = 160 * 100 * 131'072.0 * 8;
  const double capacity = 2 * 10e9 * 4096 / 4178;
  EXPECT_NEAR(failureKpi(result, "kv_rate_after_percent", "uplink of a prefill leaf"),
              100 * std::min(1.0, capacity / load / 2), 5);
}

// Twenty requests a second: none has KV cache under way in the 5 ms of the outage.
TEST(ServingFailure, WithoutTransfersInTheOutageThereIsNoRecovery) {
  scenario::Scenario scenario = twoLeaves(3, fabric::LoadBalancingKind::kEcmp);
  scenario.serving->workload = serving::fixedWorkload(1, 10, 2, UINT64_MAX);
  scenario.serving->workload->arrivals.kind = serving::ArrivalKind::kConstant;
  scenario.parameters.rates = {20};
  const results::TestResult result = runTest(servingFailureProcedure(), scenario);
  EXPECT_TRUE(result.valid);
  for (const results::Kpi& one : result.kpis) {
    EXPECT_THAT(one.name, AllOf(Ne("kv_disruption_ms"), Ne("serving_recovery_ms"),
                                Ne("ttft_rise_ms"), Ne("ttft_above_p99_ms")));
  }
  std::string anomalies;
  for (const results::Anomaly& one : result.anomalies) anomalies += one.what + '\n';
  EXPECT_THAT(anomalies,
              AllOf(HasSubstr("in 4 of 4 trials no KV cache was in transfer"),
                    HasSubstr("in 4 of 4 trials no request waited for its first token")));
  EXPECT_THAT(result.summary, HasSubstr("observed after 0 of 4 failures"));
}

TEST(ServingFailure, NeedsAnotherPath) {
  SimRunner runner;
  scenario::Scenario one = twoLeaves(1, fabric::LoadBalancingKind::kEcmp);
  const Plan plan = servingFailureProcedure().plan({one, runner.bench.capabilities()});
  EXPECT_THAT(plan.refusals, ElementsAre(HasSubstr("two uplinks")));
  scenario::Scenario slow = twoLeaves(2, fabric::LoadBalancingKind::kEcmp);
  slow.convergence = milliseconds(60);
  EXPECT_THAT(servingFailureProcedure().plan({slow, runner.bench.capabilities()}).refusals,
              ElementsAre(HasSubstr("does not end within the measuring window")));
}

// Of a failure for good it counts from the failure, of a flap from its end.
TEST(LinkImpact, AnOutageEndsWithTheLastTimer) {
  bench::TrialSpec spec;
  spec.dut.convergence = milliseconds(2);
  const Picoseconds timers = 2 * milliseconds(2) + nanoseconds(1'048'576);
  EXPECT_EQ(outageOf(spec, seconds(1), fabric::kNever).settled, seconds(1) + timers);
  EXPECT_EQ(outageOf(spec, seconds(1), seconds(3)).settled, seconds(3) + timers);
  EXPECT_EQ(outageOf(spec, seconds(1), seconds(3)).threshold, microseconds(200));
}

// A leaf of prefill and one of decode in a three-tier Clos: each kind of link there is.
TEST(ServingFailures, AreThoseOfTheTopology) {
  scenario::Scenario scenario = twoLeaves(3, fabric::LoadBalancingKind::kEcmp);
  const auto failures = [&] {
    SimRunner runner;
    std::vector<std::string> names;
    for (const LinkFailure& one :
         servingFailures({scenario, runner.bench.capabilities()}, scenario.serving->program)) {
      names.push_back(one.what);
    }
    return names;
  };
  EXPECT_THAT(failures(),
              ElementsAre("nothing", "uplink of a prefill leaf", "link of a decode leaf",
                          "two uplinks of a prefill leaf", "a link of each leaf"));
  scenario.topology.spines = 2;
  EXPECT_THAT(failures(),
              ElementsAre("nothing", "uplink of a prefill leaf", "link of a decode leaf"));
  scenario.topology.kind = fabric::TopologyKind::kClos3;
  EXPECT_THAT(failures(), ElementsAre("nothing", "uplink of a prefill leaf", "link between spines",
                                      "link of a decode leaf"));
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  EXPECT_THAT(failures(), ElementsAre("nothing"));
}

// Both compare with a trial in which no link fails.
TEST(ServingFailures, AreNotComparedWithFailuresOfTheScenario) {
  scenario::Scenario scenario = twoLeaves(3, fabric::LoadBalancingKind::kEcmp);
  scenario.failures = {{"leaf0-spine0", milliseconds(60), std::nullopt}};
  SimRunner runner;
  for (const Procedure* procedure : {&servingFailureProcedure(), &servingFlapProcedure()}) {
    const Plan plan = procedure->plan({scenario, runner.bench.capabilities()});
    EXPECT_THAT(plan.refusals, testing::Contains(testing::HasSubstr("dut.failures")));
  }
}

serving::RequestRecord request(double arrival_ms, double post_ms, double last_ms, double token_ms) {
  const auto at = [](double ms) { return Picoseconds(std::llround(ms * 1e9)); };
  serving::RequestRecord record;
  record.measured = true;
  record.prompt = 1;
  record.arrival = at(arrival_ms);
  record.first_post = at(post_ms);
  record.last_arrival = at(last_ms);
  record.first_token = at(token_ms);
  record.done = at(token_ms);
  record.outcome = serving::Outcome::kDone;
  return record;
}

// By hand: link down at 10 ms, settled at 15 ms, delays count from 0.1 ms on.
TEST(LinkImpact, ComparesEachRequestWithItself) {
  serving::ServingResult intact;
  intact.requests = {request(0, 5, 8, 9),       // before
                     request(1, 9, 11, 12),     // under way at the failure
                     request(2, 12, 13, 14),    // posted in the outage
                     request(3, 12.5, 14, 15),  // not hit
                     request(4, 20, 22, 23)};   // after it
  serving::ServingResult failed = intact;
  failed.requests[1] = request(1, 9, 14.5, 15.5);
  failed.requests[2] = request(2, 12, 13.05, 14.05);
  failed.requests[4] = request(4, 20, 40, 41);
  const Outage outage{milliseconds(10), fabric::kNever, milliseconds(15), microseconds(100)};
  const LinkImpact impact = linkImpact(failed, intact, outage);
  EXPECT_EQ(impact.transfers, 3U);
  EXPECT_EQ(impact.delayed, 1U);
  EXPECT_NEAR(*impact.disruption_ms, 3.5, 1e-9);
  EXPECT_NEAR(*impact.recovery_ms, 4.5, 1e-9);
  EXPECT_NEAR(*impact.ttft_rise_ms, 18, 1e-9);  // of the last, which arrived in the outage
  EXPECT_NEAR(*impact.ttft_above_p99_ms, 37 - 19, 1e-9);
  // One whose KV cache never arrives: no longest delay, no recovery.
  failed.requests[1].last_arrival = serving::kNever;
  failed.requests[1].first_token = serving::kNever;
  const LinkImpact lost = linkImpact(failed, intact, outage);
  EXPECT_EQ(lost.delayed, 1U);
  EXPECT_FALSE(lost.disruption_ms);
  EXPECT_FALSE(lost.recovery_ms);
  EXPECT_FALSE(lost.ttft_rise_ms);
  EXPECT_EQ(lost.waiting, 4U);
  // An outage after the last request has nothing to delay.
  const Outage calm{milliseconds(24), fabric::kNever, milliseconds(27), microseconds(100)};
  const LinkImpact none = linkImpact(intact, intact, calm);
  EXPECT_EQ(none.transfers, 0U);
  EXPECT_EQ(none.waiting, 0U);
  EXPECT_FALSE(none.disruption_ms || none.recovery_ms || none.ttft_rise_ms ||
               none.ttft_above_p99_ms);
}

}  // namespace
}  // namespace plumbline::suite
