// Captures and lists of register writes through memory that card and host share.
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

std::vector<RegisterWrite> someWrites(std::size_t count) {
  std::vector<RegisterWrite> writes;
  for (std::uint32_t i = 0; i < count; ++i) {
    writes.push_back({regs::port::address(i % 2, regs::port::kTblData + 4 * (i % 16)), ~i});
  }
  return writes;
}

using Written = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Written asWritten(const std::vector<RegisterWrite>& writes) {
  Written pairs;
  for (const RegisterWrite& one : writes) pairs.emplace_back(one.offset, one.value);
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
  static_cast<void>(card_.source()(8192));  // somebody else's
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
    const std::vector<RegisterWrite> writes = someWrites(count);
    card_.card.writes.clear();
    loader.load(writes);
    EXPECT_EQ(card_.card.writes, asWritten(writes)) << count;
  }
  card_.card.writes.clear();
  loader.load({});
  EXPECT_THAT(card_.card.writes, IsEmpty());
}

TEST_F(RegisterLoaderTest, ARefusedWriteIsNamed) {
  RegisterLoader loader = this->loader();
  card_.bad_entry = 5;
  const auto writes = someWrites(20);
  const Error error = errorOf([&] { loader.load(writes); });
  EXPECT_EQ(error.kind(), ErrorKind::kTester);
  EXPECT_THAT(error.what(), HasSubstr("5 of 20"));
  EXPECT_EQ(error.where(), "write of register 0x2054");
  EXPECT_THAT(error.remedy(), HasSubstr("the list is at 0x400000000"));
}

TEST_F(RegisterLoaderTest, AListThatDoesNotEndIsNotWaitedForForever) {
  RegisterLoader loader = this->loader();
  card_.loader_stuck = true;
  const Error error = errorOf([&] { loader.load(someWrites(20)); });
  EXPECT_THAT(error.what(), HasSubstr("does not come to the end"));
}

TEST(CardDmaTest, FewWritesGoOneByOneManyAsAList) {
  FakeDmaCard card(std::size_t{1} << 21U);
  CardDma dma(card, card.source());
  dma.writeAll(someWrites(10));
  EXPECT_EQ(card.single_writes, 10U);
  EXPECT_EQ(card.taken, 0U) << "memory for nothing";
  card.card.writes.clear();
  card.single_writes = 0;
  const auto writes = someWrites(5000);
  dma.writeAll(writes);
  EXPECT_EQ(card.card.writes, asWritten(writes));
  EXPECT_LE(card.single_writes, 4U);
  const std::size_t taken = card.taken;
  dma.writeAll(writes);
  EXPECT_EQ(card.taken, taken) << "a second buffer";
}

TEST(CardDmaTest, ACardWithoutItWorksAsEver) {
  FakeCard card;
  CardDma dma(card, [](std::size_t) -> std::unique_ptr<DeviceBuffer> {
    ADD_FAILURE() << "memory for a card that cannot reach it";
    return nullptr;
  });
  const auto writes = someWrites(500);
  dma.writeAll(writes);
  EXPECT_EQ(card.writes, asWritten(writes));
  dma.stopCapture();
  EXPECT_EQ(card.writes.size(), 500U);
  EXPECT_THAT(dma.takeCaptured(), IsEmpty());
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
  EXPECT_THAT(dma.takeCaptured(), IsEmpty());
  dma.startCapture();
  card.capture(numbered(0, 100));
  EXPECT_EQ(dma.takeCaptured().size(), 1U);
  card.capture(numbered(1, 100));
  dma.stopCapture();
  EXPECT_THAT(dma.takeCaptured(), IsEmpty());
  dma.startCapture();
  EXPECT_THAT(dma.takeCaptured(), IsEmpty());
}

TEST(CardDmaTest, NoMemoryIsTold) {
  FakeDmaCard card(4096);
  CardDma dma(card, card.source());
  EXPECT_STREQ(errorOf([&] { dma.startCapture(); }).what(), "no memory");
  EXPECT_THAT(dma.takeCaptured(), IsEmpty());
}

// The bus that a driver would be given.
class DmaBus final : public RegisterBus {
 public:
  explicit DmaBus(FakeDmaCard& card) : card_(card), dma_(card, card.source()) {}
  std::uint32_t read(std::uint32_t offset) override { return card_.read(offset); }
  void write(std::uint32_t offset, std::uint32_t value) override { card_.write(offset, value); }
  void writeAll(std::span<const RegisterWrite> writes) override { dma_.writeAll(writes); }
  void wait(Picoseconds duration) override { card_.wait(duration); }
  void startCapture() override { dma_.startCapture(); }
  void stopCapture() override { dma_.stopCapture(); }
  std::vector<CapturedFrame> takeCaptured() override { return dma_.takeCaptured(); }

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
  // Reading a row back takes two writes; of the others the list leaves a handful.
  const std::size_t rows = plain.rows.size();
  EXPECT_LE(card.single_writes, 2 * rows + 6);
  EXPECT_GT(single, 2 * rows + 4 * kGapEntries);
  std::printf("register writes for a gap list of %u: %zu one by one, %zu with a list\n",
              static_cast<unsigned>(kGapEntries), single,
              static_cast<std::size_t>(card.single_writes));
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
  EXPECT_EQ(bus.takeCaptured().size(), 1U) << "lost by the second port";
  driver.reset();
  EXPECT_EQ(card.dma[1], 0U);
  driver.setCapture(1, true, true);
  EXPECT_EQ(card.dma[1], 1U);
}

}  // namespace
}  // namespace plumbline::card
