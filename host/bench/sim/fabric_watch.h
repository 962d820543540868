// Counts the events of a running fabric, for snapshots.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "bench/sim/sim_hosts.h"
#include "bench/trial/snapshot.h"
#include "bench/trial/trial.h"
#include "fabric/engine/fabric.h"
#include "fabric/engine/observer.h"

namespace plumbline::bench {

// Does not change the run: reading the counters of links during a run would finish pending work, so
// it counts the events that it observes instead.
class FabricWatch final : public fabric::Observer {
 public:
  // Both must outlive it; attached before the fabric runs.
  explicit FabricWatch(fabric::Fabric& fabric);

  [[nodiscard]] std::uint32_t interests() const override;
  void onRecord(const fabric::Record& record) override;

  // Writes links, pauses and counts of switches into `snapshot`, whose time is `now`.
  void look(Picoseconds now, TrialSnapshot& snapshot);
  // Port snapshot of a simulated host, from its links.
  [[nodiscard]] PortSnapshot port(fabric::HostId host, Picoseconds now) const;

 private:
  struct Counts {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
    std::uint64_t dropped = 0;
    std::uint64_t marked = 0;
    std::uint64_t queue_bytes = 0;
    std::uint64_t max_queue_bytes = 0;
    Picoseconds last_first_bit;                    // of the latest departure
    std::uint64_t last_bytes = 0;                  // of which
    std::array<PortSnapshot::Pauses, 8> paused{};  // without pauses that are still open
  };
  using Queue = std::pair<fabric::LinkId, std::uint8_t>;  // and its priority

  // Bytes at the end of `slot`, which began with the latest departure, that have yet to pass.
  [[nodiscard]] static double pending(const Counts& counts, BitRate rate, std::uint64_t slot,
                                      Picoseconds now);
  void keep(const Queue& queue, Picoseconds from, Picoseconds until, bool open,
            TrialSnapshot& snapshot) const;

  const fabric::Topology& topology_;
  std::vector<Counts> links_;
  std::size_t fabric_links_;   // of all links, those between switches
  std::uint64_t dropped_ = 0;  // in the whole fabric
  std::uint64_t marked_ = 0;
  std::uint64_t trimmed_ = 0;
  std::map<Queue, Picoseconds> pausing_;  // since when
  struct Ended {
    Queue queue;
    Picoseconds from;
    Picoseconds until;
  };
  std::vector<Ended> ended_;  // since the last look; the first kMaxPauses
  std::uint64_t ended_count_ = 0;
};

// Writes the counts of simulated hosts into `snapshot`: flows, latency, congestion. Not while the
// fabric runs.
void inspectHosts(const TrialSpec& spec, const SimHosts& hosts, TrialSnapshot& snapshot);

}  // namespace plumbline::bench
