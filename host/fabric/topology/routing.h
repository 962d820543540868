// Shortest-path routing tables.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "fabric/topology/topology.h"

namespace plumbline::fabric {

// For every switch and destination host the links that begin a path of fewest hops, computed from
// the graph alone. Parallel cables are paths of their own. Hosts have one link and never forward.
// Tables are kept per edge switch (the switch of a host), not per host, and equal sets of
// links are stored once.
class Routing {
  struct Attachment {
    std::uint32_t edge_switch;  // switch number; kNone behind a bare link
    std::uint32_t edge;         // its column in table_
    LinkId last_link;           // towards the host
    std::uint16_t last_links;   // 1, or 0 when last_link is down
    std::uint16_t last_port;    // that last_link leaves by
  };
  struct Group {
    std::uint32_t first;  // in members_ and ports_
    std::uint32_t count;
  };

 public:
  // Throws Error(kUsage) when a host does not have exactly one link or a switch cannot reach a
  // host. `seed` is the fabric's; each switch's own is
  // derived from it and the switch's name.
  Routing(const Topology& topology, std::uint64_t seed);

  // Tables of a fabric some of whose links are down (by link id): those lead nowhere, and what
  // cannot be reached has no candidates. A host whose own link is down is still routed to its edge
  // switch, where its candidates are none.
  Routing(const Topology& topology, std::uint64_t seed, const std::vector<bool>& down);

  // All links on which switch number `from` may send to host `to`, ascending; empty when there is
  // no path. Valid as long as this object.
  [[nodiscard]] std::span<const LinkId> candidates(std::uint32_t from, std::uint32_t to) const {
    const Attachment& at = hosts_[to];
    if (at.edge_switch == from) return {&at.last_link, at.last_links};
    const Group group = groups_[table_[from * edges_ + at.edge]];
    return {members_.data() + group.first, group.count};
  }

  // Look-ups of one switch for many packets, with the addresses of the tables at hand. Valid as
  // long as the tables.
  class Row {
   public:
    Row(const Routing& routing, std::uint32_t from)
        : from_(from),
          hosts_(routing.hosts_.data()),
          row_(routing.table_.data() + from * routing.edges_),
          groups_(routing.groups_.data()),
          ports_(routing.ports_.data()) {}

    // The same as candidates(), as ports of that switch.
    [[nodiscard]] std::span<const std::uint16_t> ports(std::uint32_t to) const {
      const Attachment& at = hosts_[to];
      if (at.edge_switch == from_) return {&at.last_port, at.last_links};
      const Group group = groups_[row_[at.edge]];
      return {ports_ + group.first, group.count};
    }

   private:
    std::uint32_t from_;
    const Attachment* hosts_;
    const std::uint32_t* row_;
    const Group* groups_;
    const std::uint16_t* ports_;
  };

  // What ECMP at switch number `from` mixes into its hash (path_hash.h).
  [[nodiscard]] std::uint64_t seed(std::uint32_t from) const { return seeds_[from]; }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  void attachHosts(const Topology& topology, const std::vector<bool>& down);
  void fillTable(const Topology& topology, const std::vector<bool>& down);
  void requireAllPaths(const Topology& topology) const;
  using KnownGroups = std::map<std::vector<LinkId>, std::uint32_t>;
  std::uint32_t groupOf(const Topology& topology, const std::vector<LinkId>& links,
                        KnownGroups& known);
  void deriveSeeds(const Topology& topology, std::uint64_t seed);

  std::vector<Attachment> hosts_;
  std::vector<NodeId> edge_nodes_;    // by column
  std::uint64_t edges_ = 0;           // columns
  std::vector<std::uint32_t> table_;  // [switch][column] → group
  std::vector<Group> groups_;
  std::vector<LinkId> members_;
  std::vector<std::uint16_t> ports_;  // that these leave by
  std::vector<std::uint64_t> seeds_;  // by switch
};

}  // namespace plumbline::fabric
