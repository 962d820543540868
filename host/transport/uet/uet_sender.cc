#include "transport/uet/uet_sender.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/random.h"

namespace plumbline::transport {
namespace {

std::int64_t windowBytes(double factor, BitRate rate, Picoseconds base_rtt, std::uint32_t min) {
  const double bdp = static_cast<double>(rate.bitsPerSecond()) / 8.0 * base_rtt.toSeconds();
  return std::max<std::int64_t>(static_cast<std::int64_t>(factor * bdp), min);
}

// Key of by_flow_: the return direction of a peer's PDC is a PDC of its own here.
std::uint32_t pdcKey(HostId peer, std::uint32_t flow, bool returning) {
  return flowKey(peer, flow) | (returning ? 1U << 24 : 0U);
}

}  // namespace

UetSender::UetSender(UetHost& host)
    : host_(host),
      service_(host.spec().service),
      connectionless_(!usesPdcs(service_)),
      infers_losses_(service_ == UetService::kRud && host.spec().loss_gap > 0),
      moves_window_(movesWindow(effectiveControl(host.spec()))),
      credit_(usesCredit(effectiveControl(host.spec()))),
      fast_path_(!connectionless_ && !credit_),
      data_type_(dataType(host.spec())),
      data_header_{.source = static_cast<std::uint16_t>(host.context().self),
                   .priority = static_cast<std::uint8_t>(host.spec().data_priority & 7U),
                   .ect = host.spec().ecn,
                   .trimmable = host.spec().trimming && service_ != UetService::kUud,
                   .opcode = uetOpcode(data_type_)},
      mp_range_(host.spec().mp_range),
      ack_trigger_bytes_(host.spec().ack_trigger_bytes),
      rto_(host.spec().rto),
      mtu_cost_(nominalSize(host.spec(), data_type_, kSesStandard, host.spec().mtu_payload)),
      write_overhead_(nominalSize(host.spec(), data_type_, kSesStandard, 0)),
      response_overhead_(nominalSize(host.spec(), data_type_, kSesResponseData, 0)),
      frame_excess_(unpaddedFrame(host.spec(), data_type_, 0, 0) -
                    static_cast<std::int32_t>(nominalSize(host.spec(), data_type_, 0, 0))),
      credit_window_(windowBytes(host.spec().rccc.max_window, host.context().rate,
                                 host.spec().base_rtt, mtu_cost_)),
      window_rules_(makeCongestionWindowRules(host.spec(), host.context().rate, mtu_cost_)) {}

void UetSender::post(const Message& message, Picoseconds now) {
  const bool read = message.verb == Verb::kRead;
  if (read && connectionless_) {
    throw Error(ErrorKind::kUsage, "RUDI and UUD cannot carry reads", "uet.service",
                "use RUD or ROD");
  }
  if (read && message.bytes > 0xFFFFFFFF) {
    throw Error(ErrorKind::kUsage, "a UET read asks for 2^32 bytes or more", "message",
                "split it: request_length has 32 bits");
  }
  const std::uint64_t packets =
      read ? 1 : (message.bytes + host_.spec().mtu_payload - 1) / host_.spec().mtu_payload;
  if (message.bytes == 0 || packets > kMaxMessagePackets || message.flow > 255) {
    throw Error(ErrorKind::kUsage,
                "a UET message has no bytes, over 2^28 packets, or a flow above "
                "255: " +
                    std::to_string(message.bytes) + " bytes",
                "message", "1 byte to 2^28 packets, flow 0 to 255");
  }
  const std::uint32_t slot = pdcFor(message.to, message.flow, false, now);
  Pdc& pdc = pdcs_[slot];
  TxMessage tx;
  tx.bytes = message.bytes;
  tx.posted = now;
  tx.packets = tx.unacked = static_cast<std::uint32_t>(packets);
  tx.tag = message.tag;
  tx.verb = message.verb;
  tx.kind = read ? Kind::kReadRequest : Kind::kData;
  (read ? pdc.posts_reads : pdc.posts_data) = true;
  if (read) {
    pdc.reads.push_back({message.bytes, now, static_cast<std::uint32_t>(pdc.end), message.tag});
  }
  enqueue(slot, tx);
}

void UetSender::postReadResponse(HostId to, std::uint32_t flow, std::uint64_t bytes,
                                 std::uint32_t request, Picoseconds now) {
  TxMessage tx;
  tx.bytes = bytes;
  tx.posted = now;
  tx.packets = tx.unacked =
      static_cast<std::uint32_t>((bytes + host_.spec().mtu_payload - 1) / host_.spec().mtu_payload);
  tx.tag = request;
  tx.verb = Verb::kRead;
  tx.kind = Kind::kReadResponse;
  enqueue(pdcFor(to, flow, true, now), tx);
}

bool UetSender::completeRead(HostId from, std::uint32_t flow, std::uint32_t request,
                             Picoseconds now, Completion& completion) {
  const std::uint32_t slot = by_flow_.find(pdcKey(from, flow, false));
  if (slot == kNone) return false;
  Pdc& pdc = pdcs_[slot];
  const auto read = std::find_if(pdc.reads.begin(), pdc.reads.end(),
                                 [&](const OpenRead& r) { return r.request == request; });
  if (read == pdc.reads.end()) return false;
  completion = {from, flow, Verb::kRead, read->bytes, read->tag, read->posted, false};
  pdc.reads.erase(read);
  ++host_.stats().messages_completed;
  pdc.last_done = now;
  idleIfDone(slot, now);
  return true;
}

std::uint32_t UetSender::pdcFor(HostId peer, std::uint32_t flow, bool returning, Picoseconds now) {
  const std::uint32_t pdc_key = pdcKey(peer, flow, returning);
  const std::uint32_t found = by_flow_.find(pdc_key);
  if (found != kNone) return found;

  const std::uint32_t key = flowKey(peer, flow);
  std::uint32_t statistics = flow_of_.find(key);
  if (statistics == kNone) {
    statistics = static_cast<std::uint32_t>(flows_.size());
    flows_.emplace_back();
    flows_.back().stats.peer = peer;
    flows_.back().stats.flow = flow;
    flow_of_.set(key, statistics);
  }
  std::uint32_t slot = static_cast<std::uint32_t>(pdcs_.size());
  if (free_pdcs_.empty()) {
    pdcs_.emplace_back();
    idle_places_.emplace_back();
  } else {
    slot = free_pdcs_.back();
    free_pdcs_.pop_back();
  }
  by_flow_.set(pdc_key, slot);
  Pdc& pdc = pdcs_[slot];
  const std::uint64_t place = std::uint64_t{host_.context().self} << 32 ^ started_++;
  const std::uint64_t seed = mix64(mix64(host_.context().seed) ^ place);
  // PSNs count on in 64 bits, of which the wire sees the lower 32.
  const bool goes_on = connectionless_ && flows_[statistics].next_psn != 0;
  pdc.start = goes_on
                  ? flows_[statistics].next_psn
                  : (std::uint64_t{1} << 32) +
                        host_.spec().start_psn.value_or(static_cast<std::uint32_t>(mix64(seed)));
  pdc.next = pdc.end = pdc.start;
  pdc.cack = pdc.start - 1;
  pdc.send_hint = pdc.ack_hint = 0;
  pdc.judged = pdc.start;
  pdc.judge_at = 0;
  pdc.order = pdc.highest_acked = pdc.timed_out_at = pdc.lost = pdc.received = 0;
  ++pdc.generation;
  pdc.id = 0;
  pdc.port_base = static_cast<std::uint16_t>(seed);
  pdc.peer = static_cast<std::uint16_t>(peer);
  pdc.flow = static_cast<std::uint8_t>(flow);
  pdc.timeouts = 0;
  pdc.ready = pdc.waiting = pdc.blocked = pdc.idle = pdc.posts_data = pdc.posts_reads = false;
  pdc.returning = returning;
  pdc.statistics = statistics;
  pdc.flight.restart(pdc.start);
  pdc.messages.restart(0);
  // A constant entropy is the PDC's path, others change with time.
  const UetEntropyPolicy policy =
      service_ == UetService::kRod ? UetEntropyPolicy::kConstant : host_.spec().entropy.policy;
  pdc.entropy = EntropySelector(host_.spec().entropy, policy,
                                policy == UetEntropyPolicy::kConstant
                                    ? seed
                                    : mix64(mix64(host_.context().draw_seed) ^ place));
  pdc.wanted = now;
  pdc.opened = pdc.first_sent = kNever;
  pdc.last_done = {};
  pdc.packets_sent = pdc.packets_retransmitted = pdc.payload_acknowledged = 0;
  pdc.ccc = cccFor(peer, now);
  ++cccs_[pdc.ccc].pdcs;
  pdc.state = State::kWaiting;
  if (connectionless_) {
    pdc.state = State::kEstablished;
  } else {
    if (ConnectionStats* connections = host_.connections(); connections && !returning) {
      connections->opening(now);
    }
    (returning ? returning_ : waiting_).push(slot);
    startWaiting(now);
  }
  return slot;
}

void UetSender::enqueue(std::uint32_t slot, const TxMessage& message) {
  Pdc& pdc = pdcs_[slot];
  if (pdc.idle) clearIdle(slot);
  pdc.messages.push(message);
  TxMessage& queued = pdc.messages.back();
  queued.first = pdc.end;
  pdc.end += message.packets;
  const bool response = message.kind == Kind::kReadResponse;
  if (message.kind != Kind::kClose) {  // control packets are not counted
    queued.overhead = static_cast<std::uint16_t>(response ? response_overhead_ : write_overhead_);
  }
  if (response || message.kind == Kind::kData) {
    queued.payload = host_.spec().mtu_payload;
    queued.last_payload = static_cast<std::uint16_t>(
        message.bytes - std::uint64_t{message.packets - 1} * queued.payload);
  }
  changeBacklog(cccs_[pdc.ccc], costFrom(queued, queued.first));
  if (hasWork(pdc)) makeReady(slot);
}

// Assigns ids to waiting PDCs while there are free ones. Return directions come first and ignore
// the limit: they belong to a PDC that is already open, and two hosts that read from each other
// must not wait for each other.
void UetSender::startWaiting(Picoseconds now) {
  while (!returning_.empty() || !waiting_.empty()) {
    fabric::Ring<std::uint32_t>& queue = returning_.empty() ? waiting_ : returning_;
    if (returning_.empty() && open_ >= host_.spec().max_pdcs) {
      // Frees an id by closing the PDC that has been idle longest.
      if (idle_head_ != kNone) beginClose(idle_head_, now);
      return;
    }
    if (returning_.empty() && !setUpContext(now)) return;
    const std::optional<std::uint16_t> id = acquireId(now);
    if (!id) return;
    const std::uint32_t slot = queue.front();
    queue.pop();
    Pdc& pdc = pdcs_[slot];
    pdc.id = *id;
    pdc.state = State::kSynSent;
    by_id_.set(pdc.id, slot);
    if (!pdc.returning) {
      ++open_;
      ++pending_;
      context_ready_ = kNever;
      UetStats& stats = host_.uetStats();
      ++stats.pdcs_opened;
      stats.max_open = std::max<std::uint64_t>(stats.max_open, open_);
      if (ConnectionStats* connections = host_.connections()) {
        connections->max_open_connections =
            std::max<std::uint64_t>(connections->max_open_connections, open_);
      }
    }
    if (hasWork(pdc)) makeReady(slot);
  }
}

// Whether the context of the next PDC is ready; if not, begins its setup as soon as the number of
// pending PDCs permits.
bool UetSender::setUpContext(Picoseconds now) {
  const std::optional<PdcSetupSpec>& setup = host_.spec().pdc_setup;
  if (!setup) return true;
  if (pending_ >= setup->max_pending) return false;
  if (context_ready_ == kNever) {
    context_ready_ = now + setup->context_time;
    if (context_ready_ > now) host_.setTimer(context_ready_, UetTimer::kStart, 0, 0);
  }
  return context_ready_ <= now;
}

std::optional<std::uint16_t> UetSender::acquireId(Picoseconds now) {
  if (!free_ids_.empty() && free_ids_.front().from <= now) {
    const std::uint16_t id = free_ids_.front().id;
    free_ids_.pop();
    return id;
  }
  if (next_id_ <= 0xFFFF) return static_cast<std::uint16_t>(next_id_++);
  if (!failed_ids_.empty() && failed_ids_.front().from <= now) {
    const std::uint16_t id = failed_ids_.front().id;
    failed_ids_.pop();
    return id;
  }
  for (const fabric::Ring<FreeId>* ids : {&free_ids_, &failed_ids_}) {
    if (!ids->empty()) host_.setTimer(ids->front().from, UetTimer::kStart, 0, 0);
  }
  return std::nullopt;
}

// The id must not come back while the target knows it: for `linger` after a close, and until its
// side of a failed PDC has expired.
void UetSender::reserveId(std::uint16_t id, bool failed, Picoseconds now) {
  const UetSpec& spec = host_.spec();
  if (!failed) {
    free_ids_.push({id, now + 2 * spec.linger});
  } else if (spec.close_after != kNever) {
    failed_ids_.push({id, now + spec.close_after + spec.target_expiry + spec.linger});
  }
}

// QUIESCE and ACK_WAIT take no time: only an idle PDC is closed. Later messages open a new one.
void UetSender::beginClose(std::uint32_t slot, Picoseconds now) {
  Pdc& pdc = pdcs_[slot];
  clearIdle(slot);
  by_flow_.erase(pdcKey(pdc.peer, pdc.flow, pdc.returning));
  if (connectionless_) {
    destroy(slot, false, now);
    return;
  }
  pdc.state = State::kClosing;
  TxMessage close;
  close.posted = now;
  close.packets = close.unacked = 1;
  close.kind = Kind::kClose;
  enqueue(slot, close);
}

// Adds the PDC's counts.
void UetSender::count(const Pdc& pdc, FlowStats& flow) {
  flow.packets_sent += pdc.packets_sent;
  flow.packets_retransmitted += pdc.packets_retransmitted;
  flow.payload_acknowledged += pdc.payload_acknowledged;
  flow.posts_data = flow.posts_data || pdc.posts_data;
  flow.posts_reads = flow.posts_reads || pdc.posts_reads;
  if (!pdc.returning) flow.first_posted = std::min(flow.first_posted, pdc.wanted);
  flow.first_sent = std::min(flow.first_sent, pdc.first_sent);
  flow.last_done = std::max(flow.last_done, pdc.last_done);
}

void UetSender::destroy(std::uint32_t slot, bool failed, Picoseconds now) {
  Pdc& pdc = pdcs_[slot];
  Flow& flow = flows_[pdc.statistics];
  count(pdc, flow.stats);
  pdc.packets_sent = pdc.packets_retransmitted = pdc.payload_acknowledged = 0;
  if (connectionless_) {
    flow.next_psn = pdc.end;
  } else {
    by_id_.erase(pdc.id);
    if (!pdc.returning) {
      --open_;
      if (pdc.state == State::kSynSent) --pending_;
    }
    reserveId(pdc.id, failed, now);
  }
  if (pdc.waiting) stopWaiting(slot);
  if (credit_ && pdc.ready) leaveReady(pdc);
  Ccc& ccc = cccs_[pdc.ccc];
  if (--ccc.pdcs == 0) {
    ccc_of_.erase(ccc.peer);
    if (credit_) credit_of_.set(ccc.peer, ccc.credit.credit());
    ++ccc.generation;
    free_cccs_.push_back(pdc.ccc);
  } else {
    release(ccc);
  }
  // Lists and timers that still refer to it then find nothing to do.
  pdc.lost = 0;
  pdc.cack = pdc.end - 1;
  pdc.next = pdc.end;
  pdc.flight.restart(pdc.end);
  pdc.flight.rest(kMinWindowRoom);
  while (!pdc.lost_queue.empty()) pdc.lost_queue.pop();
  while (!pdc.resent.empty()) pdc.resent.pop();
  pdc.reads.clear();
  ++pdc.generation;
  pdc.state = pdc.ready ? State::kDead : State::kFree;
  if (pdc.state == State::kFree) free_pdcs_.push_back(slot);
  startWaiting(now);
}

// The peer does not answer any more: reports all unacknowledged messages as failed.
void UetSender::fail(std::uint32_t slot, Picoseconds now) {
  Pdc& pdc = pdcs_[slot];
  Ccc& ccc = cccs_[pdc.ccc];
  const bool closing = pdc.state == State::kClosing;
  bool gave_up = false;
  for (std::uint64_t n = pdc.messages.first(); n != pdc.messages.end(); ++n) {
    const TxMessage& m = pdc.messages[n];
    const std::uint64_t end = m.first + m.packets;
    const std::uint64_t unsent = std::max(m.first, pdc.flight.end());
    if (unsent < end) changeBacklog(ccc, -costFrom(m, unsent));
    for (std::uint64_t psn = std::max(m.first, pdc.cack + 1); psn < std::min(unsent, end); ++psn) {
      if (pdc.flight.lost(psn)) changeBacklog(ccc, -std::int64_t{costOf(m, psn)});
      if (pdc.flight.inFlight(psn)) ccc.inflight -= costOf(m, psn);
    }
    if (m.unacked == 0 || m.kind == Kind::kClose) continue;
    if (m.kind == Kind::kReadRequest) continue;  // among the open reads
    ++host_.stats().messages_failed;
    gave_up = true;
    if (m.kind == Kind::kData) {
      completions_.push_back({pdc.peer, pdc.flow, m.verb, m.bytes, m.tag, m.posted, true});
    }
  }
  for (const OpenRead& read : pdc.reads) {
    ++host_.stats().messages_failed;
    gave_up = true;
    completions_.push_back(
        {pdc.peer, pdc.flow, Verb::kRead, read.bytes, read.tag, read.posted, true});
  }
  if (gave_up) {
    pdc.last_done = now;
    flows_[pdc.statistics].stats.gave_up = true;
  }
  ++host_.uetStats().pdcs_failed;
  if (ConnectionStats* connections = host_.connections();
      connections && pdc.state == State::kSynSent && !pdc.returning) {
    ++connections->failed;
  }
  if (!closing) by_flow_.erase(pdcKey(pdc.peer, pdc.flow, pdc.returning));
  if (pdc.idle) clearIdle(slot);
  destroy(slot, true, now);
}

void UetSender::setIdle(std::uint32_t slot, Picoseconds now) {
  Pdc& pdc = pdcs_[slot];
  // The window's memory is for whoever is busy, and still in the cache.
  window_room_ = std::clamp(pdc.flight.rest(kMinWindowRoom), kMinWindowRoom, kMaxWindowRoom);
  pdc.idle = true;
  idle_places_[slot] = {idle_tail_, kNone, now};
  (idle_tail_ == kNone ? idle_head_ : idle_places_[idle_tail_].after) = slot;
  idle_tail_ = slot;
  updateNextClose();
  if (!waiting_.empty()) startWaiting(now);
}

void UetSender::clearIdle(std::uint32_t slot) {
  const IdlePlace& place = idle_places_[slot];
  (place.before == kNone ? idle_head_ : idle_places_[place.before].after) = place.after;
  (place.after == kNone ? idle_tail_ : idle_places_[place.after].before) = place.before;
  pdcs_[slot].idle = false;
  updateNextClose();
}

void UetSender::updateNextClose() {
  const Picoseconds after = host_.spec().close_after;
  const bool never = idle_head_ == kNone || after == kNever;
  next_close_ = never ? kNever : idle_places_[idle_head_].since + after;
}

void UetSender::closeIdle(Picoseconds now) {
  while (nextClose() <= now) beginClose(idle_head_, now);
}

std::uint32_t UetSender::cccFor(HostId peer, Picoseconds now) {
  const std::uint32_t found = ccc_of_.find(peer);
  if (found != kNone) return found;
  std::uint32_t index = static_cast<std::uint32_t>(cccs_.size());
  if (free_cccs_.empty()) {
    cccs_.emplace_back(window_rules_);
  } else {
    index = free_cccs_.back();
    free_cccs_.pop_back();
  }
  Ccc& ccc = cccs_[index];
  ccc.inflight = ccc.backlog = 0;
  ccc.wait_head = ccc.wait_tail = kNone;
  ccc.peer = peer;
  ccc.index = index;
  ccc.pdcs = 0;
  ccc.ready = 0;
  ccc.unanswered = 0;
  ccc.timer = false;
  ccc.asked_at = now;
  const std::uint32_t credit = credit_of_.find(peer);
  ccc.asked = credit == kNone ? 0 : credit;
  ccc.credit = RcccSource(credit_window_, ccc.asked);
  ccc.window = CongestionWindow(window_rules_, now);
  ccc_of_.set(peer, index);
  return index;
}

UetSender::CongestionView UetSender::congestion(HostId peer) const {
  const std::uint32_t index = ccc_of_.find(peer);
  if (index == kNone) return {};
  const Ccc& ccc = cccs_[index];
  return {ccc.window.bytes(), ccc.inflight, credit_ ? ccc.credit.unspent() : 0};
}

void UetSender::appendFlows(std::vector<FlowStats>& flows) const {
  const std::size_t first = flows.size();
  for (const Flow& flow : flows_) flows.push_back(flow.stats);
  for (const Pdc& pdc : pdcs_) {
    if (pdc.state == State::kFree || pdc.state == State::kDead) continue;
    count(pdc, flows[first + pdc.statistics]);
  }
}

void UetSender::appendPending(std::vector<PendingMessage>& messages) const {
  for (const Pdc& pdc : pdcs_) {
    if (pdc.state == State::kFree || pdc.state == State::kDead) continue;
    for (std::uint64_t n = pdc.messages.first(); n != pdc.messages.end(); ++n) {
      const TxMessage& m = pdc.messages[n];
      if (m.kind != Kind::kData || m.unacked == 0) continue;
      messages.push_back({ProtocolId::kUet, pdc.peer, pdc.flow, m.verb, m.tag, m.posted});
    }
    for (const OpenRead& read : pdc.reads) {
      messages.push_back(
          {ProtocolId::kUet, pdc.peer, pdc.flow, Verb::kRead, read.tag, read.posted});
    }
  }
}

}  // namespace plumbline::transport
