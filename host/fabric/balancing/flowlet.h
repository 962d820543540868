// Flowlet switching.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "fabric/balancing/load_balancer.h"

namespace plumbline::fabric {

// A flow's packets stay on their path until none has come for at least the gap; the next one then
// takes the path whose queue drains first (bytes queued / rate), and stays where it was if no other
// is strictly better. A flow that is new, or whose path is no longer a candidate, starts at the
// path that ECMP would give it in place of where it was.
//
// As in a switch, the table is indexed by a hash of (flow hash, destination) and does not remember
// whose entry it is: flows that fall on one entry share its path and its gap while they do. With n
// flows at work, one in about n / kEntries shares.
class FlowletBalancer final : public LoadBalancer {
 public:
  // Entries of the table; they take memory in pages, when first used.
  static constexpr std::uint32_t kEntries = 65'536;

  // `links` must outlive the balancer.
  FlowletBalancer(std::uint64_t seed, Picoseconds gap, std::span<const Link> links)
      : seed_(seed), gap_(gap), links_(links) {}

  LinkId choose(const Packet& packet, std::span<const LinkId> candidates, Picoseconds now,
                QueueDepths& depths) override;

 private:
  static constexpr std::uint32_t kPageEntries = 256;

  struct Entry {
    Picoseconds last;       // when its latest packet came
    LinkId link = kNoLink;  // that it took
  };
  using Page = std::array<Entry, kPageEntries>;

  Entry& entryOf(const Packet& packet);
  [[nodiscard]] LinkId leastLoaded(std::span<const LinkId> candidates, std::uint32_t start,
                                   QueueDepths& depths) const;

  std::uint64_t seed_;
  Picoseconds gap_;
  std::span<const Link> links_;
  std::array<std::unique_ptr<Page>, kEntries / kPageEntries> pages_;
};

}  // namespace plumbline::fabric
