// What every packet goes through in a switch: the code that decides the simulator's speed.
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
  const std::uint32_t count = order_.size();
  const auto steering = static_cast<std::uint32_t>(steering_.size());
  for (std::uint32_t place = 0; place < count; ++place) {
    if (place + kFarAhead < count) {
      const std::uint32_t far = order_.at(place + kFarAhead).index;
      if (far >= steering) prefetchOutput(incoming_[far - steering]);
      const std::uint32_t near = order_.at(place + kNearAhead).index;
      if (near >= steering) prefetchPlaces(incoming_[near - steering]);
    }
    const WindowOrder::Item item = order_.at(place);
    if (timer_ < item.time) runTimersBefore(item.time);
    if (strict()) advanceInOrder(item.time);
    now_ = item.time;
    if (item.index < steering) {
      obey(steering_[item.index].port, steering_[item.index].item, item.time);
    } else {
      arrive(incoming_[item.index - steering], item.time);
    }
  }
  return finish(end);
}

// Takes over what is due before `end`, and brings it into order. Where the hash alone decides, the
// output is looked up already here, with the packet at hand and time to fetch the output's memory.
void SwitchNode::gather(Picoseconds begin, Picoseconds end) {
  order_.start(begin);
  steering_.clear();
  incoming_count_ = 0;
  for (std::size_t w = 0; w < busy_.size(); ++w) {
    busy_[w] |= fresh()[w];
    fresh()[w] = 0;
  }
  forEachBit(busy_, [&](std::uint32_t port) {
    Input& input = inputs_[port];
    input.refresh(end);
    for (Ring<ControlFlight>& control = input.control();
         !control.empty() && control.front().at < end; control.pop()) {
      order_.add(control.front().at);
      steering_.push_back({port, control.front()});
    }
    if (input.stage() == nullptr) return;
    for (const Flight& gone : input.stage()->dropped()) {
      outputs_[port].wire.drop(gone.packet, DropReason::kScripted, gone.at);
    }
    input.stage()->dropped().clear();
  });
  const bool route = !balancer_ && end <= next_epoch_;
  forEachBit(busy_, [&](std::uint32_t port) {
    for (SpscRing<Flight>& flights = inputs_[port].flights();
         !flights.empty() && flights.front().at < end; flights.pop()) {
      const Flight& flight = flights.front();
      order_.add(flight.at);
      std::uint16_t output = kUnrouted;
      if (route) {
        const auto candidates = table_->candidates(number_, flight.packet.destination);
        if (!candidates.empty()) {
          output = static_cast<std::uint16_t>(hashedPort(flight.packet, candidates));
        }
      }
      Incoming& incoming = nextIncoming();
      incoming.input = static_cast<std::uint16_t>(port);
      incoming.output = output;
      incoming.packet = flight.packet;
    }
  });
  order_.sort();
}

void SwitchNode::prefetchOutput(const Incoming& incoming) const {
  if (incoming.output == kUnrouted) return;
  const Output& out = outputs_[incoming.output];
  __builtin_prefetch(&out.decision);
  __builtin_prefetch(&out.wire.counters());
  __builtin_prefetch(&out.queued);
  __builtin_prefetch(&out.queues[incoming.packet.priority]);
}

void SwitchNode::prefetchPlaces(const Incoming& incoming) const {
  if (incoming.output == kUnrouted) return;
  const Output& out = outputs_[incoming.output];
  out.queues[incoming.packet.priority].prefetchPush();
  out.wire.lane().flight.prefetchPush();
}

