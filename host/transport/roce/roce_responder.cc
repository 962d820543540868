// The responder's half of the RoCE endpoint: packets from the peer's requester, and the answers.
#include <algorithm>

#include "transport/roce/roce_protocol.h"

namespace plumbline::transport {

// The packet `expected` of the QP requests `bytes`.
void RoceProtocol::acceptRead(Qp& qp, std::uint32_t index, std::uint64_t bytes, Picoseconds now) {
  const PacketNumber first = qp.expected;
  qp.expected += static_cast<PacketNumber>((bytes + spec_.path_mtu - 1) >> mtu_shift_);
  addJob(qp, index, first, bytes, false, now);
}

// The last packet of a message has arrived.
void RoceProtocol::deliver(Qp& qp, Verb verb, std::uint32_t tag, Picoseconds now) {
  const std::uint64_t bytes = qp.message_bytes;
  qp.message_bytes = 0;
  if (context_.application == nullptr) return;
  context_.application->onArrival({.from = qp.peer,
                                   .flow = qp.flow,
                                   .verb = verb,
                                   .bytes = bytes,
                                   .tag = tag,
                                   .acknowledged = spec_.service == RoceService::kRc,
                                   .number = static_cast<std::uint32_t>(qp.expected)},
                                  now);
}

// UC delivers whole messages whose packets arrived in order, and discards the others.
void RoceProtocol::onUcRequest(Qp& qp, const RoceMeaning& meaning, const fabric::Packet& packet,
                               Picoseconds now) {
  const PacketNumber number = numberOf(packet.psn, spec_.first_psn, qp.expected);
  if (number < qp.expected) {
    ++stats_.out_of_order;
    ++stats_.discarded;
    return;
  }
  if (number > qp.expected) qp.in_message = false;
  qp.expected = number + 1;
  if (meaning.first) {
    qp.in_message = true;
    qp.message_bytes = 0;
  }
  if (!qp.in_message) {
    ++stats_.discarded;
    return;
  }
  qp.in_message = !meaning.last;
  acceptPayload(qp, meaning, packet.aux, DataInfo::unpack(packet.extra).payload, now);
}

// A packet whose predecessor is missing.
void RoceProtocol::onEarly(Qp& qp, std::uint32_t index, PacketNumber number, std::uint8_t code,
                           const fabric::Packet& packet) {
  const bool data = meaningOf(code).kind == RoceKind::kRequest;
  stats_.out_of_order += data ? 1 : 0;
  if (spec_.recovery == RoceRecovery::kGoBackN) {
    stats_.discarded += data ? 1 : 0;
    if (qp.nak_sent) return;
    qp.nak_sent = true;
    qp.nak_wanted = true;
    queueAck(qp, index);
    return;
  }
  if (number - qp.expected >= static_cast<PacketNumber>(spec_.reorder_packets)) {
    stats_.discarded += data ? 1 : 0;
    return;
  }
  if (qp.reorder == kNone) {
    qp.reorder = buffers_.take();
    buffers_[qp.reorder].slots.resize(spec_.reorder_packets);
  }
  ReorderBuffer& buffer = buffers_[qp.reorder];
  ReorderBuffer::Slot& slot =
      buffer.slots[static_cast<std::uint64_t>(number) & (spec_.reorder_packets - 1)];
  if (slot.present) {
    stats_.duplicates += data ? 1 : 0;
    stats_.out_of_order -= data ? 1 : 0;
  } else {
    slot = {.extra = packet.extra, .aux = packet.aux, .code = code, .present = true};
    ++buffer.count;
  }
  queueAck(qp, index);
}

// Accepts buffered packets that followed the gap that has just been filled; true if there were any.
bool RoceProtocol::drain(Qp& qp, std::uint32_t index, Picoseconds now) {
  ReorderBuffer& buffer = buffers_[qp.reorder];
  bool any = false;
  while (buffer.count > 0) {
    ReorderBuffer::Slot& slot =
        buffer.slots[static_cast<std::uint64_t>(qp.expected) & (spec_.reorder_packets - 1)];
    if (!slot.present) return any;
    slot.present = false;
    --buffer.count;
    any = true;
    accept(qp, index, meaningOf(slot.code), slot.aux, slot.extra, now);
  }
  buffers_.release(qp.reorder);
  qp.reorder = kNone;
  return any;
}

// Bit i: packet expected + i has arrived.
std::uint64_t RoceProtocol::presentBits(const Qp& qp) const {
  const ReorderBuffer& buffer = buffers_[qp.reorder];
  std::uint64_t bits = 0;
  for (unsigned i = 1; i < 64; ++i) {
    const auto number = static_cast<std::uint64_t>(qp.expected) + i;
    const bool present = buffer.slots[number & (spec_.reorder_packets - 1)].present;
    bits |= static_cast<std::uint64_t>(present) << i;
  }
  return bits;
}

// Responses to a READ of `bytes` whose first one is packet `first`.
void RoceProtocol::addJob(Qp& qp, std::uint32_t index, PacketNumber first, std::uint64_t bytes,
                          bool repeated, Picoseconds now) {
  for (std::uint32_t slot = repeated ? qp.job_head : kNone; slot != kNone;
       slot = jobs_[slot].following) {
    if (jobs_[slot].next <= first && first < jobs_[slot].end) return;  // still to come anyway
  }
  const auto packets = static_cast<PacketNumber>((bytes + spec_.path_mtu - 1) >> mtu_shift_);
  const std::uint32_t slot = jobs_.take();
  jobs_[slot] = {.next = first,
                 .end = first + packets,
                 .bytes_left = bytes,
                 .following = kNone,
                 .started = false,
                 .repeated = repeated};
  if (qp.job_head == kNone) {
    qp.job_head = slot;
  } else {
    jobs_[qp.job_tail].following = slot;
  }
  qp.job_tail = slot;
  schedule(index, now);
}

// A response to the oldest READ.
void RoceProtocol::emitResponse(Qp& qp, std::uint32_t index, Picoseconds now,
                                fabric::Packet& packet) {
  ReadJob& job = jobs_[qp.job_head];
  const bool last = job.next + 1 == job.end;
  const auto payload =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(job.bytes_left, spec_.path_mtu));
  fillData(qp, readResponseCode(!job.started, last), payload, false, job.next, now, packet);
  qp.first_sent = std::min(qp.first_sent, now);
  ++stats_.data_sent;
  stats_.bytes_sent += packet.length;
  stats_.retransmitted += job.repeated ? 1 : 0;
  qp.packets_retransmitted += job.repeated ? 1 : 0;
  if (job.repeated) stats_.first_resent = std::min(stats_.first_resent, now);
  job.started = true;
  ++job.next;
  job.bytes_left -= payload;
  if (last) {
    const std::uint32_t done = qp.job_head;
    qp.job_head = job.following;
    jobs_.release(done);
    if (qp.job_head == kNone && qp.ack_after_read) queueAck(qp, index);
  }
  finishData(qp, now, packet);
}

