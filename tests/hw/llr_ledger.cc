#include "llr_ledger.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "sim/wire.h"
#include "wire/crc.h"
#include "wire/frame.h"

namespace plumbline::hw_test {
namespace {

constexpr std::uint32_t kNumberMask = (1U << 20) - 1;

// Byte `i` of an ordered set (D0 first) or of a preamble (D1 first).
std::uint32_t byteOf(std::uint64_t word, unsigned i) {
  return static_cast<std::uint32_t>(word >> (8 * i)) & 0xFF;
}

// D0 is the block type of ordered sets, the low half of D4 their order code.
bool isMarked(sim::OrderedSet set) { return byteOf(set, 0) == 0x4B && (byteOf(set, 4) & 0xF) == 6; }

// The low half of D1 is the mark, D4 to D7 are as ever.
bool isNumbered(sim::Preamble preamble) {
  return (byteOf(preamble, 0) & 0xF) == 7 && preamble >> 24 == sim::kOrdinaryPreamble >> 24;
}

// How far `b` is behind `a` in the circle of numbers.
std::uint32_t distance(std::uint32_t a, std::uint32_t b) { return (b - a) & kNumberMask; }

}  // namespace

std::uint32_t typeOf(sim::OrderedSet set) { return byteOf(set, 1); }

std::uint32_t numberIn(sim::Preamble preamble) {
  return byteOf(preamble, 0) >> 4 << 16 | byteOf(preamble, 1) << 8 | byteOf(preamble, 2);
}

std::uint32_t numberOf(sim::OrderedSet set) {
  return byteOf(set, 2) << 12 | byteOf(set, 3) << 4 | byteOf(set, 4) >> 4;
}

sim::OrderedSet withTypeAndNumber(sim::OrderedSet set, std::uint32_t type, std::uint32_t number) {
  constexpr std::uint64_t kReplaced = 0xF0'FFFF'FF00;
  return (set & ~kReplaced) | std::uint64_t{type} << 8 | std::uint64_t{number >> 12 & 0xFF} << 16 |
         std::uint64_t{number >> 4 & 0xFF} << 24 | std::uint64_t{number & 0xF} << 36;
}

LlrLedger::Event LlrLedger::eventOf(Kind kind, const Frame& frame, Picoseconds first_bit) {
  Event event;
  event.time = first_bit + sim::kByteTime * static_cast<std::int64_t>(frame.bytes.size());
  event.kind = kind;
  event.preamble = frame.preamble;
  std::vector<std::uint8_t> stomped = frame.bytes;
  for (std::size_t i = stomped.size() - 4; i < stomped.size(); ++i) stomped[i] ^= 0xFF;
  event.check = wire::fcsOk(frame.bytes) ? Check::kGood
                : wire::fcsOk(stomped)   ? Check::kPoisoned
                                         : Check::kBad;
  const wire::DecodedFrame decoded = wire::decodeFrame(frame.bytes);
  if (decoded.tag) {
    event.sequence = decoded.tag->sequence;
    // Departures have 48 bits, and are right to a clock and a column of the line.
    const auto late =
        static_cast<std::int64_t>(
            (static_cast<std::uint64_t>(first_bit.count()) - decoded.tag->departure) << 16) >>
        16;
    event.delayed =
        late > (sim::kClockPeriodMax + sim::kByteTime * sim::kColumnBytes.count()).count();
  }
  return event;
}

void LlrLedger::onFrameFromCard(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit) {
  onFrameFromCard(port, std::move(frame), first_bit, sim::kOrdinaryPreamble);
}

void LlrLedger::onFrameFromCard(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit,
                                sim::Preamble preamble) {
  Frame passing{*frame, preamble};
  events_[port].push_back(eventOf(Kind::kFrameSent, passing, first_bit));
  if (on_frame && !on_frame(port, frames_[port]++, passing)) return;
  events_[1 - port].push_back(eventOf(Kind::kFrameHere, passing, first_bit + delay_));
  card_.deliver(1 - port,
                std::make_shared<const std::vector<std::uint8_t>>(std::move(passing.bytes)),
                first_bit + delay_, passing.preamble);
}

void LlrLedger::onSetFromCard(std::uint32_t port, sim::OrderedSet set, Picoseconds begin) {
  Event event;
  event.time = begin + sim::kByteTime * sim::kColumnBytes.count();
  event.kind = Kind::kSetSent;
  event.set = set;
  events_[port].push_back(event);
  if (on_set && !on_set(port, sets_[port]++, set)) return;
  event.time += delay_;
  event.kind = Kind::kSetHere;
  event.set = set;
  events_[1 - port].push_back(event);
  card_.deliverSet(1 - port, set, begin + delay_);
}

card::LlrCounters LlrLedger::counters(std::uint32_t port, std::uint64_t scheduled) const {
  std::vector<Event> events = events_[port];
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.time < b.time; });
  card::LlrCounters counters;
  countSets(events, counters);
  countSender(events, scheduled, counters);
  countReceiver(events, counters);
  return counters;
}

