// Which packet leaves next: PDCs in turn, as far as their windows and their destination permit.
#include <algorithm>

#include "transport/uet_sender.h"

namespace plumbline::transport {

bool UetSender::transmit(Picoseconds now, fabric::Packet& packet) {
  while (!ready_.empty()) {
    const std::uint32_t slot = ready_.front();
    ready_.pop();
    Pdc& pdc = pdcs_[slot];
    pdc.ready = false;
    if (pdc.state == State::kDead) {
      pdc.state = State::kFree;
      free_pdcs_.push_back(slot);
      continue;
    }
    Ccc& ccc = cccs_[pdc.ccc];
    if (!hasWork(pdc)) {
      release(ccc);
      continue;
    }
    // All that a closing PDC has left is a control packet, which needs no permission.
    if (pdc.state != State::kClosing && !maySend(ccc)) {
      wait(slot, now);
      continue;
    }
    send(slot, now, packet);
    return true;
  }
  return false;
}

bool UetSender::hasWork(const Pdc& pdc) const {
  if (pdc.blocked || pdc.state < State::kSynSent || pdc.state == State::kDead) return false;
  return pdc.lost > 0 || (pdc.next < pdc.end && pdc.next - pdc.cack <= host_.spec().mp_range);
}

bool UetSender::maySend(const Ccc& ccc) const {
  const std::int64_t after = ccc.inflight + mtu_cost_;
  switch (control_) {
    case UetCongestionControl::kNone:
      return after <= fixed_window_;
    case UetCongestionControl::kNscc:
      return static_cast<double>(after) <= ccc.nscc.window();
    case UetCongestionControl::kRccc:
      return ccc.credit.maySend();
    case UetCongestionControl::kNsccRccc:
      break;
  }
  return ccc.credit.maySend() && static_cast<double>(after) <= ccc.nscc.window();
}

void UetSender::makeReady(std::uint32_t slot) {
  Pdc& pdc = pdcs_[slot];
  if (pdc.ready || pdc.waiting) return;
  pdc.ready = true;
  ready_.push(slot);
}

// Congestion control does not permit a packet to this destination: `slot` waits in its context.
void UetSender::wait(std::uint32_t slot, Picoseconds now) {
  Pdc& pdc = pdcs_[slot];
  Ccc& ccc = cccs_[pdc.ccc];
  pdc.waiting = true;
  pdc.next_waiting = kNone;
  (ccc.wait_tail == kNone ? ccc.wait_head : pdcs_[ccc.wait_tail].next_waiting) = slot;
  ccc.wait_tail = slot;
  if (usesCredit(control_) && !ccc.credit.maySend()) requestCredit(ccc, false, now);
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
void UetSender::release(Ccc& ccc) {
  if (ccc.wait_head == kNone || !maySend(ccc)) return;
  std::int64_t room = INT64_MAX;
  if (usesCredit(control_)) room = ccc.credit.unspent() / mtu_cost_ + 1;
  if (control_ == UetCongestionControl::kNone) room = (fixed_window_ - ccc.inflight) / mtu_cost_;
  if (usesNscc(control_)) {
    room = std::min(room, (static_cast<std::int64_t>(ccc.nscc.window()) - ccc.inflight) /
                              std::int64_t{mtu_cost_});
  }
  for (; room > 0 && ccc.wait_head != kNone; --room) {
    const std::uint32_t slot = ccc.wait_head;
    Pdc& pdc = pdcs_[slot];
    ccc.wait_head = pdc.next_waiting;
    if (ccc.wait_head == kNone) ccc.wait_tail = kNone;
    pdc.waiting = false;
    makeReady(slot);
  }
}

std::uint64_t UetSender::takePsn(Pdc& pdc) {
  if (pdc.lost == 0) return pdc.next++;
  for (;;) {
    const std::uint64_t psn = pdc.lost_queue.front();
    pdc.lost_queue.pop();
    if (psn > pdc.cack && pdc.slots[psn].state == Slot::kLost) {
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

void UetSender::send(std::uint32_t slot, Picoseconds now, fabric::Packet& packet) {
  Pdc& pdc = pdcs_[slot];
  Ccc& ccc = cccs_[pdc.ccc];
  const std::uint64_t psn = takePsn(pdc);
  const bool retx = psn < pdc.slots.end();
  const TxMessage& message = messageAt(pdc, psn, pdc.send_hint);
  const std::int64_t cost = costOf(message, psn);
  ++pdc.order;
  if (retx) {
    pdc.slots[psn].state = Slot::kFlight;
    pdc.slots[psn].retx = 1;
    if (infers_losses_) pdc.resent.push({psn, pdc.order});
  } else {
    pdc.slots.push(TxSlot{});
  }
  TxSlot& tx = pdc.slots[psn];
  tx.sent = now;
  tx.order = pdc.order;
  tx.entropy = pdc.entropy.next(now);
  ccc.inflight += cost;
  changeBacklog(ccc, -cost);
  if (usesCredit(control_)) ccc.credit.spend(cost);
  bool more = hasWork(pdc);
  build(pdc, ccc, message, psn, more, now, packet);

  EndpointStats& stats = host_.stats();
  if (message.kind == Kind::kClose) {
    ++stats.control_sent;
  } else {
    ++stats.data_sent;
    stats.bytes_sent += packet.length;
    ++pdc.packets_sent;
    if (retx) {
      ++stats.retransmitted;
      ++pdc.packets_retransmitted;
    }
  }
  if (pdc.order == 1) {
    pdc.opened = now;
    FlowStats& flow = flows_[pdc.statistics].stats;
    flow.first_sent = std::min(flow.first_sent, now);
  }
  if (host_.spec().service == UetService::kUud) {
    ackSlot(pdc, ccc, psn, false, now);
    advance(slot, now);
    more = hasWork(pdc);
  } else if (psn == pdc.cack + 1) {
    armRetransmission(slot, now);
  }
  if (more) {
    makeReady(slot);
  } else {
    release(ccc);
  }
}

// `psn` has been accounted for already. `more`: the PDC has something to send after it; whether it
// may decides if an ACK is asked for.
void UetSender::build(const Pdc& pdc, Ccc& ccc, const TxMessage& message, std::uint64_t psn,
                      bool more, Picoseconds now, fabric::Packet& packet) const {
  const UetSpec& spec = host_.spec();
  const TxSlot& slot = pdc.slots[psn];
  const bool close = message.kind == Kind::kClose;

  DataFields fields;
  fields.index = static_cast<std::uint32_t>(psn - message.first);
  fields.verb = static_cast<std::uint8_t>(message.verb);
  fields.last = fields.index + 1 == message.packets;
  fields.response = message.kind == Kind::kReadResponse;
  fields.retx = slot.retx != 0;
  if (!connectionless_) {
    fields.syn = pdc.state == State::kSynSent;
    if (fields.syn) fields.psn_offset = static_cast<std::uint32_t>(psn - pdc.start);
    fields.ack_request = close || fields.retx || !more || !maySend(ccc) ||
                         (usesNscc(control_) && ccc.nscc.window() < spec.ack_trigger_bytes);
    if (usesCredit(control_) && !close) {
      fields.credit_target = ccc.asked = creditTarget(ccc);
    }
  } else if (spec.service == UetService::kRudi) {
    fields.psn_offset = static_cast<std::uint32_t>(psn - pdc.cack - 1);
  } else {
    fields.psn_offset =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(psn - pdc.start, spec.mp_range - 1U));
  }

  packet = fabric::Packet{};
  packet.source = static_cast<std::uint16_t>(host_.context().self);
  packet.destination = pdc.peer;
  packet.flow_hash = uetFlowHash(packet.source, packet.destination,
                                 static_cast<std::uint16_t>(pdc.port_base ^ slot.entropy));
  const auto nominal = static_cast<std::int32_t>(costOf(message, psn));
  packet.length =
      close
          ? frameBytes(spec, PdsType::kControl, 0, 0)
          : static_cast<std::uint16_t>(std::max<std::int32_t>(nominal + frame_excess_, kMinFrame));
  packet.priority = spec.data_priority & 7U;
  packet.ect = spec.ecn && !close;
  packet.trimmable = spec.trimming && !close && spec.service != UetService::kUud;
  packet.opcode = uetOpcode(close ? PdsType::kControl : data_type_);
  packet.connection = (std::uint32_t{pdc.flow} << 16 | pdc.id) & 0xFFFFFF;
  packet.psn = static_cast<std::uint32_t>(psn);
  packet.aux = message.tag;
  if (close) packet.aux = static_cast<std::uint32_t>(ControlType::kCloseCommand);
  if (message.kind == Kind::kReadRequest) packet.aux = static_cast<std::uint32_t>(message.bytes);
  packet.stamp = static_cast<std::uint64_t>(now.count());
  packet.extra = packData(fields, !connectionless_);
}

// ---- Credit ----

void UetSender::changeBacklog(Ccc& ccc, std::int64_t bytes) {
  const bool before = ccc.backlog > 0;
  ccc.backlog += bytes;
  const bool after = ccc.backlog > 0;
  if (before != after) active_sources_ += after ? 1U : ~0U;
}

std::uint32_t UetSender::creditTarget(const Ccc& ccc) const {
  std::optional<std::int64_t> limit;
  if (usesNscc(control_)) limit = static_cast<std::int64_t>(ccc.nscc.window()) + mtu_cost_;
  return ccc.credit.target(ccc.backlog, mtu_cost_, limit, active_sources_);
}

// Nothing may leave to carry a credit_target, so a control packet does.
// `again`: what was asked for last, or its answer, may have been lost.
void UetSender::requestCredit(Ccc& ccc, bool again, Picoseconds now) {
  const std::uint32_t target = creditTarget(ccc);
  if (again || distance24(ccc.asked, target) > 0) {
    ccc.asked = target;
    fabric::Packet packet = host_.control(ccc.peer, PdsType::kControl, 0, 0,
                                          uetFlowHash(host_.context().self, ccc.peer, 0));
    packet.aux = static_cast<std::uint32_t>(ControlType::kCreditRequest);
    packet.extra = target;
    host_.queueControl(packet, now);
  }
  if (ccc.timer) return;
  ccc.timer = true;
  host_.setTimer(now + host_.spec().rto, UetTimer::kCredit, ccc.index, ccc.generation);
}

void UetSender::onCredit(const fabric::Packet& packet, Picoseconds now) {
  const std::uint32_t index = ccc_of_.find(packet.source);
  if (index == kNone) return;
  Ccc& ccc = cccs_[index];
  ccc.credit.onCredit(static_cast<std::uint32_t>(packet.extra));
  ccc.last_credit = now;
  release(ccc);
}

void UetSender::onCreditTimer(const UetTimerEntry& timer, Picoseconds now) {
  Ccc& ccc = cccs_[timer.index];
  if (ccc.generation != timer.generation) return;
  ccc.timer = false;
  if (ccc.wait_head == kNone || ccc.credit.maySend()) return;
  requestCredit(ccc, now - ccc.last_credit >= host_.spec().rto, now);
}

}  // namespace plumbline::transport
