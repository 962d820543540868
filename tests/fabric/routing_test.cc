// Paths: shortest, sticky per flow, spread evenly over flows, and a function of the seed alone.
#include "fabric/routing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "tests/fabric/traffic.h"

namespace plumbline::fabric::testing {
namespace {

// Packets that each spine carried, from the counters.
std::vector<std::uint64_t> packetsPerSpine(const Fabric& fabric, const FabricSpec& spec) {
  std::vector<std::uint64_t> packets(spec.topology.spines, 0);
  for (const PortCounters& port : fabric.counters()) {
    if (port.node >= spec.topology.leaves)
      packets[port.node - spec.topology.leaves] += port.packets;
  }
  return packets;
}

// One frame each of `flows` flows with consecutive hashes from host 0 to the last host.
std::vector<std::uint64_t> spread(FabricSpec spec, std::uint64_t flows, std::uint64_t seed) {
  spec.seed = seed;
  Fabric fabric(spec);
  for (std::uint64_t f = 0; f < flows; ++f) {
    Packet packet = packetTo(0, spec.hostCount() - 1, 64);
    packet.flow_hash = f;
    fabric.send(0, packet, bytesTime(static_cast<std::int64_t>(f) * 84));
  }
  drain(fabric);
  return packetsPerSpine(fabric, spec);
}

TEST(Ecmp, AFlowStaysOnOnePath) {
  const FabricSpec spec = closSpec(2, 8, 1);
  for (std::uint64_t flow = 0; flow < 50; ++flow) {
    Fabric fabric(spec);
    Packet packet = packetTo(0, 1, 64);
    packet.flow_hash = mix64(flow);
    for (std::int64_t i = 0; i < 20; ++i) fabric.send(0, packet, i * bytesTime(84));
    drain(fabric);
    const auto packets = packetsPerSpine(fabric, spec);
    EXPECT_EQ(*std::max_element(packets.begin(), packets.end()), 20U);
    EXPECT_EQ(std::count(packets.begin(), packets.end(), 0U), 7);
  }
}

TEST(Ecmp, FlowsSpreadEvenlyOverSpines) {
  // Chi-square with 15 degrees of freedom: 99.9 % of even spreads lie below 37.7, 99.9 % above 3.5.
  for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL}) {
    constexpr double kFlows = 16'000;
    const auto packets = spread(closSpec(2, 16, 1), static_cast<std::uint64_t>(kFlows), seed);
    double chi_square = 0;
    for (const std::uint64_t n : packets) {
      const double off = static_cast<double>(n) - kFlows / 16;
      chi_square += off * off / (kFlows / 16);
    }
    EXPECT_LT(chi_square, 37.7);
    EXPECT_GT(chi_square, 3.5) << "too even for a hash";
  }
}

TEST(Ecmp, SeedDecidesAndNothingElse) {
  const FabricSpec spec = closSpec(2, 16, 1);
  EXPECT_EQ(spread(spec, 500, 1), spread(spec, 500, 1));
  EXPECT_NE(spread(spec, 500, 1), spread(spec, 500, 2));
}

// Two switches that see the same flows must choose independently: with one seed for all, every
// second-stage switch would send all it gets to one path ("polarisation").
TEST(Ecmp, SwitchesChooseIndependently) {
  const Topology graph = buildTopology(closSpec(4, 8, 1).topology);
  const Routing routing(graph, 1);
  const auto spineChosenBy = [&](std::uint32_t leaf, std::uint64_t flow) {
    return graph.nodes()[graph.links()[routing.nextLink(leaf, 3, flow)].to].index;
  };
  int same = 0;
  constexpr int kFlows = 4000;
  for (std::uint64_t flow = 0; flow < kFlows; ++flow) {
    if (spineChosenBy(0, flow) == spineChosenBy(1, flow)) ++same;
  }
  // Binomial with p = 1/8: mean 500, standard deviation 21.
  EXPECT_NEAR(same, kFlows / 8.0, 5 * 21);
}

TEST(Ecmp, ChoiceIsAlwaysInRange) {
  for (const std::uint32_t count : {1U, 2U, 3U, 7U, 64U, 1024U}) {
    std::set<std::uint32_t> seen;
    for (std::uint64_t hash = 0; hash < 200ULL * count; ++hash) {
      const std::uint32_t choice = ecmpChoice(hash, 99, count);
      ASSERT_LT(choice, count);
      seen.insert(choice);
    }
    EXPECT_EQ(seen.size(), count);
  }
}

