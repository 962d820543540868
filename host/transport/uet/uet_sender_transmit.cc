// Which packet leaves next: PDCs in turn, as far as their windows and their destination permit.
#include <algorithm>

#include "transport/uet/uet_sender.h"

namespace plumbline::transport {

// The next PDC of ready_: it has something to send and is permitted to. kNone if there is none.
inline std::uint32_t UetSender::nextReady(Picoseconds now) {
  while (!ready_.empty()) {
    const std::uint32_t slot = ready_.front();
    Pdc& pdc = pdcs_[slot];
    Ccc& ccc = cccs_[pdc.ccc];
    const bool work = hasWork(pdc);
    // All that a closing PDC has left is a control packet, which needs no permission.
    if (work && (maySend(ccc) || pdc.state == State::kClosing)) return slot;
    popReady(pdc);
    if (work) {
      wait(slot, now);
    } else if (pdc.state == State::kDead) {
      pdc.state = State::kFree;
      free_pdcs_.push_back(slot);
    } else {
      release(ccc);
    }
  }
  return kNone;
}

// Congestion control does not permit a packet to this destination: `slot` waits in its context.
void UetSender::wait(std::uint32_t slot, Picoseconds now) {
  Pdc& pdc = pdcs_[slot];
  Ccc& ccc = cccs_[pdc.ccc];
  pdc.waiting = true;
  pdc.next_waiting = kNone;
  (ccc.wait_tail == kNone ? ccc.wait_head : pdcs_[ccc.wait_tail].next_waiting) = slot;
  ccc.wait_tail = slot;
  if (!credit_ || ccc.credit.maySend()) return;
  if (ccc.wait_head == slot) ccc.asked_at = now;
  requestCredit(ccc, false, now);
}

void UetSender::stopWaiting(std::uint32_t slot) {
  Pdc& pdc = pdcs_[slot];
  Ccc& ccc = cccs_[pdc.ccc];
  std::uint32_t before = kNone;
  for (std::uint32_t i = ccc.wait_head; i != slot; i = pdcs_[i].next_waiting) before = i;
  (before == kNone ? ccc.wait_head : pdcs_[before].next_waiting) = pdc.next_waiting;
  if (ccc.wait_tail == slot) ccc.wait_tail = before;
  pdc.waiting = false;
}

// Makes as many waiting PDCs ready as there is room for packets.
void UetSender::releaseWaiting(Ccc& ccc) {
  std::int64_t room = INT64_MAX;
  if (credit_) room = ccc.credit.unspent() / mtu_cost_ + 1;
  room = std::min(room, (static_cast<std::int64_t>(ccc.window.bytes()) - ccc.inflight) /
                            std::int64_t{mtu_cost_});
  for (; room > 0 && ccc.wait_head != kNone; --room) {
    const std::uint32_t slot = ccc.wait_head;
    Pdc& pdc = pdcs_[slot];
    ccc.wait_head = pdc.next_waiting;
    if (ccc.wait_head == kNone) ccc.wait_tail = kNone;
    pdc.waiting = false;
    makeReady(slot);
  }
}

std::uint64_t UetSender::nextPsn(Pdc& pdc) {
  if (pdc.lost == 0) return pdc.next++;
  for (;;) {
    const std::uint64_t psn = pdc.lost_queue.front();
    pdc.lost_queue.pop();
    if (psn > pdc.cack && pdc.flight.lost(psn)) {
      --pdc.lost;
      return psn;
    }
  }
}

UetSender::TxMessage& UetSender::searchMessage(Pdc& pdc, std::uint64_t psn, std::uint64_t& hint) {
  Window<TxMessage>& messages = pdc.messages;
  if (hint + 1 < messages.end()) {  // most often it is the next one
    TxMessage& next = messages[hint + 1];
    if (psn - next.first < next.packets) {
      ++hint;
      return next;
    }
  }
  std::uint64_t low = messages.first();
  std::uint64_t high = messages.end();
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (messages[middle].first <= psn ? low : high) = middle;
  }
  hint = low;
  return messages[low];
}

