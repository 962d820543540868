// Graphs built by hand: several rates in one fabric, long chains.
#include "fabric/engine/engine.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/fabric/traffic.h"

namespace plumbline::fabric::testing {
namespace {

constexpr BitRate kSlow = gigabitsPerSecond(100);
constexpr BitRate kFast = gigabitsPerSecond(400);  // times are a quarter of bytesTime()

// Host 0 slow, hosts 1 and 2 fast, host 3 slow, on one switch.
std::unique_ptr<Engine> mixedRates(Forwarding mode, const std::vector<Impairment>& script = {}) {
  Topology graph;
  const NodeId node = graph.addSwitch("switch0");
  for (const BitRate rate : {kSlow, kFast, kFast, kSlow}) {
    graph.connect(graph.addHost(), node, rate, kHostDelay);
  }
  FabricSpec spec;
  spec.switches.latency = kLatency;
  spec.switches.forwarding = mode;
  spec.impairments = script;
  return std::make_unique<Engine>(std::move(graph), spec, RunOptions{});
}

// First bit received of each frame, in order of arrival.
std::vector<Delivery> deliveriesOf(Engine& engine, const std::vector<Sending>& traffic) {
  std::vector<Delivery> deliveries;
  engine.onDeliver([&](HostId to, const Packet& packet, Picoseconds time) {
    deliveries.push_back({to, packet.extra, packet.length, time});
  });
  for (const Sending& one : traffic) engine.send(one.from, one.packet, one.first_bit);
  engine.runUntil(milliseconds(1));
  return deliveries;
}

// A frame from the slow host could run dry on a fast output: the switch stores all of that input.
TEST(MixedRates, CutThroughFromSlowToFastStoresTheFrame) {
  const auto engine = mixedRates(Forwarding::kCutThrough);
  const auto got = deliveriesOf(*engine, {{0, packetTo(0, 1, 1000), Picoseconds(0)}});
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].time, kHostDelay + bytesTime(1000) + kLatency + kHostDelay);
}

TEST(MixedRates, CutThroughToTheSameOrASlowerRateDoesNot) {
  for (const auto& [from, to] : {std::pair{1U, 2U}, {1U, 3U}, {2U, 0U}}) {
    const auto engine = mixedRates(Forwarding::kCutThrough);
    const auto got = deliveriesOf(*engine, {{from, packetTo(from, to, 1000), Picoseconds(0)}});
    ASSERT_EQ(got.size(), 1U);
    EXPECT_EQ(got[0].time, kHostDelay + kLatency + kHostDelay) << from << " to " << to;
  }
}

// Frames of one input stay in order whatever output they go to: all are stored alike.
TEST(MixedRates, AnInputHasOneMode) {
  const auto engine = mixedRates(Forwarding::kCutThrough);
  std::vector<Sending> traffic;
  for (std::int64_t i = 0; i < 100; ++i) {
    const HostId to = i % 2 == 0 ? 1 : 3;
    const auto length = static_cast<std::uint32_t>(64 + 37 * i);
    const Picoseconds start =
        traffic.empty() ? Picoseconds(0)
                        : traffic.back().first_bit + bytesTime(traffic.back().packet.length + 20);
    traffic.push_back({0, packetTo(0, to, length, traffic.size()), start});
  }
  const auto got = deliveriesOf(*engine, traffic);
  ASSERT_EQ(got.size(), 100U);
  for (const Delivery& one : got) {
    EXPECT_EQ(one.time, traffic[one.cookie].first_bit + kHostDelay + bytesTime(one.length) +
                            kLatency + kHostDelay);
  }
}

TEST(MixedRates, AScriptKeepsTheMode) {
  const auto engine = mixedRates(
      Forwarding::kCutThrough,
      {{ImpairmentKind::kDuplicate, 0, 0, {}}, {ImpairmentKind::kDelay, 0, 1, nanoseconds(500)}});
  const auto got = deliveriesOf(*engine, {{0, packetTo(0, 1, 1000, 0), Picoseconds(0)},
                                          {0, packetTo(0, 3, 1000, 1), microseconds(1)}});
  ASSERT_EQ(got.size(), 3U);
  const Picoseconds path = kHostDelay + kLatency + kHostDelay;
  EXPECT_EQ(got[0].time, path + bytesTime(1000));
  EXPECT_EQ(got[1].time, path + bytesTime(1000) + bytesTime(1020));
  EXPECT_EQ(got[2].time, path + microseconds(1) + bytesTime(1000) + nanoseconds(500));
}

TEST(MixedRates, FastToSlowQueuesAtTheSlowRate) {
  const auto engine = mixedRates(Forwarding::kStoreAndForward);
  std::vector<Sending> traffic;
  for (std::int64_t i = 0; i < 50; ++i) {
    traffic.push_back({1, packetTo(1, 3, 1000, traffic.size()), i * bytesTime(1020) / 4});
  }
  const auto got = deliveriesOf(*engine, traffic);
  ASSERT_EQ(got.size(), 50U);
  const Picoseconds first = kHostDelay + bytesTime(1000) / 4 + kLatency + kHostDelay;
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(got[i].time, first + static_cast<std::int64_t>(i) * bytesTime(1020));
  }
}

// Three tiers in a line: the closed form for any number of switches.
TEST(Chain, LatencyAddsUpOverFiveSwitches) {
  for (const Forwarding mode : {Forwarding::kStoreAndForward, Forwarding::kCutThrough}) {
    Topology graph;
    std::vector<NodeId> switches(5);
    for (NodeId& node : switches) node = graph.addSwitch("chained");
    for (std::size_t i = 0; i + 1 < 5; ++i) {
      graph.connect(switches[i], switches[i + 1], kSlow, nanoseconds(100));
    }
    graph.connect(graph.addHost(), switches.front(), kSlow, kHostDelay);
    graph.connect(graph.addHost(), switches.back(), kSlow, kHostDelay);
    FabricSpec spec;
    spec.switches.latency = kLatency;
    spec.switches.forwarding = mode;
    Engine engine(std::move(graph), spec, RunOptions{});
    const auto got = deliveriesOf(engine, {{0, packetTo(0, 1, 1500), Picoseconds(0)}});
    ASSERT_EQ(got.size(), 1U);
    const Picoseconds stored =
        mode == Forwarding::kStoreAndForward ? 5 * bytesTime(1500) : Picoseconds(0);
    EXPECT_EQ(got[0].time, 2 * kHostDelay + 4 * nanoseconds(100) + 5 * kLatency + stored);
  }
}

}  // namespace
}  // namespace plumbline::fabric::testing
