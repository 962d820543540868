// Flows with gaps of their own, queue pairs and messages: their rows, and refused settings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

#include "base/error.h"
#include "card/driver.h"
#include "tests/card/fake_card.h"

namespace plumbline::card {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint32_t kFlowTable = 1;
constexpr std::uint32_t kScheduleTable = 2;
constexpr std::uint32_t kGapTable = 6;
constexpr std::uint32_t kQpTable = 7;
constexpr std::uint32_t kPatternTable = 8;

// Bits [low + width - 1 : low] of a row.
std::uint64_t bitsAt(const regs::TableRow& row, std::uint32_t low, std::uint32_t width) {
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < width; ++i) {
    value |= static_cast<std::uint64_t>(row.at((low + i) / 32) >> ((low + i) % 32) & 1U) << i;
  }
  return value;
}

FlowConfig plainFlow() {
  FlowConfig flow;
  flow.head.assign(64, 0x11);
  flow.length = 1024;
  flow.period = FinePeriod::fromPicoseconds(nanoseconds(100));
  return flow;
}

FlowConfig roceFlow(std::uint32_t pairs) {
  FlowConfig flow = plainFlow();
  flow.roce = flow.modify_qp = flow.modify_psn = true;
  flow.queue_pairs.emplace();
  for (std::uint32_t i = 0; i < pairs; ++i) {
    flow.queue_pairs->pairs.push_back({0x100 + i, 0x7000 + i});
  }
  return flow;
}

FlowConfig messageFlow(std::uint32_t pairs, std::uint32_t frames) {
  FlowConfig flow = roceFlow(pairs);
  flow.message = Message{.frames = frames,
                         .middle = {.head = std::vector<std::uint8_t>(64, 0x22),
                                    .length = 900,
                                    .payload_offset = 80,
                                    .tag_offset = 60},
                         .last = {.head = std::vector<std::uint8_t>(64, 0x33),
                                  .length = 300,
                                  .payload_offset = 81,
                                  .tag_offset = 61}};
  return flow;
}

Error refusalOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorKind::kTester, ""};
}

TEST(DriverPatterns, ExponentialGaps) {
  FakeCard card;
  Driver driver(card);
  std::vector<FlowConfig> flows(3, plainFlow());
  flows[1].gaps = ExponentialGaps{FinePeriod::fromRaw(0x123456789ABCD), 1};
  flows[2].gaps = ExponentialGaps{FinePeriod::fromRaw(0x123456789ABCD), 2};
  driver.loadFlows(0, flows);
  EXPECT_FALSE(card.rows.contains({0, kPatternTable, 0})) << "a plain flow needs no pattern";
  const regs::TableRow& one = card.rows[{0, kPatternTable, 1}];
  const regs::TableRow& two = card.rows[{0, kPatternTable, 2}];
  EXPECT_EQ(bitsAt(one, 0, 2), 1U);
  EXPECT_EQ(bitsAt(one, 224, 59), 0x123456789ABCDU);
  EXPECT_NE(bitsAt(one, 288, 64), 0U);
  EXPECT_NE(bitsAt(one, 288, 64), bitsAt(two, 288, 64));
  EXPECT_EQ(bitsAt(one, 16, 13), 0U);
}

TEST(DriverPatterns, GapListsShareTheMemory) {
  FakeCard card;
  Driver driver(card);
  std::vector<FlowConfig> flows(2, plainFlow());
  flows[0].gaps = GapList{{FinePeriod::fromRaw(5), FinePeriod::fromRaw(~0ULL)}, 3};
  flows[1].gaps = GapList{{FinePeriod::fromRaw(7)}, 65535};
  driver.loadFlows(1, flows);
  EXPECT_EQ(bitsAt(card.rows[{1, kGapTable, 0}], 0, 64), 5U);
  EXPECT_EQ(bitsAt(card.rows[{1, kGapTable, 1}], 0, 64), ~0ULL);
  EXPECT_EQ(bitsAt(card.rows[{1, kGapTable, 2}], 0, 64), 7U);
  const regs::TableRow& first = card.rows[{1, kPatternTable, 0}];
  EXPECT_EQ(bitsAt(first, 0, 2), 2U);
  EXPECT_EQ(bitsAt(first, 160, 13), 2U);
  EXPECT_EQ(bitsAt(first, 176, 12), 0U);
  EXPECT_EQ(bitsAt(first, 192, 16), 3U);
  const regs::TableRow& second = card.rows[{1, kPatternTable, 1}];
  EXPECT_EQ(bitsAt(second, 160, 13), 1U);
  EXPECT_EQ(bitsAt(second, 176, 12), 2U);
  EXPECT_EQ(bitsAt(second, 192, 16), 65535U);
}

