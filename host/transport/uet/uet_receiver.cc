#include "transport/uet/uet_receiver.h"

#include <algorithm>

namespace plumbline::transport {
namespace {

constexpr std::uint32_t kClosedPdc = 0xFFFFFFFE;  // in by_pdc_: closed a moment ago

}  // namespace

UetReceiver::UetReceiver(UetHost& host)
    : host_(host),
      service_(host.spec().service),
      has_pdc_(usesPdcs(service_)),
      fast_path_(service_ == UetService::kRud && !usesCredit(effectiveControl(host.spec()))),
      write_frame_(unpaddedFrame(host.spec(), dataType(host.spec()), kSesStandard, 0)),
      response_frame_(unpaddedFrame(host.spec(), dataType(host.spec()), kSesResponseData, 0)),
      frame_excess_(static_cast<std::int32_t>(write_frame_) -
                    static_cast<std::int32_t>(
                        nominalSize(host.spec(), dataType(host.spec()), kSesStandard, 0))),
      moves_window_(movesWindow(effectiveControl(host.spec()))),
      credit_(usesCredit(effectiveControl(host.spec()))),
      rules_{.ack_delay = host.spec().ack_delay,
             .ack_trigger_bytes = host.spec().ack_per_packet ? 0 : host.spec().ack_trigger_bytes,
             .ack_min_add_bytes = host.spec().ack_min_add_bytes,
             .mp_range = host.spec().mp_range,
             .receiver_penalty = host.spec().receiver_penalty,
             .ack_on_ecn = host.spec().ack_on_ecn},
      pacer_(host.context().rate, host.spec().rccc.grant, host.spec().rccc.pace) {}

// Of a packet that is not the next one, or with others above it.
inline bool UetReceiver::acceptAmongGaps(Target& target, const fabric::Packet& packet,
                                         std::uint64_t psn, Picoseconds now) {
  if (psn > target.cack + rules_.mp_range && !acceptOutOfRange(target, packet, psn, now))
    return false;
  const std::uint64_t data = isData(packet) ? 1 : 0;
  if (psn <= target.cack ||
      (psn <= target.highest && target.above > 0 && target.received.test(psn))) {
    host_.stats().duplicates += data;
    return false;
  }
  // Of a service without recovery a missing packet may never come, so late ones are counted, as
  // RoCE counts them of UC.
  const bool out_of_order =
      service_ == UetService::kUud ? psn < target.highest : psn != target.cack + 1;
  if (out_of_order) host_.stats().out_of_order += data;
  // 64 more than are in use, for a SACK bitmap that begins at the highest.
  target.highest = std::max(target.highest, psn);
  target.received.reserve(target.cack, target.highest - target.cack + 64);
  target.received.set(psn);
  ++target.above;
  target.unreported_min = std::min(target.unreported_min, psn);
  target.unreported_max = std::max(target.unreported_max, psn);
  advance(target);
  return true;
}

// Packet `psn`, the `index`-th of its message, has `payload` bytes. Returns the bytes of the
// message if that completes it.
template <bool kFastPath>
inline std::optional<std::uint64_t> UetReceiver::gather(Target& target, std::uint64_t psn,
                                                        std::uint32_t index, bool last,
                                                        std::uint32_t payload) {
  if (last && index == 0) return payload;
  const std::uint64_t first = psn - index;
  if (!kFastPath && service_ == UetService::kUud && first <= target.gap && target.gap < psn) {
    return std::nullopt;
  }
  Reassembly& message = target.newest;
  if (message.first != first || message.packets == 0) renew(target, first);
  ++message.packets;
  message.bytes += payload;
  if (last) message.total = index + 1;
  if (message.packets != message.total) return std::nullopt;
  const std::uint64_t bytes = message.bytes;
  message = {};
  if (!target.older.empty()) {
    message = target.older.back();
    target.older.pop_back();
  }
  return bytes;
}

template <bool kFastPath>
inline void UetReceiver::onDataOf(const fabric::Packet& packet, Picoseconds now) {
  const UetService service = kFastPath ? UetService::kRud : service_;
  const bool has_pdc = kFastPath || has_pdc_;
  const bool trimmed = !kFastPath && packet.trimmed;
  const bool close_command = !kFastPath && pdsType(packet.opcode) == PdsType::kControl;
  const DataFields fields = unpackData(packet.extra, has_pdc);
  const bool read_request = !fields.response && static_cast<Verb>(fields.verb) == Verb::kRead;
  const bool data = !close_command && !read_request;
  EndpointStats& stats = host_.stats();
  if (trimmed) {
    ++stats.trimmed_received;
  } else if (data) {
    ++stats.data_received;
    stats.ce_received += packet.ce ? 1 : 0;
    host_.recordLatency(packet, now);
  }

  std::uint32_t slot = kFastPath ? findPdc(packet) : find(packet);
  if (slot >= kClosedPdc) slot = openFor(packet, now);
  if (slot == IdMap::kNone) return;
  Target& target = targets_[slot];
  if (packet.ce && data) ++target.ce_received;
  if (!kFastPath && credit_ && !close_command) {
    pacer_.request(target.peer, fields.credit_target, false);
    pace(now);
  }
  target.last_activity = now;
  const std::uint64_t psn = unwrapPsn(packet.psn, target.cack);
  // The source has given up all packets before the oldest one that a RUDI packet names.
  if (service == UetService::kRudi) slide(target, psn - fields.psn_offset - 1);
  if (trimmed) {
    onTrimmed(target, packet, psn, now);
    return;
  }

  const bool accepted = service == UetService::kRod ? acceptOrdered(target, packet, psn, now)
                                                    : acceptAny(target, packet, psn, now);
  if (!accepted && psn > target.cack &&
      (service == UetService::kRod || psn > target.cack + rules_.mp_range)) {
    return;  // discarded
  }
  target.marked |= packet.ce;
  if (service == UetService::kRudi) respond(target, psn, fields.retx, packet.ce, now);
  if (!accepted) {
    // A duplicate is answered at once: its ACK may have been lost.
    if (has_pdc) acknowledge(target, psn, fields.retx, now);
    return;
  }
  if (close_command) {
    acknowledge(target, psn, fields.retx, now);
    close(slot);
    forgetClosedPdcs(now);
    const std::uint32_t key = std::uint32_t{packet.source} << 16 | (packet.connection & 0xFFFF);
    by_pdc_.set(key, kClosedPdc);
    closed_pdcs_.push({key, now + host_.spec().linger});
    return;
  }

  const std::uint32_t frame = fields.response ? response_frame_ : write_frame_;
  const std::uint32_t payload = read_request ? 0 : packet.length - frame;
  target.received_bytes +=
      static_cast<std::uint32_t>(static_cast<std::int32_t>(frame + payload) - frame_excess_);
  if (!kFastPath && credit_) {
    stats.credited_bytes +=
        static_cast<std::uint32_t>(static_cast<std::int32_t>(frame + payload) - frame_excess_);
  }
  target.payload += payload;
  if (payload > 0) target.last_done = now;
  stats.payload_received += payload;
  if (const auto bytes = gather<kFastPath>(target, psn, fields.index, fields.last, payload)) {
    deliver(target, packet, *bytes);
  }
  if (!has_pdc) return;

  const bool first = target.ack_bytes == 0;
  target.ack_bytes += std::max(payload, rules_.ack_min_add_bytes);
  target.last_psn = psn;
  target.last_retx = fields.retx;
  target.last_arrival = now;
  if (fields.ack_request || (packet.ce && rules_.ack_on_ecn) ||
      target.ack_bytes >= rules_.ack_trigger_bytes) {
    acknowledge(target, psn, fields.retx, now);
  } else if (first && rules_.ack_delay > Picoseconds(0)) {
    const Picoseconds due = now + rules_.ack_delay;
    if (late_acks_.empty()) next_late_ack_ = due;
    late_acks_.push({due, slot, target.generation, target.acks});
  }
}

void UetReceiver::onData(const fabric::Packet& packet, Picoseconds now) {
  if (fast_path_ && !packet.trimmed && pdsType(packet.opcode) != PdsType::kControl) {
    onDataOf<true>(packet, now);
  } else {
    onDataOf<false>(packet, now);
  }
}

void UetReceiver::onCreditRequest(const fabric::Packet& packet, Picoseconds now) {
  if (!credit_) return;
  pacer_.request(peerOf(packet.source), static_cast<std::uint32_t>(packet.extra), true);
  pace(now);
}

void UetReceiver::pace(Picoseconds now) {
  while (const auto grant = pacer_.next(now)) {
    const HostId peer = peers_[grant->source];
    fabric::Packet& packet = host_.queueControl(peer, PdsType::kControl, 0, now);
    packet.flow_hash = uetFlowHash(host_.context().self, peer, 0);
    packet.aux = static_cast<std::uint32_t>(ControlType::kCredit);
    packet.extra = grant->credit;
    ++host_.uetStats().credits_sent;
    host_.stats().credit_granted += grant->bytes;
  }
}

// ---- Targets ----

// For a packet that belongs to no target. Returns kNone if it is not to open one; then it has been
// answered.
std::uint32_t UetReceiver::openFor(const fabric::Packet& packet, Picoseconds now) {
  const DataFields fields = unpackData(packet.extra, has_pdc_);
  if (!has_pdc_) return open(packet, fields, now);
  forgetClosedPdcs(now);
  if (find(packet) == kClosedPdc) {
    // Late copies of a PDC that is closed. A CLOSE_CMD means that its ACK was lost.
    host_.stats().duplicates += isData(packet) ? 1 : 0;
    if (pdsType(packet.opcode) == PdsType::kControl) {
      fabric::Packet& ack = host_.queueControl(packet.source, PdsType::kAck, kSesResponse, now);
      ack.opcode = uetOpcode(PdsType::kAck, answerFlags(false, fields.retx));
      ack.flow_hash = answerHash(packet.source, packet.psn);
      ack.connection = packet.connection;
      ack.psn = packet.psn;
      ++host_.uetStats().acks_sent;
    } else {
      nack(packet, NackCode::kClosing, packet.psn, now);
    }
    return IdMap::kNone;
  }
  if (!fields.syn) {
    host_.stats().discarded += isData(packet) ? 1 : 0;
    nack(packet, NackCode::kInvalidDpdcid, packet.psn, now);
    return IdMap::kNone;
  }
  // Read data arrives on the return direction of an existing PDC, to which the limit does not
  // apply.
  if (!fields.response && open_ >= host_.spec().max_pdcs) {
    host_.stats().discarded += isData(packet) ? 1 : 0;
    ++host_.uetStats().targets_refused;
    nack(packet, NackCode::kNoPdcAvailable, packet.psn, now);
    return IdMap::kNone;
  }
  return open(packet, fields, now);
}

std::uint32_t UetReceiver::open(const fabric::Packet& packet, const DataFields& fields,
                                Picoseconds now) {
  std::uint32_t slot = static_cast<std::uint32_t>(targets_.size());
  if (free_.empty()) {
    targets_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  Target& target = targets_[slot];
  const auto flow = static_cast<std::uint8_t>(packet.connection >> 16);
  const std::uint32_t flow_key = flowKey(packet.source, flow);
  std::uint32_t statistics = flow_of_.find(flow_key);
  if (statistics == IdMap::kNone) {
    statistics = static_cast<std::uint32_t>(flows_.size());
    flows_.emplace_back();
    flows_.back().peer = packet.source;
    flows_.back().flow = flow;
    flow_of_.set(flow_key, statistics);
  }
  // Any 64-bit number with the right low half will do; far enough from zero to count down.
  const std::uint64_t psn = std::uint64_t{packet.psn} + (std::uint64_t{1} << 32);
  target.cack = target.highest = psn - fields.psn_offset - 1;
  target.unreported_min = ~std::uint64_t{0};
  target.unreported_max = 0;
  target.received_bytes = target.payload = target.ce_received = target.gap = 0;
  target.last_activity = now;
  target.ack_bytes = target.above = 0;
  ++target.generation;
  target.peer = peerOf(packet.source);
  target.statistics = statistics;
  target.source = packet.source;
  target.id = static_cast<std::uint16_t>(packet.connection);
  target.flow = flow;
  target.open = true;
  target.marked = target.nacked = false;
  target.received.clear();
  target.newest = {};
  target.older.clear();
  target.last_done = {};
  target.returning = fields.response;
  if (!target.returning) {
    ++open_;
    UetStats& stats = host_.uetStats();
    ++stats.targets_opened;
    stats.max_open_targets = std::max<std::uint64_t>(stats.max_open_targets, open_);
  }
  if (has_pdc_) {
    by_pdc_.set(std::uint32_t{target.source} << 16 | target.id, slot);
  } else {
    by_flow_.set(flow_key, slot);
  }
  const Picoseconds expiry = expiryOf(target);
  if (!target.expiry_timer && expiry != kNever) {
    target.expiry_timer = true;
    host_.setTimer(expiry, UetTimer::kTargetExpiry, slot, 0);
  }
  return slot;
}

// Adds the target's counts.
void UetReceiver::count(const Target& target, FlowStats& flow) const {
  flow.payload_received += target.payload;
  flow.ce_received += target.ce_received;
  flow.last_done = std::max(flow.last_done, target.last_done);
  if (service_ == UetService::kUud) flow.passed = static_cast<std::uint32_t>(target.highest);
}

void UetReceiver::close(std::uint32_t slot) {
  Target& target = targets_[slot];
  count(target, flows_[target.statistics]);
  target.payload = target.ce_received = 0;
  target.open = false;
  if (!target.returning) --open_;
  free_.push_back(slot);
}

// A living source closes its PDC when it has been idle for `close_after`.
Picoseconds UetReceiver::expiryOf(const Target& target) const {
  const UetSpec& spec = host_.spec();
  if (!has_pdc_) return target.last_activity + spec.target_expiry;
  if (spec.close_after == kNever) return kNever;
  return target.last_activity + spec.close_after + spec.target_expiry;
}

void UetReceiver::onExpiry(const UetTimerEntry& timer, Picoseconds now) {
  Target& target = targets_[timer.index];
  target.expiry_timer = false;
  if (!target.open) return;
  const Picoseconds expiry = expiryOf(target);
  if (now < expiry) {
    target.expiry_timer = true;
    host_.setTimer(expiry, UetTimer::kTargetExpiry, timer.index, 0);
    return;
  }
  if (has_pdc_) {
    by_pdc_.erase(std::uint32_t{target.source} << 16 | target.id);
  } else {
    by_flow_.erase(flowKey(target.source, target.flow));
  }
  close(timer.index);
}

void UetReceiver::forgetClosedPdcs(Picoseconds now) {
  while (!closed_pdcs_.empty() && closed_pdcs_.front().until <= now) {
    by_pdc_.erase(closed_pdcs_.front().key);
    closed_pdcs_.pop();
  }
}

std::uint32_t UetReceiver::peerOf(HostId host) {
  const std::uint32_t found = peer_of_.find(host);
  if (found != IdMap::kNone) return found;
  const auto index = static_cast<std::uint32_t>(peers_.size());
  peers_.push_back(host);
  peer_of_.set(host, index);
  return index;
}

// ---- Packets ----

void UetReceiver::onTrimmed(Target& target, const fabric::Packet& packet, std::uint64_t psn,
                            Picoseconds now) {
  if (service_ == UetService::kUud) return;
  const bool retx = unpackData(packet.extra, has_pdc_).retx;
  const bool held = psn <= target.cack ||
                    (target.above > 0 && psn <= target.highest && target.received.test(psn));
  if (held) {
    host_.stats().duplicates += isData(packet) ? 1 : 0;
    if (service_ == UetService::kRudi) {
      respond(target, psn, retx, packet.ce, now);
    } else {
      acknowledge(target, psn, retx, now);
    }
    return;
  }
  const NackCode code = packet.trimmed_last_hop ? NackCode::kTrimmedLastHop : NackCode::kTrimmed;
  if (service_ != UetService::kRod) {
    nack(packet, code, packet.psn, now);
  } else if (const bool expected = psn == target.cack + 1; expected || !target.nacked) {
    target.nacked = true;
    nack(packet, expected ? code : NackCode::kRodOutOfOrder,
         static_cast<std::uint32_t>(target.cack + 1), now);
  }
}

bool UetReceiver::acceptOrdered(Target& target, const fabric::Packet& packet, std::uint64_t psn,
                                Picoseconds now) {
  if (psn <= target.cack) {
    host_.stats().duplicates += isData(packet) ? 1 : 0;
    return false;
  }
  if (psn != target.cack + 1) {
    const std::uint64_t data = isData(packet) ? 1 : 0;
    host_.stats().out_of_order += data;
    host_.stats().discarded += data;
    if (!target.nacked) {
      target.nacked = true;
      nack(packet, NackCode::kRodOutOfOrder, static_cast<std::uint32_t>(target.cack + 1), now);
    }
    return false;
  }
  target.nacked = false;
  target.cack = target.highest = psn;
  return true;
}

// For a packet above CACK_PSN and outside the window: whether it may be accepted after all.
bool UetReceiver::acceptOutOfRange(Target& target, const fabric::Packet& packet, std::uint64_t psn,
                                   Picoseconds now) {
  if (service_ == UetService::kUud) {
    slide(target, psn - rules_.mp_range);
    return true;
  }
  host_.stats().discarded += isData(packet) ? 1 : 0;
  nack(packet, NackCode::kPsnOutOfWindow, packet.psn, now);
  return false;
}

// UUD: gives up the missing packets up to `cack`, and their messages.
void UetReceiver::slide(Target& target, std::uint64_t cack) {
  while (target.cack < cack) {
    const std::uint64_t psn = target.cack + 1;
    if (target.above == 0 && cack - target.cack > host_.spec().mp_range) {
      // All packets up to there are missing.
      target.gap = cack;
      target.newest = {};
      target.older.clear();
      target.cack = target.highest = cack;
      return;
    }
    if (target.above > 0 && target.received.test(psn)) {
      target.received.reset(psn);
      --target.above;
    } else {
      target.gap = psn;
      const auto lacks = [psn](const Reassembly& m) {
        return m.first <= psn && (m.total == 0 || psn < m.first + m.total);
      };
      if (lacks(target.newest)) target.newest = {};
      std::erase_if(target.older, lacks);
    }
    target.cack = psn;
  }
  target.highest = std::max(target.highest, target.cack);
  advance(target);
}

void UetReceiver::renew(Target& target, std::uint64_t first) {
  Reassembly message{first, 0, 0, 0};
  const auto begun = std::find_if(target.older.begin(), target.older.end(),
                                  [first](const Reassembly& m) { return m.first == first; });
  if (begun != target.older.end()) {
    message = *begun;
    target.older.erase(begun);
  }
  if (target.newest.packets > 0) target.older.push_back(target.newest);
  target.newest = message;
}

// `packet` is the one that completed a message of `bytes`.
void UetReceiver::deliver(const Target& target, const fabric::Packet& packet, std::uint64_t bytes) {
  const DataFields fields = unpackData(packet.extra, has_pdc_);
  UetDelivery delivery;
  delivery.from = target.source;
  delivery.flow = target.flow;
  delivery.verb = static_cast<Verb>(fields.verb);
  delivery.response = fields.response;
  delivery.read_request = delivery.verb == Verb::kRead && !fields.response;
  delivery.bytes = delivery.read_request ? packet.aux : bytes;
  delivery.tag = delivery.read_request ? packet.psn : packet.aux;
  // If a message's packets arrived out of order, `packet` need not be the last one.
  const std::uint64_t mtu = host_.spec().mtu_payload;
  delivery.number = packet.psn - fields.index + static_cast<std::uint32_t>((bytes - 1) / mtu);
  deliveries_.push_back(delivery);
}

void UetReceiver::appendFlows(std::vector<FlowStats>& flows) const {
  const std::size_t first = flows.size();
  flows.insert(flows.end(), flows_.begin(), flows_.end());
  for (const Target& target : targets_) {
    if (target.open) count(target, flows[first + target.statistics]);
  }
}

}  // namespace plumbline::transport
