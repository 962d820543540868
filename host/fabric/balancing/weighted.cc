#include "fabric/balancing/weighted.h"

#include <algorithm>

#include "base/random.h"

namespace plumbline::fabric {

LinkId WeightedBalancer::choose(const Packet& packet, std::span<const LinkId> candidates,
                                Picoseconds /*now*/, QueueDepths& /*depths*/) {
  const std::uint32_t number = sets_.numberOf(candidates);
  if (number == rate_sums_.size()) {
    std::uint64_t sum = 0;
    std::vector<std::uint64_t>& sums = rate_sums_.emplace_back();
    for (const LinkId link : candidates) {
      sum += static_cast<std::uint64_t>(links_[link].rate.bitsPerSecond());
      sums.push_back(sum);
    }
  }
  const std::vector<std::uint64_t>& sums = rate_sums_[number];
  // All 64 bits of the hash count here, so it has to be a full mix. Rates are below 2^43 bit/s, so
  // the product is far from the end of 127 bits.
  const std::uint64_t hash = mix64(packet.flow_hash ^ seed_);
  const auto point = static_cast<std::uint64_t>(static_cast<Int128>(hash) * sums.back() >> 64);
  const auto path = std::upper_bound(sums.begin(), sums.end(), point) - sums.begin();
  return candidates[static_cast<std::size_t>(path)];
}

}  // namespace plumbline::fabric
