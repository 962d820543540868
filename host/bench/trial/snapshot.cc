#include "bench/trial/snapshot.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/sim/serving_systems.h"

namespace plumbline::bench {

namespace {

PortSnapshot portOf(std::uint32_t port, const PortResult& counted) {
  PortSnapshot one;
  one.port = port;
  one.tx_frames = counted.tx_frames;
  one.tx_bytes = counted.tx_bytes;
  one.rx_frames = counted.rx_frames;
  one.rx_bytes = counted.rx_bytes;
  for (std::size_t i = 0; i < one.paused.size(); ++i) {
    one.paused[i] = {counted.priority[i].rx_xoff, counted.priority[i].paused};
  }
  return one;
}

FlowSnapshot flowOf(const StreamSpec& spec, const StreamResult& stream, bool sees_frames) {
  FlowSnapshot flow;
  flow.name = stream.name;
  flow.from = spec.from;
  flow.to = spec.to;
  flow.sent_frames = stream.sent_frames;
  flow.received_frames = stream.received_frames;
  flow.received_bytes = stream.received_bytes;
  flow.lost = stream.lost;
  if (sees_frames) {
    flow.out_of_order = stream.out_of_order;
    flow.ce = stream.ce;
  }
  return flow;
}

LinkSnapshot linkOf(const LinkLoad& load, Picoseconds time) {
  const auto overhead = static_cast<std::uint64_t>(kWireOverheadBytes.count());
  LinkSnapshot link;
  link.name = load.name;
  link.rate = load.rate;
  link.between_switches = load.between_switches;
  link.packets = load.packets;
  link.bytes = load.bytes;
  link.dropped = load.dropped;
  link.marked = load.marked;
  link.max_queue_bytes = load.max_queue_bytes;
  // A frame on the wire at the end counts whole in `bytes`, with its share in the utilisation.
  const Picoseconds taken(std::llround(load.utilisation * static_cast<double>(time.count())));
  link.busy = std::min(
      taken,
      serializationTime(Bytes(static_cast<std::int64_t>(load.bytes + load.packets * overhead)),
                        load.rate));
  return link;
}

void addServingViews(const TrialSpec& spec, const TrialResult& result, TrialSnapshot& snapshot) {
  if (!result.serving) return;
  const std::vector<const serving::ServingProgram*> programs = spec.servingSystems();
  snapshot.serving.reserve(programs.size());
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const serving::ServingResult& system = i == 0 ? *result.serving : result.tenants.at(i - 1);
    snapshot.serving.push_back(
        {servingSystemName(i, programs.size()), serving::viewOf(system, programs[i]->slo)});
  }
}

}  // namespace

double notYetPassed(std::uint64_t frames, std::uint64_t bytes, BitRate rate, Picoseconds time) {
  const auto overhead = static_cast<double>(kWireOverheadBytes.count());
  const double wire = static_cast<double>(bytes) + static_cast<double>(frames) * overhead;
  const double carried = time.toSeconds() * static_cast<double>(rate.bitsPerSecond()) / 8;
  return std::max(wire - carried, 0.0);
}

TrialSnapshot snapshotOf(const TrialSpec& spec, const TrialResult& result) {
  TrialSnapshot snapshot;
  snapshot.bench = result.bench;
  snapshot.observed = result.observed;
  snapshot.time = result.card_time;
  snapshot.total = result.card_time;
  snapshot.ended = true;
  for (std::uint32_t port = 0; port < result.ports.size(); ++port) {
    const PortResult& counted = result.ports[port];
    if (counted.tx_frames + counted.rx_frames == 0) continue;
    snapshot.ports.push_back(portOf(port, counted));
  }
  // Software sees messages, not the marks and the order of frames.
  const bool sees_frames = result.observed != ObservationPoint::kEndpointSoftware;
  std::uint64_t ce = 0;
  for (std::size_t i = 0; i < result.streams.size(); ++i) {
    ++snapshot.flow_count;
    ce += result.streams[i].ce;
    if (snapshot.flows.size() >= TrialSnapshot::kMaxFlows) continue;
    snapshot.flows.push_back(flowOf(spec.streams.at(i), result.streams[i], sees_frames));
  }
  if (sees_frames && !result.streams.empty()) snapshot.congestion.ce_received = ce;
  stats::Histogram latency;
  for (const GroupLatency& group : result.latency) latency.merge(group.histogram);
  snapshot.latency = std::move(latency);
  addServingViews(spec, result, snapshot);
  if (!result.fabric) return snapshot;
  const transport::EndpointStats& endpoints = result.fabric->endpoints;
  if (result.streams.empty()) snapshot.latency = endpoints.latency;
  const fabric::LinkCounters& total = result.fabric->total;
  // Simulated streams are among the endpoints, those of a tester's ports are not.
  const std::uint64_t ce_at_ports = result.ports.empty() ? 0 : ce;
  snapshot.congestion.marked = total.marked;
  snapshot.congestion.dropped = total.dropped();
  snapshot.congestion.trimmed = total.trimmed;
  snapshot.congestion.ce_received = endpoints.ce_received + ce_at_ports;
  snapshot.congestion.cnp_sent = endpoints.cnp_sent;
  snapshot.congestion.cnp_received = endpoints.cnp_received;
  snapshot.congestion.retransmitted = endpoints.retransmitted;
  snapshot.congestion.timeouts = endpoints.timeouts;
  snapshot.fabric_links = result.fabric->fabric_links.value_or(0);
  for (const LinkLoad& load : result.fabric->links) {
    // The live view follows data: a link that only brought PAUSE frames is not in it.
    if (load.packets + load.dropped > 0)
      snapshot.links.push_back(linkOf(load, result.fabric->load_end));
  }
  return snapshot;
}

}  // namespace plumbline::bench
