// Tables, clear, stop, counters: everything of plumb_tx but the frames and their times.
#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/hw/tx/tx_bench.h"
#include "tests/hw/tx/tx_model.h"

namespace plumbline::test {
namespace {

FlowConfig flowOf(std::uint32_t length, std::uint64_t period_ps) {
  return {.length = length, .pay_off = 42, .period = period_ps * kPsFraction};
}

void begin(TxBench& bench, std::uint64_t ahead = 1'000'000) {
  bench.setStartTime(bench.now() + ahead);
  bench.setRunning(true);
}

TEST(TxTables, RowsKeepWhatIsWritten) {
  TxBench bench;
  RandomStream random(1, "rows");
  std::vector<Row> templates(1024);
  std::vector<Row> configs(256);
  std::vector<Row> entries(256);
  for (std::uint32_t row = 0; row < 1024; ++row) {
    for (auto& word : templates[row]) word = static_cast<std::uint32_t>(random.next());
    EXPECT_LE(bench.writeRow(0, row, templates[row]), 5U);
  }
  for (std::uint32_t row = 0; row < 256; ++row) {
    // Every field of the table, every bit at random.
    for (const auto& [low, width] :
         std::initializer_list<std::pair<std::uint32_t, std::uint32_t>>{{0, 14},
                                                                        {16, 48},
                                                                        {64, 13},
                                                                        {80, 56},
                                                                        {136, 33},
                                                                        {176, 33},
                                                                        {216, 16},
                                                                        {256, 89},
                                                                        {352, 96}}) {
      for (std::uint32_t bit = low; bit < low + width; ++bit) {
        setBits(configs[row], bit, 1, random.below(2));
      }
    }
    EXPECT_LE(bench.writeRow(1, row, configs[row]), 5U);
    for (std::uint32_t bit = 0; bit < 88; ++bit) setBits(entries[row], bit, 1, random.below(2));
    setBits(entries[row], 96, 1, 1);
    EXPECT_LE(bench.writeRow(2, row, entries[row]), 5U);
  }
  Row got{};
  for (std::uint32_t row = 0; row < 1024; ++row) {
    EXPECT_LE(bench.readRow(0, row, got), 5U);
    EXPECT_EQ(got, templates[row]) << row;
  }
  for (std::uint32_t row = 0; row < 256; ++row) {
    bench.readRow(1, row, got);
    EXPECT_EQ(got, configs[row]) << row;
    bench.readRow(2, row, got);
    EXPECT_EQ(got, entries[row]) << row;
    bench.readRow(3, row, got);
    EXPECT_EQ(got, Row{}) << row;
  }
  // An entry without `valid` reads as nothing.
  setBits(entries[7], 96, 1, 0);
  bench.writeRow(2, 7, entries[7]);
  bench.readRow(2, 7, got);
  EXPECT_EQ(got, Row{});
}

TEST(TxTables, RowsThatDoNotExist) {
  TxBench bench;
  Row ones;
  ones.fill(0xFFFFFFFF);
  bench.writeRow(0, 1024, ones);
  bench.writeRow(1, 256, ones);
  bench.writeRow(2, 256, ones);
  bench.writeRow(2, 0x8000, ones);
  bench.writeRow(3, 0, ones);
  Row got{};
  for (const auto& [table, row] : std::initializer_list<std::pair<std::uint32_t, std::uint32_t>>{
           {0, 1024}, {1, 256}, {2, 256}, {2, 0x8000}, {3, 256}, {2, 0}, {3, 0}}) {
    got = ones;
    bench.readRow(table, row, got);
    EXPECT_EQ(got, Row{}) << table << " " << row;
  }
  EXPECT_FALSE(bench.active());
}

TEST(TxTables, WhileRunning) {
  TxBench bench;
  const FlowConfig flow = flowOf(64, 6720);
  bench.loadFlow(0, flow);
  bench.loadSchedule({{0, 0}});
  begin(bench);
  bench.clocks(1000);
  // Rows that the schedule works on are left alone, and read as zero; in bounded time.
  Row got{};
  got.fill(1);
  bench.readRow(1, 0, got);
  EXPECT_EQ(got, Row{});
  Row ones;
  ones.fill(0xFFFFFFFF);
  for (std::uint32_t table = 0; table < 3; ++table) bench.writeRow(table, 0, ones);
  // The state is there at any time: never more than what was decided, never less than what left.
  std::uint64_t last = 0;
  for (int i = 0; i < 400; ++i) {
    const std::uint64_t sent = bench.counters().frames;
    Row state{};
    EXPECT_LE(bench.readRow(3, 0, state), 6U);
    const std::uint64_t sequence = getBits(state, 0, 64);
    EXPECT_GE(sequence, sent);
    EXPECT_LE(sequence, bench.counters().frames + 20);
    EXPECT_GE(sequence, last);
    last = sequence;
    if (i % 3 == 0) bench.clock();
  }
  bench.setRunning(false);
  bench.clocks(100);
  bench.readRow(1, 0, got);
  EXPECT_EQ(got, flow.row());
  bench.readRow(0, 0, got);
  EXPECT_EQ(got, flow.templateRow(0));
  EXPECT_EQ(bench.state(0).sequence, bench.counters().frames);
}

TEST(TxControl, DisabledPortsStayStill) {
  TxBench bench;
  bench.loadFlow(0, flowOf(64, 6720));
  bench.loadSchedule({{0, 0}});
  bench.setEnable(false);
  begin(bench);
  bench.clocks(2000);
  EXPECT_TRUE(bench.sent.empty());
  EXPECT_TRUE(bench.active());
}

// Stopping in any clock leaves whole frames; going on continues sequence and grid.
TEST(TxControl, StopAndGoOn) {
  TxBench bench;
  bench.loadFlow(0, flowOf(700, 60'000));
  bench.loadFlow(1, flowOf(64, 30'000));
  bench.loadSchedule({{0, 0}, {0, 1}});
  begin(bench);
  bench.clocks(500);
  for (std::uint64_t stop = 0; stop < 60; ++stop) {
    bench.setRunning(true);
    bench.clocks(100 + stop);
    bench.setRunning(false);
    bench.clocks(70);
    const std::size_t sent = bench.sent.size();
    bench.clocks(100);
    ASSERT_EQ(bench.sent.size(), sent) << "went on sending";
    ASSERT_EQ(bench.state(0).sequence + bench.state(1).sequence, sent) << "stopped in a frame";
    ASSERT_EQ(bench.counters().frames, sent);
    ASSERT_TRUE(bench.active());
  }
  for (const SentFrame& frame : bench.sent) {
    ASSERT_TRUE(frame.length == 700 || frame.length == 64);
  }
}

TEST(TxControl, ActiveFallsWhenAllIsSent) {
  TxBench bench;
  FlowConfig flow = flowOf(9216, 738'880);
  flow.burst_len = 3;
  flow.burst_count = 1;
  bench.loadFlow(9, flow);
  EXPECT_FALSE(bench.active());
  bench.loadSchedule({{0, 9}});
  EXPECT_TRUE(bench.active());
  begin(bench);
  while (bench.active() && bench.edge() < 100'000) {
    bench.clock();
    ASSERT_EQ(bench.active(), bench.counters().frames < 3);
  }
  EXPECT_EQ(bench.sent.size(), 3U);
  EXPECT_LE(bench.edge(), bench.sent.back().last_edge + 2);
  EXPECT_EQ(bench.counters(), (TxCounters{.frames = 3,
                                          .bytes = 3ULL * 9216,
                                          .late = 0,
                                          .late_max_ps = bench.counters().late_max_ps,
                                          .pfc_skipped = 0,
                                          .stall_clocks = 0}));
}

TEST(TxControl, ClearZeroesEverything) {
  TxBench bench;
  FlowConfig flow = flowOf(80, 7000);
  flow.roce = flow.psn_en = flow.qp_en = true;
  flow.qp_count = 7;
  flow.tag_en = true;
  flow.tag_off = 54;
  flow.pay_off = 72;
  flow.sport_mode = 2;
  flow.sport_count = 1000;
  bench.keep_bytes = true;
  for (int round = 0; round < 4; ++round) {
    bench.loadFlow(200, flow);
    bench.loadSchedule({{0, 200}});
    bench.setPaused(round == 2 ? 1 : 0);
    begin(bench, round == 1 ? 0 : 1'000'000);
    bench.clocks(1000);
    bench.setPaused(0);
    bench.clocks(200 + static_cast<std::uint64_t>(round));
    ASSERT_GT(bench.sent.size(), 5U);
    // Each round begins with frame 0 of everything.
    for (std::size_t k = 0; k < bench.sent.size(); ++k) {
      ASSERT_EQ(bench.sent[k].bytes, expectedFrame(flow, k, bench.sent[k].departure)) << k;
    }
    if (round == 3) break;
    // Odd rounds are cleared while they run.
    if (round % 2 == 0) bench.setRunning(false);
    if (round % 2 == 0) bench.clocks(100);
    bench.clear();
    bench.setRunning(false);
    bench.clocks(60);
    EXPECT_FALSE(bench.active());
    const std::size_t behind = round % 2 == 0 ? 0 : 20;  // frames that were on their way
    EXPECT_LE(bench.counters().frames, behind);
    EXPECT_EQ(bench.counters().pfc_skipped, 0U);
    EXPECT_EQ(bench.state(200), TxState{});
    Row row{};
    for (std::uint32_t position = 0; position < 256; ++position) {
      bench.readRow(2, position, row);
      ASSERT_EQ(row, Row{});
    }
    bench.clear();
    EXPECT_EQ(bench.counters(), TxCounters{});
    bench.sent.clear();
  }
}

// Rows asked for while a clear runs come when it is over, in bounded time.
TEST(TxControl, RowsDuringClear) {
  TxBench bench;
  const FlowConfig flow = flowOf(64, 7000);
  bench.loadFlow(3, flow);
  bench.pulseClear();
  Row got{};
  bench.readRow(1, 3, got);  // the bench fails beyond 300 clocks
  EXPECT_EQ(got, flow.row());
}

// A run armed too late: frames leave at once, one behind the other, and are counted as late.
TEST(TxLate, CountedAgainstTheThreshold) {
  TxBench bench;
  FlowConfig flow = flowOf(64, 10'000);
  flow.burst_len = 300;
  flow.burst_count = 1;
  bench.loadFlow(0, flow);
  bench.loadSchedule({{0x8000, 0}});
  bench.setLateThreshold(50'000);
  bench.setStartTime(bench.now() - 500'000);
  bench.setRunning(true);
  bench.clocks(10);
  bench.runUntilIdle(3000);
  ASSERT_EQ(bench.sent.size(), 300U);
  std::uint64_t late = 0;
  std::uint64_t max = 0;
  for (std::uint64_t k = 0; k < 300; ++k) {
    // Due half a picosecond behind the grid; lateness above the threshold exactly when its whole
    // picoseconds are.
    const std::uint64_t lateness = bench.sent[k].departure - bench.startTime() - k * 10'000;
    late += lateness > 50'000 ? 1 : 0;
    max = std::max(max, lateness);
  }
  EXPECT_GT(late, 50U);
  EXPECT_LT(late, 250U);
  EXPECT_EQ(bench.counters().late, late);
  EXPECT_EQ(bench.late_pulses, late);
  EXPECT_EQ(bench.counters().late_max_ps, max);
  // Back to back until the grid is reached, then on it.
  EXPECT_EQ(bench.sent[50].departure - bench.sent[0].departure, 50 * slot(64));
  EXPECT_LT(bench.sent[299].departure - bench.startTime() - 299ULL * 10'000, 3105U);
}

}  // namespace
}  // namespace plumbline::test