void LlrLedger::countSets(const std::vector<Event>& events, card::LlrCounters& counters) {
  for (const Event& event : events) {
    if (event.kind != Kind::kSetSent && event.kind != Kind::kSetHere) continue;
    const bool sent = event.kind == Kind::kSetSent;
    if (!isMarked(event.set)) {
      ++counters.rx_ctl_bad;
      continue;
    }
    switch (typeOf(event.set)) {
      case kAckType:
        ++(sent ? counters.tx_ack : counters.rx_ack);
        break;
      case kNackType:
        ++(sent ? counters.tx_nack : counters.rx_nack);
        break;
      case kInitType:
        ++(sent ? counters.tx_init : counters.rx_init);
        break;
      case kEchoType:
        ++(sent ? counters.tx_echo : counters.rx_echo);
        break;
      default:
        break;
    }
  }
}

void LlrLedger::countSender(const std::vector<Event>& events, std::uint64_t scheduled,
                            card::LlrCounters& counters) {
  std::uint32_t oldest = 0;    // not acknowledged
  std::uint32_t next = 0;      // never sent
  std::uint32_t previous = 0;  // number on the line
  bool replaying = false;      // `previous` was not new
  std::set<std::uint64_t> sequences;
  for (const Event& event : events) {
    if (event.kind == Kind::kSetSent && isMarked(event.set) && typeOf(event.set) == kInitType) {
      // Beginning anew, a sender has given up what it had not been told of.
      counters.flushed += distance(oldest, next);
      oldest = next = numberOf(event.set);
      replaying = false;
    } else if (event.kind == Kind::kSetHere && isMarked(event.set) &&
               (typeOf(event.set) == kAckType || typeOf(event.set) == kNackType)) {
      // It may name the frame before the oldest one and all behind it.
      const std::uint32_t behind = (numberOf(event.set) + 1) & kNumberMask;
      if (distance(oldest, behind) > distance(oldest, next)) {
        ++counters.seq_error;
      } else {
        oldest = behind;
      }
    } else if (event.kind == Kind::kFrameSent) {
      const bool first_time = sequences.insert(event.sequence).second;
      if (first_time && event.delayed) ++counters.delayed;
      if (!isNumbered(event.preamble)) continue;
      const std::uint32_t number = numberIn(event.preamble);
      if (first_time) {
        ++counters.tx_ok;
        next = (number + 1) & kNumberMask;
      } else {
        ++counters.tx_replay_frames;
        if (!replaying || distance(previous, number) != 1) ++counters.tx_replay;
      }
      replaying = !first_time;
      previous = number;
    }
  }
  counters.tx_discarded = scheduled - sequences.size();
}

void LlrLedger::countReceiver(const std::vector<Event>& events, card::LlrCounters& counters) {
  std::uint32_t expected = 0;
  bool asked = false;  // for the expected frame
  for (const Event& event : events) {
    if (event.kind == Kind::kSetHere && isMarked(event.set) && typeOf(event.set) == kInitType) {
      expected = numberOf(event.set);
      asked = false;
    }
    if (event.kind != Kind::kFrameHere || event.preamble == sim::kOrdinaryPreamble) continue;
    const bool numbered = isNumbered(event.preamble);
    const std::uint32_t ahead = numbered ? distance(expected, numberIn(event.preamble)) : 0;
    const bool is_expected = numbered && ahead == 0;
    const bool is_behind = numbered && ahead > kNumberMask / 2;
    if (is_behind) ++counters.duplicate_seq;
    if (!numbered || event.check == Check::kBad) {
      ++counters.rx_bad;
      if (is_expected) ++counters.expected_bad;
      asked = asked || !is_behind;
      continue;
    }
    const bool poisoned = event.check == Check::kPoisoned;
    ++(poisoned ? counters.rx_poisoned : counters.rx_ok);
    if (is_behind) continue;
    if (is_expected) {
      ++(poisoned ? counters.expected_poisoned : counters.expected_good);
      counters.rx_replay += asked ? 1 : 0;
      asked = false;
      expected = (expected + 1) & kNumberMask;
    } else {
      ++(asked ? counters.rx_discarded : counters.missing_seq);
      asked = true;
    }
  }
}

}  // namespace plumbline::hw_test
