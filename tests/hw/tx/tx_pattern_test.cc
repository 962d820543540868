// Flows whose gaps are drawn or listed: every frame leaves when the reference says, to the clock.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "tests/hw/tx/ks.h"
#include "tests/hw/tx/tx_follower.h"

namespace plumbline::test {
namespace {

FlowConfig exponentialFlow(std::uint32_t length, std::uint64_t mean_ps, std::uint64_t seed) {
  FlowConfig flow{.length = length, .pay_off = 42};
  flow.pattern.gap_mode = 1;
  flow.pattern.gap_mean = mean_ps * kPsFraction + kPsFraction / 3;
  flow.pattern.gap_seed = mix64(seed);
  return flow;
}

FlowConfig listedFlow(std::uint32_t length, std::uint32_t base, std::uint32_t count,
                      std::uint32_t repeat = 1) {
  FlowConfig flow{.length = length, .pay_off = 42};
  flow.pattern.gap_mode = 2;
  flow.pattern.gap_base = base;
  flow.pattern.gap_count = count;
  flow.pattern.gap_repeat = repeat;
  return flow;
}

FlowConfig constantFlow(std::uint32_t length, std::uint64_t period_ps) {
  return {.length = length, .pay_off = 42, .period = period_ps * kPsFraction};
}

// Alone at 95 % of the wire and 64 bytes: frames that collide leave back to back at the wire's
// pace, and the schedule never falls behind it.
TEST(TxPattern, ExponentialGapsAtFullLoad) {
  for (const std::uint32_t length : {64U, 65U, 128U, 1518U}) {
    const std::uint64_t mean = slot(length) * 20 / 19;
    Follower run({exponentialFlow(length, mean, length)}, {{0, 0}});
    run.start();
    constexpr std::uint64_t kFrames = 20'000;
    run.runFrames(kFrames);
    ASSERT_EQ(run.checked, kFrames);
    std::uint64_t back_to_back = 0;
    for (std::uint64_t k = 1; k < kFrames; ++k) {
      const std::uint64_t gap = run.departures[k].departure - run.departures[k - 1].departure;
      back_to_back += gap == slot(length) ? 1 : 0;
    }
    EXPECT_GT(back_to_back, kFrames / 2) << length;
  }
}

// Many flows of every kind together.
TEST(TxPattern, AllKindsTogether) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    RandomStream random(seed, "kinds");
    std::vector<std::uint64_t> list(4096);
    for (auto& gap : list) gap = random.below(400'000 * kPsFraction);
    std::vector<FlowConfig> flows;
    std::vector<Entry> schedule;
    const std::uint64_t count = seed < 3 ? 3 + random.below(4) : 100;
    for (std::uint32_t f = 0; f < count; ++f) {
      const auto length = static_cast<std::uint32_t>(64 + random.below(200));
      const std::uint64_t mean = slot(length) * count * (9 + random.below(4)) / 10;
      switch (random.below(3)) {
        case 0:
          flows.push_back(exponentialFlow(length, mean, random.next()));
          break;
        case 1:
          flows.push_back(listedFlow(length, static_cast<std::uint32_t>(random.below(4096)),
                                     static_cast<std::uint32_t>(1 + random.below(50)),
                                     static_cast<std::uint32_t>(1 + random.below(4))));
          break;
        default:
          flows.push_back(constantFlow(length, mean));
      }
      if (random.below(3) == 0) {
        flows.back().burst_len = static_cast<std::uint32_t>(1 + random.below(9));
        flows.back().burst_interval = mean * 10 * kPsFraction;
      }
      schedule.push_back({dueAt(random.below(50'000)), f});
    }
    Follower run(flows, schedule, list);
    run.start();
    run.runFrames(15'000);
    if (HasFailure()) {
      ADD_FAILURE() << "seed " << seed;
      return;
    }
  }
}

// The stream on the wire is a Poisson process: its gaps, far above clock and frame, are
// exponentially distributed. Time that nothing happens in is skipped.
TEST(TxPattern, PoissonStreamPassesKolmogorovSmirnov) {
  constexpr std::uint64_t kFrames = 100'000;
  constexpr std::uint64_t kMean = 100'000'000;  // 100 us
  Follower run({exponentialFlow(64, kMean, 42)}, {{0, 0}});
  GapSource gaps(exponentialFlow(64, kMean, 42).pattern, nullptr);
  run.start();
  run.bench.clocks(60);
  unsigned __int128 due = 0;
  for (std::uint64_t k = 0; k < kFrames; ++k) {
    const std::uint64_t time = run.bench.startTime() + static_cast<std::uint64_t>(due >> 16);
    const std::uint64_t edge = time / 102400 * 33 + time % 102400 * 33 / 102400;
    run.bench.skipTo(std::max(run.bench.edge(), edge - std::min<std::uint64_t>(edge, 60)));
    run.runFrames(k + 1);
    if (HasFailure()) return;
    due += gaps.next();
  }
  std::vector<double> samples;
  for (std::uint64_t k = 1; k < kFrames; ++k) {
    samples.push_back(
        static_cast<double>(run.departures[k].departure - run.departures[k - 1].departure) /
        (static_cast<double>(kMean) + 1.0 / 3));
  }
  const double ks = ksExponential(std::move(samples));
  EXPECT_LT(ks, kKsOnePercent);
  RecordProperty("ks", std::to_string(ks));
}

// A list of n gaps in bursts of n + 1 frames begins anew with every burst: a ramp, twice.
TEST(TxPattern, RampInEachBurst) {
  std::vector<std::uint64_t> list;
  for (std::uint64_t i = 0; i < 50; ++i) {
    list.push_back((slot(128) + (50 - i) * 1234) * kPsFraction + i * 777);
  }
  FlowConfig flow = listedFlow(128, 0, 50);
  flow.burst_len = 51;
  flow.burst_count = 3;
  flow.burst_interval = 3'000'000 * kPsFraction;
  Follower run({flow}, {{dueAt(5000), 0}}, list);
  run.start();
  run.runFrames(std::uint64_t{3} * 51);
  run.bench.runUntilIdle(1000);
  ASSERT_EQ(run.bench.counters().frames, 3U * 51);
  for (std::uint64_t burst = 0; burst < 3; ++burst) {
    std::uint64_t due = (run.bench.startTime() + 5000 + burst * 3'000'000) * kPsFraction;
    for (std::uint64_t k = 0; k < 51; ++k) {
      const std::uint64_t departure = run.departures[burst * 51 + k].departure;
      ASSERT_GE(departure, due / kPsFraction) << burst << " " << k;
      ASSERT_LT(departure, due / kPsFraction + kClockPs + 1) << burst << " " << k;
      if (k < 50) due += list[k];
    }
  }
  EXPECT_EQ(run.bench.counters().late, 0U);
}

// Stopping and going on in any clock loses no gap.
TEST(TxPattern, StopAndGoOn) {
  const FlowConfig flow = exponentialFlow(64, 9000, 3);
  TxBench bench;
  bench.loadFlow(0, flow);
  bench.loadSchedule({{0, 0}});
  bench.setStartTime(bench.now() + 1'000'000);
  GapSource gaps(flow.pattern, nullptr);
  Due due = 0;
  std::size_t checked = 0;
  for (std::uint64_t stop = 0; stop < 60; ++stop) {
    bench.setRunning(true);
    bench.clocks(400 + stop);
    bench.setRunning(false);
    bench.clocks(80);
    // While it stands the schedule shows when the next frame is due.
    Row row{};
    bench.readRow(2, 0, row);
    for (; checked < bench.sent.size(); ++checked) due += gaps.next();
    ASSERT_EQ(getBits(row, 0, 64), static_cast<std::uint64_t>(due)) << "stop " << stop;
  }
  EXPECT_GT(checked, 1000U);
}

// A frame given up to a pause uses up its gap like one that leaves.
TEST(TxPattern, PausedFramesUseUpTheirGaps) {
  const FlowConfig flow = exponentialFlow(64, 30'000, 4);
  TxBench bench;
  bench.loadFlow(0, flow);
  bench.loadSchedule({{0, 0}});
  bench.setStartTime(bench.now() + 1'000'000);
  bench.setRunning(true);
  for (int i = 0; i < 20; ++i) {
    bench.setPaused(i % 2 == 0 ? 1 : 0);
    bench.clocks(300);
  }
  bench.setRunning(false);
  bench.clocks(80);
  const TxCounters counters = bench.counters();
  EXPECT_GT(counters.pfc_skipped, 50U);
  EXPECT_GT(counters.frames, 50U);
  GapSource gaps(flow.pattern, nullptr);
  Due due = 0;
  for (std::uint64_t k = 0; k < counters.frames + counters.pfc_skipped; ++k) due += gaps.next();
  Row row{};
  bench.readRow(2, 0, row);
  EXPECT_EQ(getBits(row, 0, 64), static_cast<std::uint64_t>(due));
}

TEST(TxPattern, RowsKeepWhatIsWritten) {
  TxBench bench;
  RandomStream random(9, "rows");
  std::vector<Row> patterns(256);
  std::vector<Row> gaps(4096);
  std::vector<Row> pairs(4096);
  const auto fill = [&](Row& row, std::uint32_t low, std::uint32_t width) {
    for (std::uint32_t bit = low; bit < low + width; ++bit) setBits(row, bit, 1, random.below(2));
  };
  for (std::uint32_t i = 0; i < 4096; ++i) {
    fill(gaps[i], 0, 64);
    fill(pairs[i], 0, 44);
    fill(pairs[i], 64, 32);
    EXPECT_LE(bench.writeRow(6, i, gaps[i]), 5U);
    EXPECT_LE(bench.writeRow(7, i, pairs[i]), 6U);
  }
  for (std::uint32_t i = 0; i < 256; ++i) {
    fill(patterns[i], 0, 4);
    fill(patterns[i], 16, 13);
    fill(patterns[i], 32, 12);
    fill(patterns[i], 64, 16);
    fill(patterns[i], 80, 14);
    fill(patterns[i], 96, 14);
    fill(patterns[i], 128, 45);
    fill(patterns[i], 176, 12);
    fill(patterns[i], 192, 16);
    fill(patterns[i], 224, 59);
    fill(patterns[i], 288, 64);
    EXPECT_LE(bench.writeRow(8, i, patterns[i]), 5U);
  }
  Row got{};
  for (std::uint32_t i = 0; i < 4096; ++i) {
    EXPECT_LE(bench.readRow(6, i, got), 5U);
    ASSERT_EQ(got, gaps[i]) << i;
    EXPECT_LE(bench.readRow(7, i, got), 6U);
    ASSERT_EQ(got, pairs[i]) << i;
  }
  for (std::uint32_t i = 0; i < 256; ++i) {
    bench.readRow(8, i, got);
    ASSERT_EQ(got, patterns[i]) << i;
  }
  for (const auto& [table, row] : std::initializer_list<std::pair<std::uint32_t, std::uint32_t>>{
           {6, 4096}, {7, 4096}, {8, 256}}) {
    bench.writeRow(table, row, gaps[0]);
    got.fill(1);
    bench.readRow(table, row, got);
    EXPECT_EQ(got, Row{}) << table << " " << row;
  }
  // A clear ends all patterns and leaves the lists.
  bench.clear();
  bench.readRow(8, 17, got);
  EXPECT_EQ(got, Row{});
  bench.readRow(6, 17, got);
  EXPECT_EQ(got, gaps[17]);
  bench.readRow(7, 17, got);
  EXPECT_EQ(got, pairs[17]);
}

}  // namespace
}  // namespace plumbline::test
