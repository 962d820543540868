// The kinds of load balancing: how a switch chooses among equally short paths. Each fact about a
// kind stands in its row of kLoadBalancings; scenarios, stored trials, tests and reports read it.
#pragma once

#include <array>
#include <cstddef>

#include "base/units.h"

namespace plumbline::fabric {

enum class LoadBalancingKind {
  kEcmp,             // hash of the 5-tuple (and so of the entropy that the sender chose)
  kEcmpQp,           // BTH-aware: the destination QP is hashed as well
  kFlowlet,          // a flow goes to the least loaded path after a gap of at least `flowlet_gap`
  kSprayRandom,      // every packet on a random path
  kSprayRoundRobin,  // in turn, per set of paths
  kSprayLeastQueue,  // to the shortest output queue, ties to the next in turn
  kWeighted,         // ECMP with paths weighted by their link's rate
};

struct LoadBalancing {
  LoadBalancingKind kind;
  const char* word;        // in scenarios and stored trials
  const char* family;      // word of `parameters.balancing` (scenario::kBalancingWords)
  const char* name;        // in reports
  bool stands_for_family;  // the kind that tests use when they compare families
  // Chooses a path packet by packet, so that packets of a flow may overtake each other. Flowlets
  // do not: they keep the order as long as the gap is longer than the paths' delays differ by.
  bool sprays_packets;
};

// In the order of LoadBalancingKind.
inline constexpr std::array kLoadBalancings{
    LoadBalancing{LoadBalancingKind::kEcmp, "ecmp", "ecmp", "ECMP", true, false},
    LoadBalancing{LoadBalancingKind::kEcmpQp, "ecmp-qp", "ecmp-qp", "ECMP, BTH-aware", true, false},
    LoadBalancing{LoadBalancingKind::kFlowlet, "flowlet", "flowlet", "flowlet DLB", true, false},
    LoadBalancing{LoadBalancingKind::kSprayRandom, "spray-random", "spray", "packet spray, random",
                  false, true},
    LoadBalancing{LoadBalancingKind::kSprayRoundRobin, "spray-round-robin", "spray", "packet spray",
                  true, true},
    LoadBalancing{LoadBalancingKind::kSprayLeastQueue, "spray-least-queue", "spray",
                  "packet spray, least queue", false, true},
    LoadBalancing{LoadBalancingKind::kWeighted, "weighted", "ecmp", "weighted ECMP", false, false},
};
static_assert([] {
  for (std::size_t i = 0; i < kLoadBalancings.size(); ++i) {
    if (kLoadBalancings[i].kind != static_cast<LoadBalancingKind>(i)) return false;
  }
  return true;
}());

constexpr const LoadBalancing& loadBalancing(LoadBalancingKind kind) {
  return kLoadBalancings[static_cast<std::size_t>(kind)];
}

constexpr bool spraysPackets(LoadBalancingKind kind) { return loadBalancing(kind).sprays_packets; }

struct LoadBalancingSpec {
  LoadBalancingKind kind = LoadBalancingKind::kEcmp;
  Picoseconds flowlet_gap = microseconds(1);
};

}  // namespace plumbline::fabric
