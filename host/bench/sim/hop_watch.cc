#include "bench/sim/hop_watch.h"

#include <algorithm>

#include "fabric/link/link_retry.h"
#include "fabric/topology/topology.h"

namespace plumbline::bench {

HopWatch::HopWatch(fabric::Fabric& fabric, const fabric::FabricSpec& spec, const SimHosts& hosts)
    : fabric_(fabric), llr_(spec.switches.llr) {
  if (!llr_) return;
  const fabric::Topology& topology = fabric.topology();
  hops_.resize(topology.links().size());
  bool any = false;
  for (fabric::LinkId link = 0; link < hops_.size(); ++link) {
    const fabric::Node& from = topology.nodes()[topology.links()[link].from];
    if (fabric.bitErrorRate(link) <= 0) continue;
    if (from.kind == fabric::NodeKind::kHost && !hosts.simulated(from.index)) continue;
    hops_[link].emplace();
    any = true;
  }
  if (any) fabric.observe(*this);
}

std::uint32_t HopWatch::interests() const {
  return bit(fabric::RecordKind::kRetry) | bit(fabric::RecordKind::kTimedRetry);
}

void HopWatch::onRecord(const fabric::Record& record) {
  Hop& hop = hops_[record.link].value();
  const Bytes frame(record.packet.length);
  hop.shortest = hop.longest == Bytes() ? frame : std::min(hop.shortest, frame);
  hop.longest = std::max(hop.longest, frame);
  const bool timed = record.kind == fabric::RecordKind::kTimedRetry;
  (timed ? hop.timed_latency : hop.latency).record(static_cast<std::uint64_t>(record.value));
}

std::optional<HopRetries> HopWatch::of(fabric::LinkId link) const {
  if (link >= hops_.size() || !hops_[link]) return std::nullopt;
  const Hop& hop = *hops_[link];
  const fabric::LinkCounters counters = fabric_.linkCounters(link);
  HopRetries retries;
  retries.bit_error_rate = fabric_.bitErrorRate(link);
  retries.damaged = counters.damaged;
  retries.nacks = counters.nacks;
  retries.nacks_lost = counters.nacks_lost;
  retries.retries = counters.retries;
  retries.given_up =
      counters.dropsBy(fabric::DropReason::kReplays) + counters.dropsBy(fabric::DropReason::kAge);
  retries.replayed = counters.replayed;
  retries.replayed_bytes = counters.replayed_bytes;
  retries.latency = hop.latency;
  retries.timed_latency = hop.timed_latency;
  if (hop.longest > Bytes()) {
    const fabric::Link& there = fabric_.topology().links()[link];
    const fabric::Link& back = fabric_.topology().links()[fabric::reverse(link)];
    retries.computed = {fabric::retryTime(hop.shortest, *llr_, there, back),
                        fabric::retryTime(hop.longest, *llr_, there, back)};
  }
  return retries;
}

}  // namespace plumbline::bench
