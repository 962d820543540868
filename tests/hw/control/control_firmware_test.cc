// The firmware's image on the processor of plumb_control brings up the links of two MACs, whatever
// happens to the card's clock, which is the first one's. The host sees it by block core alone.
//
// The processor is told that its clock has 25 MHz instead of 300, and models of the MACs go by that
// time, so that the firmware's waits of up to 100 ms are a twelfth of the clocks.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>

#include "base/error.h"
#include "card/built_in_firmware.h"
#include "card/firmware.h"
#include "card/firmware_image.h"
#include "tests/hw/control/control_card.h"

namespace plumbline::hw_test {
namespace {

using card::MacReason;
using card::MacState;

template <typename Card>
class OnControl : public testing::Test {
 protected:
  void SetUp() override {
    if (card::builtInFirmware().empty()) {
      GTEST_SKIP() << "built without firmware: no riscv64-unknown-elf-g++";
    }
  }

  // Loads the firmware and starts it. `conditions`: of the first MAC, before.
  void start(const sim::MacConditions& conditions = {}) {
    bus.macs[0].setConditions(conditions, bus.now());
    bus.wait(microseconds(20));
    // The host looks for the MAC's clock; its count has no window yet, and would be of 300 MHz.
    firmware = std::make_unique<card::Firmware>(bus);
    bus.only_core = true;
    firmware->load(card::parseFirmwareImage(card::builtInFirmware(), "built-in"));
    firmware->start();
  }

  void setClock(bool runs) {
    sim::MacConditions conditions;
    conditions.reference_clock = runs;
    bus.macs[0].setConditions(conditions, bus.now());
  }

  [[nodiscard]] MacState state(std::uint32_t port) {
    return static_cast<MacState>(firmware->port(port).link.state);
  }
  [[nodiscard]] MacReason reason(std::uint32_t port) {
    return static_cast<MacReason>(firmware->port(port).link.reason);
  }

  // Looks every millisecond until it is so.
  bool within(Picoseconds limit, const std::function<bool()>& so) {
    const Picoseconds end = bus.now() + limit;
    while (!so()) {
      if (bus.now() > end) return false;
      bus.wait(milliseconds(1));
    }
    return true;
  }
  bool bothUp(Picoseconds limit) {
    return within(limit, [&] { return state(0) == MacState::kUp && state(1) == MacState::kUp; });
  }

