// The firmware on the card: as it is, on the Verilated processor, loaded and asked by the driver;
// and compiled for this machine, on the registers of the Verilated card. Both must do the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "card/built_in_firmware.h"
#include "card/firmware.h"
#include "card/firmware_image.h"
#include "tests/hw/event_port.h"
#include "tests/hw/firmware_card_bus.h"
#include "tests/hw/test_card.h"

namespace plumbline::hw_test {
namespace {

namespace fw = firmware;
using card::CoreState;
using card::Firmware;

card::FirmwareImage image() {
  return card::parseFirmwareImage(card::builtInFirmware(), "built-in firmware");
}

// Endless streams on both ports, from the common start on.
void loadStreams(TestCard& card) {
  for (std::uint32_t port = 0; port < 2; ++port) {
    std::vector<card::FlowConfig> flows{makeFlow(udpStream(port, 256), 0)};
    setConstantRate(flows.back(), Fraction::percent(20), 1'000'000);
    card.driver.loadFlows(port, flows);
  }
}

// Frames that have left, each with the time of its first bit.
void keepDepartures(TestCard& card, std::vector<Picoseconds>& departures) {
  card.wire.observe = [&departures](const WireFrame& frame, const wire::DecodedFrame&) {
    departures.push_back(frame.first_bit);
  };
}

// The way from the schedule's end to the line, and the firmware's own: it wakes, reads the time,
// and writes to the card.
constexpr Picoseconds kParkTime = microseconds(4);

class CardFirmware : public testing::Test {
 protected:
  void SetUp() override {
    if (card::builtInFirmware().empty()) {
      GTEST_SKIP() << "built without firmware: no riscv64-unknown-elf-g++";
    }
  }
};

// An event frame is taken when it comes, whenever the next poll is; so is one behind it.
TEST_F(CardFirmware, EventFramesWakeIt) {
  TestCard card(2);
  Firmware firmware(card.sim);
  firmware.load(image());
  firmware.start();
  card::PtpSettings settings;
  settings.role = firmware::kPtpSlave;
  settings.port = 1;
  firmware.setPtp(settings);
  EventPort from(card.sim, 0);
  EventPort to(card.sim, 1);
  constexpr std::uint32_t kFrames = 12;
  for (std::uint32_t frame = 1; frame <= kFrames; ++frame) {
    from.send(ptpFrame(60, frame));
    ASSERT_TRUE(from.sent().has_value());
    // Polls are 100 us apart, and these frames some 40 us. Taking one needs some 40 accesses.
    card.sim.wait(microseconds(15));
    EXPECT_EQ(to.read(card::regs::event::kEventRxCount), frame);
    EXPECT_EQ(card::regs::event::kEventStatusRxLevel.get(to.read(card::regs::event::kEventStatus)),
              0U)
        << frame;
    card.sim.wait(microseconds(20));
  }
  // Without a role they stay where they are, and the processor sleeps.
  settings.role = firmware::kPtpOff;
  firmware.setPtp(settings);
  const std::uint32_t wakes = firmware.shared().statistics.wakes;
  to.receive(true, false);
  from.send(ptpFrame(60, 99));
  ASSERT_TRUE(from.sent().has_value());
  card.sim.wait(microseconds(50));
  EXPECT_EQ(card::regs::event::kEventStatusRxLevel.get(to.read(card::regs::event::kEventStatus)),
            1U);
  EXPECT_EQ(firmware.shared().statistics.wakes, wakes);
}

TEST_F(CardFirmware, ComesUpAndSleeps) {
  sim::CardSim sim({.ports = 1});
  Firmware firmware(sim);
  EXPECT_EQ(firmware.processor(), CoreState::kHalted);
  EXPECT_THROW((void)firmware.info(), Error);
  firmware.load(image());
  EXPECT_EQ(firmware.processor(), CoreState::kReset);
  firmware.start();
  const Picoseconds started = sim.now();
  EXPECT_EQ(firmware.processor(), CoreState::kAsleep);
  sim.wait(microseconds(100));
  const card::FirmwareInfo info = firmware.info();
  EXPECT_EQ(info.version, firmware::kVersion);
  EXPECT_EQ(info.interface_version, firmware::kInterfaceVersion);
  EXPECT_EQ(info.state, firmware::kReady);
  EXPECT_FALSE(info.watchdog);
  // Its clock began before start() returned; the question has taken its time.
  EXPECT_GE(info.uptime, microseconds(100));
  EXPECT_LE(info.uptime, sim.now());
  const std::vector<firmware::LogEntry> log = card::logOf(firmware.shared());
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].event, firmware::kLogStarted);
  EXPECT_EQ(log[0].argument, firmware::kVersion);
  EXPECT_LE(firmware.timeOf(log[0].time_low), started);
  // Another user finds it as it is.
  Firmware second(sim);
  EXPECT_GT(second.info().uptime, info.uptime);
  EXPECT_EQ(second.shared().statistics.commands, 2u);
  second.stop();
  EXPECT_THROW((void)second.info(), Error);
}