// The card draws a flow's first gaps with its schedule entry: pattern and lists come before.
TEST(DriverPatterns, ScheduleComesLast) {
  FakeCard card;
  Driver driver(card);
  std::vector<FlowConfig> flows(2, roceFlow(2));
  flows[0].gaps = GapList{{FinePeriod::fromRaw(5)}, 1};
  std::set<std::uint32_t> behind;
  bool scheduled = false;
  card.corrupt = [&](std::uint32_t, std::uint32_t table, std::uint32_t, regs::TableRow&) {
    if (table == kScheduleTable) scheduled = true;
    if (scheduled) behind.insert(table);
  };
  driver.loadFlows(0, flows);
  EXPECT_THAT(behind, ElementsAre(kScheduleTable));
}

TEST(DriverPatterns, RandomPorts) {
  FakeCard card;
  Driver driver(card);
  FlowConfig flow = plainFlow();
  flow.source_port_mode = SourcePortMode::kRandom;
  flow.source_port_count = 256;
  driver.loadFlows(0, std::vector{flow});
  EXPECT_EQ(bitsAt(card.rows[{0, kFlowTable, 0}], 57, 2), 3U);
  EXPECT_NE(bitsAt(card.rows[{0, kPatternTable, 0}], 128, 32), 0U);
}

TEST(DriverMessages, QueuePairsTakeTurns) {
  FakeCard card;
  Driver driver(card);
  std::vector<FlowConfig> flows{roceFlow(2), roceFlow(3)};
  flows[1].queue_pairs->turns = {0, 1, 0, 2, 0};
  flows[1].queue_pairs->row_per_pair = true;
  flows[1].group = 3;
  flows[1].row = 1;
  flows[1].source_port_mode = SourcePortMode::kFollowsQp;
  flows[1].source_port_base = 1;
  driver.loadFlows(0, flows);

  const regs::TableRow& first = card.rows[{0, kPatternTable, 0}];
  EXPECT_EQ(bitsAt(first, 16, 13), 2U);
  EXPECT_EQ(bitsAt(first, 32, 12), 0U);
  EXPECT_EQ(bitsAt(first, 3, 1), 0U);
  const regs::TableRow& second = card.rows[{0, kPatternTable, 1}];
  EXPECT_EQ(bitsAt(second, 16, 13), 5U);
  EXPECT_EQ(bitsAt(second, 32, 12), 2U);
  EXPECT_EQ(bitsAt(second, 3, 1), 1U);
  // Entries 2 to 6: pairs by turn, contexts after those of the previous flow.
  std::vector<std::uint64_t> numbers;
  std::vector<std::uint64_t> contexts;
  std::vector<std::uint64_t> psns;
  for (std::uint32_t entry = 2; entry < 7; ++entry) {
    numbers.push_back(bitsAt(card.rows[{0, kQpTable, entry}], 0, 32));
    contexts.push_back(bitsAt(card.rows[{0, kQpTable, entry}], 32, 12));
    psns.push_back(bitsAt(card.rows[{0, kQpTable, entry}], 64, 32));
  }
  EXPECT_THAT(numbers, ElementsAre(0x100, 0x101, 0x100, 0x102, 0x100));
  EXPECT_THAT(contexts, ElementsAre(2, 3, 2, 4, 2));
  EXPECT_THAT(psns, ElementsAre(0x7000, 0x7001, 0x7000, 0x7002, 0x7000));
  // The card adds the context: pair i's row is 1 + i, its source port 1 + i.
  const regs::TableRow& config = card.rows[{0, kFlowTable, 1}];
  EXPECT_EQ((bitsAt(config, 16, 16) + 2) & 0xFFFF, 3U << 11 | 1U);
  EXPECT_EQ((bitsAt(config, 136, 16) + 2) & 0xFFFF, 1U);
  EXPECT_EQ(bitsAt(card.rows[{0, kFlowTable, 0}], 16, 16), 0U);
}