// Packet::extra of `psn`, which has been accounted for already. `more`: the PDC has something to
// send after it, on whose permission it depends whether an ACK is requested.
template <bool kFastPath>
inline std::uint64_t UetSender::fieldsOf(const Pdc& pdc, Ccc& ccc, const TxMessage& message,
                                         std::uint64_t psn, bool retx, bool more) const {
  const bool close = !kFastPath && message.kind == Kind::kClose;
  DataFields fields;
  fields.index = static_cast<std::uint32_t>(psn - message.first);
  fields.verb = static_cast<std::uint8_t>(message.verb);
  fields.last = fields.index + 1 == message.packets;
  fields.response = message.kind == Kind::kReadResponse;
  fields.retx = retx;
  if (kFastPath || !connectionless_) {
    fields.ack_request = close || retx || !more || !maySend(ccc) ||
                         (moves_window_ && ccc.window.bytes() < ack_trigger_bytes_);
    if (!kFastPath && credit_ && !close) fields.credit_target = ccc.asked = creditTarget(ccc);
    if (pdc.state != State::kSynSent) return packData(fields, true);
    fields.syn = true;
    fields.psn_offset = static_cast<std::uint32_t>(psn - pdc.start);
    return packData(fields, true);
  }
  fields.psn_offset = static_cast<std::uint32_t>(
      service_ == UetService::kRudi ? psn - pdc.cack - 1
                                    : std::min<std::uint64_t>(psn - pdc.start, mp_range_ - 1U));
  return packData(fields, false);
}

// Forced inline: a call would spill the registers of transmit().
template <bool kFastPath>
[[gnu::always_inline]] inline bool UetSender::send(std::uint32_t slot, Picoseconds now,
                                                   fabric::Packet& packet) {
  Pdc& pdc = pdcs_[slot];
  Ccc& ccc = cccs_[pdc.ccc];
  const std::uint64_t psn = kFastPath ? pdc.next++ : nextPsn(pdc);
  const bool retx = !kFastPath && psn < pdc.flight.end();
  const TxMessage& message = messageAt(pdc, psn, pdc.send_hint);
  const std::uint32_t cost = costOf(message, psn);
  const std::uint32_t order = ++pdc.order;
  const std::uint16_t entropy = pdc.entropy.next(now);
  if (retx) {
    pdc.flight.markResent(psn);
    if (infers_losses_) pdc.resent.push({psn, order});
    TxWindow::Record& tx = pdc.flight[psn];
    tx.sent = now;
    tx.order = order;
    tx.entropy = entropy;
  } else {
    const bool alone = !kFastPath && message.kind == Kind::kClose;
    pdc.flight.push(now, order, entropy, alone ? kMinWindowRoom : window_room_);
  }
  ccc.inflight += cost;
  if (!kFastPath && credit_) {
    changeBacklog(ccc, -std::int64_t{cost});
    ccc.credit.spend(cost);
  }
  bool more = kFastPath ? hasNext(pdc) : hasWork(pdc);

  packet = data_header_;
  packet.destination = pdc.peer;
  packet.flow_hash = uetFlowHash(data_header_.source, pdc.peer,
                                 static_cast<std::uint16_t>(pdc.port_base ^ entropy));
  packet.connection = (std::uint32_t{pdc.flow} << 16 | pdc.id) & 0xFFFFFF;
  packet.psn = static_cast<std::uint32_t>(psn);
  packet.stamp = static_cast<std::uint64_t>(now.count());
  packet.extra = fieldsOf<kFastPath>(pdc, ccc, message, psn, retx, more);
  if (!kFastPath && message.kind == Kind::kClose) {
    finishClose(packet);
  } else {
    const std::int32_t frame = static_cast<std::int32_t>(cost) + frame_excess_;
    packet.length = static_cast<std::uint16_t>(std::max<std::int32_t>(frame, kMinFrame));
    const bool read = message.kind == Kind::kReadRequest;
    packet.aux = read ? static_cast<std::uint32_t>(message.bytes) : message.tag;
    countSent(pdc, packet.length, read, retx, now);
  }
  if (order == 1) pdc.opened = now;
  if (now < pdc.first_sent && message.payload != 0) pdc.first_sent = now;
  if (!kFastPath && service_ == UetService::kUud) {
    ackUpTo(pdc, ccc, psn, kNoPsn, now);
    advance(slot, now);
    more = hasWork(pdc);
  } else if (psn == pdc.cack + 1) {
    armRetransmission(slot, now);
  }
  return more;
}

