// Rules that not every packet meets: routing changes, lossless priorities, trimming, marking,
// credits.
#include <algorithm>
#include <bit>

#include "base/random.h"
#include "fabric/switch/switch_node.h"

namespace plumbline::fabric {

// The routing tables that hold at `now`; times do not go back.
void SwitchNode::useTablesOf(Picoseconds now) {
  while (now >= next_epoch_) {
    ++epoch_;
    table_ = routing_.epochs()[epoch_].routing.get();
    next_epoch_ =
        epoch_ + 1 < routing_.epochs().size() ? routing_.epochs()[epoch_ + 1].from : kNever;
  }
}

std::int64_t SwitchNode::queuedBytes(LinkId link) {
  Output& out = outputs_[links_[link].from_port];
  advance(out, now_);
  return out.account.bytes;
}

void SwitchNode::dropUnrouted(const Incoming& incoming, Picoseconds now) {
  const Packet& packet = *incoming.packet;
  outputs_[incoming.input].transmitter.drop(packet, DropReason::kNoRoute, now);
  const unsigned priority = packet.priority;
  if ((credited_ >> priority & 1U) == 0) return;
  const std::int32_t credits = creditsOf(*spec_.cbfc, packet.length);
  const unsigned channel = channels_.of(priority);
  freed_[incoming.input * 8 + channel].credits.arrive(credits);
  free(incoming.input, channel, credits, packet.length, now);
}

void SwitchNode::offerWithRules(Output& out, std::uint32_t input, const Packet& packet,
                                Picoseconds now) {
  const unsigned priority = packet.priority;
  if ((out.discarding >> priority & 1U) != 0) {
    out.transmitter.drop(packet, DropReason::kWatchdog, now);
    return;
  }
  if ((lossless_ >> priority & 1U) != 0) {
    offerLossless(out, input, packet, now);
    return;
  }
  const std::int64_t depth = out.classes[priority].queued;
  Charge charge = Charge::kOutput;
  if ((credited_ >> priority & 1U) != 0) {
    charge = Charge::kCredit;
    const std::int32_t credits = creditsOf(*spec_.cbfc, packet.length);
    freed_[input * 8 + channels_.of(priority)].credits.arrive(credits);
    SwitchBuffer::chargeAlways(out.account, packet.length);
  } else {
    const bool may_trim = spec_.trim && packet.trimmable && !packet.trimmed;
    if ((may_trim && depth + packet.length > spec_.trim->threshold.count()) ||
        !fits(out, priority, packet.length, now)) {
      if (may_trim) {
        trim(out, input, packet, depth, now);
      } else {
        out.transmitter.drop(packet, DropReason::kBufferFull, now);
      }
      return;
    }
    if (packet.trimmed && spec_.trim && depth + packet.length > spec_.trim->limit.count()) {
      out.transmitter.drop(packet, DropReason::kTrimmedFull, now);
      return;
    }
    buffer_.chargeOutput(out.account, packet.length);
  }
  enqueue(out, packet, input, charge, depth, now);
}

bool SwitchNode::fits(const Output& out, unsigned priority, std::int64_t length, Picoseconds now) {
  if (buffer_.fits(out.account, out.classes[priority].queued, length)) return true;
  if (!buffer_.isShared()) return false;  // a matter of this output alone, which is up to date
  bringUp(now);
  return buffer_.fits(out.account, out.classes[priority].queued, length);
}

bool SwitchNode::needsHeadroom(std::uint32_t input, unsigned priority, std::int64_t length,
                               Picoseconds now) {
  bringUp(now);
  if (!buffer_.overXoff(input, priority, length)) return false;
  askToPause(input, priority, true, now);
  return buffer_.sharedFull(length);
}

void SwitchNode::trim(Output& out, std::uint32_t input, Packet packet, std::int64_t depth,
                      Picoseconds now) {
  packet.length = std::min(packet.length, static_cast<std::uint16_t>(spec_.trim->keep.count()));
  packet.trimmed = true;
  packet.trimmed_last_hop = host_ports_[out.port];
  packet.priority = spec_.trim->priority & 7U;
  ++out.transmitter.counters().trimmed;
  recorder().note({.time = now,
                   .link = out.transmitter.id(),
                   .kind = RecordKind::kTrim,
                   .priority = packet.priority,
                   .value = depth,
                   .packet = packet});
  offerWithRules(out, input, packet, now);
}

bool SwitchNode::drawMark(Output& out, unsigned priority, std::int64_t depth) const {
  const Marking& rule = marking_[priority];
  if (depth > rule.kmax) return true;
  // p = pmax (q - kmin) / (kmax - kmin), compared without a division.
  const std::uint64_t random = mix64(out.mark_seed + ++out.marks) >> 32;
  const auto scaled = static_cast<Int128>(random) * (rule.kmax - rule.kmin) * Fraction::kOne;
  const auto bound = (static_cast<Int128>(rule.pmax) * (depth - rule.kmin)) << 32;
  return scaled < bound;
}

void SwitchNode::recordMark(const Output& out, const Packet& packet, std::int64_t depth,
                            Picoseconds now) {
  recorder().note({.time = now,
                   .link = out.transmitter.id(),
                   .kind = RecordKind::kMark,
                   .priority = packet.priority,
                   .value = depth,
                   .packet = packet});
}

// Of a packet without a mark that found more than kmin: marked once is marked.
void SwitchNode::markByDepth(Output& out, Packet& packet, std::int64_t depth, Picoseconds now) {
  if (!drawMark(out, packet.priority, depth)) return;
  packet.ce = true;
  noteMark(out, depth, now, [&packet] { return packet; });
}

// A PAUSE frame, an LLR replay or a CC_Update, which go before everything that waits.
void SwitchNode::sendUrgent(Output& out, Picoseconds now) {
  if (out.pause_enabled != 0) {
    out.transmitter.sendPause({.at = {},
                               .enabled = out.pause_enabled,
                               .xoff = out.pause_xoff,
                               .value = spec_.pfc->quanta},
                              now);
    out.pause_enabled = 0;
  } else if (out.transmitter.replayAt() <= now) {
    out.transmitter.replay(now);
  } else {
    tellConsumed(out, now);
  }
}

// Of `candidates`, those whose first frame has credits on its channel.
PriorityMask SwitchNode::withCredits(const Output& out, PriorityMask candidates) const {
  for (auto left = static_cast<PriorityMask>(candidates & credited_); left != 0; left &= left - 1) {
    const auto p = static_cast<unsigned>(std::countr_zero(left));
    const std::int64_t length = out.classes[p].queue.front().packet.length;
    const unsigned channel = channels_.of(p);
    if (!out.credits[channel].cover(creditsOf(*spec_.cbfc, length), channels_.limit(channel))) {
      candidates &= static_cast<PriorityMask>(~(1U << p));
    }
  }
  return candidates;
}

void SwitchNode::giveBackCredits(const Leaving& frame, Picoseconds now) {
  free(frame.input, channels_.of(frame.priority), creditsOf(*spec_.cbfc, frame.length),
       frame.length, now);
}

}  // namespace plumbline::fabric
