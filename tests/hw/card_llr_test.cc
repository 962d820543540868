// Link-level retry on the whole card: two of its ports back to back on a bare link, set up and read
// by the driver; what single faults set off. Many of them: card_llr_error_test.cc.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "joined_card.h"
#include "retry_times.h"

namespace plumbline::hw_test {
namespace {

using card::DamageKind;
using card::DamageMatch;
using card::DamageRule;
using card::RetryCause;

// Message types of ordered sets.
constexpr std::uint8_t kAck = 1;
constexpr std::uint8_t kNack = 2;

// More clocks before the NACK while the receiver's own damage has something to do.
constexpr std::int64_t kDamageClocks = 4;

TEST(CardLlr, WithoutErrorsNothingChangesButThePreamble) {
  constexpr std::uint32_t kFrames = 2000;
  std::array<std::int64_t, 2> lowest{};
  std::array<std::int64_t, 2> highest{};
  for (const bool on : {false, true}) {
    JoinedCard joined(300, Fraction::percent(95), kFrames);
    std::uint64_t marked = 0;
    std::uint64_t frames = 0;
    joined.link.on_frame = [&](std::uint32_t, sim::BareLink::Frame& frame) {
      ++frames;
      marked += frame.preamble != sim::kOrdinaryPreamble ? 1 : 0;
      return true;
    };
    if (on) joined.bringUp();
    joined.card.start();
    joined.card.finish();
    joined.card.expectNoFaults();
    joined.expectAllReceivedOnce(kFrames);
    EXPECT_EQ(frames, 2 * kFrames);
    EXPECT_EQ(marked, on ? frames : 0);
    const stats::Histogram latency = joined.card.driver.latency(1, 0);
    lowest[on ? 1 : 0] = static_cast<std::int64_t>(latency.minimum());
    highest[on ? 1 : 0] = static_cast<std::int64_t>(latency.maximum());
    const card::LlrCounters counters = joined.card.driver.linkRetry(1).counters();
    EXPECT_EQ(counters.expected_good, on ? kFrames : 0);
    EXPECT_EQ(counters.tx_replay + counters.delayed + counters.rx_bad, 0U);
  }
  // Frames are stored before they are counted, with the time at which they came.
  constexpr double kClock = sim::kClockPeriodMax.count();
  EXPECT_NEAR(static_cast<double>(lowest[0]), static_cast<double>(lowest[1]), kClock);
  EXPECT_NEAR(static_cast<double>(highest[0]), static_cast<double>(highest[1]), kClock);
  EXPECT_NEAR(static_cast<double>(lowest[1]), static_cast<double>(kLinkDelay.count()), 2 * kClock);
}

TEST(CardLlr, OneErrorIsOneNackOneReplayAndTheComputedTime) {
  constexpr std::uint32_t kFrames = 5;
  constexpr Picoseconds kPeriod = microseconds(30);  // longer than any retry
  for (const auto damaging : {kSent, kReceived}) {
    for (const Picoseconds delay : {nanoseconds(500), nanoseconds(1234), microseconds(5)}) {
      for (const std::uint32_t length : {64U, 65U, 512U, 1518U, 9216U}) {
        if (delay < microseconds(1) && length > 4096) continue;  // on the line before it has left
        if (damaging == kReceived && delay > microseconds(1)) continue;  // one delay is enough
        SCOPED_TRACE(testing::Message() << length << " bytes over " << delay.toNanoseconds()
                                        << " ns, direction " << static_cast<int>(damaging));
        const Fraction rate = Fraction::partsPerTrillion(
            frameSlot(Bytes(length), sim::kLineRate).count() * Fraction::kOne / kPeriod.count());
        JoinedCard joined(length, rate, kFrames, delay);
        joined.card.driver.damage(damaging == kSent ? 0 : 1)
            .setRule(damaging, 0,
                     {.kind = DamageKind::kBits, .first = 2, .times = 1, .offset = 320});
        std::uint64_t seen = 0;
        std::int64_t first_bit = 0;
        joined.link.on_frame = [&](std::uint32_t port, sim::BareLink::Frame& frame) {
          if (port == 0 && seen++ == 2) first_bit = frame.first_bit.count();
          return true;
        };
        card::LlrConfig config = retryConfig();
        config.replay_timer = microseconds(40);
        joined.bringUp(config);
        joined.card.start();
        joined.finish();
        joined.expectAllReceivedOnce(kFrames);
        EXPECT_EQ(seen, kFrames + 1);
        const card::LlrCounters sender = joined.card.driver.linkRetry(0).counters();
        const card::LlrCounters receiver = joined.card.driver.linkRetry(1).counters();
        EXPECT_EQ(sender.rx_nack, 1U);
        EXPECT_EQ(sender.tx_replay, 1U);
        EXPECT_EQ(sender.tx_replay_frames, 1U);
        EXPECT_EQ(receiver.tx_nack, 1U);
        EXPECT_EQ(receiver.rx_bad, 1U);
        EXPECT_EQ(receiver.rx_replay, 1U);
        EXPECT_EQ(receiver.missing_seq + receiver.duplicate_seq + receiver.rx_discarded, 0U);
        const stats::Histogram retry = joined.card.driver.retryLatency(1, RetryCause::kDamaged);
        ASSERT_EQ(retry.count(), 1U);
        EXPECT_EQ(joined.card.driver.retryLatency(1, RetryCause::kMissing).count(), 0U);
        const std::int64_t expected = expectedRetry(
            first_bit, length, delay, kBeatToNack + (damaging == kReceived ? kDamageClocks : 0));
        EXPECT_NEAR(static_cast<double>(retry.minimum()), static_cast<double>(expected),
                    static_cast<double>(sim::kClockPeriodMax.count()));
      }
    }
  }
}

TEST(CardLlr, DamagedAndLostFramesComeAgainInOrder) {
  constexpr std::uint32_t kFrames = 4000;
  JoinedCard joined(500, Fraction::percent(80), kFrames);
  std::uint64_t seen = 0;
  std::uint64_t damaged = 0;
  joined.link.on_frame = [&](std::uint32_t port, sim::BareLink::Frame& frame) {
    if (port != 0) return true;
    ++seen;
    if (seen % 500 == 17) {
      frame.bytes[200] ^= 4;
      ++damaged;
    }
    return seen % 500 != 250;
  };
  joined.bringUp();
  joined.card.start();
  joined.finish();
  joined.expectAllReceivedOnce(kFrames);
  const card::LlrCounters sender = joined.card.driver.linkRetry(0).counters();
  const card::LlrCounters receiver = joined.card.driver.linkRetry(1).counters();
  EXPECT_EQ(sender.tx_ok, kFrames);
  EXPECT_GT(sender.tx_replay, 5U);
  EXPECT_GT(sender.delayed, 0U);
  EXPECT_EQ(sender.flushed, 0U);
  EXPECT_EQ(receiver.rx_bad, damaged);
  EXPECT_GT(receiver.missing_seq, 0U);
  const stats::Histogram by_damage = joined.card.driver.retryLatency(1, RetryCause::kDamaged);
  const stats::Histogram by_loss = joined.card.driver.retryLatency(1, RetryCause::kMissing);
  EXPECT_EQ(by_damage.count() + by_loss.count(), receiver.rx_replay);
  const auto both_ways =
      static_cast<std::uint64_t>((2 * (kLinkDelay + sim::kMacTxLatency)).count());
  EXPECT_GT(by_damage.minimum(), both_ways);
  // Frames that a replay held up have an earlier departure in their tag: it shows as latency.
  EXPECT_GT(joined.card.driver.latency(1, 0).maximum(), both_ways + both_ways / 2);
  // That is no stall of the MAC.
  EXPECT_FALSE(joined.card.driver.faults(0).tx_stall);
  EXPECT_EQ(joined.card.driver.counters(0).tx_stall_clocks, 0U);
  // The other direction saw nothing of it.
  EXPECT_EQ(joined.card.driver.linkRetry(1).counters().tx_replay, 0U);
}

TEST(CardLlr, LostAcksAndNacksAreMadeUpFor) {
  constexpr std::uint32_t kFrames = 8000;
  JoinedCard joined(300, Fraction::percent(60), kFrames);
  card::DamageControl sender = joined.card.driver.damage(0);
  card::DamageControl receiver = joined.card.driver.damage(1);
  // Half of the frames that go wrong are not asked for, and every third ACK gets lost.
  sender.setRule(kSent, 0,
                 {.kind = DamageKind::kFcs,
                  .match = DamageMatch::kFlow,
                  .first = 100,
                  .step = 1500,
                  .times = 6});
  receiver.setRule(kSent, 0,
                   {.kind = DamageKind::kDrop,
                    .match = DamageMatch::kOrderedSet,
                    .message_type = kNack,
                    .step = 2});
  sender.setRule(kReceived, 0,
                 {.kind = DamageKind::kDrop,
                  .match = DamageMatch::kOrderedSet,
                  .message_type = kAck,
                  .step = 3});
  joined.bringUp();
  joined.card.start();
  joined.finish();
  joined.expectAllReceivedOnce(kFrames);
  const card::LlrCounters there = joined.card.driver.linkRetry(0).counters();
  const card::LlrCounters here = joined.card.driver.linkRetry(1).counters();
  EXPECT_EQ(sender.counters(kSent).fcs, 6U);
  EXPECT_EQ(here.tx_nack, 6U);
  EXPECT_EQ(receiver.counters(kSent).sets_dropped, 3U);
  EXPECT_EQ(there.rx_nack, 3U);
  EXPECT_EQ(here.rx_replay, 6U);
  EXPECT_GE(there.tx_replay, 6U);
  EXPECT_GT(sender.counters(kReceived).sets_dropped, 10U);
  EXPECT_EQ(there.rx_ack + sender.counters(kReceived).sets_dropped, here.tx_ack);
  EXPECT_EQ(there.flushed + there.seq_error, 0U);
  // What had to wait for the timer took longer.
  const stats::Histogram retry = joined.card.driver.retryLatency(1, RetryCause::kDamaged);
  EXPECT_LT(retry.minimum(), static_cast<std::uint64_t>(microseconds(4).count()));
  EXPECT_GT(retry.maximum(), static_cast<std::uint64_t>(retryConfig().replay_timer.count()));
}

TEST(CardLlr, NumbersWrap) {
  constexpr std::uint32_t kFrames = 2000;
  JoinedCard joined(128, Fraction::percent(70), kFrames);
  std::uint64_t seen = 0;
  joined.link.on_frame = [&](std::uint32_t port, sim::BareLink::Frame&) {
    return port != 0 || ++seen % 97 != 0;
  };
  card::LlrConfig config = retryConfig();
  config.init_seq = card::kLlrMaxSeq - 900;
  joined.bringUp(config);
  joined.card.start();
  joined.finish();
  joined.expectAllReceivedOnce(kFrames);
  EXPECT_GT(joined.card.driver.linkRetry(1).counters().missing_seq, 15U);
}

TEST(CardLlr, TooManyReplaysGiveUp) {
  constexpr std::uint32_t kFrames = 200;
  JoinedCard joined(256, Fraction::percent(20), kFrames);
  std::uint64_t seen = 0;
  joined.link.on_frame = [&](std::uint32_t port, sim::BareLink::Frame& frame) {
    // From the hundredth frame on nothing arrives whole.
    if (port == 0 && ++seen > 100) frame.bytes[100] ^= 1;
    return true;
  };
  card::LlrConfig config = retryConfig();
  config.replay_count_max = 2;
  config.re_init_on_flush = false;
  config.flush_action = card::LlrAction::kDiscard;
  joined.bringUp(config);
  joined.card.start();
  joined.finish();
  card::LinkRetry retry = joined.card.driver.linkRetry(0);
  EXPECT_EQ(retry.status().tx, card::LlrTxState::kFlush);
  const card::LlrCounters sender = retry.counters();
  EXPECT_EQ(sender.tx_replay, 2U);
  EXPECT_GT(sender.flushed, 0U);
  // Every frame arrived, was given up, or was never sent.
  const card::RxFlow flow = joined.card.driver.rxFlow(1, 0);
  EXPECT_EQ(flow.frames, 100U);
  EXPECT_EQ(flow.frames + sender.flushed + sender.tx_discarded, kFrames);
  EXPECT_EQ(flow.duplicate + flow.out_of_order + flow.stale, 0U);
  // Told to, it begins anew.
  retry.reInit();
  joined.card.sim.wait(microseconds(20));
  EXPECT_EQ(retry.status().tx, card::LlrTxState::kAdvance);
  // The other direction was never touched.
  EXPECT_EQ(joined.card.driver.rxFlow(0, 0).frames, kFrames);
}

TEST(CardLlr, AFlapShorterThanTheTimeoutLosesNothing) {
  constexpr std::uint32_t kFrames = 3000;
  JoinedCard joined(500, Fraction::percent(50), kFrames);
  card::LlrConfig config = retryConfig();
  config.pcs_lost = microseconds(50);
  joined.bringUp(config);
  const Picoseconds start = joined.card.start();
  joined.card.sim.runUntil(start + microseconds(50));
  joined.link.setUp(false);
  joined.card.sim.runUntil(joined.card.sim.now() + microseconds(40));
  EXPECT_FALSE(joined.card.driver.linkRetry(0).status().link_up);
  joined.link.setUp(true);
  joined.finish();
  joined.expectAllReceivedOnce(kFrames);
  EXPECT_EQ(joined.card.driver.linkRetry(0).counters().flushed, 0U);
}

TEST(CardLlr, ALongerFlapGivesUpWhatWasOutstandingAndNoMore) {
  constexpr std::uint32_t kFrames = 3000;
  JoinedCard joined(500, Fraction::percent(50), kFrames);
  card::LlrConfig config = retryConfig();
  config.pcs_lost = microseconds(20);
  joined.bringUp(config);
  const Picoseconds start = joined.card.start();
  joined.card.sim.runUntil(start + microseconds(50));
  joined.link.setUp(false);
  joined.card.sim.runUntil(joined.card.sim.now() + microseconds(40));
  EXPECT_EQ(joined.card.driver.linkRetry(0).status().tx, card::LlrTxState::kFlush);
  joined.link.setUp(true);
  joined.finish();
  for (std::uint32_t port = 0; port < 2; ++port) {
    const card::LlrCounters sender = joined.card.driver.linkRetry(port).counters();
    const card::RxFlow flow = joined.card.driver.rxFlow(1 - port, 0);
    EXPECT_GT(sender.flushed, 0U);
    EXPECT_GE(sender.tx_init, 2U);
    // Some of what is given up had arrived, its ACK was lost.
    EXPECT_GT(flow.lost, 0U);
    EXPECT_LE(flow.lost, sender.flushed);
    EXPECT_EQ(flow.frames + flow.lost, kFrames);
    EXPECT_EQ(flow.duplicate + flow.out_of_order + flow.stale, 0U);
  }
}

// Sender and receiver of the card agree anew in the middle of traffic, with damage in the way of
// the frames and not of the INIT that follows them.
TEST(CardLlr, InitialisingAgainInTrafficLosesOnlyWhatIsGivenUp) {
  constexpr std::uint32_t kFrames = 6000;
  JoinedCard joined(64, Fraction::percent(90), kFrames);
  // Both directions of damage have something to do, and hold frames up.
  joined.card.driver.damage(1).setRule(
      kReceived, 0, {.kind = DamageKind::kBits, .first = 0xFFFFFFF0, .offset = 64});
  joined.bringUp();
  const Picoseconds start = joined.card.start();
  for (int i = 1; i < 8; ++i) {
    joined.card.sim.runUntil(start + i * microseconds(3));
    joined.card.driver.linkRetry(0).reInit();
  }
  joined.finish();
  const card::LlrCounters sender = joined.card.driver.linkRetry(0).counters();
  const card::RxFlow flow = joined.card.driver.rxFlow(1, 0);
  EXPECT_GE(sender.tx_init, 7U);
  EXPECT_EQ(flow.frames + flow.lost, kFrames);
  EXPECT_LE(flow.lost, sender.flushed);
  EXPECT_EQ(flow.duplicate + flow.out_of_order + flow.stale, 0U);
  EXPECT_EQ(joined.card.driver.linkRetry(1).counters().duplicate_seq, 0U);
}

}  // namespace
}  // namespace plumbline::hw_test
