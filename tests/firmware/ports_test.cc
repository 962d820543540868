// What the firmware does for ports, against mocks of a MAC's counters and of a sender with
// link-level retry: policy, bounded attempts, growing waits, sums, what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

#include "firmware/control.h"
#include "tests/firmware/mock_bus.h"

namespace plumbline::firmware_test {
namespace {

namespace fw = firmware;
namespace port_regs = regs::port;
namespace mac_regs = regs::mac;

// A sender with link-level retry at port 0, by its registers, and a peer that answers INIT after
// some time, or not.
class MockSender {
 public:
  explicit MockSender(MockBus& bus) : bus_(bus) {}

  bool link = true;
  bool peer_answers = true;
  std::uint32_t echo_polls = 2;  // INIT to ADVANCE

  // After the firmware's step, before the next one.
  void advance() {
    const std::uint32_t control = bus_.card[at(port_regs::kLlrControl)];
    const bool on = (control & port_regs::kLlrControlTxEnable.mask()) != 0;
    if (!on) {
      state_ = 0;
    } else if (state_ == 0 || std::exchange(bus_.card[at(port_regs::kLlrCommand)], 0) != 0) {
      state_ = 1;
      waited_ = 0;
      ++inits_;
    } else if (state_ == 1 && link && peer_answers && ++waited_ >= echo_polls) {
      state_ = 2;
    }
    show();
  }
  void flush() {
    state_ = 4;
    show();
  }
  void beginByItself() {
    state_ = 1;
    waited_ = 0;
    show();
  }
  [[nodiscard]] std::uint32_t state() const { return state_; }
  [[nodiscard]] int inits() const { return inits_; }

 private:
  static std::uint32_t at(std::uint32_t offset) { return port_regs::address(0, offset); }
  void show() {
    bus_.card[at(port_regs::kLlrStatus)] =
        port_regs::kLlrStatusTxState.of(state_) | port_regs::kLlrStatusLinkUp.of(link ? 1 : 0);
  }

  MockBus& bus_;
  std::uint32_t state_ = 0;
  std::uint32_t waited_ = 0;
  int inits_ = 0;
};

class PortsTest : public testing::Test {
 protected:
  PortsTest() {
    bus.card[regs::global::kClockPeriodNum] = 102'400;
    bus.card[regs::global::kClockPeriodDen] = 33;
    bus.clock_hz = 322'265'625;
    bus.card[regs::global::kFeatures] = regs::global::kFeaturesLlr.mask();
    bus.mtime = 5;
  }

  void start() { control.start(); }
  std::uint32_t ask(std::uint32_t code, std::initializer_list<std::uint32_t> arguments = {}) {
    shared.command.sequence = ++sequence;
    shared.command.code = code;
    std::copy(arguments.begin(), arguments.end(), shared.command.arguments);
    bus.mail_in = sequence;
    control.service();
    bus.mail_out.reset();
    return shared.reply.status;
  }
  // The timer's next time, and what the sender does until the one after it.
  void poll(int times = 1) {
    for (int i = 0; i < times; ++i) {
      ASSERT_NE(bus.compare, ~std::uint64_t{0}) << "nothing is polled";
      bus.mtime = bus.compare;
      control.service();
      sender.advance();
    }
  }
  [[nodiscard]] const fw::RetryStatus& retry() const { return shared.port[0].retry; }
  [[nodiscard]] std::uint32_t llrControl() {
    return bus.card[port_regs::address(0, port_regs::kLlrControl)];
  }

