// What the bench on tester cards in this host is told beside a trial. `fpga:` of a scenario
// (docs/xrt.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"

namespace plumbline::bench {

struct FpgaSpec {
  // Each a number as the runtime counts its devices ("0"), or a PCIe address ("0000:3b:00.1").
  // Their ports are those of the tester in this order.
  std::vector<std::string> devices{"0"};
  std::string xclbin;  // file of the packed card
  // The MAC's part of a way, as calibrated: from the card's boundary to the first bit at the port,
  // and back. Nothing: not calibrated, and so part of every latency.
  std::optional<Picoseconds> tx_delay;
  std::optional<Picoseconds> rx_delay;

  bool operator==(const FpgaSpec&) const = default;
};

}  // namespace plumbline::bench
