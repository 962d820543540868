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

  // Does what the output does before `now`; a last bit that leaves at `now` has left. A frame's
  // last bit is gone before the wire is free for the next one, so that only the last frame's is in
  // question: whether it has left is no branch, for nobody could predict it.
  [[gnu::always_inline]] void advance(Picoseconds now) {
    while (decision_ < now) depart();
    release(leaving_ & -static_cast<std::int64_t>(burst_.lastBitAt() <= now));
  }

  [[gnu::always_inline]] void offer(const Packet& packet, std::uint16_t input, Picoseconds now) {
    const unsigned priority = packet.priority;
    const std::int64_t length = packet.length;
    const std::int64_t depth = out_.classes[priority].queued;
    // Data and answers come in no order: one branch that is hardly ever taken instead of three.
    const bool full = depth + length > node_.trim_threshold_;
    if (((unsigned{packet.trimmed} | (unsigned{packet.trimmable} & unsigned{full})) != 0) ||
        !node_.buffer_.fits(account_, depth, length)) {
      offerWithRules(packet, input, now);
      return;
    }
    node_.buffer_.chargeOutput(account_, length);
    out_.classes[priority].queued = depth + length;
    Queued& item = out_.classes[priority].queue.plain().append();
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
    out_.leaving = {.length = static_cast<std::uint16_t>(leaving_),
                    .input = 0,  // whose account a lossy frame is not on
                    .priority = static_cast<std::uint8_t>(leaving_priority_),
                    .charge = Charge::kOutput,
                    .active = leaving_ != 0};
    out_.waiting = static_cast<PriorityMask>(waiting_);
    out_.decision = decision_;
    if (leaving_ != 0 || decision_ != kNever) node_.setStep(out_);
  }

 private:
  [[gnu::always_inline]] void take() {
    account_ = out_.account;
    leaving_ = out_.leaving.active ? out_.leaving.length : 0;
    leaving_priority_ = out_.leaving.priority;
    waiting_ = out_.waiting;
    decision_ = out_.decision;
  }

  // Of the frame that leaves: all of it or nothing.
  [[gnu::always_inline]] void release(std::int64_t bytes) {
    leaving_ -= bytes;
    out_.classes[leaving_priority_].queued -= bytes;
    node_.buffer_.releaseOutput(account_, bytes);
  }

  // The wire is free, and there are frames, or the output would have had no decision to make.
  [[gnu::always_inline]] void depart() {
    release(leaving_);
    const unsigned priority = static_cast<unsigned>(std::bit_width(waiting_)) - 1;
    Ring<Queued>& queue = out_.classes[priority].queue.plain();
    Queued& item = queue.front();
    const Marking& rule = node_.marking_[priority];
    const std::int64_t behind = out_.classes[priority].queued - item.packet.length;
    if (behind > rule.leaving_above && item.packet.ect) {
      node_.markByDepth(out_, item.packet, rule, behind, decision_);
    }
    leaving_ = item.packet.length;
    leaving_priority_ = priority;
    burst_.send(item.packet, decision_);
    queue.prefetchFront(kPlainAhead);
    waiting_ &= ~(unsigned{queue.pop()} << priority);
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
  std::int64_t leaving_ = 0;  // bytes of the frame that leaves, as long as they count
  unsigned leaving_priority_ = 0;
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
