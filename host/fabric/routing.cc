#include "fabric/routing.h"

#include <fmt/format.h>

#include <map>

#include "base/error.h"
#include "base/random.h"

namespace plumbline::fabric {
namespace {

constexpr std::uint32_t kUnreached = 0xFFFFFFFF;

// Links that arrive at each node, ascending.
std::vector<std::vector<LinkId>> incomingLinks(const Topology& topology) {
  std::vector<std::vector<LinkId>> incoming(topology.nodes().size());
  for (LinkId id = 0; id < topology.links().size(); ++id) {
    incoming[topology.links()[id].to].push_back(id);
  }
  return incoming;
}

// Hops from every node to `target` through switches only.
std::vector<std::uint32_t> hopsTo(const Topology& topology,
                                  const std::vector<std::vector<LinkId>>& incoming, NodeId target) {
  std::vector<std::uint32_t> hops(topology.nodes().size(), kUnreached);
  std::vector<NodeId> frontier{target};
  hops[target] = 0;
  for (std::size_t next = 0; next < frontier.size(); ++next) {
    const NodeId node = frontier[next];
    for (const LinkId id : incoming[node]) {
      const NodeId from = topology.links()[id].from;
      if (hops[from] != kUnreached) continue;
      hops[from] = hops[node] + 1;
      if (topology.nodes()[from].kind == NodeKind::kSwitch) frontier.push_back(from);
    }
  }
  return hops;
}

}  // namespace

std::uint32_t ecmpChoice(std::uint64_t flow_hash, std::uint64_t seed, std::uint32_t count) {
  const std::uint64_t mixed = mix64(flow_hash ^ seed);
  return static_cast<std::uint32_t>((mixed >> 32) * count >> 32);
}

Routing::Routing(const Topology& topology, std::uint64_t seed) {
  attachHosts(topology);
  fillTable(topology);
  for (const NodeId node : topology.switches()) {
    seeds_.push_back(RandomStream(seed, "switch/" + topology.nodes()[node].name + "/ecmp").next());
  }
}

void Routing::attachHosts(const Topology& topology) {
  std::map<NodeId, std::uint32_t> columns;
  for (const NodeId host : topology.hosts()) {
    const Node& node = topology.nodes()[host];
    if (node.out_links.size() != 1) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{} has {} links", node.name, node.out_links.size()), "topology",
                  "a host has exactly one link");
    }
    const Link& up = topology.links()[node.out_links.front()];
    const Node& edge = topology.nodes()[up.to];
    if (edge.kind == NodeKind::kHost) {
      hosts_.push_back({kNone, kNone, node.out_links.front()});
      continue;
    }
    // A host's cable is one connect(), so the way back is its link's neighbour.
    const LinkId down = node.out_links.front() ^ 1U;
    const auto column = columns.try_emplace(up.to, static_cast<std::uint32_t>(columns.size()));
    if (column.second) edge_nodes_.push_back(up.to);
    hosts_.push_back({edge.index, column.first->second, down});
  }
  edges_ = edge_nodes_.size();
}

void Routing::fillTable(const Topology& topology) {
  const auto incoming = incomingLinks(topology);
  std::map<std::vector<LinkId>, std::uint32_t> known;
  table_.resize(topology.switches().size() * edges_);
  for (std::uint32_t column = 0; column < edges_; ++column) {
    const NodeId edge = edge_nodes_[column];
    const auto hops = hopsTo(topology, incoming, edge);
    for (std::uint32_t s = 0; s < topology.switches().size(); ++s) {
      const Node& node = topology.nodes()[topology.switches()[s]];
      if (topology.switches()[s] == edge) continue;
      std::vector<LinkId> links;
      for (const LinkId id : node.out_links) {
        const NodeId to = topology.links()[id].to;
        if (topology.nodes()[to].kind == NodeKind::kSwitch && hops[to] != kUnreached &&
            hops[to] + 1 == hops[topology.switches()[s]]) {
          links.push_back(id);
        }
      }
      if (links.empty()) {
        throw Error(ErrorKind::kUsage,
                    fmt::format("{} has no path to {}", node.name, topology.nodes()[edge].name),
                    "topology", "every switch must reach every switch that hosts hang on");
      }
      const auto group = known.try_emplace(links, static_cast<std::uint32_t>(groups_.size()));
      if (group.second) {
        groups_.push_back({static_cast<std::uint32_t>(members_.size()),
                           static_cast<std::uint32_t>(links.size())});
        members_.insert(members_.end(), links.begin(), links.end());
      }
      table_[s * edges_ + column] = group.first->second;
    }
  }
}

std::span<const LinkId> Routing::candidates(std::uint32_t from, std::uint32_t to) const {
  const Attachment& at = hosts_[to];
  if (at.edge_switch == from) return {&at.last_link, 1};
  const Group group = groups_[table_[from * edges_ + at.edge]];
  return {members_.data() + group.first, group.count};
}

}  // namespace plumbline::fabric