  Card bus;
  std::unique_ptr<card::Firmware> firmware;
};
using ControlFirmwareTest = OnControl<ControlCard>;
using ControlInterruptTest = OnControl<FastControlCard>;

TEST_F(ControlFirmwareTest, BringsBothLinksUpAndReadsTheCard) {
  start();
  EXPECT_EQ(firmware->ports(), 2U);
  // A reset of 1 ms and 10 ms without fault; MACs and models take microseconds.
  EXPECT_TRUE(bothUp(milliseconds(20)));
  EXPECT_EQ(firmware->port(0).link.losses, 0U);
  // Under BUS_LOCK, which ends by itself after 2,047 clocks of the card.
  const firmware::Reply row = firmware->send(firmware::kReadRow, {1, 4, 99});
  EXPECT_EQ(row.status, firmware::kDone);
  EXPECT_EQ(bus.locks_expired, 0);
  EXPECT_GT(bus.lock_clocks, 100);
  EXPECT_LT(bus.lock_clocks, 2'047 * 9 / 10);
  std::cout << "a row is read under BUS_LOCK in " << bus.lock_clocks << " clocks of the card\n";
  EXPECT_EQ(firmware->shared().statistics.failed_accesses, 0U);
}

TEST_F(ControlFirmwareTest, ADeadReferenceClockEndsInDownAndTheFirmwareGoesOn) {
  start();
  ASSERT_TRUE(bothUp(milliseconds(20)));
  setClock(false);
  // Two attempts, each with 100 ms for the clock.
  EXPECT_TRUE(within(milliseconds(230), [&] { return state(0) == MacState::kDown; }));
  EXPECT_EQ(reason(0), MacReason::kNoClock);
  EXPECT_EQ(firmware->port(0).link.losses, 1U);
  EXPECT_FALSE(bus.reachable());
  EXPECT_EQ(state(1), MacState::kUp);
  EXPECT_EQ(firmware->port(1).link.losses, 0U);
  EXPECT_EQ(firmware->send(firmware::kPing).status, firmware::kDone);
  EXPECT_THROW(firmware->send(firmware::kReadRow, {1, 4, 99}, milliseconds(10)), Error);
  EXPECT_EQ(firmware->info().state, firmware::kReady);
  setClock(true);
  EXPECT_TRUE(bothUp(milliseconds(230)));
  EXPECT_TRUE(bus.reachable());
  EXPECT_EQ(firmware->send(firmware::kReadRow, {1, 4, 99}).status, firmware::kDone);
  EXPECT_EQ(bus.refused, 0) << "block core needs no clock of the card";
}

// Loaded and started before the card has ever had a clock.
TEST_F(ControlFirmwareTest, StartsWithoutTheCardsClock) {
  // At 25 MHz a poll that looks for the card too takes longer than the 0.1 ms of its waits.
  constexpr Picoseconds kSlow = milliseconds(300);
  sim::MacConditions dead;
  dead.reference_clock = false;
  start(dead);
  EXPECT_EQ(firmware->ports(), 2U);
  EXPECT_TRUE(within(kSlow, [&] { return state(0) == MacState::kDown; }));
  EXPECT_EQ(reason(0), MacReason::kNoClock);
  EXPECT_EQ(state(1), MacState::kUp);
  setClock(true);
  EXPECT_TRUE(bothUp(kSlow));
  EXPECT_EQ(firmware->send(firmware::kReadRow, {1, 4, 99}).status, firmware::kDone);
  // What the start could not read of the card.
  EXPECT_EQ(firmware->shared().statistics.failed_accesses, 1U);
}

// Polls are 100 us apart: what is seen within 12 us, at any time between them, was told of.
TEST_F(ControlInterruptTest, ALossIsSeenAtOnce) {
  start();
  ASSERT_TRUE(bothUp(milliseconds(20)));
  const std::uint32_t before = firmware->port(1).link.losses;
  bus.macs[1].loseAlignment(bus.now());
  bus.wait(microseconds(12));
  EXPECT_EQ(firmware->port(1).link.losses, before + 1);
  bus.wait(microseconds(30));
  bus.macs[0].loseAlignment(bus.now());
  bus.wait(microseconds(12));
  EXPECT_EQ(firmware->port(0).link.losses, 1U);
  EXPECT_TRUE(bothUp(milliseconds(15)));
}

// A level of the card's that stays, although there is no frame: the firmware looks once a poll.
TEST_F(ControlInterruptTest, AnEventThatStaysDoesNotKeepItAwake) {
  namespace regs = card::regs;
  bus.wait(microseconds(20));
  bus.write(regs::time::kBase + regs::time::kTimeId, regs::time::kTimeIdValue);
  bus.write(regs::event::address(1, regs::event::kEventId), regs::event::kEventIdValue);
  bus.write(regs::global::kClockPeriodNum, 102'400);
  bus.write(regs::global::kClockPeriodDen, 33);
  start();
  card::PtpSettings settings;
  settings.role = firmware::kPtpSlave;
  settings.port = 1;
  firmware->setPtp(settings);
  bus.setEventWaits(1U << 1U);
  const auto wakes = [&] { return firmware->shared().statistics.wakes; };
  const std::uint32_t before = wakes();
  bus.wait(milliseconds(2));
  const std::uint32_t woken = wakes() - before;
  // 20 polls and what the reading of the block takes, each with one look beside it.
  EXPECT_GE(woken, 30U);
  EXPECT_LE(woken, 46U);
  EXPECT_EQ(firmware->send(firmware::kPing).status, firmware::kDone);
}

}  // namespace
}  // namespace plumbline::hw_test
