#include "bench/sim/fabric_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace plumbline::bench {

using fabric::RecordKind;

FabricWatch::FabricWatch(fabric::Fabric& fabric)
    : topology_(fabric.topology()),
      links_(topology_.links().size()),
      fabric_links_(topology_.fabricLinks()) {
  fabric.observe(*this);
}

std::uint32_t FabricWatch::interests() const {
  return bit(RecordKind::kDeparture) | bit(RecordKind::kDrop) | bit(RecordKind::kMark) |
         bit(RecordKind::kTrim) | bit(RecordKind::kPaused) | bit(RecordKind::kResumed);
}

void FabricWatch::onRecord(const fabric::Record& record) {
  Counts& link = links_[record.link];
  switch (record.kind) {
    case RecordKind::kDeparture:
      ++link.packets;
      link.bytes += record.packet.length;
      link.queue_bytes = static_cast<std::uint64_t>(record.value);
      link.max_queue_bytes = std::max(link.max_queue_bytes, link.queue_bytes);
      link.last_first_bit = record.time;
      link.last_bytes = record.packet.length;
      break;
    case RecordKind::kDrop:
      ++link.dropped;
      ++dropped_;
      break;
    case RecordKind::kMark:
      ++link.marked;
      ++marked_;
      break;
    case RecordKind::kTrim:
      ++trimmed_;
      break;
    case RecordKind::kPaused:
      ++link.paused[record.priority].count;
      pausing_.try_emplace({record.link, record.priority}, record.time);
      break;
    case RecordKind::kResumed: {
      const auto open = pausing_.find({record.link, record.priority});
      if (open == pausing_.end()) break;
      link.paused[record.priority].time += record.time - open->second;
      if (ended_count_++ < TrialSnapshot::kMaxPauses) {
        ended_.push_back({open->first, open->second, record.time});
      }
      pausing_.erase(open);
      break;
    }
    default:
      break;
  }
}

void FabricWatch::keep(const Queue& queue, Picoseconds from, Picoseconds until, bool open,
                       TrialSnapshot& snapshot) const {
  if (snapshot.pauses.size() >= TrialSnapshot::kMaxPauses) return;
  snapshot.pauses.push_back({{topology_.linkName(queue.first), queue.second, from, until}, open});
}

double FabricWatch::pending(const Counts& counts, BitRate rate, std::uint64_t slot,
                            Picoseconds now) {
  if (counts.packets == 0) return 0;
  const double passed =
      (now - counts.last_first_bit).toSeconds() * static_cast<double>(rate.bitsPerSecond()) / 8;
  return std::clamp(static_cast<double>(slot) - passed, 0.0, static_cast<double>(slot));
}

void FabricWatch::look(Picoseconds now, TrialSnapshot& snapshot) {
  for (fabric::LinkId id = 0; id < links_.size(); ++id) {
    Counts& counts = links_[id];
    if (counts.packets + counts.dropped == 0) continue;
    const fabric::Link& link = topology_.links()[id];
    LinkSnapshot& one = snapshot.links.emplace_back();
    one.name = topology_.linkName(id);
    one.rate = link.rate;
    one.between_switches = topology_.joinsSwitches(id);
    one.packets = counts.packets;
    one.bytes = counts.bytes;
    one.dropped = counts.dropped;
    one.marked = counts.marked;
    one.queue_bytes = counts.queue_bytes;
    one.max_queue_bytes = std::exchange(counts.max_queue_bytes, counts.queue_bytes);
    // A frame's slot on the wire, with preamble and gap, is taken to begin with its first bit, so
    // that slots do not overlap and the first one does not begin before the trial.
    const auto overhead = static_cast<std::uint64_t>(kWireOverheadBytes.count());
    const double slots = static_cast<double>(counts.bytes + counts.packets * overhead) -
                         pending(counts, link.rate, counts.last_bytes + overhead, now);
    one.busy =
        Picoseconds(std::llround(slots * 8e12 / static_cast<double>(link.rate.bitsPerSecond())));
  }
  snapshot.fabric_links = fabric_links_;
  for (const Ended& pause : ended_) keep(pause.queue, pause.from, pause.until, false, snapshot);
  for (const auto& [queue, since] : pausing_) keep(queue, since, now, true, snapshot);
  snapshot.pause_count = ended_count_ + pausing_.size();
  ended_.clear();
  ended_count_ = 0;
  snapshot.congestion.dropped = dropped_;
  snapshot.congestion.marked = marked_;
  snapshot.congestion.trimmed = trimmed_;
}

