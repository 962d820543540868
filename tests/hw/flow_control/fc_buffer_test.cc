// The virtual receive buffer and its watermarks, against a bucket that drains continuously.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>

#include "Vplumb_fc.h"
#include "base/random.h"
#include "tests/hw/flow_control/fc_bench.h"
#include "wire/frame.h"

namespace plumbline::test {
namespace {

// From a frame's last beat until it is in the fill: the verdict, a register for it, classification,
// bytes, cells, whether they fit, the fill.
constexpr std::uint64_t kLatency = FcBench::kVerdictClocks + 6;

std::uint64_t fill(FcBench& bench, std::uint32_t priority) {
  return FcBench::field(bench.pins().fill_o, 20, priority);
}

TEST(FcBuffer, ClassifiesByTagOrByDscp) {
  FcBench bench;
  auto& pins = bench.pins();
  pins.cfg_watermark_i = 0xFF;
  for (std::uint32_t p = 0; p < 8; ++p) FcBench::setField(pins.cfg_xoff_i, 32, p, 0xFFFFF);
  pins.cfg_default_priority_i = 6;
  std::array<std::uint64_t, 8> expected{};
  const auto expectFill = [&] {
    bench.clocks(bench.waiting() + kLatency);
    for (std::uint32_t p = 0; p < 8; ++p) EXPECT_EQ(fill(bench, p), expected[p]) << p;
  };
  for (std::uint32_t p = 0; p < 8; ++p) {
    bench.receive(taggedFrame(p, 64 + p));
    expected[p] += 64 + p;
    bench.receive(ipFrame(8 * p + 3, p % 2 != 0, 100 + p));
    expected[6] += 100 + p;
  }
  expectFill();
  pins.cfg_dscp_i = 1;
  for (std::uint32_t p = 0; p < 8; ++p) {
    bench.receive(taggedFrame(p, 128));  // IP behind the tag, DSCP 63
    expected[7] += 128;
    bench.receive(ipFrame(8 * p + 7, p % 2 == 0, 9216));
    expected[p] += 9216;
  }
  wire::Buffer other(64, 0);
  other[12] = 0x88;
  other[13] = 0xB5;
  bench.receive(other);
  expected[6] += 64;
  expectFill();
  // What is not good, and what is MAC control, takes no room.
  bench.receive(ipFrame(0, false, 500), false);
  bench.receive(ipFrame(0, false, 63));
  bench.receive(ipFrame(0, false, 9217));
  wire::Buffer control(64, 0);
  control[12] = 0x88;
  control[13] = 0x08;
  bench.receive(control);
  expectFill();
  bench.pulse(pins.clear_i);
  expected = {};
  expectFill();
}

struct Cells {
  std::uint32_t log2 = 0;
  std::int32_t overhead = 0;
};
class FcBufferCells : public testing::TestWithParam<Cells> {};

// Random frames on all priorities, one beat every clock, each drained at its own rate.
TEST_P(FcBufferCells, FollowsTheContinuousBucket) {
  FcBench bench;
  auto& pins = bench.pins();
  const Cells cells = GetParam();
  const std::uint64_t cell = 1ULL << cells.log2;
  pins.cfg_watermark_i = 0xFF;
  pins.cfg_cell_log2_i = cells.log2;
  pins.cfg_overhead_i = static_cast<std::uint8_t>(cells.overhead);
  RandomStream random(7, "bucket");
  std::array<double, 8> rate{};
  for (std::uint32_t p = 0; p < 8; ++p) {
    FcBench::setField(pins.cfg_xoff_i, 32, p, 0xFFFFF);
    // Up to what the priority receives on average, a little more, or nothing.
    const std::uint64_t fixed = p == 3 ? 0 : (1 + random.below(12)) << 16 | random.below(65536);
    FcBench::setField(pins.cfg_drain_i, 32, p, fixed);
    rate[p] = static_cast<double>(fixed) / 65536;
  }
  struct Arrival {
    std::uint64_t clock = 0;
    std::uint32_t priority = 0;
    std::uint64_t bytes = 0;
  };
  std::deque<Arrival> arrivals;
  std::array<double, 8> bucket{};
  std::uint64_t busy_until = bench.clockNumber();
  double worst = 0;
  for (int i = 0; i < 60'000; ++i) {
    if (bench.waiting() < 4 && random.below(3) == 0) {
      const auto priority = static_cast<std::uint32_t>(random.below(8));
      const auto length = static_cast<std::uint32_t>(random.below(4) == 0 ? 64 + random.below(2000)
                                                                          : 64 + random.below(3));
      const std::uint64_t beats = (length + 63) / 64;
      busy_until = std::max(busy_until, bench.clockNumber()) + beats;
      const std::uint64_t taken =
          (length + static_cast<std::uint64_t>(cells.overhead) + cell - 1) / cell * cell;
      arrivals.push_back({busy_until + kLatency - 1, priority, taken});
      bench.receive(taggedFrame(priority, length));
    }
    bench.clock();
    for (std::uint32_t p = 0; p < 8; ++p) bucket[p] = std::max(0.0, bucket[p] - rate[p]);
    while (!arrivals.empty() && arrivals.front().clock <= bench.clockNumber()) {
      bucket[arrivals.front().priority] += static_cast<double>(arrivals.front().bytes);
      arrivals.pop_front();
    }
    for (std::uint32_t p = 0; p < 8; ++p) {
      // Whole cells, every eight clocks, two clocks late.
      const double have = static_cast<double>(fill(bench, p) * cell);
      const double error = have - bucket[p];
      ASSERT_GE(error, -static_cast<double>(cell) - 24 * rate[p]) << "clock " << i << " p " << p;
      ASSERT_LE(error, static_cast<double>(2 * cell) + 24 * rate[p]) << "clock " << i << " p " << p;
      worst = std::max(worst, std::abs(error));
    }
  }
  EXPECT_GT(fill(bench, 3), 0U);
  EXPECT_GT(worst, 0.0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, FcBufferCells,
                         testing::Values(Cells{0, 0}, Cells{5, 0}, Cells{7, 20}, Cells{8, -16},
                                         Cells{11, 127}));

TEST(FcBuffer, FullBufferDropsWholeFrames) {
  FcBench bench;
  auto& pins = bench.pins();
  pins.cfg_watermark_i = 0x01;
  pins.cfg_cell_log2_i = 6;
  FcBench::setField(pins.cfg_xoff_i, 32, 2, 0xFFFFF);
  FcBench::setField(pins.cfg_capacity_i, 32, 2, 10);
  for (const std::uint32_t length : {128U, 256U, 257U, 128U, 129U, 128U, 65U}) {
    bench.receive(taggedFrame(2, length));
  }
  // 2 + 4, (5 would not fit), 2, (3 would not fit), 2, (nothing fits)
  bench.clocks(60);
  EXPECT_EQ(fill(bench, 2), 10U);
  EXPECT_EQ(pins.cnt_dropped_o, 3U);
}

// Thresholds, refresh and release.
TEST(FcBuffer, WatermarksPauseRefreshAndRelease) {
  FcBench bench;
  auto& pins = bench.pins();
  constexpr std::uint32_t kPriority = 5;
  constexpr std::uint64_t kRefresh = 400;
  pins.cfg_watermark_i = 1U << kPriority;
  pins.cfg_watermark_quanta_i = 0x4000;
  pins.cfg_refresh_i = kRefresh;
  FcBench::setField(pins.cfg_xoff_i, 32, kPriority, 10'000);
  FcBench::setField(pins.cfg_xon_i, 32, kPriority, 4'000);
  FcBench::setField(pins.cfg_drain_i, 32, kPriority, 4ULL << 16);  // 4 bytes a clock
  for (int i = 0; i < 9; ++i) bench.receive(taggedFrame(kPriority, 1024));
  bench.clocks(300);
  EXPECT_TRUE(bench.control.empty());  // 9216 and draining
  for (int i = 0; i < 3; ++i) bench.receive(taggedFrame(kPriority, 1024));
  const std::uint64_t before = bench.clockNumber();
  while (bench.control.empty() && bench.clockNumber() < before + 500) bench.clock();
  ASSERT_EQ(bench.control.size(), 1U);
  // The frame that reaches the threshold asks for the pause within a few clocks.
  std::uint64_t level = fill(bench, kPriority);
  EXPECT_GE(level, 10'000U - 5 * 32);
  EXPECT_LT(level, 10'000U + 1024);
  wire::DecodeOptions without_fcs;
  without_fcs.has_fcs = false;
  const wire::DecodedFrame xoff = wire::decodeFrame(bench.control.front().bytes, without_fcs);
  ASSERT_NE(xoff.pfc(), nullptr);
  EXPECT_EQ(xoff.pfc()->enabled, 1U << kPriority);
  EXPECT_EQ(xoff.pfc()->quanta[kPriority], 0x4000);

  // Again every 400 clocks while it drains, and XON when 4000 is reached.
  while (fill(bench, kPriority) > 4'000) bench.clock();
  const std::uint64_t low = bench.clockNumber();
  bench.clocks(40);
  ASSERT_GE(bench.control.size(), 4U);
  for (std::size_t i = 1; i + 1 < bench.control.size(); ++i) {
    EXPECT_EQ(bench.control[i].bytes, bench.control[0].bytes);
    const std::uint64_t apart = bench.control[i].clock - bench.control[i - 1].clock;
    EXPECT_GE(apart, kRefresh);
    EXPECT_LE(apart, kRefresh + 9);
  }
  const wire::DecodedFrame xon = wire::decodeFrame(bench.control.back().bytes, without_fcs);
  ASSERT_NE(xon.pfc(), nullptr);
  EXPECT_EQ(xon.pfc()->enabled, 1U << kPriority);
  EXPECT_EQ(xon.pfc()->quanta[kPriority], 0);
  EXPECT_LE(bench.control.back().clock, low + 12);
  const std::size_t frames = bench.control.size();
  bench.clocks(2000);
  EXPECT_EQ(bench.control.size(), frames);  // quiet below

  // Disabled while it pauses: the other end is let go.
  for (int i = 0; i < 12; ++i) bench.receive(taggedFrame(kPriority, 1024));
  bench.clocks(260);
  EXPECT_EQ(bench.control.size(), frames + 1);
  pins.cfg_watermark_i = 0;
  bench.clocks(30);
  ASSERT_EQ(bench.control.size(), frames + 2);
  EXPECT_EQ(bench.control.back().bytes, bench.control[frames - 1].bytes);
  EXPECT_EQ(FcBench::field(pins.cnt_tx_xon_o, 64, kPriority), 2U);
}

}  // namespace
}  // namespace plumbline::test
