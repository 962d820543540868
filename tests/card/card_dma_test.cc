// Captures and lists of register accesses through memory that card and host share.
#include "card/card_dma.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"
#include "card/driver.h"
#include "card/pattern.h"
#include "tests/base/error_of.h"
#include "tests/card/fake_dma.h"

namespace plumbline::card {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kSmallRing = 4096;

FakeCapture numbered(std::uint64_t number, std::size_t bytes) {
  FakeCapture frame{.timestamp = number, .port = static_cast<std::uint32_t>(number % 2)};
  frame.bytes.resize(bytes);
  std::iota(frame.bytes.begin(), frame.bytes.end(), static_cast<std::uint8_t>(number));
  return frame;
}

std::vector<RegisterAccess> someWrites(std::size_t count) {
  std::vector<RegisterAccess> writes;
  for (std::uint32_t i = 0; i < count; ++i) {
    writes.push_back(
        RegisterAccess::write(regs::port::address(i % 2, regs::port::kTblData + 4 * (i % 16)), ~i));
  }
  return writes;
}

using Written = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Written asWritten(const std::vector<RegisterAccess>& writes) {
  Written pairs;
  for (const RegisterAccess& one : writes) pairs.emplace_back(one.offset, one.value);
  return pairs;
}

class CaptureRingTest : public testing::Test {
 protected:
  CaptureRing ring(std::size_t bytes = kSmallRing) { return {card_, card_.source()(bytes), 2}; }

  FakeDmaCard card_;
};

// Of many lengths, so that records begin at every multiple of 64 and are split by the wrap.
TEST_F(CaptureRingTest, FramesComeInOrderRoundAndRound) {
  CaptureRing ring = this->ring();
  ring.start();
  std::uint64_t next = 0;
  std::uint64_t seen = 0;
  for (int turn = 0; turn < 300; ++turn) {
    for (std::uint64_t i = 0; i < 1 + next % 3; ++i) {
      card_.capture(numbered(next, 1 + next * 37 % 900));
      ++next;
    }
    for (const CapturedFrame& frame : ring.take()) {
      EXPECT_EQ(frame.timestamp.count(), static_cast<std::int64_t>(seen));
      EXPECT_EQ(frame.port, seen % 2);
      EXPECT_EQ(frame.bytes, numbered(seen, 1 + seen * 37 % 900).bytes);
      ++seen;
    }
  }
  EXPECT_EQ(seen, next);
  EXPECT_EQ(card_.dropped, 0U);
  EXPECT_THAT(ring.take(), IsEmpty());
}

TEST_F(CaptureRingTest, AFullRingIsReadWhole) {
  CaptureRing ring = this->ring();
  ring.start();
  for (std::uint64_t i = 0; i < 40; ++i) card_.capture(numbered(i, 64));
  EXPECT_EQ(card_.dropped, 8U) << "records of 128 B in 4096";
  EXPECT_EQ(ring.take().size(), 32U);
  card_.capture(numbered(40, 64));
  EXPECT_EQ(ring.take().size(), 1U) << "the room has been given back";
}

TEST_F(CaptureRingTest, AStartForgetsWhatWasThere) {
  CaptureRing ring = this->ring();
  ring.start();
  for (std::uint64_t i = 0; i < 5; ++i) card_.capture(numbered(i, 64));
  static_cast<void>(ring.take());
  card_.capture(numbered(5, 64));
  ring.start();
  EXPECT_THAT(ring.take(), IsEmpty());
  card_.capture(numbered(6, 64));
  const auto frames = ring.take();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].timestamp.count(), 6);
}

TEST_F(CaptureRingTest, TheCardIsToldWhereTheRingIs) {
  static_cast<void>(card_.source()(8192));  // another user's
  CaptureRing ring = this->ring();
  ring.start();
  EXPECT_EQ(card_.dma[0x08 / 4], 0x2000U);
  EXPECT_EQ(card_.dma[0x0C / 4], 4U);
  EXPECT_EQ(card_.dma[0x10 / 4], kSmallRing);
  EXPECT_EQ(card_.dma[0x04 / 4], 1U);
}