std::uint32_t SwitchNode::hashedPort(const Packet& packet,
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

void SwitchNode::arrive(Incoming& incoming, Picoseconds now) {
  Packet& packet = incoming.packet;
  std::uint32_t port = incoming.output;
  if (port == kUnrouted) {
    useTablesOf(now);
    const std::span<const LinkId> candidates = table_->candidates(number_, packet.destination);
    if (candidates.empty()) {
      outputs_[incoming.input].wire.drop(packet, DropReason::kNoRoute, now);
      return;
    }
    port = balancer_ && candidates.size() > 1
               ? links_[balancer_->choose(packet, candidates, now, *this)].from_port
               : hashedPort(packet, candidates);
  }
  advance(port, now);
  offer(port, incoming.input, packet, now);
}

void SwitchNode::offer(std::uint32_t port, std::uint32_t input, Packet& packet, Picoseconds now) {
  Output& out = outputs_[port];
  const unsigned priority = packet.priority;
  const std::int64_t depth = out.queued[priority];
  if (((ruled_ | out.discarding) >> priority & 1U) != 0 || packet.trimmed ||
      (packet.trimmable && depth + packet.length > trim_threshold_) ||
      !buffer_.fits(port, depth, packet.length)) {
    offerWithRules(port, input, packet, now);
    return;
  }
  buffer_.chargeOutput(port, packet.length);
  enqueue(out, port, packet, input, Charge::kOutput, depth, now);
}

void SwitchNode::enqueue(Output& out, std::uint32_t port, const Packet& packet, std::uint32_t input,
                         Charge charge, std::int64_t depth, Picoseconds now) {
  const unsigned priority = packet.priority;
  out.queued[priority] += packet.length;
  Queued& item = out.queues[priority].append(static_cast<std::uint16_t>(input));
  item.packet = packet;
  item.input = static_cast<std::uint16_t>(input);
  item.charge = charge;
  ++item.packet.hops;
  const Marking& rule = marking_[priority];
  if (rule.enabled && packet.ect && !rule.at_dequeue) {
    markByDepth(out, item.packet, rule, depth, now);
  }
  out.waiting |= static_cast<PriorityMask>(1U << priority);
  out.decision = std::min(out.decision, std::max(out.wire.freeAt(), now));
  setStep(out, port);
}

inline SwitchNode::Incoming& SwitchNode::nextIncoming() {
  if (incoming_count_ == incoming_.size())
    incoming_.resize(std::max<std::size_t>(64, incoming_count_ * 2));
  return incoming_[incoming_count_++];
}

inline void SwitchNode::takeStep(std::uint32_t port) {
  Output& out = outputs_[port];
  if (out.leaving.active) {
    release(out, port, out.wire.lastBitAt());
  } else {
    decide(out, out.decision);
  }
  setStep(out, port);
}

// Does what the output does before `time`; a last bit that leaves at `time` has left.
void SwitchNode::advance(std::uint32_t port, Picoseconds time) {
  while (step_[port] <= before(time)) takeStep(port);
}

// The wire is free: sends a PAUSE frame, a replay, or what the scheduler picks.
inline void SwitchNode::decide(Output& out, Picoseconds now) {
  out.decision = kNever;
  if (out.pause_enabled != 0 || out.wire.replayAt() <= now) {
    sendUrgent(out, now);
  } else {
    const PriorityMask candidates = eligible(out, now);
    if (candidates == 0) {
      out.decision = std::min(out.wire.resumesAt(out.waiting), out.wire.replayAt());
      return;
    }
    unsigned priority = static_cast<unsigned>(std::bit_width(unsigned{candidates})) - 1;
    if (!all_strict_) {
      priority = out.scheduler.pick(candidates, out.waiting, [&](unsigned p) {
        return std::int64_t{out.queues[p].front().packet.length};
      });
    }
    depart(out, priority, now);
  }
  if (out.waiting != 0 || out.wire.replayAt() != kNever) out.decision = out.wire.freeAt();
}

inline PriorityMask SwitchNode::eligible(Output& out, Picoseconds now) {
  const auto paused = static_cast<PriorityMask>(out.wire.pausedAt(now) & ~out.ignoring);
  const auto candidates = static_cast<PriorityMask>(out.waiting & ~paused);
  return (candidates & credited_) == 0 ? candidates : withCredits(out, candidates);
}

inline void SwitchNode::depart(Output& out, unsigned priority, Picoseconds now) {
  ClassQueue& queue = out.queues[priority];
  Queued& item = queue.front();
  const std::uint16_t length = item.packet.length;
  const Marking& rule = marking_[priority];
  if (rule.enabled && rule.at_dequeue && item.packet.ect) {
    markByDepth(out, item.packet, rule, out.queued[priority] - length, now);
  }
  if (item.charge == Charge::kCredit) out.credits[priority].in_use += creditsOf(length);
  ++out.departures[priority];
  out.leaving = {length, item.input, static_cast<std::uint8_t>(priority), item.charge, true};
  out.wire.send(item.packet, now);
  queue.pop();
  queue.prefetchFront();
  if (queue.empty()) out.waiting &= static_cast<PriorityMask>(~(1U << priority));
}

inline void SwitchNode::release(Output& out, std::uint32_t port, Picoseconds now) {
  out.leaving.active = false;
  if (out.leaving.charge == Charge::kOutput) {
    out.queued[out.leaving.priority] -= out.leaving.length;
    buffer_.releaseOutput(port, out.leaving.length);
  } else {
    setStep(out, port);  // a frame that goes back where it came from makes us look at this port
    giveBack(port, out.leaving, now);
  }
}

// advance() for everybody, see switch_node.h.
void SwitchNode::advanceAll(Picoseconds time) {
  forEachBit(active_, [&](std::uint32_t port) { advance(port, time); });
}

// As advanceAll(), but one step of one output at a time in the order of time, timers among them: a
// frame that leaves may set one going that is due before `time`.
void SwitchNode::advanceInOrder(Picoseconds time) {
  while (earliest_ <= before(time) || timer_ < time) {
    std::int64_t first = kNever.count();
    std::uint32_t first_port = 0;
    forEachBit(active_, [&](std::uint32_t port) {
      if (step_[port] < first) {
        first = step_[port];
        first_port = port;
      }
    });
    earliest_ = first;
    if (timer_ < time && before(timer_) < first) {
      runTimer(timer_);
    } else if (first <= before(time)) {
      takeStep(first_port);
    }
  }
}

}  // namespace plumbline::fabric
