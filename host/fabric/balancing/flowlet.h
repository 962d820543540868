// Flowlet switching.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "fabric/balancing/load_balancer.h"

namespace plumbline::fabric {

// A flow keeps its path until it has sent no packet for at least the gap. The next packet takes the
// path whose queue drains first (bytes queued / rate), and the old path if no other is strictly
// better. For a new flow, or one whose path is no longer a candidate, the path that ECMP would
// choose takes the place of the old one.
//
// As in a switch, the table is indexed by a hash of (flow hash, destination) and does not store the
// flow: flows with the same index share path and gap. With n active flows, about n / kEntries of
// them share.
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
    Picoseconds last;       // arrival of its latest packet
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
