// What an egress port does with the arrivals of a window and the frames that wait: the one loop of
// admission and departure, compiled for two kinds of ports.
//
//   EgressDrain<StoredState>    any port. State and frames are where the rest of the switch finds
//                               them: in the port and its queues.
//   EgressDrain<RegisterState>  an unrestricted port (EgressPort::unrestricted) of a switch with
//                               lossy priorities only, while departures are not observed. State is
//                               in registers, arrivals stay in the ingress ports' propagation
//                               queues until they leave, and there are no checks for pauses,
//                               credits, weights, lossless priorities or the watchdog.
//
// Forced inline throughout, so that the state of the second kind is in registers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "fabric/switch/switch_node.h"

namespace plumbline::fabric {

class SwitchNode::StoredState {
 public:
  static constexpr bool kUnrestricted = false;
  using Frame = QueuedFrame&;

  [[gnu::always_inline]] StoredState(SwitchNode& node, EgressPort& egress)
      : node_(node), egress_(egress) {}

  [[nodiscard]] unsigned waiting() const { return egress_.waiting; }
  [[nodiscard]] Picoseconds decision() const { return egress_.decision; }

  // Bytes of the priority at `now`.
  [[nodiscard]] std::int64_t depth(unsigned priority, Picoseconds /*now*/) const {
    return egress_.queues[priority].bytes;
  }
  [[nodiscard]] bool fits(std::int64_t depth, std::int64_t length, Picoseconds /*now*/) const {
    return node_.buffer_.fits(egress_.account, depth, length);
  }
  [[gnu::always_inline]] void queue(std::uint32_t /*number*/, const ArrivalBatch::Arrival& arrival,
                                    std::int64_t depth, Picoseconds now) {
    node_.buffer_.chargeEgress(egress_.account, arrival.packet->length);
    node_.enqueue(egress_, *arrival.packet, arrival.ingress, Charge::kEgress, depth, now);
  }
  void store(Picoseconds /*now*/) {}
  void load() {}

  [[nodiscard]] Frame front(unsigned priority) { return egress_.queues[priority].frames.front(); }
  [[nodiscard]] static const Packet& packetOf(const QueuedFrame& frame) { return frame.packet; }
  [[nodiscard]] static bool isMarked(const QueuedFrame& frame) { return frame.packet.ce; }
  // Marks the frame and returns the packet as it is then.
  static Packet mark(QueuedFrame& frame) {
    frame.packet.ce = true;
    return frame.packet;
  }
  // Bytes behind the frame, which is about to leave.
  [[nodiscard]] std::int64_t behind(unsigned priority, const QueuedFrame& frame) const {
    return egress_.queues[priority].bytes - frame.packet.length;
  }
  [[gnu::always_inline]] void send(unsigned priority, const QueuedFrame& frame, std::int64_t behind,
                                   Picoseconds now) {
    EgressPort::Queue& queue = egress_.queues[priority];
    if (frame.charge == Charge::kCredit) node_.consume(egress_, priority, frame.packet.length, now);
    queue.progress_at = now;
    egress_.sending = {.length = frame.packet.length,
                       .ingress = frame.ingress,
                       .priority = static_cast<std::uint8_t>(priority),
                       .charge = frame.charge,
                       .active = true};
    egress_.transmitter.send(frame.packet, now, behind);
    if (!node_.order_.enabled()) {
      queue.frames.prefetchFront(kFetchedAhead);
      egress_.transmitter.queue().packets.prefetchPush(kFetchedAhead);
    }
    if (queue.frames.pop()) egress_.waiting &= static_cast<PriorityMask>(~(1U << priority));
    const bool more = egress_.waiting != 0 || egress_.transmitter.replayAt() != kNever;
    egress_.decision = more ? egress_.transmitter.freeAt() : kNever;
  }

 private:
  SwitchNode& node_;
  EgressPort& egress_;
};

// The frame in transmission is not part of the queues' bytes here. It still counts until its last
// bit has left, which is before the wire is free for the next frame.
class SwitchNode::RegisterState {
 public:
  static constexpr bool kUnrestricted = true;
  struct Frame {
    const Packet* packet;
    ArrivalBatch::Arrival* arrival;  // null if it was queued before this window
    bool marked;
  };

  [[gnu::always_inline]] RegisterState(SwitchNode& node, EgressPort& egress)
      : node_(node),
        egress_(egress),
        arrivals_(node.batch_->arrivals()),
        chains_(node.batch_->chains().data()),
        burst_(egress.transmitter) {
    load();
  }

  [[nodiscard]] unsigned waiting() const { return waiting_; }
  [[nodiscard]] Picoseconds decision() const { return decision_; }