// At most one acknowledgement of a QP is queued; it reports the state when it leaves.
void RoceProtocol::queueAck(Qp& qp, std::uint32_t index) {
  if (qp.ack_queued) return;
  qp.ack_queued = true;
  acks_.push(index);
}

bool RoceProtocol::transmitAck(fabric::Packet& packet) {
  while (!acks_.empty()) {
    Qp& qp = qps_[acks_.front()];
    acks_.pop();
    qp.ack_queued = false;
    const bool nak = qp.nak_wanted || qp.reorder != kNone;
    // An ACK of a later packet would mean that responses were lost which are still to be sent.
    qp.ack_after_read = !nak && qp.job_head != kNone;
    if (qp.ack_after_read) continue;
    qp.nak_wanted = false;
    fillControl(qp, roce_code::kAcknowledge, spec_.ack_priority, spec_.ect, packet);
    packet.psn = psnOf(nak ? qp.expected : qp.expected - 1, spec_.first_psn);
    packet.length = frames_.bytes(roce_code::kAcknowledge, 0);
    AckKind kind = nak ? AckKind::kNak : AckKind::kAck;
    if (qp.reorder != kNone) {
      kind = AckKind::kSelectiveNak;
      packet.extra = presentBits(qp);
      packet.length = frames_.selectiveNakBytes();
    }
    packet.aux = static_cast<std::uint32_t>(kind);
    ++stats_.control_sent;
    return true;
  }
  return false;
}

}  // namespace plumbline::transport
