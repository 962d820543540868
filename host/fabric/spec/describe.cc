#include "fabric/spec/describe.h"

#include <fmt/format.h>

namespace plumbline::fabric {
namespace {

std::string kindText(const TopologySpec& spec) {
  switch (spec.kind) {
    case TopologyKind::kLink:
      return "bare link";
    case TopologyKind::kSingleSwitch:
      return "single switch";
    case TopologyKind::kClos2:
      return fmt::format("A: 2-tier Clos, {} leaves × {} spines, {} hosts per leaf", spec.leaves,
                         spec.spines, spec.hosts_per_leaf);
    case TopologyKind::kClos3:
      return fmt::format(
          "B: 3-tier Clos, {} pods of {} leaves × {} spines, {} superspines, {} hosts per leaf",
          spec.pods, spec.leaves, spec.spines, spec.superspines, spec.hosts_per_leaf);
    case TopologyKind::kRail:
      return fmt::format(
          "C: rail-optimised, {} servers of {} rails, {} servers per leaf, {} spines", spec.servers,
          spec.rails, spec.servers_per_leaf, spec.spines);
    case TopologyKind::kPools:
      return fmt::format(
          "C': disaggregated pools, {} prefill and {} decode leaves × {} spines, {} hosts per leaf",
          spec.prefill_leaves, spec.decode_leaves, spec.spines, spec.hosts_per_leaf);
    case TopologyKind::kGraph:
      break;
  }
  return fmt::format("graph of {} switches and {} cables", spec.graph.switches.size(),
                     spec.graph.cables.size());
}

}  // namespace

std::string topologyText(const TopologySpec& spec) {
  std::string text = kindText(spec);
  if (spec.uplinks > 1) text += fmt::format(", {} cables per pair of switches", spec.uplinks);
  return fmt::format("{}, {} host ports", text, spec.hostCount());
}

}  // namespace plumbline::fabric
