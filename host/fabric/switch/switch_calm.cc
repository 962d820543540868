// What switch_plain.cc does, for groups of packets of which surely none is trimmed, dropped or
// marked: most of them. Then no packet has to be asked what it finds, and the output goes from
// departure to departure: those of each priority stand in a row, what waited already first, and
// which row is next is a comparison of times, without a branch.
#include <algorithm>
#include <bit>

#include "fabric/switch/switch_node.h"

namespace plumbline::fabric {
namespace {

// Rows for fewer packets cost more than they save.
constexpr std::uint32_t kFewPackets = 8;

// When a packet came that waited already.
constexpr Picoseconds kBefore{INT64_MIN};

// Instead of 1 or 0 for the higher or the lower row.
constexpr std::size_t kNeither = 2;

// `one` if `first` is 1, `other` if it is 0; without a branch, for nobody could predict it.
[[gnu::always_inline]] inline std::size_t eitherOf(std::size_t first, std::size_t one,
                                                   std::size_t other) {
  return other ^ ((other ^ one) & -first);
}

template <typename Visit>
[[gnu::always_inline]] inline void forEachPriority(PriorityMask priorities, Visit&& visit) {
  for (unsigned left = priorities; left != 0; left &= left - 1) {
    visit(static_cast<unsigned>(std::countr_zero(left)));
  }
}

}  // namespace

// The packets of a window for an output with Output::plain, while nobody observes what leaves. At
// most two priorities are among them and those that wait: there is a row of the higher and one of
// the lower.
class SwitchNode::CalmGroup {
 public:
  [[gnu::always_inline]] CalmGroup(SwitchNode& node, Output& out)
      : node_(node),
        out_(out),
        clock_(out.transmitter.clock()),
        leaving_(out.leaving.active ? out.leaving.length : 0),
        free_at_(out.waiting != 0 ? out.decision : out.transmitter.freeAt()) {}

  // Puts the packets at the places from `place` to before `end` in rows. Returns whether they are
  // calm; if not, nothing has changed.
  [[gnu::always_inline]] bool collect(const WindowOrder::View& order, std::uint32_t place,
                                      std::uint32_t end, Picoseconds window_end) {
    // What it never had may be more than it may have.
    const std::int64_t limit = std::min(node_.calm_below_, out_.account.most) - node_.longest_;
    if (out_.account.bytes > limit || !clock_.exact()) return false;
    std::size_t waiting = 0;
    forEachPriority(out_.waiting, [&](unsigned p) { waiting += queueOf(p).size(); });
    startRows(waiting + (end - place) + 1);
    forEachPriority(out_.waiting, [&](unsigned p) { addWaiting(p, window_end); });

    // No packet finds more bytes than what the wire has yet to carry then, whatever the order, and
    // those of the frame that is leaving, of which the wire may have carried most.
    const std::int64_t byte_ps = clock_.bytePs();
    const std::int64_t overhead_ps = clock_.overhead().count();
    const Incoming* const incoming = node_.work_->incoming.data();
    std::int64_t idle_ps = free_at_.count() + (out_.account.bytes - leaving_) * byte_ps +
                           static_cast<std::int64_t>(waiting) * overhead_ps;
    std::int64_t most_ps = 0;
    unsigned present = out_.waiting;
    unsigned trimmed = 0;
    for (; place < end; ++place) {
      const WindowOrder::Item item = order.at(place);
      const Packet& packet = *incoming[item.number].packet;
      const unsigned p = packet.priority;
      const std::int64_t behind_ps =
          greater(idle_ps - item.time.count(), 0) + packet.length * byte_ps;
      most_ps = greater(most_ps, behind_ps);
      idle_ps = item.time.count() + behind_ps + overhead_ps;
      present |= 1U << p;
      trimmed |= unsigned{packet.trimmed} << p;
      rows_[p].bytes += packet.length;
      *rows_[p].end++ = {item.time, &packet};
    }
    top_ = static_cast<unsigned>(std::bit_width(present)) - 1;
    bottom_ = static_cast<unsigned>(std::countr_zero(present));
    return (present & ~(1U << top_ | 1U << bottom_)) == 0 && most_ps <= limit * byte_ps &&
           (trimmed == 0 || fitsTrimmed(static_cast<PriorityMask>(trimmed)));
  }

