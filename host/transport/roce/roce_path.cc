// The path of every packet of a RoCE endpoint. Its functions are forced inline: as calls they would
// keep all their variables in memory.
#include <algorithm>
#include <bit>

#include "transport/roce/roce_protocol.h"

namespace plumbline::transport {

void RoceProtocol::receive(const fabric::Packet& packet, Picoseconds now) {
  const auto code = static_cast<std::uint8_t>(packet.opcode & (kRoceCodes - 1));
  const RoceMeaning& meaning = meaningOf(code);
  if (packet.trimmed) {
    ++stats_.trimmed_received;
    return;
  }
  if (meaning.kind == RoceKind::kRequest || meaning.kind == RoceKind::kReadRequest) {
    const std::uint32_t index = openQp(packet.source, packet.connection & kMaxFlow);
    if (connections_) {
      connections_->onRequest(index);
      applyConnections(now);
    }
    onRequest(index, code, packet, now);
  } else if (meaning.kind == RoceKind::kConnection) {
    connections_->onPacket(openQp(packet.source, packet.connection & kMaxFlow), packet.source, code,
                           now);
    applyConnections(now);
  } else {
    const std::uint32_t index = table_.find(packet.connection);
    if (index == kNone) return;  // an answer to nothing
    if (meaning.kind == RoceKind::kAck) onAck(index, packet, now);
    if (meaning.kind == RoceKind::kReadResponse) onReadResponse(index, meaning, packet, now);
    if (meaning.kind == RoceKind::kCnp) onCnp(index, now);
  }
  updateWake();
}

[[gnu::always_inline]] inline void RoceProtocol::onRequest(std::uint32_t index, std::uint8_t code,
                                                           const fabric::Packet& packet,
                                                           Picoseconds now) {
  Qp& qp = qps_[index];
  const RoceMeaning& meaning = meaningOf(code);
  const bool read = meaning.kind == RoceKind::kReadRequest;
  if (!read) countArrival(qp, index, packet, now);
  if (meaning.uc) {
    onUcRequest(qp, meaning, packet, now);
    return;
  }
  const PacketNumber number = numberOf(packet.psn, spec_.first_psn, qp.expected);
  if (number > qp.expected) {
    onEarly(qp, index, number, code, packet);
    return;
  }
  if (number < qp.expected) {
    if (read) {
      addJob(qp, index, number, packet.extra, true, now);
    } else {
      ++stats_.duplicates;
      queueAck(qp, index);
    }
    return;
  }
  qp.nak_sent = false;
  qp.nak_wanted = false;
  accept(qp, index, meaning, packet.aux, packet.extra, now);
  const bool drained = qp.reorder != kNone && drain(qp, index, now);
  if (drained || (!read && DataInfo::unpack(packet.extra).ack_request)) queueAck(qp, index);
}

bool RoceProtocol::transmit(Picoseconds now, fabric::PriorityMask paused, fabric::Packet& packet) {
  const auto allowed = [paused](std::uint8_t priority) { return (paused >> priority & 1U) == 0; };
  if (!cnps_.empty() && allowed(spec_.cnp_priority)) {
    transmitCnp(packet);
    updateWake();
    return true;
  }
  if (connections_ && transmitConnection(paused, packet)) {
    updateWake();
    return true;
  }
  bool sent = !acks_.empty() && allowed(spec_.ack_priority) && transmitAck(packet);
  if (!sent && allowed(spec_.data_priority)) sent = transmitData(now, packet);
  updateWake();
  return sent;
}

[[gnu::always_inline]] inline bool RoceProtocol::transmitData(Picoseconds now,
                                                              fabric::Packet& packet) {
  while (!ready_.empty()) {
    const std::uint32_t index = ready_.front();
    ready_.pop();
    Qp& qp = qps_[index];
    qp.state = Qp::State::kIdle;
    if (qp.eligible > now) {  // a CNP came since
      schedule(index, now);
      continue;
    }
    if (emit(qp, index, now, packet)) {
      // Not before the wire is free again, so that a QP at line rate stays in the round.
      schedule(index, now + clock_.slot(packet.length));
      return true;
    }
  }
  return false;
}

// The QP's next frame; false if it has none.
[[gnu::always_inline]] inline bool RoceProtocol::emit(Qp& qp, std::uint32_t index, Picoseconds now,
                                                      fabric::Packet& packet) {
  if (qp.job_head != kNone) {
    emitResponse(qp, index, now, packet);
    return true;
  }
  if (qp.failed) return false;
  if (qp.lost != 0 && emitLost(qp, index, now, packet)) return true;
  return emitRequest(qp, index, now, packet);
}

[[gnu::always_inline]] inline bool RoceProtocol::emitRequest(Qp& qp, std::uint32_t index,
                                                             Picoseconds now,
                                                             fabric::Packet& packet) {
  if (qp.cursor == kNone || qp.next - qp.acknowledged >= window_) return false;
  const OpenMessage& message = messages_[qp.cursor];
  qp.next += fillRequest(qp, index, message, qp.next, now, packet);
  qp.highest = std::max(qp.highest, qp.next);
  const bool ended = qp.next == message.end;
  if (ended) qp.cursor = message.following;
  finishData(qp, now, packet);
  if (spec_.service == RoceService::kUc) {
    qp.acknowledged = qp.next;
    if (ended) completeHead(qp, false, now);
  }
  return true;
}

// Fills in the request packet `number` of `message`; returns how many packet numbers it takes.
[[gnu::always_inline]] inline std::uint32_t RoceProtocol::fillRequest(Qp& qp, std::uint32_t index,
                                                                      const OpenMessage& message,
                                                                      PacketNumber number,
                                                                      Picoseconds now,
                                                                      fabric::Packet& packet) {
  const PacketNumber place = number - message.first;
  const std::uint64_t offset = static_cast<std::uint64_t>(place) << mtu_shift_;
  if (message.verb == Verb::kRead) return fillRead(qp, index, message, number, now, packet);
  const bool last = number + 1 == message.end;
  const auto payload =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(message.bytes - offset, spec_.path_mtu));
  const bool again = number < qp.highest;
  const bool reliable = spec_.service == RoceService::kRc;
  const bool closes_window = number + 1 - qp.acknowledged >= window_;
  const bool ask = reliable && (last || endsInterval(number) || closes_window);
  fillData(qp, requestCode(spec_.service, message.verb, place == 0, last), payload, ask, number,
           now, packet);
  packet.aux = message.tag;
  qp.first_sent = std::min(qp.first_sent, now);
  ++stats_.data_sent;
  stats_.bytes_sent += packet.length;
  stats_.retransmitted += again ? 1 : 0;
  qp.packets_retransmitted += again ? 1 : 0;
  if (again) stats_.first_resent = std::min(stats_.first_resent, now);
  if (ask) {
    qp.awaited = std::max(qp.awaited, number);
    if (qp.deadline == kNever) startTimer(qp, index, now);
  }
  return 1;
}

// Sends one packet that a selective NAK reported missing.
bool RoceProtocol::emitLost(Qp& qp, std::uint32_t index, Picoseconds now, fabric::Packet& packet) {
  while (qp.lost != 0) {
    const PacketNumber number = qp.lost_base + std::countr_zero(qp.lost);
    qp.lost &= qp.lost - 1;
    if (number < qp.acknowledged || number >= qp.next) continue;
    const OpenMessage& message = messages_[messageOf(qp, number)];
    // Only the first number of a READ's request travels towards the responder.
    if (message.verb == Verb::kRead && (number - message.first) % kMaxReadPackets != 0) continue;
    fillRequest(qp, index, message, number, now, packet);
    startTimer(qp, index, now);
    finishData(qp, now, packet);
    return true;
  }
  return false;
}

}  // namespace plumbline::transport
