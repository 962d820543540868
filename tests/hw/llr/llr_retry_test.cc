// A single error: what it sets off, how long it takes, and what the card says about it.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "tests/hw/llr/llr_link.h"

namespace plumbline::test {
namespace {

constexpr std::int64_t kLinkDelay = 700'000;
constexpr std::int64_t kClock = 3104;  // rounded up [ps]

// What the blocks promise, in clocks. Last beat of a damaged frame at the receiver to the NACK on
// its pins; ordered set at the sender's pins to the first replayed beat at the MAC, on a free line.
constexpr std::int64_t kBeatToNack = 11;
constexpr std::int64_t kNackToReplay = 5;

// Clock in which the last beat of a frame is at the receiver: a beat comes with its last byte, and
// one a clock.
std::int64_t lastBeat(std::int64_t first_bit, std::size_t length) {
  const auto bytes = static_cast<std::int64_t>(length);
  const std::int64_t arrival = edgeAt(first_bit + kByteTimePs * bytes + kLinkDelay);
  const std::int64_t whole = (bytes - 1) / 64;  // beats before the last
  const std::int64_t before = edgeAt(first_bit + kByteTimePs * 64 * whole + kLinkDelay);
  return whole > 0 ? std::max(arrival, before + 1) : arrival;
}

std::int64_t lastBeatOf(const LineFrame& frame) {
  return lastBeat(frame.first_bit, frame.bytes.size());
}

// bucket(v) of docs/card.md, from its definition.
std::uint32_t bucketOf(std::uint64_t value) {
  if (value < 256) return static_cast<std::uint32_t>(value);
  const auto shift = static_cast<std::uint32_t>(std::bit_width(value) - 1 - 7);
  return shift * 128 + static_cast<std::uint32_t>(value >> shift);
}

// Time from a frame's end at the receiver to the end of its good copy there, on an idle link.
std::int64_t expectedLatency(std::int64_t last_beat, std::size_t length) {
  const std::int64_t nack = last_beat + kBeatToNack;
  // It crosses at the edge that ends its clock and takes a column of the line.
  const std::int64_t at_sender = edgeAt(edgeTime(nack + 1) + 8 * kByteTimePs + kLinkDelay);
  const std::int64_t replay = at_sender + kNackToReplay;
  const std::int64_t first_bit = edgeTime(replay + 1);
  const std::int64_t end = lastBeat(first_bit, length);
  return edgeTime(end) - edgeTime(last_beat);
}

TEST(LlrRetry, OneErrorMakesOneNackAndOneReplay) {
  for (const std::size_t length : {64U, 65U, 127U, 128U, 512U, 1518U, 9216U}) {
    LlrLink link({}, {}, kLinkDelay);
    link.bringUp();
    std::vector<OrderedSet> nacks;
    link.saw_set = [&](int side, const OrderedSet& set, std::int64_t) {
      if (side == 1 && set.type == 2) nacks.push_back(set);
    };
    std::uint64_t sent = 0;
    std::uint64_t replayed = 0;
    std::int64_t last_beat = 0;
    link.on_frame = [&](int, LineFrame& frame) {
      replayed += frame.replay ? 1 : 0;
      if (sent++ != 10) return LlrLink::Fate::kPass;
      last_beat = lastBeatOf(frame);
      return LlrLink::Fate::kDamage;
    };
    std::uint64_t received = 0;
    link.on_received = [&](int, const SinkFrame& frame) {
      EXPECT_EQ(frame.bytes, numberedFrame(received, length));
      ++received;
    };
    for (std::uint64_t i = 0; i < 11; ++i) {
      link.source[0].push_back({numberedFrame(i, length), false, false});
    }
    link.runUntil([&] { return link.quiet() && received == 11; }, 20'000);
    ASSERT_EQ(nacks.size(), 1U);
    EXPECT_EQ(nacks[0].seq, 9U);
    EXPECT_TRUE(nacks[0].marked);
    EXPECT_EQ(replayed, 1U);
    const LlrCounters sender = link.counters(0);
    const LlrCounters receiver = link.counters(1);
    EXPECT_EQ(sender.tx_ok, 11U);
    EXPECT_EQ(sender.tx_replay, 1U);
    EXPECT_EQ(sender.tx_replay_frames, 1U);
    EXPECT_EQ(sender.rx_nack, 1U);
    EXPECT_EQ(receiver.tx_nack, 1U);
    EXPECT_EQ(receiver.rx_ok, 11U);
    EXPECT_EQ(receiver.rx_bad, 1U);
    EXPECT_EQ(receiver.expected_bad, 1U);
    EXPECT_EQ(receiver.expected_good, 11U);
    EXPECT_EQ(receiver.rx_replay, 1U);
    EXPECT_EQ(receiver.missing_seq + receiver.duplicate_seq + receiver.rx_discarded, 0U);

    const RetryGroup retry = link.retries(1, 0);
    EXPECT_EQ(retry.count, 1U);
    EXPECT_EQ(retry.minimum, retry.maximum);
    EXPECT_EQ(retry.minimum, retry.sum);
    const std::int64_t expected = expectedLatency(last_beat, length);
    EXPECT_EQ(static_cast<std::int64_t>(retry.sum), expected) << length;
    EXPECT_EQ(link.retryBucket(1, 0, bucketOf(retry.sum)), 1U);
    EXPECT_EQ(link.retryBucket(1, 0, bucketOf(retry.sum) + 1), 0U);
    EXPECT_EQ(link.retries(1, 1).count, 0U);
  }
}

TEST(LlrRetry, InFullTrafficOnlyTheFrameInHandAndTheLineAdd) {
  constexpr std::size_t kLength = 512;
  constexpr std::int64_t kSlot = (kLength + 20) * kByteTimePs;
  LlrLink link({}, {}, kLinkDelay);
  link.bringUp();
  std::int64_t last_beat = 0;
  std::uint64_t sent = 0;
  std::uint64_t behind = 0;  // frames sent in vain
  bool replaying = false;
  link.on_frame = [&](int, LineFrame& frame) {
    ++sent;
    replaying = replaying || frame.replay;
    if (sent == 51) {
      last_beat = lastBeatOf(frame);
      return LlrLink::Fate::kDamage;
    }
    if (sent > 51 && !replaying) ++behind;
    return LlrLink::Fate::kPass;
  };
  for (std::uint64_t i = 0; i < 200; ++i) {
    link.source[0].push_back({numberedFrame(i, kLength), false, false});
  }
  std::uint64_t received = 0;
  link.on_received = [&](int, const SinkFrame& frame) {
    EXPECT_EQ(numberOf(frame.bytes), received);
    ++received;
  };
  link.runUntil([&] { return link.quiet(); }, 30'000);
  EXPECT_EQ(received, 200U);
  const LlrCounters receiver = link.counters(1);
  EXPECT_EQ(receiver.tx_nack, 1U);
  EXPECT_EQ(receiver.rx_bad, 1U);
  EXPECT_EQ(receiver.rx_discarded, behind);
  EXPECT_EQ(link.counters(0).tx_replay, 1U);
  EXPECT_EQ(link.counters(0).tx_replay_frames, behind + 1);
  const RetryGroup retry = link.retries(1, 0);
  ASSERT_EQ(retry.count, 1U);
  const auto idle = static_cast<double>(expectedLatency(last_beat, kLength));
  EXPECT_GE(static_cast<double>(retry.sum), idle - 3104);
  EXPECT_LE(static_cast<double>(retry.sum), idle + 2 * kSlot);
}

TEST(LlrRetry, AMissingFrameIsRetriedAndKeptApart) {
  LlrLink link({}, {}, kLinkDelay);
  link.bringUp();
  std::uint64_t sent = 0;
  link.on_frame = [&](int, LineFrame&) {
    return sent++ == 5 ? LlrLink::Fate::kLose : LlrLink::Fate::kPass;
  };
  std::uint64_t received = 0;
  link.on_received = [&](int, const SinkFrame& frame) {
    EXPECT_EQ(numberOf(frame.bytes), received);
    ++received;
  };
  for (std::uint64_t i = 0; i < 7; ++i) {
    link.source[0].push_back({numberedFrame(i, 300), false, false});
  }
  link.runUntil([&] { return link.quiet(); }, 20'000);
  EXPECT_EQ(received, 7U);
  EXPECT_EQ(link.counters(1).missing_seq, 1U);
  EXPECT_EQ(link.counters(1).tx_nack, 1U);
  EXPECT_EQ(link.counters(1).rx_bad, 0U);
  EXPECT_EQ(link.counters(0).tx_replay_frames, 2U);
  EXPECT_EQ(link.retries(1, 0).count, 0U);
  EXPECT_EQ(link.retries(1, 1).count, 1U);
  link.pulseClear(1);
  EXPECT_EQ(link.retries(1, 1).count, 0U);
  EXPECT_EQ(link.counters(1).missing_seq, 0U);
}

TEST(LlrRetry, AReplayThatIsDamagedTooIsAskedForAgain) {
  LlrLink link({}, {}, kLinkDelay);
  link.bringUp();
  int attempts = 0;
  link.on_frame = [&](int, LineFrame& frame) {
    if (frame.seq() != 3) return LlrLink::Fate::kPass;
    return attempts++ < 4 ? LlrLink::Fate::kDamage : LlrLink::Fate::kPass;
  };
  std::uint64_t received = 0;
  link.on_received = [&](int, const SinkFrame& frame) {
    EXPECT_EQ(numberOf(frame.bytes), received);
    ++received;
  };
  for (std::uint64_t i = 0; i < 6; ++i) {
    link.source[0].push_back({numberedFrame(i, 200), false, false});
  }
  link.runUntil([&] { return link.quiet(); }, 30'000);
  EXPECT_EQ(received, 6U);
  EXPECT_EQ(attempts, 5);
  EXPECT_EQ(link.counters(1).tx_nack, 4U);
  EXPECT_EQ(link.counters(0).tx_replay, 4U);
  // It is one retry, as long as all four attempts.
  const RetryGroup retry = link.retries(1, 0);
  EXPECT_EQ(retry.count, 1U);
  EXPECT_GT(static_cast<std::int64_t>(retry.sum), 8 * kLinkDelay);
}

// With nack_once the second damage is the replay timer's.
TEST(LlrRetry, WithOneNackADamagedReplayWaitsForTheTimer) {
  LlrSettings once;
  once.nack_once = true;
  LlrLink link(once, once, kLinkDelay);
  link.bringUp();
  int attempts = 0;
  link.on_frame = [&](int, LineFrame& frame) {
    if (frame.seq() != 3) return LlrLink::Fate::kPass;
    return attempts++ < 2 ? LlrLink::Fate::kDamage : LlrLink::Fate::kPass;
  };
  std::uint64_t received = 0;
  link.on_received = [&](int, const SinkFrame& frame) {
    EXPECT_EQ(numberOf(frame.bytes), received);
    ++received;
  };
  for (std::uint64_t i = 0; i < 6; ++i) {
    link.source[0].push_back({numberedFrame(i, 200), false, false});
  }
  link.runUntil([&] { return link.quiet(); }, 60'000);
  EXPECT_EQ(received, 6U);
  EXPECT_EQ(link.counters(1).tx_nack, 1U);
  EXPECT_EQ(link.counters(0).tx_replay, 2U);
  // The second replay began when the timer had run out.
  EXPECT_GT(static_cast<std::int64_t>(link.retries(1, 0).sum),
            static_cast<std::int64_t>(once.replay_timer) * 3'103);
}

TEST(LlrRetry, OtherFramesPassBetweenReplayedOnes) {
  LlrLink link({}, {}, kLinkDelay);
  link.bringUp();
  std::uint64_t sent = 0;
  std::vector<LineFrame> line;
  link.on_frame = [&](int, LineFrame& frame) {
    line.push_back(frame);
    return sent++ == 0 ? LlrLink::Fate::kDamage : LlrLink::Fate::kPass;
  };
  std::uint64_t received = 0;
  std::uint64_t control = 0;
  link.on_received = [&](int, const SinkFrame& frame) {
    if (numberOf(frame.bytes) >= 1000) {
      ++control;
    } else {
      EXPECT_EQ(numberOf(frame.bytes), received);
      ++received;
    }
  };
  for (std::uint64_t i = 0; i < 30; ++i) {
    link.source[0].push_back({numberedFrame(i, 400), false, false});
  }
  // The control frame is offered while the replay is under way.
  link.runUntil([&] { return !line.empty() && line.back().replay; }, 5'000);
  link.source[0].push_front({numberedFrame(1000, 64), true, false});
  link.runUntil([&] { return link.quiet(); }, 20'000);
  EXPECT_EQ(received, 30U);
  EXPECT_EQ(control, 1U);
  std::size_t at = 0;
  while (at < line.size() && line[at].eligible()) ++at;
  ASSERT_LT(at + 1, line.size());
  EXPECT_EQ(line[at].preamble, kOrdinaryPreamble);
  EXPECT_TRUE(line[at - 1].replay);
  EXPECT_TRUE(line[at + 1].replay);
}

TEST(LlrRetry, FramesThatAReplayHoldsUpAreCountedAndHaveTheirTrueDeparture) {
  // Short ones may start right behind each other, before what the first costs is known.
  for (const std::size_t length : {64U, 300U, 400U}) {
    SCOPED_TRACE(testing::Message() << length << " bytes");
    LlrLink link({}, {}, kLinkDelay);
    link.bringUp();
    link.clocks(3);
    EXPECT_FALSE(link.hold(0));
    std::uint64_t sent = 0;
    std::vector<LineFrame> line;
    link.on_frame = [&](int, LineFrame& frame) {
      line.push_back(frame);
      return sent++ == 0 ? LlrLink::Fate::kDamage : LlrLink::Fate::kPass;
    };
    link.source[0].push_back({numberedFrame(0, length), false, false});
    link.runUntil([&] { return link.txState(0) == 3; }, 5'000);
    for (std::uint64_t i = 1; i < 4; ++i) {
      link.source[0].push_back({numberedFrame(i, length), false, false});
    }
    bool held = false;
    link.runUntil(
        [&] {
          held = held || link.hold(0);
          return link.quiet();
        },
        20'000);
    EXPECT_TRUE(held);
    EXPECT_FALSE(link.hold(0));
    ASSERT_EQ(line.size(), 5U);
    EXPECT_EQ(link.counters(0).delayed, 3U);
    EXPECT_FALSE(line[0].replay);
    EXPECT_EQ(line[0].departure, 1'000'000U);
    EXPECT_TRUE(line[1].replay);
    EXPECT_EQ(line[1].number, 0U);
    for (std::size_t i = 1; i < line.size(); ++i) {
      // The line of the bench may be busy a little longer than the sender takes it to be.
      const auto departure = static_cast<std::int64_t>(line[i].departure);
      EXPECT_LE(departure, line[i].first_bit + 2);
      EXPECT_GE(departure, line[i].first_bit - 4 * kClock);
    }
  }
}

TEST(LlrRetry, ReceivedFramesKeepTheTimeAtWhichTheyCame) {
  // Last beat in to first beat out.
  constexpr std::int64_t kForward = 11;
  for (const std::size_t length : {64U, 65U, 128U, 129U, 1000U, 9216U}) {
    LlrLink link({}, {}, kLinkDelay);
    link.bringUp();
    LineFrame sent;
    link.saw_frame = [&](int, const LineFrame& frame) { sent = frame; };
    std::vector<SinkFrame> received;
    link.on_received = [&](int, SinkFrame frame) { received.push_back(std::move(frame)); };
    link.source[0].push_back({numberedFrame(0, length), false, false});
    link.runUntil([&] { return link.quiet() && !received.empty(); }, 10'000);
    ASSERT_EQ(received.size(), 1U);
    const std::int64_t first = edgeAt(sent.first_bit + kByteTimePs * 64 + kLinkDelay);
    const std::int64_t last = lastBeatOf(sent);
    EXPECT_EQ(received[0].stamp, edgeTime(first));
    EXPECT_EQ(received[0].clock, last + kForward);
  }
}

// What waits behind a long frame comes out faster than it came, but no faster than frames of a line
// can: the tables of the receiver count on two clocks each.
TEST(LlrRetry, FramesNeverBeginInConsecutiveClocks) {
  constexpr std::uint64_t kShort = 120;
  LlrLink link({}, {}, kLinkDelay);
  link.bringUp();
  std::vector<std::int64_t> began;
  link.on_received = [&](int, const SinkFrame& frame) { began.push_back(frame.clock); };
  link.source[0].push_back({numberedFrame(0, 9216), false, false});
  for (std::uint64_t i = 1; i <= kShort; ++i) {
    link.source[0].push_back({numberedFrame(i, 64), false, false});
  }
  link.runUntil([&] { return link.quiet() && began.size() == kShort + 1; }, 10'000);
  ASSERT_EQ(began.size(), kShort + 1);
  std::uint64_t closest = 0;
  for (std::size_t i = 1; i < began.size(); ++i) {
    EXPECT_GE(began[i] - began[i - 1], 2) << i;
    closest += began[i] - began[i - 1] == 2 ? 1 : 0;
  }
  // Some had to wait: they follow each other as closely as they may.
  EXPECT_GT(closest, kShort * 9 / 10);
}

}  // namespace
}  // namespace plumbline::test
