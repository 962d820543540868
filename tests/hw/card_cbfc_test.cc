// Credit-based flow control between two ports of the card on a bare link: CF_Updates as ordered
// sets one way, frames and CC_Updates the other.
#include <gtest/gtest.h>

#include <cstdint>

#include "joined_card.h"

namespace plumbline::hw_test {
namespace {

constexpr std::uint32_t kCreditedLength = 512;
constexpr std::uint32_t kCell = 128;
constexpr std::uint32_t kCost = kCreditedLength / kCell;
constexpr std::uint32_t kCredits = 400;
constexpr std::uint32_t kChannel = 0;  // of frames without a VLAN tag
constexpr std::uint8_t kCfUpdate = 0x10;

// Port 0 sends at line rate, as far as the credits of port 1 go, which empties its buffer at
// `drain`.
struct CreditedCard : JoinedCard {
  CreditedCard(std::uint32_t frames, BitRate drain, Picoseconds cc_period)
      : JoinedCard(kCreditedLength, Fraction::one(), frames, kLinkDelay, 1) {
    card::VirtualBuffer buffer;
    buffer.cell_bytes = kCell;
    buffer.levels[kChannel].capacity = kCredits;
    buffer.levels[kChannel].drain = drain;
    card::Cbfc sending;
    sending.credit_limit[kChannel] = kCredits;
    sending.cc_period = cc_period;
    card::Cbfc receiving;
    receiving.receive = 1U << kChannel;
    receiving.cf_min = nanoseconds(512);
    receiving.cf_max = microseconds(20);
    for (std::uint32_t port = 0; port < 2; ++port) {
      card::FlowControl control = card.driver.flowControl(port);
      control.setBuffer(buffer);
      control.setCbfc(port == 0 ? sending : receiving);
      control.setWait(true);
    }
  }

  // All credits are back, and neither end has seen a contradiction.
  void expectSettled() {
    EXPECT_EQ(card.driver.flowControl(0).creditsUsed(kChannel), 0U);
    EXPECT_EQ(card.driver.flowControl(1).bufferFill(kChannel), 0U);
    EXPECT_EQ(card.driver.counters(1).rx_buffer_dropped, 0U);
    for (std::uint32_t port = 0; port < 2; ++port) {
      EXPECT_FALSE(card.driver.flowControl(port).faults().credit_error) << "port " << port;
    }
  }
};

TEST(CardCbfc, TheSenderGoesAsFastAsTheReceiverFrees) {
  constexpr std::uint32_t kFrames = 6000;
  const BitRate drain = gigabitsPerSecond(40);
  CreditedCard joined(kFrames, drain, {});
  Picoseconds first;
  Picoseconds last;
  std::uint64_t seen = 0;
  joined.link.on_frame = [&](std::uint32_t port, sim::BareLink::Frame& frame) {
    EXPECT_EQ(port, 0U);
    if (seen++ == 0) first = frame.first_bit;
    last = frame.first_bit;
    return true;
  };
  joined.card.start();
  joined.card.finish(microseconds(30));
  EXPECT_EQ(joined.card.driver.rxFlow(1, 0).frames, kFrames);
  EXPECT_EQ(joined.card.driver.rxFlow(1, 0).lost, 0U);
  joined.expectSettled();
  // The credits at hand go at line rate; from then on the buffer never runs empty, so all but those
  // take the time that it needs for them.
  const double paced = kFrames - static_cast<double>(kCredits) / kCost;
  const double expected =
      paced * static_cast<double>(serializationTime(Bytes(kCreditedLength), drain).count());
  EXPECT_NEAR(static_cast<double>((last - first).count()) / expected, 1, 0.01);
  const card::PortCounters sender = joined.card.driver.counters(0);
  const card::PortCounters receiver = joined.card.driver.counters(1);
  EXPECT_GT(receiver.cf_sent, 100U);
  EXPECT_EQ(sender.cf_received, receiver.cf_sent);
  EXPECT_GT(sender.tx_waited, 500U);
  EXPECT_EQ(sender.tx_credit_skipped + sender.cc_sent, 0U);
}

TEST(CardCbfc, CreditsOfLostFramesAndLostUpdatesComeBack) {
  constexpr std::uint32_t kFrames = 6000;
  CreditedCard joined(kFrames, gigabitsPerSecond(50), microseconds(10));
  std::uint64_t frames = 0;
  std::uint64_t lost = 0;
  std::uint64_t updates = 0;
  joined.link.on_frame = [&](std::uint32_t, sim::BareLink::Frame& frame) {
    // CC_Updates pass: they are what repairs.
    if (frame.bytes.size() != kCreditedLength || ++frames % 40 != 0) return true;
    ++lost;
    return false;
  };
  joined.link.on_set = [&](std::uint32_t port, sim::OrderedSet& set) {
    EXPECT_EQ(port, 1U);
    EXPECT_EQ(set >> 8 & 0xFF, kCfUpdate);
    return ++updates % 3 != 0;
  };
  joined.card.start();
  joined.card.finish(microseconds(60));
  EXPECT_EQ(joined.card.driver.rxFlow(1, 0).frames + lost, kFrames);
  joined.expectSettled();
  const card::PortCounters sender = joined.card.driver.counters(0);
  const card::PortCounters receiver = joined.card.driver.counters(1);
  EXPECT_GT(lost, 100U);
  EXPECT_EQ(receiver.credits_recovered, lost * kCost);
  EXPECT_EQ(sender.cc_sent, receiver.cc_received);
  EXPECT_GT(sender.cc_sent, 10U);
  EXPECT_EQ(sender.cf_received, updates - updates / 3);
}

// Under link-level retry nothing is lost, so nothing has to be recovered: a CC_Update that is
// numbered like the frames before it cannot pass them.
TEST(CardCbfc, LinkLevelRetryKeepsTheCreditsRight) {
  constexpr std::uint32_t kFrames = 6000;
  CreditedCard joined(kFrames, gigabitsPerSecond(50), microseconds(5));
  joined.card.driver.damage(0).setBitErrors(card::DamageDirection::kSent, card::BitErrors{2e-6, 9});
  card::LlrConfig config = retryConfig();
  config.mac_control_eligible = true;
  joined.bringUp(config);
  joined.card.start();
  joined.finish();
  joined.card.sim.wait(microseconds(60));
  EXPECT_EQ(joined.card.driver.rxFlow(1, 0).frames, kFrames);
  EXPECT_EQ(joined.card.driver.rxFlow(1, 0).lost, 0U);
  joined.expectSettled();
  EXPECT_GT(joined.card.driver.linkRetry(0).counters().tx_replay, 20U);
  EXPECT_EQ(joined.card.driver.counters(1).credits_recovered, 0U);
  EXPECT_GT(joined.card.driver.counters(1).cc_received, 10U);
}

}  // namespace
}  // namespace plumbline::hw_test
