// The firmware of the control processor, compiled for this machine, with a MAC's registers as
// hardware has them: whatever happens to the link, the shared block says in the end what the
// conditions are, and log and counts are those of what happened.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "card/firmware_ports.h"
#include "firmware/control.h"
#include "tests/hw/vitis/link_bench.h"

namespace plumbline::hw_test {
namespace {

namespace fw = firmware;

// A card of one port: its registers of the block global are here, those of the MAC on the bench.
class LinkCardBus {
 public:
  explicit LinkCardBus(std::uint32_t seed) : bench(seed) {}

  std::uint32_t readCard(std::uint32_t offset) {
    namespace global = fw::regs::global;
    switch (offset) {
      case global::kCapability:
        return global::kCapabilityPorts.of(1);
      default:
        return offset >= fw::regs::mac::kBase ? bench.read(offset) : 0;
    }
  }
  void writeCard(std::uint32_t offset, std::uint32_t value) {
    if (offset < fw::regs::mac::kBase) return;
    if (offset == fw::regs::mac::address(0, fw::regs::mac::kMacReset)) ++reset_writes;
    bench.write(offset, value);
  }
  static bool takeFailure() { return false; }
  std::uint32_t readLocal(std::uint32_t offset) {
    const auto clocks = static_cast<std::uint64_t>(bench.now().count() / kBusPeriod);
    if (offset == fw::local::kMtimeLow) return static_cast<std::uint32_t>(clocks);
    if (offset == fw::local::kMtimeHigh) return static_cast<std::uint32_t>(clocks >> 32U);
    if (offset == fw::local::kClockHz) return 1'000'000'000'000 / kBusPeriod;
    if (offset == fw::local::kMailStatus) return mail_in ? fw::local::kMailInValid : 0;
    if (offset == fw::local::kMailIn) return std::exchange(mail_in, std::nullopt).value();
    return 0;
  }
  void writeLocal(std::uint32_t offset, std::uint32_t value) {
    if (offset == fw::local::kCompareLow) compare = (compare & ~0xFFFFFFFFULL) | value;
    if (offset == fw::local::kCompareHigh) {
      compare = (compare & 0xFFFFFFFFULL) | std::uint64_t{value} << 32U;
    }
  }

  LinkBench bench;
  int reset_writes = 0;  // to MAC_RESET, by the firmware
  std::optional<std::uint32_t> mail_in;
  std::uint64_t compare = 0;
};

struct FirmwareLink {
  explicit FirmwareLink(std::uint32_t seed) : bus(seed), control(bus, shared, kFirmwareTiming) {
    control.start();
  }

  std::uint32_t ask(std::uint32_t code, std::initializer_list<std::uint32_t> arguments = {}) {
    shared.command.sequence = ++sequence;
    shared.command.code = code;
    std::copy(arguments.begin(), arguments.end(), shared.command.arguments);
    bus.mail_in = sequence;
    control.service();
    return shared.reply.status;
  }
  // The firmware is woken by its timer alone.
  void run(int us) {
    const Picoseconds end = bus.bench.now() + microseconds(us);
    while (bus.bench.now() < end) {
      if (std::uint64_t(bus.bench.now().count() / kBusPeriod) >= bus.compare) {
        control.service();
      } else {
        bus.bench.wait(1);
      }
    }
  }
  [[nodiscard]] const fw::LinkStatus& link() const { return shared.port[0].link; }
  [[nodiscard]] MacState state() const { return static_cast<MacState>(link().state); }
  [[nodiscard]] MacReason reason() const { return static_cast<MacReason>(link().reason); }
  [[nodiscard]] std::uint64_t sum(fw::HealthSum place) const {
    return card::wide(shared.port[0].health.sums[place]);
  }

