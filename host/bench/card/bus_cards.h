// Tester cards behind register buses of any kind, each with a clock of its own that runs whether
// anyone looks or not.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/card/card_set.h"
#include "card/register_bus.h"

namespace plumbline::bench {

// The cards' times are set to that of the first one at every reset(), as well as their buses allow,
// and go on by each card's own clock. A start is therefore common to as much as disagreement()
// says, and times of different cards are never subtracted from each other.
class BusCards final : public CardSet {
 public:
  // At least one. Throws as card::Driver; Error(kUnsupported) for cards that differ in their
  // abilities.
  explicit BusCards(std::vector<std::unique_ptr<card::RegisterBus>> buses);

  // How far the cards' times were apart at most when they were set last; 0 for one card.
  [[nodiscard]] Picoseconds disagreement() const { return disagreement_; }

  [[nodiscard]] Picoseconds now() override;
  void runUntil(Picoseconds time) override;
  std::vector<card::CapturedFrame> takeCaptured() override;
  [[nodiscard]] Picoseconds readingTime(std::size_t ports) const override;
  [[nodiscard]] bool oneClock(std::uint32_t port, std::uint32_t other) const override {
    return cardOf(port) == cardOf(other);
  }
  void reset() override;
  [[nodiscard]] Picoseconds earliestStart() override;

 private:
  struct Offset {
    Picoseconds ahead;        // of the first card's time
    Picoseconds uncertainty;  // to either side
  };

  void setTime(std::size_t card, Picoseconds time);
  [[nodiscard]] Offset compare(std::size_t card);
  void alignTimes();

  std::vector<std::unique_ptr<card::RegisterBus>> buses_;
  Picoseconds reading_time_;  // counters of one port
  Picoseconds disagreement_;
};

}  // namespace plumbline::bench
