// A link between two ports that keeps book: what link-level retry must have counted at both ends,
// from nothing but what was on the line, with numbers, windows and checksums of its own.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/units.h"
#include "card/link_retry.h"
#include "sim/card_sim.h"

namespace plumbline::hw_test {

// Joins ports 0 and 1 of a card. Each has one flow, whose frames have a test tag and leave the port
// whole; what happens to them behind that is the test's (on_frame, on_set).
class LlrLedger final : public sim::PortPeer {
 public:
  struct Frame {
    std::vector<std::uint8_t> bytes;  // with FCS
    sim::Preamble preamble;
  };
  // What happens to frame or set number `index` (from 0) of those that `port` has sent; false loses
  // it. Without one everything passes.
  std::function<bool(std::uint32_t port, std::uint64_t index, Frame& frame)> on_frame;
  std::function<bool(std::uint32_t port, std::uint64_t index, sim::OrderedSet& set)> on_set;

  // Connects itself to `card`, which must outlive it. `delay`: as in sim::BareLink.
  LlrLedger(sim::CardSim& card, Picoseconds delay) : card_(card), delay_(delay) {
    card_.connect(this);
  }
  ~LlrLedger() override { card_.connect(nullptr); }
  LlrLedger(const LlrLedger&) = delete;
  LlrLedger& operator=(const LlrLedger&) = delete;

  // Of the traffic so far, which must have come to rest. `scheduled`: frames that the port's
  // schedule has let go.
  [[nodiscard]] card::LlrCounters counters(std::uint32_t port, std::uint64_t scheduled) const;

  void onFrameFromCard(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit) override;
  void onFrameFromCard(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit,
                       sim::Preamble preamble) override;
  void onSetFromCard(std::uint32_t port, sim::OrderedSet set, Picoseconds begin) override;
  void advanceTo(Picoseconds /*now*/) override {}

 private:
  enum class Kind { kFrameSent, kFrameHere, kSetSent, kSetHere };
  enum class Check { kGood, kPoisoned, kBad };

  // Something that has left a port or come to it, at the time of its last bit.
  struct Event {
    Picoseconds time;
    Kind kind = Kind::kFrameSent;
    sim::OrderedSet set = 0;
    sim::Preamble preamble = 0;
    Check check = Check::kGood;
    std::uint64_t sequence = 0;  // in the tag of a frame that leaves
    bool delayed = false;        // it left later than its tag says
  };

  [[nodiscard]] static Event eventOf(Kind kind, const Frame& frame, Picoseconds first_bit);
  static void countSets(const std::vector<Event>& events, card::LlrCounters& counters);
  static void countSender(const std::vector<Event>& events, std::uint64_t scheduled,
                          card::LlrCounters& counters);
  static void countReceiver(const std::vector<Event>& events, card::LlrCounters& counters);

  sim::CardSim& card_;
  Picoseconds delay_;
  std::array<std::vector<Event>, 2> events_;  // at each port
  std::array<std::uint64_t, 2> frames_{};     // sent
  std::array<std::uint64_t, 2> sets_{};
};

// Types of ordered sets of LLR, in D1.
inline constexpr std::uint32_t kAckType = 1;
inline constexpr std::uint32_t kNackType = 2;
inline constexpr std::uint32_t kInitType = 3;
inline constexpr std::uint32_t kEchoType = 4;

// The 20-bit number of a frame, in its preamble: D1 has the upper four bits, D2 and D3 the others.
std::uint32_t numberIn(sim::Preamble preamble);

// Type of an ordered set; its 20-bit number in D2, D3 and the high half of D4; the same set with
// others.
std::uint32_t typeOf(sim::OrderedSet set);
std::uint32_t numberOf(sim::OrderedSet set);
sim::OrderedSet withTypeAndNumber(sim::OrderedSet set, std::uint32_t type, std::uint32_t number);

}  // namespace plumbline::hw_test
