#include "suite/framework/pause_hops.h"

#include <algorithm>
#include <vector>

namespace plumbline::suite {

std::optional<std::uint32_t> pauseHops(const fabric::Topology& topology,
                                       const bench::FabricResult& result, fabric::HostId host) {
  // Links to the host, by node, breadth first.
  constexpr std::uint32_t kUnreachable = UINT32_MAX;
  std::vector<std::uint32_t> distance(topology.nodes().size(), kUnreachable);
  std::vector<fabric::NodeId> reached{topology.hosts().at(host)};
  distance[reached.front()] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const fabric::NodeId node = reached[i];
    for (const fabric::LinkId out : topology.nodes()[node].out_links) {
      const fabric::NodeId next = topology.links()[out].to;
      if (distance[next] != kUnreachable) continue;
      distance[next] = distance[node] + 1;
      reached.push_back(next);
    }
  }
  std::uint32_t hops = 0;
  for (const bench::LinkLoad& load : result.links) {
    if (load.pauses == 0) continue;
    const auto link = topology.findLink(load.name);
    if (!link) return std::nullopt;
    const fabric::NodeId to = topology.links()[*link].to;
    if (topology.nodes()[to].kind == fabric::NodeKind::kHost) continue;  // a storm of the scenario
    hops = std::max(hops, distance[to]);
  }
  return hops;
}

}  // namespace plumbline::suite
