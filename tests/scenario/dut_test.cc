// Every key of `dut:`, read into the field that it means.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/parse.h"
#include "tests/scenario/vocabulary.h"

namespace plumbline::scenario {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A scenario with this `dut:`, which is indented by two.
Scenario scenarioOf(const std::string& dut) {
  auto result =
      parseScenario("plumbline: 1\nname: n\ntest: T5.2\ndut:\n" + dut, "s", testVocabulary());
  for (const Problem& problem : result.problems) ADD_FAILURE() << problem.text("s");
  return result.scenario;
}

fabric::TopologySpec topologyOf(const std::string& topology) {
  return scenarioOf("  topology: " + topology + "\n").topology;
}

TEST(Dut, TopologyClos3) {
  const auto t = topologyOf(
      "{kind: clos3, pods: 3, leaves: 4, spines: 2, hosts_per_leaf: 5, superspines: 6, "
      "link: 100G, fabric_link: 400G, uplinks: 2, host_delay: 7ns, fabric_delay: 8ns}");
  EXPECT_EQ(t.kind, fabric::TopologyKind::kClos3);
  EXPECT_EQ(t.pods, 3u);
  EXPECT_EQ(t.leaves, 4u);
  EXPECT_EQ(t.spines, 2u);
  EXPECT_EQ(t.hosts_per_leaf, 5u);
  EXPECT_EQ(t.superspines, 6u);
  EXPECT_EQ(t.link_rate, gigabitsPerSecond(100));
  EXPECT_EQ(t.fabric_rate, gigabitsPerSecond(400));
  EXPECT_EQ(t.uplinks, 2u);
  EXPECT_EQ(t.host_link_delay, nanoseconds(7));
  EXPECT_EQ(t.fabric_link_delay, nanoseconds(8));
  EXPECT_EQ(t.hostCount(), 60u);
}

TEST(Dut, TopologyRail) {
  const auto t = topologyOf("{kind: rail, servers: 4, rails: 3, servers_per_leaf: 2, spines: 5}");
  EXPECT_EQ(t.kind, fabric::TopologyKind::kRail);
  EXPECT_EQ(t.servers, 4u);
  EXPECT_EQ(t.rails, 3u);
  EXPECT_EQ(t.servers_per_leaf, 2u);
  EXPECT_EQ(t.spines, 5u);
  EXPECT_EQ(t.hostCount(), 12u);
}

TEST(Dut, TopologyPools) {
  const auto t = topologyOf(
      "{kind: pools, prefill_leaves: 3, decode_leaves: 2, hosts_per_leaf: 4, spines: 5}");
  EXPECT_EQ(t.kind, fabric::TopologyKind::kPools);
  EXPECT_EQ(t.prefill_leaves, 3u);
  EXPECT_EQ(t.decode_leaves, 2u);
  EXPECT_EQ(t.hosts_per_leaf, 4u);
  EXPECT_EQ(t.spines, 5u);
  EXPECT_EQ(t.hostCount(), 20u);
}

TEST(Dut, TopologyGraph) {
  const auto t = topologyOf(R"(
    kind: graph
    link: 200G
    host_delay: 20ns
    fabric_delay: 300ns
    hosts: [a, b]
    switches: [s, t]
    cables:
      - {a: a, b: s}
      - {a: t, b: b}
      - {a: s, b: t, rate: 400G}
      - {a: s, b: t, delay: 1us})");
  EXPECT_THAT(t.graph.hosts, ElementsAre("a", "b"));
  EXPECT_THAT(t.graph.switches, ElementsAre("s", "t"));
  ASSERT_EQ(t.graph.cables.size(), 4u);
  EXPECT_EQ(t.graph.cables[0].a, "a");
  EXPECT_EQ(t.graph.cables[0].b, "s");
  EXPECT_EQ(t.graph.cables[0].rate, gigabitsPerSecond(200));
  EXPECT_EQ(t.graph.cables[0].delay, nanoseconds(20));
  EXPECT_EQ(t.graph.cables[1].rate, gigabitsPerSecond(200));
  EXPECT_EQ(t.graph.cables[1].delay, nanoseconds(20));
  EXPECT_EQ(t.graph.cables[2].rate, gigabitsPerSecond(400));
  EXPECT_EQ(t.graph.cables[2].delay, nanoseconds(300));
  EXPECT_EQ(t.graph.cables[3].delay, microseconds(1));
  EXPECT_EQ(t.graph.cables[3].rate, gigabitsPerSecond(200));
  EXPECT_EQ(t.hostCount(), 2u);
}

// Shares of line rate are of the hosts' links: a graph's cables state their rate.
TEST(Dut, HostsLinksOfAGraphHaveTheRateOfTheirCables) {
  const auto t = topologyOf(R"(
    kind: graph
    hosts: [a, b, c]
    switches: [s, t]
    cables:
      - {a: s, b: t, rate: 800G}
      - {a: a, b: s}
      - {a: t, b: b, rate: 400G}
      - {a: c, b: t, rate: 400G}
      - {a: t, b: s})");
  EXPECT_EQ(t.link_rate, gigabitsPerSecond(400));
  EXPECT_EQ(t.graph.cables[1].rate, gigabitsPerSecond(400));
  EXPECT_EQ(t.graph.cables[4].rate, gigabitsPerSecond(400));
  EXPECT_EQ(t.graph.cables[0].rate, gigabitsPerSecond(800));
}

constexpr const char* kEverySwitchKey = R"(  topology: {kind: clos2, leaves: 2, spines: 2}
  switch:
    shared_buffer: {total: 64MB, alpha: 0.125, reserve: 2KB}
    latency: 450ns
    forwarding: cut-through
    scheduler:
      weights: {0: 10, 3: 40}
      quantum: 2KB
    voq: true
    ecn:
      - {priorities: [3, 4], kmin: 50KB, kmax: 200KB, pmax: 1%, at: dequeue}
      - {kmin: 10KB, at: enqueue}
    pfc:
      priorities: [3, 4]
      xoff: 40KB
      xon: 30KB
      alpha: 2
      headroom: 70KB
      quanta: 1000
      response: 20ns
      watchdog: {poll: 10ms, detection: 20ms, restoration: 30ms, action: forward}
    trim: {threshold: 90KB, keep: 128B, priority: 6, limit: 80KB}
    llr: {receiver_processing: 11ns, sender_processing: 12ns, replay_timer: 13us, max_replays: 14,
          replay_buffer: 150KB, pcs_lost: 15us, data_age: 16us, init_interval: 17us}
)";

