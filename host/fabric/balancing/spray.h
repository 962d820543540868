// A path per packet: random, in turn, or where the queue is shortest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/balancing/load_balancer.h"
#include "fabric/topology/candidate_sets.h"

namespace plumbline::fabric {

// The n-th packet with several paths at the switch takes the path that n and the seed hash to.
class RandomSpray final : public LoadBalancer {
 public:
  explicit RandomSpray(std::uint64_t seed) : seed_(seed) {}

  LinkId choose(const Packet& packet, std::span<const LinkId> candidates, Picoseconds now,
                QueueDepths& depths) override;

 private:
  std::uint64_t seed_;
  std::uint64_t packets_ = 0;
};

// One path after the other, separately for each set of paths.
class RoundRobinSpray final : public LoadBalancer {
 public:
  LinkId choose(const Packet& packet, std::span<const LinkId> candidates, Picoseconds now,
                QueueDepths& depths) override;

 private:
  CandidateSets sets_;
  std::vector<std::uint32_t> next_;  // by set
};

// The path with the fewest bytes queued; of equal ones the first after the one chosen last in this
// set.
class LeastQueueSpray final : public LoadBalancer {
 public:
  LinkId choose(const Packet& packet, std::span<const LinkId> candidates, Picoseconds now,
                QueueDepths& depths) override;

 private:
  CandidateSets sets_;
  std::vector<std::uint32_t> next_;  // by set
};

}  // namespace plumbline::fabric
