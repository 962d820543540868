// Costs of plans, on benches of every kind.
#include "suite/framework/expected_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "suite/framework/trials.h"
#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

// A simulated card with two or four ports that needs 400 s for a second of each.
bench::Capabilities simulatedCard() {
  bench::Capabilities card = someBench();
  card.max_ports = 16;
  card.trial_overhead = microseconds(75);
  card.wall_seconds_per_second = 0;
  card.wall_seconds_per_port_second = 400;
  card.card_ports = {2, 4};
  return card;
}

// Whatever the DUT's size, a trial's cost depends on the ports of its card.
TEST(ExpectedTime, OfACardIsThatOfItsPorts) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.link_rate = gigabitsPerSecond(100);
  scenario.parameters.sizes = {{Bytes(20'000)}};
  const bench::Capabilities card = simulatedCard();
  for (const std::uint32_t leaves : {1U, 16U}) {
    scenario.topology.leaves = leaves;
    const Plan plan = ecnAccuracyProcedure().plan({scenario, card});
    ASSERT_TRUE(plan.refusals.empty());
    const double seconds = expectedSeconds(plan, scenario.topology.hostCount(), card, 1);
    EXPECT_DOUBLE_EQ(seconds, plan.simulated_time.toSeconds() * 4 * 400);  // three hosts
    EXPECT_DOUBLE_EQ(expectedSeconds(plan, scenario.topology.hostCount(), card, 1.5),
                     1.5 * seconds);
  }
}

TEST(ExpectedTime, CountsTheCardsThatATrialTakes) {
  const scenario::Scenario scenario = someScenario();
  const bench::Capabilities card = simulatedCard();
  for (const auto& [hosts, ports] : {std::pair{2, 2}, {3, 4}, {4, 4}, {5, 8}, {9, 12}}) {
    bench::TrialSpec spec;
    for (int host = 1; host < hosts; ++host) {
      spec.streams.emplace_back().from = static_cast<std::uint32_t>(host);
    }
    Plan plan;
    addCardTime({scenario, card}, spec, microseconds(25), 3, plan);
    EXPECT_EQ(plan.simulated_time, microseconds(25 + 3 * 75)) << hosts;
    EXPECT_EQ(plan.port_time, microseconds(25 + 3 * 75) * ports) << hosts;
  }
}

// Time passes for real: as long on a slow machine, and with many hosts.
TEST(ExpectedTime, OfHardwareIsTheTrialsOwn) {
  scenario::Scenario scenario = someScenario();
  scenario.profile = scenario::Profile::kStandard;
  bench::Capabilities hardware = someBench();
  hardware.simulated_dut = false;
  const Plan plan = throughputProcedure().plan({scenario, hardware});
  EXPECT_GT(plan.simulated_time, seconds(60));
  EXPECT_DOUBLE_EQ(expectedSeconds(plan, 64, hardware, 3), plan.simulated_time.toSeconds());
}

TEST(ExpectedTime, OfSimulatedHostsIsThatOfPacketsAndOfSettingUp) {
  bench::Capabilities hosts = someBench();
  hosts.wall_seconds_per_second = 0;
  hosts.wall_ns_per_packet_hop = 100;
  hosts.wall_us_per_host = 50;
  Plan plan;
  plan.trials_expected = 10;
  plan.packet_hops = 2e6;
  plan.hop_cost = 1.5;
  // 0.3 s of packets; 200 hosts, ten times, are 0.1 s.
  EXPECT_NEAR(expectedSeconds(plan, 200, hosts, 1), 0.4, 1e-9);
  EXPECT_NEAR(expectedSeconds(plan, 200, hosts, 2), 0.8, 1e-9);
}

// A point of a sweep has a cost of its own, and the plan their mean, weighted with the packets.
TEST(ExpectedTime, WeighsPointsByTheirPackets) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.ranks = {{4, 16}};
  scenario.parameters.sizes = {{Bytes(1 << 20)}};
  SimRunner runner;
  const Plan plan = allToAllProcedure().plan({scenario, runner.bench.capabilities()});
  double hops = 0;
  double work = 0;
  double min = plan.samples.front().hop_cost;
  double max = min;
  for (const PlannedTrial& sample : plan.samples) {
    hops += sample.packet_hops;
    work += sample.packet_hops * sample.hop_cost;
    min = std::min(min, sample.hop_cost);
    max = std::max(max, sample.hop_cost);
  }
  EXPECT_LT(min, max);
  EXPECT_NEAR(plan.packet_hops, hops, 1e-6 * hops);  // one repetition
  EXPECT_NEAR(plan.hop_cost, work / hops, 1e-9);
}

// Two measurements of one machine; other programs may make them differ.
TEST(MachineSpeed, IsMeasuredRepeatably) {
  const double first = measureSlowdown();
  const double second = measureSlowdown();
  EXPECT_GT(first, 0.05);
  EXPECT_LT(first, 100);
  EXPECT_LT(second, 4 * first);
  EXPECT_GT(4 * second, first);
  EXPECT_EQ(machineSlowdown(), machineSlowdown());
}

}  // namespace
}  // namespace plumbline::suite
