#include "fabric/topology/several_paths.h"

#include <algorithm>
#include <limits>

#include "base/work.h"

namespace plumbline::fabric {
namespace {

constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();

// By switch number: the switches at the other ends of its cables, one entry for each cable.
std::vector<std::vector<std::uint32_t>> neighboursOf(const Topology& topology) {
  std::vector<std::vector<std::uint32_t>> neighbours(topology.switches().size());
  for (LinkId id = 0; id < topology.links().size(); ++id) {
    if (!topology.joinsSwitches(id)) continue;
    const Link& link = topology.links()[id];
    neighbours[topology.nodes()[link.from].index].push_back(topology.nodes()[link.to].index);
  }
  return neighbours;
}

// Numbers of the switches that have hosts.
std::vector<std::uint32_t> edgesOf(const Topology& topology) {
  std::vector<std::uint32_t> edges;
  for (const NodeId host : topology.hosts()) {
    const Node& edge = topology.nodes()[topology.links()[topology.nodes()[host].out_links[0]].to];
    edges.push_back(edge.index);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

// Shortest paths to one switch.
struct Ways {
  std::vector<std::uint32_t> hops;   // by switch number
  std::vector<std::uint32_t> first;  // cables that begin such a path
  std::vector<std::uint32_t> next;   // the switch behind one of them
};

Ways waysTo(std::uint32_t target, const std::vector<std::vector<std::uint32_t>>& neighbours) {
  const std::size_t switches = neighbours.size();
  Ways ways{std::vector(switches, kFar), std::vector(switches, 0U), std::vector(switches, kFar)};
  std::vector<std::uint32_t> frontier{target};
  ways.hops[target] = 0;
  for (std::size_t at = 0; at < frontier.size(); ++at) {
    const std::uint32_t near = frontier[at];
    for (const std::uint32_t far : neighbours[near]) {
      if (ways.hops[far] == kFar) {
        ways.hops[far] = ways.hops[near] + 1;
        ways.next[far] = near;
        frontier.push_back(far);
      }
      if (ways.hops[far] == ways.hops[near] + 1) ++ways.first[far];
    }
  }
  return ways;
}

}  // namespace

bool hasSeveralPaths(const Topology& topology) {
  const std::size_t cables = topology.fabricLinks() / 2;
  // Switches in a tree have one cable less than they are. A bare link has none.
  if (cables == 0 || cables < topology.switches().size()) return false;
  const auto neighbours = neighboursOf(topology);
  const std::vector<std::uint32_t> edges = edgesOf(topology);
  for (const std::uint32_t target : edges) {
    checkWork();
    const Ways ways = waysTo(target, neighbours);
    for (std::uint32_t at : edges) {
      for (; at != target && ways.hops[at] != kFar; at = ways.next[at]) {
        if (ways.first[at] > 1) return true;
      }
    }
  }
  return false;
}

}  // namespace plumbline::fabric
