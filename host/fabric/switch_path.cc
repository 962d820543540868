// What every packet goes through in a switch: the code that decides the simulator's speed. Where a
// compiler left to itself would make calls of the common way, it is told to inline them; a call
// costs a twentieth of that way.
#include <algorithm>
#include <bit>

#include "fabric/bits.h"
#include "fabric/path_hash.h"
#include "fabric/switch_node.h"

namespace plumbline::fabric {
namespace {

// Packets ahead of the current one whose outputs, and then whose places in queue and link, are
// fetched.
constexpr std::uint32_t kFarAhead = 6;
constexpr std::uint32_t kNearAhead = 3;

}  // namespace

Picoseconds SwitchNode::run(Picoseconds begin, Picoseconds end) {
  gather(begin, end);
  if (order_.grouped()) {
    runByOutput();
  } else {
    runByTime();
  }
  return finish(end);
}

// Looks at what is due before `end`, and brings it into order. Where the hash alone decides, the
// output is looked up already here, with the packet at hand and time to fetch the output's memory.
void SwitchNode::gather(Picoseconds begin, Picoseconds end) {
  useTablesOf(begin);
  order_.start(begin, end, static_cast<std::uint32_t>(outputs_.size()));
  steering_.clear();
  incoming_count_ = 0;
  arriving_total_ = 0;
  for (std::size_t w = 0; w < busy_.size(); ++w) {
    busy_[w] |= fresh()[w];
    fresh()[w] = 0;
  }
  const bool route = !balancer_ && end <= next_epoch_;
  forEachBit(busy_, [&](std::uint32_t port) {
    inputs_[port].refresh(end);
    takeControl(port, end);
    arriving_[port] = takeFlights(port, end, route);
    arriving_total_ += arriving_[port];
  });
  if (!route || !outputsAreIndependent(begin, end)) order_.ungroup();
  order_.sort();
}

inline std::uint32_t SwitchNode::hashedPort(const Packet& packet,
                                            std::span<const LinkId> candidates) const {
  LinkId link = candidates.front();
  if (candidates.size() > 1) {
    const std::uint32_t hash = balancing_ == LoadBalancingKind::kEcmpQp
                                   ? qpFlowHash(packet.flow_hash, packet.connection)
                                   : packet.flow_hash;
    link = candidates[ecmpChoice(hash, table_->seed(number_),
                                 static_cast<std::uint32_t>(candidates.size()))];
  }
  return links_[link].from_port;
}

inline void SwitchNode::takeControl(std::uint32_t port, Picoseconds end) {
  Input& input = inputs_[port];
  for (Ring<ControlFlight>& control = input.control(); !control.empty() && control.front().at < end;
       control.pop()) {
    order_.expect(1);
    order_.addFirst(port, control.front().at, static_cast<std::uint32_t>(steering_.size()));
    steering_.push_back({port, control.front()});
  }
  if (input.stage() == nullptr) return;
  for (const Flight& gone : input.stage()->dropped()) {
    outputs_[port].wire.drop(gone.packet, DropReason::kScripted, gone.at);
  }
  input.stage()->dropped().clear();
}

// Returns how many bytes they are.
inline std::int64_t SwitchNode::takeFlights(std::uint32_t port, Picoseconds end, bool route) {
  const SpscRing<Flight>& flights = inputs_[port].flights();
  const std::size_t visible = flights.visible();
  order_.expect(visible);
  if (incoming_count_ + visible > incoming_.size()) {
    incoming_.resize(std::max(incoming_count_ + visible, 2 * incoming_.size()));
  }
  std::int64_t bytes = 0;
  const std::size_t count = flights.visit([&](const Flight& flight) {
    if (flight.at >= end) return false;
    std::uint32_t output = kUnrouted;
    if (route) {
      const auto candidates = table_->candidates(number_, flight.packet.destination);
      if (!candidates.empty()) output = hashedPort(flight.packet, candidates);
    }
    // One that has nowhere to go is dropped by the port that it came in by.
    order_.addSecond(output == kUnrouted ? port : output, flight.at, incoming_count_);
    incoming_[incoming_count_++] = {&flight.packet, static_cast<std::uint16_t>(port),
                                    static_cast<std::uint16_t>(output)};
    bytes += flight.packet.length;
    return true;
  });
  inputs_[port].engage(count);
  return bytes;
}

// Nothing that happens in the window can depend on more than one output: no buffer that they share
// gets full, nobody is or will be told to pause, and no timer goes off. The reference core's
// windows of one instant are left in the order that they are in.
bool SwitchNode::outputsAreIndependent(Picoseconds begin, Picoseconds end) const {
  if (strict_ || timer_ < end || end - begin <= Picoseconds(1)) return false;
  if (spec_.pfc && spec_.pfc->watchdog && !steering_.empty()) return false;
  if (!buffer_.surelyFits(arriving_total_)) return false;
  bool independent = true;
  if (lossless_ != 0) {
    forEachBit(busy_, [&](std::uint32_t port) {
      independent =
          independent && buffer_.surelyBelowXoff(port, lossless_, arriving_[port], arriving_total_);
    });
  }
  return independent;
}

[[gnu::always_inline]] inline void SwitchNode::offer(Output& out, std::uint32_t input,
                                                     const Packet& packet, Picoseconds now) {
  const unsigned priority = packet.priority;
  const std::int64_t depth = out.queued[priority];
  if ((lossless_ & ~out.discarding) >> priority & 1U) {
    offerLossless(out, input, packet, now);
    return;
  }
  if (((credited_ | out.discarding) >> priority & 1U) != 0 || packet.trimmed ||
      (packet.trimmable && depth + packet.length > trim_threshold_) ||
      !buffer_.fits(out.account, depth, packet.length)) {
    offerWithRules(out, input, packet, now);
    return;
  }
  buffer_.chargeOutput(out.account, packet.length);
  enqueue(out, packet, input, Charge::kOutput, depth, now);
}

[[gnu::always_inline]] inline void SwitchNode::arrive(const Incoming& incoming, Picoseconds now) {
  const Packet& packet = *incoming.packet;
  std::uint32_t port = incoming.output;
  if (port == kUnrouted) {
    useTablesOf(now);
    const std::span<const LinkId> candidates = table_->candidates(number_, packet.destination);
    if (candidates.empty()) {
      dropUnrouted(incoming, now);
      return;
    }
    port = balancer_ && candidates.size() > 1
               ? links_[balancer_->choose(packet, candidates, now, *this)].from_port
               : hashedPort(packet, candidates);
  }
  Output& out = outputs_[port];
  advance(out, now);
  offer(out, incoming.input, packet, now);
}

void SwitchNode::runByOutput() {
  for (std::uint32_t place = 0; place < order_.size(); ++place) {
    const WindowOrder::Item item = order_.at(place);
    if (item.second) {
      arrive(incoming_[item.number], item.time);
    } else {
      obey(steering_[item.number].port, steering_[item.number].item, item.time);
    }
  }
}

void SwitchNode::runByTime() {
  const std::uint32_t count = order_.size();
  for (std::uint32_t place = 0; place < count; ++place) {
    if (place + kFarAhead < count) {
      prefetchOutput(order_.at(place + kFarAhead));
      prefetchPlaces(order_.at(place + kNearAhead));
    }
    const WindowOrder::Item item = order_.at(place);
    if (timer_ < item.time) runTimersBefore(item.time);
    if (strict_) advanceInOrder(item.time);
    now_ = item.time;
    if (item.second) {
      arrive(incoming_[item.number], item.time);
    } else {
      obey(steering_[item.number].port, steering_[item.number].item, item.time);
    }
  }
}

void SwitchNode::prefetchOutput(const WindowOrder::Item& item) const {
  if (!item.second || incoming_[item.number].output == kUnrouted) return;
  const Incoming& incoming = incoming_[item.number];
  const Output& out = outputs_[incoming.output];
  __builtin_prefetch(&out.decision);
  __builtin_prefetch(&out.wire.counters());
  __builtin_prefetch(&out.queued);
  __builtin_prefetch(&out.queues[incoming.packet->priority]);
}

void SwitchNode::prefetchPlaces(const WindowOrder::Item& item) const {
  if (!item.second || incoming_[item.number].output == kUnrouted) return;
  const Incoming& incoming = incoming_[item.number];
  const Output& out = outputs_[incoming.output];
  out.queues[incoming.packet->priority].prefetchAppend();
  out.wire.lane().flight.prefetchPush();
}

[[gnu::always_inline]] inline void SwitchNode::depart(Output& out, unsigned priority,
                                                      Picoseconds now) {
  ClassQueue& queue = out.queues[priority];
  Queued& item = queue.front();
  const std::uint16_t length = item.packet.length;
  const Marking& rule = marking_[priority];
  const std::int64_t behind = out.queued[priority] - length;
  if (behind > rule.leaving_above && item.packet.ect) {
    markByDepth(out, item.packet, rule, behind, now);
  }
  if (item.charge == Charge::kCredit) consume(out, priority, length, now);
  ++out.departures[priority];
  out.leaving = {length, item.input, static_cast<std::uint8_t>(priority), item.charge, true};
  out.wire.send(item.packet, now);
  if (queue.pop()) out.waiting &= static_cast<PriorityMask>(~(1U << priority));
  out.decision = out.waiting != 0 || out.wire.replayAt() != kNever ? out.wire.freeAt() : kNever;
}

[[gnu::always_inline]] inline void SwitchNode::release(Output& out, Picoseconds now) {
  out.leaving.active = false;
  if (out.leaving.charge == Charge::kOutput) {
    out.queued[out.leaving.priority] -= out.leaving.length;
    buffer_.releaseOutput(out.account, out.leaving.length);
  } else {
    giveBack(out, out.leaving, now);
  }
}

// Does what the output does before `decided`; a last bit that leaves by `released` has left.
void SwitchNode::catchUp(Output& out, Picoseconds released, Picoseconds decided) {
  for (;;) {
    if (out.leaving.active) {
      if (out.wire.lastBitAt() > released) break;
      release(out, out.wire.lastBitAt());
    }
    if (out.decision >= decided) break;
    // The wire is free.
    const Picoseconds now = out.decision;
    const unsigned priority = out.plain && out.waiting != 0
                                  ? static_cast<unsigned>(std::bit_width(unsigned{out.waiting})) - 1
                                  : choose(out, now);
    if (priority != kNoFrame) depart(out, priority, now);
  }
  if (strict_) noteStep(out);
}

// Sends what goes before everything else, or returns what the scheduler picks.
unsigned SwitchNode::choose(Output& out, Picoseconds now) {
  if (isUrgent(out, now)) {
    sendUrgent(out, now);
    const bool more = out.waiting != 0 || out.consumed_waiting || out.wire.replayAt() != kNever;
    out.decision = more ? out.wire.freeAt() : kNever;
    settle(out);
    return kNoFrame;
  }
  const PriorityMask candidates = eligible(out, now);
  settle(out);
  if (candidates == 0) {
    out.decision = std::min(out.wire.resumesAt(out.waiting), out.wire.replayAt());
    return kNoFrame;
  }
  if (all_strict_) return static_cast<unsigned>(std::bit_width(unsigned{candidates})) - 1;
  return out.scheduler.pick(candidates, out.waiting, [&](unsigned p) {
    return std::int64_t{out.queues[p].front().packet.length};
  });
}

inline PriorityMask SwitchNode::eligible(Output& out, Picoseconds now) {
  const auto paused = static_cast<PriorityMask>(out.wire.pausedAt(now) & ~out.ignoring);
  const auto candidates = static_cast<PriorityMask>(out.waiting & ~paused);
  return (candidates & credited_) == 0 ? candidates : withCredits(out, candidates);
}

// advance() for everybody, see switch_node.h.
void SwitchNode::advanceAll(Picoseconds time) {
  forEachBit(active_, [&](std::uint32_t port) { advance(outputs_[port], time); });
}

// As advanceAll(), but one step of one output at a time in the order of time, timers among them: a
// frame that leaves may set one going that is due before `time`.
void SwitchNode::advanceInOrder(Picoseconds time) {
  while (earliest_ <= before(time) || timer_ < time) {
    std::int64_t first = kNever.count();
    std::int64_t second = kNever.count();
    std::uint32_t first_port = 0;
    forEachBit(active_, [&](std::uint32_t port) {
      const std::int64_t step = step_[port];
      second = std::min(second, std::max(first, step));
      if (step < first) {
        first = step;
        first_port = port;
      }
    });
    if (timer_ < time && before(timer_) < first) {
      earliest_ = first;
      runTimer(timer_);
    } else if (first <= before(time)) {
      earliest_ = second;
      // A last bit is an even step, a decision an odd one.
      catchUp(outputs_[first_port], Picoseconds(first / 2), Picoseconds(first / 2 + first % 2));
    } else {
      earliest_ = first;
    }
  }
}

}  // namespace plumbline::fabric
