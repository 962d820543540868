#include "fabric/engine/host_node.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

namespace plumbline::fabric {
namespace {

// A host does not know how long the endpoint's next frame will be, so it needs credits for the
// longest one, or all there are, before it offers a channel.

// Packets that an endpoint is told of beforehand: not if there are only few in flight, whose memory
// is fetched as fast without, and so many at once as a cache can have under way.
constexpr std::size_t kWorthExpecting = 4;
constexpr std::size_t kMostExpected = 64;

}  // namespace

HostNode::HostNode(Setup setup)
    : NodeModel(1),
      host_(setup.host),
      spec_(*setup.spec),
      wire_(std::move(setup.wire), *setup.output, recorder()),
      lane_in_(*setup.input),
      input_(lane_in_),
      credited_(spec_.cbfc ? spec_.cbfc->channels : PriorityMask{0}),
      channels_(spec_.cbfc ? VirtualChannels(*spec_.cbfc) : VirtualChannels()) {
  for (const PauseStormSpec& storm : setup.storms) {
    storms_.push_back({storm, storm.start});
    storm_ = std::min(storm_, storm.start);
  }
}

void HostNode::attach(Endpoint& endpoint) {
  endpoint_ = &endpoint;
  wire_.useRetry();
  // It may have something to send from the beginning of time on.
  decision_ = Picoseconds(0);
}

Picoseconds HostNode::run(Picoseconds /*begin*/, Picoseconds end) {
  input_.refresh(end, takeSteered(0));
  if (input_.stage() != nullptr) {
    for (const Flight& gone : input_.stage()->dropped()) {
      wire_.drop(gone.packet, DropReason::kScripted, gone.at);
    }
    input_.stage()->dropped().clear();
  }
  Picoseconds next = kNever;
  if (endpoint_ != nullptr) {
    if (endpoint_->fetchesAhead() && input_.flights().visible() >= kWorthExpecting) {
      announceArrivals(end);
    }
    if (isPlain(end)) {
      runPlain(end);
    } else {
      runEndpoint(end);
    }
    next = std::min(decision_, endpoint_->wakeAt());
    const PriorityMask paused = wire_.pausedAt(end - Picoseconds(1));
    if (paused != 0) next = std::min(next, wire_.resumesAt(paused));
  } else {
    deliverAll(end);
  }
  return std::min({next, storm_, consumed_due_, input_.next()});
}

void HostNode::prefetch() const {
  lane_in_.prefetchReceiver();
  wire_.lane().prefetchSender();
  if (endpoint_ != nullptr && endpoint_->fetchesAhead()) endpoint_->expect({});
}

void HostNode::announceArrivals(Picoseconds end) const {
  std::array<const Packet*, kMostExpected> expected;  // NOLINT(*-member-init): filled in below
  std::size_t count = 0;
  input_.flights().visit([&](const Flight& flight) {
    if (flight.at >= end || count == expected.size()) return false;
    expected[count++] = &flight.packet;
    return true;
  });
  endpoint_->expect(std::span(expected).first(count));
}

void HostNode::runEndpoint(Picoseconds end) {
  SpscRing<Flight>& flights = input_.flights();
  Ring<ControlFlight>& control = input_.control();
  Picoseconds last{INT64_MIN};
  for (;;) {
    const Picoseconds steered = control.empty() ? kNever : control.front().at;
    const Picoseconds arrives = flights.empty() ? kNever : flights.front().at;
    // A wake-up for a time that is past happens now.
    const Picoseconds wakes = later(endpoint_->wakeAt(), last);
    const Picoseconds timer = earlier(storm_, consumed_due_);
    const Picoseconds now =
        earlier(earlier(earlier(steered, timer), earlier(arrives, wakes)), decision_);
    if (now >= end) return;
    last = now;
    if (steered == now) {
      takeControl(now);
    } else if (arrives == now) {
      takeFlight(now);
    } else if (wakes == now) {
      endpoint_->wake(now);
      reconsider(now);
    } else if (timer == now) {
      runTimers(now);
    } else {
      useWire(now);
    }
  }
}

void HostNode::deliverAll(Picoseconds end) {
  Ring<ControlFlight>& control = input_.control();
  SpscRing<Flight>& flights = input_.flights();
  for (;;) {
    const Picoseconds steered = control.empty() ? kNever : control.front().at;
    const Picoseconds arrives = flights.empty() ? kNever : flights.front().at;
    if (earlier(steered, arrives) >= end) break;
    if (steered <= arrives) {
      const ControlFlight item = control.front();
      control.pop();
      if (item.kind == ControlFlight::Kind::kPause) {
        pause_deliveries_.push_back({item.at, host_, item});
      } else if (item.kind == ControlFlight::Kind::kConsumed) {
        freeLost(item, item.at);
      }
    } else {
      const Flight flight = flights.front();
      flights.pop();
      ++received_;
      deliveries_.push_back({flight.at, host_, flight.packet});
      freeArrived(flight.packet, flight.at);
    }
  }
  while (storm_ < end) runStorms(storm_);
}

void HostNode::takeControl(Picoseconds now) {
  Ring<ControlFlight>& control = input_.control();
  const ControlFlight item = control.front();
  control.pop();
  switch (item.kind) {
    case ControlFlight::Kind::kPause:
      wire_.obey(item, now);
      break;
    case ControlFlight::Kind::kFreed:
      sending_[static_cast<unsigned>(std::countr_zero(item.enabled))].learnFreed(item.value);
      break;
    case ControlFlight::Kind::kConsumed:
      freeLost(item, now);
      return;
  }
  decision_ = later(wire_.freeAt(), now);
}

void HostNode::takeFlight(Picoseconds now) {
  SpscRing<Flight>& flights = input_.flights();
  const Packet& packet = flights.front().packet;
  ++received_;
  freeArrived(packet, now);
  endpoint_->receive(packet, now);
  flights.pop();
  reconsider(now);
}

// The wire is free and something has happened since the endpoint last had nothing to send.
void HostNode::useWire(Picoseconds now) {
  const bool plain = this->plain();
  if (plain && !endpoint_->hasFrames()) {
    decision_ = kNever;
    return;
  }
  const Picoseconds start = wire_.startsAt(now);
  if (start > now) {
    decision_ = start;
    return;
  }
  if (!plain && sendUrgent(now)) {
    decision_ = wire_.freeAt();
    return;
  }
  Packet& packet = wire_.lane().place();
  const PriorityMask held = plain ? PriorityMask{0} : blocked(now);
  if (!wire_.full() && endpoint_->transmit(now, held, packet)) {
    packet.source = static_cast<std::uint16_t>(host_);
    if ((credited_ >> packet.priority & 1U) != 0) {
      sending_[channels_.of(packet.priority)].consume(creditsOf(*spec_.cbfc, packet.length));
      if (consumed_due_ == kNever && !consumed_waiting_) setConsumedTimer(now);
    }
    wire_.sendPlaced(now);
    reconsider(now);
  } else {
    decision_ = plain ? kNever : std::min(wire_.resumesAt(0xFF), wire_.replayAt());
  }
}

// A PAUSE frame, an LLR replay or a CC_Update goes before the endpoint's frames; false if there is
// none.
bool HostNode::sendUrgent(Picoseconds now) {
  if (pause_enabled_ != 0) {
    wire_.sendPause({.at = {}, .enabled = pause_enabled_, .xoff = pause_xoff_, .value = 0xFFFF},
                    now);
    pause_enabled_ = 0;
    return true;
  }
  if (wire_.replayAt() <= now) {
    wire_.replay(now);
    return true;
  }
  if (!consumed_waiting_ || wire_.retrying() != 0) return false;
  consumed_waiting_ = false;
  const bool arrives = wire_.sendConsumed(channels_.channels(), sending_, now);
  if (!arrives && !wire_.goneForGood()) setConsumedTimer(now);
  return true;
}

PriorityMask HostNode::blocked(Picoseconds now) {
  PriorityMask blocked = wire_.pausedAt(now);
  for (PriorityMask left = credited_; left != 0; left &= left - 1) {
    const auto p = static_cast<unsigned>(std::countr_zero(left));
    const unsigned channel = channels_.of(p);
    const std::uint32_t limit = channels_.limit(channel);
    const std::int32_t needed =
        std::min(creditsOf(*spec_.cbfc, kLongestFrame.count()), static_cast<std::int32_t>(limit));
    if (!sending_[channel].cover(needed, limit)) blocked |= static_cast<PriorityMask>(1U << p);
  }
  return blocked;
}

void HostNode::freeArrived(const Packet& packet, Picoseconds now) {
  if ((credited_ >> packet.priority & 1U) == 0) return;
  const unsigned channel = channels_.of(packet.priority);
  const std::int32_t credits = creditsOf(*spec_.cbfc, packet.length);
  receiving_[channel].arrive(credits);
  receiving_[channel].free(credits);
  tellFreed(channel, now);
}

void HostNode::freeLost(const ControlFlight& item, Picoseconds now) {
  const auto channel = static_cast<unsigned>(std::countr_zero(item.enabled));
  const std::int32_t lost = receiving_[channel].learnConsumed(item.value);
  if (lost == 0) return;
  receiving_[channel].free(lost);
  tellFreed(channel, now);
}

void HostNode::tellFreed(unsigned channel, Picoseconds now) {
  Lane& lane = wire_.lane();
  do {
    lane.steer({.at = now + lane.propagation + spec_.cbfc->processing,
                .enabled = static_cast<PriorityMask>(1U << channel),
                .kind = ControlFlight::Kind::kFreed,
                .value = receiving_[channel].tell()});
  } while (receiving_[channel].untold() != 0);
}

// As in a switch: only while the receiver does not know of all that was consumed.
void HostNode::setConsumedTimer(Picoseconds now) {
  const Picoseconds period = spec_.cbfc->consumed_period;
  consumed_due_ = period == Picoseconds(0) ? kNever : now + period;
}

void HostNode::runTimers(Picoseconds now) {
  if (storm_ == now) runStorms(now);
  if (consumed_due_ != now) return;
  consumed_due_ = kNever;
  consumed_waiting_ = true;
  decision_ = later(wire_.freeAt(), now);
}

// A storm repeats its PAUSE at half of the pause's time and ends it with a time of zero.
void HostNode::runStorms(Picoseconds now) {
  const Picoseconds refresh = wire_.clock().serialization(64) * 0xFFFF / 2;
  storm_ = kNever;
  for (Storm& storm : storms_) {
    if (storm.next == now) {
      const Picoseconds end = storm.spec.start + storm.spec.duration;
      const bool over = now >= end;
      const PriorityMask priorities = storm.spec.priorities;
      pause_enabled_ |= priorities;
      pause_xoff_ =
          static_cast<PriorityMask>((pause_xoff_ & ~priorities) | (over ? 0 : priorities));
      storm.next = over ? kNever : std::min(now + refresh, end);
    }
    storm_ = std::min(storm_, storm.next);
  }
  if (pause_enabled_ == 0) return;
  if (endpoint_ != nullptr) {
    decision_ = later(wire_.freeAt(), now);
  } else {
    // A tester's port keeps its own clock for frames, so the PAUSE frame takes no time of its wire.
    ++wire_.counters().control;
    Lane& lane = wire_.lane();
    lane.steer({.at = now + lane.control_delay,
                .enabled = pause_enabled_,
                .xoff = pause_xoff_,
                .value = 0xFFFF});
    pause_enabled_ = 0;
  }
}

const LinkCounters& HostNode::read(Picoseconds now) {
  wire_.settlePauses(now);
  return wire_.counters();
}

LinkCounters HostNode::counters(Picoseconds now) {
  wire_.settlePauses(now);
  LinkCounters counters = wire_.counters();
  for (const SendingCredits& credits : sending_) counters.credits_in_use += credits.inUse();
  return counters;
}

bool HostNode::settled(Picoseconds now) {
  if (storm_ != kNever || consumed_due_ != kNever || consumed_waiting_ || pause_enabled_ != 0) {
    return false;
  }
  if (input_.heldFrames() > 0 || !input_.onlyRepeats(wire_.pausedAt(now))) return false;
  if (endpoint_ == nullptr) return true;
  if (endpoint_->wakeAt() != kNever) return false;
  if (wire_.hopeless()) return true;
  // A decision that waits for a pause to run out finds it repeated.
  return wire_.replayAt() == kNever &&
         (decision_ == kNever || (decision_ > now && decision_ == wire_.resumesAt(0xFF)));
}

}  // namespace plumbline::fabric
