// The graph of a fabric: nodes, their ports, and the links between them. Nothing here moves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "fabric/fabric_spec.h"

namespace plumbline::fabric {

using NodeId = std::uint32_t;
using LinkId = std::uint32_t;

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

// Built once, read-only afterwards. Ids are handed out in the order of building, so that they, and
// every tie they break, depend on nothing else.
class Topology {
 public:
  NodeId addHost();
  NodeId addSwitch(std::string name);
  // Joins `a` and `b` by a cable on their next free ports: link a→b, then link b→a.
  void connect(NodeId a, NodeId b, BitRate rate, Picoseconds delay);

  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<Link>& links() const { return links_; }
  // Nodes by host number and by switch number.
  [[nodiscard]] const std::vector<NodeId>& hosts() const { return hosts_; }
  [[nodiscard]] const std::vector<NodeId>& switches() const { return switches_; }

 private:
  NodeId addNode(NodeKind kind, std::uint32_t index, std::string name);
  void addLink(NodeId from, NodeId to, BitRate rate, Picoseconds delay);

  std::vector<Node> nodes_;
  std::vector<Link> links_;
  std::vector<NodeId> hosts_;
  std::vector<NodeId> switches_;
};

// The graph of a valid `spec`. Hosts are cabled first, in order, so that host h sends into link 2h
// and receives from link 2h+1 (kLink: host 0 sends into link 0, host 1 into link 1). Leaf ports are
// hosts first, then spines; port number l of a spine leads to leaf l.
Topology buildTopology(const TopologySpec& spec);

}  // namespace plumbline::fabric