  [[gnu::always_inline]] std::int64_t depth(unsigned priority, Picoseconds now) const {
    return egress_.queues[priority].bytes +
           (stillSending(now) & -static_cast<std::int64_t>(priority == sending_priority_));
  }
  [[gnu::always_inline]] bool fits(std::int64_t /*depth*/, std::int64_t length,
                                   Picoseconds now) const {
    return node_.buffer_.fitsPort(waiting_bytes_ + stillSending(now), length);
  }
  [[gnu::always_inline]] void queue(std::uint32_t number, ArrivalBatch::Arrival& arrival,
                                    std::int64_t depth, Picoseconds now) {
    const Packet& packet = *arrival.packet;
    const unsigned priority = packet.priority;
    egress_.queues[priority].bytes += packet.length;
    waiting_bytes_ += packet.length;
    peak_bytes_ = std::max(peak_bytes_, waiting_bytes_ + stillSending(now));
    if (node_.rules_.testsAtEnqueue(packet, depth) &&
        egress_.marks(node_.rules_, priority, depth)) {
      number |= kMarked;
      node_.noteMark(egress_, depth, now, [&] { return forwarded(packet, 1, true); });
    }
    ArrivalBatch::Chain& chain = chains_[priority];
    *chain.end = number;
    chain.end = &arrival.next;
    decision_ = waiting_ != 0 ? decision_ : later(burst_.freeAt(), now);
    waiting_ |= 1U << priority;
  }

  [[gnu::always_inline]] Frame front(unsigned priority) {
    Ring<QueuedFrame>& queue = egress_.queues[priority].frames.fifo();
    if (!queue.empty()) return {&queue.front().packet, nullptr, queue.front().packet.ce};
    const std::uint32_t number = chains_[priority].first;
    ArrivalBatch::Arrival& arrival = arrivals_[number & ~kMarked];
    return {arrival.packet, &arrival, (number & kMarked) != 0 || arrival.packet->ce};
  }
  [[nodiscard]] static const Packet& packetOf(const Frame& frame) { return *frame.packet; }
  [[nodiscard]] static bool isMarked(const Frame& frame) { return frame.marked; }
  static Packet mark(Frame& frame) {
    frame.marked = true;
    return forwarded(*frame.packet, unsigned{frame.arrival != nullptr}, true);
  }
  [[gnu::always_inline]] std::int64_t behind(unsigned priority, const Frame& frame) const {
    return egress_.queues[priority].bytes - frame.packet->length;
  }
  [[gnu::always_inline]] void send(unsigned priority, const Frame& frame, std::int64_t behind,
                                   Picoseconds now) {
    sending_priority_ = priority;
    sending_ = frame.packet->length;
    waiting_bytes_ -= sending_;
    EgressPort::Queue& queue = egress_.queues[priority];
    queue.bytes = behind;
    Packet& sent = burst_.send(*frame.packet, now);
    // From the arrival, not from the copy: a load right after the wide store would stall.
    sent.hops = frame.packet->hops + unsigned{frame.arrival != nullptr};
    if (frame.marked) sent.ce = true;
    const bool last = frame.arrival == nullptr
                          ? unsigned{popQueued(queue)} & unsigned{chains_[priority].empty()}
                          : popArrival(chains_[priority], *frame.arrival);
    waiting_ &= ~(unsigned{last} << priority);
    decision_ = waiting_ != 0 ? burst_.freeAt() : kNever;
  }

  // Takes the state out of the port.
  [[gnu::always_inline]] void load() {
    sending_ = egress_.sending.active ? egress_.sending.length : 0;
    sending_priority_ = egress_.sending.priority;
    egress_.queues[sending_priority_].bytes -= sending_;
    waiting_bytes_ = egress_.account.bytes - sending_;
    peak_bytes_ = egress_.account.peak;
    waiting_ = egress_.waiting;
    decision_ = egress_.decision;
  }
  // Puts the state at `now` back into the port, and the waiting arrivals into its queues.
  [[gnu::always_inline]] void store(Picoseconds now) {
    for (unsigned left = waiting_; left != 0; left &= left - 1) {
      const auto priority = static_cast<unsigned>(std::countr_zero(left));
      enqueueChain(chains_[priority], egress_.queues[priority].frames.fifo());
    }
    const std::int64_t sending = stillSending(now);
    burst_.end();
    egress_.queues[sending_priority_].bytes += sending;
    node_.buffer_.settle(egress_.account, waiting_bytes_ + sending, peak_bytes_);
    egress_.sending = {.length = static_cast<std::uint16_t>(sending),
                       .ingress = 0,  // not needed to release the buffer of a lossy frame
                       .priority = static_cast<std::uint8_t>(sending_priority_),
                       .charge = Charge::kEgress,
                       .active = sending != 0};
    egress_.waiting = static_cast<PriorityMask>(waiting_);
    egress_.decision = decision_;
    if (sending != 0 || decision_ != kNever) node_.setStep(egress_);
  }

 private:
  static constexpr std::uint32_t kMarked = 1U << 31;  // in the number of an arrival