  // Does all that the output does before `window_end`, and puts its state where others look for it.
  [[gnu::always_inline]] void run(Picoseconds window_end) {
    closeRow(top_, window_end);
    closeRow(bottom_, window_end);
    // Places in all rows: of the next one of the higher and of the lower row. If there is one row
    // only, the other is empty.
    const Passing* const all = node_.work_->rows.data();
    std::size_t high = static_cast<std::size_t>(rows_[top_].begin - all);
    std::size_t low = top_ == bottom_ ? node_.work_->rows.size() - 1
                                      : static_cast<std::size_t>(rows_[bottom_].begin - all);
    std::size_t is_high = kNeither;
    std::int64_t leaving = leaving_;
    std::int64_t gone = 0;  // bytes, of both and of the higher row
    std::int64_t gone_high = 0;
    Transmitter::Burst burst(out_.transmitter);
    Picoseconds start = later(free_at_, earlier(all[high].at, all[low].at));
    while (start < window_end) {
      is_high = static_cast<std::size_t>(all[high].at <= start);
      const Passing& next = all[eitherOf(is_high, high, low)];
      high += is_high;
      low += 1 - is_high;
      leaving = next.packet->length;
      gone += leaving;
      gone_high += leaving & -static_cast<std::int64_t>(is_high);
      burst.send(*next.packet, start).hops = next.packet->hops + unsigned{next.at != kBefore};
      start = later(burst.freeAt(), earlier(all[high].at, all[low].at));
    }
    leaving &= -static_cast<std::int64_t>(burst.lastBitAt() > window_end);
    burst.end();

    out_.classes[out_.leaving.priority].queued -= leaving_;
    std::int64_t waiting_bytes = out_.account.bytes - leaving_ - gone + rows_[top_].bytes;
    unsigned waiting = keep(top_, all + high, gone_high);
    if (top_ != bottom_) {
      waiting_bytes += rows_[bottom_].bytes;
      waiting |= keep(bottom_, all + low, gone - gone_high);
    }
    const unsigned priority =
        is_high == kNeither ? out_.leaving.priority : (is_high != 0 ? top_ : bottom_);
    node_.stand(out_, {.leaving = leaving,
                       .priority = priority,
                       .waiting_bytes = waiting_bytes,
                       .most_bytes = out_.account.most,
                       .waiting = waiting,
                       .decision = start});
  }

 private:
  // The packets of a priority: those that waited, as far as they may leave, and from `fresh` on
  // those that came, with their bytes.
  struct Row {
    Passing* begin;
    Passing* fresh;
    Passing* end;
    std::int64_t bytes;
  };

  static std::int64_t greater(std::int64_t a, std::int64_t b) { return a > b ? a : b; }

  [[nodiscard]] Ring<Queued>& queueOf(unsigned priority) {
    return out_.classes[priority].queue.plain();
  }

  // Empty rows with room for so many packets each.
  [[gnu::always_inline]] void startRows(std::size_t packets) {
    Workspace& work = *node_.work_;
    if (packets > work.row_length) {
      work.row_length = 2 * packets;
      work.rows.resize(rows_.size() * work.row_length + 1);
      work.rows.back().at = kNever;
    }
    Passing* begin = work.rows.data();
    for (Row& row : rows_) {
      row = {begin, begin, begin, 0};
      begin += work.row_length;
    }
  }

  [[gnu::always_inline]] void addWaiting(unsigned priority, Picoseconds window_end) {
    Row& row = rows_[priority];
    const Ring<Queued>& queue = queueOf(priority);
    Picoseconds start = free_at_;
    for (std::size_t i = 0; i < queue.size() && start < window_end; ++i) {
      const Packet& packet = queue.at(i).packet;
      *row.end++ = {kBefore, &packet};
      start += clock_.slot(packet.length);
    }
    row.fresh = row.end;
  }

  // What is behind a row: nothing, or something that waits and cannot leave in this window.
  void closeRow(unsigned priority, Picoseconds window_end) {
    const Row& row = rows_[priority];
    const bool complete =
        static_cast<std::size_t>(row.fresh - row.begin) == queueOf(priority).size();
    row.end->at = complete ? kNever : window_end;
  }

  // Have the queues of these priorities room for trimmed packets whatever leaves?
  [[nodiscard]] bool fitsTrimmed(PriorityMask priorities) const {
    bool fits = true;
    if (!node_.spec_.trim) return fits;
    forEachPriority(priorities, [&](unsigned p) {
      fits = fits && out_.classes[p].queued + rows_[p].bytes <= node_.spec_.trim->limit.count();
    });
    return fits;
  }

  // What has not left goes where it may wait for longer; `next` is the first of them, `gone` are
  // the bytes of the others. Returns the priority's bit if there are any.
  [[gnu::always_inline]] unsigned keep(unsigned priority, const Passing* next, std::int64_t gone) {
    const Row& row = rows_[priority];
    Ring<Queued>& queue = queueOf(priority);
    out_.classes[priority].queued += row.bytes - gone;
    const Passing* const fresh = row.fresh;
    queue.pop(static_cast<std::size_t>(std::min(next, fresh) - row.begin));
    for (const Passing* one = std::max(next, fresh); one != row.end; ++one) {
      SwitchNode::keep(queue, *one->packet, false);
    }
    return static_cast<unsigned>(!queue.empty()) << priority;
  }

  SwitchNode& node_;
  Output& out_;
  const WireClock clock_;
  const std::int64_t leaving_;  // bytes of the frame that was leaving when the window began
  const Picoseconds free_at_;   // when the first one may leave
  std::array<Row, 8> rows_;     // by priority
  unsigned top_ = 0;            // the higher of the two priorities, and the lower
  unsigned bottom_ = 0;
};

bool SwitchNode::runCalmGroup(const WindowOrder::View& of_window, std::uint32_t place,
                              std::uint32_t end, Picoseconds window_end) {
  if (end - place < kFewPackets) return false;
  const WindowOrder::View order = of_window;  // whose address nobody has
  CalmGroup group(*this, outputs_[work_->incoming[order.at(place).number].output]);
  if (!group.collect(order, place, end, window_end)) return false;
  if (end < order.size()) prefetchPlaces(order.at(end));
  group.run(window_end);
  return true;
}

}  // namespace plumbline::fabric