TEST(Dut, EverySwitchKey) {
  const fabric::SwitchSpec s = scenarioOf(kEverySwitchKey).switches;
  EXPECT_EQ(s.shared_buffer->total, Bytes(64'000'000));
  EXPECT_EQ(s.shared_buffer->alpha, Fraction::partsPerTrillion(125'000'000'000));
  EXPECT_EQ(s.shared_buffer->reserve_per_port, Bytes(2'000));
  EXPECT_EQ(s.latency, nanoseconds(450));
  EXPECT_EQ(s.forwarding, fabric::Forwarding::kCutThrough);
  EXPECT_THAT(s.weights, ElementsAre(10, 0, 0, 40, 0, 0, 0, 0));
  EXPECT_EQ(s.dwrr_quantum, Bytes(2'000));
  EXPECT_TRUE(s.voq);
  ASSERT_EQ(s.ecn.size(), 2u);
  EXPECT_EQ(s.ecn[0].priorities, 0x18);
  EXPECT_EQ(s.ecn[0].kmin, Bytes(50'000));
  EXPECT_EQ(s.ecn[0].kmax, Bytes(200'000));
  EXPECT_EQ(s.ecn[0].pmax, Fraction::percent(1));
  EXPECT_TRUE(s.ecn[0].at_dequeue);
  EXPECT_EQ(s.ecn[1].priorities, 0xFF);
  EXPECT_EQ(s.ecn[1].kmin, Bytes(10'000));
  EXPECT_FALSE(s.ecn[1].at_dequeue);
  EXPECT_EQ(s.pfc->priorities, 0x18);
  EXPECT_EQ(s.pfc->xoff, Bytes(40'000));
  EXPECT_EQ(s.pfc->xon, Bytes(30'000));
  EXPECT_EQ(s.pfc->dynamic_alpha, Fraction::percent(200));
  EXPECT_EQ(s.pfc->headroom, Bytes(70'000));
  EXPECT_EQ(s.pfc->quanta, 1'000);
  EXPECT_EQ(s.pfc->response, nanoseconds(20));
  EXPECT_EQ(s.pfc->watchdog->poll, milliseconds(10));
  EXPECT_EQ(s.pfc->watchdog->detection, milliseconds(20));
  EXPECT_EQ(s.pfc->watchdog->restoration, milliseconds(30));
  EXPECT_EQ(s.pfc->watchdog->action, fabric::WatchdogSpec::Action::kForward);
  EXPECT_EQ(s.trim->threshold, Bytes(90'000));
  EXPECT_EQ(s.trim->keep, Bytes(128));
  EXPECT_EQ(s.trim->priority, 6);
  EXPECT_EQ(s.trim->limit, Bytes(80'000));
  EXPECT_EQ(s.llr->receiver_processing, nanoseconds(11));
  EXPECT_EQ(s.llr->sender_processing, nanoseconds(12));
  EXPECT_EQ(s.llr->replay_timer, microseconds(13));
  EXPECT_EQ(s.llr->max_replays, 14U);
  EXPECT_EQ(s.llr->replay_buffer, Bytes(150'000));
  EXPECT_EQ(s.llr->pcs_lost, microseconds(15));
  EXPECT_EQ(s.llr->data_age, microseconds(16));
  EXPECT_EQ(s.llr->init_interval, microseconds(17));
  EXPECT_FALSE(s.cbfc);
}

TEST(Dut, CreditBasedFlowControl) {
  const auto cbfc = scenarioOf(R"(  topology: {kind: switch}
  switch:
    cbfc: {channels: [2, 3], credits: 500, credit_size: 64B, packet_overhead: -4,
           update_spacing: 3KB, update_period: 2us, processing: 50ns,
           consumed_period: 40us}
)")
                        .switches.cbfc;
  ASSERT_TRUE(cbfc);
  EXPECT_EQ(cbfc->channels, 0x0C);
  EXPECT_EQ(cbfc->credits, 500u);
  EXPECT_EQ(cbfc->credit_size, Bytes(64));
  EXPECT_TRUE(cbfc->virtual_channels.empty());
  EXPECT_EQ(cbfc->packet_overhead, -4);
  EXPECT_EQ(cbfc->update_spacing, Bytes(3'000));
  EXPECT_EQ(cbfc->update_period, microseconds(2));
  EXPECT_EQ(cbfc->processing, nanoseconds(50));
  EXPECT_EQ(cbfc->consumed_period, microseconds(40));
}

TEST(Dut, VirtualChannelsArePrioritiesWithCreditsOfTheirOwn) {
  const auto cbfc = scenarioOf(R"(  topology: {kind: switch}
  switch:
    cbfc: {channels: [2, 3, 4, 6], virtual_channels: [{priorities: [2, 4], credits: 700},
           {priorities: 6}]}
)")
                        .switches.cbfc;
  ASSERT_TRUE(cbfc);
  EXPECT_EQ(cbfc->credits, 2'048u);
  ASSERT_EQ(cbfc->virtual_channels.size(), 2u);
  EXPECT_EQ(cbfc->virtual_channels[0].priorities, 0x14);
  EXPECT_EQ(cbfc->virtual_channels[0].credits, 700u);
  EXPECT_EQ(cbfc->virtual_channels[1].priorities, 0x40);
  EXPECT_EQ(cbfc->virtual_channels[1].credits, 2'048u);
}

TEST(Dut, AnEmptyMapTakesTheDefaults) {
  const fabric::SwitchSpec s =
      scenarioOf("  topology: {kind: switch}\n  switch: {ecn: {}, pfc: {watchdog: {}}, trim: {}}\n")
          .switches;
  ASSERT_EQ(s.ecn.size(), 1u);
  EXPECT_EQ(s.ecn[0].kmin, fabric::EcnSpec().kmin);
  EXPECT_EQ(s.ecn[0].priorities, 0xFF);
  ASSERT_TRUE(s.pfc);
  EXPECT_EQ(s.pfc->xoff, fabric::PfcSpec().xoff);
  EXPECT_EQ(s.pfc->xon, fabric::PfcSpec().xon);
  EXPECT_FALSE(s.pfc->dynamic_alpha);
  ASSERT_TRUE(s.pfc->watchdog);
  EXPECT_EQ(s.pfc->watchdog->poll, fabric::WatchdogSpec().poll);
  ASSERT_TRUE(s.trim);
  EXPECT_EQ(s.trim->threshold, fabric::TrimSpec().threshold);
}

// Without "xon", it is 3 KB below "xoff", but never below zero.
TEST(Dut, XonFollowsXoff) {
  const auto xon = [](const std::string& pfc) {
    return scenarioOf("  topology: {kind: switch}\n  switch: {pfc: {" + pfc + "}}\n")
        .switches.pfc->xon;
  };
  EXPECT_EQ(xon("xoff: 50KB"), Bytes(47'000));
  EXPECT_EQ(xon("xoff: 2KB"), Bytes(0));
  EXPECT_EQ(xon("xoff: 50KB, xon: 1KB"), Bytes(1'000));
}

TEST(Dut, LoadBalancing) {
  using Kind = fabric::LoadBalancingKind;
  const auto balancing = [](const std::string& value) {
    return scenarioOf("  topology: {kind: clos2}\n  load_balancing: " + value + "\n")
        .switches.load_balancing;
  };
  EXPECT_EQ(balancing("ecmp").kind, Kind::kEcmp);
  EXPECT_EQ(balancing("ecmp-qp").kind, Kind::kEcmpQp);
  EXPECT_EQ(balancing("flowlet").kind, Kind::kFlowlet);
  EXPECT_EQ(balancing("spray-random").kind, Kind::kSprayRandom);
  EXPECT_EQ(balancing("spray-round-robin").kind, Kind::kSprayRoundRobin);
  EXPECT_EQ(balancing("spray-least-queue").kind, Kind::kSprayLeastQueue);
  EXPECT_EQ(balancing("weighted").kind, Kind::kWeighted);
  EXPECT_EQ(balancing("{kind: spray-random}").kind, Kind::kSprayRandom);
  EXPECT_EQ(balancing("flowlet").flowlet_gap, microseconds(1));
  EXPECT_EQ(balancing("{kind: flowlet, gap: 5us}").flowlet_gap, microseconds(5));
}

TEST(Dut, WhatFails) {
  const fabric::FabricSpec spec = scenarioOf(R"(  topology: {kind: clos2}
  bit_errors:
    - {link: "*", rate: 1e-9}
    - {link: leaf0-spine1, rate: 0.00001}
  failures:
    - {element: leaf0-spine1, down: 1ms, up: 3ms}
    - {element: spine0, down: 4ms}
  convergence: 50us
  pause_storms: {host: 3, priorities: [3, 5], start: 1ms, duration: 2ms}
)")
                                      .fabricSpec();
  ASSERT_EQ(spec.bit_errors.size(), 2u);
  EXPECT_EQ(spec.bit_errors[0].link, "*");
  EXPECT_EQ(spec.bit_errors[0].rate, 1e-9);
  EXPECT_EQ(spec.bit_errors[1].link, "leaf0-spine1");
  EXPECT_EQ(spec.bit_errors[1].rate, 1e-5);
  ASSERT_EQ(spec.failures.size(), 2u);
  EXPECT_EQ(spec.failures[0].element, "leaf0-spine1");
  EXPECT_EQ(spec.failures[0].down, milliseconds(1));
  EXPECT_EQ(spec.failures[0].up, milliseconds(3));
  EXPECT_EQ(spec.failures[1].element, "spine0");
  EXPECT_FALSE(spec.failures[1].up);
  EXPECT_EQ(spec.convergence, microseconds(50));
  ASSERT_EQ(spec.storms.size(), 1u);
  EXPECT_EQ(spec.storms[0].host, 3u);
  EXPECT_EQ(spec.storms[0].priorities, 0x28);
  EXPECT_EQ(spec.storms[0].start, milliseconds(1));
  EXPECT_EQ(spec.storms[0].duration, milliseconds(2));
}

TEST(Dut, NothingMoreThanTheTopologyIsNeeded) {
  const fabric::FabricSpec spec = scenarioOf("  topology: {kind: clos2}\n").fabricSpec();
  EXPECT_THAT(spec.switches.ecn, IsEmpty());
  EXPECT_FALSE(spec.switches.pfc);
  EXPECT_FALSE(spec.switches.shared_buffer);
  EXPECT_EQ(spec.switches.load_balancing.kind, fabric::LoadBalancingKind::kEcmp);
  EXPECT_EQ(spec.convergence, fabric::FabricSpec().convergence);
}

}  // namespace
}  // namespace plumbline::scenario
