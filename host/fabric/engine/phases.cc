#include "fabric/engine/phases.h"

#include <algorithm>

namespace plumbline::fabric {
namespace {

constexpr std::uint8_t kUnknown = kPhases;

// Colours what hangs together with `first`; false if an odd cycle makes that impossible.
bool colour(const Topology& topology, NodeId first, std::vector<std::uint8_t>& phases) {
  phases[first] = 1;
  std::vector<NodeId> pending{first};
  while (!pending.empty()) {
    const NodeId node = pending.back();
    pending.pop_back();
    for (const LinkId link : topology.nodes()[node].out_links) {
      const NodeId other = topology.links()[link].to;
      if (phases[other] == phases[node]) return false;
      if (phases[other] != kUnknown) continue;
      phases[other] = static_cast<std::uint8_t>(1 - phases[node]);
      pending.push_back(other);
    }
  }
  return true;
}

}  // namespace

std::vector<std::uint8_t> phasesOf(const Topology& topology) {
  std::vector<std::uint8_t> phases(topology.nodes().size(), kUnknown);
  for (NodeId node = 0; node < phases.size(); ++node) {
    if (phases[node] == kUnknown && !colour(topology, node, phases)) {
      std::transform(topology.nodes().begin(), topology.nodes().end(), phases.begin(),
                     [](const Node& n) { return std::uint8_t{n.kind == NodeKind::kHost}; });
      break;
    }
  }
  return phases;
}

}  // namespace plumbline::fabric
