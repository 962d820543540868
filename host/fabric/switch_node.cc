#include "fabric/switch_node.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/random.h"
#include "fabric/bits.h"

namespace plumbline::fabric {
SwitchNode::Output::Output(Wire::Setup setup, Lane& lane, Recorder& recorder,
                           const SwitchSpec& spec, std::uint32_t inputs)
    : wire(std::move(setup), lane, recorder), scheduler(spec) {
  wire.useRetry();
  if (spec.voq) queues.fill(ClassQueue(inputs));
}

SwitchNode::SwitchNode(Setup setup)
    : NodeModel(static_cast<std::uint32_t>(setup.wires.size())),
      number_(setup.number),
      spec_(*setup.spec),
      routing_(*setup.routing),
      links_(*setup.links),
      balancing_(spec_.load_balancing.kind),
      seed_(setup.seed),
      lossless_(spec_.pfc ? spec_.pfc->priorities : PriorityMask{0}),
      credited_(spec_.cbfc ? spec_.cbfc->channels : PriorityMask{0}),
      host_ports_(std::move(setup.host_ports)),
      buffer_(spec_, static_cast<std::uint32_t>(setup.wires.size())),
      busy_((setup.wires.size() + 63) / 64),
      step_(setup.wires.size(), kNever.count()),
      active_((setup.wires.size() + 63) / 64),
      may_pause_((setup.wires.size() + 63) / 64) {
  const auto ports = static_cast<std::uint32_t>(setup.wires.size());
  outputs_.reserve(ports);
  for (std::uint32_t port = 0; port < ports; ++port) {
    outputs_.emplace_back(std::move(setup.wires[port]), *setup.outputs[port], recorder(), spec_,
                          ports);
    outputs_.back().mark_seed = mix64(seed_ + port);
    inputs_.emplace_back(*setup.inputs[port]);
  }
  if (balancing_ != LoadBalancingKind::kEcmp && balancing_ != LoadBalancingKind::kEcmpQp) {
    balancer_ = makeLoadBalancer(spec_.load_balancing, seed_, links_);
  }
  ruled_ = lossless_ | credited_;
  if (spec_.trim) trim_threshold_ = spec_.trim->threshold.count();
  all_strict_ = std::all_of(spec_.weights.begin(), spec_.weights.end(),
                            [](std::uint16_t weight) { return weight == 0; });
  for (auto rule = spec_.ecn.rbegin(); rule != spec_.ecn.rend(); ++rule) {
    for (unsigned p = 0; p < 8; ++p) {
      if ((rule->priorities >> p & 1U) == 0) continue;
      marking_[p] = {true, rule->at_dequeue, rule->kmin.count(), rule->kmax.count(),
                     rule->pmax.partsPerTrillion()};
    }
  }
  table_ = routing_.epochs().front().routing.get();
  if (routing_.epochs().size() > 1) next_epoch_ = routing_.epochs()[1].from;
  if (spec_.pfc) refresh_.assign(std::size_t{ports} * 8, kNever);
  if (spec_.cbfc) freed_.resize(std::size_t{ports} * 8);
}

void SwitchNode::setScript(std::uint32_t port, std::unique_ptr<ImpairmentStage> stage) {
  inputs_[port].setScript(std::move(stage));
}

void SwitchNode::bringUp(Picoseconds time) {
  if (strict()) {
    advanceInOrder(time);
  } else {
    advanceAll(time);
  }
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
  bringUp(end);
  Picoseconds next = timer_;
  const bool exact = strict();
  forEachBit(active_, [&](std::uint32_t port) {
    const Output& out = outputs_[port];
    next = std::min(next, exact && out.leaving.active ? out.wire.lastBitAt() : out.decision);
  });
  // Pauses that ran out are noted in the window they did so in.
  forEachBit(may_pause_, [&](std::uint32_t port) {
    Wire& wire = outputs_[port].wire;
    const PriorityMask paused = wire.pausedAt(end - Picoseconds(1));
    if (paused == 0) {
      clearBit(may_pause_, port);
    } else {
      next = std::min(next, wire.resumesAt(paused));
    }
  });
  forEachBit(busy_, [&](std::uint32_t port) {
    const Picoseconds input = inputs_[port].next();
    if (input == kNever) clearBit(busy_, port);
    next = std::min(next, input);
  });
  return next;
}

LinkCounters SwitchNode::counters(std::uint32_t port, Picoseconds now) {
  advance(port, now + Picoseconds(1));
  outputs_[port].wire.settlePauses(now);
  LinkCounters counters = outputs_[port].wire.counters();
  counters.max_queue_bytes = static_cast<std::uint64_t>(buffer_.maxBytes(port));
  return counters;
}

std::uint64_t SwitchNode::framesInside() const {
  std::uint64_t frames = 0;
  for (const Output& out : outputs_) {
    for (const ClassQueue& queue : out.queues) frames += queue.size();
    frames += out.wire.retrying();
  }
  for (const Input& input : inputs_) frames += input.heldFrames();
  return frames;
}

}  // namespace plumbline::fabric
