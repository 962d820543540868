// What every packet goes through in a switch: the code that decides the simulator's speed. Where a
// compiler left to itself would make calls of the common way, it is told to inline them; a call
// costs a twentieth of that way.
#include <algorithm>
#include <bit>

#include "fabric/engine/bits.h"
#include "fabric/switch/switch_node.h"
#include "fabric/topology/path_hash.h"

namespace plumbline::fabric {
namespace {

// Packets ahead of the current one whose outputs are fetched.
constexpr std::uint32_t kFarAhead = 6;
// How far ahead an output fetches its queue and its link.
constexpr std::size_t kSoon = 3;
// In a window with so many packets memory is fetched ahead; after one, also the packets of the next
// before they are looked at. Fewer are done as fast without.
constexpr std::uint32_t kManyArrivals = 32;

constexpr std::size_t kLineBytes = 64;

}  // namespace

Picoseconds SwitchNode::run(Picoseconds begin, Picoseconds end) {
  work_ = &workspace();
  gather(begin, end);
  if (work_->order.grouped()) {
    runByOutput(end);
  } else {
    runByTime();
  }
  return finish(end);
}

SwitchNode::Workspace& SwitchNode::workspace() {
  static thread_local Workspace workspace;
  return workspace;
}

// What is needed for every packet of a window, and what they add up to. Nobody gets its address, so
// that it may stay in registers.
struct SwitchNode::Gathering {
  WindowOrder::Adder adder;
  Routing::Row row;
  Picoseconds end;
  std::uint64_t seed;
  bool route;  // where the hash alone decides
  bool by_qp;
  std::uint32_t nowhere;    // group of packets that have nowhere to go
  std::uint32_t count = 0;  // packets
  std::int64_t longest;     // of all that came so far
};

// Looks at what is due before `end`, and brings it into order. Where the hash alone decides, the
// output is looked up already here, with the packet at hand and time to fetch the output's memory.
void SwitchNode::gather(Picoseconds begin, Picoseconds end) {
  useTablesOf(begin);
  const bool route = !balancer_ && end <= next_epoch_;
  // The reference core's windows of one instant are left in the order that they are in.
  const bool by_output = route && !strict_ && timer_ >= end && end - begin > Picoseconds(1);
  // One group more, of packets that have nowhere to go.
  work_->order.start(begin, end, by_output ? ports_ + 1 : 1);
  work_->steering.clear();
  work_->bare = true;
  findInputs(end);
  const std::uint32_t* const ports = work_->inputs.data();
  if (arrivals_ >= kManyArrivals) {
    for (std::uint32_t i = 0; i < work_->input_count; ++i) inputs_[ports[i]].prefetch();
  }
  Gathering gathering{.adder = WindowOrder::Adder(work_->order),
                      .row = Routing::Row(*table_, number_),
                      .end = end,
                      .seed = table_->seed(number_),
                      .route = route,
                      .by_qp = balancing_ == LoadBalancingKind::kEcmpQp,
                      .nowhere = ports_,
                      .longest = longest_};
  std::int64_t arriving = 0;
  std::int64_t fullest = 0;
  for (std::uint32_t i = 0; i < work_->input_count; ++i) {
    const std::uint32_t port = ports[i];
    inputs_[port].refresh(end, takeControlFlag(port));
    if (!inputs_[port].hasPacketsOnly()) {
      gathering.adder = takeControl(port, end, gathering.adder);
      work_->bare = false;
    }
    const std::int64_t bytes = takeFlights(port, gathering);
    arriving += bytes;
    if (lossless_ != 0 && by_output) {
      fullest = std::max(fullest, buffer_.fullest(port, lossless_) + bytes);
    }
  }
  longest_ = gathering.longest;
  gathering.adder.end(work_->order);
  if (by_output && !outputsAreIndependent(arriving, fullest)) work_->order.ungroup();
  arrivals_ = work_->order.size();
  work_->order.sort();
}

// Which inputs hand something over before `end`, and when the first of the others does.
inline void SwitchNode::findInputs(Picoseconds end) {
  if (work_->inputs.size() <= ports_) work_->inputs.resize(ports_ + 1);
  std::uint32_t* next = work_->inputs.data();
  Picoseconds others = kNever;
  const Picoseconds* const due = this->due().data();
  busy().forEach([&](std::uint32_t port) {
    // No branch, for nobody could predict it.
    const bool hands_over = due[port] < end;
    *next = port;
    next += std::uint32_t{hands_over};
    others = earlier(others, hands_over ? kNever : due[port]);
  });
  work_->input_count = static_cast<std::uint32_t>(next - work_->inputs.data());
  work_->others = others;
}

inline std::uint32_t SwitchNode::hashedPort(const Packet& packet,
                                            std::span<const std::uint16_t> ports,
                                            std::uint64_t seed, bool by_qp) {
  if (ports.size() == 1) return ports.front();
  const std::uint32_t hash =
      by_qp ? qpFlowHash(packet.flow_hash, packet.connection) : packet.flow_hash;
  return ports[ecmpChoice(hash, seed, static_cast<std::uint32_t>(ports.size()))];
}

// What an input has that is not a packet.
WindowOrder::Adder SwitchNode::takeControl(std::uint32_t port, Picoseconds end,
                                           WindowOrder::Adder adder) {
  IngressPort& input = inputs_[port];
  for (Ring<LinkControl>& control = input.control(); !control.empty() && control.front().at < end;
       control.pop()) {
    adder.expect(work_->order, 1);
    adder.addFirst(port, control.front().at, static_cast<std::uint32_t>(work_->steering.size()));
    work_->steering.push_back({port, control.front()});
  }
  if (input.stage() == nullptr) return adder;
  for (const InFlightPacket& gone : input.stage()->dropped()) {
    outputs_[port].transmitter.drop(gone.packet, DropReason::kScripted, gone.at);
  }
  input.stage()->dropped().clear();
  return adder;
}

// Returns how many bytes they are. The next packet is what the input has next, if it is bare.
[[gnu::always_inline]] inline std::int64_t SwitchNode::takeFlights(std::uint32_t port,
                                                                   Gathering& gathering) {
  const SpscRing<InFlightPacket>& flights = inputs_[port].packets();
  const std::size_t visible = flights.visible();
  gathering.adder.expect(work_->order, visible);
  if (gathering.count + visible > work_->incoming.size()) {
    work_->incoming.resize(std::max(gathering.count + visible, 2 * work_->incoming.size()));
  }
  Incoming* next = work_->incoming.data() + gathering.count;
  std::int64_t bytes = 0;
  Picoseconds later_one = kNever;
  const std::size_t count = flights.visit([&](const InFlightPacket& flight) {
    if (flight.at >= gathering.end) {
      later_one = flight.at;
      return false;
    }
    std::uint32_t output = kUnrouted;
    std::uint32_t group = gathering.nowhere;
    if (gathering.route) {
      const auto ports = gathering.row.ports(flight.packet.destination);
      if (!ports.empty()) {
        group = output = hashedPort(flight.packet, ports, gathering.seed, gathering.by_qp);
      }
    }
    gathering.adder.addSecond(group, flight.at, gathering.count++);
    *next++ = {&flight.packet, static_cast<std::uint16_t>(port),
               static_cast<std::uint16_t>(output)};
    const std::int64_t length = flight.packet.length;
    bytes += length;
    gathering.longest = length > gathering.longest ? length : gathering.longest;
    return true;
  });
  inputs_[port].reserve(count);
  await(port, later_one);
  return bytes;
}

// Nothing that happens in a window in which nobody is paused and no timer goes off can depend on
// more than one output: no buffer that they share gets full, and nobody will be told to pause.
// `arriving`: bytes that come; `fullest`: lossless bytes of one input, if all of these stay.
bool SwitchNode::outputsAreIndependent(std::int64_t arriving, std::int64_t fullest) const {
  if (spec_.pfc && spec_.pfc->watchdog && !work_->steering.empty()) return false;
  return buffer_.surelyFits(arriving) &&
         (lossless_ == 0 || buffer_.surelyBelowXoff(fullest, arriving));
}

// The input has something to hand over again at `time`, or not if that is kNever.
inline void SwitchNode::await(std::uint32_t port, Picoseconds time) {
  due()[port] = time;
  if (time == kNever) {
    busy().erase(port);
  } else {
    busy().insert(port);
    work_->others = earlier(work_->others, time);
  }
}

// What the window brought has been dealt with. Returns when there is more.
Picoseconds SwitchNode::dismissInputs() {
  const std::span ports = std::span(work_->inputs).first(work_->input_count);
  for (const std::uint32_t port : ports) inputs_[port].release();
  if (!work_->bare) {
    for (const std::uint32_t port : ports) await(port, inputs_[port].next());
  }
  return work_->others;
}

[[gnu::always_inline]] inline void SwitchNode::depart(Output& out, unsigned priority,
                                                      Picoseconds now) {
  ClassQueue& queue = out.classes[priority].queue;
  Queued& item = queue.front();
  const std::uint16_t length = item.packet.length;
  const std::int64_t behind = out.classes[priority].queued - length;
  if (behind > leaving_above_[priority] && item.packet.ect && !item.packet.ce) {
    markByDepth(out, item.packet, behind, now);
  }
  if (item.charge == Charge::kCredit) consume(out, priority, length, now);
  out.classes[priority].moved = now;
  out.leaving.length = length;
  out.leaving.input = item.input;
  out.leaving.priority = static_cast<std::uint8_t>(priority);
  out.leaving.charge = item.charge;
  out.leaving.active = true;
  out.transmitter.send(item.packet, now, behind);
  if (!strict_) {
    queue.prefetchFront(kSoon);
    out.transmitter.queue().packets.prefetchPush(kSoon);
  }
  if (queue.pop()) out.waiting &= static_cast<PriorityMask>(~(1U << priority));
  const bool more = out.waiting != 0 || out.transmitter.replayAt() != kNever;
  out.decision = more ? out.transmitter.freeAt() : kNever;
}

[[gnu::always_inline]] inline void SwitchNode::release(Output& out, Picoseconds now) {
  out.leaving.active = false;
  giveBack(out, out.leaving, now);
}

// Does the next steps of the output for as long as they are permitted: last bits that leave at a
// time for which `releases` holds, decisions at a time for which `decides` does.
template <typename Releases, typename Decides>
[[gnu::always_inline]] inline void SwitchNode::goOn(Output& out, Releases&& releases,
                                                    Decides&& decides) {
  for (;;) {
    if (out.leaving.active) {
      if (!releases(out.transmitter.lastBitAt())) break;
      release(out, out.transmitter.lastBitAt());
    }
    if (!decides(out.decision)) break;
    // The wire is free.
    const Picoseconds now = out.decision;
    const unsigned priority = out.plain && out.waiting != 0
                                  ? static_cast<unsigned>(std::bit_width(unsigned{out.waiting})) - 1
                                  : choose(out, now);
    if (priority != kNoFrame) depart(out, priority, now);
  }
}

[[gnu::always_inline]] inline void SwitchNode::offer(Output& out, std::uint32_t input,
                                                     const Packet& packet, Picoseconds now) {
  const unsigned priority = packet.priority;
  const std::int64_t depth = out.classes[priority].queued;
  if (((lossless_ & ~out.discarding) >> priority & 1U) != 0) {
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

// `advanceTo` brings the output up to date.
template <typename AdvanceTo>
[[gnu::always_inline]] inline void SwitchNode::arrive(const Incoming& incoming, Picoseconds now,
                                                      AdvanceTo&& advanceTo) {
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
               : hashedPort(packet, Routing::Row(*table_, number_).ports(packet.destination),
                            table_->seed(number_), balancing_ == LoadBalancingKind::kEcmpQp);
  }
  Output& out = outputs_[port];
  advanceTo(out);
  offer(out, incoming.input, packet, now);
}

// What passOn() has to know in every window.
struct SwitchNode::Passage {
  const Incoming* incoming;
  Output* outputs;
  std::int64_t longest;  // bytes
  Picoseconds window_end;
};

void SwitchNode::runByOutput(Picoseconds end) {
  const WindowOrder::View order(work_->order);
  const bool plain = plain_ && work_->steering.empty() && !recorder().wants(RecordKind::kDeparture);
  const Passage passage{.incoming = work_->incoming.data(),
                        .outputs = outputs_.data(),
                        .longest = std::min(trim_threshold_, buffer_.limit()),
                        .window_end = end};
  for (std::uint32_t place = 0; place < order.size();) {
    if (plain && passOn(order, place, passage)) {
      ++place;
      continue;
    }
    const std::uint32_t next = order.groupEnd(place);
    // The next output comes while this one is at work.
    if (next < order.size()) prefetchOutput(order.at(next));
    if (plain && isPlain(order.at(place))) {
      if (!runCalmGroup(order, place, next, end)) runPlainGroup(order, place, next, end);
    } else {
      runGroup(order, place, next);
    }
    place = next;
  }
}

// The packet at `place` leaves a plain output at once if it finds the wire free and nobody waiting,
// is not so long that it might be trimmed or dropped, and none comes at the same instant, which
// might be one of a higher priority: then nothing of a queue has to be read or written for it.
// Returns false if not, with nothing changed. Where a switch has little to do that is nearly every
// packet.
[[gnu::always_inline]] inline bool SwitchNode::passOn(const WindowOrder::View& order,
                                                      std::uint32_t place, const Passage& passage) {
  const WindowOrder::Item item = order.at(place);
  const Incoming& incoming = passage.incoming[item.number];
  if (incoming.output == kUnrouted) return false;
  Output& out = passage.outputs[incoming.output];
  const Packet& packet = *incoming.packet;
  const std::int64_t length = packet.length;
  const Picoseconds until = order.nextOfGroup(place, passage.window_end);
  // One branch instead of six that hardly anybody takes.
  const unsigned hindered = unsigned{out.waiting} | unsigned{!out.plain} |
                            unsigned{packet.trimmed} | unsigned{length > passage.longest} |
                            unsigned{out.transmitter.freeAt() > item.time} |
                            unsigned{until == item.time};
  if (hindered != 0) return false;
  if (out.leaving.active) release(out, out.transmitter.lastBitAt());
  Transmitter::Burst burst(out.transmitter);
  burst.send(packet, item.time).hops = packet.hops + 1U;
  burst.end();
  out.account.most = std::max(out.account.most, length);
  if (out.transmitter.lastBitAt() > until) {
    buffer_.chargeOutput(out.account, length);
    out.classes[packet.priority].queued += length;
    out.leaving = {.length = packet.length,
                   .input = 0,  // whose account a lossy frame is not on
                   .priority = static_cast<std::uint8_t>(packet.priority),
                   .charge = Charge::kOutput,
                   .active = true};
    setStep(out);
  }
  return true;
}

inline bool SwitchNode::isPlain(const WindowOrder::Item& item) const {
  const std::uint32_t port = work_->incoming[item.number].output;
  return port != kUnrouted && outputs_[port].plain;
}

// The packets for one output, which are at the places from `place` to before `end`.
void SwitchNode::runGroup(const WindowOrder::View& order, std::uint32_t place, std::uint32_t end) {
  for (; place < end; ++place) {
    if (place + kNearAhead == end && end < order.size()) prefetchPlaces(order.at(end));
    const WindowOrder::Item item = order.at(place);
    if (item.second) {
      const Picoseconds now = item.time;
      arrive(work_->incoming[item.number], now, [this, now](Output& out) {
        if (!hasStepBefore(out, now)) return;
        goOn(
            out, [now](Picoseconds time) { return time <= now; },
            [now](Picoseconds time) { return time < now; });
      });
    } else {
      obey(work_->steering[item.number].port, work_->steering[item.number].item, item.time);
    }
  }
}

void SwitchNode::runByTime() {
  const WindowOrder::View order(work_->order);
  const std::uint32_t count = order.size();
  const bool many = count >= kManyArrivals;
  for (std::uint32_t place = 0; place < count; ++place) {
    if (many && place + kFarAhead < count) {
      prefetchOutput(order.at(place + kFarAhead));
      prefetchPlaces(order.at(place + kNearAhead));
    }
    const WindowOrder::Item item = order.at(place);
    if (timer_ < item.time) runTimersBefore(item.time);
    if (strict_ && anyStepBefore(item.time)) advanceInOrder(item.time);
    now_ = item.time;
    if (item.second) {
      arrive(work_->incoming[item.number], item.time,
             [&](Output& out) { advance(out, item.time); });
    } else {
      obey(work_->steering[item.number].port, work_->steering[item.number].item, item.time);
    }
  }
}

void SwitchNode::prefetchOutput(const WindowOrder::Item& item) const {
  if (!item.second || work_->incoming[item.number].output == kUnrouted) return;
  const Incoming& incoming = work_->incoming[item.number];
  const Output& out = outputs_[incoming.output];
  __builtin_prefetch(&out);
  __builtin_prefetch(reinterpret_cast<const char*>(&out) + kLineBytes);
  __builtin_prefetch(&out.classes[incoming.packet->priority].queue);
}

void SwitchNode::prefetchPlaces(const WindowOrder::Item& item) const {
  if (!item.second || work_->incoming[item.number].output == kUnrouted) return;
  const Incoming& incoming = work_->incoming[item.number];
  const Output& out = outputs_[incoming.output];
  out.classes[incoming.packet->priority].queue.prefetchFront(0);
  out.classes[incoming.packet->priority].queue.prefetchAppend();
  out.transmitter.queue().packets.prefetchPush();
}

// Does what the output does before `decided`; a last bit that leaves by `released` has left.
void SwitchNode::catchUp(Output& out, Picoseconds released, Picoseconds decided) {
  goOn(
      out, [=](Picoseconds time) { return time <= released; },
      [=](Picoseconds time) { return time < decided; });
}

// Sends what goes before everything else, or returns what the scheduler picks.
unsigned SwitchNode::choose(Output& out, Picoseconds now) {
  const Picoseconds start = out.transmitter.startsAt(now);
  if (start > now) {
    out.decision = start;
    return kNoFrame;
  }
  if (isUrgent(out, now)) {
    sendUrgent(out, now);
    const bool more =
        out.waiting != 0 || out.consumed_waiting || out.transmitter.replayAt() != kNever;
    out.decision = more ? out.transmitter.freeAt() : kNever;
    settle(out);
    return kNoFrame;
  }
  const PriorityMask candidates = eligible(out, now);
  settle(out);
  if (candidates == 0 || out.transmitter.full()) {
    out.decision = std::min(out.transmitter.resumesAt(out.waiting), out.transmitter.replayAt());
    return kNoFrame;
  }
  if (all_strict_) return static_cast<unsigned>(std::bit_width(unsigned{candidates})) - 1;
  return out.scheduler.pick(candidates, out.waiting, [&](unsigned p) {
    return std::int64_t{out.classes[p].queue.front().packet.length};
  });
}

inline PriorityMask SwitchNode::eligible(Output& out, Picoseconds now) {
  const auto paused = static_cast<PriorityMask>(out.transmitter.pausedAt(now) & ~out.ignoring);
  const auto candidates = static_cast<PriorityMask>(out.waiting & ~paused);
  return (candidates & credited_) == 0 ? candidates : withCredits(out, candidates);
}

// advance() for everybody, see switch_node.h.
void SwitchNode::advanceAll(Picoseconds time) {
  active_.forEach([&](std::uint32_t port) { advance(outputs_[port], time); });
}

// As advanceAll(), but for outputs with isOrdered(), in the order of time, timers among them: a
// frame that leaves may set one going that is due before `time`, or let an input go on, whose
// output then has a PAUSE frame to send. An output goes on for as long as no other one has anything
// to do before.
void SwitchNode::advanceInOrder(Picoseconds time) {
  while (anyStepBefore(time)) {
    if (step_[leader_] >= others_) {
      findLeader();
      if (!anyStepBefore(time)) return;  // others_ was of a step that has been put off since
    }
    Output& out = outputs_[leader_];
    const std::int64_t step = step_[leader_];
    if (timer_ < time && before(timer_) < step) {
      runTimer(timer_);
    } else if (step < others_) {
      goOn(
          out,
          [&](Picoseconds bit) { return bit <= time && bit <= timer_ && before(bit) < others_; },
          [&](Picoseconds decision) {
            return decision < time && decision < timer_ && before(decision) + 1 < others_;
          });
      noteStep(out);
    } else {
      // Another one has a step at the same instant. A last bit is an even step, a decision an odd
      // one.
      catchUp(out, Picoseconds(step >> 1), Picoseconds((step >> 1) + (step & 1)));
      noteStep(out);
    }
  }
}

// The output with the earliest step; of equal ones the first.
void SwitchNode::findLeader() {
  std::int64_t first = kNever.count();
  std::int64_t second = kNever.count();
  std::uint32_t leader = leader_;
  const std::int64_t* const steps = step_.data();
  active_.forEach([&](std::uint32_t port) {
    const std::int64_t step = steps[port];
    const bool leads = step < first;
    second = leads ? first : least(second, step);
    first = leads ? step : first;
    leader = leads ? port : leader;
  });
  others_ = second;
  leader_ = leader;
}

}  // namespace plumbline::fabric
