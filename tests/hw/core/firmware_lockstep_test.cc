// The firmware's image on the RTL of the control processor and on the instruction-set simulator,
// instruction by instruction, with timer, mailbox and a card whose registers refuse an access now
// and then. A host sends commands at random.
#include <gtest/gtest.h>

#include <cstddef>
#include <iostream>

#include "base/random.h"
#include "card/built_in_firmware.h"
#include "card/firmware_image.h"
#include "tests/firmware/mock_bus.h"
#include "tests/hw/core/lockstep.h"
#include "tests/hw/long_run.h"

namespace plumbline::hw_test {
namespace {

constexpr std::uint32_t kPorts = 3;

class FirmwareDevices final : public Devices {
 public:
  // Of the optional parts the card has link-level retry, a MAC at port 1, and PTP at port 0.
  explicit FirmwareDevices(std::uint64_t seed) : random_(seed, "core/firmware_devices") {
    namespace regs = firmware::regs;
    bus.card[regs::global::kClockPeriodNum] = 102'400;
    bus.card[regs::global::kClockPeriodDen] = 33;
    bus.clock_hz = 322'265'625;
    bus.card[regs::global::kFeatures] = regs::global::kFeaturesLlr.mask();
    bus.card[regs::mac::address(1, regs::mac::kMacId)] = regs::mac::kMacIdValue;
    bus.card[regs::time::kBase + regs::time::kTimeId] = regs::time::kTimeIdValue;
    bus.card[regs::event::address(0, regs::event::kEventId)] = regs::event::kEventIdValue;
  }

  void access(DeviceAccess& access) override {
    if (access.address >= firmware::local::kCardBase) {
      const std::uint32_t offset = access.address - firmware::local::kCardBase;
      access.error = refuses && random_.below(50) == 0;
      if (access.error) return;
      if (access.write) {
        bus.writeCard(offset, access.value);
      } else {
        access.value = bus.readCard(offset);
      }
    } else {
      const std::uint32_t offset = access.address - firmware::local::kBase;
      if (access.write) {
        bus.writeLocal(offset, access.value);
      } else {
        access.value = bus.readLocal(offset);
      }
    }
  }
  void clock() override { ++bus.mtime; }
  [[nodiscard]] bool timerInterrupt() const override { return bus.mtime >= bus.compare; }
  [[nodiscard]] bool externalInterrupt() const override {
    return bus.mail_in.has_value() && bus.irq_enable != 0;
  }

  firmware_test::MockBus bus{kPorts};
  bool refuses = false;

 private:
  RandomStream random_;
};

class FirmwareLockstepTest : public testing::Test {
 protected:
  void SetUp() override {
    if (card::builtInFirmware().empty()) {
      GTEST_SKIP() << "built without firmware: no riscv64-unknown-elf-g++";
    }
    const card::FirmwareImage image = card::parseFirmwareImage(card::builtInFirmware(), "built-in");
    shared_ = firmware::kMemoryBase + image.header.shared_offset;
    lockstep_.run(image.words, kSteps);
  }

  [[nodiscard]] std::uint32_t shared(std::size_t offset) const {
    return lockstep_.word(shared_ + static_cast<std::uint32_t>(offset));
  }

  // A command as the host sends it; the status. The bench's way into the memory needs a processor
  // that sleeps, so none is sent in a poll of the ports, or when one is near.
  std::uint32_t ask(std::uint32_t code, const std::vector<std::uint32_t>& arguments) {
    constexpr std::uint64_t kNear = 2'000;
    lockstep_.goOn(kSteps);
    while (devices_.bus.compare - devices_.bus.mtime < kNear) {
      lockstep_.wait(2 * kNear);
      lockstep_.goOn(kSteps);
    }
    std::uint32_t at = shared_ + offsetof(firmware::Shared, command);
    std::vector<std::uint32_t> words{++sequence_, code};
    words.insert(words.end(), arguments.begin(), arguments.end());
    for (const std::uint32_t word : words) {
      lockstep_.store(at, word);
      at += 4;
    }
    devices_.bus.mail_in = sequence_;
    lockstep_.goOn(kSteps);
    EXPECT_EQ(devices_.bus.mail_out, sequence_);
    devices_.bus.mail_out.reset();
    EXPECT_EQ(shared(offsetof(firmware::Shared, reply)), sequence_);
    return shared(offsetof(firmware::Shared, reply) + 4);
  }

