#include "transport/roce/roce_protocol.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "base/random.h"

namespace plumbline::transport {

namespace {

constexpr std::int64_t kDefaultWindow = std::int64_t{1} << 22;

const RoceSpec& validated(const RoceSpec& spec) {
  validate(spec);
  return spec;
}

}  // namespace

RoceProtocol::RoceProtocol(const RoceSpec& spec, const HostContext& context)
    : spec_(validated(spec)),
      context_(context),
      clock_(context.rate),
      frames_(spec),
      rate_control_(spec.dcqcn, context.rate),
      window_(spec.window_packets == 0 ? kDefaultWindow : spec.window_packets),
      mtu_shift_(static_cast<unsigned>(std::countr_zero(spec.path_mtu))),
      ack_mask_(std::has_single_bit(spec.ack_every) ? spec.ack_every - 1U : kNoMask),
      data_header_{.source = static_cast<std::uint16_t>(context.self),
                   .priority = static_cast<std::uint8_t>(spec.data_priority & 7U),
                   .ect = spec.ect,
                   .opcode = opcodeOf(ProtocolId::kRoce, 0)} {
  if (spec_.cm) connections_ = std::make_unique<RoceConnections>(*spec_.cm, context.self);
  if (context.self > kMaxHost) {
    throw Error(ErrorKind::kUsage, "RoCE: the host's number is out of range", {}, "0 to 65535");
  }
}

std::uint32_t RoceProtocol::createQp(HostId peer, std::uint32_t flow) {
  const std::uint32_t index = qps_.take();
  table_.insert(qpNumber(peer, flow), index);
  Qp& qp = qps_[index];
  qp.peer = static_cast<std::uint16_t>(peer);
  qp.flow = static_cast<std::uint8_t>(flow);
  qp.flow_hash = roceFlowHash(spec_, context_.seed, context_.self, peer, flow);
  if (rate_control_.startsBelowLine()) {
    qp.rate = rates_.take();
    rates_[qp.rate] = rate_control_.initial();
  }
  return index;
}

void RoceProtocol::post(const Message& message, Picoseconds now) {
  if (message.flow > kMaxFlow || message.bytes == 0 || message.bytes > kMaxMessage ||
      message.to > kMaxHost || message.to == context_.self) {
    throw Error(ErrorKind::kUsage, "RoCE: a message cannot be posted", {},
                "another host, flow 0 to 255, 1 to 2^40 - 1 bytes");
  }
  if (spec_.service == RoceService::kUc && message.verb == Verb::kRead) {
    throw Error(ErrorKind::kUsage, "RoCE: unreliable connections have no READ", {}, "service RC");
  }
  const std::uint32_t index = openQp(message.to, message.flow);
  Qp& qp = qps_[index];
  const std::uint32_t slot = messages_.take();
  const auto packets =
      static_cast<PacketNumber>((message.bytes + spec_.path_mtu - 1) >> mtu_shift_);
  messages_[slot] = {.bytes = message.bytes,
                     .posted = now,
                     .first = qp.posted,
                     .end = qp.posted + packets,
                     .tag = message.tag,
                     .following = kNone,
                     .verb = message.verb};
  qp.posted += packets;
  if (qp.head == kNone) {
    qp.head = slot;
  } else {
    messages_[qp.tail].following = slot;
  }
  qp.tail = slot;
  if (connections_ && !connections_->isOpen(index)) {
    connections_->open(index, now);
    applyConnections(now);
  } else if (qp.cursor == kNone) {
    qp.cursor = slot;
  }
  if (!qp.posts_data && !qp.posts_reads) {
    if (index >= first_posted_.size()) first_posted_.resize(index + 1, kNever);
    first_posted_[index] = now;
    qp.eligible = std::max(qp.eligible, now + spec_.setup_time);
  }
  (message.verb == Verb::kRead ? qp.posts_reads : qp.posts_data) = true;
  if (qp.failed && qp.deadline == kNever) startTimer(qp, index, now);
  schedule(index, now);
  updateWake();
}

// QPs that have been connected begin with their first message, those that could not be fail all.
void RoceProtocol::applyConnections(Picoseconds now) {
  std::vector<RoceConnections::Event>& events = connections_->events();
  // An application may post when it is notified of a failure, which adds events.
  for (std::size_t i = 0; i < events.size(); ++i) {
    const RoceConnections::Event event = events[i];
    Qp& qp = qps_[event.qp];
    if (event.connected) {
      qp.cursor = qp.head;
      schedule(event.qp, now);
    } else {
      qp.failed = true;
      startTimer(qp, event.qp, now);  // failures are reported later, like those of later messages
    }
  }
  events.clear();
}

bool RoceProtocol::transmitConnection(fabric::PriorityMask paused, fabric::Packet& packet) {
  if (!connections_->hasPacket() || (paused >> connections_->priority() & 1U) != 0) return false;
  const RoceConnections::Outgoing next = connections_->receivePacket();
  fillControl(qps_[next.qp], next.code, connections_->priority(), false, packet);
  packet.length = frames_.bytes(next.code, 0);
  ++stats_.control_sent;
  return true;
}

void RoceProtocol::transmitCnp(fabric::Packet& packet) {
  Qp& qp = qps_[cnps_.front()];
  cnps_.pop();
  qp.cnp_queued = false;
  fillControl(qp, roce_code::kCnp, spec_.cnp_priority, false, packet);
  packet.length = frames_.bytes(roce_code::kCnp, 0);
  ++stats_.control_sent;
  ++stats_.cnp_sent;
}

// Paces the QP: the frame that has just begun to leave delays the next one according to the rate.
void RoceProtocol::payAtRate(Qp& qp, std::uint16_t length) {
  RateControl::State& rate = rates_[qp.rate];
  rate_control_.onSent(rate, length, qp.started);
  qp.eligible = rate_control_.paidAt(rate, qp.started, qp.started_bytes);
}

void RoceProtocol::fillControl(const Qp& qp, std::uint8_t code, std::uint8_t priority, bool ect,
                               fabric::Packet& packet) const {
  fillHeader(qp, code, packet);
  packet.priority = static_cast<std::uint8_t>(priority & 7U);
  packet.ect = ect;
}

// A data packet came with CE.
void RoceProtocol::notify(Qp& qp, std::uint32_t index, Picoseconds now) {
  ++stats_.ce_received;
  ++qp.ce_received;
  if (!spec_.dcqcn.enabled || now < qp.cnp_allowed || qp.cnp_queued) return;
  qp.cnp_allowed = now + spec_.dcqcn.cnp_interval;
  qp.cnp_queued = true;
  cnps_.push(index);
}

void RoceProtocol::onCnp(std::uint32_t index, Picoseconds now) {
  ++stats_.cnp_received;
  if (!spec_.dcqcn.enabled) return;
  Qp& qp = qps_[index];
  if (qp.rate == kNone) {
    qp.rate = rates_.take();
    rates_[qp.rate] = rate_control_.firstCnp(now);
  } else {
    rate_control_.onCnp(rates_[qp.rate], now);
  }
  if (qp.started_bytes > 0) {
    const Picoseconds paid = rate_control_.paidAt(rates_[qp.rate], qp.started, qp.started_bytes);
    qp.eligible = std::max(qp.eligible, paid);
  }
}

void RoceProtocol::wake(Picoseconds now) {
  while (!paced_.empty() && paced_.top().time <= now) {
    const std::uint32_t index = paced_.top().index;
    paced_.pop();
    qps_[index].state = Qp::State::kIdle;
    schedule(index, now);
  }
  while (!timeouts_.empty() && timeouts_.top().time <= now) {
    const TimerHeap::Entry entry = timeouts_.top();
    timeouts_.pop();
    if (qps_[entry.index].timer_at == entry.time) onTimer(entry.index, now);
  }
  if (connections_) {
    connections_->wake(now);
    applyConnections(now);
  }
  updateWake();
}

void RoceProtocol::updateWake() {
  Picoseconds at = paced_.empty() ? kNever : paced_.top().time;
  if (!timeouts_.empty()) at = std::min(at, timeouts_.top().time);
  if (connections_) at = std::min(at, connections_->wakeAt());
  setWakeAt(at);
  setHasFrames(!ready_.empty() || !acks_.empty() || !cnps_.empty() ||
               (connections_ && connections_->hasPacket()));
}

double RoceProtocol::rateOf(HostId peer, std::uint32_t flow, Picoseconds now) const {
  const std::uint32_t index = table_.find(qpNumber(peer, flow));
  if (index == kNone || qps_[index].rate == kNone) {
    return static_cast<double>(context_.rate.bitsPerSecond());
  }
  RateControl::State state = rates_[qps_[index].rate];
  rate_control_.advance(state, now);
  return state.current;
}

void RoceProtocol::appendFlows(std::vector<FlowStats>& flows) const {
  for (std::uint32_t i = 0; i < qps_.size(); ++i) {
    const Qp& qp = qps_[i];
    const bool posts = qp.posts_data || qp.posts_reads;
    if (qp.packets_sent > 0 || posts) {
      FlowStats& flow = flows.emplace_back();
      flow.peer = qp.peer;
      flow.flow = qp.flow;
      flow.payload_acknowledged = qp.payload_done;
      if (qp.head != kNone && messages_[qp.head].verb != Verb::kRead &&
          qp.acknowledged > messages_[qp.head].first) {
        flow.payload_acknowledged +=
            static_cast<std::uint64_t>(qp.acknowledged - messages_[qp.head].first) << mtu_shift_;
      }
      flow.packets_sent = qp.packets_sent;
      flow.packets_retransmitted = qp.packets_retransmitted;
      flow.posts_data = qp.posts_data;
      flow.posts_reads = qp.posts_reads;
      flow.gave_up = qp.failed;
      if (posts) flow.first_posted = first_posted_[i];
      flow.first_sent = qp.first_sent;
      flow.last_done = qp.last_completion;
    }
    const bool passes = spec_.service == RoceService::kUc && qp.expected > 0;
    if (qp.payload_received > 0 || qp.ce_received > 0 || passes) {
      FlowStats& flow = flows.emplace_back();
      flow.peer = qp.peer;
      flow.flow = qp.flow;
      flow.payload_received = qp.payload_received;
      flow.ce_received = qp.ce_received;
      if (passes) flow.passed = static_cast<std::uint32_t>(qp.expected);
      flow.last_done = qp.last_arrival;
    }
  }
}

void RoceProtocol::appendPending(std::vector<PendingMessage>& messages) const {
  for (std::uint32_t i = 0; i < qps_.size(); ++i) {
    const Qp& qp = qps_[i];
    for (std::uint32_t slot = qp.head; slot != kNone; slot = messages_[slot].following) {
      const OpenMessage& message = messages_[slot];
      messages.push_back({id(), qp.peer, qp.flow, message.verb, message.tag, message.posted});
    }
  }
}

}  // namespace plumbline::transport