  static constexpr fw::PortTiming kFirmwareTiming{.link = kTiming, .health_us = 20};
  LinkCardBus bus;
  fw::Shared shared{};
  fw::Control<LinkCardBus> control;
  std::uint32_t sequence = 0;
};

TEST(FirmwareLinks, StateAndReasonAreThoseOfTheConditionsWhateverHappens) {
  int up = 0;
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    FirmwareLink is(seed);
    ASSERT_EQ(is.shared.port[0].has_mac, 1U);
    MacFec fec = MacFec::kEither;
    bool held = false;
    MacConditions now = drawConditions(random);
    is.bus.bench.model.setConditions(now, is.bus.bench.now());
    for (std::uint32_t changes = random() % 6; changes > 0; --changes) {
      is.run(static_cast<int>(random() % 40));
      switch (random() % 6) {
        case 0:
          is.bus.bench.model.loseAlignment(is.bus.bench.now());
          break;
        case 1:
          fec = static_cast<MacFec>(random() % 3);
          ASSERT_EQ(is.ask(fw::kSetFec, {0, static_cast<std::uint32_t>(fec)}), fw::kDone);
          break;
        case 2:
          ASSERT_EQ(is.ask(fw::kRestartLink, {0}), fw::kDone);
          break;
        case 3:
          held = !held;
          ASSERT_EQ(is.ask(fw::kSetLink, {0, held ? fw::kLinkHeld : fw::kLinkRun}), fw::kDone);
          break;
        default:
          now = drawConditions(random);
          is.bus.bench.model.setConditions(now, is.bus.bench.now());
      }
    }
    is.run(300);
    const MacReason expected = expectedReason(now, fec);
    const bool comes_up = expected == MacReason::kNone && !held;
    ASSERT_EQ(is.state(), comes_up ? MacState::kUp : MacState::kDown);
    ASSERT_EQ(is.reason(), held ? MacReason::kNone : expected);
    ASSERT_EQ(is.bus.bench.linkUp(), comes_up);
    if (comes_up) {
      ++up;
      ASSERT_EQ(is.link().rs_fec, now.peer_rs_fec ? 1U : 0U);
    }
    ASSERT_EQ(is.shared.port[0].sequence % 2, 0U);
    // The last entry about the link is what it is.
    for (std::uint32_t n = is.shared.log_written; n-- > 0;) {
      const fw::LogEntry& entry = is.shared.log[n % fw::kLogEntries];
      if (entry.event != fw::kLogLink) continue;
      ASSERT_EQ(entry.argument >> 8U & 0xFF, is.link().state);
      ASSERT_EQ(entry.argument >> 16U & 0xFF, is.link().reason);
      ASSERT_EQ(entry.time_low, is.link().changed.low);
      break;
    }
  }
  EXPECT_GT(up, 30);
  EXPECT_LT(up, 130);
}

// Each loss of alignment is one in the MAC's counter and one in the firmware's, over many readings.
TEST(FirmwareLinks, LossesAreCountedOnceWhateverTheReadings) {
  FirmwareLink is(11);
  is.run(150);
  ASSERT_EQ(is.state(), MacState::kUp);
  const std::uint32_t readings = is.shared.port[0].health.readings;
  ASSERT_GT(readings, 2U);
  const std::uint64_t before = is.sum(fw::kSumAlignmentLosses);
  for (std::uint32_t times = 1; times <= 6; ++times) {
    is.bus.bench.model.loseAlignment(is.bus.bench.now());
    is.run(90);
    ASSERT_EQ(is.state(), MacState::kUp);
    EXPECT_EQ(is.link().losses, times);
    EXPECT_EQ(is.sum(fw::kSumAlignmentLosses), before + times);
    EXPECT_GE(is.sum(fw::kSumLocalFaults), times);
  }
  EXPECT_GT(is.shared.port[0].health.readings, readings + 12);
  EXPECT_EQ(is.shared.port[0].health.saturated, 0U);
  // 9.31 ns to 10 ns: 65,536 clocks of the bus are 70,393 of the MAC's; the count needs a window.
  is.run(700);
  EXPECT_NEAR(is.shared.port[0].health.clock_count, 65'536 / 0.931 / 8, 2);
  ASSERT_EQ(is.ask(fw::kClearHealth, {0}), fw::kDone);
  is.run(60);
  EXPECT_EQ(is.sum(fw::kSumAlignmentLosses), 0U);
  EXPECT_GT(is.shared.port[0].health.readings, 0U);
}

// Left to the host, the block is not touched any more; back again, a link that is down comes up.
TEST(FirmwareLinks, APortThatIsLeftToTheHostIsNotTouched) {
  FirmwareLink is(3);
  is.run(100);
  ASSERT_EQ(is.state(), MacState::kUp);
  ASSERT_EQ(is.ask(fw::kSetLink, {0, fw::kLinkReleased}), fw::kDone);
  EXPECT_EQ(is.bus.compare, ~std::uint64_t{0}) << "nothing is polled";
  constexpr std::uint32_t kReset = fw::regs::mac::address(0, fw::regs::mac::kMacReset);
  is.bus.bench.write(kReset, 2);
  is.run(200);
  EXPECT_EQ(is.bus.bench.read(kReset), 2U);
  ASSERT_EQ(is.ask(fw::kSetLink, {0, fw::kLinkRun}), fw::kDone);
  is.run(100);
  EXPECT_EQ(is.state(), MacState::kUp);
  EXPECT_EQ(is.bus.bench.read(kReset), 0U);
}

// A link that the host gives back while it is up carries frames all the time.
TEST(FirmwareLinks, ALinkThatIsUpGoesOnWhenItIsGivenBack) {
  FirmwareLink is(5);
  is.run(100);
  ASSERT_EQ(is.state(), MacState::kUp);
  const int resets = is.bus.reset_writes;
  ASSERT_EQ(is.ask(fw::kSetLink, {0, fw::kLinkReleased}), fw::kDone);
  is.run(20);
  ASSERT_EQ(is.ask(fw::kSetLink, {0, fw::kLinkRun}), fw::kDone);
  is.run(100);
  EXPECT_EQ(is.state(), MacState::kUp);
  EXPECT_EQ(is.bus.reset_writes, resets);
  EXPECT_EQ(is.link().losses, 0U);
  // It is watched again.
  is.bus.bench.model.loseAlignment(is.bus.bench.now());
  is.run(90);
  EXPECT_EQ(is.link().losses, 1U);
  EXPECT_EQ(is.state(), MacState::kUp);
}

// ... unless its FEC setting is another than asked for, which only a reset changes.
TEST(FirmwareLinks, ALinkWithAnotherFecIsNotTakenOver) {
  FirmwareLink is(6);
  is.run(100);
  ASSERT_EQ(is.state(), MacState::kUp);
  ASSERT_EQ(is.link().rs_fec, 1U);
  const int resets = is.bus.reset_writes;
  ASSERT_EQ(is.ask(fw::kSetLink, {0, fw::kLinkReleased}), fw::kDone);
  ASSERT_EQ(is.ask(fw::kSetFec, {0, static_cast<std::uint32_t>(fw::MacFec::kOff)}), fw::kDone);
  is.run(20);
  EXPECT_EQ(is.bus.reset_writes, resets) << "the port is the host's";
  ASSERT_EQ(is.ask(fw::kSetLink, {0, fw::kLinkRun}), fw::kDone);
  is.run(100);
  EXPECT_GT(is.bus.reset_writes, resets);
  EXPECT_EQ(is.link().rs_fec, 0U);
}

// Firmware that starts beside a link that is up, as when it is loaded anew.
TEST(FirmwareLinks, AStartDoesNotResetALinkThatIsUp) {
  FirmwareLink is(7);
  is.run(100);
  ASSERT_EQ(is.state(), MacState::kUp);
  const int resets = is.bus.reset_writes;
  fw::Shared shared{};
  fw::Control<LinkCardBus> again(is.bus, shared, FirmwareLink::kFirmwareTiming);
  again.start();
  again.service();
  EXPECT_EQ(is.bus.reset_writes, resets);
}

}  // namespace
}  // namespace plumbline::hw_test
