// Link-level retry by the firmware's policy, on two ports of the Verilated card that are joined by
// a bare link: as the image on the Verilated processor, and compiled for this machine.
#include <gtest/gtest.h>

#include <cstdint>

#include "card/built_in_firmware.h"
#include "card/firmware.h"
#include "card/firmware_image.h"
#include "card/firmware_ports.h"
#include "tests/hw/firmware_card_bus.h"
#include "tests/hw/joined_card.h"

namespace plumbline::hw_test {
namespace {

namespace fw = firmware;

// Timers and limits as the driver sets them; both directions off, which the firmware switches on.
void configureRetry(JoinedCard& joined) {
  card::LlrConfig config = retryConfig();
  config.send = config.receive = false;
  for (std::uint32_t port = 0; port < 2; ++port) {
    joined.card.driver.linkRetry(port).configure(config);
  }
}

TEST(FirmwareRetry, BothEndsAreInitialisedAndFramesAreSentAgain) {
  constexpr std::uint32_t kFrames = 400;
  JoinedCard joined(300, Fraction::percent(50), kFrames);
  configureRetry(joined);
  FirmwareOnCard firmware(joined.card.sim);
  firmware.control.start();
  for (std::uint32_t port = 0; port < 2; ++port) {
    ASSERT_EQ(firmware.shared.port[port].has_retry, 1U);
    ASSERT_EQ(firmware.ask(fw::kSetRetry, {port, fw::kRetryInit, 3, 1000}), fw::kDone);
  }
  firmware.run(microseconds(500));
  for (std::uint32_t port = 0; port < 2; ++port) {
    EXPECT_EQ(firmware.shared.port[port].retry.state, fw::kRetryUp);
    EXPECT_EQ(firmware.shared.port[port].retry.attempts, 1U);
    EXPECT_EQ(joined.card.driver.linkRetry(port).status().tx, card::LlrTxState::kAdvance);
  }
  std::uint64_t seen = 0;
  joined.link.on_frame = [&](std::uint32_t, sim::BareLink::Frame&) { return ++seen % 50 != 9; };
  joined.card.start();
  joined.finish();
  joined.expectAllReceivedOnce(kFrames);
  EXPECT_GT(joined.card.driver.linkRetry(0).counters().tx_replay, 0U);
}

// The other end has no retry: INITs within the limits of the attempts, then none any more, and
// frames pass unnumbered.
TEST(FirmwareRetry, WithoutAnAnswerItGivesUp) {
  constexpr std::uint32_t kFrames = 50;
  JoinedCard joined(300, Fraction::percent(20), kFrames, kLinkDelay, 1);
  configureRetry(joined);
  FirmwareOnCard firmware(joined.card.sim);
  firmware.control.start();
  ASSERT_EQ(firmware.ask(fw::kSetRetry, {0, fw::kRetryInit, 2, 200}), fw::kDone);
  firmware.run(milliseconds(1) + microseconds(500));
  const fw::RetryStatus& retry = firmware.shared.port[0].retry;
  EXPECT_EQ(retry.state, fw::kRetryGivenUp);
  EXPECT_EQ(retry.reason, fw::kRetryNoEcho);
  EXPECT_EQ(retry.failures, 2U);
  const std::uint64_t inits = joined.card.driver.linkRetry(0).counters().tx_init;
  EXPECT_GT(inits, 2 * 200 / 10U / 2);  // 10 us from one to the next
  joined.card.start();
  joined.card.finish();
  EXPECT_EQ(joined.card.driver.rxFlow(1, 0).frames, kFrames);
  EXPECT_EQ(joined.card.driver.linkRetry(0).counters().tx_init, inits);
  // The link comes up anew, and the other end answers now.
  ASSERT_EQ(firmware.ask(fw::kSetRetry, {1, fw::kRetryInit, 2, 200}), fw::kDone);
  joined.link.setUp(false);
  firmware.run(microseconds(300));
  EXPECT_EQ(retry.state, fw::kRetryNoLink);
  joined.link.setUp(true);
  firmware.run(microseconds(500));
  EXPECT_EQ(retry.state, fw::kRetryUp);
  EXPECT_EQ(joined.card.driver.linkRetry(0).status().tx, card::LlrTxState::kAdvance);
}

TEST(FirmwareRetry, TheImageDoesTheSame) {
  if (card::builtInFirmware().empty()) {
    GTEST_SKIP() << "built without firmware: no riscv64-unknown-elf-g++";
  }
  constexpr std::uint32_t kFrames = 100;
  JoinedCard joined(300, Fraction::percent(50), kFrames);
  configureRetry(joined);
  card::Firmware firmware(joined.card.sim);
  firmware.load(card::parseFirmwareImage(card::builtInFirmware(), "built-in firmware"));
  firmware.start();
  EXPECT_EQ(firmware.ports(), 2U);
  EXPECT_EQ(firmware.port(0).has_mac, 0U);
  for (std::uint32_t port = 0; port < 2; ++port) {
    firmware.setRetry(port, fw::kRetryInit, 3, milliseconds(1));
  }
  joined.card.sim.wait(microseconds(600));
  for (std::uint32_t port = 0; port < 2; ++port) {
    const fw::PortStatus status = firmware.port(port);
    EXPECT_EQ(status.retry.state, fw::kRetryUp);
    EXPECT_EQ(card::retryStateName(status.retry.state), "up");
    EXPECT_LE(firmware.timeOf(card::wide(status.retry.changed)), joined.card.sim.now());
  }
  joined.link.on_frame = [n = 0](std::uint32_t, sim::BareLink::Frame&) mutable {
    return ++n % 50 != 9;
  };
  joined.card.start();
  joined.finish();
  joined.expectAllReceivedOnce(kFrames);
  // Within the block's bounds, and said as such.
  EXPECT_THROW((void)firmware.port(2), Error);
  EXPECT_THROW(firmware.setFec(0, card::MacFec::kOff), Error);
}

}  // namespace
}  // namespace plumbline::hw_test
