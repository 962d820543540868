// Failures over time: down times of links, and the routing tables in force.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/units.h"
#include "fabric/engine/packet.h"
#include "fabric/spec/fabric_spec.h"
#include "fabric/topology/routing.h"
#include "fabric/topology/topology.h"

namespace plumbline::fabric {

// Down times of one link, disjoint and ascending; `up` is kNever for the end of time.
struct Outage {
  Picoseconds down;
  Picoseconds up;
  // LLR waits for its end, so the link does not count as down, and routing does not see it.
  bool bridged = false;
};

// The element of a FailureSpec: a switch, or a cable by the lower of its two link ids.
struct FailedElement {
  bool is_switch = false;
  std::uint32_t id = 0;  // NodeId or LinkId

  auto operator<=>(const FailedElement&) const = default;
};

// Throws Error(kUsage) at `where` for an element that the topology does not have, naming near ones.
FailedElement failedElement(const Topology& topology, const std::string& name,
                            const std::string& where);

// By link: empty for a link that never fails. A failed switch takes all its links, both directions;
// overlapping and touching outages of one link are joined. Outages of at most `pcs_lost` are
// bridged, but none in which a switch fails, because the state of its LLR is lost with it. Throws
// as failedElement().
std::vector<std::vector<Outage>> outagesOf(const Topology& topology,
                                           const std::vector<FailureSpec>& failures,
                                           Picoseconds pcs_lost = Picoseconds(0));

// Whether the outage that `failure`, one of those that `outages` were made of, belongs to is
// bridged.
bool isBridged(const FailureSpec& failure, const Topology& topology,
               const std::vector<std::vector<Outage>>& outages);

// The tables over time. A change of link state at t is in the tables from t + convergence on, even
// if the state has changed again by then; bridged outages are no changes. Equal states share one
// table. Tables live as long as this.
class RoutingSchedule {
 public:
  // `outages` as outagesOf() returns them. Throws Error(kUsage) as Routing for the intact topology.
  RoutingSchedule(const Topology& topology, const std::vector<std::vector<Outage>>& outages,
                  Picoseconds convergence, std::uint64_t seed);

  struct Epoch {
    Picoseconds from;  // the first begins at the beginning of time
    std::shared_ptr<const Routing> routing;
  };
  // Ascending by time, at least one.
  [[nodiscard]] const std::vector<Epoch>& epochs() const { return epochs_; }

 private:
  std::vector<Epoch> epochs_;
};

}  // namespace plumbline::fabric