TEST_F(CardFirmware, RunsAnewAfterAStop) {
  sim::CardSim sim({.ports = 1});
  Firmware firmware(sim);
  firmware.load(image());
  firmware.start();
  for (int i = 0; i < 5; ++i) firmware.send(firmware::kPing);
  firmware.armWatchdog(microseconds(300));
  EXPECT_EQ(firmware.shared().statistics.commands, 6u);
  const Picoseconds restarted = sim.now();
  firmware.start();
  EXPECT_EQ(firmware.shared().statistics.commands, 0u);
  EXPECT_EQ(firmware.shared().log_written, 1u);
  const Picoseconds uptime = firmware.info().uptime;
  EXPECT_LT(uptime, sim.now() - restarted);
  EXPECT_FALSE(firmware.info().watchdog) << "armed in the run before";
}

TEST_F(CardFirmware, RefusalsAreSaidWithTheirReason) {
  sim::CardSim sim({.ports = 1});
  Firmware firmware(sim);
  firmware.load(image());
  firmware.start();
  try {
    firmware.send(firmware::kReadRow, {1, 4, 0});
    FAIL() << "port 1 of one port";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("outside of what the card has"), std::string::npos);
  }
  EXPECT_THROW(firmware.armWatchdog(Picoseconds(1000)), Error);
  EXPECT_EQ(firmware.shared().statistics.refused, 1u);
}

// The processor reads rows while the driver writes tables and reads them back.
TEST_F(CardFirmware, RowsAreReadBesideTheDriver) {
  TestCard card(2);
  loadStreams(card);
  Firmware firmware(card.sim);
  firmware.load(image());
  firmware.start();
  constexpr std::uint32_t kFlowTable = card::regs::flow_table::kNumber;
  const firmware::Reply reply = firmware.send(firmware::kReadRow, {0, kFlowTable, 0});
  card::regs::TableRow row{};
  std::copy_n(reply.values, row.size(), row.begin());
  EXPECT_EQ(card::regs::flow_table::kLength.get(row), 256u);
  EXPECT_EQ(card::regs::flow_table::kBurstLen.get(row), 1'000'000u);
  card.driver.reset();
  EXPECT_NO_THROW(loadStreams(card));
}

