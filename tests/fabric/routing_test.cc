// Paths: shortest, sticky per flow, spread evenly over flows, and a function of the seed alone.
#include "fabric/topology/routing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "fabric/topology/path_hash.h"
#include "tests/fabric/graphs.h"

namespace plumbline::fabric::testing {
namespace {

// Flows 0 to flows-1 by the spine to which leaf 0 sends them, on the way to the last host.
std::vector<double> spread(std::uint32_t spines, std::uint32_t flows, std::uint64_t seed) {
  const Topology graph = buildTopology(clos2(2, spines, 1));
  const Routing routing(graph, seed);
  std::vector<double> counts(spines, 0);
  for (std::uint32_t flow = 0; flow < flows; ++flow) {
    const Link& link = graph.links()[ecmpLink(routing, 0, 1, flow)];
    ++counts[graph.nodes()[link.to].index - 2];
  }
  return counts;
}

TEST(Ecmp, FlowsSpreadEvenlyOverSpines) {
  // Chi-square with 15 degrees of freedom: 99.9 % of even spreads lie below 37.7, 99.9 % above 3.5.
  for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL}) {
    constexpr std::uint32_t kFlows = 16'000;
    double chi_square = 0;
    for (const double n : spread(16, kFlows, seed)) {
      chi_square += (n - kFlows / 16.0) * (n - kFlows / 16.0) / (kFlows / 16.0);
    }
    EXPECT_LT(chi_square, 37.7);
    EXPECT_GT(chi_square, 3.5) << "too even for a hash";
  }
}

TEST(Ecmp, SeedDecidesAndNothingElse) {
  EXPECT_EQ(spread(16, 500, 1), spread(16, 500, 1));
  EXPECT_NE(spread(16, 500, 1), spread(16, 500, 2));
}

// Switches that see the same flows must choose independently: with one seed for all, every
// second-stage switch would send all it gets to one path ("polarisation").
TEST(Ecmp, SwitchesChooseIndependently) {
  const Topology graph = buildTopology(clos2(4, 8, 1));
  const Routing routing(graph, 1);
  EXPECT_NE(routing.seed(0), routing.seed(1));
  const auto spineChosenBy = [&](std::uint32_t leaf, std::uint32_t flow) {
    return graph.nodes()[graph.links()[ecmpLink(routing, leaf, 3, flow)].to].index;
  };
  int same = 0;
  constexpr int kFlows = 4000;
  for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
    if (spineChosenBy(0, flow) == spineChosenBy(1, flow)) ++same;
  }
  // Binomial with p = 1/8: mean 500, standard deviation 21.
  EXPECT_NEAR(same, kFlows / 8.0, 5 * 21);
}

TEST(Ecmp, ChoiceIsAlwaysInRange) {
  for (const std::uint32_t count : {1U, 2U, 3U, 7U, 64U, 1024U}) {
    std::set<std::uint32_t> seen;
    for (std::uint32_t hash = 0; hash < 200U * count; ++hash) {
      const std::uint32_t choice = ecmpChoice(hash, 99, count);
      ASSERT_LT(choice, count);
      seen.insert(choice);
    }
    EXPECT_EQ(seen.size(), count);
  }
}

// The busiest of n paths with q flows, averaged over many placements, is that of q balls thrown
// independently into n bins; the bins' distribution comes from a generator that is not ours.
TEST(Ecmp, BusiestPathIsThatOfBallsInBins) {
  constexpr std::uint32_t kPaths = 8;
  constexpr int kTrials = 20'000;
  for (const std::uint32_t flows : {1U, 4U, 8U, 16U, 32U}) {
    std::mt19937 random(flows);
    const auto busiest = [&](auto place) {
      double sum = 0;
      double squares = 0;
      for (int trial = 0; trial < kTrials; ++trial) {
        std::vector<int> bins(kPaths, 0);
        for (std::uint32_t f = 0; f < flows; ++f) ++bins[place(trial, f)];
        const int max = *std::max_element(bins.begin(), bins.end());
        sum += max;
        squares += max * max;
      }
      const double mean = sum / kTrials;
      return std::pair{mean, (squares / kTrials - mean * mean) / kTrials};
    };
    std::uniform_int_distribution<std::uint32_t> bin(0, kPaths - 1);
    const auto [expected, expected_variance] =
        busiest([&](int, std::uint32_t) { return bin(random); });
    const auto [measured, variance] = busiest([&](int trial, std::uint32_t f) {
      return ecmpChoice(static_cast<std::uint32_t>(trial) * flows + f, 12345, kPaths);
    });
    EXPECT_NEAR(measured, expected, 4 * std::sqrt(variance + expected_variance)) << flows;
  }
}

