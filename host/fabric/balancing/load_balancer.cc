#include "fabric/balancing/load_balancer.h"

#include "base/error.h"
#include "fabric/balancing/flowlet.h"
#include "fabric/balancing/spray.h"
#include "fabric/balancing/weighted.h"
#include "fabric/topology/path_hash.h"

namespace plumbline::fabric {
namespace {

// Hash of the 5-tuple, and of the destination QP if `with_qp`.
class EcmpBalancer final : public LoadBalancer {
 public:
  EcmpBalancer(std::uint64_t seed, bool with_qp) : seed_(seed), with_qp_(with_qp) {}

  LinkId choose(const Packet& packet, std::span<const LinkId> candidates, Picoseconds /*now*/,
                QueueDepths& /*depths*/) override {
    const std::uint32_t hash =
        with_qp_ ? qpFlowHash(packet.flow_hash, packet.connection) : packet.flow_hash;
    return candidates[ecmpChoice(hash, seed_, static_cast<std::uint32_t>(candidates.size()))];
  }

 private:
  std::uint64_t seed_;
  bool with_qp_;
};

}  // namespace

std::unique_ptr<LoadBalancer> makeLoadBalancer(const LoadBalancingSpec& spec,
                                               std::uint64_t switch_seed,
                                               std::span<const Link> links) {
  switch (spec.kind) {
    case LoadBalancingKind::kEcmp:
      return std::make_unique<EcmpBalancer>(switch_seed, false);
    case LoadBalancingKind::kEcmpQp:
      return std::make_unique<EcmpBalancer>(switch_seed, true);
    case LoadBalancingKind::kFlowlet:
      return std::make_unique<FlowletBalancer>(switch_seed, spec.flowlet_gap, links);
    case LoadBalancingKind::kSprayRandom:
      return std::make_unique<RandomSpray>(switch_seed);
    case LoadBalancingKind::kSprayRoundRobin:
      return std::make_unique<RoundRobinSpray>();
    case LoadBalancingKind::kSprayLeastQueue:
      return std::make_unique<LeastQueueSpray>();
    case LoadBalancingKind::kWeighted:
      return std::make_unique<WeightedBalancer>(switch_seed, links);
  }
  throw Error(ErrorKind::kUsage, "unknown load balancing", "switches.load_balancing.kind");
}

}  // namespace plumbline::fabric
