// What acknowledgements, NACKs and timeouts do to a PDC.
#include <algorithm>
#include <bit>

#include "transport/uet_sender.h"

namespace plumbline::transport {

std::uint32_t UetSender::pdcOf(const fabric::Packet& packet) const {
  const std::uint32_t flow = packet.connection >> 16;
  const std::uint32_t slot = connectionless_
                                 ? by_flow_.find(std::uint32_t{packet.source} << 8 | flow)
                                 : by_id_.find(packet.connection & 0xFFFF);
  if (slot == kNone || pdcs_[slot].peer != packet.source) return kNone;
  return slot;
}

void UetSender::onAck(const fabric::Packet& packet, Picoseconds now) {
  const std::uint32_t slot = pdcOf(packet);
  if (slot == kNone) return;
  Pdc& pdc = pdcs_[slot];
  Ccc& ccc = cccs_[pdc.ccc];
  established(pdc, now);

  const bool with_state = pdsType(packet.opcode) == PdsType::kAckCc;
  const bool marked = (packet.opcode & kFlagMarked) != 0;
  const bool retx = (packet.opcode & kFlagRetx) != 0;
  const std::uint64_t end = pdc.slots.end();
  const std::uint64_t wire_cack = unwrapPsn(packet.psn, pdc.cack);
  const std::uint64_t cack = std::min(wire_cack, end - 1);
  const std::uint64_t trigger = wire_cack + static_cast<std::uint64_t>(ackOffset(packet.aux));

  const NsccState state = with_state ? unpackNscc(packet.extra) : NsccState{};
  std::optional<Picoseconds> rtt;
  if (trigger > pdc.cack && trigger < end && pdc.slots[trigger].state != Slot::kAcked &&
      (pdc.slots[trigger].retx != 0) == retx) {
    const TxSlot& tx = pdc.slots[trigger];
    pdc.highest_acked = std::max(pdc.highest_acked, tx.order);
    if (state.service_time != kLongestServiceTime) {
      rtt = now - tx.sent - Picoseconds(state.service_time * kServiceTimeUnitPs);
    }
  }
  for (std::uint64_t psn = pdc.cack + 1; psn <= cack; ++psn) {
    ackSlot(pdc, ccc, psn, marked && psn == trigger, now);
  }
  const std::uint64_t base = wire_cack + static_cast<std::uint64_t>(sackOffset(packet.aux));
  for (std::uint64_t bits = with_state ? packet.stamp : 0; bits != 0; bits &= bits - 1) {
    const std::uint64_t psn = base + static_cast<unsigned>(std::countr_zero(bits));
    if (psn > pdc.cack && psn < end) ackSlot(pdc, ccc, psn, marked && psn == trigger, now);
  }
  if (usesNscc(control_) && with_state) {
    // An ACK that was overtaken brings no news.
    const std::int32_t units = std::max(distance24(pdc.received, state.received), 0);
    pdc.received = (pdc.received + static_cast<std::uint32_t>(units)) & 0xFFFFFF;
    const std::int64_t bytes = std::int64_t{units} * kCreditUnit;
    ccc.nscc.onAck(now, rtt, marked, bytes, ccc.inflight);
    if (state.penalty > 0) ccc.nscc.onPenalty(state.penalty, bytes, ccc.inflight);
  }
  if (advance(slot, now)) {
    inferLosses(pdc, ccc, now);
    afterFeedback(slot, now);
  }
}

void UetSender::onRudiResponse(const fabric::Packet& packet, Picoseconds now) {
  const std::uint32_t slot = pdcOf(packet);
  if (slot == kNone) return;
  Pdc& pdc = pdcs_[slot];
  const std::uint64_t psn = unwrapPsn(packet.psn, pdc.cack);
  if (psn <= pdc.cack || psn >= pdc.slots.end()) return;
  ackSlot(pdc, cccs_[pdc.ccc], psn, (packet.opcode & kFlagMarked) != 0, now);
  if (advance(slot, now)) afterFeedback(slot, now);
}

void UetSender::onNack(const fabric::Packet& packet, Picoseconds now) {
  ++host_.stats().nack_received;
  const std::uint32_t slot = pdcOf(packet);
  if (slot == kNone) return;
  Pdc& pdc = pdcs_[slot];
  switch (static_cast<NackCode>(packet.aux)) {
    case NackCode::kTrimmed:
    case NackCode::kTrimmedLastHop:
    case NackCode::kPsnOutOfWindow:
      if (host_.spec().service == UetService::kRod) {
        onOutOfOrder(slot, packet, now);
      } else {
        onLostPacket(slot, packet, now);
      }
      break;
    case NackCode::kRodOutOfOrder:
      onOutOfOrder(slot, packet, now);
      break;
    case NackCode::kNoPdcAvailable:
      onNoPdc(slot, packet, now);
      break;
    case NackCode::kInvalidDpdcid:
    case NackCode::kClosing:
      // The target has closed already, or has given up on us.
      if (pdc.state == State::kClosing) {
        if (!pdc.returning) ++host_.uetStats().pdcs_closed;
        destroy(slot, now);
      } else if (pdc.state == State::kEstablished) {
        fail(slot, now);
      }
      break;
  }
}

void UetSender::established(Pdc& pdc, Picoseconds now) {
  if (pdc.state != State::kSynSent) return;
  pdc.state = State::kEstablished;
  if (pdc.returning) return;
  UetStats& stats = host_.uetStats();
  ++stats.pdcs_established;
  stats.setup_total += now - pdc.opened;
  stats.setup_max = std::max(stats.setup_max, now - pdc.opened);
}

void UetSender::ackSlot(Pdc& pdc, Ccc& ccc, std::uint64_t psn, bool marked, Picoseconds now) {
  TxSlot& slot = pdc.slots[psn];
  if (slot.state == Slot::kAcked) return;
  TxMessage& message = messageAt(pdc, psn, pdc.ack_hint);
  const std::uint32_t payload = payloadOf(message, psn);
  const std::int64_t cost = payload + message.overhead;
  if (slot.state == Slot::kFlight) {
    ccc.inflight -= cost;
  } else {
    changeBacklog(ccc, -cost);
    if (host_.spec().service != UetService::kRod) --pdc.lost;
  }
  slot.state = Slot::kAcked;
  if (slot.retx == 0) pdc.highest_acked = std::max(pdc.highest_acked, slot.order);
  pdc.entropy.onAck(slot.entropy, marked);
  if (message.kind != Kind::kReadResponse) pdc.payload_acknowledged += payload;
  if (--message.unacked == 0) complete(pdc, message, now);
}

void UetSender::complete(Pdc& pdc, const TxMessage& message, Picoseconds now) {
  if (message.kind != Kind::kData) return;
  ++host_.stats().messages_completed;
  flows_[pdc.statistics].stats.last_done = now;
  completions_.push_back(
      {pdc.peer, pdc.flow, message.verb, message.bytes, message.tag, message.posted, false});
}

// Moves the window. False if that was the end of the PDC.
bool UetSender::advance(std::uint32_t slot, Picoseconds now) {
  Pdc& pdc = pdcs_[slot];
  const std::uint64_t before = pdc.cack;
  while (pdc.cack + 1 < pdc.slots.end() && pdc.slots[pdc.cack + 1].state == Slot::kAcked) {
    ++pdc.cack;
  }
  if (pdc.cack == before) return true;
  pdc.slots.popTo(pdc.cack + 1);
  pdc.next = std::max(pdc.next, pdc.cack + 1);
  pdc.timeouts = 0;
  while (!pdc.messages.empty() && pdc.messages.front().unacked == 0) pdc.messages.pop();
  if (pdc.state == State::kClosing && pdc.cack + 1 == pdc.end) {
    if (!pdc.returning) ++host_.uetStats().pdcs_closed;
    destroy(slot, now);
    return false;
  }
  idleIfDone(slot, now);
  return true;
}

void UetSender::idleIfDone(std::uint32_t slot, Picoseconds now) {
  const Pdc& pdc = pdcs_[slot];
  if (pdc.cack + 1 == pdc.end && pdc.reads.empty() && !pdc.idle &&
      pdc.state == State::kEstablished) {
    setIdle(slot, now);
  }
}

// ---- Loss ----

void UetSender::markLost(Pdc& pdc, Ccc& ccc, std::uint64_t psn) {
  const std::int64_t cost = costOf(messageAt(pdc, psn, pdc.ack_hint), psn);
  pdc.slots[psn].state = Slot::kLost;
  ccc.inflight -= cost;
  changeBacklog(ccc, cost);
  ++pdc.lost;
  pdc.lost_queue.push(psn);
}

// ROD: everything from `psn` on is to be sent again.
void UetSender::goBack(Pdc& pdc, Ccc& ccc, std::uint64_t psn) {
  for (std::uint64_t p = psn; p < pdc.next; ++p) {
    if (pdc.slots[p].state != Slot::kFlight) continue;
    const std::int64_t cost = costOf(messageAt(pdc, p, pdc.ack_hint), p);
    pdc.slots[p].state = Slot::kLost;
    ccc.inflight -= cost;
    changeBacklog(ccc, cost);
  }
  pdc.next = std::min(pdc.next, psn);
}

// RUD: what was sent `loss_gap` transmissions before something that has arrived is lost.
void UetSender::inferLosses(Pdc& pdc, Ccc& ccc, Picoseconds now) {
  if (!infers_losses_) return;
  const std::uint32_t gap = host_.spec().loss_gap;
  const auto lost = [&](std::uint64_t psn) {
    const std::int64_t bytes = costOf(messageAt(pdc, psn, pdc.ack_hint), psn);
    markLost(pdc, ccc, psn);
    pdc.entropy.onNack(pdc.slots[psn].entropy);
    if (usesNscc(control_)) ccc.nscc.onLoss(now, bytes, ccc.inflight);
    ++host_.uetStats().gap_losses;
  };
  // First transmissions are in the order of their PSNs; repeated ones in that of `resent`.
  pdc.judged = std::max(pdc.judged, pdc.cack + 1);
  for (; pdc.judged < pdc.slots.end(); ++pdc.judged) {
    const TxSlot& slot = pdc.slots[pdc.judged];
    if (slot.retx != 0 || slot.state != Slot::kFlight) continue;
    if (slot.order + gap > pdc.highest_acked) break;
    lost(pdc.judged);
  }
  while (!pdc.resent.empty()) {
    const Retransmission& first = pdc.resent.front();
    const bool current = first.psn > pdc.cack && pdc.slots[first.psn].state == Slot::kFlight &&
                         pdc.slots[first.psn].order == first.order;
    if (current) {
      if (first.order + gap > pdc.highest_acked) break;
      lost(first.psn);
    }
    pdc.resent.pop();
  }
}

// RUD, RUDI: one packet did not arrive with its payload.
void UetSender::onLostPacket(std::uint32_t slot, const fabric::Packet& packet, Picoseconds now) {
  Pdc& pdc = pdcs_[slot];
  Ccc& ccc = cccs_[pdc.ccc];
  const std::uint64_t psn = unwrapPsn(packet.psn, pdc.cack);
  if (psn <= pdc.cack || psn >= pdc.slots.end()) return;
  TxSlot& tx = pdc.slots[psn];
  // Old news about a packet that is under way again, or known to be lost.
  if (tx.state != Slot::kFlight || (tx.retx != 0) != ((packet.opcode & kFlagRetx) != 0)) return;
  const std::uint8_t limit = host_.spec().max_nack_retries;
  if (limit != 0 && tx.nacks == limit) {
    fail(slot, now);
    return;
  }
  if (tx.nacks < 127) ++tx.nacks;
  const std::int64_t bytes = costOf(messageAt(pdc, psn, pdc.ack_hint), psn);
  markLost(pdc, ccc, psn);
  pdc.entropy.onNack(tx.entropy);
  ccc.credit.stopSpeculating();
  if (usesNscc(control_)) {
    if (static_cast<NackCode>(packet.aux) == NackCode::kPsnOutOfWindow) {
      ccc.nscc.onLoss(now, bytes, ccc.inflight);
    } else {
      const bool last_hop = static_cast<NackCode>(packet.aux) == NackCode::kTrimmedLastHop;
      ccc.nscc.onTrim(now, bytes, ccc.inflight, !(last_hop && usesCredit(control_)));
    }
  }
  afterFeedback(slot, now);
}

// ROD: the target expects `packet.psn`; everything before it has arrived.
void UetSender::onOutOfOrder(std::uint32_t slot, const fabric::Packet& packet, Picoseconds now) {
  Pdc& pdc = pdcs_[slot];
  Ccc& ccc = cccs_[pdc.ccc];
  const std::uint64_t expected = unwrapPsn(packet.psn, pdc.cack);
  if (expected <= pdc.cack || expected >= pdc.slots.end()) return;
  // A NACK that acknowledges packets comes from a target that is open.
  if (expected > pdc.start) established(pdc, now);
  for (std::uint64_t psn = pdc.cack + 1; psn < expected; ++psn) {
    ackSlot(pdc, ccc, psn, false, now);
  }
  if (!advance(slot, now)) return;
  TxSlot& tx = pdc.slots[expected];
  if (tx.state == Slot::kFlight) {
    const std::uint8_t limit = host_.spec().max_nack_retries;
    if (limit != 0 && tx.nacks == limit) {
      fail(slot, now);
      return;
    }
    if (tx.nacks < 127) ++tx.nacks;
    const std::int64_t bytes = costOf(messageAt(pdc, expected, pdc.ack_hint), expected);
    goBack(pdc, ccc, expected);
    ccc.credit.stopSpeculating();
    if (usesNscc(control_)) {
      if (static_cast<NackCode>(packet.aux) == NackCode::kRodOutOfOrder) {
        ccc.nscc.onLoss(now, bytes, ccc.inflight);
      } else {
        const bool last_hop = static_cast<NackCode>(packet.aux) == NackCode::kTrimmedLastHop;
        ccc.nscc.onTrim(now, bytes, ccc.inflight, !(last_hop && usesCredit(control_)));
      }
    }
  }
  afterFeedback(slot, now);
}

// The target has no room for another PDC: everything has to be sent again, but later.
void UetSender::onNoPdc(std::uint32_t slot, const fabric::Packet& packet, Picoseconds now) {
  Pdc& pdc = pdcs_[slot];
  if (pdc.state != State::kSynSent) return;
  Ccc& ccc = cccs_[pdc.ccc];
  const std::uint64_t psn = unwrapPsn(packet.psn, pdc.cack);
  if (psn <= pdc.cack || psn >= pdc.slots.end() || pdc.slots[psn].state != Slot::kFlight) return;
  if (host_.spec().service == UetService::kRod) {
    goBack(pdc, ccc, psn);
  } else {
    markLost(pdc, ccc, psn);
  }
  if (!pdc.blocked) {
    pdc.blocked = true;
    host_.setTimer(now + host_.spec().no_pdc_retry, UetTimer::kNoPdcRetry, slot, pdc.generation);
  }
  release(ccc);
}

void UetSender::afterFeedback(std::uint32_t slot, Picoseconds now) {
  Pdc& pdc = pdcs_[slot];
  if (hasWork(pdc)) makeReady(slot);
  release(cccs_[pdc.ccc]);
  armRetransmission(slot, now);
}

// ---- Timers ----

// The oldest packet that is not acknowledged has its timeout running since it was last sent.
void UetSender::armRetransmission(std::uint32_t slot, Picoseconds now) {
  Pdc& pdc = pdcs_[slot];
  if (pdc.cack + 1 >= pdc.slots.end()) return;
  const TxSlot& head = pdc.slots[pdc.cack + 1];
  const Picoseconds since = head.state == Slot::kFlight ? head.sent : now;
  const Picoseconds deadline = since + host_.spec().rto * (std::int64_t{1} << pdc.timeouts);
  if (deadline >= pdc.timer_at) return;
  pdc.timer_at = deadline;
  host_.setTimer(deadline, UetTimer::kRetransmission, slot, 0);
}

void UetSender::onTimer(const UetTimerEntry& timer, Picoseconds now) {
  switch (timer.kind) {
    case UetTimer::kRetransmission:
      onRetransmissionTimer(timer, now);
      break;
    case UetTimer::kNoPdcRetry: {
      Pdc& pdc = pdcs_[timer.index];
      if (pdc.generation != timer.generation) break;
      pdc.blocked = false;
      if (hasWork(pdc)) makeReady(timer.index);
      break;
    }
    case UetTimer::kStart:
      startWaiting(now);
      break;
    case UetTimer::kCredit:
      onCreditTimer(timer, now);
      break;
    case UetTimer::kTargetExpiry:
      break;  // the receiver's
  }
}

void UetSender::onRetransmissionTimer(const UetTimerEntry& timer, Picoseconds now) {
  const std::uint32_t slot = timer.index;
  Pdc& pdc = pdcs_[slot];
  if (pdc.timer_at != timer.time) return;
  pdc.timer_at = kNever;
  if (pdc.cack + 1 >= pdc.slots.end()) return;
  const TxSlot& head = pdc.slots[pdc.cack + 1];
  const Picoseconds timeout = host_.spec().rto * (std::int64_t{1} << pdc.timeouts);
  const bool head_waits = head.state == Slot::kLost;
  if (!head_waits && head.sent + timeout > now) {
    armRetransmission(slot, now);
    return;
  }
  Ccc& ccc = cccs_[pdc.ccc];
  const auto expired = [&](std::uint64_t psn) {
    return pdc.slots[psn].state == Slot::kFlight && pdc.slots[psn].sent + timeout <= now;
  };
  if (head_waits) {
    // The head is known to be lost and waits for the window, which packets behind it may fill that
    // are lost as well. They must not keep it waiting for ever.
    std::uint64_t psn = pdc.cack + 1;
    while (psn < pdc.slots.end() && !expired(psn)) ++psn;
    if (psn == pdc.slots.end()) {
      armRetransmission(slot, now);
      return;
    }
  }
  ++host_.stats().timeouts;
  if (!head_waits) {
    if (pdc.timeouts == host_.spec().max_rto_retries) {
      fail(slot, now);
      return;
    }
    ++pdc.timeouts;
  }
  pdc.entropy.onTimeout(head.entropy, now);
  ccc.credit.stopSpeculating();
  const bool rod = host_.spec().service == UetService::kRod;
  const std::uint64_t end = rod ? pdc.cack + 2 : pdc.slots.end();
  for (std::uint64_t psn = pdc.cack + 1; psn < end; ++psn) {
    if (!expired(psn)) continue;
    const std::int64_t bytes = costOf(messageAt(pdc, psn, pdc.ack_hint), psn);
    if (rod) {
      goBack(pdc, ccc, psn);
    } else {
      markLost(pdc, ccc, psn);
    }
    if (usesNscc(control_)) ccc.nscc.onLoss(now, bytes, ccc.inflight);
  }
  afterFeedback(slot, now);
}

}  // namespace plumbline::transport
