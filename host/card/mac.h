// The MAC of one port, of cards that have MACs of their own: state of the link, counters.
#pragma once

#include <cstdint>
#include <optional>

#include "card/mac_counters.h"
#include "card/mac_link.h"
#include "card/register_bus.h"

namespace plumbline::card {

// Not thread-safe. Errors of the bus are passed on as Error(kTester).
class Mac {
 public:
  // `bus` must outlive the object.
  Mac(RegisterBus& bus, std::uint32_t port);

  // The port has the block `mac`. All other functions need it.
  [[nodiscard]] bool present();
  // The link as it is now: up, or down with the reason. Nothing is changed.
  [[nodiscard]] MacLink link();
  // Frequency of the register bus's clock [Hz] over its last 65,536 clocks, within 0.02 %, measured
  // against the MAC's user clock of 322.265625 MHz (PG203). Nothing while the MAC has no clock, or
  // has had none in that time; too high where it started in that time.
  [[nodiscard]] std::optional<double> busClockHz();
  // All counters at one edge of the MAC's clock, since they were cleared, and the same with
  // clearing them at that edge. Both throw Error(kTester) when the MAC has no clock. Only one
  // program may clear: the card's firmware does while it watches the port (firmware::kLinkRun).
  [[nodiscard]] MacCounters counters();
  MacCounters takeCounters();

 private:
  [[nodiscard]] std::uint32_t read(std::uint32_t offset);
  // Carries out MAC_COMMAND, and reads what it has latched.
  [[nodiscard]] MacCounters latched(std::uint32_t command);
  // A counter of two registers or one; notes in `counters` that it has reached its highest value.
  [[nodiscard]] std::uint64_t wide(std::uint32_t low, MacCounters& counters);
  [[nodiscard]] std::uint64_t narrow(std::uint32_t offset, MacCounters& counters);

  RegisterBus& bus_;
  std::uint32_t port_;
};

}  // namespace plumbline::card