TEST(DriverMessages, TakeThreeSlots) {
  FakeCard card;
  Driver driver(card);
  std::vector<FlowConfig> flows{plainFlow(), messageFlow(1, 9), plainFlow()};
  flows[1].queue_pairs->by_frame = true;
  flows[0].first_due = nanoseconds(2);
  flows[2].first_due = nanoseconds(1);
  driver.loadFlows(0, flows);
  EXPECT_EQ(driver.slot(0, 0), 0U);
  EXPECT_EQ(driver.slot(0, 1), 1U);
  EXPECT_EQ(driver.slot(0, 2), 4U);
  const regs::TableRow& pattern = card.rows[{0, kPatternTable, 1}];
  EXPECT_EQ(bitsAt(pattern, 2, 1), 1U);
  EXPECT_EQ(bitsAt(pattern, 64, 16), 9U);
  EXPECT_EQ(bitsAt(pattern, 80, 14), 900U);
  EXPECT_EQ(bitsAt(pattern, 96, 14), 300U);
  for (const auto& [slot, head, length, tag] :
       std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>>{
           {1, 0x11111111, 1024, 0}, {2, 0x22222222, 900, 60}, {3, 0x33333333, 300, 61}}) {
    EXPECT_EQ((card.rows[{0, 0, 4 * slot}])[5], head);
    EXPECT_EQ(bitsAt(card.rows[{0, kFlowTable, slot}], 0, 16), length);
    EXPECT_EQ(bitsAt(card.rows[{0, kFlowTable, slot}], 32, 8), tag);
    EXPECT_EQ(bitsAt(card.rows[{0, kFlowTable, slot}], 53, 1), 1U) << "RoCE in every part";
  }
  // Only the first slot is in the schedule.
  EXPECT_EQ(bitsAt(card.rows[{0, kScheduleTable, 0}], 80, 12), 1U);
  EXPECT_EQ(bitsAt(card.rows[{0, kScheduleTable, 1}], 80, 12), 4U);
  EXPECT_EQ(bitsAt(card.rows[{0, kScheduleTable, 2}], 80, 12), 0U);
  EXPECT_FALSE(card.rows.contains({0, kScheduleTable, 3}));
  // States are read by flow.
  regs::tx_state_table::kSequence.set(card.rows[{0, 3, 4}], 77);
  EXPECT_EQ(driver.txState(0, 2).frames, 77U);
  driver.reset();
  EXPECT_EQ(refusalOf([&] { (void)driver.slot(0, 0); }).kind(), ErrorKind::kUsage);
}

