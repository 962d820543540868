#include "fabric/topology.h"

#include <fmt/format.h>

#include <utility>

namespace plumbline::fabric {

NodeId Topology::addHost() {
  const auto index = static_cast<std::uint32_t>(hosts_.size());
  const NodeId id = addNode(NodeKind::kHost, index, fmt::format("host{}", index));
  hosts_.push_back(id);
  return id;
}

NodeId Topology::addSwitch(std::string name) {
  const auto index = static_cast<std::uint32_t>(switches_.size());
  const NodeId id = addNode(NodeKind::kSwitch, index, std::move(name));
  switches_.push_back(id);
  return id;
}

void Topology::connect(NodeId a, NodeId b, BitRate rate, Picoseconds delay) {
  addLink(a, b, rate, delay);
  addLink(b, a, rate, delay);
}

NodeId Topology::addNode(NodeKind kind, std::uint32_t index, std::string name) {
  nodes_.push_back({kind, index, std::move(name), {}});
  return static_cast<NodeId>(nodes_.size() - 1);
}

void Topology::addLink(NodeId from, NodeId to, BitRate rate, Picoseconds delay) {
  std::vector<LinkId>& ports = nodes_[from].out_links;
  links_.push_back({from, static_cast<std::uint32_t>(ports.size()), to, rate, delay});
  ports.push_back(static_cast<LinkId>(links_.size() - 1));
}

Topology buildTopology(const TopologySpec& spec) {
  Topology graph;
  const std::uint32_t hosts = spec.hostCount();
  for (std::uint32_t h = 0; h < hosts; ++h) graph.addHost();
  const auto cableHost = [&](std::uint32_t host, NodeId to) {
    graph.connect(graph.hosts()[host], to, spec.link_rate, spec.host_link_delay);
  };

  switch (spec.kind) {
    case TopologyKind::kLink:
      cableHost(0, graph.hosts()[1]);
      break;
    case TopologyKind::kSingleSwitch: {
      const NodeId node = graph.addSwitch("switch0");
      for (std::uint32_t h = 0; h < hosts; ++h) cableHost(h, node);
      break;
    }
    case TopologyKind::kClos2: {
      for (std::uint32_t l = 0; l < spec.leaves; ++l) graph.addSwitch(fmt::format("leaf{}", l));
      for (std::uint32_t s = 0; s < spec.spines; ++s) graph.addSwitch(fmt::format("spine{}", s));
      for (std::uint32_t h = 0; h < hosts; ++h) {
        cableHost(h, graph.switches()[h / spec.hosts_per_leaf]);
      }
      for (std::uint32_t l = 0; l < spec.leaves; ++l) {
        for (std::uint32_t s = 0; s < spec.spines; ++s) {
          graph.connect(graph.switches()[l], graph.switches()[spec.leaves + s], spec.link_rate,
                        spec.fabric_link_delay);
        }
      }
      break;
    }
  }
  return graph;
}

}  // namespace plumbline::fabric
