// The firmware against a mock of what is around it: commands, watchdog, faults, log. What it must
// do is in docs/firmware.md.
#include "firmware/control.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "tests/firmware/mock_bus.h"

namespace plumbline::firmware_test {
namespace {

using firmware::Shared;

class ControlTest : public testing::Test {
 protected:
  ControlTest() {
    shared.state = 77;  // memory is not zero by itself, but .bss is; state must be set
    bus.mtime = 1000;
    control.start();
  }

  // As the host does it; the status that comes back.
  std::uint32_t ask(std::uint32_t code, std::initializer_list<std::uint32_t> arguments = {}) {
    shared.command.sequence = ++sequence;
    shared.command.code = code;
    std::copy(arguments.begin(), arguments.end(), shared.command.arguments);
    bus.mail_in = sequence;
    control.service();
    EXPECT_EQ(bus.mail_out, sequence);
    EXPECT_EQ(shared.reply.sequence, sequence);
    bus.mail_out.reset();
    return shared.reply.status;
  }
  [[nodiscard]] const firmware::LogEntry& lastLog() const {
    return shared.log[(shared.log_written - 1) % firmware::kLogEntries];
  }
  [[nodiscard]] bool stopped() const {
    return std::count(bus.writes.begin(), bus.writes.end(),
                      std::pair(regs::global::kControl, regs::global::kControlStop.mask())) != 0;
  }

