#include "tests/fabric/graphs.h"

#include <algorithm>
#include <string>

#include "fabric/topology/path_hash.h"

namespace plumbline::fabric::testing {

TopologySpec clos2(std::uint32_t leaves, std::uint32_t spines, std::uint32_t hosts_per_leaf) {
  TopologySpec spec;
  spec.kind = TopologyKind::kClos2;
  spec.leaves = leaves;
  spec.spines = spines;
  spec.hosts_per_leaf = hosts_per_leaf;
  return spec;
}

TopologySpec clos3(std::uint32_t pods, std::uint32_t leaves, std::uint32_t spines,
                   std::uint32_t superspines, std::uint32_t hosts_per_leaf) {
  TopologySpec spec = clos2(leaves, spines, hosts_per_leaf);
  spec.kind = TopologyKind::kClos3;
  spec.pods = pods;
  spec.superspines = superspines;
  return spec;
}

TopologySpec rail(std::uint32_t servers, std::uint32_t rails, std::uint32_t servers_per_leaf,
                  std::uint32_t spines) {
  TopologySpec spec;
  spec.kind = TopologyKind::kRail;
  spec.servers = servers;
  spec.rails = rails;
  spec.servers_per_leaf = servers_per_leaf;
  spec.spines = spines;
  return spec;
}

TopologySpec pools(std::uint32_t prefill, std::uint32_t decode, std::uint32_t spines,
                   std::uint32_t hosts_per_leaf) {
  TopologySpec spec;
  spec.kind = TopologyKind::kPools;
  spec.prefill_leaves = prefill;
  spec.decode_leaves = decode;
  spec.spines = spines;
  spec.hosts_per_leaf = hosts_per_leaf;
  return spec;
}

TopologySpec randomGraph(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  TopologySpec spec;
  spec.kind = TopologyKind::kGraph;
  const std::uint64_t switches = 2 + below(11);
  const std::uint64_t hosts = 2 + below(9);
  const auto join = [&](const std::string& a, const std::string& b) {
    spec.graph.cables.push_back({a, b, gigabitsPerSecond(100), nanoseconds(10)});
  };
  const auto switchName = [](std::uint64_t i) { return "s" + std::to_string(i); };
  for (std::uint64_t i = 0; i < switches; ++i) {
    spec.graph.switches.push_back(switchName(i));
    if (i > 0) join(switchName(i), switchName(below(i)));
  }
  for (std::uint64_t extra = below(2 * switches); extra > 0; --extra) {
    const std::uint64_t a = below(switches);
    join(switchName(a), switchName((a + 1 + below(switches - 1)) % switches));
  }
  for (std::uint64_t i = 0; i < hosts; ++i) {
    spec.graph.hosts.push_back("h" + std::to_string(i));
    join(switchName(below(switches)), spec.graph.hosts.back());
  }
  std::shuffle(spec.graph.cables.begin(), spec.graph.cables.end(), random);
  return spec;
}

Distances floydWarshall(const Topology& topology, const std::vector<bool>& down) {
  const std::size_t n = topology.switches().size();
  Distances hops(n, std::vector<int>(n, kUnreachable));
  for (std::size_t i = 0; i < n; ++i) hops[i][i] = 0;
  for (LinkId id = 0; id < topology.links().size(); ++id) {
    const Node& from = topology.nodes()[topology.links()[id].from];
    const Node& to = topology.nodes()[topology.links()[id].to];
    if (from.kind == NodeKind::kHost || to.kind == NodeKind::kHost) continue;
    if (!down.empty() && down[id]) continue;
    hops[from.index][to.index] = 1;
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        hops[i][j] = std::min(hops[i][j], hops[i][k] + hops[k][j]);
      }
    }
  }
  return hops;
}

std::vector<LinkId> shortestFirstLinks(const Topology& topology, const Distances& distances,
                                       std::uint32_t from, std::uint32_t to,
                                       const std::vector<bool>& down) {
  std::vector<LinkId> links;
  if (distances[from][to] >= kUnreachable) return links;
  for (LinkId id = 0; id < topology.links().size(); ++id) {
    const Link& link = topology.links()[id];
    const Node& next = topology.nodes()[link.to];
    if (link.from != topology.switches()[from] || next.kind == NodeKind::kHost) continue;
    if (!down.empty() && down[id]) continue;
    if (distances[next.index][to] + 1 == distances[from][to]) links.push_back(id);
  }
  return links;
}

LinkId ecmpLink(const Routing& routing, std::uint32_t from, std::uint32_t to,
                std::uint32_t flow_hash) {
  const auto links = routing.candidates(from, to);
  return links[ecmpChoice(flow_hash, routing.seed(from), static_cast<std::uint32_t>(links.size()))];
}

}  // namespace plumbline::fabric::testing
