#include "fabric/switch/switch_node.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/random.h"
#include "fabric/engine/bits.h"

namespace plumbline::fabric {

SwitchNode::Output::Output(std::uint16_t number, Transmitter::Setup setup, PropagationQueue& queue,
                           Recorder& recorder, const SwitchSpec& spec, std::uint32_t inputs)
    : port(number), transmitter(std::move(setup), queue, recorder), scheduler(spec) {
  transmitter.enableRetry();
  if (spec.voq) {
    for (Class& one : classes) one.queue = ClassQueue(inputs);
  }
}

SwitchNode::SwitchNode(Setup setup)
    : NodeModel(static_cast<std::uint32_t>(setup.transmitters.size())),
      spec_(*setup.spec),
      balancing_(spec_.load_balancing.kind),
      number_(setup.number),
      ports_(static_cast<std::uint32_t>(setup.transmitters.size())),
      lossless_(spec_.pfc ? spec_.pfc->priorities : PriorityMask{0}),
      credited_(spec_.cbfc ? spec_.cbfc->channels : PriorityMask{0}),
      strict_(spec_.cbfc.has_value()),
      all_ordered_(spec_.cbfc || (spec_.pfc && spec_.pfc->dynamic_alpha)),
      active_(ports_),
      may_pause_(ports_),
      buffer_(spec_, ports_),
      step_(ports_, kNever.count()),
      routing_(*setup.routing),
      links_(*setup.links),
      seed_(setup.seed),
      channels_(spec_.cbfc ? VirtualChannels(*spec_.cbfc) : VirtualChannels()),
      host_ports_(std::move(setup.host_ports)) {
  outputs_.reserve(ports_);
  for (std::uint32_t port = 0; port < ports_; ++port) {
    outputs_.emplace_back(static_cast<std::uint16_t>(port), std::move(setup.transmitters[port]),
                          *setup.outputs[port], recorder(), spec_, ports_);
    outputs_.back().mark_seed = mix64(seed_ + port);
    inputs_.emplace_back(*setup.inputs[port]);
  }
  if (balancing_ != LoadBalancingKind::kEcmp && balancing_ != LoadBalancingKind::kEcmpQp) {
    balancer_ = makeLoadBalancer(spec_.load_balancing, seed_, links_);
  }
  if (spec_.trim) trim_threshold_ = spec_.trim->threshold.count();
  all_strict_ = std::all_of(spec_.weights.begin(), spec_.weights.end(),
                            [](std::uint16_t weight) { return weight == 0; });
  plain_ = all_strict_ && lossless_ == 0 && credited_ == 0 && !spec_.voq;
  arriving_above_.fill(INT64_MAX);
  leaving_above_.fill(INT64_MAX);
  for (auto rule = spec_.ecn.rbegin(); rule != spec_.ecn.rend(); ++rule) {
    for (unsigned p = 0; p < 8; ++p) {
      if ((rule->priorities >> p & 1U) == 0) continue;
      const std::int64_t kmin = rule->kmin.count();
      arriving_above_[p] = rule->at_dequeue ? INT64_MAX : kmin;
      leaving_above_[p] = rule->at_dequeue ? kmin : INT64_MAX;
      marking_[p] = {kmin, rule->kmax.count(), rule->pmax.partsPerTrillion()};
    }
  }
  calm_below_ = trim_threshold_;
  for (unsigned p = 0; p < 8; ++p) {
    calm_below_ = std::min({calm_below_, arriving_above_[p], leaving_above_[p]});
  }
  for (Output& out : outputs_) settle(out);
  table_ = routing_.epochs().front().routing.get();
  if (routing_.epochs().size() > 1) next_epoch_ = routing_.epochs()[1].from;
  if (spec_.pfc) {
    refresh_.resize(std::size_t{ports_} * 8);
    refreshing_.resize((refresh_.size() + 63) / 64);
  }
  if (spec_.cbfc) {
    freed_.resize(std::size_t{ports_} * 8);
    consumed_due_.assign(ports_, kNever);
  }
}

void SwitchNode::setScript(std::uint32_t port, std::unique_ptr<ImpairmentStage> stage) {
  inputs_[port].setScript(std::move(stage));
}

void SwitchNode::bringUp(Picoseconds time) {
  if (strict_) advanceInOrder(time);
  advanceAll(time);
}

void SwitchNode::becomeStrict() {
  strict_ = true;
  std::fill(step_.begin(), step_.end(), kNever.count());
  others_ = kNever.count();
  active_.forEach([&](std::uint32_t port) { noteStep(outputs_[port]); });
}

void SwitchNode::runTimersBefore(Picoseconds time) {
  while (timer_ < time) {
    const Picoseconds now = timer_;
    bringUp(now);
    runTimer(now);
  }
}

Picoseconds SwitchNode::finish(Picoseconds end) {
  runTimersBefore(end);
  if (strict_) advanceInOrder(end);
  Picoseconds next = earlier(timer_, dismissInputs());
  strict_ = pausing_ > 0 || spec_.cbfc;
  active_.forEach([&](std::uint32_t port) {
    Output& out = outputs_[port];
    advance(out, end);
    if (!out.leaving.active && out.decision == kNever) {
      out.active = false;
      active_.erase(port);
      return;
    }
    next =
        std::min(next, strict_ && out.leaving.active && isOrdered(out) ? out.transmitter.lastBitAt()
                                                                       : out.decision);
  });
  // Pauses that ran out are noted in the window they did so in.
  may_pause_.forEach([&](std::uint32_t port) {
    Transmitter& transmitter = outputs_[port].transmitter;
    const PriorityMask paused = transmitter.pausedAt(end - Picoseconds(1));
    if (paused == 0) {
      may_pause_.erase(port);
    } else {
      next = std::min(next, transmitter.resumesAt(paused));
    }
  });
  return next;
}

LinkReading SwitchNode::read(std::uint32_t port, Picoseconds now) {
  Output& out = outputs_[port];
  advance(out, now + Picoseconds(1));
  out.transmitter.countPauses(now);
  const std::int64_t peak = out.account.most;
  out.earlier_peak = std::max(out.earlier_peak, peak);
  out.account.most = out.account.bytes;
  return {out.transmitter.counters(), static_cast<std::uint64_t>(peak),
          out.transmitter.onwards(now)};
}

LinkCounters SwitchNode::counters(std::uint32_t port, Picoseconds now) {
  Output& out = outputs_[port];
  advance(out, now + Picoseconds(1));
  out.transmitter.countPauses(now);
  LinkCounters counters = out.transmitter.counters();
  counters.max_queue_bytes =
      static_cast<std::uint64_t>(std::max(out.account.most, out.earlier_peak));
  for (const SendingCredits& credits : out.credits) counters.credits_in_use += credits.inUse();
  return counters;
}

bool SwitchNode::settled(Picoseconds now) {
  const auto due = [](Picoseconds time) { return time != kNever; };
  if (watchdogActs(now) || std::any_of(consumed_due_.begin(), consumed_due_.end(), due) ||
      std::any_of(freed_.begin(), freed_.end(), [&](const Freed& one) { return due(one.due); })) {
    return false;
  }
  for (std::uint32_t port = 0; port < ports_; ++port) {
    Output& out = outputs_[port];
    if (inputs_[port].heldFrames() > 0 ||
        !inputs_[port].onlyRepeats(out.transmitter.pausedAt(now))) {
      return false;
    }
    if (out.transmitter.hopeless()) continue;
    advance(out, now + Picoseconds(1));
    if (out.leaving.active || out.pause_enabled != 0 || out.consumed_waiting ||
        out.transmitter.replayAt() != kNever) {
      return false;
    }
    // A decision that waits for a pause to run out finds it repeated.
    if (out.decision != kNever &&
        (out.decision <= now || out.decision != out.transmitter.resumesAt(out.waiting))) {
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
  for (const Output& out : outputs_) {
    for (const Class& one : out.classes) frames += one.queue.size();
    frames += out.transmitter.retrying();
  }
  for (const IngressPort& input : inputs_) frames += input.heldFrames();
  return frames;
}

}  // namespace plumbline::fabric