TEST_F(CaptureRingTest, FaultsOfTheCardAreTold) {
  CaptureRing ring = this->ring();
  ring.start();
  card_.dma[0x28 / 4] = 1;
  const Error write = errorOf([&] { ring.take(); });
  EXPECT_EQ(write.kind(), ErrorKind::kTester);
  EXPECT_THAT(write.what(), HasSubstr("could not write captured frames"));
  EXPECT_THAT(write.where(), HasSubstr("0x400000000"));
  EXPECT_THAT(write.remedy(), HasSubstr("xclbin"));
  card_.dma[0x28 / 4] = 2;
  EXPECT_THAT(errorOf([&] { ring.take(); }).what(), HasSubstr("do not match"));
  ring.start();
  EXPECT_THAT(ring.take(), IsEmpty()) << "a start clears them";
}

TEST_F(CaptureRingTest, ANumberOfBytesThatCannotBeIsTold) {
  CaptureRing ring = this->ring();
  ring.start();
  for (const std::uint64_t bytes : {std::uint64_t{32}, kSmallRing + 64, ~std::uint64_t{63}}) {
    card_.setWritten(bytes);
    const Error error = errorOf([&] { ring.take(); });
    EXPECT_EQ(error.kind(), ErrorKind::kTester);
    EXPECT_EQ(error.where(), "CAPTURE_WRITTEN");
  }
}

class RegisterLoaderTest : public testing::Test {
 protected:
  RegisterLoader loader() { return {card_, card_.source()(4096)}; }

  FakeDmaCard card_;
};

TEST_F(RegisterLoaderTest, ListsOfEveryLengthAreDoneInOrder) {
  RegisterLoader loader = this->loader();
  for (const std::size_t count : {1, 2, 7, 8, 9, 16, 511, 512, 513, 1024, 1300}) {
    const std::vector<RegisterAccess> writes = someWrites(count);
    card_.card.writes.clear();
    EXPECT_THAT(loader.run(writes), IsEmpty());
    EXPECT_EQ(card_.card.writes, asWritten(writes)) << count;
  }
  card_.card.writes.clear();
  EXPECT_THAT(loader.run({}), IsEmpty());
  EXPECT_THAT(card_.card.writes, IsEmpty());
}

// Each read after a write of another value to the same register.
TEST_F(RegisterLoaderTest, AnswersComeInTheOrderOfTheReads) {
  RegisterLoader loader = this->loader();
  for (const std::uint32_t reads : {1U, 15U, 16U, 17U, 63U, 64U, 65U, 127U, 128U, 129U, 1000U}) {
    std::vector<RegisterAccess> list;
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 0; i < reads; ++i) {
      const std::uint32_t offset = regs::port::address(1, regs::port::kTblData + 4 * (i % 3));
      list.push_back(RegisterAccess::write(offset, ~i));
      list.push_back(RegisterAccess::read(offset));
      expected.push_back(~i);
    }
    EXPECT_EQ(loader.run(list), expected) << reads;
  }
}

TEST_F(RegisterLoaderTest, ARefusedReadIsNamed) {
  RegisterLoader loader = this->loader();
  card_.bad_entry = 1;
  const std::vector<RegisterAccess> list{RegisterAccess::write(0x1004, 1),
                                         RegisterAccess::read(0x1008)};
  EXPECT_EQ(errorOf([&] { loader.run(list); }).where(), "read of register 0x1008");
}

TEST_F(RegisterLoaderTest, AnswersThatTheMemoryRefusesAreNotTaken) {
  RegisterLoader loader = this->loader();
  card_.answers_refused = true;
  const std::vector<RegisterAccess> list{RegisterAccess::read(0x1008)};
  const Error error = errorOf([&] { loader.run(list); });
  EXPECT_THAT(error.what(), HasSubstr("could not carry out a list of register accesses: 1 of 1"));
  EXPECT_THAT(error.remedy(), HasSubstr("its answers at 0x400000a00"));
}

TEST_F(RegisterLoaderTest, ARefusedWriteIsNamed) {
  RegisterLoader loader = this->loader();
  card_.bad_entry = 5;
  const auto writes = someWrites(20);
  const Error error = errorOf([&] { loader.run(writes); });
  EXPECT_EQ(error.kind(), ErrorKind::kTester);
  EXPECT_THAT(error.what(), HasSubstr("5 of 20"));
  EXPECT_EQ(error.where(), "write of register 0x2054");
  EXPECT_THAT(error.remedy(), HasSubstr("the list is at 0x400000000"));
}