  MockBus bus{2};
  MockSender sender{bus};
  fw::Shared shared{};
  fw::Control<MockBus> control{bus, shared};
  std::uint32_t sequence = 0;
};

constexpr std::uint32_t kEnables =
    port_regs::kLlrControlTxEnable.mask() | port_regs::kLlrControlRxEnable.mask();

TEST_F(PortsTest, WithoutMacAndPolicyNothingIsTouchedOrPolled) {
  start();
  EXPECT_EQ(shared.ports, 2u);
  EXPECT_EQ(shared.port[0].has_mac, 0u);
  EXPECT_EQ(shared.port[0].has_retry, 1u);
  EXPECT_EQ(bus.compare, ~std::uint64_t{0});
  for (const std::uint32_t code : {fw::kSetFec, fw::kRestartLink, fw::kSetLink, fw::kClearHealth}) {
    EXPECT_EQ(ask(code, {0, 0}), fw::kBadArgument);
  }
  EXPECT_TRUE(bus.writes.empty());
}

TEST_F(PortsTest, PoliciesOutOfRangeAreRefused) {
  start();
  EXPECT_EQ(ask(fw::kSetRetry, {2, fw::kRetryInit, 5, 1000}), fw::kBadArgument);  // two ports
  EXPECT_EQ(ask(fw::kSetRetry, {0, 3, 5, 1000}), fw::kBadArgument);
  EXPECT_EQ(ask(fw::kSetRetry, {0, fw::kRetryInit, 0, 1000}), fw::kBadArgument);
  EXPECT_EQ(ask(fw::kSetRetry, {0, fw::kRetryInit, 256, 1000}), fw::kBadArgument);
  EXPECT_EQ(ask(fw::kSetRetry, {0, fw::kRetryInit, 5, 99}), fw::kBadArgument);
  EXPECT_EQ(ask(fw::kSetRetry, {0, fw::kRetryInit, 5, 1'000'001}), fw::kBadArgument);
  EXPECT_TRUE(bus.writes.empty());
}

TEST_F(PortsTest, CardWithoutRetryRefusesPolicies) {
  bus.card[regs::global::kFeatures] = 0;
  start();
  EXPECT_EQ(ask(fw::kSetRetry, {0, fw::kRetryOff}), fw::kBadArgument);
}

TEST_F(PortsTest, RetryIsInitialisedWhenTheLinkComesUp) {
  bus.card[port_regs::address(0, port_regs::kLlrControl)] = 0x0500;  // actions of the host
  sender.link = false;
  sender.advance();
  start();
  ASSERT_EQ(ask(fw::kSetRetry, {0, fw::kRetryInit, 3, 1000}), fw::kDone);
  EXPECT_EQ(retry().state, fw::kRetryNoLink);
  poll(20);
  // The receiver is on, so that the other end's INIT is answered; the sender waits for the link.
  EXPECT_EQ(llrControl(), 0x0500 | port_regs::kLlrControlRxEnable.mask());
  sender.link = true;
  poll(2);
  EXPECT_EQ(llrControl(), 0x0500 | kEnables);
  EXPECT_EQ(retry().state, fw::kRetryBegun);
  poll(3);
  EXPECT_EQ(retry().state, fw::kRetryUp);
  EXPECT_EQ(retry().reason, fw::kRetryNone);
  EXPECT_EQ(retry().attempts, 1u);
  EXPECT_EQ(sender.inits(), 1);
  // Switched off again, and then left alone.
  ASSERT_EQ(ask(fw::kSetRetry, {0, fw::kRetryOff}), fw::kDone);
  EXPECT_EQ(llrControl(), 0x0500u);
  EXPECT_EQ(bus.compare, ~std::uint64_t{0});
  EXPECT_TRUE(bus.unlocked_writes.empty());
}

// Attempts of 1 ms; behind a failed one a wait of 1, 2, 4 ms. Then no more.
TEST_F(PortsTest, AttemptsAreBoundedAndTheirWaitsDouble) {
  sender.peer_answers = false;
  sender.advance();
  start();
  ASSERT_EQ(ask(fw::kSetRetry, {0, fw::kRetryInit, 4, 1000}), fw::kDone);
  std::vector<int> begun;  // polls at which the sender was switched on
  bool was_on = false;
  for (int i = 0; i < 400; ++i) {
    poll();
    const bool on = (llrControl() & port_regs::kLlrControlTxEnable.mask()) != 0;
    if (on && !was_on) begun.push_back(i);
    was_on = on;
  }
  ASSERT_EQ(begun.size(), 4u);
  constexpr int kAttempt = 10;  // polls
  EXPECT_EQ(begun[1] - begun[0], kAttempt + 10);
  EXPECT_EQ(begun[2] - begun[1], kAttempt + 20);
  EXPECT_EQ(begun[3] - begun[2], kAttempt + 40);
  EXPECT_EQ(retry().state, fw::kRetryGivenUp);
  EXPECT_EQ(retry().reason, fw::kRetryNoEcho);
  EXPECT_EQ(retry().failures, 4u);
  EXPECT_EQ(llrControl(), port_regs::kLlrControlRxEnable.mask());
  // A link that comes up anew gets as many.
  sender.link = false;
  poll(3);
  sender.link = true;
  sender.peer_answers = true;
  poll(10);
  EXPECT_EQ(retry().state, fw::kRetryUp);
  EXPECT_EQ(retry().attempts, 1u);
}

TEST_F(PortsTest, AShortLossOfTheLinkIsLeftToTheCard) {
  sender.advance();
  start();
  ASSERT_EQ(ask(fw::kSetRetry, {0, fw::kRetryInit, 4, 1000}), fw::kDone);
  poll(10);
  ASSERT_EQ(retry().state, fw::kRetryUp);
  const std::size_t writes = bus.writes.size();
  sender.link = false;
  poll(2);
  EXPECT_EQ(retry().state, fw::kRetryNoLink);
  EXPECT_EQ(retry().reason, fw::kRetryLinkLost);
  sender.link = true;
  poll(2);
  EXPECT_EQ(retry().state, fw::kRetryUp);
  EXPECT_EQ(bus.writes.size(), writes) << "nothing was written: the card went on by itself";
  EXPECT_EQ(sender.inits(), 1);
  // A loss that flushed the sender: it is told to begin anew.
  sender.link = false;
  poll(2);
  sender.flush();
  sender.link = true;
  sender.flush();
  poll(8);
  EXPECT_EQ(retry().state, fw::kRetryUp);
  EXPECT_EQ(sender.inits(), 2);
}

TEST_F(PortsTest, ASenderThatGivesUpIsInitialisedAgainAndNotForEver) {
  sender.advance();
  start();
  ASSERT_EQ(ask(fw::kSetRetry, {0, fw::kRetryInit, 3, 500}), fw::kDone);
  int flushes = 0;
  for (int i = 0; i < 600; ++i) {
    poll();
    if (retry().state == fw::kRetryUp && sender.state() == 2) {
      sender.flush();
      ++flushes;
    }
  }
  EXPECT_EQ(flushes, 3);
  EXPECT_EQ(retry().state, fw::kRetryGivenUp);
  EXPECT_EQ(retry().reason, fw::kRetryFlushed);
  // One that stays up for long (16 limits) has its attempts back.
  ASSERT_EQ(ask(fw::kSetRetry, {0, fw::kRetryInit, 3, 500}), fw::kDone);
  for (int round = 0; round < 6; ++round) {
    poll(100);
    ASSERT_EQ(retry().state, fw::kRetryUp) << round;
    ASSERT_EQ(retry().attempts, 0u);
    sender.flush();
  }
}

// Whatever link and peer do, in the end it is what they are, and attempts stay within their bound.
TEST_F(PortsTest, RandomCoursesEndAsLinkAndPeerAre) {
  start();
  for (std::uint32_t seed = 0; seed < 2'000; ++seed) {
    std::mt19937 random(seed);
    const auto most = static_cast<std::uint32_t>(1 + random() % 5);
    const auto limit_us = static_cast<std::uint32_t>(400 + 100 * (random() % 5));
    ASSERT_EQ(ask(fw::kSetRetry, {0, fw::kRetryInit, most, limit_us}), fw::kDone);
    for (int change = 0; change < 8; ++change) {
      switch (random() % 5) {
        case 0:
          sender.link = !sender.link;
          break;
        case 1:
          sender.peer_answers = !sender.peer_answers;
          break;
        case 2:
          if (sender.state() >= 2) sender.flush();
          break;
        case 3:
          if (sender.state() >= 2) sender.beginByItself();
          break;
        default:
          break;
      }
      sender.advance();
      for (auto i = random() % 40; i > 0; --i) {
        poll();
        ASSERT_LE(retry().attempts, most);
      }
    }
    // Twice, since attempts may be used up; the link comes up anew between.
    sender.link = false;
    sender.advance();
    poll(3);
    ASSERT_EQ(retry().state, fw::kRetryNoLink);
    const bool link = random() % 4 != 0;
    sender.link = link;
    sender.advance();
    poll(700);
    const std::uint32_t expected = !link                 ? fw::kRetryNoLink
                                   : sender.peer_answers ? fw::kRetryUp
                                                         : fw::kRetryGivenUp;
    // A sender that had been initialised before needs no peer to stay so.
    if (link && !sender.peer_answers && sender.state() == 2) continue;
    ASSERT_EQ(retry().state, expected) << "seed " << seed;
    ASSERT_EQ(shared.port[0].sequence % 2, 0u);
  }
}

// ---- Counts ----

// Offsets as docs/registers.md lists them, with their width in words.
struct CountRegister {
  std::uint32_t offset;
  std::uint32_t words;
};
std::vector<CountRegister> countRegisters() {
  std::vector<CountRegister> all{{0x40, 2}, {0x48, 2}, {0x50, 2}};
  for (std::uint32_t lane = 0; lane < 4; ++lane) all.push_back({0x60 + 4 * lane, 1});
  for (std::uint32_t lane = 0; lane < 20; ++lane) all.push_back({0x80 + 4 * lane, 1});
  for (std::uint32_t i = 0; i < 8; ++i) all.push_back({0xD0 + 4 * i, 1});
  return all;
}

TEST_F(PortsTest, CountsAreAddedUpIn64BitsFromTheFirstReadingOn) {
  const auto at = [](std::uint32_t offset) { return mac_regs::address(1, offset); };
  bus.card[at(mac_regs::kMacId)] = mac_regs::kMacIdValue;
  bus.card[at(mac_regs::kMacClockCount)] = 8'800;
  start();
  ASSERT_EQ(shared.port[1].has_mac, 1u);
  const std::vector<CountRegister> registers = countRegisters();
  ASSERT_EQ(registers.size(), static_cast<std::size_t>(fw::kHealthSums));
  std::vector<std::uint64_t> expected(registers.size());
  std::mt19937_64 random(4);
  const fw::Health& health = shared.port[1].health;
  int readings = 0;
  for (int i = 0; i < 60'000 && readings < 40; ++i) {
    const std::size_t before = bus.writes.size();
    bus.mtime = bus.compare;
    control.service();
    const bool asked = std::any_of(
        bus.writes.begin() + static_cast<std::ptrdiff_t>(before), bus.writes.end(),
        [&](const auto& write) { return write == std::pair(at(mac_regs::kMacCommand), 3u); });
    if (!asked) continue;
    // The MAC's clock stops now and then: busy for some time.
    const std::uint32_t busy = random() % 3 == 0 ? 20 : 0;
    for (std::size_t n = 0; n < registers.size(); ++n) {
      const std::uint64_t value =
          registers[n].words == 2 ? random() >> 17U : static_cast<std::uint32_t>(random()) >> 1U;
      bus.card[at(registers[n].offset)] = static_cast<std::uint32_t>(value);
      if (registers[n].words == 2) {
        bus.card[at(registers[n].offset + 4)] = static_cast<std::uint32_t>(value >> 32U);
      }
      if (readings > 0) expected[n] += value;  // what was before the first reading is unknown
    }
    bus.card[at(mac_regs::kMacCounters)] = 1;
    const std::uint32_t updates = shared.port[1].sequence;
    for (std::uint32_t n = 0; n < busy; ++n) {
      bus.mtime = bus.compare;
      control.service();
      ASSERT_EQ(health.readings, readings == 0 ? 0u : static_cast<std::uint32_t>(readings) - 1);
    }
    bus.card[at(mac_regs::kMacCounters)] = 0;
    bus.mtime = bus.compare;
    control.service();
    ASSERT_GT(shared.port[1].sequence, updates);
    ASSERT_EQ(shared.port[1].sequence % 2, 0u);
    for (std::size_t n = 0; n < registers.size(); ++n) {
      ASSERT_EQ(health.sums[n].low | std::uint64_t{health.sums[n].high} << 32U, expected[n]) << n;
    }
    ASSERT_EQ(health.to.low, static_cast<std::uint32_t>(bus.mtime));
    ++readings;
  }
  ASSERT_EQ(readings, 40);
  EXPECT_EQ(health.readings, 39u);
  EXPECT_EQ(health.clock_count, 8'800u);
  EXPECT_EQ(health.saturated, 0u);
  // 0.1 s apart: 32,226,562 clocks and what the polls add.
  const std::uint64_t span = (health.to.low | std::uint64_t{health.to.high} << 32U) -
                             (health.from.low | std::uint64_t{health.from.high} << 32U);
  EXPECT_GE(span, 39u * 32'226'000u);
  EXPECT_LE(span, 39u * 32'226'600u + 39u * 22u * 32'227u);
}

TEST_F(PortsTest, AFullCounterMakesTheSumsLowerBounds) {
  const auto at = [](std::uint32_t offset) { return mac_regs::address(0, offset); };
  bus.card[at(mac_regs::kMacId)] = mac_regs::kMacIdValue;
  start();
  poll(1005);
  EXPECT_EQ(shared.port[0].health.saturated, 0u);
  bus.card[at(mac_regs::kBipErrors + 76)] = 0xFFFF'FFFF;
  poll(1005);
  EXPECT_EQ(shared.port[0].health.saturated, 1u);
  EXPECT_EQ(ask(fw::kClearHealth, {0}), fw::kDone);
  bus.card[at(mac_regs::kBipErrors + 76)] = 0;
  poll(2010);
  EXPECT_EQ(shared.port[0].health.saturated, 0u);
}

// Held, the MAC is in reset without its clock; restarting does not end that.
TEST_F(PortsTest, AHeldLinkStaysInReset) {
  const auto at = [](std::uint32_t offset) { return mac_regs::address(0, offset); };
  bus.card[at(mac_regs::kMacId)] = mac_regs::kMacIdValue;
  start();
  EXPECT_EQ(shared.port[0].link.mode, fw::kLinkRun);
  ASSERT_EQ(ask(fw::kSetLink, {0, fw::kLinkHeld}), fw::kDone);
  EXPECT_EQ(bus.card[at(mac_regs::kMacReset)], 0x16u);  // core_tx, core_rx, gt_rx
  ASSERT_EQ(ask(fw::kRestartLink, {0}), fw::kDone);
  ASSERT_EQ(ask(fw::kSetFec, {0, 0}), fw::kDone);
  poll(50);
  EXPECT_EQ(bus.card[at(mac_regs::kMacReset)], 0x16u);
  EXPECT_EQ(shared.port[0].link.state, 2u);
  EXPECT_EQ(ask(fw::kSetLink, {0, 3}), fw::kBadArgument);
  EXPECT_EQ(ask(fw::kSetFec, {0, 3}), fw::kBadArgument);
}

// A card that refuses accesses does not fill the log.
TEST_F(PortsTest, RefusedAccessesOfPollsAreCountedOnly) {
  bus.card[mac_regs::address(0, mac_regs::kMacId)] = mac_regs::kMacIdValue;
  start();
  poll(30);
  bus.refused.insert(mac_regs::address(0, mac_regs::kMacStatus));
  const std::uint32_t logged = shared.log_written;
  poll(3'000);
  EXPECT_GT(shared.statistics.failed_accesses, 2'000u);
  EXPECT_LE(shared.log_written, logged + 10);
}

class InterruptsTest : public PortsTest {
 protected:
  InterruptsTest() {
    for (std::uint32_t port = 0; port < 2; ++port) {
      bus.card[mac_regs::address(port, mac_regs::kMacId)] = mac_regs::kMacIdValue;
    }
    start();
  }
  // Wakes between this poll and the next one: `raise` is called before each.
  template <typename Raise>
  int wakesOfAPoll(const Raise& raise) {
    poll();
    int wakes = 0;
    for (; wakes < 1'000; ++wakes) {
      raise();
      if ((bus.irq_pending & bus.irq_enable) == 0) break;
      bus.mtime += 10;
      control.service();
    }
    return wakes;
  }
};

TEST_F(InterruptsTest, AreEnabledWhileThereIsAUseForThem) {
  namespace local = firmware::local;
  EXPECT_EQ(bus.irq_enable, local::kIrqMailIn | local::irqLink(0) | local::irqLink(1));
  ask(fw::kSetLink, {0, fw::kLinkReleased});
  EXPECT_EQ(bus.irq_enable, local::kIrqMailIn | local::irqLink(1));
  ask(fw::kSetLink, {1, fw::kLinkHeld});
  EXPECT_EQ(bus.irq_enable, local::kIrqMailIn);
  ask(fw::kSetLink, {0, fw::kLinkRun});
  EXPECT_EQ(bus.irq_enable, local::kIrqMailIn | local::irqLink(0));
}

// A level that is not ended, as of a card whose clock stands: one wake for each poll.
TEST_F(InterruptsTest, ALevelThatStaysIsLookedAtOnceAPoll) {
  bus.irq_pending = firmware::local::irqLink(1) | firmware::local::irqLink(0);
  wakesOfAPoll([] {});
  for (int i = 0; i < 20; ++i) EXPECT_EQ(wakesOfAPoll([] {}), 1);
  bus.irq_pending = 0;
  poll();
  EXPECT_EQ(bus.irq_enable, firmware::local::kIrqMailIn | firmware::local::irqLink(0) |
                                firmware::local::irqLink(1));
}

// Links that change again and again do not keep the firmware from anything else.
TEST_F(InterruptsTest, ThoseThatComeTooOftenWaitForThePoll) {
  const std::uint32_t command = mac_regs::address(0, mac_regs::kMacCommand);
  for (int i = 0; i < 20; ++i) {
    // Ended by the firmware's command, and there again.
    const int wakes = wakesOfAPoll([&] {
      bus.card[command] = 0;
      bus.irq_pending = firmware::local::irqLink(0);
      bus.on_write = [&](std::uint32_t offset) {
        if (offset == command) bus.irq_pending = 0;
      };
    });
    EXPECT_GE(wakes, 2);
    EXPECT_LE(wakes, 8);
  }
}

}  // namespace
}  // namespace plumbline::firmware_test