TEST(Topology, NumbersLinksAndPortsAsDocumented) {
  const Topology graph = buildTopology(closSpec(3, 2, 4).topology);
  ASSERT_EQ(graph.hosts().size(), 12U);
  ASSERT_EQ(graph.switches().size(), 5U);
  ASSERT_EQ(graph.links().size(), 2U * (12 + 3 * 2));
  for (std::uint32_t h = 0; h < 12; ++h) {
    EXPECT_EQ(graph.nodes()[graph.hosts()[h]].out_links, std::vector<LinkId>{2 * h});
    EXPECT_EQ(graph.links()[2 * h + 1].to, graph.hosts()[h]);
  }
  const Node& leaf1 = graph.nodes()[graph.switches()[1]];
  EXPECT_EQ(leaf1.name, "leaf1");
  ASSERT_EQ(leaf1.out_links.size(), 6U);
  EXPECT_EQ(graph.links()[leaf1.out_links[0]].to, graph.hosts()[4]);
  EXPECT_EQ(graph.links()[leaf1.out_links[5]].to, graph.switches()[4]);
  const Node& spine1 = graph.nodes()[graph.switches()[4]];
  EXPECT_EQ(spine1.name, "spine1");
  EXPECT_EQ(graph.links()[spine1.out_links[2]].to, graph.switches()[2]);
}

TEST(Routing, LeafOffersAllSpinesAndSpineOneLeaf) {
  const Topology graph = buildTopology(closSpec(3, 4, 2).topology);
  const Routing routing(graph, 1);
  EXPECT_EQ(routing.candidates(0, 1).size(), 1U);  // own host
  EXPECT_EQ(routing.candidates(0, 2).size(), 4U);
  for (std::uint32_t spine = 3; spine < 7; ++spine) {
    const auto links = routing.candidates(spine, 5);
    ASSERT_EQ(links.size(), 1U);
    EXPECT_EQ(graph.links()[links[0]].to, graph.switches()[2]);
  }
}

// A ring of five switches with a chord and one host each: distances from Floyd–Warshall.
TEST(Routing, IsShortestOnAnArbitraryGraph) {
  Topology graph;
  constexpr std::uint32_t kSwitches = 5;
  std::vector<NodeId> switches;
  for (std::uint32_t i = 0; i < kSwitches; ++i) {
    switches.push_back(graph.addSwitch("s" + std::to_string(i)));
  }
  int hops[kSwitches][kSwitches];
  for (auto& row : hops) std::fill(std::begin(row), std::end(row), 1000);
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    graph.connect(switches[a], switches[b], gigabitsPerSecond(100), nanoseconds(10));
    hops[a][b] = hops[b][a] = 1;
  };
  for (std::uint32_t i = 0; i < kSwitches; ++i) join(i, (i + 1) % kSwitches);
  join(0, 2);
  for (std::uint32_t i = 0; i < kSwitches; ++i) {
    graph.connect(graph.addHost(), switches[i], gigabitsPerSecond(100), nanoseconds(10));
    hops[i][i] = 0;
  }
  for (std::uint32_t k = 0; k < kSwitches; ++k) {
    for (auto& row : hops) {
      for (std::uint32_t j = 0; j < kSwitches; ++j) row[j] = std::min(row[j], row[k] + hops[k][j]);
    }
  }
  const Routing routing(graph, 1);
  for (std::uint32_t from = 0; from < kSwitches; ++from) {
    for (std::uint32_t to = 0; to < kSwitches; ++to) {
      if (from == to) continue;
      std::set<std::uint32_t> expected;
      for (std::uint32_t via = 0; via < kSwitches; ++via) {
        if (hops[from][via] == 1 && hops[via][to] + 1 == hops[from][to]) expected.insert(via);
      }
      std::set<std::uint32_t> actual;
      for (const LinkId id : routing.candidates(from, to)) {
        actual.insert(graph.nodes()[graph.links()[id].to].index);
      }
      EXPECT_EQ(actual, expected) << from << " to " << to;
    }
  }
}

TEST(Routing, RefusesGraphsThatCannotCarryTraffic) {
  const BitRate rate = gigabitsPerSecond(100);
  {
    Topology parted;  // two islands
    for (int i = 0; i < 2; ++i) {
      const NodeId node = parted.addSwitch("island");
      parted.connect(parted.addHost(), node, rate, nanoseconds(1));
    }
    EXPECT_THROW(Routing(parted, 1), Error);
  }
  {
    Topology unplugged;
    unplugged.addHost();
    EXPECT_THROW(Routing(unplugged, 1), Error);
  }
  {
    Topology dual;  // a host is one port: two links are two hosts
    const NodeId host = dual.addHost();
    const NodeId node = dual.addSwitch("switch0");
    dual.connect(host, node, rate, nanoseconds(1));
    dual.connect(host, node, rate, nanoseconds(1));
    EXPECT_THROW(Routing(dual, 1), Error);
  }
}

}  // namespace
}  // namespace plumbline::fabric::testing
