// The log of pauses: order, times, depth, what is lost.
#include <gtest/gtest.h>

#include <deque>

#include "Vplumb_fc.h"
#include "base/random.h"
#include "tests/hw/flow_control/fc_bench.h"

namespace plumbline::test {
namespace {

constexpr std::uint32_t kDepth = 1024;

TEST(FcTrace, ReceivedEventsInOrderUntilItIsFull) {
  FcBench bench;
  auto& pins = bench.pins();
  bench.receivedPause(0xFF, 0);  // not enabled: not there
  pins.cfg_trace_i = 1;
  RandomStream random(5, "trace");
  std::deque<TraceEntry> expected;
  std::uint64_t lost = 0;
  for (int i = 0; i < 6000; ++i) {
    // Two events for each that is read, later one for two: it runs full and empty again.
    const bool push = random.below(3) < (i < 3500 ? 2U : 1U);
    if (push) {
      TraceEntry entry;
      entry.starts = static_cast<std::uint8_t>(random.below(256));
      entry.ends = static_cast<std::uint8_t>(1 + random.below(255));
      entry.time = bench.now();
      bench.receivedPause(entry.starts, entry.ends);
      if (expected.size() < kDepth) {
        expected.push_back(entry);
      } else {
        ++lost;
      }
    } else if (!expected.empty()) {
      ASSERT_EQ(bench.popTrace(), expected.front());
      expected.pop_front();
    }
  }
  EXPECT_GT(lost, 10U);
  bench.clocks(3);
  EXPECT_EQ(pins.cnt_trace_lost_o, lost);
  EXPECT_EQ(pins.trace_level_o, expected.size());
  while (!expected.empty()) {
    ASSERT_EQ(bench.popTrace(), expected.front());
    expected.pop_front();
  }
  bench.clocks(3);
  EXPECT_EQ(pins.trace_valid_o, 0);
  EXPECT_EQ(pins.trace_level_o, 0);
}

// A pause that the port sends begins with its departure and lasts as long as it says; XOFF again
// prolongs it, XON ends it.
TEST(FcTrace, SentPausesWithTheirEnds) {
  FcBench bench;
  auto& pins = bench.pins();
  pins.cfg_trace_i = 1;
  const auto send = [&](std::uint8_t mask, std::uint16_t quanta) {
    pins.cfg_send_mask_i = mask;
    pins.cfg_send_quanta_i = quanta;
    bench.pulse(pins.send_i);
    bench.clocks(5);
    return bench.control.back().cross;
  };
  const auto near = [](const TraceEntry& entry, std::uint64_t time) {
    // Three clocks from the decision to the pause as counted, one more to see its end.
    EXPECT_GE(entry.time, time);
    EXPECT_LE(entry.time, time + std::uint64_t{4} * 3104) << entry.time - time;
  };
  const std::uint64_t first = send(0x06, 100);  // 512 ns
  bench.clocks(100);
  const std::uint64_t again = send(0x02, 100);
  bench.clocks(300);
  const std::uint64_t third = send(0x80, 0xFFFF);
  bench.clocks(50);
  const std::uint64_t on = send(0x80, 0);

  TraceEntry entry = bench.popTrace();
  EXPECT_EQ(entry.starts, 0x06);
  EXPECT_EQ(entry.ends, 0);
  EXPECT_TRUE(entry.sent);
  near(entry, first);
  entry = bench.popTrace();
  EXPECT_EQ(entry.ends, 0x04);
  near(entry, first + 512'000);
  entry = bench.popTrace();
  EXPECT_EQ(entry.ends, 0x02);
  near(entry, again + 512'000);
  entry = bench.popTrace();
  EXPECT_EQ(entry.starts, 0x80);
  near(entry, third);
  entry = bench.popTrace();
  EXPECT_EQ(entry.ends, 0x80);
  near(entry, on);
  EXPECT_EQ(pins.trace_level_o, 0);
  EXPECT_EQ(pins.cnt_trace_lost_o, 0U);
}

// Sent and received in the same clock: both are there.
TEST(FcTrace, BothDirectionsAtOnce) {
  FcBench bench;
  auto& pins = bench.pins();
  pins.cfg_trace_i = 1;
  pins.cfg_send_mask_i = 1;
  pins.cfg_send_quanta_i = 1;  // starts and ends soon
  std::uint64_t entries = 0;
  for (int offset = 0; offset < 12; ++offset) {
    bench.pulse(pins.send_i);
    for (int i = 0; i < 12; ++i) {
      if (i == offset) {
        bench.receivedPause(0x40, 0);
      } else {
        bench.clock();
      }
    }
    bench.clocks(20);
    entries += 3;
    ASSERT_EQ(pins.trace_level_o, entries) << offset;
  }
  EXPECT_EQ(pins.cnt_trace_lost_o, 0U);
}

}  // namespace
}  // namespace plumbline::test
