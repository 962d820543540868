#include "bench/snapshot.h"

#include <utility>

namespace plumbline::bench {

TrialSnapshot snapshotOf(const TrialSpec& spec, const TrialResult& result) {
  TrialSnapshot snapshot;
  snapshot.observed = result.observed;
  snapshot.time = result.card_time;
  snapshot.total = result.card_time;
  snapshot.ended = true;
  for (std::uint32_t port = 0; port < result.ports.size(); ++port) {
    const PortResult& counted = result.ports[port];
    if (counted.tx_frames + counted.rx_frames == 0) continue;
    PortSnapshot one{
        port, counted.tx_frames, counted.tx_bytes, counted.rx_frames, counted.rx_bytes, 0, {}};
    for (const PriorityCounters& priority : counted.priority) {
      one.pauses += priority.rx_xoff;
      one.paused += priority.paused;
    }
    snapshot.ports.push_back(one);
  }
  for (std::size_t i = 0; i < result.streams.size(); ++i) {
    ++snapshot.flow_count;
    if (snapshot.flows.size() >= TrialSnapshot::kMostFlows) continue;
    const StreamResult& stream = result.streams[i];
    snapshot.flows.push_back({stream.name, spec.streams.at(i).from, spec.streams.at(i).to,
                              stream.sent_frames, stream.received_frames, stream.received_bytes, 0,
                              stream.lost, stream.out_of_order, stream.ce});
    snapshot.congestion.ce_received += stream.ce;
  }
  stats::Histogram latency;
  for (const GroupLatency& group : result.latency) latency.merge(group.histogram);
  snapshot.latency = std::move(latency);
  if (!result.fabric) return snapshot;
  const transport::EndpointStats& endpoints = result.fabric->endpoints;
  if (result.streams.empty()) snapshot.latency = endpoints.latency;
  const fabric::LinkCounters& total = result.fabric->total;
  // Simulated streams are among the endpoints, those of a tester's ports are not.
  const std::uint64_t ce_at_ports = result.ports.empty() ? 0 : snapshot.congestion.ce_received;
  snapshot.congestion = {total.marked,
                         endpoints.ce_received + ce_at_ports,
                         endpoints.cnp_sent,
                         endpoints.cnp_received,
                         total.dropped(),
                         total.trimmed,
                         endpoints.retransmitted,
                         endpoints.timeouts};
  for (const LinkLoad& load : result.fabric->links) {
    // The live view follows data: a link that only brought PAUSE frames is not in it.
    if (load.packets + load.dropped == 0) continue;
    snapshot.links.push_back({load.name, load.rate, load.between_switches, load.packets, load.bytes,
                              load.dropped, load.marked, 0, load.max_queue_bytes});
  }
  return snapshot;
}

}  // namespace plumbline::bench
