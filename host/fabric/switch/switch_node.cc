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
      balancing_(spec_.load_balancing.kind),
      number_(setup.number),
      ports_(static_cast<std::uint32_t>(setup.transmitters.size())),
      lossless_(spec_.pfc ? spec_.pfc->priorities : PriorityMask{0}),
      credited_(spec_.cbfc ? spec_.cbfc->channels : PriorityMask{0}),
      time_ordered_(spec_.cbfc.has_value()),
      order_all_(spec_.cbfc || (spec_.pfc && spec_.pfc->dynamic_alpha)),
      active_(ports_),
      maybe_paused_(ports_),
      buffer_(spec_, ports_),
      rules_(spec_),
      next_step_(ports_, kNever.count()),
      routing_(*setup.routing),
      links_(*setup.links),
      seed_(setup.seed),
      channels_(spec_.cbfc ? VirtualChannels(*spec_.cbfc) : VirtualChannels()),
      host_ports_(std::move(setup.host_ports)) {
  egress_.reserve(ports_);
  for (std::uint32_t port = 0; port < ports_; ++port) {
    egress_.emplace_back(static_cast<std::uint16_t>(port), std::move(setup.transmitters[port]),
                         *setup.outputs[port], recorder(), spec_, ports_);
    egress_.back().mark_seed = mix64(seed_ + port);
    ingress_.emplace_back(*setup.inputs[port]);
  }
  if (balancing_ != LoadBalancingKind::kEcmp && balancing_ != LoadBalancingKind::kEcmpQp) {
    balancer_ = makeLoadBalancer(spec_.load_balancing, seed_, links_);
  }
  unweighted_ = std::all_of(spec_.weights.begin(), spec_.weights.end(),
                            [](std::uint16_t weight) { return weight == 0; });
  lossy_and_unweighted_ = unweighted_ && lossless_ == 0 && credited_ == 0 && !spec_.voq;
  for (EgressPort& egress : egress_) updateRestrictions(egress);
  table_ = routing_.epochs().front().routing.get();
  if (routing_.epochs().size() > 1) next_epoch_ = routing_.epochs()[1].from;
  if (spec_.pfc) {
    refresh_.resize(std::size_t{ports_} * 8);
    refreshing_.resize((refresh_.size() + 63) / 64);
  }
  if (spec_.cbfc) {
    ingress_credits_.resize(std::size_t{ports_} * 8);
    consumed_due_.assign(ports_, kNever);
  }
}

void SwitchNode::setScript(std::uint32_t port, std::unique_ptr<ImpairmentStage> stage) {
  ingress_[port].setScript(std::move(stage));
}

void SwitchNode::advanceEverything(Picoseconds time) {
  if (time_ordered_) advanceInOrder(time);
  advanceAll(time);
}

void SwitchNode::startTimeOrder() {
  time_ordered_ = true;
  std::fill(next_step_.begin(), next_step_.end(), kNever.count());
  earliest_other_ = kNever.count();
  active_.forEach([&](std::uint32_t port) { noteStep(egress_[port]); });
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
  if (time_ordered_) advanceInOrder(end);
  Picoseconds next = earlier(timer_, releaseIngress());
  time_ordered_ = pausing_ > 0 || spec_.cbfc;
  active_.forEach([&](std::uint32_t port) {
    EgressPort& egress = egress_[port];
    advance(egress, end);
    if (!egress.sending.active && egress.decision == kNever) {
      egress.active = false;
      active_.erase(port);
      return;
    }
    next = std::min(next, time_ordered_ && egress.sending.active && isOrdered(egress)
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
  const auto due = [](Picoseconds time) { return time != kNever; };
  if (watchdogActs(now) || std::any_of(consumed_due_.begin(), consumed_due_.end(), due) ||
      std::any_of(ingress_credits_.begin(), ingress_credits_.end(),
                  [&](const IngressCredits& one) { return due(one.due); })) {
    return false;
  }
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

}  // namespace plumbline::fabric
