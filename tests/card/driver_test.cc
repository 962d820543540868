#include "card/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "tests/base/error_of.h"
#include "tests/card/fake_card.h"

namespace plumbline::card {
namespace {

using ::testing::HasSubstr;

FlowConfig flowAt(Picoseconds due, std::uint32_t row) {
  FlowConfig flow;
  flow.head.assign(200, static_cast<std::uint8_t>(row + 1));
  flow.length = 1024;
  flow.row = row;
  flow.first_due = due;
  flow.period = FinePeriod::fromPicoseconds(nanoseconds(100));
  return flow;
}

TEST(DriverOpen, ReadsWhatTheCardCanDo) {
  FakeCard card(4);
  const Driver driver(card);
  EXPECT_EQ(driver.info().ports, 4U);
  EXPECT_EQ(driver.info().data_bytes, 64U);
  EXPECT_EQ(driver.info().flows, 256U);
  EXPECT_EQ(driver.info().rows, 2048U);
  EXPECT_EQ(driver.info().groups, 16U);
  EXPECT_TRUE(driver.info().icrc);
  EXPECT_TRUE(driver.info().pfc_react);
  EXPECT_TRUE(driver.info().capture);
  EXPECT_TRUE(driver.info().rx_tracking);
  EXPECT_EQ(driver.info().clock_period_num, 102400U);
  EXPECT_EQ(driver.info().clock_period_den, 33U);
}

TEST(DriverOpen, RefusesWhatIsNoCard) {
  FakeCard card;
  card.words[regs::global::kId] = 0xFFFFFFFF;
  const Error error = errorOf([&] { Driver driver(card); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("0xFFFFFFFF"));
  EXPECT_THAT(error.remedy(), HasSubstr("0x504C554D"));
}

TEST(DriverOpen, RefusesAnotherMajorVersion) {
  FakeCard card;
  card.words[regs::global::kVersion] = (regs::kMapMajor + 1) << 24 | 3U << 16 | 7U;
  const Error error = errorOf([&] { Driver driver(card); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr(std::to_string(regs::kMapMajor + 1) + ".3.7"));
}

TEST(DriverOpen, RefusesAnotherMapOfTheSameVersion) {
  FakeCard card;
  card.words[regs::global::kMapHash] ^= 1;
  const Error error = errorOf([&] { Driver driver(card); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(error.where(), "MAP_HASH");
}

TEST(DriverOpen, TakesALaterMinorVersionWhoseMapDiffers) {
  FakeCard card;
  card.words[regs::global::kVersion] += 1U << 16;
  card.words[regs::global::kMapHash] ^= 1;
  EXPECT_NO_THROW(Driver{card});
}

TEST(DriverOpen, DetectsABusThatLosesBits) {
  FakeCard card;
  card.scratch_mask = 0xFFFFFFFE;
  const Error error = errorOf([&] { Driver driver(card); });
  EXPECT_EQ(error.kind(), ErrorKind::kTester);
  EXPECT_EQ(error.where(), "SCRATCH");
}

TEST(DriverOpen, RefusesACardWithoutPorts) {
  FakeCard card(0);
  EXPECT_EQ(errorOf([&] { Driver driver(card); }).kind(), ErrorKind::kTester);
}

TEST(DriverReset, ClearsAllPortsAndStickyFaults) {
  FakeCard card;
  Driver driver(card);
  card.words[regs::global::kSticky] = 1;
  card.words[0x100C] = card.words[0x200C] = 0xF;
  card.words[0x1000] = 0xFF07;
  driver.reset();
  EXPECT_EQ(card.words[regs::global::kSticky], 0U);
  EXPECT_EQ(card.words[0x100C], 0U);
  EXPECT_EQ(card.words[0x200C], 0U);
  EXPECT_EQ(card.words[0x1000], 0U);
  using Write = std::pair<std::uint32_t, std::uint32_t>;
  EXPECT_THAT(card.writes, ::testing::Contains(Write(0x1004, 3)));
  EXPECT_THAT(card.writes, ::testing::Contains(Write(0x2004, 3)));
  EXPECT_THAT(card.writes, ::testing::Contains(Write(regs::global::kControl, 2)));
}

TEST(DriverReset, GivesUpOnAClearThatNeverEnds) {
  FakeCard card;
  Driver driver(card);
  card.clear_stuck = true;
  const Error error = errorOf([&] { driver.reset(); });
  EXPECT_EQ(error.kind(), ErrorKind::kTester);
  EXPECT_THAT(error.what(), HasSubstr("clearing port 0"));
}

TEST(DriverTiming, WritesSignedOffsets) {
  FakeCard card;
  Driver driver(card);
  driver.setTiming(1,
                   {Picoseconds(40), Picoseconds(100310), Picoseconds(-106671), nanoseconds(20)});
  EXPECT_EQ(card.words[0x2010], 40U);
  EXPECT_EQ(card.words[0x2014], 100310U);
  EXPECT_EQ(card.words[0x2018], static_cast<std::uint32_t>(-106671));
  EXPECT_EQ(card.words[0x201C], 20000U);
  PortTiming impossible;
  impossible.rx_offset = seconds(1);
  EXPECT_EQ(errorOf([&] { driver.setTiming(0, impossible); }).kind(), ErrorKind::kUsage);
}

TEST(DriverControl, ChangesOnlyItsOwnFields) {
  FakeCard card;
  Driver driver(card);
  driver.setPfcReaction(0, 0x08);
  driver.setCapture(0, true, false);
  EXPECT_EQ(card.words[0x1000], 0x0802U);
  driver.setCapture(0, false, true);
  EXPECT_EQ(card.words[0x1000], 0x0804U);
  driver.setPfcReaction(0, 0);
  EXPECT_EQ(card.words[0x1000], 0x0004U);
}

TEST(DriverControl, RefusesWhatTheCardDoesNotHave) {
  FakeCard card;
  card.words[regs::global::kFeatures] = 1;
  Driver driver(card);
  EXPECT_EQ(errorOf([&] { driver.setPfcReaction(0, 1); }).kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(errorOf([&] { driver.setCapture(0, true, true); }).kind(), ErrorKind::kUnsupported);
  EXPECT_NO_THROW(driver.setPfcReaction(0, 0));
}

TEST(DriverFlows, WritesTemplatesConfigurationAndAHeap) {
  FakeCard card;
  Driver driver(card);
  const std::vector<FlowConfig> flows{flowAt(nanoseconds(30), 0), flowAt(nanoseconds(10), 1),
                                      flowAt(nanoseconds(30), 2), flowAt(nanoseconds(20), 3)};
  driver.loadFlows(1, flows);

  for (std::uint32_t flow = 0; flow < flows.size(); ++flow) {
    EXPECT_EQ((card.rows[{1, 1, flow}]), flowRow(flows[flow]));
    for (std::uint32_t beat = 0; beat < 4; ++beat) {
      EXPECT_EQ((card.rows[{1, 0, flow * 4 + beat}]), templateRow(flows[flow], beat));
    }
  }
  // Sorted by due time, equal ones in the order of the flows.
  const std::uint32_t order[] = {1, 3, 0, 2};
  for (std::uint32_t position = 0; position < 4; ++position) {
    const std::uint32_t flow = order[position];
    EXPECT_EQ((card.rows[{1, 2, position}]), scheduleRow(flows[flow], flow));
  }
  EXPECT_EQ(card.words[0x2000], 1U);  // tx_enable
  EXPECT_EQ(card.words[0x1000], 0U);
}

TEST(DriverFlows, NamesPortTableAndRowThatDoNotReadBack) {
  const std::vector<FlowConfig> flows{flowAt(nanoseconds(1), 0), flowAt(nanoseconds(2), 1)};
  struct Case {
    std::uint32_t table, row, word;
    const char* where;
  };
  for (const Case& bad : {Case{0, 6, 15, "port 1, table template, row 6"},
                          Case{1, 1, 13, "port 1, table flow, row 1"},
                          Case{2, 0, 3, "port 1, table schedule, row 0"}}) {
    FakeCard card;
    Driver driver(card);
    std::uint32_t written = 0;
    card.corrupt = [&](std::uint32_t port, std::uint32_t table, std::uint32_t row,
                       regs::TableRow& data) {
      if (port != 1 || table != bad.table || row != bad.row) return;
      written = data.at(bad.word);
      data.at(bad.word) ^= 0x80;
    };
    const Error error = errorOf([&] { driver.loadFlows(1, flows); });
    EXPECT_EQ(error.kind(), ErrorKind::kTester);
    EXPECT_EQ(error.where(), bad.where);
    char expected[16];
    std::snprintf(expected, sizeof expected, "0x%08X", written);
    EXPECT_EQ(error.remedy(), expected);
    std::snprintf(expected, sizeof expected, "0x%08X", written ^ 0x80);
    EXPECT_THAT(error.what(), HasSubstr(expected));
    EXPECT_EQ(card.words[0x2000], 0U) << "a port whose tables are wrong must not send";
  }
}

TEST(DriverFlows, DetectsATableThatKeepsNothing) {
  FakeCard card;
  Driver driver(card);
  card.corrupt = [](std::uint32_t, std::uint32_t, std::uint32_t, regs::TableRow& data) {
    data = {};
  };
  EXPECT_EQ(errorOf([&] { driver.loadFlows(0, std::vector{flowAt(Picoseconds(), 0)}); }).kind(),
            ErrorKind::kTester);
}

TEST(DriverFlows, RefusesMoreThanTheCardHolds) {
  FakeCard card;
  Driver driver(card);
  EXPECT_EQ(
      errorOf([&] { driver.loadFlows(0, std::vector(257, flowAt(Picoseconds(), 0))); }).kind(),
      ErrorKind::kUsage);
  FlowConfig flow = flowAt(Picoseconds(), 0);
  flow.group = 16;
  EXPECT_EQ(errorOf([&] { driver.loadFlows(0, std::vector{flow}); }).kind(), ErrorKind::kUsage);
  EXPECT_EQ(errorOf([&] { driver.loadFlows(2, {}); }).kind(), ErrorKind::kUsage);
}

TEST(DriverStart, ReadsTimeOfMoreThan32Bits) {
  FakeCard card;
  Driver driver(card);
  card.time = Picoseconds(0x1234567890);
  EXPECT_EQ(driver.cardTime(), Picoseconds(0x1234567890) + nanoseconds(10));
}

TEST(DriverStart, LeavesTimeToArmOnThisBus) {
  FakeCard card;
  Driver driver(card);
  const Picoseconds start = driver.earliestStart();
  driver.arm(start);
  // Three accesses of 10 ns; the schedulers need the 8 us before the start.
  EXPECT_GE(start - card.time, microseconds(8));
  EXPECT_EQ(card.words[regs::global::kStartTimeLo], static_cast<std::uint32_t>(start.count()));
  EXPECT_EQ(card.words[regs::global::kStartTimeHi],
            static_cast<std::uint32_t>(start.count() >> 32));
  EXPECT_EQ(card.writes.back(), (std::pair<std::uint32_t, std::uint32_t>(0x30, 1)));
}

TEST(DriverStart, IsSendingWhileArmedOrAnyPortActive) {
  FakeCard card;
  Driver driver(card);
  EXPECT_FALSE(driver.sending());
  card.words[regs::global::kStatus] = 1;
  EXPECT_TRUE(driver.sending());
  card.words[regs::global::kStatus] = 2;
  EXPECT_FALSE(driver.sending());
  card.words[0x2008] = 2;
  EXPECT_TRUE(driver.sending());
}

TEST(DriverFaults, TellsStickyBitsApart) {
  FakeCard card;
  Driver driver(card);
  EXPECT_FALSE(driver.lateStart());
  card.words[regs::global::kSticky] = 1;
  EXPECT_TRUE(driver.lateStart());
  for (std::uint32_t bit = 0; bit < 4; ++bit) {
    card.words[0x100C] = 1U << bit;
    const PortFaults faults = driver.faults(0);
    EXPECT_EQ(faults.tx_late, bit == 0);
    EXPECT_EQ(faults.tx_stall, bit == 1);
    EXPECT_EQ(faults.rx_event_overflow, bit == 2);
    EXPECT_EQ(faults.capture_overflow, bit == 3);
  }
}

TEST(DriverCounters, PortsCanBeLatchedBeforeAnyIsRead) {
  FakeCard card;
  Driver driver(card);
  constexpr std::uint32_t kTxFrames = 0x080;
  card.counters[0x1000 + kTxFrames] = 10;
  card.counters[0x2000 + kTxFrames] = 20;
  driver.latchCounters(0);
  driver.latchCounters(1);
  card.counters[0x1000 + kTxFrames] = 11;
  card.counters[0x2000 + kTxFrames] = 21;
  EXPECT_EQ(driver.latchedCounters(0).tx_frames, 10u);
  EXPECT_EQ(driver.latchedCounters(1).tx_frames, 20u);
  EXPECT_EQ(driver.counters(1).tx_frames, 21u);
}

TEST(DriverCounters, LatchesAndReadsAllOfOnePort) {
  FakeCard card;
  Driver driver(card);
  // A different value of more than 32 bits in every counter of both ports.
  for (const auto& counter : regs::port::kCounters) {
    for (std::uint32_t i = 0; i < counter.count; ++i) {
      const std::uint32_t offset = counter.offset + 8 * i;
      card.counters[0x1000 + offset] = 0x1'0000'0000ULL * offset + 1;
      card.counters[0x2000 + offset] = 0x1'0000'0000ULL * offset + 2;
    }
  }
  const auto value = [](std::uint32_t offset) { return 0x1'0000'0000ULL * offset + 2; };
  const PortCounters counters = driver.counters(1);
  EXPECT_EQ(counters.tx_frames, value(0x080));
  EXPECT_EQ(counters.tx_bytes, value(0x088));
  EXPECT_EQ(counters.tx_late, value(0x090));
  EXPECT_EQ(counters.tx_late_max_ps, value(0x098));
  EXPECT_EQ(counters.tx_pfc_skipped, value(0x0A0));
  EXPECT_EQ(counters.tx_stall_clocks, value(0x0A8));
  EXPECT_EQ(counters.rx_frames, value(0x0B0));
  EXPECT_EQ(counters.rx_bytes, value(0x0B8));
  EXPECT_EQ(counters.rx_fcs_errors, value(0x0C0));
  EXPECT_EQ(counters.rx_icrc_errors, value(0x0C8));
  EXPECT_EQ(counters.rx_runts, value(0x0D0));
  EXPECT_EQ(counters.rx_giants, value(0x0D8));
  EXPECT_EQ(counters.rx_untagged, value(0x0E0));
  EXPECT_EQ(counters.rx_unparsed, value(0x0E8));
  EXPECT_EQ(counters.rx_latency_negative, value(0x0F0));
  EXPECT_EQ(counters.rx_event_overflow, value(0x0F8));
  EXPECT_EQ(counters.rx_pause_frames, value(0x100));
  EXPECT_EQ(counters.rx_mac_control_other, value(0x108));
  EXPECT_EQ(counters.rx_bad_row, value(0x110));
  EXPECT_EQ(counters.rx_trimmed, value(0xA10));
  EXPECT_EQ(counters.rx_trimmed_bare, value(0xA18));
  EXPECT_EQ(counters.capture_dropped, value(0x118));
  for (std::uint32_t priority = 0; priority < 8; ++priority) {
    EXPECT_EQ(counters.rx_xoff[priority], value(0x200 + 8 * priority));
    EXPECT_EQ(counters.rx_xon[priority], value(0x240 + 8 * priority));
    EXPECT_EQ(counters.paused_ps[priority], value(0x280 + 8 * priority));
  }
}

TEST(DriverRows, ReadsStateOfAFlow) {
  FakeCard card;
  Driver driver(card);
  regs::tx_state_table::kSequence.set(card.rows[{0, 3, 7}], 1234567890123);
  EXPECT_EQ(driver.txState(0, 7).frames, 1234567890123U);
  EXPECT_EQ(driver.txState(1, 7).frames, 0U);
  regs::rx_flow_table::kNextSequence.set(card.rows[{1, 4, 2047}], 99);
  EXPECT_EQ(driver.rxFlow(1, 2047).next_sequence, 99U);
  EXPECT_EQ(errorOf([&] { (void)driver.rxFlow(0, 2048); }).kind(), ErrorKind::kUsage);
  EXPECT_EQ(errorOf([&] { (void)driver.txState(0, 256); }).kind(), ErrorKind::kUsage);
  EXPECT_EQ(errorOf([&] { (void)driver.latency(0, 16); }).kind(), ErrorKind::kUsage);
}

TEST(DriverRows, ReadsManyReceiveRows) {
  FakeCard card;
  Driver driver(card);
  const auto set = [&](std::uint32_t row, std::uint64_t frames, std::uint32_t depth) {
    regs::rx_flow_table::kFrames.set(card.rows[{1, 4, row}], frames);
    regs::rx_flow_table::kReorderDepth.set(card.rows[{1, 4, row}], depth);
  };
  set(11, 5, 77);
  set(13, std::uint64_t{1} << 40, 3);
  const Picoseconds before = card.time;
  const std::vector<RxFlow> flows = driver.rxFlows(1, 10, 5);
  // Two writes for each row, and the fifteen words that have fields.
  EXPECT_EQ(card.time - before, nanoseconds(10) * 5 * (2 + 15));
  ASSERT_EQ(flows.size(), 5U);
  EXPECT_EQ(flows[1].frames, 5U);
  EXPECT_EQ(flows[1].reorder_depth, 77U);
  EXPECT_EQ(flows[3].frames, std::uint64_t{1} << 40);
  EXPECT_EQ(flows[3].reorder_depth, 3U);
  for (const std::size_t empty : {0U, 2U, 4U}) EXPECT_EQ(flows[empty].frames, 0U);
  EXPECT_TRUE(driver.rxFlows(1, 2048, 0).empty());
  EXPECT_EQ(errorOf([&] { (void)driver.rxFlows(1, 2040, 9); }).kind(), ErrorKind::kUsage);
}

TEST(DriverRxTracking, WritesWhatIsAskedFor) {
  FakeCard card;
  Driver driver(card);
  driver.setRxTracking(1, {.wide_rows = true, .trim_dscp = 42});
  EXPECT_EQ(card.writes.back(), std::make_pair(0x2A00U, 0x2A03U));
  driver.setRxTracking(0, {.trim_by_length = true});
  EXPECT_EQ(card.writes.back(), std::make_pair(0x1A00U, 0x4U));
  driver.setRxTracking(0, {});
  EXPECT_EQ(card.writes.back(), std::make_pair(0x1A00U, 0x0U));
  EXPECT_EQ(errorOf([&] { driver.setRxTracking(0, {.trim_dscp = 64}); }).kind(), ErrorKind::kUsage);
}

TEST(DriverRxTracking, NeedsTheFeature) {
  FakeCard card;
  card.words[regs::global::kFeatures] &= ~0x200U;
  Driver driver(card);
  EXPECT_EQ(errorOf([&] { driver.setRxTracking(0, {.wide_rows = true}); }).kind(),
            ErrorKind::kUnsupported);
  driver.setRxTracking(0, {});
}

// Fills group 3 of port 1 with these latencies in ps, as the card would.
void fillGroup(FakeCard& card, const std::vector<std::uint64_t>& values) {
  namespace table = regs::group_table;
  regs::TableRow row{};
  std::uint64_t sum = 0;
  for (const std::uint64_t value : values) {
    sum += value;
    ++card.cells[{1, 3, stats::histogramBucket(value)}];
  }
  table::kCount.set(row, values.size());
  table::kMinimum.set(row, *std::min_element(values.begin(), values.end()));
  table::kMaximum.set(row, *std::max_element(values.begin(), values.end()));
  table::kSum.set(row, sum);
  card.rows[{1, 5, 3}] = row;
}

TEST(DriverLatency, ReadsOnlyTheOccupiedBuckets) {
  FakeCard card;
  Driver driver(card);
  const std::vector<std::uint64_t> values{612345, 612345, 700000, 655360, 901234};
  fillGroup(card, values);
  // A cell outside [minimum, maximum] must not be read.
  card.cells[{1, 3, stats::histogramBucket(901234) + 1}] = 77;
  stats::Histogram expected;
  for (const std::uint64_t value : values) expected.record(value);

  const stats::Histogram actual = driver.latency(1, 3);
  EXPECT_EQ(actual.count(), 5U);
  EXPECT_EQ(actual.minimum(), 612345U);
  EXPECT_EQ(actual.maximum(), 901234U);
  EXPECT_EQ(actual.sumLow(), expected.sumLow());
  ASSERT_EQ(actual.cells().size(), expected.cells().size());
  for (std::size_t i = 0; i < actual.cells().size(); ++i) {
    EXPECT_EQ(actual.cells()[i].bucket, expected.cells()[i].bucket);
    EXPECT_EQ(actual.cells()[i].count, expected.cells()[i].count);
  }
  EXPECT_EQ(driver.latency(0, 3).count(), 0U);
}

TEST(DriverLatency, RefusesAHistogramThatContradictsItsSummary) {
  FakeCard card;
  Driver driver(card);
  fillGroup(card, {612345, 700000});
  card.cells[{1, 3, stats::histogramBucket(700000)}] = 2;
  const Error error = errorOf([&] { (void)driver.latency(1, 3); });
  EXPECT_EQ(error.kind(), ErrorKind::kTester);
  EXPECT_EQ(error.where(), "port 1, group 3");
}

}  // namespace
}  // namespace plumbline::card
