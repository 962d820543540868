#include "fabric/host_node.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace plumbline::fabric {
namespace {

// A host does not know how long the endpoint's next frame will be, so it needs credits for the
// longest one, or all there are, before it offers a channel.
constexpr std::int64_t kLongestFrame = 9'216;
constexpr std::uint16_t kFreedMask = 0x7FFF;  // CF counter: 15 bits

}  // namespace

HostNode::HostNode(Setup setup)
    : NodeModel(1),
      host_(setup.host),
      spec_(*setup.spec),
      wire_(std::move(setup.wire), *setup.output, recorder()),
      lane_in_(*setup.input),
      input_(lane_in_),
      credited_(spec_.cbfc ? spec_.cbfc->channels : PriorityMask{0}) {
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
  input_.refresh(end);
  if (input_.stage() != nullptr) {
    for (const Flight& gone : input_.stage()->dropped()) {
      wire_.drop(gone.packet, DropReason::kScripted, gone.at);
    }
    input_.stage()->dropped().clear();
  }
  Picoseconds next = kNever;
  if (endpoint_ != nullptr) {
    runEndpoint(end);
    next = std::min(decision_, endpoint_->wakeAt());
    const PriorityMask paused = wire_.pausedAt(end - Picoseconds(1));
    if (paused != 0) next = std::min(next, wire_.resumesAt(paused));
  } else {
    deliverAll(end);
  }
  return std::min({next, storm_, input_.next()});
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
    const Picoseconds now =
        earlier(earlier(earlier(steered, storm_), earlier(arrives, wakes)), decision_);
    if (now >= end) return;
    last = now;
    if (steered == now) {
      takeControl(now);
    } else if (arrives == now) {
      takeFlight(now);
    } else if (wakes == now) {
      endpoint_->wake(now);
      decision_ = later(wire_.freeAt(), now);
    } else if (storm_ == now) {
      runStorms(now);
    } else {
      useWire(now);
    }
  }
}

void HostNode::deliverAll(Picoseconds end) {
  Ring<ControlFlight>& control = input_.control();
  while (!control.empty() && control.front().at < end) {
    const ControlFlight item = control.front();
    if (!item.credits) pause_deliveries_.push_back({item.at, host_, item});
    control.pop();
  }
  SpscRing<Flight>& flights = input_.flights();
  while (!flights.empty() && flights.front().at < end) {
    const Flight flight = flights.front();
    flights.pop();
    ++received_;
    deliveries_.push_back({flight.at, host_, flight.packet});
    freeCredits(flight.packet, flight.at);
  }
  while (storm_ < end) runStorms(storm_);
}

void HostNode::takeControl(Picoseconds now) {
  Ring<ControlFlight>& control = input_.control();
  const ControlFlight item = control.front();
  control.pop();
  if (item.credits) {
    for (PriorityMask left = item.enabled; left != 0; left &= left - 1) {
      const auto p = static_cast<unsigned>(std::countr_zero(left));
      credits_in_use_[p] -= static_cast<std::uint16_t>(item.value - credits_freed_[p]) & kFreedMask;
      credits_freed_[p] = item.value;
    }
  } else {
    wire_.obey(item, now);
  }
  decision_ = later(wire_.freeAt(), now);
}

void HostNode::takeFlight(Picoseconds now) {
  SpscRing<Flight>& flights = input_.flights();
  const Packet& packet = flights.front().packet;
  ++received_;
  if (credited_ != 0) freeCredits(packet, now);
  endpoint_->receive(packet, now);
  flights.pop();
  decision_ = later(wire_.freeAt(), now);
}

// The wire is free and something has happened since the endpoint last had nothing to send.
void HostNode::useWire(Picoseconds now) {
  const bool plain = pause_enabled_ == 0 && credited_ == 0 && wire_.unhindered();
  if (!plain && sendUrgent(now)) {
    decision_ = wire_.freeAt();
    return;
  }
  Packet packet;
  if (endpoint_->transmit(now, plain ? PriorityMask{0} : blocked(now), packet)) {
    packet.source = static_cast<std::uint16_t>(host_);
    if ((credited_ >> packet.priority & 1U) != 0) {
      credits_in_use_[packet.priority] += creditsOf(packet.length);
    }
    wire_.send(packet, now);
    decision_ = wire_.freeAt();
  } else {
    decision_ = plain ? kNever : std::min(wire_.resumesAt(0xFF), wire_.replayAt());
  }
}

// A PAUSE frame or an LLR replay goes before the endpoint's frames; false if there is none.
bool HostNode::sendUrgent(Picoseconds now) {
  if (pause_enabled_ != 0) {
    wire_.sendPause({.at = {}, .enabled = pause_enabled_, .xoff = pause_xoff_, .value = 0xFFFF},
                    now);
    pause_enabled_ = 0;
    return true;
  }
  if (wire_.replayAt() > now) return false;
  wire_.replay(now);
  return true;
}

PriorityMask HostNode::blocked(Picoseconds now) {
  PriorityMask blocked = wire_.pausedAt(now);
  for (PriorityMask left = credited_; left != 0; left &= left - 1) {
    const auto p = static_cast<unsigned>(std::countr_zero(left));
    const std::uint32_t needed = std::min(creditsOf(kLongestFrame), spec_.cbfc->credits);
    if (credits_in_use_[p] + needed > spec_.cbfc->credits) {
      blocked |= static_cast<PriorityMask>(1U << p);
    }
  }
  return blocked;
}

std::uint32_t HostNode::creditsOf(std::int64_t length) const {
  const std::int64_t size = spec_.cbfc->credit_size.count();
  return static_cast<std::uint32_t>((length + spec_.cbfc->packet_overhead + size - 1) / size);
}

void HostNode::freeCredits(const Packet& packet, Picoseconds now) {
  const unsigned p = packet.priority;
  if ((credited_ >> p & 1U) == 0) return;
  returned_[p] = static_cast<std::uint16_t>(returned_[p] + creditsOf(packet.length)) & kFreedMask;
  Lane& lane = wire_.lane();
  lane.steer({.at = now + lane.propagation + spec_.cbfc->processing,
              .enabled = static_cast<PriorityMask>(1U << p),
              .xoff = 0,
              .value = returned_[p],
              .credits = true});
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
    Lane& lane = wire_.lane();
    lane.steer({.at = now + lane.control_delay,
                .enabled = pause_enabled_,
                .xoff = pause_xoff_,
                .value = 0xFFFF});
    pause_enabled_ = 0;
  }
}

LinkCounters HostNode::counters(Picoseconds now) {
  wire_.settlePauses(now);
  return wire_.counters();
}

}  // namespace plumbline::fabric
