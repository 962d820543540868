#include "fabric/engine/host_node.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

namespace plumbline::fabric {
namespace {

// Arrivals of a window from which on the endpoint is told of them beforehand: with fewer, fetching
// costs as much as it saves. At most so many as a cache can fetch at a time.
constexpr std::size_t kMinExpectedPackets = 4;
constexpr std::size_t kMaxExpectedPackets = 64;

}  // namespace

HostNode::HostNode(Setup setup)
    : NodeModel(1),
      host_(setup.host),
      spec_(*setup.spec),
      transmitter_(std::move(setup.transmitter), *setup.output, recorder()),
      incoming_queue_(*setup.input),
      ingress_(incoming_queue_),
      credited_(spec_.cbfc ? spec_.cbfc->channels : PriorityMask{0}),
      channels_(spec_.cbfc ? VirtualChannels(*spec_.cbfc) : VirtualChannels()) {
  for (const PauseStormSpec& storm : setup.storms) {
    storms_.push_back({storm, storm.start});
    storm_ = std::min(storm_, storm.start);
  }
}

void HostNode::attach(Endpoint& endpoint) {
  endpoint_ = &endpoint;
  transmitter_.enableRetry();
  // It may have frames from time 0 on.
  decision_ = Picoseconds(0);
}

Picoseconds HostNode::run(Picoseconds /*begin*/, Picoseconds end) {
  ingress_.refresh(end, readControlFlag(0));
  if (ingress_.stage() != nullptr) {
    for (const InFlightPacket& dropped : ingress_.stage()->dropped()) {
      transmitter_.drop(dropped.packet, DropReason::kScripted, dropped.at);
    }
    ingress_.stage()->dropped().clear();
  }
  Picoseconds next = kNever;
  if (endpoint_ != nullptr) {
    if (endpoint_->fetchesAhead() && ingress_.packets().visible() >= kMinExpectedPackets) {
      announceArrivals(end);
    }
    if (isUnrestrictedUntil(end)) {
      runUnrestricted(end);
    } else {
      runEndpoint(end);
    }
    next = std::min(decision_, endpoint_->wakeAt());
    const PriorityMask paused = transmitter_.pausedAt(end - Picoseconds(1));
    if (paused != 0) next = std::min(next, transmitter_.resumesAt(paused));
  } else {
    deliverAll(end);
  }
  return std::min({next, storm_, consumed_due_, ingress_.next()});
}

void HostNode::prefetch() const {
  incoming_queue_.prefetchReceiver();
  transmitter_.queue().prefetchSender();
  if (endpoint_ != nullptr && endpoint_->fetchesAhead()) endpoint_->expect({});
}

void HostNode::announceArrivals(Picoseconds end) const {
  std::array<const Packet*, kMaxExpectedPackets>
      expected;  // NOLINT(*-member-init): filled in below
  std::size_t count = 0;
  ingress_.packets().visit([&](const InFlightPacket& in_flight) {
    if (in_flight.at >= end || count == expected.size()) return false;
    expected[count++] = &in_flight.packet;
    return true;
  });
  endpoint_->expect(std::span(expected).first(count));
}

void HostNode::runEndpoint(Picoseconds end) {
  SpscRing<InFlightPacket>& packets = ingress_.packets();
  Ring<LinkControl>& control = ingress_.control();
  Picoseconds last{INT64_MIN};
  for (;;) {
    const Picoseconds control_at = control.empty() ? kNever : control.front().at;
    const Picoseconds arrives = packets.empty() ? kNever : packets.front().at;
    // A wake-up that is overdue happens now.
    const Picoseconds wakes = later(endpoint_->wakeAt(), last);
    const Picoseconds timer = earlier(storm_, consumed_due_);
    const Picoseconds now =
        earlier(earlier(earlier(control_at, timer), earlier(arrives, wakes)), decision_);
    if (now >= end) return;
    last = now;
    if (control_at == now) {
      receiveControl(now);
    } else if (arrives == now) {
      receivePacket(now);
    } else if (wakes == now) {
      endpoint_->wake(now);
      updateDecision(now);
    } else if (timer == now) {
      runTimers(now);
    } else {
      useWire(now);
    }
  }
}

void HostNode::deliverAll(Picoseconds end) {
  Ring<LinkControl>& control = ingress_.control();
  SpscRing<InFlightPacket>& packets = ingress_.packets();
  for (;;) {
    const Picoseconds control_at = control.empty() ? kNever : control.front().at;
    const Picoseconds arrives = packets.empty() ? kNever : packets.front().at;
    if (earlier(control_at, arrives) >= end) break;
    if (control_at <= arrives) {
      const LinkControl item = control.front();
      control.pop();
      if (item.kind == LinkControl::Kind::kPause) {
        pause_deliveries_.push_back({item.at, host_, item});
      } else if (item.kind == LinkControl::Kind::kConsumed) {
        freeLost(item, item.at);
      }
    } else {
      const InFlightPacket in_flight = packets.front();
      packets.pop();
      ++received_;
      deliveries_.push_back({in_flight.at, host_, in_flight.packet});
      freeArrived(in_flight.packet, in_flight.at);
    }
  }
  while (storm_ < end) runStorms(storm_);
}

void HostNode::receiveControl(Picoseconds now) {
  Ring<LinkControl>& control = ingress_.control();
  const LinkControl item = control.front();
  control.pop();
  switch (item.kind) {
    case LinkControl::Kind::kPause:
      transmitter_.receivePause(item, now);
      break;
    case LinkControl::Kind::kFreed:
      sending_[static_cast<unsigned>(std::countr_zero(item.enabled))].learnFreed(item.value);
      break;
    case LinkControl::Kind::kConsumed:
      freeLost(item, now);
      return;
  }
  decision_ = later(transmitter_.freeAt(), now);
}

void HostNode::receivePacket(Picoseconds now) {
  SpscRing<InFlightPacket>& packets = ingress_.packets();
  const Packet& packet = packets.front().packet;
  ++received_;
  freeArrived(packet, now);
  endpoint_->receive(packet, now);
  packets.pop();
  updateDecision(now);
}

// The wire is free, and the endpoint may have a frame.
void HostNode::useWire(Picoseconds now) {
  const bool unrestricted = this->unrestricted();
  if (unrestricted && !endpoint_->hasFrames()) {
    decision_ = kNever;
    return;
  }
  const Picoseconds start = transmitter_.startsAt(now);
  if (start > now) {
    decision_ = start;
    return;
  }
  if (!unrestricted && sendUrgent(now)) {
    decision_ = transmitter_.freeAt();
    return;
  }
  Packet& packet = transmitter_.slot();
  const PriorityMask held = unrestricted ? PriorityMask{0} : blocked(now);
  if (!transmitter_.full() && endpoint_->transmit(now, held, packet)) {
    packet.source = static_cast<std::uint16_t>(host_);
    if ((credited_ >> packet.priority & 1U) == 0 || takeCredits(packet, now)) {
      transmitter_.commit(now);
    }
    updateDecision(now);
  } else {
    decision_ =
        unrestricted ? kNever : std::min(transmitter_.resumesAt(0xFF), transmitter_.replayAt());
  }
}

// Takes the credits of a frame that leaves now. Returns false for one that needs more than its
// channel can ever have: it stands at the head of the channel for good.
bool HostNode::takeCredits(const Packet& packet, Picoseconds now) {
  const unsigned channel = channels_.of(packet.priority);
  const std::int32_t credits = creditsOf(*spec_.cbfc, packet.length);
  if (std::int64_t{credits} > std::int64_t{channels_.limit(channel)}) {
    standing_ |= static_cast<PriorityMask>(1U << channel);
    return false;
  }
  sending_[channel].consume(credits);
  if (consumed_due_ == kNever && !consumed_waiting_) setConsumedTimer(now);
  return true;
}

// Sends a PAUSE frame, an LLR replay or a CC_Update, which go before the endpoint's frames. Returns
// false if there is none.
bool HostNode::sendUrgent(Picoseconds now) {
  if (pause_enabled_ != 0) {
    transmitter_.sendPause(
        {.at = {}, .enabled = pause_enabled_, .xoff = pause_xoff_, .value = 0xFFFF}, now);
    pause_enabled_ = 0;
    return true;
  }
  if (transmitter_.replayAt() <= now) {
    transmitter_.replay(now);
    return true;
  }
  if (!consumed_waiting_ || transmitter_.retrying() != 0) return false;
  consumed_waiting_ = false;
  const bool arrives = transmitter_.sendConsumed(channels_.channels(), sending_, now);
  if (!arrives && !transmitter_.permanentlyDown()) setConsumedTimer(now);
  return true;
}

// Paused priorities, and those without credits. The length of the endpoint's next frame is unknown
// here, so a channel needs credits for the longest frame, or all its credits if these are fewer.
PriorityMask HostNode::blocked(Picoseconds now) {
  PriorityMask blocked = transmitter_.pausedAt(now);
  for (PriorityMask left = credited_; left != 0; left &= left - 1) {
    const auto p = static_cast<unsigned>(std::countr_zero(left));
    const unsigned channel = channels_.of(p);
    const std::uint32_t limit = channels_.limit(channel);
    const std::int32_t needed =
        std::min(creditsOf(*spec_.cbfc, kLongestFrame.count()), static_cast<std::int32_t>(limit));
    if ((standing_ >> channel & 1U) != 0 || !sending_[channel].cover(needed, limit)) {
      blocked |= static_cast<PriorityMask>(1U << p);
    }
  }
  return blocked;
}

void HostNode::freeArrived(const Packet& packet, Picoseconds now) {
  if ((credited_ >> packet.priority & 1U) == 0) return;
  const unsigned channel = channels_.of(packet.priority);
  const std::int32_t credits = creditsOf(*spec_.cbfc, packet.length);
  receiving_[channel].arrive(credits);
  receiving_[channel].free(credits);
  sendFreed(channel, now);
}

void HostNode::freeLost(const LinkControl& item, Picoseconds now) {
  const auto channel = static_cast<unsigned>(std::countr_zero(item.enabled));
  const std::int32_t lost = receiving_[channel].learnConsumed(item.value);
  if (lost == 0) return;
  receiving_[channel].free(lost);
  sendFreed(channel, now);
}

void HostNode::sendFreed(unsigned channel, Picoseconds now) {
  PropagationQueue& queue = transmitter_.queue();
  do {
    queue.sendControl({.at = now + queue.propagation + spec_.cbfc->processing,
                       .enabled = static_cast<PriorityMask>(1U << channel),
                       .kind = LinkControl::Kind::kFreed,
                       .value = receiving_[channel].reportFreed()});
  } while (receiving_[channel].unreported() != 0);
}

// As in a switch: the timer runs only while there are consumed credits to report.
void HostNode::setConsumedTimer(Picoseconds now) {
  const Picoseconds period = spec_.cbfc->consumed_period;
  consumed_due_ = period == Picoseconds(0) ? kNever : now + period;
}

void HostNode::runTimers(Picoseconds now) {
  if (storm_ == now) runStorms(now);
  if (consumed_due_ != now) return;
  consumed_due_ = kNever;
  consumed_waiting_ = true;
  decision_ = later(transmitter_.freeAt(), now);
}

// A storm repeats its PAUSE frame after half of the pause time and ends it with a time of 0.
void HostNode::runStorms(Picoseconds now) {
  const Picoseconds refresh = stormRefresh(transmitter_.clock().serialization(kControlFrameBytes));
  storm_ = kNever;
  PriorityMask changed = 0;
  PriorityMask stormy = 0;
  for (Storm& storm : storms_) {
    const Picoseconds end = storm.spec.start + storm.spec.duration;
    const PriorityMask priorities = storm.spec.priorities;
    if (storm.spec.start <= now && now < end) stormy |= priorities;
    if (storm.next == now) {
      changed |= priorities;
      storm.next = now >= end ? kNever : std::min(now + refresh, end);
    }
    storm_ = std::min(storm_, storm.next);
  }
  // Of a priority with several storms, until the last one of them ends.
  pause_enabled_ |= changed;
  pause_xoff_ = static_cast<PriorityMask>((pause_xoff_ & ~changed) | (stormy & changed));
  if (pause_enabled_ == 0) return;
  if (endpoint_ != nullptr) {
    decision_ = later(transmitter_.freeAt(), now);
  } else {
    // The wire of a tester's port is the caller's, so the PAUSE frame does not occupy it.
    ++transmitter_.counters().control;
    PropagationQueue& queue = transmitter_.queue();
    queue.sendControl({.at = now + queue.control_delay,
                       .enabled = pause_enabled_,
                       .xoff = pause_xoff_,
                       .value = 0xFFFF});
    pause_enabled_ = 0;
  }
}

const LinkCounters& HostNode::read(Picoseconds now) {
  transmitter_.countPauses(now);
  return transmitter_.counters();
}

LinkCounters HostNode::counters(Picoseconds now) {
  transmitter_.countPauses(now);
  LinkCounters counters = transmitter_.counters();
  for (const SendingCredits& credits : sending_) counters.credits_in_use += credits.inUse();
  return counters;
}

bool HostNode::settled(Picoseconds now) {
  if (storm_ != kNever || consumed_due_ != kNever || consumed_waiting_ || pause_enabled_ != 0) {
    return false;
  }
  if (ingress_.heldFrames() > 0 || !ingress_.onlyRepeats(transmitter_.pausedAt(now))) return false;
  if (endpoint_ == nullptr) return true;
  if (endpoint_->wakeAt() != kNever) return false;
  if (transmitter_.retriesInVain()) return true;
  // A decision at the expiry of a pause never comes, because the pause is repeated.
  return transmitter_.replayAt() == kNever &&
         (decision_ == kNever || (decision_ > now && decision_ == transmitter_.resumesAt(0xFF)));
}

}  // namespace plumbline::fabric
