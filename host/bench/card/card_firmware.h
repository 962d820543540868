// The firmware on the control processors of a bench's cards: who uses the MACs, who keeps the time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "card/firmware.h"
#include "card/firmware_ports.h"
#include "card/register_bus.h"

namespace plumbline::bench {

// For as long as it lives the host uses the MACs: firmware that has them leaves them to it, and has
// them again at the end, in the mode that was found. Not thread-safe.
class CardFirmware {
 public:
  // The cards behind `buses`, which must outlive it. A card without firmware that runs is left
  // alone.
  explicit CardFirmware(std::span<const std::unique_ptr<card::RegisterBus>> buses);
  ~CardFirmware();
  CardFirmware(const CardFirmware&) = delete;
  CardFirmware& operator=(const CardFirmware&) = delete;

  // For the report, by card: version and state of its firmware, or why there is none.
  [[nodiscard]] const std::vector<std::string>& descriptions() const { return descriptions_; }
  // What each card's firmware says of the time that it keeps. Throws Error(kTester) for a card
  // without firmware that runs.
  [[nodiscard]] std::vector<card::CardClock> clocks();

 private:
  // A port whose block mac the firmware had.
  struct Borrowed {
    card::Firmware* firmware;
    std::uint32_t port;
    firmware::LinkMode mode;
  };

  void find(card::RegisterBus& bus);
  void borrowLinks(card::Firmware& firmware);

  std::vector<std::unique_ptr<card::Firmware>> firmware_;  // by card; null: none that runs
  std::vector<std::string> descriptions_;
  std::vector<Borrowed> borrowed_;
};

// How far the times of cards may be apart at most that their firmware keeps: three times the
// standard uncertainties of the two worst, which does not contain the asymmetry of the paths
// between them. Throws Error(kTester), naming the card, when one is not locked, or cards follow
// different masters.
Picoseconds commonTimeBound(std::span<const card::CardClock> clocks);

}  // namespace plumbline::bench
