#include "fabric/engine/footprint.h"

namespace plumbline::fabric {
namespace {

// docs/simulation-speed.md, "Memory": where the numbers come from.
constexpr double kHostBytes = 55'000;  // with the packets in flight of a sending host
constexpr double kSwitchBytes = 40'000;
constexpr double kLinkBytes = 2'800;
constexpr double kRouteBytes = 4;

struct Tiers {
  std::uint64_t edges = 0;     // switches with hosts
  std::uint64_t switches = 0;  // all
  std::uint64_t cables = 0;    // between switches
};

Tiers tiersOf(const TopologySpec& spec) {
  const std::uint64_t uplinks = spec.uplinks;
  switch (spec.kind) {
    case TopologyKind::kLink:
      return {};
    case TopologyKind::kSingleSwitch:
      return {1, 1, 0};
    case TopologyKind::kClos2: {
      const std::uint64_t leaves = spec.leaves;
      return {leaves, leaves + spec.spines, leaves * spec.spines * uplinks};
    }
    case TopologyKind::kClos3: {
      const std::uint64_t leaves = std::uint64_t{spec.pods} * spec.leaves;
      const std::uint64_t spines = std::uint64_t{spec.pods} * spec.spines;
      const std::uint64_t above = std::uint64_t{spec.pods} * spec.superspines;
      return {leaves, leaves + spines + spec.superspines, (leaves * spec.spines + above) * uplinks};
    }
    case TopologyKind::kRail: {
      const std::uint64_t per_leaf = spec.servers_per_leaf == 0 ? 1 : spec.servers_per_leaf;
      const std::uint64_t of_rail = (spec.servers + per_leaf - 1) / per_leaf;
      const std::uint64_t leaves = of_rail * spec.rails;
      return {leaves, leaves + spec.spines, leaves * spec.spines * uplinks};
    }
    case TopologyKind::kPools: {
      const std::uint64_t leaves = std::uint64_t{spec.prefill_leaves} + spec.decode_leaves;
      return {leaves, leaves + spec.spines, leaves * spec.spines * uplinks};
    }
    case TopologyKind::kGraph:
      return {spec.graph.switches.size(), spec.graph.switches.size(), spec.graph.cables.size()};
  }
  return {};
}

}  // namespace

Footprint footprintOf(const TopologySpec& spec) {
  const Tiers tiers = tiersOf(spec);
  Footprint footprint;
  footprint.hosts = spec.hostCount();
  footprint.switches = tiers.switches;
  // A graph lists the cables of its hosts with the others; two hosts on a link share one.
  const std::uint64_t to_hosts = spec.kind == TopologyKind::kGraph  ? 0
                                 : spec.kind == TopologyKind::kLink ? 1
                                                                    : footprint.hosts;
  footprint.links = 2 * (tiers.cables + to_hosts);
  footprint.routes = tiers.switches * tiers.edges;
  footprint.bytes = kHostBytes * static_cast<double>(footprint.hosts) +
                    kSwitchBytes * static_cast<double>(footprint.switches) +
                    kLinkBytes * static_cast<double>(footprint.links) +
                    kRouteBytes * static_cast<double>(footprint.routes);
  return footprint;
}

}  // namespace plumbline::fabric
