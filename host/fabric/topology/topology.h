// The static graph of a fabric: nodes, their ports, and the links between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "fabric/spec/fabric_spec.h"

namespace plumbline::fabric {

using NodeId = std::uint32_t;
using LinkId = std::uint32_t;

inline constexpr LinkId kNoLink = 0xFFFFFFFF;

enum class NodeKind { kHost, kSwitch };

struct Node {
  NodeKind kind = NodeKind::kSwitch;
  std::uint32_t index = 0;        // among the hosts or among the switches
  std::string name;               // "host3", "leaf0"
  std::vector<LinkId> out_links;  // by port number
};

// One direction of a cable. It belongs to the port that sends into it.
struct Link {
  NodeId from = 0;
  std::uint32_t from_port = 0;
  NodeId to = 0;
  BitRate rate;
  Picoseconds delay;
};

// The other direction of the same cable.
constexpr LinkId reverse(LinkId link) { return link ^ 1U; }

// Built once, read-only afterwards. Ids are handed out in the order of building, so that they, and
// every tie they break, depend on nothing else.
//
// Links are named after their ends, "leaf0-spine1" being the direction from leaf0 to spine1. Of
// parallel cables this is the first; "leaf0-spine1#1" is the second.
class Topology {
 public:
  // A host is called "host<number>" unless it has a `name` of its own.
  NodeId addHost(std::string name = {});
  NodeId addSwitch(std::string name);
  // Room for so many links, so that they are not moved while they are added.
  void reserveLinks(std::size_t count) { links_.reserve(count); }
  // Joins `a` and `b` by a cable on their next free ports: link a→b, then link b→a.
  void connect(NodeId a, NodeId b, BitRate rate, Picoseconds delay);

  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<Link>& links() const { return links_; }
  // Nodes by host number and by switch number.
  [[nodiscard]] const std::vector<NodeId>& hosts() const { return hosts_; }
  [[nodiscard]] const std::vector<NodeId>& switches() const { return switches_; }

  // Fewest and most ports that any switch has; 0 without a switch.
  [[nodiscard]] std::uint32_t minPorts() const;
  [[nodiscard]] std::uint32_t maxPorts() const;

  [[nodiscard]] std::string linkName(LinkId link) const;
  // Whether both ends are switches, and how many links are such, both directions counted.
  [[nodiscard]] bool joinsSwitches(LinkId link) const;
  [[nodiscard]] std::size_t fabricLinks() const;
  // Nothing if there is none of that name.
  [[nodiscard]] std::optional<NodeId> findNode(std::string_view name) const;
  [[nodiscard]] std::optional<LinkId> findLink(std::string_view name) const;
  // As above, but throws Error(kUsage) at `where` that suggests similar names.
  [[nodiscard]] NodeId requireNode(std::string_view name, const std::string& where) const;
  [[nodiscard]] LinkId requireLink(std::string_view name, const std::string& where) const;
  // The links that a BitErrorSpec means by `selector`, ascending: "*", "hosts", "fabric", or one by
  // name. Throws as requireLink().
  [[nodiscard]] std::vector<LinkId> selectLinks(std::string_view selector,
                                                const std::string& where) const;

 private:
  NodeId addNode(NodeKind kind, std::uint32_t index, std::string name);
  void addLink(NodeId from, NodeId to, BitRate rate, Picoseconds delay);
  // How many links of its own sender to the same receiver come before it. Looked up, not kept: a
  // table of all pairs would be the largest part of a large topology.
  [[nodiscard]] std::size_t placeAmongParallel(LinkId link) const;
  // Parallel links from `a` to `b`, ascending.
  [[nodiscard]] std::vector<LinkId> parallelLinks(NodeId a, NodeId b) const;

  std::vector<Node> nodes_;
  std::vector<Link> links_;
  std::vector<NodeId> hosts_;
  std::vector<NodeId> switches_;
  std::map<std::string, NodeId, std::less<>> by_name_;  // the first of a name
};

// The graph of a valid `spec`. Hosts are cabled first, in order, so that host h sends into link 2h
// and receives from link 2h+1 (kLink: host 0 sends into link 0, host 1 into link 1). Ports of a
// switch are numbered from the hosts upwards, parallel cables next to each other:
//
//   kind        switches, by number                       ports
//   kClos2      leaf<l>, spine<s>                         leaf: hosts, spines; spine: leaves
//   kClos3      pod<p>.leaf<l>, pod<p>.spine<s>,          leaf: hosts, spines of the pod; spine:
//               superspine<u>                             leaves of the pod, superspines u with
//                                                         u mod spines = s; superspine: pods
//   kRail       rail<r>.leaf<l>, spine<s>                 leaf: hosts, spines; spine: leaves
//   kPools      prefill<l>, decode<l>, spine<s>           leaf: hosts, spines; spine: leaves
//   kGraph      as listed                                 hosts by number, other cables as listed
Topology buildTopology(const TopologySpec& spec);

// "leaf" of "pod1.leaf12": what kind of node has the name; all of it where it is a number.
std::string nodeKind(const std::string& name);

// a : b in lowest terms.
struct Ratio {
  std::uint64_t a = 1;
  std::uint64_t b = 1;

  friend bool operator==(const Ratio&, const Ratio&) = default;
};

// Oversubscription: capacity of the hosts' links of a switch : capacity of its links to other
// switches, of the switch where this is largest. Nothing when no switch has both.
std::optional<Ratio> oversubscription(const Topology& topology);

}  // namespace plumbline::fabric
