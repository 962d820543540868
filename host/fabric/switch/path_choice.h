// The egress port that a packet takes: routing tables and load balancing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "fabric/balancing/load_balancer.h"
#include "fabric/engine/packet.h"
#include "fabric/engine/schedule.h"
#include "fabric/spec/fabric_spec.h"
#include "fabric/topology/path_hash.h"
#include "fabric/topology/topology.h"

namespace plumbline::fabric {

class PathChoice {
 public:
  // Of the switch `number`; `routing` and `links` must outlive it.
  PathChoice(const LoadBalancingSpec& spec, const RoutingSchedule& routing,
             const std::vector<Link>& links, std::uint32_t number, std::uint64_t seed);

  // Chooses by a hash with the tables in force. A copy holds their addresses, for many packets.
  class ByHash {
   public:
    // Ports on shortest paths to a host; empty without a route.
    [[nodiscard]] std::span<const std::uint16_t> ports(std::uint32_t destination) const {
      return row_.ports(destination);
    }
    // One of `ports`, which are not empty.
    [[nodiscard]] std::uint32_t choose(const Packet& packet,
                                       std::span<const std::uint16_t> ports) const {
      if (ports.size() == 1) return ports.front();
      const std::uint32_t hash =
          by_qp_ ? qpFlowHash(packet.flow_hash, packet.connection) : packet.flow_hash;
      return ports[ecmpChoice(hash, seed_, static_cast<std::uint32_t>(ports.size()))];
    }

   private:
    friend class PathChoice;
    ByHash(const Routing& table, std::uint32_t number, bool by_qp)
        : row_(table, number), seed_(table.seed(number)), by_qp_(by_qp) {}

    Routing::Row row_;
    std::uint64_t seed_;
    bool by_qp_;
  };

  // Whether the hash alone decides, with the tables now in force, for all packets before `end`.
  [[nodiscard]] bool isHashBefore(Picoseconds end) const {
    return !balancer_ && end <= next_epoch_;
  }
  [[nodiscard]] ByHash byHash() const { return {*table_, number_, by_qp_}; }

  // Changes to the tables that hold at `now`; times do not go back.
  void useTablesOf(Picoseconds now) {
    if (now >= next_epoch_) changeTables(now);
  }
  // The egress port for a packet at `now`, by the load balancer if there is one; nothing without a
  // route.
  [[nodiscard]] std::optional<std::uint32_t> choose(const Packet& packet, Picoseconds now,
                                                    QueueDepths& depths);

 private:
  void changeTables(Picoseconds now);

  const Routing* table_;                    // in force
  Picoseconds next_epoch_ = kNever;         // when another table comes into force
  std::unique_ptr<LoadBalancer> balancer_;  // null if the hash alone decides
  std::uint32_t number_;
  bool by_qp_;
  const RoutingSchedule& routing_;
  const std::vector<Link>& links_;
  std::size_t epoch_ = 0;
};

}  // namespace plumbline::fabric