  [[nodiscard]] static Packet forwarded(const Packet& packet, unsigned hops, bool marked) {
    Packet forwarded = packet;
    forwarded.hops += hops;
    forwarded.ce = forwarded.ce || marked;
    return forwarded;
  }
  // Bytes of the frame in transmission; 0 if its last bit has left by `now`. Without a branch,
  // because its outcome is unpredictable.
  [[gnu::always_inline]] std::int64_t stillSending(Picoseconds now) const {
    return sending_ & -static_cast<std::int64_t>(burst_.lastBitAt() > now);
  }
  // These return whether that was the last one.
  [[gnu::always_inline]] static bool popQueued(EgressPort::Queue& queue) {
    queue.frames.fifo().prefetchFront(kFetchedAhead);
    return queue.frames.fifo().pop();
  }
  [[gnu::always_inline]] static bool popArrival(ArrivalBatch::Chain& chain,
                                                ArrivalBatch::Arrival& first) {
    chain.first = first.next;
    if (chain.end != &first.next) return false;
    chain.end = &chain.first;
    return true;
  }
  void enqueueChain(ArrivalBatch::Chain& chain, Ring<QueuedFrame>& queue) {
    for (const std::uint32_t* number = &chain.first; number != chain.end;) {
      const ArrivalBatch::Arrival& arrival = arrivals_[*number & ~kMarked];
      QueuedFrame& frame = queue.append();
      fillQueued(frame, *arrival.packet, 0, Charge::kEgress);
      if ((*number & kMarked) != 0) frame.packet.ce = true;
      number = &arrival.next;
    }
    chain.end = &chain.first;
  }

  SwitchNode& node_;
  EgressPort& egress_;
  ArrivalBatch::Arrival* const arrivals_;
  ArrivalBatch::Chain* const chains_;  // by priority
  Transmitter::Burst burst_;
  std::int64_t waiting_bytes_ = 0;  // of the port, the frame in transmission excluded
  std::int64_t peak_bytes_ = 0;     // that frame included
  std::int64_t sending_ = 0;        // bytes of the last frame
  unsigned sending_priority_ = 0;
  unsigned waiting_ = 0;  // priorities
  Picoseconds decision_;
};

template <typename State>
class SwitchNode::EgressDrain {
 public:
  [[gnu::always_inline]] EgressDrain(SwitchNode& node, EgressPort& egress)
      : node_(node), egress_(egress), state_(node, egress) {}

  // Does the next steps of the port as long as they are permitted: last bits that leave at a time
  // for which `releases` holds, decisions at a time for which `decides` holds.
  template <typename Releases, typename Decides>
  [[gnu::always_inline]] void advance(Releases&& releases, Decides&& decides) {
    for (;;) {
      if constexpr (!State::kUnrestricted) {
        if (egress_.sending.active) {
          if (!releases(egress_.transmitter.lastBitAt())) break;
          node_.release(egress_, egress_.transmitter.lastBitAt());
        }
      }
      if (!decides(state_.decision())) break;
      transmitNext();
    }
  }
  // All that happens before `time`, and last bits at `time`.
  [[gnu::always_inline]] void advance(Picoseconds time) {
    advance([time](Picoseconds bit) { return bit <= time; },
            [time](Picoseconds decision) { return decision < time; });
  }

  // The arrival of that number is to be queued at `now`, up to which the port has advanced.
  [[gnu::always_inline]] void admit(std::uint32_t number, ArrivalBatch::Arrival& arrival,
                                    Picoseconds now) {
    const Packet& packet = *arrival.packet;
    if constexpr (!State::kUnrestricted) {
      if (node_.isLossless(egress_, packet.priority)) {
        node_.admitLossless(egress_, arrival.ingress, packet, now);
        return;
      }
      if (node_.isCreditedOrDiscarded(egress_, packet.priority)) {
        node_.admitCreditedOrDiscard(egress_, arrival.ingress, packet, now);
        return;
      }
    }
    const std::int64_t depth = state_.depth(packet.priority, now);
    if (!node_.rules_.admits(packet, depth, state_.fits(depth, packet.length, now))) {
      state_.store(now);
      node_.admitOrRefuse(egress_, arrival.ingress, packet, now);
      state_.load();
      return;
    }
    state_.queue(number, arrival, depth, now);
  }

  // Puts the state at `now` back into the port.
  [[gnu::always_inline]] void end(Picoseconds now) { state_.store(now); }

 private:
  // The wire is free at the time of the decision: the next frame leaves.
  [[gnu::always_inline]] void transmitNext() {
    const Picoseconds now = state_.decision();
    unsigned priority = kNoFrame;
    if (State::kUnrestricted || (egress_.unrestricted && state_.waiting() != 0)) {
      priority = highestPriority(state_.waiting());
    } else {
      priority = node_.choose(egress_, now);
      if (priority == kNoFrame) return;
    }
    typename State::Frame frame = state_.front(priority);
    const std::int64_t behind = state_.behind(priority, frame);
    if (node_.rules_.testsAtDequeue(State::packetOf(frame), behind) && !State::isMarked(frame) &&
        egress_.marks(node_.rules_, priority, behind)) {
      const Packet marked = State::mark(frame);
      node_.noteMark(egress_, behind, now, [&marked] { return marked; });
    }
    state_.send(priority, frame, behind, now);
  }

  SwitchNode& node_;
  EgressPort& egress_;
  State state_;
};

}  // namespace plumbline::fabric
