// What every packet needs in a switch: the code that determines the simulator's speed.
#include <algorithm>
#include <optional>

#include "fabric/engine/bits.h"
#include "fabric/engine/prefetch.h"
#include "fabric/switch/egress_drain.h"
#include "fabric/switch/switch_node.h"

namespace plumbline::fabric {
namespace {

// Packets ahead of the current one whose egress ports are fetched.
constexpr std::uint32_t kFarAhead = 6;
// In windows with at least so many arrivals memory is fetched ahead, and after such a window also
// the packets of the next. With fewer arrivals, fetching costs as much as it saves.
constexpr std::uint32_t kManyArrivals = 32;

}  // namespace

Picoseconds SwitchNode::run(Picoseconds begin, Picoseconds end) {
  batch_ = &ArrivalBatch::ofThread();
  gather(begin, end);
  if (batch_->grouped()) {
    runByPort(end);
  } else {
    runInTimeOrder();
  }
  return finish(end);
}

// Gathers what arrives before `end` and sorts it. Where the hash alone decides, packets are routed
// here, while they are in the cache and there is time to fetch the egress port.
void SwitchNode::gather(Picoseconds begin, Picoseconds end) {
  paths_.useTablesOf(begin);
  const bool routes = paths_.isHashBefore(end);
  // Windows of one instant (reference core) are gathered in order already.
  const bool by_port = routes && !order_.enabled() && timer_ >= end && end - begin > Picoseconds(1);
  // One group more, for packets without a route.
  batch_->start(begin, end, by_port ? ports_ + 1 : 1);
  batch_->findPorts(busy(), due(), ports_, end);
  if (arrivals_ >= kManyArrivals) {
    for (const std::uint32_t port : batch_->ports()) ingress_[port].prefetch();
  }
  const PathChoice::ByHash by_hash = paths_.byHash();
  const auto egressOf = [=](const Packet& packet) -> std::uint32_t {
    if (!routes) return ArrivalBatch::kUnrouted;
    const auto ports = by_hash.ports(packet.destination);
    return ports.empty() ? ArrivalBatch::kUnrouted : by_hash.choose(packet, ports);
  };
  ArrivalBatch::Gatherer gatherer(*batch_, end, ports_);
  std::int64_t arriving = 0;
  std::int64_t fullest = 0;
  for (const std::uint32_t port : batch_->ports()) {
    IngressPort& ingress = ingress_[port];
    ingress.refresh(end, readControlFlag(port));
    if (!ingress.hasPacketsOnly()) gatherer = gatherControl(port, gatherer);
    const ArrivalBatch::Gathered taken = gatherer.gatherPackets(port, ingress, egressOf);
    await(port, taken.next);
    arriving += taken.bytes;
    if (lossless_ != 0 && by_port) {
      fullest = std::max(fullest, buffer_.fullest(port, lossless_) + taken.bytes);
    }
  }
  gatherer.end();
  batch_->sort(by_port && egressPortsAreIndependent(arriving, fullest));
  arrivals_ = batch_->size();
}

// Takes what a port has besides packets.
ArrivalBatch::Gatherer SwitchNode::gatherControl(std::uint32_t port,
                                                 ArrivalBatch::Gatherer gatherer) {
  IngressPort& ingress = ingress_[port];
  gatherer.gatherControl(port, ingress);
  if (ingress.stage() == nullptr) return gatherer;
  for (const InFlightPacket& dropped : ingress.stage()->dropped()) {
    egress_[port].transmitter.drop(dropped.packet, DropReason::kScripted, dropped.at);
  }
  ingress.stage()->dropped().clear();
  return gatherer;
}

// Whether nothing that happens in the window depends on more than one egress port, given that
// no port is paused by this switch and no timer expires: no shared buffer fills up, and no pause
// becomes necessary. `arriving`: bytes that arrive; `fullest`: most lossless bytes of one ingress
// port, if all of these stay.
bool SwitchNode::egressPortsAreIndependent(std::int64_t arriving, std::int64_t fullest) const {
  if (spec_.pfc && spec_.pfc->watchdog && !batch_->controls().empty()) return false;
  return buffer_.certainlyFits(arriving) &&
         (lossless_ == 0 || buffer_.certainlyBelowXoff(fullest, arriving));
}

// The port hands something over at `time`, or nothing more if that is kNever.
inline void SwitchNode::await(std::uint32_t port, Picoseconds time) {
  due()[port] = time;
  if (time == kNever) {
    busy().erase(port);
  } else {
    busy().insert(port);
    batch_->noteDue(time);
  }
}

// Takes the arrivals of the window out of the ingress ports. Returns when there are more.
Picoseconds SwitchNode::releaseIngress() {
  for (const std::uint32_t port : batch_->ports()) ingress_[port].release();
  if (!batch_->packetsOnly()) {
    for (const std::uint32_t port : batch_->ports()) await(port, ingress_[port].next());
  }
  return batch_->nextDue();
}

inline void SwitchNode::release(EgressPort& egress, Picoseconds now) {
  egress.sending.active = false;
  releaseBuffer(egress, egress.sending, now);
}

// The egress port of an arrival; null if there is no route, and the packet is dropped.
inline EgressPort* SwitchNode::route(const ArrivalBatch::Arrival& arrival, Picoseconds now) {
  if (arrival.egress != ArrivalBatch::kUnrouted) return &egress_[arrival.egress];
  const std::optional<std::uint32_t> port = paths_.choose(*arrival.packet, now, *this);
  if (port) return &egress_[*port];
  dropUnrouted(arrival, now);
  return nullptr;
}

// Egress port by egress port.
void SwitchNode::runByPort(Picoseconds end) {
  const WindowOrder::View order = batch_->order();
  const bool unobserved = lossy_and_unweighted_ && batch_->controls().empty() &&
                          !recorder().accepts(RecordKind::kDeparture);
  for (std::uint32_t place = 0; place < order.size();) {
    if (unobserved && bypassQueue(order, place, end)) {
      ++place;
      continue;
    }
    const std::uint32_t next = order.groupEnd(place);
    // The next port is fetched while this one is at work.
    if (next < order.size()) prefetchPort(order.at(next));
    EgressPort* const egress = unobserved ? unrestrictedPort(order.at(place)) : nullptr;
    if (egress != nullptr) {
      drainGroup<RegisterState>(*egress, order, place, next, end);
    } else {
      runGroup(order, place, next);
    }
    place = next;
  }
}

// The egress port of a packet if it is known and unrestricted, else null.
inline EgressPort* SwitchNode::unrestrictedPort(const WindowOrder::Item& packet) {
  const std::uint16_t port = batch_->arrival(packet.number).egress;
  return port != ArrivalBatch::kUnrouted && egress_[port].unrestricted ? &egress_[port] : nullptr;
}

// The packet at `place` leaves at once, past the queue, if its egress port is unrestricted and has
// a free wire and nothing to send, admission is certain, and no other packet arrives at the same
// instant, which might have a higher priority. Returns false if not, with nothing changed. In a
// lightly loaded switch nearly every packet takes this path.
inline bool SwitchNode::bypassQueue(const WindowOrder::View& order, std::uint32_t place,
                                    Picoseconds window_end) {
  const WindowOrder::Item item = order.at(place);
  const ArrivalBatch::Arrival& arrival = batch_->arrival(item.number);
  if (arrival.egress == ArrivalBatch::kUnrouted) return false;
  EgressPort& egress = egress_[arrival.egress];
  const Packet& packet = *arrival.packet;
  const std::int64_t length = packet.length;
  const Picoseconds until = order.nextOfGroup(place, window_end);
  // One branch instead of five that are rarely taken.
  const unsigned obstacles = unsigned{egress.waiting} | unsigned{!egress.unrestricted} |
                             unsigned{!rules_.admits(packet, 0, buffer_.fitsPort(0, length))} |
                             unsigned{egress.transmitter.freeAt() > item.time} |
                             unsigned{until == item.time};
  if (obstacles != 0) return false;
  if (egress.sending.active) release(egress, egress.transmitter.lastBitAt());
  Transmitter::Burst burst(egress.transmitter);
  burst.send(packet, item.time).hops = packet.hops + 1U;
  burst.end();
  egress.account.peak = std::max(egress.account.peak, length);
  if (egress.transmitter.lastBitAt() > until) {
    buffer_.chargeEgress(egress.account, length);
    egress.queues[packet.priority].bytes += length;
    egress.sending = {.length = packet.length,
                      .ingress = 0,  // not needed to release the buffer of a lossy frame
                      .priority = static_cast<std::uint8_t>(packet.priority),
                      .charge = Charge::kEgress,
                      .active = true};
    setStep(egress);
  }
  return true;
}

// The packets for one egress port, at the places from `place` to before `end`. Nothing else happens
// to it in the window, up to whose end it advances.
template <typename State>
inline void SwitchNode::drainGroup(EgressPort& egress, const WindowOrder::View& of_window,
                                   std::uint32_t place, std::uint32_t end, Picoseconds window_end) {
  const WindowOrder::View order = of_window;  // a copy without an address stays in registers
  ArrivalBatch::Arrival* const arrivals = batch_->arrivals();
  EgressDrain<State> drain(*this, egress);
  for (; place < end; ++place) {
    const WindowOrder::Item item = order.at(place);
    drain.advance(item.time);
    drain.admit(item.number, arrivals[item.number], item.time);
  }
  if (end < order.size()) prefetchPlaces(order.at(end));
  drain.advance(window_end);
  drain.end(window_end);
}

// The same for a port of any kind, and for control messages.
void SwitchNode::runGroup(const WindowOrder::View& order, std::uint32_t place, std::uint32_t end) {
  for (; place < end; ++place) {
    if (place + kNearAhead == end && end < order.size()) prefetchPlaces(order.at(end));
    const WindowOrder::Item item = order.at(place);
    if (!item.second) {
      receiveControl(batch_->controls()[item.number], item.time);
      continue;
    }
    ArrivalBatch::Arrival& arrival = batch_->arrivals()[item.number];
    EgressPort* const egress = route(arrival, item.time);
    if (egress == nullptr) continue;
    EgressDrain<StoredState> drain(*this, *egress);
    if (egress->hasStepBefore(item.time)) drain.advance(item.time);
    drain.admit(item.number, arrival, item.time);
  }
}

void SwitchNode::runInTimeOrder() {
  const WindowOrder::View order = batch_->order();
  const std::uint32_t count = order.size();
  const bool many = count >= kManyArrivals;
  for (std::uint32_t place = 0; place < count; ++place) {
    if (many && place + kFarAhead < count) {
      prefetchPort(order.at(place + kFarAhead));
      prefetchPlaces(order.at(place + kNearAhead));
    }
    const WindowOrder::Item item = order.at(place);
    if (timer_ < item.time) runTimersBefore(item.time);
    if (order_.enabled() && anyStepBefore(item.time)) advanceInOrder(item.time);
    now_ = item.time;
    if (!item.second) {
      receiveControl(batch_->controls()[item.number], item.time);
      continue;
    }
    ArrivalBatch::Arrival& arrival = batch_->arrivals()[item.number];
    EgressPort* const egress = route(arrival, item.time);
    if (egress == nullptr) continue;
    advance(*egress, item.time);
    EgressDrain<StoredState>(*this, *egress).admit(item.number, arrival, item.time);
  }
}

void SwitchNode::prefetchPort(const WindowOrder::Item& item) const {
  if (!item.second) return;
  const ArrivalBatch::Arrival& arrival = batch_->arrival(item.number);
  if (arrival.egress == ArrivalBatch::kUnrouted) return;
  const EgressPort& egress = egress_[arrival.egress];
  // What every frame needs of it (see EgressPort), and the queue of its priority.
  prefetchRangeToRead(&egress, 2 * kCacheLineBytes);
  prefetchToRead(&egress.queues[arrival.packet->priority].frames);
}

void SwitchNode::prefetchPlaces(const WindowOrder::Item& item) const {
  if (!item.second) return;
  const ArrivalBatch::Arrival& arrival = batch_->arrival(item.number);
  if (arrival.egress == ArrivalBatch::kUnrouted) return;
  const EgressPort& egress = egress_[arrival.egress];
  egress.queues[arrival.packet->priority].frames.prefetchFront(0);
  egress.queues[arrival.packet->priority].frames.prefetchAppend();
  egress.transmitter.queue().packets.prefetchPush();
}

// Takes the decisions of the port before `decided`, and the last bits up to `released`.
void SwitchNode::advance(EgressPort& egress, Picoseconds released, Picoseconds decided) {
  EgressDrain<StoredState>(*this, egress)
      .advance([=](Picoseconds bit) { return bit <= released; },
               [=](Picoseconds decision) { return decision < decided; });
}

// Sends what goes before all queued frames, or returns the priority that the scheduler picks.
unsigned SwitchNode::choose(EgressPort& egress, Picoseconds now) {
  const Picoseconds start = egress.transmitter.startsAt(now);
  if (start > now) {
    egress.decision = start;
    return kNoFrame;
  }
  if (egress.hasControlToSend(now)) {
    sendUrgent(egress, now);
    const bool more =
        egress.waiting != 0 || egress.consumed_waiting || egress.transmitter.replayAt() != kNever;
    egress.decision = more ? egress.transmitter.freeAt() : kNever;
    updateRestrictions(egress);
    return kNoFrame;
  }
  const PriorityMask candidates = eligible(egress, now);
  updateRestrictions(egress);
  if (candidates == 0 || egress.transmitter.full()) {
    egress.decision =
        std::min(egress.transmitter.resumesAt(egress.waiting), egress.transmitter.replayAt());
    return kNoFrame;
  }
  if (unweighted_) return highestPriority(candidates);
  return egress.scheduler.pick(candidates, egress.waiting, [&](unsigned p) {
    return std::int64_t{egress.queues[p].frames.front().packet.length};
  });
}

inline PriorityMask SwitchNode::eligible(EgressPort& egress, Picoseconds now) {
  const auto paused =
      static_cast<PriorityMask>(egress.transmitter.pausedAt(now) & ~egress.ignoring);
  const auto candidates = static_cast<PriorityMask>(egress.waiting & ~paused);
  return (candidates & credited_) == 0 ? candidates : credits_.covered(egress, candidates);
}

void SwitchNode::advanceAll(Picoseconds time) {
  active_.forEach([&](std::uint32_t port) { advance(egress_[port], time); });
}

// As advanceAll(), but for ports with StepOrder::isOrdered(), in order of time, timers among them:
// a departure may set a timer that is due before `time`, or let an ingress port resume, whose
// egress side then has a PAUSE frame to send. A port advances for as long as no other port has an
// earlier step.
void SwitchNode::advanceInOrder(Picoseconds time) {
  while (anyStepBefore(time)) {
    // The step that seemed to be the earliest may have been postponed.
    if (order_.update(active_) && !anyStepBefore(time)) return;
    EgressPort& egress = egress_[order_.earliest()];
    const std::int64_t step = order_.step();
    const std::int64_t& other = order_.earliestOther();
    if (timer_ < time && StepOrder::before(timer_) < step) {
      runTimer(timer_);
    } else if (step < other) {
      EgressDrain<StoredState>(*this, egress)
          .advance(
              [&](Picoseconds bit) {
                return bit <= time && bit <= timer_ && StepOrder::before(bit) < other;
              },
              [&](Picoseconds decision) {
                return decision < time && decision < timer_ &&
                       StepOrder::before(decision) + 1 < other;
              });
      order_.note(egress);
    } else {
      // Another port has a step at the same instant. A last bit is an even step, a decision an odd
      // one.
      advance(egress, Picoseconds(step >> 1), Picoseconds((step >> 1) + (step & 1)));
      order_.note(egress);
    }
  }
}

}  // namespace plumbline::fabric
