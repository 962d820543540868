// The static part of a fabric: graph, routes and failures.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "fabric/engine/packet.h"
#include "fabric/engine/schedule.h"
#include "fabric/spec/fabric_spec.h"
#include "fabric/topology/topology.h"

namespace plumbline::fabric {

// The graph of `spec`. Throws Error(kUsage) for an impossible spec (zero delay, no hosts, …).
Topology checkedTopology(const FabricSpec& spec);

// Those of `failures`, all of which `spec` has, that its LLR does not bridge.
std::vector<FailureSpec> unbridged(const std::vector<FailureSpec>& failures,
                                   const FabricSpec& spec);

// The graph of a specification, its routes, and its failures over time: enough to tell whether a
// Fabric can be built and how long its paths are, without queues, links and nodes, which need most
// of a large fabric's memory. Read-only.
class FabricPlan {
 public:
  // Throws Error(kUsage) as Fabric.
  explicit FabricPlan(const FabricSpec& spec) : FabricPlan(checkedTopology(spec), spec) {}
  // The same of a graph that no kind of topology describes: that of `spec`, which must be valid, is
  // not looked at. Throws Error(kUsage) for a graph that cannot be routed.
  FabricPlan(Topology topology, const FabricSpec& spec);
  FabricPlan(const FabricPlan&) = delete;
  FabricPlan& operator=(const FabricPlan&) = delete;

  [[nodiscard]] const FabricSpec& spec() const { return spec_; }
  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] std::uint32_t hostCount() const {
    return static_cast<std::uint32_t>(topology_.hosts().size());
  }
  // Of the one link that a host sends into.
  [[nodiscard]] BitRate hostRate(HostId host) const {
    return topology_.links()[topology_.nodes()[topology_.hosts().at(host)].out_links.front()].rate;
  }
  [[nodiscard]] const std::vector<Outage>& outages(LinkId link) const { return outages_[link]; }
  // Errors per bit of a link, 0 to 1e-3: the last rule that names it holds.
  [[nodiscard]] double bitErrorRate(LinkId link) const { return bit_error_rates_.at(link); }
  [[nodiscard]] const RoutingSchedule& schedule() const { return schedule_; }

  // As Fabric::unloadedLatency().
  [[nodiscard]] Picoseconds unloadedLatency(HostId from, HostId to, Bytes length) const;

 private:
  FabricSpec spec_;
  Topology topology_;
  std::vector<std::vector<Outage>> outages_;  // by link
  std::vector<double> bit_error_rates_;       // by link
  RoutingSchedule schedule_;
};

}  // namespace plumbline::fabric