  MockBus bus{2};
  Shared shared{};
  firmware::Control<MockBus> control{bus, shared};
  std::uint32_t sequence = 40;
};

TEST_F(ControlTest, StartFillsInTheSharedBlock) {
  EXPECT_EQ(shared.magic, 0x504C5348u);
  EXPECT_EQ(shared.interface_version, firmware::kInterfaceVersion);
  EXPECT_EQ(shared.version, firmware::kVersion);
  EXPECT_EQ(shared.state, firmware::kReady);
  EXPECT_EQ(bus.irq_enable, 1u);
  EXPECT_EQ(shared.log_written, 1u);
  EXPECT_EQ(lastLog().event, firmware::kLogStarted);
  EXPECT_EQ(lastLog().time_low, 1000u);
  // The timer is never due, and nothing of the card was written.
  EXPECT_EQ(bus.compare, ~std::uint64_t{0});
  EXPECT_TRUE(bus.writes.empty());
}

TEST_F(ControlTest, InfoHasUptimeOf64Bits) {
  bus.mtime = 0x1'2345'6789'ABCD;
  EXPECT_EQ(ask(firmware::kInfo), firmware::kDone);
  EXPECT_EQ(shared.reply.values[firmware::kUptimeLow], 0x6789ABCDu);
  EXPECT_EQ(shared.reply.values[firmware::kUptimeHigh], 0x12345u);
  EXPECT_EQ(shared.reply.values[firmware::kWatchdogLow], 0u);
  EXPECT_EQ(shared.statistics.commands, 1u);
}

TEST_F(ControlTest, UnknownCommandsAreRefusedAndLogged) {
  EXPECT_EQ(ask(1234), firmware::kUnknownCommand);
  EXPECT_EQ(lastLog().event, firmware::kLogCommandRefused);
  EXPECT_EQ(lastLog().argument, 1234u);
  EXPECT_EQ(shared.statistics.refused, 1u);
  EXPECT_EQ(shared.statistics.commands, 0u);
}

TEST_F(ControlTest, WordWithoutItsCommandIsNotAnswered) {
  shared.command.sequence = 5;
  bus.mail_in = 6;
  control.service();
  EXPECT_FALSE(bus.mail_out);
  EXPECT_EQ(shared.statistics.stale_words, 1u);
  EXPECT_EQ(shared.statistics.commands, 0u);
}

TEST_F(ControlTest, AnswerThatNobodyTookIsCounted) {
  bus.mail_out = 7;
  shared.command.sequence = bus.mail_in.emplace(8);
  control.service();
  EXPECT_EQ(bus.mail_out, 7u);
  EXPECT_EQ(shared.reply.sequence, 8u);  // it is in the memory all the same
  EXPECT_EQ(shared.statistics.answers_dropped, 1u);
}

TEST_F(ControlTest, WatchdogParksAfterItsTimeAndNotBefore) {
  const std::uint32_t control0 = regs::port::address(0, regs::port::kPortControl);
  const std::uint32_t control1 = regs::port::address(1, regs::port::kPortControl);
  bus.card[control0] = 0xFF07;
  bus.card[control1] = 0x0001;
  bus.mtime = 5000;
  ASSERT_EQ(ask(firmware::kArmWatchdog, {300, 0}), firmware::kDone);
  EXPECT_EQ(bus.compare, 5300u);
  bus.mtime = 5299;
  control.service();
  EXPECT_FALSE(stopped());
  bus.mtime = 5300;
  control.service();
  EXPECT_TRUE(stopped());
  EXPECT_EQ(shared.state, firmware::kParked);
  // Only the enable of the transmitter has gone.
  EXPECT_EQ(bus.card[control0], 0xFF06u);
  EXPECT_EQ(bus.card[control1], 0x0000u);
  EXPECT_EQ(lastLog().event, firmware::kLogParked);
  EXPECT_EQ(lastLog().argument, firmware::kHostSilent);
  EXPECT_EQ(shared.statistics.parks, 1u);
  EXPECT_EQ(shared.statistics.timer_events, 1u);
  // Once: the watchdog is not armed any more.
  EXPECT_EQ(bus.compare, ~std::uint64_t{0});
  bus.mtime = 50'000;
  control.service();
  EXPECT_EQ(shared.statistics.parks, 1u);
  EXPECT_FALSE(bus.locked);
  EXPECT_TRUE(bus.unlocked_writes.empty());
}

TEST_F(ControlTest, EveryCommandIsASignOfLife) {
  bus.mtime = 5000;
  ask(firmware::kArmWatchdog, {300, 0});
  for (const std::uint32_t code : {firmware::kPing, firmware::kInfo}) {
    bus.mtime += 299;
    EXPECT_EQ(ask(code), firmware::kDone);
    EXPECT_EQ(bus.compare, bus.mtime + 300);
  }
  bus.mtime += 299;
  ask(999);  // even one that is refused
  EXPECT_FALSE(stopped());
  bus.mtime += 300;
  control.service();
  EXPECT_TRUE(stopped());
}

TEST_F(ControlTest, WatchdogOverTheCarryOfTheTimer) {
  bus.mtime = 0xFFFF'FFF0;
  bus.compare = ~std::uint64_t{0};
  ask(firmware::kArmWatchdog, {0x20, 1});
  EXPECT_EQ(bus.compare, 0x2'0000'0010u);
  EXPECT_EQ(shared.reply.status, firmware::kDone);
  bus.mtime = 0x1'0000'0000;
  ask(firmware::kPing);
  EXPECT_EQ(bus.compare, 0x2'0000'0020u);
  // A new time is written so that none in between is due.
  bus.mtime = 0x1'FFFF'FE00;
  ask(firmware::kArmWatchdog, {0x180, 0});
  EXPECT_EQ(bus.compare, 0x1'FFFF'FF80u);
  bus.mtime = 0x1'FFFF'FF00;
  ask(firmware::kPing);
  EXPECT_EQ(bus.compare, 0x2'0000'0080u);
  EXPECT_FALSE(bus.due_too_early);
}

TEST_F(ControlTest, DisarmedWatchdogDoesNothing) {
  ask(firmware::kArmWatchdog, {300, 0});
  EXPECT_EQ(ask(firmware::kDisarmWatchdog), firmware::kDone);
  EXPECT_EQ(bus.compare, ~std::uint64_t{0});
  bus.mtime += 1'000'000;
  control.service();
  EXPECT_FALSE(stopped());
}

TEST_F(ControlTest, WatchdogOfNoTimeOrTooLongIsRefused) {
  EXPECT_EQ(ask(firmware::kArmWatchdog, {0, 0}), firmware::kBadArgument);
  EXPECT_EQ(ask(firmware::kArmWatchdog, {0, 1u << 24}), firmware::kBadArgument);
  EXPECT_EQ(bus.compare, ~std::uint64_t{0});
  EXPECT_EQ(ask(firmware::kArmWatchdog, {0, (1u << 24) - 1}), firmware::kDone);
}

// The card's clock is stopped: nothing is parked, and the state does not say so. When the clock is
// back the schedule may go on, and the firmware parks it then.
TEST_F(ControlTest, ParksACardThatHasRefusedAsSoonAsItDoesNot) {
  bus.refused = {regs::global::kCapability, regs::global::kControl, regs::global::kBusLock};
  EXPECT_EQ(ask(firmware::kPark), firmware::kAccessFailed);
  EXPECT_EQ(shared.state, firmware::kReady);
  EXPECT_EQ(shared.statistics.parks, 0u);
  const std::uint32_t logged = shared.log_written;
  for (int i = 0; i < 100; ++i) control.service();
  EXPECT_EQ(shared.log_written, logged) << "the log is full of one refusal";
  bus.refused.clear();
  control.service();
  EXPECT_TRUE(stopped());
  EXPECT_EQ(shared.state, firmware::kParked);
  EXPECT_EQ(shared.statistics.parks, 1u);
  EXPECT_EQ(lastLog().event, firmware::kLogParked);
  bus.writes.clear();
  control.service();
  EXPECT_FALSE(stopped()) << "parked once";
  // The host takes over before the card answers.
  bus.refused = {regs::global::kControl};
  EXPECT_EQ(ask(firmware::kPark), firmware::kAccessFailed);
  EXPECT_EQ(ask(firmware::kDisarmWatchdog), firmware::kDone);
  bus.refused.clear();
  bus.writes.clear();
  control.service();
  EXPECT_FALSE(stopped());
  EXPECT_EQ(shared.state, firmware::kReady);
}

TEST_F(ControlTest, HostParksAndReleases) {
  EXPECT_EQ(ask(firmware::kPark), firmware::kDone);
  EXPECT_TRUE(stopped());
  EXPECT_EQ(shared.state, firmware::kParked);
  EXPECT_EQ(lastLog().argument, firmware::kHostAsked);
  EXPECT_EQ(ask(firmware::kDisarmWatchdog), firmware::kDone);
  EXPECT_EQ(shared.state, firmware::kReady);
}

TEST_F(ControlTest, RowsAreReadUnderTheLockAndLeaveNoTrace) {
  const auto at = [](std::uint32_t offset) { return regs::port::address(1, offset); };
  std::vector<std::uint32_t> data;
  for (std::uint32_t word = 0; word < 16; ++word) {
    data.push_back(0xD0000000u + word);
    bus.card[at(regs::port::kTblData) + 4 * word] = data.back();
  }
  bus.card[at(regs::port::kTblAddr)] = 0x51234;
  ASSERT_EQ(ask(firmware::kReadRow, {1, 4, 99}), firmware::kDone);
  for (std::uint32_t word = 0; word < 16; ++word) {
    EXPECT_EQ(shared.reply.values[word], MockBus::rowWord(1, 4u << 16 | 99, word));
    EXPECT_EQ(bus.card[at(regs::port::kTblData) + 4 * word], data[word]);
  }
  EXPECT_EQ(bus.card[at(regs::port::kTblAddr)], 0x51234u);
  EXPECT_TRUE(bus.unlocked_writes.empty());
  EXPECT_FALSE(bus.locked);
}

TEST_F(ControlTest, RowsThatDoNotExistAreRefused) {
  EXPECT_EQ(ask(firmware::kReadRow, {2, 4, 0}), firmware::kBadArgument);  // two ports
  EXPECT_EQ(ask(firmware::kReadRow, {0, 16, 0}), firmware::kBadArgument);
  EXPECT_EQ(ask(firmware::kReadRow, {0, 4, 65'536}), firmware::kBadArgument);
  EXPECT_TRUE(bus.writes.empty());
}

TEST_F(ControlTest, RefusedAccessIsReported) {
  bus.refused.insert(regs::port::address(0, regs::port::kTblCmd));
  EXPECT_EQ(ask(firmware::kReadRow, {0, 4, 0}), firmware::kAccessFailed);
  EXPECT_EQ(shared.statistics.failed_accesses, 1u);
  EXPECT_FALSE(bus.locked);
  EXPECT_EQ(ask(firmware::kPing), firmware::kDone);
}

TEST_F(ControlTest, FaultIsKept) {
  control.fault(2, 0x10000123, 0xABCD);
  EXPECT_EQ(shared.state, firmware::kFaulted);
  EXPECT_EQ(shared.fault.cause, 2u);
  EXPECT_EQ(shared.fault.address, 0x10000123u);
  EXPECT_EQ(shared.fault.value, 0xABCDu);
  EXPECT_EQ(lastLog().event, firmware::kLogFault);
}

TEST_F(ControlTest, LogKeepsTheLastEntries) {
  for (std::uint32_t i = 0; i < 100; ++i) {
    bus.mtime = 0x1'0000'0000 + i;
    ask(1000 + i);
  }
  EXPECT_EQ(shared.log_written, 101u);
  // Entry n lies at n % 64, so the oldest that is left, 37, is behind the newest, 100.
  EXPECT_EQ(shared.log[100 % 64].argument, 1099u);
  EXPECT_EQ(shared.log[37].argument, 1036u);
  EXPECT_EQ(shared.log[37].time_low, 36u);
  EXPECT_EQ(shared.log[37].time_high, 1u);
}

}  // namespace
}  // namespace plumbline::firmware_test
