// Parameters of the bench on tester cards in this host besides the trial. `fpga:` of a scenario
// (docs/xrt.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "card/mac_link.h"

namespace plumbline::bench {

// Who makes the times of several cards agree.
enum class CardTime : std::uint8_t {
  kHost,      // the host, before every trial: no latency between cards
  kFirmware,  // the cards' firmware, by PTP or a pulse per second
};

struct FpgaSpec {
  // Each a device number of the runtime ("0"), or a PCIe address ("0000:3b:00.1"). The cards' ports
  // in this order are the tester's.
  std::vector<std::string> devices{"0"};
  std::string xclbin;  // file of the packed card
  // The MAC's calibrated delays: from the card's boundary to the first bit at the port, and back.
  // Nothing: not calibrated, so that every latency includes them.
  std::optional<Picoseconds> tx_delay;
  std::optional<Picoseconds> rx_delay;
  // Forward error correction of the ports' links; kEither: RS-FEC first, then none.
  card::MacFec fec = card::MacFec::kEither;
  CardTime time = CardTime::kHost;

  bool operator==(const FpgaSpec&) const = default;
};

}  // namespace plumbline::bench
