// Effects of acknowledgements, NACKs and timeouts on a PDC.
#include <algorithm>
#include <bit>

#include "transport/uet/uet_sender.h"

namespace plumbline::transport {

inline std::uint32_t UetSender::pdcOf(const fabric::Packet& packet) const {
  const std::uint32_t flow = packet.connection >> 16;
  const std::uint32_t slot = connectionless_ ? by_flow_.find(flowKey(packet.source, flow))
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
  const std::uint64_t end = pdc.flight.end();
  const std::uint64_t wire_cack = unwrapPsn(packet.psn, pdc.cack);
  const std::uint64_t trigger = wire_cack + static_cast<std::uint64_t>(ackOffset(packet.aux));
  const std::uint64_t marked_psn = marked ? trigger : kNoPsn;

  const NsccState state = with_state ? NsccState::fromBits(packet.extra) : NsccState{};
  std::optional<Picoseconds> rtt;
  if (trigger > pdc.cack && trigger < end && !pdc.flight.acknowledged(trigger) &&
      pdc.flight.resent(trigger) == retx) {
    const TxWindow::Record& tx = pdc.flight[trigger];
    pdc.highest_acked = std::max(pdc.highest_acked, tx.order);
    if (state.service_time != kLongestServiceTime) {
      rtt = now - tx.sent - Picoseconds(state.service_time * kServiceTimeUnitPs);
    }
  }
  ackUpTo(pdc, ccc, std::min(wire_cack, end - 1), marked_psn, now);
  if (with_state && packet.stamp != 0) {
    const std::uint64_t base = wire_cack + static_cast<std::uint64_t>(sackOffset(packet.aux));
    const unsigned shift = base & 63;
    ackWord(pdc, ccc, base >> 6, packet.stamp << shift, marked_psn, now);
    if (shift != 0) {
      ackWord(pdc, ccc, (base >> 6) + 1, packet.stamp >> (64 - shift), marked_psn, now);
    }
  }
  if (moves_window_ && with_state) {
    // An ACK that was overtaken brings no news.
    const std::int32_t units = std::max(distance24(pdc.received, state.rcvd_bytes), 0);
    pdc.received = (pdc.received + static_cast<std::uint32_t>(units)) & 0xFFFFFF;
    const std::int64_t bytes = std::int64_t{units} * kCreditUnit;
    ccc.window.onAck({now, rtt, marked, bytes, ccc.inflight, state.rcv_cwnd_pend});
  }
  if (advance(slot, now)) {
    if (mayInferLosses(pdc)) inferLosses(pdc, ccc, now);
    afterFeedback(slot, now);
  }
}

void UetSender::onRudiResponse(const fabric::Packet& packet, Picoseconds now) {
  const std::uint32_t slot = pdcOf(packet);
  if (slot == kNone) return;
  Pdc& pdc = pdcs_[slot];
  const std::uint64_t psn = unwrapPsn(packet.psn, pdc.cack);
  if (psn <= pdc.cack || psn >= pdc.flight.end()) return;
  const bool marked = (packet.opcode & kFlagMarked) != 0;
  ackWord(pdc, cccs_[pdc.ccc], psn >> 6, std::uint64_t{1} << (psn & 63), marked ? psn : kNoPsn,
          now);
  if (advance(slot, now)) afterFeedback(slot, now);
}

void UetSender::onNack(const fabric::Packet& packet, Picoseconds now) {
  ++host_.stats().nack_received;
  host_.stats().first_nack = std::min(host_.stats().first_nack, now);
  const std::uint32_t slot = pdcOf(packet);
  if (slot == kNone) return;
  Pdc& pdc = pdcs_[slot];
  switch (static_cast<NackCode>(packet.aux)) {
    case NackCode::kTrimmed:
    case NackCode::kTrimmedLastHop:
    case NackCode::kPsnOutOfWindow:
      if (service_ == UetService::kRod) {
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
      // The target has closed already, or has given up this PDC.
      if (pdc.state == State::kClosing) {
        if (!pdc.returning) ++host_.uetStats().pdcs_closed;
        destroy(slot, false, now);
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
  --pending_;
  ConnectionStats* connections = host_.connections();
  if (connections == nullptr) return;
  connections->establishing(pdc.wanted, now);
  startWaiting(now);
}

// The same, with newly acknowledged packets.
void UetSender::ackNewUpTo(Pdc& pdc, Ccc& ccc, std::uint64_t psn, std::uint64_t marked,
                           Picoseconds now) {
  const std::uint64_t last = psn >> 6;
  for (std::uint64_t index = (pdc.cack + 1) >> 6; index < last; ++index) {
    ackWord(pdc, ccc, index, ~std::uint64_t{0}, marked, now);
  }
  ackWord(pdc, ccc, last, (std::uint64_t{2} << (psn & 63)) - 1, marked, now);
}

// The packets `bits` of the window's word `index` are acknowledged: at least one, and none was
// before.
void UetSender::ackPending(Pdc& pdc, Ccc& ccc, std::uint64_t index, std::uint64_t bits,
                           std::uint64_t marked, Picoseconds now) {
  const std::uint64_t first = index << 6;
  if (pdc.entropy.learns() || pdc.flight.special(index, bits) != 0) {
    for (; bits != 0; bits &= bits - 1) {
      ackPacket(pdc, ccc, first + static_cast<unsigned>(std::countr_zero(bits)), marked, now);
    }
    return;
  }
  // All are under way for the first time, so the last one was sent last.
  const std::uint64_t latest = first + static_cast<unsigned>(std::bit_width(bits)) - 1;
  pdc.highest_acked = std::max(pdc.highest_acked, pdc.flight[latest].order);
  pdc.flight.acknowledge(index, bits);
  while (bits != 0) {  // message by message
    TxMessage& message =
        messageAt(pdc, first + static_cast<unsigned>(std::countr_zero(bits)), pdc.ack_hint);
    const std::uint64_t last = message.first + message.packets - 1 - first;
    const std::uint64_t own = last < 63 ? bits & ((std::uint64_t{2} << last) - 1) : bits;
    const auto packets = static_cast<std::uint32_t>(std::popcount(own));
    std::uint64_t payload = std::uint64_t{packets} * message.payload;
    if (last < 64 && (own >> last & 1) != 0) {
      payload = payload - message.payload + message.last_payload;
    }
    ccc.inflight -= static_cast<std::int64_t>(payload + std::uint64_t{packets} * message.overhead);
    countAcked(pdc, message, packets, payload, now);
    bits ^= own;
  }
}

// One packet that may have been lost or sent again.
void UetSender::ackPacket(Pdc& pdc, Ccc& ccc, std::uint64_t psn, std::uint64_t marked,
                          Picoseconds now) {
  TxMessage& message = messageAt(pdc, psn, pdc.ack_hint);
  const TxWindow::Record& tx = pdc.flight[psn];
  const std::int64_t cost = costOf(message, psn);
  if (pdc.flight.lost(psn)) {
    changeBacklog(ccc, -cost);
    if (service_ != UetService::kRod) --pdc.lost;
  } else {
    ccc.inflight -= cost;
  }
  if (!pdc.flight.resent(psn)) pdc.highest_acked = std::max(pdc.highest_acked, tx.order);
  pdc.flight.acknowledge(psn >> 6, std::uint64_t{1} << (psn & 63));
  pdc.entropy.onAck(tx.entropy, psn == marked);
  countAcked(pdc, message, 1, payloadOf(message, psn), now);
}

void UetSender::countAcked(Pdc& pdc, TxMessage& message, std::uint32_t packets,
                           std::uint64_t payload, Picoseconds now) {
  if (message.kind != Kind::kReadResponse) pdc.payload_acknowledged += payload;
  message.unacked -= packets;
  if (message.unacked == 0) complete(pdc, message, now);
}

void UetSender::complete(Pdc& pdc, const TxMessage& message, Picoseconds now) {
  if (message.kind != Kind::kData) return;
  ++host_.stats().messages_completed;
  pdc.last_done = now;
  completions_.push_back({pdc.peer, pdc.flow, message.verb, message.bytes, message.tag,
                          message.posted, false, service_ != UetService::kUud,
                          static_cast<std::uint32_t>(message.first + message.packets - 1)});
}

// Moves the window. False if that was the end of the PDC.
bool UetSender::advance(std::uint32_t slot, Picoseconds now) {
  Pdc& pdc = pdcs_[slot];
  const std::uint64_t first = pdc.flight.firstPending();
  if (first == pdc.cack + 1) return true;
  pdc.flight.popTo(first);
  pdc.cack = first - 1;
  pdc.next = std::max(pdc.next, first);
  pdc.timeouts = 0;
  while (!pdc.messages.empty() && pdc.messages.front().unacked == 0) pdc.messages.pop();
  if (pdc.state == State::kClosing && pdc.cack + 1 == pdc.end) {
    if (!pdc.returning) ++host_.uetStats().pdcs_closed;
    destroy(slot, false, now);
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
  pdc.flight.markLost(psn);
  ccc.inflight -= cost;
  changeBacklog(ccc, cost);
  ++pdc.lost;
  pdc.lost_queue.push(psn);
}

// ROD: everything from `psn` on is to be sent again.
void UetSender::goBack(Pdc& pdc, Ccc& ccc, std::uint64_t psn) {
  for (std::uint64_t p = psn; p < pdc.next; ++p) {
    if (!pdc.flight.inFlight(p)) continue;
    const std::int64_t cost = costOf(messageAt(pdc, p, pdc.ack_hint), p);
    pdc.flight.markLost(p);
    ccc.inflight -= cost;
    changeBacklog(ccc, cost);
  }
  pdc.next = std::min(pdc.next, psn);
}

// RUD: packets sent at least `loss_gap` transmissions before an arrived one are lost.
void UetSender::inferLosses(Pdc& pdc, Ccc& ccc, Picoseconds now) {
  const std::uint32_t gap = host_.spec().loss_gap;
  const auto lost = [&](std::uint64_t psn) {
    const std::int64_t bytes = costOf(messageAt(pdc, psn, pdc.ack_hint), psn);
    markLost(pdc, ccc, psn);
    pdc.entropy.onNack(pdc.flight[psn].entropy);
    ccc.window.onLoss({now, bytes, ccc.inflight});
    ++host_.uetStats().gap_losses;
  };
  // First transmissions are in the order of their PSNs, retransmissions in that of `resent`. A
  // packet sent from now on cannot be inferred lost before this order number:
  pdc.judge_at = pdc.order + 1 + gap;
  pdc.judged = std::max(pdc.judged, pdc.cack + 1);
  for (; pdc.judged < pdc.flight.end(); ++pdc.judged) {
    if (pdc.flight.resent(pdc.judged) || !pdc.flight.inFlight(pdc.judged)) continue;
    const std::uint32_t due = pdc.flight[pdc.judged].order + gap;
    if (due > pdc.highest_acked) {
      pdc.judge_at = std::min(pdc.judge_at, due);
      break;
    }
    lost(pdc.judged);
  }
  while (!pdc.resent.empty()) {
    const Retransmission& first = pdc.resent.front();
    const bool current = first.psn > pdc.cack && pdc.flight.inFlight(first.psn) &&
                         pdc.flight[first.psn].order == first.order;
    if (current) {
      const std::uint32_t due = first.order + gap;
      if (due > pdc.highest_acked) {
        pdc.judge_at = std::min(pdc.judge_at, due);
        break;
      }
      lost(first.psn);
    }
    pdc.resent.pop();
  }
}

// Reports a lost or trimmed packet. A trim on the last hop adds no information to receiver credit.
void UetSender::reportLoss(Ccc& ccc, const LossEvent& loss, NackCode code) const {
  if (code == NackCode::kPsnOutOfWindow || code == NackCode::kRodOutOfOrder) {
    ccc.window.onLoss(loss);
  } else {
    ccc.window.onTrim(loss, !(code == NackCode::kTrimmedLastHop && credit_));
  }
}

// RUD, RUDI: one packet did not arrive with its payload.
void UetSender::onLostPacket(std::uint32_t slot, const fabric::Packet& packet, Picoseconds now) {
  Pdc& pdc = pdcs_[slot];
  Ccc& ccc = cccs_[pdc.ccc];
  const std::uint64_t psn = unwrapPsn(packet.psn, pdc.cack);
  if (psn <= pdc.cack || psn >= pdc.flight.end()) return;
  const bool retx = (packet.opcode & kFlagRetx) != 0;
  // Outdated: the packet is in flight again, or known to be lost.
  if (!pdc.flight.inFlight(psn) || pdc.flight.resent(psn) != retx) return;
  TxWindow::Record& tx = pdc.flight[psn];
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
  reportLoss(ccc, {now, bytes, ccc.inflight}, static_cast<NackCode>(packet.aux));
  afterFeedback(slot, now);
}

// ROD: the target expects `packet.psn`; everything before it has arrived.
void UetSender::onOutOfOrder(std::uint32_t slot, const fabric::Packet& packet, Picoseconds now) {
  Pdc& pdc = pdcs_[slot];
  Ccc& ccc = cccs_[pdc.ccc];
  const std::uint64_t expected = unwrapPsn(packet.psn, pdc.cack);
  if (expected <= pdc.cack || expected >= pdc.flight.end()) return;
  // The target of a NACK that acknowledges packets is open.
  if (expected > pdc.start) established(pdc, now);
  ackUpTo(pdc, ccc, expected - 1, kNoPsn, now);
  if (!advance(slot, now)) return;
  TxWindow::Record& tx = pdc.flight[expected];
  if (pdc.flight.inFlight(expected)) {
    const std::uint8_t limit = host_.spec().max_nack_retries;
    if (limit != 0 && tx.nacks == limit) {
      fail(slot, now);
      return;
    }
    if (tx.nacks < 127) ++tx.nacks;
    const std::int64_t bytes = costOf(messageAt(pdc, expected, pdc.ack_hint), expected);
    goBack(pdc, ccc, expected);
    ccc.credit.stopSpeculating();
    reportLoss(ccc, {now, bytes, ccc.inflight}, static_cast<NackCode>(packet.aux));
  }
  afterFeedback(slot, now);
}

// The target has no room for another PDC: everything has to be sent again, but later.
void UetSender::onNoPdc(std::uint32_t slot, const fabric::Packet& packet, Picoseconds now) {
  Pdc& pdc = pdcs_[slot];
  if (pdc.state != State::kSynSent) return;
  Ccc& ccc = cccs_[pdc.ccc];
  const std::uint64_t psn = unwrapPsn(packet.psn, pdc.cack);
  if (psn <= pdc.cack || psn >= pdc.flight.end() || !pdc.flight.inFlight(psn)) return;
  if (service_ == UetService::kRod) {
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
  // A PDC that waited for the window may now lack the credit that it had, if that was speculative.
  proceed(cccs_[pdc.ccc], now);
  armRetransmission(slot, now);
}

// ---- Timers ----

// The oldest packet that is not acknowledged has its timeout running since it was last sent.
void UetSender::armRetransmission(std::uint32_t slot, Picoseconds now) {
  Pdc& pdc = pdcs_[slot];
  const std::uint64_t head = pdc.cack + 1;
  if (head >= pdc.flight.end()) return;
  const Picoseconds since = pdc.flight.inFlight(head) ? pdc.flight[head].sent : now;
  const Picoseconds deadline = since + rto_ * (std::int64_t{1} << pdc.timeouts);
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
  if (pdc.cack + 1 >= pdc.flight.end()) return;
  const TxWindow::Record& head = pdc.flight[pdc.cack + 1];
  const Picoseconds timeout = rto_ * (std::int64_t{1} << pdc.timeouts);
  const bool head_waits = pdc.flight.lost(pdc.cack + 1);
  if (!head_waits && head.sent + timeout > now) {
    armRetransmission(slot, now);
    return;
  }
  Ccc& ccc = cccs_[pdc.ccc];
  const auto expired = [&](std::uint64_t psn) {
    return pdc.flight.inFlight(psn) && pdc.flight[psn].sent + timeout <= now;
  };
  if (head_waits) {
    // The first packet is known to be lost and waits for window space, which later lost packets may
    // occupy. They must not block it for ever.
    std::uint64_t psn = pdc.cack + 1;
    while (psn < pdc.flight.end() && !expired(psn)) ++psn;
    if (psn == pdc.flight.end()) {
      armRetransmission(slot, now);
      return;
    }
  }
  ++host_.stats().timeouts;
  // While the first packet waits, other packets show whether the peer still answers.
  const bool silent = pdc.highest_acked == pdc.timed_out_at;
  pdc.timed_out_at = pdc.highest_acked;
  if (!head_waits || silent) {
    if (pdc.timeouts == host_.spec().max_rto_retries) {
      fail(slot, now);
      return;
    }
    ++pdc.timeouts;
  }
  pdc.entropy.onTimeout(head.entropy, now);
  ccc.credit.stopSpeculating();
  const bool rod = service_ == UetService::kRod;
  const std::uint64_t end = rod ? pdc.cack + 2 : pdc.flight.end();
  for (std::uint64_t psn = pdc.cack + 1; psn < end; ++psn) {
    if (!expired(psn)) continue;
    const std::int64_t bytes = costOf(messageAt(pdc, psn, pdc.ack_hint), psn);
    if (rod) {
      goBack(pdc, ccc, psn);
    } else {
      markLost(pdc, ccc, psn);
    }
    ccc.window.onTimeout({now, bytes, ccc.inflight});
  }
  afterFeedback(slot, now);
}

}  // namespace plumbline::transport
