#include "suite/free/path_lengths.h"

#include <deque>
#include <limits>

namespace plumbline::suite {

using fabric::HostId;
using fabric::Link;
using fabric::NodeId;
using fabric::NodeKind;

const Link& PathLengths::linkOf(HostId host) const {
  const fabric::Topology& topology = fabric_.topology();
  return topology.links()[topology.nodes()[topology.hosts().at(host)].out_links.front()];
}

double PathLengths::rate(HostId host) const {
  return static_cast<double>(linkOf(host).rate.bitsPerSecond());
}

double PathLengths::links(HostId from, HostId to) {
  // The first link, then from its far end to the receiver.
  return 1 + distancesFrom(linkOf(from).to)[fabric_.topology().hosts().at(to)];
}

// Breadth first, by node; once for each switch that has hosts.
const std::vector<std::uint32_t>& PathLengths::distancesFrom(NodeId node) {
  const auto [known, fresh] = distances_.try_emplace(node);
  std::vector<std::uint32_t>& distance = known->second;
  if (!fresh) return distance;
  const fabric::Topology& topology = fabric_.topology();
  distance.assign(topology.nodes().size(), std::numeric_limits<std::uint32_t>::max());
  distance[node] = 0;
  std::deque<NodeId> next{node};
  while (!next.empty()) {
    const NodeId at = next.front();
    next.pop_front();
    for (const fabric::LinkId link : topology.nodes()[at].out_links) {
      const NodeId to = topology.links()[link].to;
      if (distance[to] != std::numeric_limits<std::uint32_t>::max()) continue;
      distance[to] = distance[at] + 1;
      // Hosts do not forward.
      if (topology.nodes()[to].kind == NodeKind::kSwitch) next.push_back(to);
    }
  }
  return distance;
}

std::vector<PathLengths::Resource> PathLengths::resources(HostId from, HostId to) const {
  const std::vector<NodeId>& hosts = fabric_.topology().hosts();
  std::vector<Resource> resources{{hosts.at(from), true}, {hosts.at(to), false}};
  const NodeId first = linkOf(from).to;
  const NodeId last = linkOf(to).to;
  if (first != last && fabric_.topology().nodes()[first].kind == NodeKind::kSwitch) {
    resources.push_back({first, true});
    resources.push_back({last, false});
  }
  return resources;
}

double PathLengths::capacity(const Resource& resource) const {
  const fabric::Topology& topology = fabric_.topology();
  const bool of_switch = topology.nodes()[resource.node].kind == NodeKind::kSwitch;
  double sum = 0;
  for (const fabric::LinkId out : topology.nodes()[resource.node].out_links) {
    const Link& link = topology.links()[resource.out ? out : fabric::reverse(out)];
    const NodeId far = topology.links()[out].to;
    if (of_switch && topology.nodes()[far].kind == NodeKind::kHost) continue;
    sum += static_cast<double>(link.rate.bitsPerSecond());
  }
  return sum;
}

}  // namespace plumbline::suite
