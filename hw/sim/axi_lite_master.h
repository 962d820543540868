// The AXI4-Lite master through which the driver reaches the registers of the simulated card: one
// transaction at a time, every one a few clocks of simulated time.
#pragma once

#include <cstdint>

#include "sim/card_model.h"

namespace plumbline::sim {

class AxiLiteMaster {
 public:
  explicit AxiLiteMaster(const AxiLitePins& pins) : pins_(pins) {}

  // Begins a transaction; the pins change with the next drive(). None may be in flight.
  void startRead(std::uint16_t address);
  void startWrite(std::uint16_t address, std::uint32_t value);

  [[nodiscard]] bool busy() const { return state_ != State::kIdle; }
  // Of the transaction that has ended: response code (0 = OKAY) and the value read.
  [[nodiscard]] std::uint8_t response() const { return response_; }
  [[nodiscard]] std::uint32_t value() const { return value_; }

  // Just before a clock edge: records the handshakes that this edge completes.
  void sample();
  // Just after a clock edge: sets the pins for the coming clock.
  void drive();

 private:
  enum class State { kIdle, kRead, kWrite };

  AxiLitePins pins_;
  State state_ = State::kIdle;
  std::uint16_t address_ = 0;
  std::uint32_t value_ = 0;
  bool address_sent_ = false;
  bool data_sent_ = false;
  std::uint8_t response_ = 0;
};

}  // namespace plumbline::sim