TEST(DriverMessages, ReadsWhatEachQueuePairSent) {
  FakeCard card;
  Driver driver(card);
  FlowConfig flow = roceFlow(3);
  flow.queue_pairs->turns = {2, 0, 2};  // pair 1 never has one
  driver.loadFlows(1, std::vector{roceFlow(1), flow});
  regs::qp_table::kSent.set(card.rows[{1, kQpTable, 2}], 5'000'000'000);
  regs::qp_table::kSent.set(card.rows[{1, kQpTable, 3}], 9);
  EXPECT_THAT(driver.queuePairsSent(1, 1), ElementsAre(5'000'000'000, 0, 9));
  EXPECT_EQ(refusalOf([&] { (void)driver.queuePairsSent(1, 2); }).kind(), ErrorKind::kUsage);
}

TEST(DriverMessages, RefusesWhatTheCardDoesNotHave) {
  FakeCard card;
  card.words[regs::global::kFeatures] = 0x7;
  Driver driver(card);
  FlowConfig drawn = plainFlow();
  drawn.gaps = ExponentialGaps{};
  FlowConfig random = plainFlow();
  random.source_port_mode = SourcePortMode::kRandom;
  for (const FlowConfig& flow : {drawn, random, roceFlow(1)}) {
    EXPECT_EQ(refusalOf([&] { driver.loadFlows(0, std::vector{flow}); }).kind(),
              ErrorKind::kUnsupported);
  }
  EXPECT_NO_THROW(driver.loadFlows(0, std::vector{plainFlow()}));
}

TEST(DriverMessages, RefusesWhatCannotBe) {
  FakeCard card;
  Driver driver(card);
  const auto refused = [&](const FlowConfig& flow, const char* what) {
    const Error error = refusalOf([&] { driver.loadFlows(0, std::vector{flow}); });
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), HasSubstr(what));
  };
  FlowConfig flow = plainFlow();
  flow.gaps = ExponentialGaps{FinePeriod::fromRaw(1ULL << 59), 0};
  refused(flow, "mean gap");
  flow.gaps = GapList{};
  refused(flow, "listed gaps 0");
  flow.gaps = GapList{std::vector(4097, FinePeriod()), 1};
  refused(flow, "listed gaps 4097");
  flow.gaps = GapList{std::vector(1, FinePeriod()), 0};
  refused(flow, "repetitions");

  flow = roceFlow(1);
  flow.roce = false;
  refused(flow, "only RoCEv2 and UET");
  refused(roceFlow(0), "queue pairs 0");
  flow = roceFlow(1);
  flow.queue_pairs->pairs[0].number = 1U << 24;
  refused(flow, "queue pair 16777216");
  flow = roceFlow(2);
  flow.queue_pairs->turns = {0, 2};
  refused(flow, "pair 2");
  flow = roceFlow(4);
  flow.row = 2045;
  flow.queue_pairs->row_per_pair = true;
  refused(flow, "up to 2048");

  flow = messageFlow(2, 1);
  refused(flow, "frames per message 1");
  flow = messageFlow(2, 2);
  flow.message->last.length = 63;
  refused(flow, "frame length 63");
  flow = messageFlow(2, 2);
  flow.queue_pairs.reset();
  refused(flow, "on queue pairs only");
  flow = messageFlow(2, 2);
  flow.queue_pairs->turns = {0, 1, 0};
  flow.queue_pairs->by_frame = true;
  refused(flow, "torn");
  flow.queue_pairs->by_frame = false;
  EXPECT_NO_THROW(driver.loadFlows(0, std::vector{flow}));
}

TEST(DriverMessages, RefusesMoreThanTheTablesHold) {
  FakeCard card;
  Driver driver(card);
  const auto refused = [&](const std::vector<FlowConfig>& flows, const char* what) {
    const Error error = refusalOf([&] { driver.loadFlows(0, flows); });
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), HasSubstr(what));
  };
  refused(std::vector(86, messageFlow(1, 2)), "258 slots");
  FlowConfig listed = plainFlow();
  listed.gaps = GapList{std::vector(2049, FinePeriod()), 1};
  refused({listed, listed}, "4098 entries of the gap list");
  refused({roceFlow(4096), roceFlow(1)}, "4097 queue pairs");
  FlowConfig turns = roceFlow(1);
  turns.queue_pairs->turns.assign(4096, 0);
  refused({turns, roceFlow(1)}, "4097 turns");
}

TEST(RateRamp, EqualStepsOfTheRate) {
  const BitRate line = gigabitsPerSecond(100);
  const GapList ramp =
      rateRamp(Bytes(1000), line, Fraction::percent(10), Fraction::percent(100), 10, 7);
  EXPECT_EQ(ramp.repeat, 7U);
  ASSERT_EQ(ramp.gaps.size(), 10U);
  // 1020 bytes take 81600 ps at line rate.
  for (std::size_t step = 0; step < 10; ++step) {
    EXPECT_NEAR(static_cast<double>(ramp.gaps[step].raw()) / 65536,
                81600.0 * 10 / static_cast<double>(step + 1), 1e-5);
  }
  const GapList down = rateRamp(Bytes(64), line, Fraction::one(), Fraction::percent(50), 2, 1);
  EXPECT_EQ(down.gaps[0].raw(), 6720U << 16);
  EXPECT_EQ(down.gaps[1].raw(), 13440U << 16);
  for (const std::uint32_t steps : {0U, 1U, 4097U}) {
    EXPECT_EQ(refusalOf([&] {
                (void)rateRamp(Bytes(64), line, Fraction::one(), Fraction::one(), steps, 1);
              }).kind(),
              ErrorKind::kUsage);
  }
}

}  // namespace
}  // namespace plumbline::card
