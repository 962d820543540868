// Control frames between scheduled ones, frames that wait for the end of a pause, and credit: who
// goes when, to the clock.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.h"
#include "tests/hw/tx/tx_bench.h"
#include "tests/hw/tx/tx_flow.h"
#include "wire/crc.h"
#include "wire/test_tag.h"

namespace plumbline::test {
namespace {

constexpr std::uint64_t kByteTime = 80;
// From a decision to the crossing of the first beat, in clocks.
constexpr std::uint64_t kDecisionLead = 35;

FlowConfig tagged(std::uint32_t flow, std::uint32_t priority, std::uint32_t length,
                  std::uint64_t period_ps) {
  return {.length = length,
          .tag_id = static_cast<std::uint16_t>(flow),
          .tag_off = 42,
          .pay_off = 60,
          .tag_en = true,
          .priority = priority,
          .period = period_ps * kPsFraction};
}

struct Seen {
  bool control = false;
  std::uint32_t flow = 0;
  std::uint64_t sequence = 0;
  std::uint64_t departure = 0;
  std::uint64_t crossing = 0;
  std::uint64_t edge = 0;
  std::uint32_t length = 0;
  wire::Buffer bytes;
};

class TxFlowControl : public testing::Test {
 protected:
  TxFlowControl() {
    bench_.keep_bytes = true;
    bench_.on_frame = [this](const SentFrame& frame) {
      Seen seen{.control = frame.user.control,
                .departure = frame.departure,
                .crossing = frame.crossing,
                .edge = frame.first_edge,
                .length = frame.length,
                .bytes = frame.bytes};
      if (!seen.control) {
        const auto tag = wire::TestTag::decode(
            wire::FixedView<wire::TestTag::kSize>(frame.bytes.data() + 42, wire::TestTag::kSize));
        ASSERT_TRUE(tag.has_value());
        seen.flow = tag->row();
        seen.sequence = tag->sequence;
      }
      EXPECT_TRUE(wire::fcsOk(frame.bytes));
      seen_.push_back(std::move(seen));
    };
  }

  void start(const std::vector<FlowConfig>& flows, std::uint64_t apart_ps = 0) {
    std::vector<Entry> schedule;
    for (std::uint32_t f = 0; f < flows.size(); ++f) {
      bench_.loadFlow(f, flows[f]);
      schedule.push_back({dueAt(f * apart_ps), f});
    }
    bench_.loadSchedule(schedule);
    bench_.setStartTime(bench_.now() + 1'000'000);
    bench_.setRunning(true);
  }

  std::array<std::uint8_t, 60> randomControl() {
    std::array<std::uint8_t, 60> bytes{};
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random_.below(256));
    return bytes;
  }

  // Frames never overlap on the wire and cross when their departure says.
  void expectOneAfterTheOther() {
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const Seen& frame = seen_[i];
      // The first beat is there when the wire becomes free, up to a clock before.
      ASSERT_LE(frame.crossing, frame.departure + 1) << i;
      ASSERT_LT(frame.departure, frame.crossing + kClockPs) << i;
      if (i == 0) continue;
      ASSERT_GE(frame.departure, seen_[i - 1].departure + slot(seen_[i - 1].length)) << i;
    }
  }

  TxBench bench_;
  RandomStream random_{21, "control"};
  std::vector<Seen> seen_;
};

