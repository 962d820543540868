// The one seam between the card's driver and how its registers are reached (Verilated, XRT, …).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace plumbline::card {

// A frame that the card captured at a port, with the card's own timestamp.
struct CapturedFrame {
  std::uint32_t port = 0;
  bool sent = false;      // direction: sent by the card, else received
  Picoseconds timestamp;  // card time of the reference point (docs/card.md)
  bool fcs_ok = true;
  bool icrc_checked = false;  // an ICRC was expected in this frame
  bool icrc_ok = true;
  std::vector<std::uint8_t> bytes;  // with FCS
};

// 32-bit register access to one card. Not thread-safe; one owner.
class RegisterBus {
 public:
  virtual ~RegisterBus() = default;

  // `offset` in bytes, a multiple of 4. Errors of the bus throw Error(kTester).
  virtual std::uint32_t read(std::uint32_t offset) = 0;
  virtual void write(std::uint32_t offset, std::uint32_t value) = 0;

  // Lets card time pass. On hardware it sleeps; a simulated card runs its clock. Returns after at
  // least `duration`.
  virtual void wait(Picoseconds duration) = 0;

  // Takes what the capture DMA has delivered since the last call.
  virtual std::vector<CapturedFrame> takeCaptured() = 0;
};

}  // namespace plumbline::card
