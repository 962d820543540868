// Link-level retry on the whole card under many errors: nothing is lost, duplicated or reordered
// above it, and what is left of the throughput is what go-back-N leaves.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <utility>

#include "base/random.h"
#include "joined_card.h"
#include "retry_times.h"
#include "tests/hw/long_run.h"

namespace plumbline::hw_test {
namespace {

// By its message type, D1.
bool isNack(sim::OrderedSet set) { return ((set >> 8) & 0xFF) == 2; }

class CardLlrErrors : public testing::TestWithParam<double> {};

// Bit errors in what both ports send, made by the card's own sources; ordered sets are lost as
// often as one of their 64 bits would be hit.
TEST_P(CardLlrErrors, NothingIsLostDuplicatedOrReordered) {
  const double ratio = GetParam();
  constexpr std::uint32_t kLength = 128;
  const std::uint32_t frames = longRun() ? 1'000'000 : 20'000;
  constexpr Picoseconds kDelay = nanoseconds(500);
  JoinedCard joined(kLength, Fraction::percent(80), frames, kDelay);
  for (std::uint32_t port = 0; port < 2; ++port) {
    joined.card.driver.damage(port).setBitErrors(kSent, card::BitErrors{ratio, 40 + port});
  }
  // Beside other frames a NACK waits for a gap with room for it, which every other one has, perhaps
  // behind an ACK: four frames. The replay waits for frames in hand at the sender and in its pacer,
  // two; and one more for the grids of clocks and columns.
  constexpr Picoseconds kSlack = 7 * sim::kByteTime * (kLength + 20);
  std::array<RetryWitness, 2> seen{RetryWitness(kDelay, kSlack), RetryWitness(kDelay, kSlack)};
  joined.link.on_frame = [&](std::uint32_t port, sim::BareLink::Frame& frame) {
    seen[port].see(frame);
    return true;
  };
  RandomStream random(5, "ordered sets");
  std::array<std::uint64_t, 2> lost_nacks{};  // by port that sent them
  joined.link.on_set = [&](std::uint32_t port, sim::OrderedSet& set) {
    if (random.next() >= static_cast<std::uint64_t>(64 * ratio * 0x1p64)) return true;
    lost_nacks[port] += isNack(set) ? 1 : 0;
    return false;
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
    // What is measured is every retry, as long as it was on the link, to the clock.
    const stats::Histogram retry =
        joined.card.driver.retryLatency(1 - port, card::RetryCause::kDamaged);
    const RetryWitness& witness = seen[port];
    EXPECT_EQ(joined.card.driver.retryLatency(1 - port, card::RetryCause::kMissing).count(), 0U);
    EXPECT_EQ(retry.count(), receiver.rx_replay);
    ASSERT_EQ(retry.count(), witness.retries);
    constexpr auto kClock = static_cast<double>(sim::kClockPeriodMax.count());
    if (witness.retries > 0) {
      EXPECT_NEAR(static_cast<double>(retry.minimum()), static_cast<double>(witness.shortest),
                  kClock);
      EXPECT_NEAR(static_cast<double>(retry.maximum()), static_cast<double>(witness.longest),
                  kClock);
      EXPECT_NEAR(retry.mean(), static_cast<double>(witness.sum) / retry.count(), kClock);
    }
    // And every attempt took what is computed, unless its NACK was lost.
    EXPECT_EQ(witness.attempts, receiver.expected_bad);
    EXPECT_EQ(witness.too_short, 0U);
    EXPECT_LE(witness.too_long, lost_nacks[1 - port]);
    std::cout << "from port " << port << ": " << damage.frames << " of " << sent
              << " frames damaged, " << retry.count() << " retries, " << witness.attempts
              << " attempts, " << lost_nacks[1 - port] << " NACKs lost\n";
    EXPECT_LE(receiver.rx_replay, receiver.tx_nack);
    EXPECT_GE(receiver.tx_nack, sender.rx_nack);
    EXPECT_EQ(joined.card.driver.counters(port).rx_event_overflow, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(BitErrorRatios, CardLlrErrors, testing::Values(1e-7, 1e-6, 1e-5, 1e-4));

constexpr double asDouble(Picoseconds time) { return static_cast<double>(time.count()); }

// Go-back-N with a receiver that keeps nothing behind a gap: a frame takes its slot S, and every
// failed attempt (probability p) costs the time W from its beginning to that of its repetition.
// Time per delivered frame: S + p/(1 - p)·W. W is the frame itself, the way there and back with the
// MACs, the ordered set, what receiver and sender take, and the rest of the frame that the sender
// has in hand: anything up to a slot, half of one on average.
struct GoBackN {
  GoBackN(std::uint32_t length, Picoseconds one_way)
      : slot((length + 20) * kByte),
        wasted((length + 8) * kByte + 2 * asDouble(one_way) + 2 * asDouble(kMacs) + 20 * kClock +
               slot / 2) {}

  // Time per delivered frame [ps], with so many failures for each.
  [[nodiscard]] double perFrame(double failures) const { return slot + failures * wasted; }
  // What the card adds: when a replay has met no further error, after W/S frames, the schedule
  // starts anew, from its gate to the line.
  [[nodiscard]] double refill(double failures) const {
    return failures * std::pow(1 + failures, -wasted / slot) * 42 * kClock;
  }

  static constexpr Picoseconds kMacs = sim::kMacTxLatency + sim::kMacRxLatency;
  static constexpr double kByte = asDouble(sim::kByteTime);
  static constexpr double kClock =
      static_cast<double>(sim::kClockPeriodNum) / static_cast<double>(sim::kClockPeriodDen);
  double slot;
  double wasted;
};

// Port 0 sends at line rate, port 1 nothing. Time per delivered frame [ps], and failures for each.
struct Throughput {
  double per_frame = 0;
  double failures = 0;
};

Throughput measure(JoinedCard& joined, std::uint32_t frames) {
  const Picoseconds start = joined.card.start();
  Picoseconds last;
  joined.link.on_frame = [&last, inner = std::move(joined.link.on_frame)](
                             std::uint32_t port, sim::BareLink::Frame& frame) {
    if (port == 0) last = frame.first_bit;
    return !inner || inner(port, frame);
  };
  joined.finish();
  joined.link.on_frame = {};
  const card::RxFlow flow = joined.card.driver.rxFlow(1, 0);
  EXPECT_EQ(flow.frames, frames);
  EXPECT_EQ(flow.lost + flow.duplicate + flow.out_of_order + flow.stale, 0U);
  const card::LlrCounters receiver = joined.card.driver.linkRetry(1).counters();
  return {asDouble(last - start - sim::kMacTxLatency) / (frames - 1),
          static_cast<double>(receiver.expected_bad) / frames};
}

TEST(CardLlrThroughput, IsThatOfGoBackN) {
  constexpr std::uint32_t kLength = 512;
  constexpr Picoseconds kOneWay = microseconds(2);
  const GoBackN expected(kLength, kOneWay);
  const std::uint32_t frames = longRun() ? 100'000 : 8'000;
  for (const double p : {0.001, 0.01, 0.05}) {
    SCOPED_TRACE(testing::Message() << "p = " << p);
    JoinedCard joined(kLength, Fraction::one(), frames, kOneWay, 1);
    RandomStream random(3, "throughput");
    joined.link.on_frame = [&](std::uint32_t port, sim::BareLink::Frame& frame) {
      if (port != 0) return true;
      if (random.next() < static_cast<std::uint64_t>(p * 0x1p64)) frame.bytes[100] ^= 1;
      return true;
    };
    joined.bringUp();
    // The draw itself deviates from p: what was drawn counts.
    const auto [per_frame, failures] = measure(joined, frames);
    EXPECT_NEAR(failures, p / (1 - p), 5 * std::sqrt(p / frames) / (1 - p));
    EXPECT_NEAR(per_frame / (expected.perFrame(failures) + expected.refill(failures)), 1, 0.01);
    EXPECT_LT(expected.refill(failures), expected.perFrame(failures) / 100);
  }
}

// The same with bit errors from the card's own source, of the smallest frames that there are.
class CardLlrThroughputUnderErrors : public testing::TestWithParam<double> {};

TEST_P(CardLlrThroughputUnderErrors, IsThatOfGoBackN) {
  const double ratio = GetParam();
  constexpr std::uint32_t kLength = 64;
  constexpr Picoseconds kOneWay = microseconds(1);
  const GoBackN expected(kLength, kOneWay);
  const std::uint32_t frames = longRun() ? 1'000'000 : 20'000;
  JoinedCard joined(kLength, Fraction::one(), frames, kOneWay, 1);
  joined.card.driver.damage(0).setBitErrors(kSent, card::BitErrors{ratio, 40});
  joined.bringUp();
  const auto [per_frame, failures] = measure(joined, frames);
  const double p = -std::expm1(8.0 * kLength * std::log1p(-ratio));
  EXPECT_NEAR(failures, p / (1 - p), 5 * std::sqrt(p / frames) / (1 - p) + 1.0 / frames);
  EXPECT_NEAR(per_frame / expected.perFrame(failures), 1, 0.01);
  std::cout << failures * frames << " failures in " << frames << " frames: " << per_frame
            << " ps a frame, by the closed form " << expected.perFrame(failures) << "\n";
}

INSTANTIATE_TEST_SUITE_P(BitErrorRatios, CardLlrThroughputUnderErrors,
                         testing::Values(1e-7, 1e-6, 1e-5, 1e-4));

}  // namespace
}  // namespace plumbline::hw_test
