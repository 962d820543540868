// Reaction to PFC: slots are given up, grids and burst counts stay, other priorities do not notice.
#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/hw/tx/tx_bench.h"
#include "tests/hw/tx/tx_model.h"
#include "wire/test_tag.h"

namespace plumbline::test {
namespace {

constexpr std::uint64_t kSlot = slot(64);

// Flow `f` of `count` that share the wire in turn, tagged with its number.
FlowConfig sharingFlow(std::uint32_t f, std::uint32_t count, std::uint32_t priority) {
  FlowConfig flow{.length = 64,
                  .tag_id = static_cast<std::uint16_t>(f),
                  .tag_off = 42,
                  .pay_off = 60,
                  .tag_en = true,
                  .priority = priority,
                  .period = count * kSlot * kPsFraction};
  return flow;
}

struct Tagged {
  std::uint32_t flow = 0;
  std::uint64_t sequence = 0;
  std::uint64_t departure = 0;
  std::uint64_t crossing = 0;
};

class TxPause : public testing::Test {
 protected:
  TxPause() {
    bench_.keep_bytes = true;
    bench_.on_frame = [this](const SentFrame& frame) {
      const auto tag = wire::TestTag::decode(
          wire::FixedView<wire::TestTag::kSize>(frame.bytes.data() + 42, wire::TestTag::kSize));
      ASSERT_TRUE(tag.has_value());
      frames_.push_back({tag->row(), tag->sequence, frame.departure, frame.crossing});
    };
  }

  void start(const std::vector<FlowConfig>& flows) {
    std::vector<Entry> schedule;
    for (std::uint32_t f = 0; f < flows.size(); ++f) {
      bench_.loadFlow(f, flows[f]);
      schedule.push_back({dueAt(f * kSlot), f});
    }
    bench_.loadSchedule(schedule);
    bench_.setStartTime(bench_.now() + 1'000'000);
    bench_.setRunning(true);
  }

  // Time between the decision on a frame and its crossing: pauses act on decisions.
  static constexpr std::uint64_t kLeadPs = 35 * 102400 / 33;

  TxBench bench_;
  std::vector<Tagged> frames_;
};

TEST_F(TxPause, OnePriorityStopsTheOthersKeepTheirTimes) {
  constexpr std::uint32_t kFlows = 4;
  std::vector<FlowConfig> flows;
  for (std::uint32_t f = 0; f < kFlows; ++f) flows.push_back(sharingFlow(f, kFlows, f));
  start(flows);
  RandomStream random(1, "pause");
  std::uint64_t paused_clocks = 0;
  // Priority 2 is paused at random; others' bits of flows that are not there change nothing.
  for (int i = 0; i < 300; ++i) {
    const bool pause = i % 2 == 1;
    bench_.setPaused(pause ? 0xF4 : 0x00);
    const std::uint64_t n = 1 + random.below(100);
    bench_.clocks(n);
    paused_clocks += pause ? n : 0;
  }
  bench_.setPaused(0);
  bench_.clocks(100);

  // Every frame of every flow is on the flow's grid, within a clock; sequence numbers have no
  // holes.
  std::vector<std::uint64_t> next_sequence(kFlows);
  std::vector<std::uint64_t> last_slot(kFlows);
  std::uint64_t given_up = 0;
  for (const Tagged& frame : frames_) {
    ASSERT_EQ(frame.sequence, next_sequence.at(frame.flow)++);
    const std::uint64_t since = frame.departure - bench_.startTime();
    const std::uint64_t slot = since / kSlot;
    ASSERT_LT(since - slot * kSlot, kClockPs);
    ASSERT_EQ(slot % kFlows, frame.flow);
    const std::uint64_t mine = slot / kFlows;
    if (frame.sequence > 0) {
      if (frame.flow == 2) {
        given_up += mine - last_slot[frame.flow] - 1;
      } else {
        ASSERT_EQ(mine, last_slot[frame.flow] + 1) << "flow " << frame.flow;
      }
    } else {
      ASSERT_EQ(mine, 0U);
    }
    last_slot[frame.flow] = mine;
  }
  EXPECT_GT(given_up, 100U);
  EXPECT_EQ(bench_.counters().pfc_skipped, given_up);
  EXPECT_EQ(bench_.counters().late, 0U);
  // About as many as the pause lasted.
  EXPECT_NEAR(static_cast<double>(given_up),
              static_cast<double>(paused_clocks) * 102400 / 33 / (kFlows * kSlot), 40);
}

TEST_F(TxPause, BurstCountsStayExact) {
  std::vector<FlowConfig> flows{sharingFlow(0, 2, 5), sharingFlow(1, 2, 6)};
  for (FlowConfig& flow : flows) {
    flow.burst_len = 200;
    flow.burst_count = 3;
    flow.burst_interval = flow.period * 600;
  }
  start(flows);
  // Pause priority 5 over the middle of the first burst, over the start of the second, and never
  // again.
  const std::uint64_t epoch = bench_.startTime();
  const std::uint64_t interval = 2 * kSlot * 600;
  const auto paused = [&](std::uint64_t decided) {
    if (decided < epoch) return false;
    const std::uint64_t at = decided - epoch;
    return (at >= 100 * kSlot && at < 260 * kSlot) ||
           (at >= interval - 5 * kSlot && at < interval + 60 * kSlot);
  };
  while (frames_.size() < 1200 && bench_.edge() < 2'000'000) {
    bench_.setPaused(paused(bench_.now() + kLeadPs) ? 1U << 5 : 0);
    bench_.clock();
  }
  bench_.runUntilIdle(1000);
  ASSERT_EQ(frames_.size(), 1200U);
  EXPECT_EQ(bench_.state(0), (TxState{600, 3, 0}));
  EXPECT_EQ(bench_.state(1), (TxState{600, 3, 0}));
  // Slots given up: 80 in the first window, 30 in the second, give or take the edges of the window.
  const std::uint64_t given_up = bench_.counters().pfc_skipped;
  EXPECT_NEAR(static_cast<double>(given_up), 110, 3);
  // Where each frame of flow 0 was: the third burst begins two intervals after the first, although
  // the second one began late.
  std::vector<std::uint64_t> slots;
  for (const Tagged& frame : frames_) {
    if (frame.flow == 1) continue;
    ASSERT_EQ(frame.sequence, slots.size());
    slots.push_back((frame.departure - epoch) / kSlot / 2);
  }
  EXPECT_EQ(slots.at(0), 0U);
  EXPECT_NEAR(static_cast<double>(slots.at(199)), 199 + 80, 2);
  EXPECT_NEAR(static_cast<double>(slots.at(200)), 600 + 30, 2);
  EXPECT_EQ(slots.at(399), slots.at(200) + 199);
  EXPECT_EQ(slots.at(400), 1200U);
  EXPECT_EQ(slots.at(599), 1399U);
}

// Pausing everything for long and letting go: nothing piles up.
TEST_F(TxPause, NothingPilesUp) {
  start({sharingFlow(0, 1, 0)});
  bench_.setPaused(0xFF);
  bench_.clocks(5000);
  EXPECT_TRUE(frames_.empty());
  EXPECT_TRUE(bench_.active());
  bench_.setPaused(0);
  bench_.clocks(500);
  EXPECT_NEAR(static_cast<double>(frames_.size()), (500 - 35) / 2.1655, 3);
  EXPECT_EQ(frames_.front().sequence, 0U);
  EXPECT_EQ(bench_.counters().late, 0U);
}

}  // namespace
}  // namespace plumbline::test
