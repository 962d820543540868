#include "fabric/switch/path_choice.h"

namespace plumbline::fabric {

PathChoice::PathChoice(const LoadBalancingSpec& spec, const RoutingSchedule& routing,
                       const std::vector<Link>& links, std::uint32_t number, std::uint64_t seed)
    : table_(routing.epochs().front().routing.get()),
      number_(number),
      by_qp_(spec.kind == LoadBalancingKind::kEcmpQp),
      routing_(routing),
      links_(links) {
  if (spec.kind != LoadBalancingKind::kEcmp && spec.kind != LoadBalancingKind::kEcmpQp) {
    balancer_ = makeLoadBalancer(spec, seed, links_);
  }
  if (routing_.epochs().size() > 1) next_epoch_ = routing_.epochs()[1].from;
}

void PathChoice::changeTables(Picoseconds now) {
  while (now >= next_epoch_) {
    ++epoch_;
    table_ = routing_.epochs()[epoch_].routing.get();
    next_epoch_ =
        epoch_ + 1 < routing_.epochs().size() ? routing_.epochs()[epoch_ + 1].from : kNever;
  }
}

std::optional<std::uint32_t> PathChoice::choose(const Packet& packet, Picoseconds now,
                                                QueueDepths& depths) {
  useTablesOf(now);
  const std::span<const LinkId> candidates = table_->candidates(number_, packet.destination);
  if (candidates.empty()) return std::nullopt;
  if (balancer_ && candidates.size() > 1) {
    return links_[balancer_->choose(packet, candidates, now, depths)].from_port;
  }
  const ByHash by_hash = byHash();
  return by_hash.choose(packet, by_hash.ports(packet.destination));
}

}  // namespace plumbline::fabric
