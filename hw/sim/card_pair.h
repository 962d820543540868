// Two simulated cards with oscillators of their own, joined by a cable: for time between cards.
//
// A card's local time runs by its oscillator, which is faster or slower than true time and drifts:
// after the true time t it is t·(1 + deviation) + drift·t²/2. All times of a CardSim (now(),
// first_bit, its registers) are local times; the pair converts them. A frame takes the cable's
// delay in true time, and each a jitter of its own, evenly distributed: that of the timestamps at
// both ends (PHY, serdes), which a simulated MAC does not have.
//
// Both cards stay at the same true time, to a clock: whenever one goes on, for a register access or
// to wait, the other one goes on as far.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/random.h"
#include "base/units.h"
#include "sim/card_sim.h"
#include "sim/wire.h"

namespace plumbline::sim {

struct Oscillator {
  std::int64_t deviation_ppb = 0;    // at true time 0; within ±1,000,000
  std::int64_t drift_ppb_per_s = 0;  // within ±1,000,000,000
};

struct CableOptions {
  Picoseconds delay = microseconds(1);  // of a frame's first bit; at least 100 ns
  Picoseconds jitter = {};  // of each frame: its delay is within ± this; less than the delay
  std::uint64_t seed = 1;
};

class CardPair {
 public:
  static constexpr std::uint32_t kCards = 2;

  // Cards of one port each. Throws Error(kTester) for options outside of what is said above.
  CardPair(const std::array<Oscillator, kCards>& oscillators, const CableOptions& cable);
  ~CardPair();
  CardPair(const CardPair&) = delete;
  CardPair& operator=(const CardPair&) = delete;

  // The card, whose accesses and waits take local time. Its peer is the cable.
  [[nodiscard]] CardSim& card(std::uint32_t index) { return *cards_.at(index); }

  [[nodiscard]] Picoseconds trueTime(std::uint32_t card, Picoseconds local) const;
  [[nodiscard]] Picoseconds localTime(std::uint32_t card, Picoseconds true_time) const;
  // True time of the slower card.
  [[nodiscard]] Picoseconds now() const;
  // Runs both cards until the true time.
  void runUntil(Picoseconds true_time);

  // Sees every frame that a card sends, with the true time of its first bit.
  std::function<void(std::uint32_t card, const FrameBytes& frame, Picoseconds first_bit)> observe;

 private:
  class End;

  // The card is about to go on to `local`: the other one is brought there.
  void follow(std::uint32_t card, Picoseconds local);
  void carry(std::uint32_t from, FrameBytes frame, Picoseconds first_bit);

  std::array<Oscillator, kCards> oscillators_;
  CableOptions cable_;
  RandomStream random_;
  std::array<std::unique_ptr<CardSim>, kCards> cards_;
  std::array<std::unique_ptr<End>, kCards> ends_;
  std::array<Picoseconds, kCards> free_{};  // towards each card: when the next frame may begin
  bool following_ = false;
};

}  // namespace plumbline::sim