TEST_F(RegisterLoaderTest, AListThatDoesNotEndIsNotWaitedForForever) {
  RegisterLoader loader = this->loader();
  card_.loader_stuck = true;
  const Error error = errorOf([&] { loader.run(someWrites(20)); });
  EXPECT_THAT(error.what(), HasSubstr("does not come to the end"));
}

TEST(CardDmaTest, FewWritesGoOneByOneManyAsAList) {
  FakeDmaCard card(std::size_t{1} << 21U);
  CardDma dma(card, card.source());
  dma.accessAll(someWrites(10));
  EXPECT_EQ(card.single_writes, 10U);
  EXPECT_EQ(card.taken, 0U) << "memory for nothing";
  card.card.writes.clear();
  card.single_writes = 0;
  const auto writes = someWrites(5000);
  dma.accessAll(writes);
  EXPECT_EQ(card.card.writes, asWritten(writes));
  EXPECT_LE(card.single_writes, 6U);
  const std::size_t taken = card.taken;
  dma.accessAll(writes);
  EXPECT_EQ(card.taken, taken) << "a second buffer";
}

// In a kernel they are before the card, where its lists do not come.
TEST(CardDmaTest, BlocksCoreAndMacAreReachedOneByOne) {
  for (const std::uint32_t offset : {0x9000U, 0x902CU, 0x9FFCU, 0xB000U, 0xBFFCU}) {
    FakeDmaCard card(std::size_t{1} << 21U);
    CardDma dma(card, card.source());
    std::vector<RegisterAccess> list = someWrites(500);
    list[250] = RegisterAccess::read(offset);
    dma.accessAll(list);
    EXPECT_EQ(card.single_writes, 499U) << std::hex << offset;
    EXPECT_EQ(card.taken, 0U);
  }
  for (const std::uint32_t offset : {0x8FFCU, 0xA000U, 0xC000U}) {
    FakeDmaCard card(std::size_t{1} << 21U);
    CardDma dma(card, card.source());
    std::vector<RegisterAccess> list = someWrites(500);
    list[250] = RegisterAccess::read(offset);
    dma.accessAll(list);
    EXPECT_LE(card.single_writes, 6U) << std::hex << offset;
  }
}

