// plumb_rx as a whole: bursts, overflow, clear, and the table bus.
#include <gtest/gtest.h>

#include "tests/hw/rx/rx_bench.h"
#include "tests/hw/rx/rx_frames.h"

namespace plumbline::test {
namespace {

constexpr std::uint64_t kQueue = 512;

wire::Buffer shortFrame(std::uint32_t row, std::uint64_t sequence, RandomStream& random) {
  FrameOptions options{.length = 64};
  options.tag = wire::TestTag{.id = wire::TestTag::makeId(1, row), .sequence = sequence};
  return makeFrame(options, random);
}

TEST(RxPort, BurstOfOneFramePerClockUpToTheQueue) {
  RxBench bench;
  RandomStream random(1, "port/burst");
  // One event leaves the queue every two clocks while one comes every clock.
  const std::uint64_t count = 2 * kQueue - 16;
  for (std::uint64_t s = 0; s < count; ++s) bench.send(shortFrame(3, s, random));
  bench.settle();
  EXPECT_EQ(bench.flowRow(3),
            (FlowRow{.frames = count, .bytes = 64 * count, .next_sequence = count}));
  EXPECT_EQ(bench.groupRow(1).count, count);
  EXPECT_EQ(bench.counters(), (PortCounters{.frames = count, .bytes = 64 * count}));
  EXPECT_EQ(bench.overflow_pulses, 0U);
}

TEST(RxPort, OverflowIsCountedToTheFrame) {
  RxBench bench;
  RandomStream random(2, "port/overflow");
  const std::uint64_t count = 4000;
  for (std::uint64_t s = 0; s < count; ++s) bench.send(shortFrame(3, s, random));
  bench.settle();
  const PortCounters counters = bench.counters();
  const FlowRow row = bench.flowRow(3);
  EXPECT_EQ(counters.frames, count);
  EXPECT_GT(counters.event_overflow, count / 2 - 2 * kQueue);
  EXPECT_LT(counters.event_overflow, count / 2);
  EXPECT_EQ(counters.event_overflow, bench.overflow_pulses);
  EXPECT_EQ(row.frames + counters.event_overflow, count);
  EXPECT_EQ(row.frames + row.lost, row.next_sequence);
  // Afterwards all is as before.
  for (std::uint64_t s = 0; s < 100; ++s) {
    bench.send(shortFrame(4, s, random));
    bench.idle(1);
  }
  bench.settle();
  EXPECT_EQ(bench.flowRow(4).frames, 100U);
  EXPECT_EQ(bench.counters().event_overflow, counters.event_overflow);
}

TEST(RxPort, LineRateOfShortestFramesNeverOverflows) {
  RxBench bench;
  RandomStream random(3, "port/rate");
  // 84 bytes of 80 ps per frame, on the clock grid of 102400/33 ps: bursts of the MAC included.
  const std::uint64_t count = 20000;
  std::uint64_t sent = 0;
  const std::uint64_t start = bench.now();
  while (sent < count) {
    if (bench.now() - start >= sent * 6720) {
      bench.send(shortFrame(static_cast<std::uint32_t>(sent % 2), sent / 2, random));
      ++sent;
    } else {
      bench.idle(1);
    }
  }
  bench.settle();
  EXPECT_EQ(bench.counters(), (PortCounters{.frames = count, .bytes = 64 * count}));
  for (std::uint32_t row = 0; row < 2; ++row) {
    EXPECT_EQ(bench.flowRow(row),
              (FlowRow{.frames = count / 2, .bytes = 32 * count, .next_sequence = count / 2}));
  }
}

TEST(RxPort, ResetLeavesEverythingZero) {
  RxBench bench;
  for (const std::uint32_t row : {0, 1, 1000, 2047}) EXPECT_EQ(bench.flowRow(row), FlowRow{});
  for (std::uint32_t group = 0; group < 16; ++group) {
    EXPECT_EQ(bench.groupRow(group), GroupRow{});
    for (const std::uint32_t bucket : {0, 7, 8, 255, 256, 4000, 4351}) {
      EXPECT_EQ(bench.histogramCell(group, bucket), 0U);
    }
  }
  EXPECT_EQ(bench.counters(), PortCounters{});
}

TEST(RxPort, ClearUnderTrafficStartsEverythingAtOneMoment) {
  RxBench bench;
  RandomStream random(4, "port/clear");
  std::uint64_t sequence = 0;
  for (int round = 0; round < 5; ++round) {
    // A queue that is not empty, and updates on their way.
    for (int i = 0; i < 300; ++i) bench.send(shortFrame(9, sequence++, random));
    bench.idle(random.below(8));
    bench.pulseClear();
    while (bench.clearBusy()) {
      bench.send(shortFrame(9, sequence++, random));
      bench.idle(2);
      if (bench.clearBusy()) {
        EXPECT_EQ(bench.counters(), PortCounters{});
      }
    }
    for (int i = 0; i < 50; ++i) {
      bench.send(shortFrame(9, sequence++, random));
      bench.idle(2);
    }
    bench.settle();
    const PortCounters counters = bench.counters();
    const FlowRow row = bench.flowRow(9);
    EXPECT_GE(counters.frames, 50U);
    EXPECT_LE(counters.frames, 55U);
    EXPECT_EQ(counters, (PortCounters{.frames = counters.frames, .bytes = 64 * counters.frames}));
    EXPECT_EQ(row.frames, counters.frames);
    EXPECT_EQ(row.next_sequence, sequence);
    EXPECT_EQ(row.lost, sequence - row.frames);
    EXPECT_EQ(bench.groupRow(1).count, row.frames);
  }
}

TEST(RxPort, ClearTakesUnder10000Clocks) {
  RxBench bench;
  const std::uint64_t start = bench.cycle();
  bench.clear();
  EXPECT_LT(bench.cycle() - start, 10000U);
  // Begun again half way, it is a whole one.
  RandomStream random(5, "port/again");
  bench.send(shortFrame(2047, 0, random));
  bench.settle();
  bench.pulseClear();
  bench.idle(1500);
  bench.pulseClear();
  while (bench.clearBusy()) bench.idle(1);
  EXPECT_EQ(bench.flowRow(2047), FlowRow{});
}

TEST(RxPort, TableBusAnswersItsOwnTablesOnly) {
  RxBench bench;
  RandomStream random(6, "port/table");
  bench.send(shortFrame(0, 0, random));
  bench.settle();
  for (const std::uint32_t table : {0, 1, 2, 3, 6, 7}) {
    bench.requestTable(table, 0);
    bench.idle(300);
    EXPECT_TRUE(bench.answers.empty()) << table;
  }
  // Writes are acknowledged and change nothing.
  const FlowRow before = bench.flowRow(0);
  bench.table(4, 0, true);
  bench.table(5, 1, true);
  EXPECT_EQ(bench.flowRow(0), before);
  EXPECT_EQ(bench.groupRow(1).count, 1U);
  // Rows that do not exist read as zero, not as another row.
  EXPECT_EQ(bench.flowRow(2048), FlowRow{});
  EXPECT_EQ(bench.groupRow(17).count, 0U);
}

}  // namespace
}  // namespace plumbline::test
