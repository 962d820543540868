#include "fabric/balancing/flowlet.h"

#include <algorithm>

#include "base/random.h"
#include "fabric/topology/path_hash.h"

namespace plumbline::fabric {

FlowletBalancer::Entry& FlowletBalancer::entryOf(const Packet& packet) {
  // Not the seed's hash that chooses paths: flows of one entry may well have different ECMP paths.
  const std::uint64_t key = std::uint64_t{packet.destination} << 32 | packet.flow_hash;
  const std::uint32_t index = scaleHash(mix64(key ^ ~seed_), kEntries);
  std::unique_ptr<Page>& page = pages_[index / kPageEntries];
  if (!page) page = std::make_unique<Page>();
  return (*page)[index % kPageEntries];
}

LinkId FlowletBalancer::choose(const Packet& packet, std::span<const LinkId> candidates,
                               Picoseconds now, QueueDepths& depths) {
  Entry& entry = entryOf(packet);
  const auto stored = std::lower_bound(candidates.begin(), candidates.end(), entry.link);
  const bool valid = stored != candidates.end() && *stored == entry.link;
  if (!valid || now - entry.last >= gap_) {
    const auto count = static_cast<std::uint32_t>(candidates.size());
    const std::uint32_t start = valid ? static_cast<std::uint32_t>(stored - candidates.begin())
                                      : ecmpChoice(packet.flow_hash, seed_, count);
    entry.link = leastLoaded(candidates, start, depths);
  }
  entry.last = now;
  return entry.link;
}

LinkId FlowletBalancer::leastLoaded(std::span<const LinkId> candidates, std::uint32_t start,
                                    QueueDepths& depths) const {
  const auto rateOf = [&](LinkId link) { return links_[link].rate.bitsPerSecond(); };
  LinkId best = candidates[start];
  std::int64_t min = depths.queuedBytes(best);
  for (std::size_t step = 1; step < candidates.size(); ++step) {
    const LinkId link = candidates[(start + step) % candidates.size()];
    const std::int64_t queued = depths.queuedBytes(link);
    // queued / rate < least / best's rate, without division.
    if (static_cast<Int128>(queued) * rateOf(best) < static_cast<Int128>(min) * rateOf(link)) {
      best = link;
      min = queued;
    }
  }
  return best;
}

}  // namespace plumbline::fabric
