// The firmware compiled for this machine on a Verilated card: the card's registers are the
// Verilated ones; the processor's timer and mailbox are here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>

#include "base/units.h"
#include "firmware/control.h"
#include "sim/card_sim.h"

namespace plumbline::hw_test {

class FirmwareCardBus {
 public:
  // The timer runs `speed` times as fast as the card's clock: the firmware takes a millisecond of
  // the card for a longer time, and simulations of its slow parts are shorter.
  explicit FirmwareCardBus(sim::CardSim& sim, std::uint64_t speed = 1) : sim_(sim), speed_(speed) {}

  std::uint32_t readCard(std::uint32_t offset) { return sim_.read(offset); }
  void writeCard(std::uint32_t offset, std::uint32_t value) { sim_.write(offset, value); }
  static bool takeFailure() { return false; }  // a refusal is an exception of CardSim
  std::uint32_t readLocal(std::uint32_t offset) {
    namespace local = firmware::local;
    switch (offset) {
      case local::kMtimeLow:
        return static_cast<std::uint32_t>(mtime());
      case local::kMtimeHigh:
        return static_cast<std::uint32_t>(mtime() >> 32U);
      case local::kMailStatus:
        return mail_in ? local::kMailInValid : 0;
      case local::kClockHz:
        return 322'265'625;
      case local::kMailIn:
        return std::exchange(mail_in, std::nullopt).value();
      default:
        return 0;
    }
  }
  void writeLocal(std::uint32_t offset, std::uint32_t value) {
    namespace local = firmware::local;
    if (offset == local::kMailOut) mail_out = value;
    if (offset == local::kCompareLow) compare_ = (compare_ & ~0xFFFFFFFFULL) | value;
    if (offset == local::kCompareHigh) {
      compare_ = (compare_ & 0xFFFFFFFFULL) | std::uint64_t{value} << 32U;
    }
  }

  // The timer wakes the firmware.
  [[nodiscard]] bool due() const { return mtime() >= compare_; }
  // Clocks of the card until it does, at most `limit`.
  [[nodiscard]] std::uint64_t clocksUntilDue(std::uint64_t limit) const {
    if (due()) return 0;
    return std::min((compare_ - mtime() + speed_ - 1) / speed_, limit);
  }

  std::optional<std::uint32_t> mail_in;
  std::optional<std::uint32_t> mail_out;

 private:
  [[nodiscard]] std::uint64_t mtime() const { return sim_.cycles() * speed_; }

  sim::CardSim& sim_;
  std::uint64_t speed_;
  std::uint64_t compare_ = ~std::uint64_t{0};
};

// The firmware on it, asked as the host does.
class FirmwareOnCard {
 public:
  // A clock of the card, rounded up [ps].
  static constexpr std::int64_t kClock = 3'104;

  explicit FirmwareOnCard(sim::CardSim& sim, std::uint64_t speed = 1)
      : bus(sim, speed), sim_(sim) {}

  std::uint32_t ask(std::uint32_t code, std::initializer_list<std::uint32_t> arguments = {}) {
    shared.command.sequence = ++sequence_;
    shared.command.code = code;
    std::copy(arguments.begin(), arguments.end(), shared.command.arguments);
    bus.mail_in = sequence_;
    control.service();
    return shared.reply.status;
  }
  // Until `time` of the card: the firmware runs when its timer says so, also when the card has come
  // to `time` before (beside another one).
  void runUntil(Picoseconds time) {
    constexpr std::uint64_t kLimit = 1'000'000;
    for (;;) {
      if (bus.due()) {
        control.service();
        continue;
      }
      if (sim_.now() >= time) return;
      const Picoseconds rest(static_cast<std::int64_t>(bus.clocksUntilDue(kLimit)) * kClock);
      sim_.wait(std::min(rest, time - sim_.now()));
    }
  }
  void run(Picoseconds duration) { runUntil(sim_.now() + duration); }

  FirmwareCardBus bus;
  firmware::Shared shared{};
  firmware::Control<FirmwareCardBus> control{bus, shared};

 private:
  sim::CardSim& sim_;
  std::uint32_t sequence_ = 0;
};

}  // namespace plumbline::hw_test