TEST_F(CardFirmware, WatchdogParksWhenTheHostIsSilent) {
  TestCard card(2);
  loadStreams(card);
  Firmware firmware(card.sim);
  firmware.load(image());
  firmware.start();
  std::vector<Picoseconds> departures;
  keepDepartures(card, departures);
  const Picoseconds start = card.start();
  constexpr Picoseconds kSilence = microseconds(60);
  firmware.armWatchdog(kSilence);
  ASSERT_EQ(firmware.info().watchdog, firmware.timeOf(19'335));  // 60 us at 322.265625 MHz, whole
  // As long as the host speaks, frames leave.
  Picoseconds spoken;
  for (int i = 0; i < 4; ++i) {
    card.sim.wait(microseconds(40));
    spoken = card.sim.now();
    firmware.send(firmware::kPing);
  }
  EXPECT_GT(spoken, start + microseconds(100));
  card.sim.wait(microseconds(200));
  ASSERT_FALSE(departures.empty());
  EXPECT_GE(departures.back(), spoken + kSilence - nanoseconds(200));
  EXPECT_LE(departures.back(), spoken + kSilence + kParkTime);
  EXPECT_EQ(firmware.info().state, firmware::kParked);
  const std::vector<firmware::LogEntry> log = card::logOf(firmware.shared());
  EXPECT_EQ(log.back().event, firmware::kLogParked);
  EXPECT_EQ(log.back().argument, firmware::kHostSilent);
  // A late arming sends nothing: the ports do not take part any more.
  const std::size_t sent = departures.size();
  card.start();
  card.sim.wait(microseconds(100));
  EXPECT_EQ(departures.size(), sent);
  // The driver loads anew, and all is as before.
  firmware.disarmWatchdog();
  EXPECT_EQ(firmware.info().state, firmware::kReady);
  card.driver.reset();
  loadStreams(card);
  card.start();
  card.sim.wait(microseconds(100));
  EXPECT_GT(departures.size(), sent + 100);
}

TEST_F(CardFirmware, ImageThatDoesNotFitIsRefused) {
  sim::CardSim sim({.ports = 1});
  Firmware firmware(sim);
  card::FirmwareImage large = image();
  large.header.memory_bytes = 98'304 + 4;
  EXPECT_THROW(firmware.load(large), Error);
  card::FirmwareImage later = image();
  later.header.map_version += 1u << 16;
  EXPECT_THROW(firmware.load(later), Error);
  EXPECT_EQ(firmware.processor(), CoreState::kHalted);
}

// An instruction that is none: the firmware says where and why, and the driver passes it on.
TEST_F(CardFirmware, ExceptionIsReported) {
  sim::CardSim sim({.ports = 1});
  Firmware firmware(sim);
  firmware.load(image());
  firmware.start();
  card::ControlCore core(sim);
  // The loop behind WFI is somewhere; all of it that is executed next becomes illegal.
  const std::vector<std::uint32_t> words = image().words;
  const auto wfi = std::find(words.begin() + firmware::kHeaderWords + 16, words.end(), 0x10500073u);
  std::uint32_t broken = 0;
  for (auto at = wfi; at != words.end(); at = std::find(at + 1, words.end(), 0x10500073u)) {
    const auto offset = static_cast<std::uint32_t>(4 * (at - words.begin()));
    // Not the one of the trap handler, which is the last.
    if (std::find(at + 1, words.end(), 0x10500073u) == words.end()) break;
    core.write(offset + 4, std::vector<std::uint32_t>{0xFFFFFFFF});
    broken = offset + 4;
  }
  ASSERT_NE(broken, 0u);
  try {
    firmware.send(firmware::kPing, {}, microseconds(50));
    FAIL() << "it has answered";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("exception 2"), std::string::npos) << text;  // illegal instruction
    EXPECT_NE(text.find("value 0xffffffff"), std::string::npos) << text;
  }
  EXPECT_EQ(firmware.shared().state, firmware::kFaulted);
  EXPECT_EQ(firmware.processor(), CoreState::kAsleep);
}

// ---- The same source, compiled for this machine ----

class NativeFirmware : public testing::Test {
 protected:
  TestCard card{2};
  FirmwareOnCard firmware{card.sim};
};

TEST_F(NativeFirmware, ReadsRowsOfTheCard) {
  firmware.control.start();
  loadStreams(card);
  ASSERT_EQ(firmware.ask(fw::kReadRow, {1, card::regs::flow_table::kNumber, 0}), fw::kDone);
  card::regs::TableRow row{};
  std::copy_n(firmware.shared.reply.values, row.size(), row.begin());
  EXPECT_EQ(card::regs::flow_table::kLength.get(row), 256u);
  EXPECT_EQ(firmware.ask(fw::kReadRow, {2, 1, 0}), fw::kBadArgument);
  EXPECT_EQ(card.sim.read(card::regs::global::kBusLockStatus), 0u);
}

TEST_F(NativeFirmware, WatchdogParksWhenTheHostIsSilent) {
  firmware.control.start();
  loadStreams(card);
  std::vector<Picoseconds> departures;
  keepDepartures(card, departures);
  card.start();
  constexpr std::uint32_t kSilenceClocks = 19'336;  // 60 us
  const Picoseconds spoken = card.sim.now();
  ASSERT_EQ(firmware.ask(fw::kArmWatchdog, {kSilenceClocks, 0}), fw::kDone);
  while (card.sim.now() < spoken + microseconds(200)) {
    card.sim.wait(nanoseconds(100));
    firmware.control.service();
  }
  ASSERT_FALSE(departures.empty());
  EXPECT_GE(departures.back(), spoken + microseconds(60) - nanoseconds(200));
  EXPECT_LE(departures.back(), spoken + microseconds(60) + kParkTime);
  EXPECT_EQ(firmware.shared.state, fw::kParked);
  EXPECT_EQ(firmware.shared.statistics.parks, 1u);
}

}  // namespace
}  // namespace plumbline::hw_test
