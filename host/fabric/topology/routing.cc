#include "fabric/topology/routing.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/random.h"
#include "base/work.h"
#include "fabric/topology/path_search.h"

namespace plumbline::fabric {
namespace {

// A switch's port that `link` leaves by.
std::uint16_t portOf(const Topology& topology, LinkId link) {
  return static_cast<std::uint16_t>(topology.links()[link].from_port);
}

}  // namespace

Routing::Routing(const Topology& topology, std::uint64_t seed)
    : Routing(topology, seed, std::vector<bool>(topology.links().size(), false)) {
  requireAllPaths(topology);
}

Routing::Routing(const Topology& topology, std::uint64_t seed, const std::vector<bool>& down) {
  attachHosts(topology, down);
  fillTable(topology, down);
  deriveSeeds(topology, seed);
}

void Routing::attachHosts(const Topology& topology, const std::vector<bool>& down) {
  std::vector<std::uint32_t> columns(topology.nodes().size(), kNone);
  for (const NodeId host : topology.hosts()) {
    const Node& node = topology.nodes()[host];
    if (node.out_links.size() != 1) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{} has {} links", node.name, node.out_links.size()), "topology",
                  "a host has exactly one link");
    }
    const LinkId first_link = node.out_links.front();
    const LinkId last_link = reverse(first_link);
    const NodeId edge = topology.links()[first_link].to;
    if (topology.nodes()[edge].kind == NodeKind::kHost) {
      hosts_.push_back({kNone, kNone, last_link, 1, 0});
      continue;
    }
    if (columns[edge] == kNone) {
      columns[edge] = static_cast<std::uint32_t>(edge_nodes_.size());
      edge_nodes_.push_back(edge);
    }
    hosts_.push_back({.edge_switch = topology.nodes()[edge].index,
                      .edge = columns[edge],
                      .last_link = last_link,
                      .last_links = static_cast<std::uint16_t>(down[last_link] ? 0 : 1),
                      .last_port = portOf(topology, last_link)});
  }
  edges_ = edge_nodes_.size();
}

void Routing::fillTable(const Topology& topology, const std::vector<bool>& down) {
  const auto switches = static_cast<std::uint32_t>(topology.switches().size());
  const auto arcs = arcsBetweenSwitches(topology, down);
  PathSearch search(arcs);
  KnownGroups known;
  // A switch has few different sets, and mostly the one it had for the column before.
  std::vector<std::uint32_t> latest(switches, groupOf(topology, {}, known));
  table_.resize(switches * edges_);
  for (std::uint32_t column = 0; column < edges_; ++column) {
    checkWork();
    search.run(topology.nodes()[edge_nodes_[column]].index);
    for (std::uint32_t s = 0; s < switches; ++s) {
      const std::vector<LinkId>& links = search.firstLinks(s);
      const Group group = groups_[latest[s]];
      if (!std::equal(links.begin(), links.end(), members_.begin() + group.first,
                      members_.begin() + group.first + group.count)) {
        latest[s] = groupOf(topology, links, known);
      }
      table_[s * edges_ + column] = latest[s];
    }
  }
}

std::uint32_t Routing::groupOf(const Topology& topology, const std::vector<LinkId>& links,
                               KnownGroups& known) {
  const auto [group, is_new] = known.try_emplace(links, static_cast<std::uint32_t>(groups_.size()));
  if (is_new) {
    groups_.push_back(
        {static_cast<std::uint32_t>(members_.size()), static_cast<std::uint32_t>(links.size())});
    members_.insert(members_.end(), links.begin(), links.end());
    for (const LinkId link : links) ports_.push_back(portOf(topology, link));
  }
  return group->second;
}

void Routing::requireAllPaths(const Topology& topology) const {
  for (std::uint32_t s = 0; s < topology.switches().size(); ++s) {
    const NodeId node = topology.switches()[s];
    for (std::uint32_t column = 0; column < edges_; ++column) {
      if (edge_nodes_[column] == node || groups_[table_[s * edges_ + column]].count > 0) continue;
      throw Error(ErrorKind::kUsage,
                  fmt::format("{} has no path to {}", topology.nodes()[node].name,
                              topology.nodes()[edge_nodes_[column]].name),
                  "topology", "every switch must reach every switch that hosts hang on");
    }
  }
}

void Routing::deriveSeeds(const Topology& topology, std::uint64_t seed) {
  for (const NodeId node : topology.switches()) {
    seeds_.push_back(RandomStream(seed, "switch/" + topology.nodes()[node].name + "/ecmp").next());
  }
}

}  // namespace plumbline::fabric
