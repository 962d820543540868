// ECMP over paths of unequal links.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/balancing/load_balancer.h"
#include "fabric/topology/candidate_sets.h"

namespace plumbline::fabric {

// A flow stays on one path; a path gets the share of flows that its link's rate has of the rates of
// all candidates. With a 64-bit hash shares are off by less than 2^-64 each.
class WeightedBalancer final : public LoadBalancer {
 public:
  // `links` must outlive the balancer.
  WeightedBalancer(std::uint64_t seed, std::span<const Link> links) : seed_(seed), links_(links) {}

  LinkId choose(const Packet& packet, std::span<const LinkId> candidates, Picoseconds now,
                QueueDepths& depths) override;

 private:
  std::uint64_t seed_;
  std::span<const Link> links_;
  CandidateSets sets_;
  std::vector<std::vector<std::uint64_t>> rate_sums_;  // by set: sum of the rates up to each path
};

}  // namespace plumbline::fabric
