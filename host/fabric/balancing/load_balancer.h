// How a switch chooses among equally short paths.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/units.h"
#include "fabric/engine/packet.h"
#include "fabric/spec/fabric_spec.h"
#include "fabric/topology/path_hash.h"  // IWYU pragma: export
#include "fabric/topology/topology.h"

namespace plumbline::fabric {

// Bytes waiting or in transmission at an egress port of the switch, all priorities, at the time of
// the choice.
class QueueDepths {
 public:
  virtual ~QueueDepths() = default;
  [[nodiscard]] virtual std::int64_t queuedBytes(LinkId link) = 0;
};

// One instance per switch, called in the order in which packets are forwarded, so that its state
// does not depend on core or thread. Nothing is allocated in a steady state.
//
// Candidates change with the tables, so a balancer checks its state against the given candidates.
// The memory that a span refers to must not change during the balancer's lifetime (as in tables of
// a RoutingSchedule): its address identifies a set of paths without reading it.
class LoadBalancer {
 public:
  virtual ~LoadBalancer() = default;

  // The link among `candidates` (two or more, ascending, all leading on a shortest path) that
  // `packet` takes.
  virtual LinkId choose(const Packet& packet, std::span<const LinkId> candidates, Picoseconds now,
                        QueueDepths& depths) = 0;
};

// The balancer of one switch. `switch_seed` differs between switches (Routing::seed()); `links` are
// the topology's (weights of kWeighted) and must outlive the balancer. kEcmp and kEcmpQp choose as
// ecmpChoice() and qpFlowHash() (path_hash.h) do, so that a switch may call those instead.
// Throws Error(kUsage) for a kind that does not exist.
std::unique_ptr<LoadBalancer> makeLoadBalancer(const LoadBalancingSpec& spec,
                                               std::uint64_t switch_seed,
                                               std::span<const Link> links);

}  // namespace plumbline::fabric
