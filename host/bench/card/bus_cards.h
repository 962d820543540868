// Tester cards behind register buses of any kind. Each card has a free-running clock of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/card/card_set.h"
#include "card/register_bus.h"

namespace plumbline::bench {

// reset() sets all cards to the time of the first card, as exactly as their buses allow; afterwards
// each card's own clock advances its time. The common start is therefore exact to disagreement(),
// and times of different cards are never subtracted from each other.
class BusCards final : public CardSet {
 public:
  // `cards`: at least one. Throws as card::Driver; Error(kUnsupported) for cards that differ in
  // their abilities.
  explicit BusCards(std::vector<std::unique_ptr<card::RegisterBus>> buses);

  // Largest difference between the cards' times when they were last set; 0 for one card.
  [[nodiscard]] Picoseconds disagreement() const { return disagreement_; }

  [[nodiscard]] Picoseconds now() override;
  void runUntil(Picoseconds time) override;
  std::vector<card::CapturedFrame> readCaptured() override;
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
