// Tester cards behind register buses of any kind. Each card has a free-running clock of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/card/card_firmware.h"
#include "bench/card/card_set.h"
#include "bench/trial/fpga_spec.h"
#include "card/mac_link.h"
#include "card/register_bus.h"

namespace plumbline::bench {

// With CardTime::kHost reset() sets all cards to the time of the first card, as exactly as their
// buses allow; afterwards each card's own clock advances its time. The common start is therefore
// exact to disagreement(), and times of different cards are never subtracted from each other.
// With CardTime::kFirmware the cards' firmware keeps a common time, which is never set here: times
// of different cards can be subtracted from each other, to within disagreement().
class BusCards final : public CardSet {
 public:
  // `cards`: at least one. Throws as card::Driver; Error(kUnsupported) for cards that differ in
  // their abilities.
  explicit BusCards(std::vector<std::unique_ptr<card::RegisterBus>> buses,
                    CardTime time = CardTime::kHost);

  // Largest difference between the cards' times when they were last set or checked; 0 for one card.
  [[nodiscard]] Picoseconds disagreement() const { return disagreement_; }
  // The cards' firmware keeps a common time: latencies between them are measured.
  [[nodiscard]] bool haveCommonTime() const { return time_ == CardTime::kFirmware; }
  // With CardTime::kFirmware: checks the common time of several cards anew. Throws Error(kTester)
  // as commonTimeBound() does, and when times are further apart than the firmware says.
  void checkTimes();
  // Version and state of each card's firmware, for the report.
  [[nodiscard]] const std::vector<std::string>& firmware() const {
    return firmware_.descriptions();
  }

  // Of cards with MACs of their own: brings up the links that are down (card_links.h). Returns the
  // links of all ports.
  std::vector<card::MacLink> bringUpLinks(card::MacFec fec);

  [[nodiscard]] Picoseconds now() override;
  void runUntil(Picoseconds time) override;
  std::vector<card::CapturedFrame> readCaptured() override;
  [[nodiscard]] Picoseconds readingTime(std::size_t ports) const override;
  [[nodiscard]] bool oneClock(std::uint32_t port, std::uint32_t other) const override {
    return time_ == CardTime::kFirmware || cardOf(port) == cardOf(other);
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
  CardFirmware firmware_;
  CardTime time_;
  Picoseconds reading_time_;  // counters of one port
  Picoseconds disagreement_;
};

}  // namespace plumbline::bench