// At full load, lengths mixed: every control frame takes exactly its place, and whatever follows it
// follows by exact byte times.
TEST_F(TxFlowControl, ControlFramesGoFirstAndNeighboursKeepExactByteTimes) {
  std::vector<FlowConfig> flows;
  const std::vector<std::uint32_t> lengths{64, 65, 128, 129, 1500, 9216, 64, 300};
  // All of them always due: the wire never rests.
  for (std::uint32_t f = 0; f < lengths.size(); ++f) {
    flows.push_back(tagged(f, f, lengths[f], std::uint64_t{8} * 84 * kByteTime));
  }
  start(flows);
  bench_.clocks(800);
  std::vector<std::array<std::uint8_t, 60>> requested;
  std::vector<std::uint64_t> requested_at;
  for (int i = 0; i < 1500; ++i) {
    requested.push_back(randomControl());
    requested_at.push_back(bench_.edge());
    bench_.requestControl(requested.back());
    // Singly, and several at once.
    if (random_.below(3) != 0) bench_.clocks(1 + random_.below(400));
  }
  bench_.clocks(4000);
  bench_.setRunning(false);
  bench_.clocks(300);
  expectOneAfterTheOther();
  std::size_t controls = 0;
  std::map<std::uint32_t, std::uint64_t> next;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const Seen& frame = seen_[i];
    if (i > 50) {
      ASSERT_EQ(frame.departure, seen_[i - 1].departure + slot(seen_[i - 1].length)) << i;
    }
    if (!frame.control) {
      ASSERT_EQ(frame.sequence, next[frame.flow]++);
      continue;
    }
    ASSERT_LT(controls, requested.size());
    ASSERT_EQ(frame.length, 64U);
    ASSERT_TRUE(
        std::equal(requested[controls].begin(), requested[controls].end(), frame.bytes.begin()));
    // No scheduled frame that was decided after the request goes before it.
    for (std::size_t j = i;
         j-- > 0 && seen_[j].edge > requested_at[controls] + kDecisionLead + 2;) {
      ASSERT_TRUE(seen_[j].control) << "frame " << j << " before control frame " << controls;
    }
    ++controls;
  }
  EXPECT_EQ(controls, requested.size());
  EXPECT_EQ(bench_.counters().frames, seen_.size());
}

// On a wire with room, scheduled frames that do not meet a control frame do not notice it at all.
TEST_F(TxFlowControl, ScheduledFramesKeepTheirGridBesideControlFrames) {
  constexpr std::uint64_t kPeriod = 400'000;
  start({tagged(0, 0, 256, kPeriod)});
  for (int i = 0; i < 400; ++i) {
    bench_.requestControl(randomControl());
    bench_.clocks(1 + random_.below(300));
  }
  bench_.clocks(200);
  expectOneAfterTheOther();
  std::uint64_t pushed = 0;
  for (std::size_t i = 1; i < seen_.size(); ++i) {
    if (seen_[i].control) continue;
    const std::uint64_t due = bench_.startTime() + seen_[i].sequence * kPeriod;
    const Seen& before = seen_[i - 1];
    const std::uint64_t free = before.departure + slot(before.length);
    ASSERT_GE(seen_[i].departure, due);
    if (free <= due) {
      ASSERT_LE(seen_[i].departure, due + kClockPs);
    } else {
      // It had to wait for the wire: a control frame held it up by no more than itself.
      ASSERT_TRUE(before.control);
      ASSERT_LE(seen_[i].departure, std::max(free, due + kClockPs));
      ++pushed;
    }
  }
  EXPECT_GT(pushed, 5U);
}

TEST_F(TxFlowControl, ControlFramesNeedNoScheduleAndLeaveTablesReachable) {
  const auto first = randomControl();
  bench_.requestControl(first);
  bench_.clocks(60);
  ASSERT_EQ(seen_.size(), 1U);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), seen_.front().bytes.begin()));
  EXPECT_FALSE(bench_.active());  // it is no part of the schedule
  // Without a rest, and all tables are written and read meanwhile.
  for (int i = 0; i < 3000; ++i) bench_.requestControl(randomControl());
  FlowConfig flow = tagged(3, 0, 64, 1'000'000);
  for (std::size_t i = 0; i < flow.bytes.size(); ++i) {
    flow.bytes[i] = static_cast<std::uint8_t>(7 * i);
  }
  bench_.loadFlow(3, flow);
  for (std::uint32_t beat = 0; beat < 4; ++beat) {
    Row row{};
    bench_.readRow(0, 12 + beat, row);
    EXPECT_EQ(row, flow.templateRow(beat)) << beat;
  }
  Row row{};
  bench_.readRow(1, 3, row);
  EXPECT_EQ(row, flow.row());
  EXPECT_LT(seen_.size(), 3000U);
  bench_.clocks(9000);
  ASSERT_EQ(seen_.size(), 3001U);
  for (std::size_t i = 2; i < seen_.size(); ++i) {
    ASSERT_LE(seen_[i].departure, seen_[i - 1].departure + slot(64) + 2 * kClockPs);
  }
  expectOneAfterTheOther();
}

