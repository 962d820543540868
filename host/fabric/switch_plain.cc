// What switch_path.cc does, for outputs that nothing hinders: the common case, without the
// questions that are answered beforehand. All packets of a window for one output come one after the
// other, so that most of its state stays in registers from the first to the last.
#include <algorithm>
#include <bit>

#include "fabric/switch_node.h"

namespace plumbline::fabric {
namespace {

// How far ahead an output fetches its queue.
constexpr std::size_t kPlainAhead = 3;

}  // namespace

// An output with Output::plain while nobody observes what leaves, and what it does up to give().
// All its packets are lossy, in plain queues of strict priority. Inlined, by order, for otherwise
// its members would be in memory after all.
class SwitchNode::PlainOutput {
 public:
  [[gnu::always_inline]] PlainOutput(SwitchNode& node, Output& out)
      : node_(node), out_(out), burst_(out.wire) {
    take();
  }

  // Does what the output does before `now`; a last bit that leaves at `now` has left.
  [[gnu::always_inline]] void advance(Picoseconds now) {
    for (;;) {
      if (leaving_.active) {
        if (burst_.lastBitAt() > now) return;
        release();
      }
      if (decision_ >= now) return;
      depart();
    }
  }

  [[gnu::always_inline]] void offer(const Packet& packet, std::uint16_t input, Picoseconds now) {
    const unsigned priority = packet.priority;
    const std::int64_t length = packet.length;
    const std::int64_t depth = out_.queued[priority];
    if (packet.trimmed || (packet.trimmable && depth + length > node_.trim_threshold_) ||
        !node_.buffer_.fits(account_, depth, length)) {
      offerWithRules(packet, input, now);
      return;
    }
    node_.buffer_.chargeOutput(account_, length);
    out_.queued[priority] = depth + length;
    Queued& item = out_.queues[priority].plain().append();
    item.packet = packet;
    item.packet.hops = packet.hops + 1U;  // of what is at hand, not of what is on its way to memory
    item.input = input;
    item.charge = Charge::kOutput;
    const Marking& rule = node_.marking_[priority];
    if (depth > rule.arriving_above && packet.ect) {
      node_.markByDepth(out_, item.packet, rule, depth, now);
    }
    waiting_ |= 1U << priority;
    decision_ = earlier(decision_, later(burst_.freeAt(), now));
  }

  // Puts its state back to where others look for it.
  [[gnu::always_inline]] void give() {
    burst_.end();
    out_.account = account_;
    out_.leaving = leaving_;
    out_.waiting = static_cast<PriorityMask>(waiting_);
    out_.decision = decision_;
    if (leaving_.active || decision_ != kNever) node_.setStep(out_);
  }

 private:
  [[gnu::always_inline]] void take() {
    account_ = out_.account;
    leaving_ = out_.leaving;
    waiting_ = out_.waiting;
    decision_ = out_.decision;
  }

  [[gnu::always_inline]] void release() {
    leaving_.active = false;
    out_.queued[leaving_.priority] -= leaving_.length;
    node_.buffer_.releaseOutput(account_, leaving_.length);
  }

  // The wire is free, and there are frames, or the output would have had no decision to make.
  [[gnu::always_inline]] void depart() {
    const unsigned priority = static_cast<unsigned>(std::bit_width(waiting_)) - 1;
    Ring<Queued>& queue = out_.queues[priority].plain();
    Queued& item = queue.front();
    const Marking& rule = node_.marking_[priority];
    const std::int64_t behind = out_.queued[priority] - item.packet.length;
    if (behind > rule.leaving_above && item.packet.ect) {
      node_.markByDepth(out_, item.packet, rule, behind, decision_);
    }
    ++out_.departures[priority];
    leaving_ = {.length = item.packet.length,
                .input = item.input,
                .priority = static_cast<std::uint8_t>(priority),
                .charge = Charge::kOutput,
                .active = true};
    burst_.send(item.packet, decision_);
    queue.prefetchFront(kPlainAhead);
    if (queue.pop()) waiting_ &= ~(1U << priority);
    decision_ = waiting_ != 0 ? burst_.freeAt() : kNever;
  }

  // One that is to be trimmed or dropped, perhaps.
  void offerWithRules(const Packet& packet, std::uint16_t input, Picoseconds now) {
    give();
    node_.offerWithRules(out_, input, packet, now);
    take();
  }

  SwitchNode& node_;
  Output& out_;
  Wire::Burst burst_;
  SwitchBuffer::Account account_;
  Leaving leaving_;
  unsigned waiting_ = 0;
  Picoseconds decision_;
};

// The packets for the plain output `port`, which are at the places from `place` to before `end`.
void SwitchNode::runPlainGroup(std::uint32_t port, std::uint32_t place, std::uint32_t end) {
  const std::uint32_t count = work_->order.size();
  PlainOutput output(*this, outputs_[port]);
  for (; place < end; ++place) {
    if (place + kNearAhead == end && end < count) prefetchPlaces(work_->order.at(end));
    const WindowOrder::Item item = work_->order.at(place);
    const Incoming& incoming = work_->incoming[item.number];
    if (incoming.output == kUnrouted) {
      dropUnrouted(incoming, item.time);
      continue;
    }
    output.advance(item.time);
    output.offer(*incoming.packet, incoming.input, item.time);
  }
  output.give();
}

}  // namespace plumbline::fabric