PortSnapshot FabricWatch::port(fabric::HostId host, Picoseconds now) const {
  const fabric::LinkId out = topology_.nodes()[topology_.hosts().at(host)].out_links.at(0);
  const fabric::LinkId in = fabric::reverse(out);
  const Counts& sent = links_[out];
  const Counts& received = links_[in];
  PortSnapshot port;
  port.port = host;
  port.tx_frames = sent.packets;
  port.tx_bytes = sent.bytes;
  port.rx_frames = received.packets;
  port.rx_bytes = received.bytes;
  port.tx_pending = pending(sent, topology_.links()[out].rate, sent.last_bytes, now);
  port.rx_pending = pending(received, topology_.links()[in].rate, received.last_bytes, now);
  port.paused = sent.paused;
  for (const auto& [queue, since] : pausing_) {
    if (queue.first == out) port.paused[queue.second].time += now - since;
  }
  return port;
}

namespace {

void inspectStreams(const TrialSpec& spec, const SimHosts& hosts, TrialSnapshot& snapshot) {
  const std::vector<transport::StreamOutcome> outcomes = hosts.streamOutcomes();
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const StreamSpec& stream = spec.streams[hosts.streams()[i]];
    const transport::StreamReceived& received = outcomes[i].received;
    ++snapshot.flow_count;
    if (snapshot.flows.size() >= TrialSnapshot::kMaxFlows) continue;
    FlowSnapshot& flow = snapshot.flows.emplace_back();
    flow.name = stream.name;
    flow.from = stream.from;
    flow.to = stream.to;
    flow.sent_frames = outcomes[i].sent.frames;
    flow.received_frames = received.frames;
    flow.received_bytes = received.bytes;
    flow.lost = received.lostForGood();
    flow.out_of_order = received.out_of_order;
    flow.ce = received.ce;
  }
}

// QPs and PDCs: sender and receiver each have their half of the counts.
void inspectConnections(const SimHosts& hosts, TrialSnapshot& snapshot) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t> places;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> beyond;
  for (const fabric::HostId host : hosts.hosts()) {
    for (const transport::FlowStats& half : hosts.flowsOf(host)) {
      const bool sender = half.packets_sent > 0;
      if (!sender && half.payload_received + half.ce_received == 0) continue;
      const std::uint32_t from = sender ? host : half.peer;
      const std::uint32_t to = sender ? half.peer : host;
      const std::tuple key{from, to, half.flow};
      const auto place = places.find(key);
      if (place == places.end() && snapshot.flows.size() >= TrialSnapshot::kMaxFlows) {
        beyond.insert(key);
        continue;
      }
      if (place == places.end()) {
        places.emplace(key, snapshot.flows.size());
        FlowSnapshot& fresh = snapshot.flows.emplace_back();
        fresh.name = fmt::format("host{}>host{}#{}", from, to, half.flow);
        fresh.from = from;
        fresh.to = to;
      }
      FlowSnapshot& flow = snapshot.flows[places.at(key)];
      flow.sent_frames += half.packets_sent;
      flow.retransmitted = flow.retransmitted.value_or(0) + half.packets_retransmitted;
      flow.ce = flow.ce.value_or(0) + half.ce_received;
      flow.received_bytes += half.payload_received;
    }
  }
  snapshot.flow_count += places.size() + beyond.size();
}

}  // namespace

void inspectHosts(const TrialSpec& spec, const SimHosts& hosts, TrialSnapshot& snapshot) {
  transport::EndpointStats all;
  for (const fabric::HostId host : hosts.hosts()) all.merge(hosts.statsOf(host));
  snapshot.congestion.ce_received = all.ce_received;
  snapshot.congestion.cnp_sent = all.cnp_sent;
  snapshot.congestion.cnp_received = all.cnp_received;
  snapshot.congestion.retransmitted = all.retransmitted;
  snapshot.congestion.timeouts = all.timeouts;
  if (spec.workload || spec.serving) {
    inspectConnections(hosts, snapshot);
    snapshot.latency = std::move(all.latency);
  } else {
    inspectStreams(spec, hosts, snapshot);
    stats::Histogram latency;
    for (const GroupLatency& group : hosts.streamLatency()) latency.merge(group.histogram);
    snapshot.latency = std::move(latency);
  }
}

}  // namespace plumbline::bench
