// Link-level retry on the whole card under many errors: nothing is lost, duplicated or reordered
// above it, and what is left of the throughput is what go-back-N leaves.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "base/random.h"
#include "joined_card.h"

namespace plumbline::hw_test {
namespace {

constexpr auto kSent = card::DamageDirection::kSent;

class CardLlrErrors : public testing::TestWithParam<double> {};

// Bit errors in what both ports send, made by the card's own sources; ordered sets are lost as
// often as one of their 64 bits would be hit.
TEST_P(CardLlrErrors, NothingIsLostDuplicatedOrReordered) {
  const double ratio = GetParam();
  constexpr std::uint32_t kLength = 128;
  const std::uint32_t frames = longRun() ? 1'000'000 : 20'000;
  JoinedCard joined(kLength, Fraction::percent(80), frames, nanoseconds(500));
  for (std::uint32_t port = 0; port < 2; ++port) {
    joined.card.driver.damage(port).setBitErrors(kSent, card::BitErrors{ratio, 40 + port});
  }
  RandomStream random(5, "ordered sets");
  joined.link.on_set = [&](std::uint32_t, sim::OrderedSet&) {
    return random.next() >= static_cast<std::uint64_t>(64 * ratio * 0x1p64);
  };
  joined.bringUp();
  joined.card.start();
  joined.finish();
  joined.expectAllReceivedOnce(frames);
  for (std::uint32_t port = 0; port < 2; ++port) {
    SCOPED_TRACE(testing::Message() << "from port " << port);
    const card::LlrCounters sender = joined.card.driver.linkRetry(port).counters();
    const card::LlrCounters receiver = joined.card.driver.linkRetry(1 - port).counters();
    const card::DamageCounters damage = joined.card.driver.damage(port).counters(kSent);
    EXPECT_EQ(sender.tx_ok, frames);
    EXPECT_EQ(sender.flushed, 0U);
    EXPECT_EQ(receiver.expected_good, frames);
    // Every frame that was damaged, replayed ones too, was seen to be.
    EXPECT_EQ(receiver.rx_bad, damage.frames);
    EXPECT_FALSE(joined.card.driver.damage(port).bitErrorsLate(kSent));
    const double sent = static_cast<double>(frames + sender.tx_replay_frames);
    const double expected = sent * -std::expm1(8.0 * kLength * std::log1p(-ratio));
    EXPECT_NEAR(static_cast<double>(damage.frames), expected, 5 * std::sqrt(expected) + 1);
    // What the histograms hold is every retry.
    std::uint64_t retries = 0;
    for (const auto cause : {card::RetryCause::kDamaged, card::RetryCause::kMissing}) {
      retries += joined.card.driver.retryLatency(1 - port, cause).count();
    }
    EXPECT_EQ(retries, receiver.rx_replay);
    EXPECT_LE(receiver.rx_replay, receiver.tx_nack);
    EXPECT_GE(receiver.tx_nack, sender.rx_nack);
    EXPECT_EQ(joined.card.driver.counters(port).rx_event_overflow, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(BitErrorRatios, CardLlrErrors, testing::Values(1e-7, 1e-6, 1e-5, 1e-4));

// Go-back-N with a receiver that keeps nothing behind a gap: a frame takes its slot S, and every
// failed attempt (probability p) costs the time W from its beginning to that of its repetition.
// Time per delivered frame: S + p/(1 - p)·W. W is the frame itself, the way there and back with the
// MACs, the ordered set, what receiver and sender take, and the rest of the frame that the sender
// has in hand: anything up to a slot, half of one on average. The card adds its own: when a replay
// has met no further error, after W/S frames, the schedule starts anew, from its gate to the line.
TEST(CardLlrThroughput, IsThatOfGoBackN) {
  constexpr std::uint32_t kLength = 512;
  constexpr double kByte = sim::kByteTime.count();
  constexpr double kClock =
      static_cast<double>(sim::kClockPeriodNum) / static_cast<double>(sim::kClockPeriodDen);
  constexpr double kSlot = (kLength + 20) * kByte;
  constexpr Picoseconds kOneWay = microseconds(2);
  constexpr double kWasted = (kLength + 8) * kByte +
                             2.0 * (kOneWay + sim::kMacTxLatency + sim::kMacRxLatency).count() +
                             20 * kClock + kSlot / 2;
  constexpr double kRefill = 42 * kClock;
  const std::uint32_t frames = longRun() ? 100'000 : 8'000;
  for (const double p : {0.001, 0.01, 0.05}) {
    JoinedCard joined(kLength, Fraction::one(), frames, kOneWay);
    RandomStream random(3, "throughput");
    Picoseconds last;
    joined.link.on_frame = [&](std::uint32_t port, sim::BareLink::Frame& frame) {
      if (port != 0) return true;
      if (random.next() < static_cast<std::uint64_t>(p * 0x1p64)) frame.bytes[100] ^= 1;
      last = frame.first_bit;
      return true;
    };
    joined.bringUp();
    const Picoseconds start = joined.card.start();
    joined.finish();
    joined.expectAllReceivedOnce(frames);
    const card::LlrCounters receiver = joined.card.driver.linkRetry(1).counters();
    // The draw itself deviates from p: what was drawn counts.
    const double attempts = static_cast<double>(receiver.expected_bad) / frames;
    EXPECT_NEAR(attempts, p / (1 - p), 5 * std::sqrt(p / frames) / (1 - p));
    const double per_frame =
        static_cast<double>((last - start - sim::kMacTxLatency).count()) / (frames - 1);
    const double closed_form = kSlot + attempts * kWasted;
    const double refill = attempts * std::pow(1 - p, kWasted / kSlot) * kRefill;
    EXPECT_NEAR(per_frame / (closed_form + refill), 1, 0.01) << "p = " << p;
    EXPECT_LT(refill, closed_form / 100);
  }
}

}  // namespace
}  // namespace plumbline::hw_test
