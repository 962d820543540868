// When plumb_tx sends: rates, bursts, many flows; every departure against the reference model and
// against the true edge at which the frame crossed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "tests/hw/tx/tx_follower.h"

namespace plumbline::test {
namespace {

FlowConfig plainFlow(std::uint32_t length, std::uint64_t period) {
  FlowConfig flow{.length = length, .pay_off = 42, .period = period};
  flow.bytes[12] = 8;
  return flow;
}

// ---- One flow at 100 % ----
class TxLineRate : public testing::TestWithParam<std::uint32_t> {};

TEST_P(TxLineRate, BackToBackWithoutDrift) {
  const std::uint32_t length = GetParam();
  constexpr std::uint64_t kFrames = 20'000;
  Follower run({plainFlow(length, slot(length) * kPsFraction)}, {{0, 0}});
  run.start();
  run.runFrames(kFrames);
  ASSERT_EQ(run.checked, kFrames);
  // The first frame waits for an edge; from there on all gaps are 12 bytes exactly.
  const std::uint64_t first = run.departures[0].departure;
  ASSERT_GE(first, run.bench.startTime());
  ASSERT_LT(first, run.bench.startTime() + kClockPs);
  for (std::uint64_t k = 0; k < kFrames; ++k) {
    ASSERT_EQ(run.departures[k].departure, first + k * slot(length)) << k;
  }
  EXPECT_EQ(run.smallest_gap_ps, 0U);
  EXPECT_EQ(run.bench.counters().late, 0U);
  EXPECT_EQ(run.bench.counters().stall_clocks, 0U);
}

INSTANTIATE_TEST_SUITE_P(Lengths, TxLineRate, testing::Values(64, 65, 128, 129, 1024, 9216));

// ---- One flow below line rate ----
TEST(TxRate, OneToNinetyNinePercent) {
  for (const std::uint32_t length : {64U, 65U, 200U, 1518U, 9216U}) {
    for (std::uint64_t percent = 1; percent <= 99; percent += (length == 64 ? 1 : 14)) {
      const std::uint64_t period = (slot(length) * kPsFraction * 100 + percent / 2) / percent;
      Follower run({plainFlow(length, period)}, {{0, 0}});
      run.start(1'000'000);
      const std::uint64_t frames = length > 1000 ? 30 : 300;
      run.runFrames(frames);
      for (std::uint64_t k = 0; k < run.checked; ++k) {
        // Against the rate as asked for, not as rounded to the period.
        const double ideal = static_cast<double>(k) * static_cast<double>(slot(length)) * 100.0 /
                             static_cast<double>(percent);
        const double got = static_cast<double>(run.departures[k].departure - run.bench.startTime());
        ASSERT_GE(got, ideal - 1) << length << " bytes at " << percent << " %, frame " << k;
        ASSERT_LT(got, ideal + kClockPs) << length << " bytes at " << percent << " %, frame " << k;
      }
      if (HasFatalFailure()) return;
    }
  }
}

// Rates down to 10^-6 of line, the time between frames skipped.
TEST(TxRate, PartsPerMillionOfLine) {
  struct Case {
    std::uint32_t length;
    std::uint64_t divisor;  // of the line rate
  };
  for (const Case& c : {Case{64, 1'000}, Case{64, 1'000'000}, Case{1518, 70'007},
                        Case{9216, 1'000'000}, Case{64, 333'333}}) {
    // A third of a picosecond more, so that the fraction counts.
    const std::uint64_t period = slot(c.length) * kPsFraction * c.divisor + kPsFraction / 3;
    Follower run({plainFlow(c.length, period)}, {{0, 0}});
    run.start();
    constexpr std::uint64_t kFrames = 1200;
    for (std::uint64_t k = 0; k < kFrames; ++k) {
      const auto due = static_cast<std::uint64_t>(static_cast<unsigned __int128>(period) * k >> 16);
      const std::uint64_t edge = (run.bench.startTime() + due) / 102400 * 33 +
                                 (run.bench.startTime() + due) % 102400 * 33 / 102400;
      run.bench.skipTo(std::max(run.bench.edge() + 100, edge - 60));
      run.runFrames(k + 1);
      if (HasFailure()) return;
    }
    const double measured =
        static_cast<double>(run.departures.back().departure - run.departures.front().departure);
    const double exact = static_cast<double>(kFrames - 1) * static_cast<double>(period) /
                         static_cast<double>(kPsFraction);
    EXPECT_LT(std::abs(measured - exact), kClockPs);
    const double ppm = std::abs(measured - exact) / exact * 1e6;
    EXPECT_LT(ppm, 1.0) << c.length << " bytes at 1/" << c.divisor;
    RecordProperty("ppm_" + std::to_string(c.length) + "_" + std::to_string(c.divisor),
                   std::to_string(ppm));
  }
}

// ---- Bursts ----
class TxBurst : public testing::TestWithParam<std::uint32_t> {};

TEST_P(TxBurst, CountGapAndStart) {
  const std::uint32_t burst = GetParam();
  for (const std::uint64_t extra_gap : {0U, 7U}) {
    FlowConfig flow = plainFlow(64, (slot(64) + extra_gap * 80) * kPsFraction);
    flow.burst_len = burst;
    flow.burst_count = 3;
    // Not a multiple of the period, and with a fraction.
    flow.burst_interval = flow.period * (burst + 1) + 1'234'567;
    Follower run({flow}, {{0x12345, 0}});
    run.start();
    run.runFrames(3ULL * burst);
    run.bench.runUntilIdle(1000);
    ASSERT_EQ(run.bench.counters().frames, 3ULL * burst);
    EXPECT_EQ(run.bench.counters().late, 0U);
    for (std::uint64_t k = 0; k < run.checked; ++k) {
      const std::uint64_t due =
          (0x12345 + k / burst * flow.burst_interval + k % burst * flow.period) / kPsFraction +
          run.bench.startTime();
      ASSERT_GE(run.departures[k].departure, due) << k;
      ASSERT_LT(run.departures[k].departure, due + kClockPs + 1) << k;
    }
    EXPECT_EQ(run.bench.state(0), (TxState{3ULL * burst, 3, 0}));
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, TxBurst, testing::Values(1, 2, 3, 1000, 65536));

// ---- Many flows ----
// Each of 256 flows with its own rate keeps its own grid while all together fill 95 % of the wire.
TEST(TxFlows, ManyRates) {
  std::vector<FlowConfig> flows;
  std::vector<Entry> schedule;
  RandomStream random(5, "rates");
  double share = 0;
  for (std::uint32_t f = 0; f < 256; ++f) {
    const std::uint64_t weight = 100 + 7 * f;  // distinct
    const double part = 0.95 * static_cast<double>(weight) / (256 * 100 + 7 * 255 * 128);
    const std::uint32_t length = 64 + f;
    const auto period =
        static_cast<std::uint64_t>(static_cast<double>(slot(length) * kPsFraction) / part);
    share += static_cast<double>(slot(length) * kPsFraction) / static_cast<double>(period);
    flows.push_back(plainFlow(length, period));
    schedule.push_back({random.below(period), f});
  }
  EXPECT_NEAR(share, 0.95, 0.001);
  Follower run(flows, schedule);
  run.start();
  run.runFrames(30'000);
  // The model was followed frame by frame; that the grid of the model is the flows' own:
  std::vector<std::uint64_t> count(256);
  std::uint64_t behind = 0;
  for (const Departure& d : run.departures) {
    ASSERT_EQ(d.number, count[d.flow]++);
    const auto& entry = schedule[d.flow];
    ASSERT_TRUE(d.due ==
                entry.due + static_cast<unsigned __int128>(d.number) * flows[d.flow].period);
    behind = std::max(
        behind, d.departure - run.bench.startTime() - static_cast<std::uint64_t>(d.due >> 16));
  }
  for (std::uint32_t f = 0; f < 256; ++f) EXPECT_GT(count[f], 10U) << f;
  EXPECT_EQ(run.bench.counters().late_max_ps, behind);
}

// All due at the same instants: each round leaves back to back in order of flow.
TEST(TxFlows, SameInstant) {
  std::vector<FlowConfig> flows;
  std::vector<Entry> schedule;
  std::uint64_t round = 0;
  for (std::uint32_t f = 0; f < 256; ++f) {
    flows.push_back(plainFlow(64 + f % 70, 0));
    round += slot(flows.back().length);
    schedule.push_back({0, f});
  }
  for (FlowConfig& flow : flows) flow.period = round * kPsFraction;
  Follower run(flows, schedule);
  run.start();
  run.runFrames(256ULL * 40);
  for (std::uint64_t k = 0; k < run.checked; ++k) {
    ASSERT_EQ(run.departures[k].flow, k % 256);
    if (k % 256 == 0) continue;  // the first of a round waits for the clock
    ASSERT_EQ(run.departures[k].departure,
              run.departures[k - 1].departure + slot(flows[(k - 1) % 256].length));
  }
  EXPECT_LT(run.departures.back().departure + slot(flows[255].length) -
                (run.bench.startTime() + 40 * round),
            kClockPs);
}

// Two flows that take turns, also at equal times.
TEST(TxFlows, TwoInterleaved) {
  for (const std::uint64_t shift : {0U, 6720U, 5000U}) {
    Follower run(
        {plainFlow(64, 2 * slot(64) * kPsFraction), plainFlow(64, 2 * slot(64) * kPsFraction)},
        {{0, 0}, {dueAt(shift), 1}});
    run.start();
    run.runFrames(5000);
    for (std::uint64_t k = 0; k < run.checked; ++k) ASSERT_EQ(run.departures[k].flow, k % 2);
  }
}

// Random lengths at 100 % and beyond (the backlog leaves without a gap).
TEST(TxFlows, RandomLoads) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    RandomStream random(seed, "loads");
    std::vector<FlowConfig> flows;
    std::vector<Entry> schedule;
    const std::uint64_t count = 1 + random.below(seed % 2 == 0 ? 4 : 256);
    for (std::uint32_t f = 0; f < count; ++f) {
      const auto length =
          static_cast<std::uint32_t>(64 + random.below(random.below(3) == 0 ? 1500 : 80));
      FlowConfig flow = plainFlow(length, (1 + random.below(2 * slot(length) * count)) * 60'000);
      if (random.below(3) == 0) {
        flow.burst_len = static_cast<std::uint32_t>(1 + random.below(9));
        flow.burst_count = static_cast<std::uint32_t>(random.below(30));
        flow.burst_interval = flow.period * (1 + random.below(12));
      }
      flows.push_back(flow);
      schedule.push_back({dueAt(random.below(1 + random.below(50'000))), f});
    }
    Follower run(flows, schedule);
    run.start();
    bool endless = std::ranges::any_of(
        flows, [](const FlowConfig& f) { return f.burst_len == 0 || f.burst_count == 0; });
    if (endless) {
      run.runFrames(4000);
    } else {
      run.bench.clocks(3000);
      run.bench.runUntilIdle(1'000'000);
    }
    EXPECT_GT(run.checked, 0U);
    if (HasFailure()) {
      ADD_FAILURE() << "seed " << seed;
      return;
    }
  }
}

// 10 Gb/s on the wire model: a byte lasts 800 ps.
TEST(TxFlows, OtherByteTime) {
  TxBench bench;
  bench.loadFlow(0, plainFlow(100, 1 * kPsFraction));  // always due: the wire decides
  bench.loadSchedule({{0, 0}});
  bench.setByteTime(800);
  bench.setStartTime(bench.now() + 1'000'000);
  bench.setRunning(true);
  while (bench.sent.size() < 500) bench.clock();
  for (std::size_t k = 1; k < 500; ++k) {
    ASSERT_EQ(bench.sent[k].departure - bench.sent[k - 1].departure, 120U * 800);
  }
}

}  // namespace
}  // namespace plumbline::test
