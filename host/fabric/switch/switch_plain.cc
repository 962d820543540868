// What switch_path.cc does, for outputs that nothing hinders: the common case, without the
// questions that are answered beforehand. All packets of a window for one output come one after the
// other, so that most of its state stays in registers from the first to the last.
#include <algorithm>
#include <bit>

#include "fabric/switch/switch_node.h"

namespace plumbline::fabric {
namespace {

// How far ahead an output fetches its queue.
constexpr std::size_t kPlainAhead = 3;

}  // namespace

// An output with Output::plain while nobody observes what leaves, and what it does up to give().
// All its packets are lossy, in plain queues of strict priority. Those that come in wait where they
// are, in a list for each priority; only what the window leaves goes into the queues, so that most
// packets are copied once. Inlined, by order, for otherwise its members would be in memory after
// all.
//
// A frame that leaves counts until its last bit has left, which is before the wire is free for the
// next one. So it is kept apart from what waits, and asked for its last bit where depths matter.
class SwitchNode::PlainOutput {
 public:
  [[gnu::always_inline]] PlainOutput(SwitchNode& node, Output& out)
      : node_(node),
        out_(out),
        incoming_(node.work_->incoming.data()),
        lists_(node.work_->lists.data()),
        burst_(out.transmitter),
        limit_(node.buffer_.limit()) {
    take();
  }

  // Does what the output does before `now`.
  [[gnu::always_inline]] void advance(Picoseconds now) {
    while (decision_ < now) depart();
  }

  // The packet of the window that has this number; everything before `now` has been done.
  [[gnu::always_inline]] void offer(std::uint32_t number, Picoseconds now) {
    Incoming& incoming = incoming_[number];
    const Packet& packet = *incoming.packet;
    const unsigned priority = packet.priority;
    const std::int64_t length = packet.length;
    const std::int64_t leaving = stillLeaving(now);
    const std::int64_t depth =
        out_.classes[priority].queued +
        (leaving & -static_cast<std::int64_t>(priority == leaving_priority_));
    const std::int64_t total = waiting_bytes_ + leaving + length;
    // Data and answers come in no order: one branch that is hardly ever taken instead of three.
    const bool full = depth + length > node_.trim_threshold_;
    if (((unsigned{packet.trimmed} | (unsigned{packet.trimmable} & unsigned{full})) != 0) ||
        total > limit_) {
      offerWithRules(packet, incoming.input, now);
      return;
    }
    out_.classes[priority].queued += length;
    waiting_bytes_ += length;
    most_bytes_ = std::max(most_bytes_, total);
    if (depth > node_.arriving_above_[priority] && packet.ect && !packet.ce &&
        node_.drawMark(out_, priority, depth)) {
      number |= kMarked;
      node_.noteMark(out_, depth, now, [&packet] { return forwarded(packet); });
    }
    List& list = lists_[priority];
    *list.link = number;
    list.link = &incoming.behind;
    decision_ = waiting_ != 0 ? decision_ : later(burst_.freeAt(), now);
    waiting_ |= 1U << priority;
  }

  // Puts its state at `now` back to where others look for it.
  [[gnu::always_inline]] void give(Picoseconds now) {
    for (unsigned left = waiting_; left != 0; left &= left - 1) {
      const auto priority = static_cast<unsigned>(std::countr_zero(left));
      keep(lists_[priority], incoming_, out_.classes[priority].queue.plain());
    }
    const std::int64_t leaving = stillLeaving(now);
    burst_.end();
    node_.stand(out_, {.leaving = leaving,
                       .priority = leaving_priority_,
                       .waiting_bytes = waiting_bytes_,
                       .most_bytes = most_bytes_,
                       .waiting = waiting_,
                       .decision = decision_});
  }

 private:
  static constexpr std::uint32_t kMarked = 1U << 31;  // in the number of a packet

  // A packet as it is on its next link, marked.
  [[nodiscard]] static Packet forwarded(const Packet& packet) {
    Packet forwarded = packet;
    ++forwarded.hops;
    forwarded.ce = true;
    return forwarded;
  }

  [[gnu::always_inline]] void take() {
    leaving_ = out_.leaving.active ? out_.leaving.length : 0;
    leaving_priority_ = out_.leaving.priority;
    out_.classes[leaving_priority_].queued -= leaving_;
    waiting_bytes_ = out_.account.bytes - leaving_;
    most_bytes_ = out_.account.most;
    waiting_ = out_.waiting;
    decision_ = out_.decision;
  }

