#include "fabric/balancing/spray.h"

#include "base/random.h"
#include "fabric/topology/path_hash.h"

namespace plumbline::fabric {
namespace {

// The turn of the set of `candidates`, which begins at 0.
std::uint32_t& turnOf(std::span<const LinkId> candidates, CandidateSets& sets,
                      std::vector<std::uint32_t>& turns) {
  const std::uint32_t number = sets.numberOf(candidates);
  if (number == turns.size()) turns.push_back(0);
  return turns[number];
}

}  // namespace

LinkId RandomSpray::choose(const Packet& /*packet*/, std::span<const LinkId> candidates,
                           Picoseconds /*now*/, QueueDepths& /*depths*/) {
  const std::uint64_t hash = mix64(seed_ ^ packets_++);
  return candidates[scaleHash(hash, static_cast<std::uint32_t>(candidates.size()))];
}

LinkId RoundRobinSpray::choose(const Packet& /*packet*/, std::span<const LinkId> candidates,
                               Picoseconds /*now*/, QueueDepths& /*depths*/) {
  std::uint32_t& turn = turnOf(candidates, sets_, next_);
  const LinkId chosen = candidates[turn];
  turn = turn + 1 == candidates.size() ? 0 : turn + 1;
  return chosen;
}

LinkId LeastQueueSpray::choose(const Packet& /*packet*/, std::span<const LinkId> candidates,
                               Picoseconds /*now*/, QueueDepths& depths) {
  std::uint32_t& turn = turnOf(candidates, sets_, next_);
  const auto count = static_cast<std::uint32_t>(candidates.size());
  std::uint32_t best = turn;
  std::int64_t min = depths.queuedBytes(candidates[best]);
  for (std::uint32_t step = 1; step < count; ++step) {
    const std::uint32_t at = turn + step < count ? turn + step : turn + step - count;
    const std::int64_t queued = depths.queuedBytes(candidates[at]);
    if (queued < min) {
      best = at;
      min = queued;
    }
  }
  turn = best + 1 == count ? 0 : best + 1;
  return candidates[best];
}

}  // namespace plumbline::fabric