TEST(Ecmp, QpHashKeepsQpsApart) {
  // Bijective in the QP for one 5-tuple, so that no two QPs share a path for want of a hash.
  std::set<std::uint32_t> hashes;
  for (std::uint32_t qp = 0; qp < 10'000; ++qp) hashes.insert(qpFlowHash(0xDEADBEEF, qp));
  EXPECT_EQ(hashes.size(), 10'000U);
}

// Candidates of every switch to every host against Floyd and Warshall, with `down` links; and the
// ports that they leave by.
void expectShortest(const Topology& graph, const Routing& routing, const std::vector<bool>& down) {
  const Distances distances = floydWarshall(graph, down);
  for (std::uint32_t host = 0; host < graph.hosts().size(); ++host) {
    const LinkId up = graph.nodes()[graph.hosts()[host]].out_links.front();
    const LinkId last = up + 1;
    const std::uint32_t edge = graph.nodes()[graph.links()[up].to].index;
    for (std::uint32_t from = 0; from < graph.switches().size(); ++from) {
      const auto links = routing.candidates(from, host);
      const std::vector<LinkId> actual(links.begin(), links.end());
      const auto ports = Routing::Row(routing, from).ports(host);
      EXPECT_TRUE(std::equal(
          ports.begin(), ports.end(), links.begin(), links.end(),
          [&](std::uint32_t port, LinkId link) { return port == graph.links()[link].from_port; }))
          << graph.nodes()[graph.switches()[from]].name << " to host " << host;
      if (from == edge) {
        EXPECT_EQ(actual, down[last] ? std::vector<LinkId>{} : std::vector<LinkId>{last});
      } else {
        EXPECT_EQ(actual, shortestFirstLinks(graph, distances, from, edge, down))
            << graph.nodes()[graph.switches()[from]].name << " to host " << host;
      }
    }
  }
}

std::vector<TopologySpec> everyKind() {
  TopologySpec wide = clos2(3, 2, 2);
  wide.uplinks = 3;
  TopologySpec wide3 = clos3(2, 2, 2, 4, 1);
  wide3.uplinks = 2;
  TopologySpec single;
  single.hosts = 4;
  return {single,           clos2(4, 3, 2),   wide, clos3(3, 2, 2, 4, 2), wide3,
          rail(5, 4, 2, 3), pools(2, 3, 2, 2)};
}

TEST(Routing, IsShortestOnEveryTopology) {
  for (const TopologySpec& spec : everyKind()) {
    const Topology graph = buildTopology(spec);
    expectShortest(graph, Routing(graph, 1), std::vector<bool>(graph.links().size(), false));
  }
}

TEST(Routing, IsShortestOnRandomGraphs) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 200; ++i) {
    const Topology graph = buildTopology(randomGraph(random));
    expectShortest(graph, Routing(graph, 1), std::vector<bool>(graph.links().size(), false));
  }
}

// Any set of links may be down, also single directions and hosts' links.
TEST(Routing, IsShortestWithLinksDown) {
  std::mt19937_64 random(12);
  for (int i = 0; i < 300; ++i) {
    const auto kinds = everyKind();
    const Topology graph =
        buildTopology(i % 2 == 0 ? randomGraph(random) : kinds[random() % kinds.size()]);
    std::vector<bool> down(graph.links().size());
    const std::uint64_t percent = random() % 60;
    for (std::size_t id = 0; id < down.size(); ++id) down[id] = random() % 100 < percent;
    expectShortest(graph, Routing(graph, 1, down), down);
  }
}

TEST(Routing, LargestTopologies) {
  for (const TopologySpec& spec :
       {clos2(256, 32, 32), clos3(8, 32, 8, 64, 32), rail(1024, 8, 32, 32)}) {
    const Topology graph = buildTopology(spec);
    ASSERT_EQ(graph.hosts().size(), 8192U);
    const Routing routing(graph, 1);
    // Any host is reached from any other: follow the first candidate up and down.
    for (const std::uint32_t to : {0U, 1U, 4711U, 8191U}) {
      for (std::uint32_t from = 0; from < 8192; from += 97) {
        if (from == to) continue;
        NodeId at = graph.links()[std::size_t{2} * from].to;
        int hops = 0;
        while (graph.nodes()[at].kind == NodeKind::kSwitch) {
          ASSERT_LE(++hops, 5);
          at = graph.links()[routing.candidates(graph.nodes()[at].index, to).front()].to;
        }
        EXPECT_EQ(at, graph.hosts()[to]);
      }
    }
  }
}

TEST(Routing, CountsOfPathsByFormula) {
  TopologySpec spec = clos3(3, 4, 2, 6, 1);
  spec.uplinks = 2;
  const Topology graph = buildTopology(spec);
  const Routing routing(graph, 1);
  const auto numberOf = [&](const char* name) {
    return graph.nodes()[*graph.findNode(name)].index;
  };
  EXPECT_EQ(routing.candidates(numberOf("pod0.leaf0"), 1).size(), 4U);  // any spine
  EXPECT_EQ(routing.candidates(numberOf("pod0.leaf0"), 11).size(), 4U);
  EXPECT_EQ(routing.candidates(numberOf("pod0.spine0"), 11).size(), 6U);  // superspines
  EXPECT_EQ(routing.candidates(numberOf("superspine3"), 11).size(), 2U);  // one spine of the pod
  EXPECT_EQ(routing.candidates(numberOf("pod2.spine1"), 11).size(), 2U);
}

// The rehash after a failure: flows of the dead path move to what is left, and back afterwards.
TEST(Routing, FlowsAvoidADeadSpineAndReturn) {
  const Topology graph = buildTopology(clos2(2, 4, 1));
  std::vector<bool> down(graph.links().size(), false);
  const LinkId dead = *graph.findLink("leaf0-spine2");
  down[dead] = down[reverse(dead)] = true;
  const Routing intact(graph, 5);
  const Routing broken(graph, 5, down);
  std::map<LinkId, int> moved_to;
  for (std::uint32_t flow = 0; flow < 4000; ++flow) {
    EXPECT_NE(ecmpLink(broken, 0, 1, flow), dead);
    if (ecmpLink(intact, 0, 1, flow) == dead) ++moved_to[ecmpLink(broken, 0, 1, flow)];
  }
  EXPECT_EQ(moved_to.size(), 2U) << "a quarter of the hash's range meets two of three thirds";
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
    const Routing tolerant(parted, 1, std::vector<bool>(4, false));
    EXPECT_TRUE(tolerant.candidates(0, 1).empty());
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