// A pause that runs out: the frame that waited is decided in the first clock in which the pause is
// over, and the flow catches up on its grid.
TEST_F(TxFlowControl, WaitingFrameLeavesToTheClockWhenThePauseRunsOut) {
  constexpr std::uint64_t kPeriod = 50'000;
  bench_.setWait(true);
  start({tagged(0, 4, 64, kPeriod), tagged(1, 0, 64, kPeriod)}, 20'000);
  bench_.clocks(1000);
  std::uint64_t waits = 0;
  for (int i = 0; i < 60; ++i) {
    // As plumb_pfc_timers has it: paused until the second-last time is at or after the end.
    const std::uint64_t until = bench_.now() + 200'000 + random_.below(2'000'000);
    bench_.setUntil(4, until);
    bench_.setPaused(1U << 4);
    while (edgeTime(bench_.edge() - 2) < until) bench_.clock();
    const std::uint64_t free_edge = bench_.edge() + 1;  // that the first free clock ends with
    bench_.setPaused(0);
    bench_.clocks(600);
    // The first frame of flow 0 behind the pause.
    const auto found = std::find_if(seen_.begin(), seen_.end(), [&](const Seen& frame) {
      return frame.flow == 0 && frame.edge >= free_edge + kDecisionLead - 1;
    });
    ASSERT_NE(found, seen_.end());
    const std::uint64_t due = bench_.startTime() + found->sequence * kPeriod;
    ASSERT_LT(due, until);  // it has waited
    // To the clock, unless the other flow's frame had the wire: then right behind it.
    const Seen& before = *(found - 1);
    const std::uint64_t earliest = edgeTime(free_edge + kDecisionLead - 1);
    ASSERT_LE(found->departure,
              std::max(earliest + kClockPs, before.departure + slot(before.length)));
    ++waits;
    seen_.erase(seen_.begin(), found);
  }
  EXPECT_EQ(bench_.counters().pfc_skipped, 0U);
  EXPECT_GE(bench_.counters().waited, waits);
  expectOneAfterTheOther();
}

// Nothing is lost, no other priority is held up, and everything is made up for in the end.
TEST_F(TxFlowControl, WaitingFlowsDoNotBlockOthersAndLoseNothing) {
  constexpr std::uint32_t kFlows = 40;  // all but one on priority 3
  constexpr std::uint64_t kPeriod = std::uint64_t{kFlows} * 200 * kByteTime;
  bench_.setWait(true);
  std::vector<FlowConfig> flows;
  for (std::uint32_t f = 0; f < kFlows; ++f) {
    flows.push_back(tagged(f, f == 7 ? 1 : 3, 64, kPeriod));
    flows.back().burst_len = 60;
    flows.back().burst_count = 1;
  }
  start(flows, 200 * kByteTime);
  bench_.clocks(1500);
  bench_.setUntil(3, ~0ULL >> 2);
  bench_.setPaused(1U << 3);
  bench_.clocks(100);
  const std::size_t quiet_from = seen_.size();
  bench_.clocks(4000);
  // While they wait only flow 7 sends, on its grid to the clock.
  ASSERT_GT(seen_.size(), quiet_from + 10);
  for (std::size_t i = quiet_from; i < seen_.size(); ++i) {
    ASSERT_EQ(seen_[i].flow, 7U);
    const std::uint64_t due =
        bench_.startTime() + std::uint64_t{7} * 200 * kByteTime + seen_[i].sequence * kPeriod;
    ASSERT_GE(seen_[i].departure, due);
    ASSERT_LE(seen_[i].departure, due + 3 * kClockPs);
  }
  // The pause is lifted early: each flow looks again at its turn, one every 32 clocks, and then has
  // at most what is overdue of the others in front of it.
  constexpr std::uint64_t kOverdue = kFlows * (4100 * 102400 / 33 / kPeriod + 1) * 3;
  const std::uint64_t lifted = bench_.edge();
  const std::size_t before = seen_.size();
  bench_.setPaused(0);
  bench_.clocks(kDecisionLead + std::uint64_t{32} * kFlows + kOverdue);
  std::map<std::uint32_t, std::uint64_t> first;
  for (std::size_t i = before; i < seen_.size(); ++i) {
    first.try_emplace(seen_[i].flow, seen_[i].edge);
  }
  std::uint64_t earliest = ~0ULL;
  for (std::uint32_t f = 0; f < kFlows; ++f) {
    if (f == 7) continue;
    ASSERT_TRUE(first.contains(f)) << f;
    earliest = std::min(earliest, first[f]);
  }
  EXPECT_LE(earliest, lifted + kDecisionLead + 34);
  bench_.runUntilIdle(200'000);
  std::map<std::uint32_t, std::uint64_t> next;
  for (const Seen& frame : seen_) ASSERT_EQ(frame.sequence, next[frame.flow]++);
  for (std::uint32_t f = 0; f < kFlows; ++f) EXPECT_EQ(next[f], 60U) << f;
  EXPECT_EQ(bench_.state(0), (TxState{60, 1, 0}));
  EXPECT_EQ(bench_.counters().pfc_skipped, 0U);
  EXPECT_GT(bench_.counters().late, kFlows);  // lateness counts from the scheduled time
  EXPECT_GE(bench_.counters().late_max_ps, 3000 * (kClockPs - 1));
  expectOneAfterTheOther();
}

TEST_F(TxFlowControl, FramesWithoutCreditAreGivenUpOrWait) {
  constexpr std::uint64_t kPeriod = 300'000;
  start({tagged(0, 2, 500, kPeriod), tagged(1, 2, 501, kPeriod), tagged(2, 5, 501, kPeriod)},
        kPeriod / 3);
  bench_.setCredit(2, 500);
  bench_.clocks(5000);
  std::array<std::uint64_t, 3> frames{};
  for (const Seen& frame : seen_) ++frames[frame.flow];
  EXPECT_GT(frames[0], 40U);
  EXPECT_EQ(frames[1], 0U);
  EXPECT_NEAR(static_cast<double>(frames[2]), static_cast<double>(frames[0]), 1);
  EXPECT_NEAR(static_cast<double>(bench_.counters().credit_skipped), static_cast<double>(frames[0]),
              2);
  EXPECT_EQ(bench_.counters().pfc_skipped, 0U);
  const std::uint64_t skipped = bench_.counters().credit_skipped;

  // Waiting, with credit to come: it goes within its turn.
  bench_.setWait(true);
  bench_.clocks(1000);
  EXPECT_EQ(bench_.counters().credit_skipped, skipped);
  EXPECT_EQ(bench_.counters().waited, 1U);
  const std::uint64_t granted = bench_.edge();
  bench_.setCredit(2, 501);
  bench_.clocks(kDecisionLead + 60);
  const auto found =
      std::find_if(seen_.begin(), seen_.end(), [](const Seen& frame) { return frame.flow == 1; });
  ASSERT_NE(found, seen_.end());
  EXPECT_LE(found->edge, granted + kDecisionLead + 34);

  // No decision is made while the credit is unknown.
  bench_.setWait(false);
  bench_.setCredit(2, 0);
  bench_.setCreditBusy(1U << 2);
  const std::uint64_t before = bench_.counters().credit_skipped;
  bench_.clocks(1000);
  EXPECT_EQ(bench_.counters().credit_skipped, before);
  bench_.setCreditBusy(0);
  bench_.clocks(300);
  EXPECT_GT(bench_.counters().credit_skipped, before);
}

}  // namespace
}  // namespace plumbline::test
