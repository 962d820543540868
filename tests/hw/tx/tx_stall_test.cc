// A MAC that does not take every beat: nothing is lost, every stalled clock is counted, and the
// exact times are back when it is over.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "base/random.h"
#include "tests/hw/tx/tx_bench.h"

namespace plumbline::test {
namespace {

struct Stall {
  const char* name;
  std::uint64_t stop;    // one clock in this many begins a stall
  std::uint64_t clocks;  // of a stall, at most
};

class TxStall : public testing::TestWithParam<Stall> {};

TEST_P(TxStall, NothingIsLost) {
  const Stall& stall = GetParam();
  TxBench bench;
  RandomStream random(1, stall.name);
  std::vector<FlowConfig> flows;
  std::vector<Entry> schedule;
  std::uint64_t load = 0;
  for (std::uint32_t f = 0; f < 40; ++f) {
    FlowConfig flow{.length = static_cast<std::uint32_t>(64 + random.below(f % 8 == 0   ? 9153
                                                                           : f % 2 == 0 ? 300
                                                                                        : 8)),
                    .tag_id = static_cast<std::uint16_t>(f),
                    .tag_off = 42,
                    .pay_off = 60,
                    .tag_en = true};
    flow.icrc = flow.length > 80 && random.below(2) == 0;
    for (auto& byte : flow.bytes) byte = static_cast<std::uint8_t>(random.next());
    load += (flow.length + 20) * 80ULL;
    flows.push_back(flow);
    schedule.push_back({0, f});
  }
  for (std::uint32_t f = 0; f < flows.size(); ++f) {
    flows[f].period = load * kPsFraction;
    flows[f].burst_len = 60;
    flows[f].burst_count = 1;
    bench.loadFlow(f, flows[f]);
  }
  bench.loadSchedule(schedule);

  std::uint64_t left = 0;
  std::uint64_t refused = 0;
  bool stalling = true;
  bench.ready = [&] {
    if (!stalling) return true;
    if (left == 0 && random.below(stall.stop) == 0) left = 1 + random.below(stall.clocks);
    if (left == 0) return true;
    --left;
    ++refused;
    return false;
  };
  bench.keep_bytes = true;
  std::vector<std::uint64_t> sent(flows.size());
  std::uint64_t bytes = 0;
  bench.on_frame = [&](const SentFrame& frame) {
    if (HasFatalFailure()) return;
    const std::uint32_t f = wire::load16(frame.bytes.data() + 44);
    ASSERT_LT(f, flows.size());
    ASSERT_EQ(frame.bytes, expectedFrame(flows[f], sent[f], frame.departure))
        << "flow " << f << " frame " << sent[f];
    ++sent[f];
    bytes += frame.length;
  };
  bench.setStartTime(bench.now() + 1'000'000);
  bench.setRunning(true);
  bench.clocks(1000);
  bench.runUntilIdle(20'000'000);
  for (std::uint32_t f = 0; f < flows.size(); ++f) EXPECT_EQ(sent[f], 60U) << f;
  const TxCounters counters = bench.counters();
  EXPECT_EQ(counters.frames, 60U * flows.size());
  EXPECT_EQ(counters.bytes, bytes);
  EXPECT_EQ(counters.stall_clocks, bench.stall_pulses);
  EXPECT_GT(counters.stall_clocks, 0U);
  EXPECT_LE(counters.stall_clocks, refused);

  // Afterwards times are exact again.
  stalling = false;
  bench.setRunning(false);
  bench.clear();
  FlowConfig again{.length = 64, .pay_off = 42, .period = 6720 * kPsFraction};
  bench.loadFlow(0, again);
  bench.loadSchedule({{0, 0}});
  bench.on_frame = nullptr;
  bench.sent.clear();
  bench.setStartTime(bench.now() + 1'000'000);
  bench.setRunning(true);
  while (bench.sent.size() < 500) bench.clock();
  for (const SentFrame& frame : bench.sent) {
    ASSERT_LE(frame.crossing, frame.departure + 1);
    ASSERT_LT(frame.departure, frame.crossing + kClockPs);
  }
  EXPECT_EQ(bench.counters().stall_clocks, 0U);
}

INSTANTIATE_TEST_SUITE_P(Stalls, TxStall,
                         testing::Values(Stall{"rare", 500, 3}, Stall{"short", 20, 4},
                                         Stall{"half", 2, 1}, Stall{"mostly", 2, 12},
                                         Stall{"long", 400, 900}),
                         [](const auto& info) { return info.param.name; });

// In the middle of a run: frames decided after the backlog is gone have right times again.
TEST(TxStallRecovery, TimesAreRightAgainBehindTheBacklog) {
  TxBench bench;
  bench.loadFlow(0, {.length = 200, .pay_off = 42, .period = 30'000 * kPsFraction});
  bench.loadSchedule({{0, 0}});
  bench.setStartTime(bench.now() + 1'000'000);
  bool ready = true;
  bench.ready = [&] { return ready; };
  bench.setRunning(true);
  bench.clocks(2000);
  const std::size_t before = bench.sent.size();
  ready = false;
  bench.clocks(700);
  ready = true;
  bench.clocks(4000);
  ASSERT_GT(before, 150U);
  const std::size_t total = bench.sent.size();
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < total; ++k) {
    const SentFrame& frame = bench.sent[k];
    const bool right =
        frame.crossing <= frame.departure + 1 && frame.departure < frame.crossing + kClockPs;
    if (right) continue;
    // Those wrong are the ones that were on their way during the stall.
    ASSERT_LT(k, before + 30);
    ++wrong;
  }
  EXPECT_GT(wrong, 0U);
  // What was due during the stall left late, and was counted.
  EXPECT_GT(bench.counters().late, 0U);
  EXPECT_EQ(bench.counters().late, bench.late_pulses);
  // The grid was caught up with: the last frame is as late as a clock allows.
  const std::uint64_t since = bench.sent.back().departure - bench.startTime();
  EXPECT_LT(since - (total - 1) * 30'000, kClockPs);
}

// A MAC that pauses for some clocks now and then, as around its alignment markers: frames that were
// decided on already are displaced, by no more than the pause, and counted; all others have the
// very departure that is in their tag, also at full load, where the line never catches up by
// itself.
struct Marker {
  const char* name;
  std::uint32_t length;     // bytes
  std::uint64_t period_ps;  // of the one flow
  std::uint64_t gap;        // clocks
};

class TxMarkers : public testing::TestWithParam<Marker> {};

TEST_P(TxMarkers, OnlyFramesOnTheirWayAreDisplaced) {
  const Marker& marker = GetParam();
  constexpr std::uint64_t kEvery = 3'000;  // clocks from gap to gap
  // From the decision to the MAC, and the clocks until the gate has heard of it.
  constexpr std::uint64_t kOnTheirWay = 90;
  std::uint64_t all_displaced = 0;
  std::uint64_t all_frames = 0;
  for (std::uint64_t phase = 0; phase < 12; ++phase) {
    TxBench bench;
    bench.setOffset(-12'345);
    bench.loadFlow(
        0, {.length = marker.length, .pay_off = 42, .period = marker.period_ps * kPsFraction});
    bench.loadSchedule({{0, 0}});
    bench.setStartTime(bench.now() + 1'000'000);
    std::uint64_t clock = 0;
    std::uint64_t last_gap = 0;
    bool gaps = true;
    bench.ready = [&] {
      ++clock;
      const bool pause = gaps && clock > 1'000 && (clock + 7 * phase) % kEvery < marker.gap;
      if (pause) last_gap = bench.edge();
      return !pause;
    };
    std::uint64_t frames = 0;
    std::uint64_t displaced = 0;
    std::uint64_t worst = 0;
    bench.on_frame = [&](const SentFrame& frame) {
      ++frames;
      const std::uint64_t stamp = frame.departure + 12'345;
      if (frame.crossing <= stamp + 2) {
        ASSERT_LT(stamp, frame.crossing + kClockPs) << "frame " << frames;
        return;
      }
      ++displaced;
      worst = std::max(worst, frame.crossing - stamp);
      ASSERT_LE(frame.crossing - stamp, (marker.gap + 1) * kClockPs);
      ASSERT_LE(frame.first_edge, last_gap + kOnTheirWay) << "frame " << frames;
    };
    bench.setRunning(true);
    bench.clocks(20 * kEvery);
    gaps = false;  // what is under way is counted, too
    bench.clocks(300);
    ASSERT_FALSE(HasFatalFailure()) << "phase " << phase;
    const TxCounters counters = bench.counters();
    EXPECT_EQ(counters.displaced, displaced);
    EXPECT_LE(counters.displaced_max_ps, worst);
    EXPECT_GE(counters.displaced_max_ps + 2, worst);
    all_displaced += displaced;
    all_frames += frames;
  }
  // A pause need not meet the beginning of a long frame.
  EXPECT_GT(all_displaced, 0U);
  EXPECT_GT(all_frames, 1'000U);
}

INSTANTIATE_TEST_SUITE_P(Markers, TxMarkers,
                         testing::Values(Marker{"full", 64, 6'720, 5}, Marker{"over", 64, 6'000, 5},
                                         Marker{"half", 64, 13'440, 5},
                                         Marker{"long_gap", 64, 6'720, 16},
                                         Marker{"large", 512, 42'560, 5},
                                         Marker{"jumbo", 9216, 738'880, 5}),
                         [](const auto& info) { return info.param.name; });

// Without a pause nothing is displaced, whatever the load.
TEST(TxWithoutMarkers, AMacThatTakesEverythingDisplacesNothing) {
  TxBench bench;
  bench.loadFlow(0, {.length = 64, .pay_off = 42, .period = 6'000 * kPsFraction});
  bench.loadSchedule({{0, 0}});
  bench.setStartTime(bench.now() + 1'000'000);
  bench.setRunning(true);
  bench.clocks(20'000);
  EXPECT_EQ(bench.counters().displaced, 0U);
  EXPECT_EQ(bench.counters().displaced_max_ps, 0U);
}

}  // namespace
}  // namespace plumbline::test