  // The bytes of the frame that leaves, or nothing if its last bit has left by `now`. No branch,
  // for nobody could predict it.
  [[gnu::always_inline]] std::int64_t stillLeaving(Picoseconds now) const {
    return leaving_ & -static_cast<std::int64_t>(burst_.lastBitAt() > now);
  }

  // The wire is free, and there are frames, or the output would have had no decision to make.
  [[gnu::always_inline]] void depart() {
    const unsigned priority = static_cast<unsigned>(std::bit_width(waiting_)) - 1;
    leaving_priority_ = priority;
    Ring<Queued>& queue = out_.classes[priority].queue.plain();
    const bool last = queue.empty() ? departFromList(priority) : departFromQueue(priority, queue);
    waiting_ &= ~(unsigned{last} << priority);
    decision_ = waiting_ != 0 ? burst_.freeAt() : kNever;
  }

  // Returns how much waits behind the frame that now leaves.
  [[gnu::always_inline]] std::int64_t leave(unsigned priority, std::int64_t length) {
    leaving_ = length;
    waiting_bytes_ -= length;
    return out_.classes[priority].queued -= length;
  }

  // These return whether it was the last one of its priority.
  [[gnu::always_inline]] bool departFromQueue(unsigned priority, Ring<Queued>& queue) {
    Queued& item = queue.front();
    const std::int64_t behind = leave(priority, item.packet.length);
    if (behind > node_.leaving_above_[priority] && item.packet.ect && !item.packet.ce) {
      node_.markByDepth(out_, item.packet, behind, decision_);
    }
    burst_.send(item.packet, decision_);
    queue.prefetchFront(kPlainAhead);
    return (unsigned{queue.pop()} & unsigned{lists_[priority].empty()}) != 0;
  }

  [[gnu::always_inline]] bool departFromList(unsigned priority) {
    List& list = lists_[priority];
    Incoming& incoming = incoming_[list.first & ~kMarked];
    const Packet& packet = *incoming.packet;
    bool marked = (list.first & kMarked) != 0;
    const std::int64_t behind = leave(priority, packet.length);
    if (behind > node_.leaving_above_[priority] && packet.ect && !packet.ce && !marked &&
        node_.drawMark(out_, priority, behind)) {
      marked = true;
      node_.noteMark(out_, behind, decision_, [&packet] { return forwarded(packet); });
    }
    Packet& sent = burst_.send(packet, decision_);
    sent.hops = packet.hops + 1U;  // of what is at hand, not of what is on its way to memory
    if (marked) sent.ce = true;
    list.first = incoming.behind;
    if (list.link != &incoming.behind) return false;
    list.link = &list.first;
    return true;
  }

  // What has not left goes where it may wait for longer.
  static void keep(List& list, const Incoming* incoming, Ring<Queued>& queue) {
    for (const std::uint32_t* link = &list.first; link != list.link;) {
      const Incoming& one = incoming[*link & ~kMarked];
      SwitchNode::keep(queue, *one.packet, (*link & kMarked) != 0);
      link = &one.behind;
    }
    list.link = &list.first;
  }

  // One that is to be trimmed or dropped, perhaps.
  void offerWithRules(const Packet& packet, std::uint16_t input, Picoseconds now) {
    give(now);
    node_.offerWithRules(out_, input, packet, now);
    take();
  }

  SwitchNode& node_;
  Output& out_;
  Incoming* const incoming_;  // those of the window
  List* const lists_;         // by priority
  Transmitter::Burst burst_;
  const std::int64_t limit_;        // of bytes in the output
  std::int64_t waiting_bytes_ = 0;  // without those of the frame that leaves
  std::int64_t most_bytes_ = 0;     // with them
  std::int64_t leaving_ = 0;        // bytes of the last frame
  unsigned leaving_priority_ = 0;
  unsigned waiting_ = 0;  // priorities
  Picoseconds decision_;
};

// The packets for one plain output, which are at the places from `place` to before `end`. Nothing
// else happens to it in the window, whose end it is brought up to.
void SwitchNode::runPlainGroup(const WindowOrder::View& of_window, std::uint32_t place,
                               std::uint32_t end, Picoseconds window_end) {
  const WindowOrder::View order = of_window;  // whose address nobody has
  PlainOutput output(*this, outputs_[work_->incoming[order.at(place).number].output]);
  for (; place < end; ++place) {
    const WindowOrder::Item item = order.at(place);
    output.advance(item.time);
    output.offer(item.number, item.time);
  }
  if (end < order.size()) prefetchPlaces(order.at(end));
  output.advance(window_end);
  output.give(window_end);
}

}  // namespace plumbline::fabric
