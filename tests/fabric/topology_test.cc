// Every kind of topology against the counts that follow from its definition, and names.
#include "fabric/topology/topology.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "base/error.h"
#include "fabric/topology/several_paths.h"
#include "tests/fabric/graphs.h"

namespace plumbline::fabric::testing {
namespace {

std::uint32_t switchOfHost(const Topology& graph, std::uint32_t host) {
  return graph.nodes()[graph.links()[graph.nodes()[graph.hosts()[host]].out_links.front()].to]
      .index;
}

std::size_t portsOf(const Topology& graph, const std::string& name) {
  return graph.nodes()[*graph.findNode(name)].out_links.size();
}

std::string neighbour(const Topology& graph, const std::string& name, std::size_t port) {
  const Node& node = graph.nodes()[*graph.findNode(name)];
  return graph.nodes()[graph.links()[node.out_links.at(port)].to].name;
}

// What holds for every kind: ids of hosts' links, cables in pairs, names of their own, port
// numbers.
void expectContract(const Topology& graph) {
  for (std::uint32_t h = 0; h < graph.hosts().size(); ++h) {
    EXPECT_EQ(graph.nodes()[graph.hosts()[h]].out_links, std::vector<LinkId>{2 * h});
    EXPECT_EQ(graph.links()[2 * h + 1].to, graph.hosts()[h]);
  }
  std::set<std::string> names;
  for (const Node& node : graph.nodes()) EXPECT_TRUE(names.insert(node.name).second) << node.name;
  for (LinkId id = 0; id < graph.links().size(); ++id) {
    const Link& link = graph.links()[id];
    const Link& back = graph.links()[reverse(id)];
    EXPECT_EQ(link.from, back.to);
    EXPECT_EQ(link.to, back.from);
    EXPECT_EQ(link.rate, back.rate);
    EXPECT_EQ(link.delay, back.delay);
    EXPECT_EQ(graph.nodes()[link.from].out_links.at(link.from_port), id);
    EXPECT_TRUE(names.insert(graph.linkName(id)).second) << graph.linkName(id);
    EXPECT_EQ(graph.findLink(graph.linkName(id)), id);
  }
}

TEST(Topology, BareLink) {
  TopologySpec spec;
  spec.kind = TopologyKind::kLink;
  const Topology graph = buildTopology(spec);
  EXPECT_EQ(graph.links().size(), 2U);
  EXPECT_TRUE(graph.switches().empty());
  EXPECT_EQ(graph.findLink("host0-host1"), 0U);
  EXPECT_EQ(graph.findLink("host1-host0"), 1U);
  EXPECT_EQ(graph.maxPorts(), 0U);
}

TEST(Topology, SingleSwitch) {
  TopologySpec spec;
  spec.hosts = 5;
  const Topology graph = buildTopology(spec);
  expectContract(graph);
  EXPECT_EQ(graph.links().size(), 10U);
  EXPECT_EQ(portsOf(graph, "switch0"), 5U);
  EXPECT_EQ(oversubscription(graph), std::nullopt);
}

TEST(Topology, Clos2NumbersLinksAndPortsAsDocumented) {
  const Topology graph = buildTopology(clos2(3, 2, 4));
  expectContract(graph);
  ASSERT_EQ(graph.hosts().size(), 12U);
  ASSERT_EQ(graph.switches().size(), 5U);
  ASSERT_EQ(graph.links().size(), 2U * (12 + 3 * 2));
  EXPECT_EQ(portsOf(graph, "leaf1"), 6U);
  EXPECT_EQ(neighbour(graph, "leaf1", 0), "host4");
  EXPECT_EQ(neighbour(graph, "leaf1", 5), "spine1");
  EXPECT_EQ(neighbour(graph, "spine1", 2), "leaf2");
}

TEST(Topology, ParallelUplinksAreCablesOfTheirOwn) {
  TopologySpec spec = clos2(3, 2, 4);
  spec.uplinks = 3;
  spec.fabric_rate = gigabitsPerSecond(400);
  const Topology graph = buildTopology(spec);
  expectContract(graph);
  EXPECT_EQ(graph.links().size(), 2U * (12 + 3 * 2 * 3));
  EXPECT_EQ(neighbour(graph, "leaf0", 4 + 2), "spine0");
  EXPECT_EQ(neighbour(graph, "leaf0", 4 + 3), "spine1");
  EXPECT_EQ(neighbour(graph, "spine0", 5), "leaf1");
  EXPECT_EQ(graph.findLink("leaf0-spine0"), graph.findLink("leaf0-spine0#0"));
  const LinkId third = *graph.findLink("leaf0-spine0#2");
  EXPECT_EQ(graph.links()[third].from_port, 6U);
  EXPECT_EQ(graph.linkName(third), "leaf0-spine0#2");
  EXPECT_EQ(graph.linkName(reverse(third)), "spine0-leaf0#2");
  EXPECT_EQ(graph.links()[third].rate, gigabitsPerSecond(400));
  EXPECT_EQ(graph.links()[0].rate, gigabitsPerSecond(100));
  EXPECT_EQ(graph.findLink("leaf0-spine0#3"), std::nullopt);
}

TEST(Topology, Clos3) {
  constexpr std::uint32_t kPods = 3, kLeaves = 4, kSpines = 2, kSuper = 6, kHosts = 5;
  const Topology graph = buildTopology(clos3(kPods, kLeaves, kSpines, kSuper, kHosts));
  expectContract(graph);
  EXPECT_EQ(graph.hosts().size(), kPods * kLeaves * kHosts);
  EXPECT_EQ(graph.switches().size(), kPods * (kLeaves + kSpines) + kSuper);
  EXPECT_EQ(graph.links().size(),
            2 * (kPods * kLeaves * kHosts + kPods * kLeaves * kSpines + kPods * kSuper));
  for (std::uint32_t p = 0; p < kPods; ++p) {
    const std::string pod = "pod" + std::to_string(p);
    EXPECT_EQ(portsOf(graph, pod + ".leaf3"), kHosts + kSpines);
    EXPECT_EQ(portsOf(graph, pod + ".spine1"), kLeaves + kSuper / kSpines);
    EXPECT_EQ(neighbour(graph, pod + ".spine1", kLeaves), "superspine1");
    EXPECT_EQ(neighbour(graph, pod + ".spine1", kLeaves + 1), "superspine3");
    EXPECT_EQ(neighbour(graph, "superspine4", p), pod + ".spine0");
  }
  EXPECT_EQ(portsOf(graph, "superspine5"), kPods);
  EXPECT_EQ(graph.nodes()[graph.switches()[switchOfHost(graph, 2 * kLeaves * kHosts + 7)]].name,
            "pod2.leaf1");
}

TEST(Topology, RailPutsNicRofAServerOnRailR) {
  const Topology graph = buildTopology(rail(5, 8, 2, 3));  // 3 leaves per rail, the last half full
  expectContract(graph);
  EXPECT_EQ(graph.hosts().size(), 40U);
  EXPECT_EQ(graph.switches().size(), 8U * 3 + 3);
  EXPECT_EQ(graph.links().size(), 2U * (40 + 24 * 3));
  for (std::uint32_t server = 0; server < 5; ++server) {
    for (std::uint32_t r = 0; r < 8; ++r) {
      EXPECT_EQ(graph.nodes()[graph.switches()[switchOfHost(graph, server * 8 + r)]].name,
                "rail" + std::to_string(r) + ".leaf" + std::to_string(server / 2));
    }
  }
  EXPECT_EQ(portsOf(graph, "rail7.leaf1"), 2U + 3);
  EXPECT_EQ(portsOf(graph, "rail7.leaf2"), 1U + 3);
  EXPECT_EQ(portsOf(graph, "spine2"), 24U);
}

TEST(Topology, PoolsKeepPrefillAndDecodeApart) {
  const Topology graph = buildTopology(pools(2, 3, 4, 8));
  expectContract(graph);
  EXPECT_EQ(graph.hosts().size(), 40U);
  EXPECT_EQ(graph.switches().size(), 9U);
  EXPECT_EQ(graph.links().size(), 2U * (40 + 5 * 4));
  EXPECT_EQ(graph.nodes()[graph.switches()[switchOfHost(graph, 15)]].name, "prefill1");
  EXPECT_EQ(graph.nodes()[graph.switches()[switchOfHost(graph, 16)]].name, "decode0");
  EXPECT_EQ(neighbour(graph, "spine3", 4), "decode2");
}

TEST(Topology, GraphsKeepTheContractWhateverTheOrderOfCables) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100; ++i) {
    const TopologySpec spec = randomGraph(random);
    const Topology graph = buildTopology(spec);
    expectContract(graph);
    EXPECT_EQ(graph.links().size(), 2 * spec.graph.cables.size());
    for (std::uint32_t h = 0; h < spec.graph.hosts.size(); ++h) {
      EXPECT_EQ(graph.nodes()[graph.hosts()[h]].name, spec.graph.hosts[h]);
    }
    // Each cable of the list is there, as often as it is listed.
    for (const GraphSpec::Cable& cable : spec.graph.cables) {
      const NodeId a = *graph.findNode(cable.a);
      const NodeId b = *graph.findNode(cable.b);
      const auto listed = std::count_if(spec.graph.cables.begin(), spec.graph.cables.end(),
                                        [&](const GraphSpec::Cable& other) {
                                          return (other.a == cable.a && other.b == cable.b) ||
                                                 (other.a == cable.b && other.b == cable.a);
                                        });
      EXPECT_EQ(std::count_if(graph.links().begin(), graph.links().end(),
                              [&](const Link& link) { return link.from == a && link.to == b; }),
                listed);
    }
  }
}

