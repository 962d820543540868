// Shortest-path routing tables and the choice among equal paths.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fabric/topology.h"

namespace plumbline::fabric {

// Index in [0, count) of the path that a switch with `seed` takes for a flow: uniform over flows,
// constant for one flow, and independent between switches with different seeds.
std::uint32_t ecmpChoice(std::uint64_t flow_hash, std::uint64_t seed, std::uint32_t count);

// For every switch and destination host the links that begin a path of fewest hops, computed from
// the graph alone. Hosts have one link and never forward. Tables are kept per edge switch (the
// switch a host hangs on), not per host, and equal sets of links are stored once.
class Routing {
 public:
  // Throws Error(kUsage) when a host does not have exactly one link or two hosts cannot reach each
  // other. `seed` is the fabric's; each switch derives its own from it and its name.
  Routing(const Topology& topology, std::uint64_t seed);

  // The link on which switch number `from` sends a packet of flow `flow_hash` to host `to`.
  [[nodiscard]] LinkId nextLink(std::uint32_t from, std::uint32_t to,
                                std::uint64_t flow_hash) const {
    const Attachment& at = hosts_[to];
    if (at.edge_switch == from) return at.last_link;
    const Group group = groups_[table_[from * edges_ + at.edge]];
    if (group.count == 1) return members_[group.first];
    return members_[group.first + ecmpChoice(flow_hash, seeds_[from], group.count)];
  }

  // All links among which nextLink() chooses, ascending.
  [[nodiscard]] std::span<const LinkId> candidates(std::uint32_t from, std::uint32_t to) const;

 private:
  struct Attachment {
    std::uint32_t edge_switch;  // switch number; kNone behind a bare link
    std::uint32_t edge;         // its column in table_
    LinkId last_link;           // towards the host
  };
  struct Group {
    std::uint32_t first;  // in members_
    std::uint32_t count;
  };
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  void attachHosts(const Topology& topology);
  void fillTable(const Topology& topology);

  std::vector<Attachment> hosts_;
  std::vector<NodeId> edge_nodes_;    // by column
  std::uint64_t edges_ = 0;           // columns
  std::vector<std::uint32_t> table_;  // [switch][column] → group
  std::vector<Group> groups_;
  std::vector<LinkId> members_;
  std::vector<std::uint64_t> seeds_;  // by switch
};

}  // namespace plumbline::fabric