  // Nothing wakes the processor any more: its memory can be compared.
  void stopPolls() {
    devices_.refuses = false;
    for (std::uint32_t port = 0; port < kPorts; ++port) {
      EXPECT_EQ(ask(firmware::kSetRetry, {port, firmware::kRetryLeave}), firmware::kDone);
    }
    EXPECT_EQ(ask(firmware::kSetLink, {1, firmware::kLinkReleased}), firmware::kDone);
    EXPECT_EQ(ask(firmware::kSetPtp, {firmware::kPtpOff, 0}), firmware::kDone);
    EXPECT_EQ(ask(firmware::kDisarmWatchdog, {}), firmware::kDone);
    EXPECT_EQ(devices_.bus.compare, ~std::uint64_t{0});
  }

  static constexpr std::uint64_t kSteps = 20'000;  // more than any command takes

  RandomStream random_{7, "core/firmware_lockstep"};
  FirmwareDevices devices_{7};
  Lockstep lockstep_{7, {.interrupts = 0, .halts = 0, .slowest_device = 12}, devices_};
  std::uint32_t shared_ = 0;
  std::uint32_t sequence_ = 0;
};

TEST_F(FirmwareLockstepTest, StartsAndAnswers) {
  EXPECT_EQ(shared(0), firmware::kSharedMagic);
  EXPECT_EQ(ask(firmware::kPing, {}), firmware::kDone);
  EXPECT_EQ(ask(firmware::kReadRow, {2, 5, 77}), firmware::kDone);
  for (std::uint32_t word = 0; word < 16; ++word) {
    EXPECT_EQ(shared(offsetof(firmware::Shared, reply) + 8 + 4 * word),
              firmware_test::MockBus::rowWord(2, 5u << 16 | 77, word));
  }
  EXPECT_EQ(ask(firmware::kReadRow, {3, 5, 77}), firmware::kBadArgument);
  EXPECT_EQ(lockstep_.traps(), 0u);
  stopPolls();
  EXPECT_TRUE(lockstep_.memoriesAreEqual());
}

TEST_F(FirmwareLockstepTest, WatchdogParks) {
  ASSERT_EQ(ask(firmware::kArmWatchdog, {9000, 0}), firmware::kDone);
  lockstep_.wait(6000);
  EXPECT_EQ(shared(offsetof(firmware::Shared, state)), firmware::kReady);
  lockstep_.wait(10'000);
  EXPECT_EQ(shared(offsetof(firmware::Shared, state)), firmware::kParked);
  stopPolls();
  EXPECT_TRUE(lockstep_.memoriesAreEqual());
}

TEST_F(FirmwareLockstepTest, RandomCommandsOnACardThatRefuses) {
  devices_.refuses = true;
  const int commands = longRun() ? 20'000 : 400;
  for (int i = 0; i < commands; ++i) {
    const auto code = static_cast<std::uint32_t>(random_.below(14));
    std::vector<std::uint32_t> arguments;
    for (int n = 0; n < 3; ++n) {
      arguments.push_back(static_cast<std::uint32_t>(random_.below(n == 0 ? 5 : 20'000)));
    }
    if (code == firmware::kReadRow) arguments[1] %= 9;
    if (code >= firmware::kSetFec && code <= firmware::kSetRetry) arguments[1] %= 4;
    if (code == firmware::kSetPtp) {
      arguments[0] = static_cast<std::uint32_t>(random_.below(5) | random_.below(2) << 8U);
      arguments[1] = 0x00FCFA;  // 64 Syncs and 16 Delay_Reqs a second
    }
    const std::uint32_t status = ask(code, arguments);
    if (code > firmware::kSetPtp) {
      EXPECT_EQ(status, firmware::kUnknownCommand);
    }
    if (code <= firmware::kInfo) {
      EXPECT_EQ(status, firmware::kDone);
    }
    // Some polls of ports and clock, 32,227 clocks apart.
    if (random_.below(10) == 0) lockstep_.wait(random_.below(150'000));
  }
  stopPolls();
  // Accesses were refused, and each was a trap.
  EXPECT_GT(lockstep_.traps(), 20u);
  EXPECT_EQ(lockstep_.interrupts(), 0u);  // they end the sleep, and no handler runs
  EXPECT_GT(shared(offsetof(firmware::Shared, statistics) +
                   offsetof(firmware::Statistics, failed_accesses)),
            10u);
  EXPECT_NE(shared(offsetof(firmware::Shared, state)), firmware::kFaulted);
  EXPECT_TRUE(lockstep_.memoriesAreEqual());
  std::cout << lockstep_.steps() << " instructions, " << lockstep_.traps() << " traps, "
            << static_cast<double>(lockstep_.clocks()) / static_cast<double>(lockstep_.steps())
            << " clocks an instruction, sleep included\n";
}

}  // namespace
}  // namespace plumbline::hw_test
