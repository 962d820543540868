// The requester's half of the RoCE endpoint: messages from their first packet to their completion.
#include <algorithm>
#include <bit>

#include "transport/roce/roce_protocol.h"

namespace plumbline::transport {

namespace {

constexpr PacketNumber kBitmapBits = 64;

}  // namespace

// The open message that `number` belongs to; kNone when all up to it are done or none was posted.
std::uint32_t RoceProtocol::messageOf(const Qp& qp, PacketNumber number) const {
  std::uint32_t slot = qp.head;
  while (slot != kNone && messages_[slot].end <= number) slot = messages_[slot].following;
  return slot;
}

// The same of a READ.
std::uint32_t RoceProtocol::fillRead(Qp& qp, std::uint32_t index, const OpenMessage& message,
                                     PacketNumber number, Picoseconds now, fabric::Packet& packet) {
  const PacketNumber place = number - message.first;
  const PacketNumber count =
      std::min(message.end - number, kMaxReadPackets - place % kMaxReadPackets);
  const std::uint64_t offset = static_cast<std::uint64_t>(place) << mtu_shift_;
  fillData(qp, roce_code::kReadRequest, 0, true, number, now, packet);
  packet.extra = std::min(message.bytes - offset, static_cast<std::uint64_t>(count) << mtu_shift_);
  qp.awaited = std::max(qp.awaited, number + count - 1);
  if (qp.deadline == kNever) startTimer(qp, index, now);
  ++stats_.control_sent;
  return static_cast<std::uint32_t>(count);
}

// Everything below `below` is at the receiver. Only their responses complete READs, so the
// acknowledged part ends before the first READ with missing responses.
void RoceProtocol::acknowledge(Qp& qp, std::uint32_t index, PacketNumber below, Picoseconds now) {
  if (below <= qp.acknowledged) return;
  PacketNumber acknowledged = below;
  for (std::uint32_t slot = qp.head; slot != kNone; slot = messages_[slot].following) {
    const OpenMessage& message = messages_[slot];
    if (message.first >= below) break;
    if (message.verb == Verb::kRead) {
      acknowledged = std::max(qp.acknowledged, message.first);
      break;
    }
  }
  progress(qp, index, acknowledged, now);
}

// The acknowledged part now ends at `acknowledged`: completes the messages below.
void RoceProtocol::progress(Qp& qp, std::uint32_t index, PacketNumber acknowledged,
                            Picoseconds now) {
  if (acknowledged <= qp.acknowledged) return;
  qp.acknowledged = acknowledged;
  qp.timeouts = 0;
  qp.recovering = false;
  if (qp.next < acknowledged) {  // skips retransmissions of packets that have arrived meanwhile
    qp.next = acknowledged;
    qp.cursor = messageOf(qp, acknowledged);
  }
  if (qp.awaited >= acknowledged) {
    startTimer(qp, index, now);
  } else {
    qp.deadline = kNever;
  }
  while (qp.head != kNone && messages_[qp.head].end <= qp.acknowledged) {
    completeHead(qp, false, now);
  }
}

// Ends the oldest message of the QP and notifies the application, which may post another.
void RoceProtocol::completeHead(Qp& qp, bool failed, Picoseconds now) {
  const std::uint32_t slot = qp.head;
  const OpenMessage message = messages_[slot];
  qp.head = message.following;
  if (qp.head == kNone) qp.tail = kNone;
  messages_.release(slot);
  if (failed) {
    ++stats_.messages_failed;
  } else {
    ++stats_.messages_completed;
    if (message.verb != Verb::kRead) qp.payload_done += message.bytes;
  }
  qp.last_completion = now;
  if (context_.application == nullptr) return;
  context_.application->onCompletion({.to = qp.peer,
                                      .flow = qp.flow,
                                      .verb = message.verb,
                                      .bytes = message.bytes,
                                      .tag = message.tag,
                                      .posted = message.posted,
                                      .failed = failed,
                                      .acknowledged = spec_.service == RoceService::kRc,
                                      .number = static_cast<std::uint32_t>(message.end)},
                                     now);
}

// Sends everything from `to` on again.
void RoceProtocol::rewind(Qp& qp, std::uint32_t index, PacketNumber to, Picoseconds now) {
  qp.next = to;
  qp.cursor = messageOf(qp, to);
  qp.lost = 0;
  qp.judged = to;
  if (qp.deadline != kNever) startTimer(qp, index, now);
}

// READ responses are missing: requests them again, once until there is progress.
void RoceProtocol::requestRetransmission(Qp& qp, std::uint32_t index, Picoseconds now) {
  if (qp.recovering) return;
  qp.recovering = true;
  rewind(qp, index, qp.acknowledged, now);
}

// `base` is missing at the receiver; bit i of `present` is set if it has base + i.
void RoceProtocol::judgeLosses(Qp& qp, PacketNumber base, std::uint64_t present) const {
  const PacketNumber gone = base - qp.lost_base;
  qp.lost = gone < kBitmapBits ? qp.lost >> gone : 0;
  qp.lost_base = base;
  const PacketNumber latest = base + static_cast<PacketNumber>(std::bit_width(present)) - 1;
  const PacketNumber end = latest - static_cast<PacketNumber>(spec_.reorder_tolerance);
  for (PacketNumber number = std::max(base, qp.judged); number < end; ++number) {
    const std::uint64_t bit = std::uint64_t{1} << (number - base);
    if ((present & bit) == 0) qp.lost |= bit;
  }
  qp.judged = std::max(qp.judged, end);
}

void RoceProtocol::onAck(std::uint32_t index, const fabric::Packet& packet, Picoseconds now) {
  Qp& qp = qps_[index];
  const auto kind = static_cast<AckKind>(packet.aux);
  const PacketNumber number = numberOf(packet.psn, spec_.first_psn, qp.acknowledged);
  const PacketNumber below = kind == AckKind::kAck ? number + 1 : number;
  if (kind != AckKind::kAck) {
    ++stats_.nack_received;
    stats_.first_nack = std::min(stats_.first_nack, now);
  }
  if (below > qp.highest || qp.failed) return;
  acknowledge(qp, index, below, now);
  if (kind == AckKind::kAck) {
    // The responder answers in order: responses to a READ that it has passed were lost.
    if (qp.acknowledged < below) requestRetransmission(qp, index, now);
  } else if (kind == AckKind::kNak) {
    if (below >= qp.acknowledged && below < qp.next) rewind(qp, index, below, now);
  } else if (below >= qp.lost_base) {
    judgeLosses(qp, below, packet.extra);
  }
  schedule(index, now);
}

void RoceProtocol::onReadResponse(std::uint32_t index, const RoceMeaning& meaning,
                                  const fabric::Packet& packet, Picoseconds now) {
  Qp& qp = qps_[index];
  countArrival(qp, index, packet, now);
  const PacketNumber number = numberOf(packet.psn, spec_.first_psn, qp.acknowledged);
  if (number < qp.acknowledged) {
    ++stats_.duplicates;
    return;
  }
  if (number >= qp.highest || qp.failed) {
    ++stats_.discarded;
    return;
  }
  acknowledge(qp, index, number, now);
  if (number > qp.acknowledged) {
    ++stats_.out_of_order;
    ++stats_.discarded;
    requestRetransmission(qp, index, now);
    schedule(index, now);
    return;
  }
  const std::uint32_t payload = DataInfo::unpack(packet.extra).payload;
  const OpenMessage read = messages_[qp.head];
  qp.read_bytes += payload;
  qp.payload_received += payload;
  stats_.payload_received += payload;
  qp.last_arrival = now;
  if (meaning.last && number + 1 == read.end) {
    const std::uint64_t bytes = qp.read_bytes;
    qp.read_bytes = 0;
    if (context_.application != nullptr) {
      context_.application->onArrival(
          {.from = qp.peer, .flow = qp.flow, .verb = Verb::kRead, .bytes = bytes, .tag = read.tag},
          now);
    }
  }
  progress(qp, index, number + 1, now);
  schedule(index, now);
}

// (Re)starts the QP's timeout.
void RoceProtocol::startTimer(Qp& qp, std::uint32_t index, Picoseconds now) {
  Picoseconds timeout = spec_.ack_timeout;
  if (spec_.exponential_backoff) {
    for (std::uint32_t i = 0; i < qp.timeouts && timeout < spec_.max_ack_timeout; ++i) {
      timeout = std::min(timeout * 2, spec_.max_ack_timeout);
    }
  }
  qp.deadline = now + timeout;
  // An entry that is too early corrects itself when its time comes.
  if (qp.timer_at <= qp.deadline) return;
  qp.timer_at = qp.deadline;
  timeouts_.push(qp.deadline, index);
}

void RoceProtocol::onTimer(std::uint32_t index, Picoseconds now) {
  Qp& qp = qps_[index];
  qp.timer_at = kNever;
  if (qp.deadline == kNever) return;
  if (qp.deadline > now) {
    qp.timer_at = qp.deadline;
    timeouts_.push(qp.deadline, index);
    return;
  }
  if (qp.failed) {
    failMessages(qp, now);
    return;
  }
  ++stats_.timeouts;
  if (++qp.timeouts > spec_.retry_count) {
    qp.failed = true;
    failMessages(qp, now);
    return;
  }
  rewind(qp, index, qp.acknowledged, now);
  schedule(index, now);
}

// Completes all messages that are open now as failed. Messages that the application then posts wait
// for the next timer, so that repeated posting takes simulated time.
void RoceProtocol::failMessages(Qp& qp, Picoseconds now) {
  qp.deadline = kNever;
  qp.cursor = kNone;
  const std::uint32_t last = qp.tail;
  bool more = qp.head != kNone;
  while (more) {
    more = qp.head != last;
    completeHead(qp, true, now);
  }
}

}  // namespace plumbline::transport