bool UetSender::transmit(Picoseconds now, fabric::Packet& packet) {
  if (ready_.empty()) return false;
  std::uint32_t slot = ready_.front();
  if (Pdc& pdc = pdcs_[slot]; usesFastPath(pdc) && hasNext(pdc) && maySend(cccs_[pdc.ccc])) {
    if (send<true>(slot, now, packet)) {
      ready_.rotate();
      return true;
    }
    popReady(pdc);
  } else {
    slot = nextReady(now);
    if (slot == kNone) return false;
    popReady(pdcs_[slot]);
    if (send<false>(slot, now, packet)) {
      makeReady(slot);
      return true;
    }
  }
  release(cccs_[pdcs_[slot].ccc]);
  return true;
}

// Makes a CLOSE_CMD of a data packet.
void UetSender::finishClose(fabric::Packet& packet) {
  ++host_.stats().control_sent;
  packet.length = frameBytes(host_.spec(), PdsType::kControl, 0, 0);
  packet.ect = packet.trimmable = false;
  packet.opcode = uetOpcode(PdsType::kControl);
  packet.aux = static_cast<std::uint32_t>(ControlType::kCloseCommand);
}

// ---- Credit ----

std::uint32_t UetSender::creditTarget(const Ccc& ccc) const {
  std::optional<std::int64_t> limit;
  if (moves_window_) limit = static_cast<std::int64_t>(ccc.window.bytes()) + mtu_cost_;
  const std::uint32_t sharers = ready_cccs_ + (ccc.ready == 0 ? 1 : 0);
  return ccc.credit.target(ccc.backlog, mtu_cost_, limit, sharers);
}

// No data may leave that could carry a credit_target, so a control packet does. `again`: the last
// request, or its answer, may have been lost.
void UetSender::requestCredit(Ccc& ccc, bool again, Picoseconds now) {
  const std::uint32_t target = creditTarget(ccc);
  if (!ccc.timer) ccc.asked_at = now;
  if (again || distance24(ccc.asked, target) > 0) {
    ccc.asked = target;
    ccc.asked_at = now;
    fabric::Packet& packet = host_.queueControl(ccc.peer, PdsType::kControl, 0, now);
    packet.flow_hash = uetFlowHash(host_.context().self, ccc.peer, 0);
    packet.aux = static_cast<std::uint32_t>(ControlType::kCreditRequest);
    packet.extra = target;
  }
  armCreditTimer(ccc);
}

void UetSender::armCreditTimer(Ccc& ccc) {
  if (ccc.timer) return;
  ccc.timer = true;
  const Picoseconds wait = rto_ * (std::int64_t{1} << ccc.unanswered);
  host_.setTimer(ccc.asked_at + wait, UetTimer::kCredit, ccc.index, ccc.generation);
}

void UetSender::onCredit(const fabric::Packet& packet, Picoseconds now) {
  const auto credit = static_cast<std::uint32_t>(packet.extra);
  const std::uint32_t index = ccc_of_.find(packet.source);
  if (index == kNone) {
    // For a context that has ended: nothing can use it, but the next one counts from here.
    const std::uint32_t before = credit_of_.find(packet.source);
    if (before != kNone && distance24(before, credit) > 0) credit_of_.set(packet.source, credit);
    return;
  }
  Ccc& ccc = cccs_[index];
  ccc.credit.onCredit(credit);
  ccc.asked_at = now;
  ccc.unanswered = 0;
  proceed(ccc, now);
}

void UetSender::onCreditTimer(const UetTimerEntry& timer, Picoseconds now) {
  Ccc& ccc = cccs_[timer.index];
  if (ccc.generation != timer.generation) return;
  ccc.timer = false;
  if (ccc.wait_head == kNone || ccc.credit.maySend()) return;
  if (now - ccc.asked_at < rto_ * (std::int64_t{1} << ccc.unanswered)) {
    armCreditTimer(ccc);  // it was set in an earlier wait
    return;
  }
  if (ccc.unanswered == host_.spec().max_rto_retries) {
    failWaiting(ccc, now);
    return;
  }
  ++ccc.unanswered;
  requestCredit(ccc, true, now);
}

// The destination gives no credit any more.
void UetSender::failWaiting(Ccc& ccc, Picoseconds now) {
  const std::uint32_t generation = ccc.generation;  // changes with the last PDC
  while (ccc.generation == generation && ccc.wait_head != kNone) fail(ccc.wait_head, now);
}

}  // namespace plumbline::transport
