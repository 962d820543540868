#include "fabric/switch/switch_node.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/random.h"
#include "fabric/engine/bits.h"

namespace plumbline::fabric {

SwitchNode::SwitchNode(Setup setup)
    : NodeModel(static_cast<std::uint32_t>(setup.transmitters.size())),
      spec_(*setup.spec),
      paths_(spec_.load_balancing, *setup.routing, *setup.links, setup.number,
             spec_.load_balancing.kind == LoadBalancingKind::kSprayRandom ? setup.draw_seed
                                                                          : setup.seed),
      ports_(static_cast<std::uint32_t>(setup.transmitters.size())),
      lossless_(spec_.pfc ? spec_.pfc->priorities : PriorityMask{0}),
      credited_(spec_.cbfc ? spec_.cbfc->channels : PriorityMask{0}),
      active_(ports_),
      maybe_paused_(ports_),
      buffer_(spec_, ports_),
      rules_(spec_),
      // The buffer of lossy frames may let an ingress port resume, too.
      order_(ports_, spec_.cbfc.has_value(), spec_.cbfc || (spec_.pfc && spec_.pfc->dynamic_alpha)),
      links_(*setup.links),
      host_ports_(std::move(setup.host_ports)),
      refresh_(spec_.pfc ? ports_ : 0),
      watchdog_(spec_.pfc),
      credits_(spec_.cbfc, ports_) {
  egress_.reserve(ports_);
  for (std::uint32_t port = 0; port < ports_; ++port) {
    egress_.emplace_back(static_cast<std::uint16_t>(port), std::move(setup.transmitters[port]),
                         *setup.outputs[port], recorder(), spec_, ports_);
    egress_.back().mark_seed = mix64(setup.draw_seed + port);
    ingress_.emplace_back(*setup.inputs[port]);
  }
  unweighted_ = std::all_of(spec_.weights.begin(), spec_.weights.end(),
                            [](std::uint16_t weight) { return weight == 0; });
  lossy_and_unweighted_ = unweighted_ && lossless_ == 0 && credited_ == 0 && !spec_.voq;
  for (EgressPort& egress : egress_) updateRestrictions(egress);
}

void SwitchNode::setScript(std::uint32_t port, std::unique_ptr<ImpairmentStage> stage) {
  ingress_[port].setScript(std::move(stage));
}

void SwitchNode::advanceEverything(Picoseconds time) {
  if (order_.enabled()) advanceInOrder(time);
  advanceAll(time);
}

void SwitchNode::runTimersBefore(Picoseconds time) {
  while (timer_ < time) {
    const Picoseconds now = timer_;
    advanceEverything(now);
    runTimer(now);
  }
}

Picoseconds SwitchNode::finish(Picoseconds end) {
  runTimersBefore(end);
  if (order_.enabled()) advanceInOrder(end);
  Picoseconds next = earlier(timer_, releaseIngress());
  const bool ordered = pausing_ > 0 || spec_.cbfc;
  order_.setEnabled(ordered);
  active_.forEach([&](std::uint32_t port) {
    EgressPort& egress = egress_[port];
    advance(egress, end);
    if (!egress.sending.active && egress.decision == kNever) {
      egress.active = false;
      active_.erase(port);
      return;
    }
    next = std::min(next, ordered && egress.sending.active && order_.isOrdered(egress)
                              ? egress.transmitter.lastBitAt()
                              : egress.decision);
  });
  // Expired pauses are recorded in the window of their expiry.
  maybe_paused_.forEach([&](std::uint32_t port) {
    Transmitter& transmitter = egress_[port].transmitter;
    const PriorityMask paused = transmitter.pausedAt(end - Picoseconds(1));
    if (paused == 0) {
      maybe_paused_.erase(port);
    } else {
      next = std::min(next, transmitter.resumesAt(paused));
    }
  });
  return next;
}

LinkReading SwitchNode::read(std::uint32_t port, Picoseconds now) {
  EgressPort& egress = egress_[port];
  advance(egress, now + Picoseconds(1));
  egress.transmitter.countPauses(now);
  const std::int64_t peak = egress.account.peak;
  egress.earlier_peak = std::max(egress.earlier_peak, peak);
  egress.account.peak = egress.account.bytes;
  return {egress.transmitter.counters(), static_cast<std::uint64_t>(peak),
          egress.transmitter.unsentRest(now)};
}

LinkCounters SwitchNode::counters(std::uint32_t port, Picoseconds now) {
  EgressPort& egress = egress_[port];
  advance(egress, now + Picoseconds(1));
  egress.transmitter.countPauses(now);
  LinkCounters counters = egress.transmitter.counters();
  counters.max_queue_bytes =
      static_cast<std::uint64_t>(std::max(egress.account.peak, egress.earlier_peak));
  for (const SendingCredits& credits : egress.credits) counters.credits_in_use += credits.inUse();
  return counters;
}

bool SwitchNode::settled(Picoseconds now) {
  if (watchdog_.acts(egress_, now) || credits_.next() != kNever) return false;
  for (std::uint32_t port = 0; port < ports_; ++port) {
    EgressPort& egress = egress_[port];
    if (ingress_[port].heldFrames() > 0 ||
        !ingress_[port].onlyRepeats(egress.transmitter.pausedAt(now))) {
      return false;
    }
    if (egress.transmitter.retriesInVain()) continue;
    advance(egress, now + Picoseconds(1));
    if (egress.sending.active || egress.pause_enabled != 0 || egress.consumed_waiting ||
        egress.transmitter.replayAt() != kNever) {
      return false;
    }
    // A decision at the expiry of a pause never comes, because the pause is repeated.
    if (egress.decision != kNever &&
        (egress.decision <= now ||
         egress.decision != egress.transmitter.resumesAt(egress.waiting))) {
      return false;
    }
  }
  return true;
}

std::uint64_t SwitchNode::retriedInVain() const {
  std::uint64_t frames = 0;
  for (std::uint32_t port = 0; port < ports_; ++port) {
    const Transmitter& transmitter = egress_[port].transmitter;
    if (transmitter.retriesInVain()) frames += transmitter.retrying();
  }
  return frames;
}

PriorityMask SwitchNode::pausing(std::uint32_t port) const {
  PriorityMask mask = 0;
  for (PriorityMask left = lossless_; left != 0; left &= left - 1) {
    const auto p = static_cast<unsigned>(std::countr_zero(left));
    if (buffer_.pausing(port, p)) mask |= static_cast<PriorityMask>(1U << p);
  }
  return mask;
}

std::uint64_t SwitchNode::framesInside() const {
  std::uint64_t frames = 0;
  for (const EgressPort& egress : egress_) {
    for (const EgressPort::Queue& one : egress.queues) frames += one.frames.size();
    frames += egress.transmitter.retrying();
  }
  for (const IngressPort& ingress : ingress_) frames += ingress.heldFrames();
  return frames;
}

void SwitchNode::visitFrames(const std::function<void(const Packet&)>& visit) const {
  for (const EgressPort& egress : egress_) {
    for (const EgressPort::Queue& one : egress.queues) {
      one.frames.forEach([&](const QueuedFrame& frame) { visit(frame.packet); });
    }
  }
}

}  // namespace plumbline::fabric
