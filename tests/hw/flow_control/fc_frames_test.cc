// Control frames of plumb_fc: their bytes, and when a storm asks for them.
#include <gtest/gtest.h>

#include "Vplumb_fc.h"
#include "base/random.h"
#include "tests/hw/flow_control/fc_bench.h"
#include "wire/frame.h"

namespace plumbline::test {
namespace {

constexpr std::uint64_t kClockPs = 3104;  // the longest clock
const wire::MacAddress kSource{{0x02, 0x11, 0x22, 0x33, 0x44, 0x55}};

void setSource(FcBench& bench) { bench.pins().cfg_source_i = 0x021122334455; }

wire::Buffer withoutFcs(wire::Buffer frame) {
  frame.resize(frame.size() - 4);
  return frame;
}

wire::Buffer expectedPfc(std::uint8_t mask, std::uint8_t off, std::uint16_t quanta) {
  wire::PfcHeader pfc;
  pfc.enabled = mask;
  for (std::size_t p = 0; p < 8; ++p) {
    if ((mask & off & 1U << p) != 0) pfc.quanta[p] = quanta;
  }
  wire::FrameSpec spec;
  spec.destination = wire::kMacControlAddress;
  spec.source = kSource;
  spec.network = pfc;
  return withoutFcs(wire::encodeFrame(spec));
}

TEST(FcFrames, SoftwareFramesCarryMaskAndTime) {
  FcBench bench;
  setSource(bench);
  RandomStream random(3, "frames");
  for (int i = 0; i < 200; ++i) {
    const auto mask = static_cast<std::uint8_t>(random.below(256));
    const auto quanta = static_cast<std::uint16_t>(i % 3 == 0 ? 0 : random.below(65536));
    bench.pins().cfg_send_mask_i = mask;
    bench.pins().cfg_send_quanta_i = quanta;
    bench.pulse(bench.pins().send_i);
    EXPECT_EQ(bench.pins().send_busy_o, 1);
    bench.clocks(8);
    EXPECT_EQ(bench.pins().send_busy_o, 0);
    ASSERT_EQ(bench.control.size(), 1U);
    EXPECT_EQ(bench.control.front().bytes, expectedPfc(mask, mask, quanta));
    bench.control.clear();
  }
}

TEST(FcFrames, CcUpdateCarriesTheCreditsConsumed) {
  FcBench bench;
  setSource(bench);
  auto& pins = bench.pins();
  pins.cfg_cell_log2_i = 5;
  pins.cfg_cbfc_tx_i = 0xFF;
  for (std::uint32_t v = 0; v < 8; ++v) FcBench::setField(pins.cfg_credits_i, 32, v, 0xFFFFF);
  bench.clocks(20);
  std::array<std::uint32_t, 16> consumed{};
  RandomStream random(4, "cc");
  for (int i = 0; i < 3000; ++i) {
    const auto priority = static_cast<std::uint32_t>(random.below(8));
    const auto length = static_cast<std::uint32_t>(64 + random.below(9153));
    pins.root_length_i = length;
    pins.root_priority_i = priority;
    bench.clock();
    pins.sent_i = 1;
    bench.clock();
    pins.sent_i = 0;
    consumed[priority] += (length + 31) / 32;
  }
  pins.cfg_cc_period_i = 100;
  bench.control.clear();
  bench.clocks(1050);
  ASSERT_EQ(bench.control.size(), 10U);
  wire::CcUpdate update;
  for (std::size_t v = 0; v < 8; ++v) update.consumed[v] = consumed[v] & 0xFFFFF;
  wire::FrameSpec spec;
  spec.destination = wire::kMacControlAddress;
  spec.source = kSource;
  spec.network = update;
  const wire::Buffer expected = withoutFcs(wire::encodeFrame(spec));
  for (std::size_t i = 0; i < bench.control.size(); ++i) {
    EXPECT_EQ(bench.control[i].bytes, expected);
    if (i == 0) continue;
    EXPECT_EQ(bench.control[i].clock - bench.control[i - 1].clock, 100U);
  }
}

struct Storm {
  std::uint32_t count = 0;
  std::uint32_t period_ps = 0;
};
class FcStorm : public testing::TestWithParam<Storm> {};

TEST_P(FcStorm, EveryFrameIsOnItsGridToTheClock) {
  FcBench bench;
  setSource(bench);
  auto& pins = bench.pins();
  const std::uint64_t start = bench.cross() + 1'234'567;
  pins.cfg_storm_mask_i = 0x09;
  pins.cfg_storm_quanta_i = 0xFFFF;
  pins.cfg_storm_count_i = GetParam().count;
  pins.cfg_storm_period_i = GetParam().period_ps;
  pins.cfg_storm_time_i = start;
  bench.pulse(pins.storm_start_i);
  for (std::uint64_t i = 0; i < 4'000'000 && pins.storm_active_o != 0; ++i) bench.clock();
  EXPECT_EQ(pins.storm_active_o, 0);
  bench.clocks(50);
  ASSERT_EQ(bench.control.size(), GetParam().count);
  const wire::Buffer expected = expectedPfc(0x09, 0x09, 0xFFFF);
  for (std::size_t i = 0; i < bench.control.size(); ++i) {
    const std::uint64_t due = start + i * GetParam().period_ps;
    ASSERT_EQ(bench.control[i].bytes, expected);
    ASSERT_GE(bench.control[i].cross, due) << i;
    ASSERT_LE(bench.control[i].cross, due + kClockPs) << i;
  }
  EXPECT_EQ(bench.storm_late_pulses, 0U);
  EXPECT_EQ(FcBench::field(pins.cnt_tx_xoff_o, 64, 3), GetParam().count);
  EXPECT_EQ(FcBench::field(pins.cnt_tx_xoff_o, 64, 1), 0U);
}

INSTANTIATE_TEST_SUITE_P(Storms, FcStorm,
                         testing::Values(Storm{1, 1000}, Storm{2, 16'000}, Storm{1000, 13'440},
                                         Storm{500, 100'001}, Storm{100'000, 20'483}));

TEST(FcFrames, EndlessStormRunsUntilStoppedAndCatchesUp) {
  FcBench bench;
  auto& pins = bench.pins();
  pins.cfg_storm_mask_i = 1;
  pins.cfg_storm_quanta_i = 100;
  pins.cfg_storm_period_i = 50'000;
  bench.pulse(pins.storm_start_i);  // at once
  bench.clocks(200);
  ASSERT_GT(bench.control.size(), 10U);
  const std::uint64_t first = bench.control.front().cross;
  // The wire is taken for a long time: the frames behind follow at once, and the grid stays.
  bench.wire_free = [] { return false; };
  bench.clocks(300);
  bench.wire_free = nullptr;
  bench.clocks(500);
  // The first frame may be two clocks behind its own time, any other one as well.
  const std::uint64_t last = bench.control.back().cross - first + 2 * kClockPs;
  const std::uint64_t grid = last / 50'000;
  EXPECT_EQ(bench.control.size(), grid + 1);
  EXPECT_LE(last - grid * 50'000, 4 * kClockPs);
  EXPECT_EQ(pins.storm_active_o, 1);
  bench.pulse(pins.storm_stop_i);
  const std::size_t sent = bench.control.size();
  bench.clocks(200);
  EXPECT_EQ(bench.control.size(), sent);
  EXPECT_EQ(pins.storm_active_o, 0);
}

TEST(FcFrames, StormStartedTooLateSaysSo) {
  FcBench bench;
  auto& pins = bench.pins();
  pins.cfg_storm_mask_i = 1;
  pins.cfg_storm_count_i = 3;
  pins.cfg_storm_period_i = 50'000;
  pins.cfg_storm_time_i = bench.cross() - 100'000;
  bench.pulse(pins.storm_start_i);
  bench.clocks(100);
  EXPECT_EQ(bench.storm_late_pulses, 1U);
  EXPECT_EQ(bench.control.size(), 3U);
}

// What the buffer wants goes before software's frame, that before the storm's.
TEST(FcFrames, Order) {
  FcBench bench;
  setSource(bench);
  auto& pins = bench.pins();
  pins.cfg_watermark_i = 0x10;
  pins.cfg_watermark_quanta_i = 0x1111;
  pins.cfg_refresh_i = 0xFFFFFFFF;
  FcBench::setField(pins.cfg_xoff_i, 32, 4, 1000);
  pins.cfg_send_mask_i = 0x02;
  pins.cfg_send_quanta_i = 0x2222;
  pins.cfg_storm_mask_i = 0x04;
  pins.cfg_storm_quanta_i = 0x3333;
  pins.cfg_storm_count_i = 1;
  bench.wire_free = [] { return false; };
  bench.pulse(pins.storm_start_i);
  bench.pulse(pins.send_i);
  bench.receive(taggedFrame(4, 1500));
  bench.clocks(60);
  bench.wire_free = nullptr;
  bench.clocks(20);
  ASSERT_EQ(bench.control.size(), 3U);
  EXPECT_EQ(bench.control[0].bytes, expectedPfc(0x10, 0x10, 0x1111));
  EXPECT_EQ(bench.control[1].bytes, expectedPfc(0x02, 0x02, 0x2222));
  EXPECT_EQ(bench.control[2].bytes, expectedPfc(0x04, 0x04, 0x3333));
}

}  // namespace
}  // namespace plumbline::test
