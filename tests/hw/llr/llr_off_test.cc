// Link-level retry switched off: wires, in the very clock; and switching it on and off in traffic.
#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"
#include "tests/hw/llr/llr_link.h"

namespace plumbline::test {
namespace {

constexpr std::int64_t kMicrosecond = 1'000'000;
constexpr LlrSettings kOff{.tx_enable = false, .rx_enable = false};

TEST(LlrOff, FramesPassInTheClockInWhichTheyCome) {
  LlrLink link(kOff, kOff, kMicrosecond);
  RandomStream random(1, "llr off");
  std::vector<wire::Buffer> sent;
  for (std::uint64_t i = 0; i < 300; ++i) {
    sent.push_back(numberedFrame(i, 64 + random.below(400)));
    link.source[0].push_back({sent.back(), i % 5 == 0, false});
  }
  std::vector<LineFrame> line;
  link.saw_frame = [&](int side, const LineFrame& frame) {
    EXPECT_EQ(side, 0);
    line.push_back(frame);
  };
  std::vector<SinkFrame> received;
  link.on_received = [&](int side, SinkFrame frame) {
    EXPECT_EQ(side, 1);
    received.push_back(std::move(frame));
  };
  const std::int64_t start = link.edge();
  link.runUntil([&] { return received.size() == sent.size(); }, 20'000);

  ASSERT_EQ(line.size(), sent.size());
  // A beat every clock from the first clock on: nothing held back, nothing added.
  std::int64_t beats = 0;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(line[i].bytes, sent[i]);
    EXPECT_EQ(line[i].preamble, kOrdinaryPreamble);
    EXPECT_EQ(line[i].departure, 1'000'000 + i);
    EXPECT_EQ(line[i].number, i);
    EXPECT_FALSE(line[i].replay);
    if (i == 0) {
      EXPECT_EQ(line[i].first_bit, edgeTime(start + 1));
    }
    beats += static_cast<std::int64_t>((sent[i].size() + 63) / 64);
    EXPECT_EQ(received[i].bytes, sent[i]);
    // The line alone decides when a frame comes; the receiver sees it in that clock.
    const std::int64_t comes = line[i].first_bit + 64 * kByteTimePs + kMicrosecond;
    EXPECT_EQ(received[i].clock, edgeAt(comes)) << i;
  }
  EXPECT_GT(beats, 1000);
  const LlrCounters counters = link.counters(0);
  EXPECT_EQ(counters.tx_ok + counters.tx_init + counters.delayed, 0U);
}

TEST(LlrOff, MessagesAreNotAnswered) {
  LlrLink link(kOff, kOff, kMicrosecond);
  int sets = 0;
  link.saw_set = [&](int, const OrderedSet&, std::int64_t) { ++sets; };
  link.inject(0, OrderedSet{.type = 3, .seq = 5, .d5 = 1, .d6 = 2, .marked = true}.word());
  link.inject(0, OrderedSet{.type = 2, .seq = 5, .marked = true}.word());
  link.clocks(2000);
  EXPECT_EQ(sets, 0);
  EXPECT_EQ(link.counters(0).rx_init, 1U);
  EXPECT_EQ(link.counters(0).rx_nack, 1U);
}

TEST(LlrOff, SwitchingInTrafficLosesNothing) {
  LlrLink link(kOff, kOff, kMicrosecond);
  RandomStream random(2, "llr switching");
  const LlrSettings on{.init_seq = 77};
  std::uint64_t sent = 0;
  std::array<std::uint64_t, 2> received{};
  link.on_received = [&](int side, const SinkFrame& frame) {
    EXPECT_EQ(numberOf(frame.bytes), received[static_cast<std::size_t>(side)]);
    ++received[static_cast<std::size_t>(side)];
  };
  link.source_bubble = [&] { return random.below(4) == 0; };
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 200; ++i, ++sent) {
      const wire::Buffer frame = numberedFrame(sent, 64 + random.below(300));
      link.source[0].push_back({frame, false, false});
      link.source[1].push_back({frame, false, false});
    }
    link.clocks(static_cast<std::int64_t>(random.below(100)));
    // The receivers first: a sender without one waits for its ECHO.
    LlrSettings settings = on;
    settings.tx_enable = false;
    link.configure(0, settings);
    link.configure(1, settings);
    link.clocks(static_cast<std::int64_t>(random.below(100)));
    link.configure(0, on);
    link.configure(1, on);
    link.clocks(1500 + static_cast<std::int64_t>(random.below(500)));
    link.runUntil([&] { return received[0] == sent && received[1] == sent; }, 50'000);
    link.runUntil([&] { return link.quiet(); }, 5'000);
    EXPECT_EQ(link.txState(0), 2U);
    link.configure(0, settings);
    link.configure(1, settings);
    link.clocks(10);
    EXPECT_EQ(link.txState(0), 0U);
    link.configure(0, kOff);
    link.configure(1, kOff);
  }
  EXPECT_GT(link.counters(0).tx_ok, 200U);
}

// Whatever beat of it is under way: the frame in hand is finished, no further one is sent again,
// what is outstanding is given up, and new frames follow at once, unnumbered.
TEST(LlrOff, SwitchingOffInAReplayEndsItAtTheNextFrame) {
  constexpr std::size_t kLength = 512;  // eight beats
  constexpr std::uint64_t kFrames = 80;
  for (std::int64_t beat = 0; beat < 10; ++beat) {
    SCOPED_TRACE(testing::Message() << beat << " clocks into the fourth replayed frame");
    LlrLink link({}, {}, kMicrosecond);
    std::uint64_t on_line = 0;   // frames sent for the first time
    std::uint64_t replayed = 0;  // complete on the line
    std::uint64_t numbered = 0;
    link.saw_frame = [&](int side, const LineFrame& frame) {
      if (side != 0) return;
      EXPECT_EQ(frame.bytes, numberedFrame(numberOf(frame.bytes), kLength)) << "not whole";
      replayed += frame.replay ? 1 : 0;
      on_line += frame.replay ? 0 : 1;
      numbered += frame.eligible() ? 1 : 0;
    };
    link.on_frame = [&](int, LineFrame& frame) {
      const bool first = numberOf(frame.bytes) == 0 && !frame.replay;
      return first ? LlrLink::Fate::kDamage : LlrLink::Fate::kPass;
    };
    std::vector<std::uint64_t> received;
    link.on_received = [&](int side, const SinkFrame& frame) {
      if (side == 1) received.push_back(numberOf(frame.bytes));
    };
    link.bringUp();
    for (std::uint64_t i = 0; i < kFrames; ++i) {
      link.source[0].push_back({numberedFrame(i, kLength), false, false});
    }
    link.runUntil([&] { return replayed == 3; }, 20'000);
    link.clocks(beat);
    ASSERT_LT(on_line, kFrames - 10) << "nothing is left to follow";
    ASSERT_GT(on_line, 10U) << "the replay is over soon anyway";
    const std::uint64_t before = replayed;
    const std::uint64_t numbered_before = numbered;
    const std::uint64_t sent_once = on_line;
    LlrSettings off;
    off.tx_enable = false;
    link.configure(0, off);
    // The beats of the frame in hand, paced to the line, and a few clocks.
    link.clocks(20);
    EXPECT_EQ(link.txState(0), 0U);
    EXPECT_LE(replayed, before + 1);
    EXPECT_LE(numbered, numbered_before + 1);
    EXPECT_GT(on_line, sent_once) << "new frames wait";
    const std::uint64_t replayed_then = replayed;
    const std::uint64_t numbered_then = numbered;
    link.runUntil([&] { return on_line == kFrames; }, 20'000);
    link.clocks(2'000);
    EXPECT_EQ(replayed, replayed_then);
    EXPECT_EQ(numbered, numbered_then);
    // In order: the replayed ones, then those that had not been sent. Of the others, nothing that
    // was not given up.
    std::vector<std::uint64_t> expected;
    for (std::uint64_t i = 0; i < kFrames; ++i) {
      if (i < replayed || i >= sent_once) expected.push_back(i);
    }
    EXPECT_EQ(received, expected);
    EXPECT_LE(kFrames - received.size(), link.counters(0).flushed);
    EXPECT_EQ(link.counters(0).tx_replay, 1U);
  }
}

}  // namespace
}  // namespace plumbline::test