TEST(CardDmaTest, ACardWithoutItWorksAsEver) {
  FakeCard card;
  CardDma dma(card, [](std::size_t) -> std::unique_ptr<DeviceBuffer> {
    ADD_FAILURE() << "memory for a card that cannot reach it";
    return nullptr;
  });
  const auto writes = someWrites(500);
  dma.accessAll(writes);
  EXPECT_EQ(card.writes, asWritten(writes));
  dma.stopCapture();
  EXPECT_EQ(card.writes.size(), 500U);
  EXPECT_THAT(dma.readCaptured(), IsEmpty());
  const Error error = errorOf([&] { dma.startCapture(); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("no path to its memory"));
}

TEST(CardDmaTest, CapturesBeginAndEnd) {
  FakeDmaCard card(std::size_t{65} << 20U);
  CardDma dma(card, card.source());
  card.dma[1] = 1;  // another process ended in the middle of a capture
  dma.stopCapture();
  EXPECT_EQ(card.dma[1], 0U);
  EXPECT_THAT(dma.readCaptured(), IsEmpty());
  dma.startCapture();
  card.capture(numbered(0, 100));
  EXPECT_EQ(dma.readCaptured().size(), 1U);
  card.capture(numbered(1, 100));
  dma.stopCapture();
  EXPECT_THAT(dma.readCaptured(), IsEmpty());
  dma.startCapture();
  EXPECT_THAT(dma.readCaptured(), IsEmpty());
}

TEST(CardDmaTest, NoMemoryIsTold) {
  FakeDmaCard card(4096);
  CardDma dma(card, card.source());
  EXPECT_STREQ(errorOf([&] { dma.startCapture(); }).what(), "no memory");
  EXPECT_THAT(dma.readCaptured(), IsEmpty());
}

// The bus that a driver would be given.
class DmaBus final : public RegisterBus {
 public:
  explicit DmaBus(FakeDmaCard& card) : card_(card), dma_(card, card.source()) {}
  std::uint32_t read(std::uint32_t offset) override { return card_.read(offset); }
  void write(std::uint32_t offset, std::uint32_t value) override { card_.write(offset, value); }
  std::vector<std::uint32_t> accessAll(std::span<const RegisterAccess> accesses) override {
    return dma_.accessAll(accesses);
  }
  void wait(Picoseconds duration) override { card_.wait(duration); }
  void startCapture() override { dma_.startCapture(); }
  void stopCapture() override { dma_.stopCapture(); }
  std::vector<CapturedFrame> readCaptured() override { return dma_.readCaptured(); }

 private:
  FakeDmaCard& card_;
  CardDma dma_;
};

std::vector<FlowConfig> longestGapList() {
  FlowConfig flow;
  flow.head.assign(64, 0x11);
  flow.length = 1024;
  flow.period = FinePeriod::fromPicoseconds(nanoseconds(100));
  GapList list;
  for (std::uint64_t i = 0; i < kGapEntries; ++i) list.gaps.push_back(FinePeriod::fromRaw(~i));
  flow.gaps = list;
  return {flow};
}

TEST(CardDmaTest, AGapListOfFullLengthIsTheSameThroughTheBuffer) {
  FakeCard plain;
  Driver without(plain);
  const std::size_t before = plain.writes.size();
  without.loadFlows(0, longestGapList());
  const std::size_t single = plain.writes.size() - before;

  FakeDmaCard card(std::size_t{1} << 21U);
  DmaBus bus(card);
  Driver with(bus);
  EXPECT_FALSE(without.info().dma);
  EXPECT_TRUE(with.info().dma);
  card.single_writes = 0;
  with.loadFlows(0, longestGapList());
  EXPECT_EQ(card.card.rows, plain.rows);
  EXPECT_LE(card.single_writes, 12U);
  EXPECT_GT(single, 6 * kGapEntries);
  std::printf("register writes for a gap list of %u: %zu one by one, %zu with a list\n",
              static_cast<unsigned>(kGapEntries), single,
              static_cast<std::size_t>(card.single_writes));
}

// Rows and counters that no other has.
void fillCounters(FakeCard& card, std::uint32_t flows) {
  for (std::uint32_t row = 0; row < flows; ++row) {
    for (std::uint32_t word = 0; word < 16; ++word) {
      card.rows[{1, regs::rx_flow_table::kNumber, row}][word] = row * 1000 + word;
    }
  }
  for (std::uint32_t offset = regs::port::kTxFrames; offset < 0x400; offset += 4) {
    card.words[regs::port::address(1, offset)] = offset;
  }
}

TEST(CardDmaTest, TheCountersOf256FlowsAreOneList) {
  constexpr std::uint32_t kFlows = 256;
  FakeCard plain;
  fillCounters(plain, kFlows);
  Driver without(plain);
  FakeDmaCard card(std::size_t{1} << 21U);
  fillCounters(card.card, kFlows);
  DmaBus bus(card);
  Driver with(bus);

  const std::vector<RxFlow> expected = without.rxFlows(1, 0, kFlows);
  ASSERT_EQ(expected[1].frames & 0xFFFF'FFFFU, 1000U);
  card.single_writes = card.single_reads = 0;
  const std::vector<RxFlow> seen = with.rxFlows(1, 0, kFlows);
  EXPECT_EQ(card.single_writes, 6U) << "two addresses, the count, the start";
  EXPECT_LE(card.single_reads, 3U) << "the status, and how far it got";
  ASSERT_EQ(seen.size(), expected.size());
  for (std::uint32_t row = 0; row < kFlows; ++row) EXPECT_EQ(seen[row], expected[row]) << row;

  card.single_writes = card.single_reads = 0;
  const PortCounters counters = with.counters(1);
  EXPECT_LE(card.single_writes + card.single_reads, 9U);
  EXPECT_EQ(counters, without.counters(1));
  EXPECT_NE(counters.tx_bytes, 0U);
}

TEST(CardDmaTest, TheDriverBeginsACaptureOnce) {
  FakeDmaCard card(std::size_t{65} << 20U);
  DmaBus bus(card);
  Driver driver(bus);
  driver.reset();
  EXPECT_EQ(card.dma[1], 0U);
  driver.setCapture(0, false, false);
  EXPECT_EQ(card.dma[1], 0U);
  driver.setCapture(0, true, false);
  card.capture(numbered(0, 64));
  driver.setCapture(1, true, true);
  EXPECT_EQ(bus.readCaptured().size(), 1U) << "lost by the second port";
  driver.reset();
  EXPECT_EQ(card.dma[1], 0U);
  driver.setCapture(1, true, true);
  EXPECT_EQ(card.dma[1], 1U);
}

}  // namespace
}  // namespace plumbline::card
