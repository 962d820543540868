// One function per kind of topology. The order of cabling is part of the contract (topology.h).
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "fabric/engine/footprint.h"
#include "fabric/topology/topology.h"

namespace plumbline::fabric {
namespace {

// Adds the parts that all built-in kinds are made of.
class Builder {
 public:
  explicit Builder(const TopologySpec& spec) : spec_(spec) {
    for (std::uint32_t h = 0; h < spec.hostCount(); ++h) graph_.addHost();
  }

  NodeId addSwitch(std::string name) { return graph_.addSwitch(std::move(name)); }

  void cableHost(std::uint32_t host, NodeId to) {
    graph_.connect(graph_.hosts()[host], to, spec_.link_rate, spec_.host_link_delay);
  }

  // `uplinks` parallel cables.
  void cableUp(NodeId below, NodeId above) {
    for (std::uint32_t u = 0; u < spec_.uplinks; ++u) {
      graph_.connect(below, above, spec_.fabricRate(), spec_.fabric_link_delay);
    }
  }

  // Everything below to everything above.
  void mesh(const std::vector<NodeId>& below, const std::vector<NodeId>& above) {
    for (const NodeId low : below) {
      for (const NodeId high : above) cableUp(low, high);
    }
  }

  std::vector<NodeId> addTier(std::uint32_t count, const std::string& prefix) {
    std::vector<NodeId> tier;
    for (std::uint32_t i = 0; i < count; ++i) tier.push_back(addSwitch(prefix + std::to_string(i)));
    return tier;
  }

  Topology& graph() { return graph_; }

 private:
  const TopologySpec& spec_;
  Topology graph_;
};

// `hosts_per_leaf` hosts on each leaf, in order.
void cableHostsInOrder(Builder& builder, const TopologySpec& spec,
                       const std::vector<NodeId>& leaves) {
  for (std::uint32_t h = 0; h < spec.hostCount(); ++h) {
    builder.cableHost(h, leaves[h / spec.hosts_per_leaf]);
  }
}

void buildClos2(Builder& builder, const TopologySpec& spec) {
  const auto leaves = builder.addTier(spec.leaves, "leaf");
  const auto spines = builder.addTier(spec.spines, "spine");
  cableHostsInOrder(builder, spec, leaves);
  builder.mesh(leaves, spines);
}

void buildClos3(Builder& builder, const TopologySpec& spec) {
  std::vector<NodeId> leaves;
  std::vector<std::vector<NodeId>> pod_leaves;
  std::vector<std::vector<NodeId>> pod_spines;
  for (std::uint32_t p = 0; p < spec.pods; ++p) {
    pod_leaves.push_back(builder.addTier(spec.leaves, fmt::format("pod{}.leaf", p)));
    leaves.insert(leaves.end(), pod_leaves.back().begin(), pod_leaves.back().end());
  }
  for (std::uint32_t p = 0; p < spec.pods; ++p) {
    pod_spines.push_back(builder.addTier(spec.spines, fmt::format("pod{}.spine", p)));
  }
  const auto superspines = builder.addTier(spec.superspines, "superspine");
  cableHostsInOrder(builder, spec, leaves);
  for (std::uint32_t p = 0; p < spec.pods; ++p) builder.mesh(pod_leaves[p], pod_spines[p]);
  for (std::uint32_t p = 0; p < spec.pods; ++p) {
    for (std::uint32_t u = 0; u < spec.superspines; ++u) {
      builder.cableUp(pod_spines[p][u % spec.spines], superspines[u]);
    }
  }
}

void buildRail(Builder& builder, const TopologySpec& spec) {
  const std::uint32_t leaves_per_rail =
      (spec.servers + spec.servers_per_leaf - 1) / spec.servers_per_leaf;
  std::vector<NodeId> leaves;
  for (std::uint32_t r = 0; r < spec.rails; ++r) {
    const auto rail = builder.addTier(leaves_per_rail, fmt::format("rail{}.leaf", r));
    leaves.insert(leaves.end(), rail.begin(), rail.end());
  }
  const auto spines = builder.addTier(spec.spines, "spine");
  std::uint32_t host = 0;
  for (std::uint32_t server = 0; server < spec.servers; ++server) {
    const std::uint32_t leaf = server / spec.servers_per_leaf;
    for (std::uint32_t r = 0; r < spec.rails; ++r) {
      builder.cableHost(host++, leaves[r * leaves_per_rail + leaf]);
    }
  }
  builder.mesh(leaves, spines);
}

void buildPools(Builder& builder, const TopologySpec& spec) {
  auto leaves = builder.addTier(spec.prefill_leaves, "prefill");
  const auto decode = builder.addTier(spec.decode_leaves, "decode");
  leaves.insert(leaves.end(), decode.begin(), decode.end());
  const auto spines = builder.addTier(spec.spines, "spine");
  cableHostsInOrder(builder, spec, leaves);
  builder.mesh(leaves, spines);
}

Topology buildGraph(const GraphSpec& spec) {
  Topology graph;
  for (const std::string& name : spec.hosts) graph.addHost(name);
  for (const std::string& name : spec.switches) graph.addSwitch(name);

  const auto isHost = [&](NodeId node) { return graph.nodes()[node].kind == NodeKind::kHost; };
  std::vector<const GraphSpec::Cable*> of_host(spec.hosts.size());
  std::vector<const GraphSpec::Cable*> others;
  for (const GraphSpec::Cable& cable : spec.cables) {
    const NodeId a = *graph.findNode(cable.a);
    const NodeId b = *graph.findNode(cable.b);
    if (isHost(a) || isHost(b)) {
      of_host[graph.nodes()[isHost(a) ? a : b].index] = &cable;
    } else {
      others.push_back(&cable);
    }
  }
  for (std::uint32_t h = 0; h < of_host.size(); ++h) {
    const GraphSpec::Cable& cable = *of_host[h];
    const NodeId host = graph.hosts()[h];
    const NodeId a = *graph.findNode(cable.a);
    graph.connect(host, a == host ? *graph.findNode(cable.b) : a, cable.rate, cable.delay);
  }
  for (const GraphSpec::Cable* cable : others) {
    graph.connect(*graph.findNode(cable->a), *graph.findNode(cable->b), cable->rate, cable->delay);
  }
  return graph;
}

}  // namespace

Topology buildTopology(const TopologySpec& spec) {
  if (spec.kind == TopologyKind::kGraph) return buildGraph(spec.graph);
  Builder builder(spec);
  builder.graph().reserveLinks(footprintOf(spec).links);
  switch (spec.kind) {
    case TopologyKind::kLink:
      builder.cableHost(0, builder.graph().hosts()[1]);
      break;
    case TopologyKind::kSingleSwitch: {
      const NodeId node = builder.addSwitch("switch0");
      for (std::uint32_t h = 0; h < spec.hosts; ++h) builder.cableHost(h, node);
      break;
    }
    case TopologyKind::kClos2:
      buildClos2(builder, spec);
      break;
    case TopologyKind::kClos3:
      buildClos3(builder, spec);
      break;
    case TopologyKind::kRail:
      buildRail(builder, spec);
      break;
    case TopologyKind::kPools:
      buildPools(builder, spec);
      break;
    case TopologyKind::kGraph:
      break;
  }
  return std::move(builder.graph());
}

}  // namespace plumbline::fabric
