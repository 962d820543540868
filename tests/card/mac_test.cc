// State and counters of a card's MAC, read from registers of known contents.
#include "card/mac.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "card/registers.h"
#include "tests/card/fake_card.h"

namespace plumbline::card {
namespace {

namespace mac_regs = regs::mac;

constexpr std::uint32_t kMacPort = 1;
constexpr std::uint32_t kLinkIsUp =
    mac_regs::kMacStatusClock.mask() | mac_regs::kMacStatusPowerGood.mask() |
    mac_regs::kMacStatusSynced.mask() | mac_regs::kMacStatusAligned.mask() |
    mac_regs::kMacStatusRxStatus.mask();

std::uint32_t macRegister(std::uint32_t offset) { return mac_regs::address(kMacPort, offset); }

FakeCard cardWithMac() {
  FakeCard card;
  card.words[macRegister(mac_regs::kMacId)] = 0x504C4D43;
  card.words[macRegister(mac_regs::kMacStatus)] = kLinkIsUp;
  card.words[macRegister(mac_regs::kMacLanes)] = 0xFFFFF;
  card.words[macRegister(mac_regs::kMacControl)] = 0xF07;
  return card;
}

TEST(Mac, IsThereWhereItsLettersAre) {
  FakeCard card = cardWithMac();
  EXPECT_TRUE(Mac(card, kMacPort).present());
  EXPECT_FALSE(Mac(card, 0).present());
}

TEST(Mac, LinkIsReadWithoutAWrite) {
  FakeCard card = cardWithMac();
  Mac mac(card, kMacPort);
  EXPECT_EQ(mac.link().state, MacState::kUp);
  EXPECT_TRUE(mac.link().rs_fec);
  card.words[macRegister(mac_regs::kMacControl)] = 0x007;
  EXPECT_FALSE(mac.link().rs_fec);
  card.words[macRegister(mac_regs::kMacStatus)] =
      kLinkIsUp | mac_regs::kMacStatusRemoteFault.mask();
  EXPECT_EQ(mac.link().state, MacState::kDown);
  EXPECT_EQ(mac.link().reason, MacReason::kRemoteFault);
  card.words[macRegister(mac_regs::kMacStatus)] = kLinkIsUp & ~mac_regs::kMacStatusAligned.mask();
  card.words[macRegister(mac_regs::kMacLanes)] = 0xFFFFE;
  EXPECT_EQ(mac.link().reason, MacReason::kLanesMissing);
  EXPECT_TRUE(card.writes.empty());
}

TEST(Mac, EachCounterIsThatOfItsRegister) {
  FakeCard card = cardWithMac();
  // Every register of the counters, 0xB240 to 0xB2EC: 1000 times its word.
  for (std::uint32_t offset = 0x40; offset <= 0xEC; offset += 4) {
    card.words[0xB200 + offset] = 1000 * (offset / 4);
  }
  const auto two = [](std::uint64_t low) { return (1000 * (low + 1) << 32U) + 1000 * low; };
  // High halves have 16 bits in a card; the fake one has more.
  const MacCounters counters = Mac(card, kMacPort).counters();
  EXPECT_EQ(counters.fec_codewords, two(0x40 / 4));
  EXPECT_EQ(counters.fec_corrected, two(0x48 / 4));
  EXPECT_EQ(counters.fec_uncorrected, two(0x50 / 4));
  EXPECT_EQ(counters.fec_symbol_errors[0], 24'000U);
  EXPECT_EQ(counters.fec_symbol_errors[3], 27'000U);
  EXPECT_EQ(counters.symbolErrors(), 24'000U + 25'000U + 26'000U + 27'000U);
  EXPECT_EQ(counters.bip_errors[0], 32'000U);
  EXPECT_EQ(counters.bip_errors[19], 51'000U);
  EXPECT_EQ(counters.bad_codes, 52'000U);
  EXPECT_EQ(counters.alignment_losses, 53'000U);
  EXPECT_EQ(counters.hi_ber_events, 54'000U);
  EXPECT_EQ(counters.local_faults, 55'000U);
  EXPECT_EQ(counters.remote_faults, 56'000U);
  EXPECT_EQ(counters.tx_underflows, 57'000U);
  EXPECT_EQ(counters.tx_overflows, 58'000U);
  EXPECT_EQ(counters.rx_fifo_overflows, 59'000U);
  EXPECT_FALSE(counters.saturated);
  ASSERT_EQ(card.writes.size(), 1U);
  EXPECT_EQ(card.writes[0], std::pair(0xB21CU, 1U)) << "a snapshot, and nothing is cleared";
}

TEST(Mac, SaysWhenACounterStandsStill) {
  FakeCard card = cardWithMac();
  card.words[macRegister(mac_regs::kBipErrors) + 4 * 7] = 0xFFFFFFFF;
  EXPECT_TRUE(Mac(card, kMacPort).counters().saturated);
  card.words[macRegister(mac_regs::kBipErrors) + 4 * 7] = 0xFFFFFFFE;
  EXPECT_FALSE(Mac(card, kMacPort).counters().saturated);
  card.words[macRegister(mac_regs::kFecCorrectedLo)] = 0xFFFFFFFF;
  card.words[macRegister(mac_regs::kFecCorrectedHi)] = 0xFFFF;
  EXPECT_TRUE(Mac(card, kMacPort).counters().saturated);
}

TEST(Mac, WithoutAClockHasNoCounters) {
  FakeCard card = cardWithMac();
  card.words[macRegister(mac_regs::kMacCounters)] = 1;
  EXPECT_THROW(static_cast<void>(Mac(card, kMacPort).counters()), Error);
}

TEST(Mac, TakingCountersClearsThemAtTheSameEdge) {
  FakeCard card = cardWithMac();
  card.words[macRegister(mac_regs::kBadCodes)] = 7;
  EXPECT_EQ(Mac(card, kMacPort).takeCounters().bad_codes, 7U);
  ASSERT_EQ(card.writes.size(), 1U);
  EXPECT_EQ(card.writes[0], std::pair(0xB21CU, 3U)) << "snapshot and clear in one command";
}

}  // namespace
}  // namespace plumbline::card