TEST(Topology, OversubscriptionIsExact) {
  const auto ratioOf = [](const TopologySpec& spec) {
    return oversubscription(buildTopology(spec));
  };
  EXPECT_EQ(ratioOf(clos2(4, 8, 8)), (Ratio{1, 1}));
  EXPECT_EQ(ratioOf(clos2(4, 3, 7)), (Ratio{7, 3}));
  EXPECT_EQ(ratioOf(clos2(4, 8, 4)), (Ratio{1, 2}));
  TopologySpec mixed = clos2(4, 4, 32);
  mixed.link_rate = gigabitsPerSecond(200);
  mixed.fabric_rate = gigabitsPerSecond(800);
  mixed.uplinks = 2;  // 32 * 200 : 4 * 2 * 800
  EXPECT_EQ(ratioOf(mixed), (Ratio{1, 1}));
  EXPECT_EQ(ratioOf(clos3(2, 2, 3, 6, 12)), (Ratio{4, 1}));
  EXPECT_EQ(ratioOf(rail(5, 8, 2, 3)), (Ratio{2, 3}));  // of a full leaf, not of the last
}

// The remedy of the error that `ask` throws.
template <typename Ask>
std::string remedyOf(Ask ask) {
  try {
    ask();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.where(), "here");
    return error.remedy();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(Topology, WrongNamesAreAnsweredWithNearOnes) {
  const Topology graph = buildTopology(clos3(2, 2, 2, 2, 1));
  const auto link = [&](const char* name) {
    return remedyOf([&] { (void)graph.requireLink(name, "here"); });
  };
  EXPECT_EQ(remedyOf([&] { (void)graph.requireNode("superspin1", "here"); }),
            "allowed: names of the topology; near: superspine1, superspine0");
  EXPECT_EQ(remedyOf([&] { (void)graph.requireNode("core", "here"); }),
            "allowed: names of the topology, \"host0\" to \"superspine1\"");
  EXPECT_EQ(link("pod0.leaf0"), "allowed: two joined nodes, as in \"host0-pod0.leaf0\"");
  EXPECT_EQ(link("pod0.leaf0-pod1.spine0"),
            "allowed: nodes that pod0.leaf0 is joined to; near: pod0.spine0, pod0.spine1");
  EXPECT_EQ(link("pod0.leaf0-pod0.spine0#1"), "allowed: #0 to #0");
  EXPECT_EQ(link("host0-host1"), "allowed: host0 is joined to pod0.leaf0 to pod0.leaf0");
  EXPECT_NE(link("pod0.laef0-pod0.spine0").find("near: pod0.leaf0"), std::string::npos);
  for (const char* bad : {"pod0.leaf0-pod0.spine0#", "pod0.leaf0-pod0.spine0#x",
                          "pod0.leaf0-pod0.spine0#1x", "-", "", "pod0.leaf0-pod0.spine0-host0"}) {
    EXPECT_EQ(graph.findLink(bad), std::nullopt) << bad;
  }
}

TEST(Topology, SelectorsOfLinks) {
  const Topology graph = buildTopology(clos2(2, 2, 2));
  const auto count = [&](const char* selector) {
    return graph.selectLinks(selector, "here").size();
  };
  EXPECT_EQ(count("*"), 2U * (4 + 4));
  EXPECT_EQ(count("hosts"), 2U * 4);
  EXPECT_EQ(count("fabric"), 2U * 4);
  EXPECT_EQ(graph.selectLinks("spine1-leaf0", "here"),
            std::vector<LinkId>{*graph.findLink("spine1-leaf0")});
  for (const LinkId id : graph.selectLinks("hosts", "here")) EXPECT_LT(id, 8U);
}

// Of several shortest paths, not of a cycle alone: the ways round an odd ring differ in length,
// those round an even ring do not for hosts opposite each other.
TEST(SeveralPaths, AreOfTheSameLength) {
  const auto ring = [](std::uint32_t switches, bool doubled) {
    TopologySpec spec;
    spec.kind = TopologyKind::kGraph;
    for (std::uint32_t i = 0; i < switches; ++i) {
      spec.graph.switches.push_back("s" + std::to_string(i));
      spec.graph.hosts.push_back("h" + std::to_string(i));
    }
    for (std::uint32_t i = 0; i < switches; ++i) {
      spec.graph.cables.push_back({spec.graph.hosts[i], spec.graph.switches[i]});
      spec.graph.cables.push_back(
          {spec.graph.switches[i], spec.graph.switches[(i + 1) % switches]});
    }
    if (doubled) spec.graph.cables.push_back({"s0", "s1"});
    return hasSeveralPaths(buildTopology(spec));
  };
  EXPECT_FALSE(ring(3, false));
  EXPECT_FALSE(ring(5, false));
  EXPECT_TRUE(ring(4, false));
  EXPECT_TRUE(ring(3, true));
  EXPECT_FALSE(hasSeveralPaths(buildTopology(clos2(4, 1, 2))));
  EXPECT_TRUE(hasSeveralPaths(buildTopology(clos2(2, 2, 1))));
}

}  // namespace
}  // namespace plumbline::fabric::testing
