// What some packets need: buffer that others have released, trimming, marking, credits, control
// frames.
#include "fabric/switch/egress_drain.h"
#include "fabric/switch/switch_node.h"

namespace plumbline::fabric {

std::int64_t SwitchNode::queuedBytes(LinkId link) {
  EgressPort& egress = egress_[links_[link].from_port];
  advance(egress, now_);
  return egress.account.bytes;
}

void SwitchNode::dropUnrouted(const ArrivalBatch::Arrival& arrival, Picoseconds now) {
  const Packet& packet = *arrival.packet;
  egress_[arrival.ingress].transmitter.drop(packet, DropReason::kNoRoute, now);
  const unsigned priority = packet.priority;
  if ((credited_ >> priority & 1U) == 0) return;
  credits_.arrive(arrival.ingress, priority, packet.length);
  freeCredits(arrival.ingress, credits_.channelOf(priority), credits_.creditsFor(packet.length),
              packet.length, now);
}

// A frame of a priority with credits, or one whose queue the watchdog discards.
void SwitchNode::admitCreditedOrDiscard(EgressPort& egress, std::uint32_t ingress,
                                        const Packet& packet, Picoseconds now) {
  const unsigned priority = packet.priority;
  if ((egress.discarding >> priority & 1U) != 0) {
    egress.transmitter.drop(packet, DropReason::kWatchdog, now);
    return;
  }
  credits_.arrive(ingress, priority, packet.length);
  SwitchBuffer::chargeAlways(egress.account, packet.length);
  enqueue(egress, packet, ingress, Charge::kCredit, egress.queues[priority].bytes, now);
}

// A lossy frame for which there seems to be no room: frames of other ports that have left may still
// be counted. If there is none, it is trimmed or dropped.
void SwitchNode::admitOrRefuse(EgressPort& egress, std::uint32_t ingress, const Packet& packet,
                               Picoseconds now) {
  const std::int64_t depth = egress.queues[packet.priority].bytes;
  bool fits = buffer_.fits(egress.account, depth, packet.length);
  if (!fits && buffer_.isShared()) {
    advanceEverything(now);
    fits = buffer_.fits(egress.account, depth, packet.length);
  }
  if (rules_.admits(packet, depth, fits)) {
    buffer_.chargeEgress(egress.account, packet.length);
    enqueue(egress, packet, ingress, Charge::kEgress, depth, now);
  } else if (rules_.mayTrim(packet)) {
    trim(egress, ingress, packet, now);
  } else {
    egress.transmitter.drop(packet, fits ? DropReason::kTrimmedFull : DropReason::kBufferFull, now);
  }
}

bool SwitchNode::needsHeadroom(std::uint32_t ingress, unsigned priority, std::int64_t length,
                               Picoseconds now) {
  advanceEverything(now);
  if (!buffer_.overXoff(ingress, priority, length)) return false;
  requestPause(ingress, priority, true, now);
  return buffer_.sharedFull(length);
}

void SwitchNode::trim(EgressPort& egress, std::uint32_t ingress, Packet packet, Picoseconds now) {
  const std::int64_t depth = egress.queues[packet.priority].bytes;
  rules_.trim(packet, host_ports_[egress.number]);
  ++egress.transmitter.counters().trimmed;
  recorder().note({.time = now,
                   .link = egress.transmitter.id(),
                   .kind = RecordKind::kTrim,
                   .priority = packet.priority,
                   .value = depth,
                   .packet = packet});
  ArrivalBatch::Arrival arrival{&packet, static_cast<std::uint16_t>(ingress), egress.number};
  EgressDrain<StoredState>(*this, egress).admit(0, arrival, now);
}

void SwitchNode::recordMark(const EgressPort& egress, const Packet& packet, std::int64_t depth,
                            Picoseconds now) {
  recorder().note({.time = now,
                   .link = egress.transmitter.id(),
                   .kind = RecordKind::kMark,
                   .priority = packet.priority,
                   .value = depth,
                   .packet = packet});
}

// Sends a PAUSE frame, an LLR replay or a CC_Update, which go before all queued frames.
void SwitchNode::sendUrgent(EgressPort& egress, Picoseconds now) {
  if (egress.pause_enabled != 0) {
    egress.transmitter.sendPause({.at = {},
                                  .enabled = egress.pause_enabled,
                                  .xoff = egress.pause_xoff,
                                  .value = spec_.pfc->quanta},
                                 now);
    egress.pause_enabled = 0;
  } else if (egress.transmitter.replayAt() <= now) {
    egress.transmitter.replay(now);
  } else {
    sendConsumed(egress, now);
  }
}

}  // namespace plumbline::fabric
