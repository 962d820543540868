// The DMA behind its registers: lists of register accesses carried out in order whatever memory and
// card do, the host's accesses between them, captures by way of the registers, both at once.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "card/registers.h"
#include "dma_bench.h"
#include "tests/hw/long_run.h"

namespace plumbline::hw_test {
namespace {

namespace dma = card::regs::dma;

constexpr std::uint64_t kList = DmaBench::kMemoryAddress + 0x2'0000;

std::vector<RegisterWrite> someList(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed, "list");
  std::vector<RegisterWrite> list(count);
  for (RegisterWrite& write : list) {
    write.offset = static_cast<std::uint32_t>(4 * random.below(dma::kBase / 4));
    write.value = static_cast<std::uint32_t>(random.next());
  }
  return list;
}

sim::AxiTiming slowMemory(std::uint64_t seed) {
  RandomStream random(seed, "slow memory");
  sim::AxiTiming timing;
  timing.address_sixteenths = 2 + static_cast<std::uint32_t>(random.below(15));
  timing.data_sixteenths = 2 + static_cast<std::uint32_t>(random.below(15));
  timing.min_latency = 1 + static_cast<std::uint32_t>(random.below(100));
  timing.max_latency = timing.min_latency + static_cast<std::uint32_t>(random.below(600));
  timing.seed = seed;
  return timing;
}

std::uint32_t done(DmaBench& bench) { return bench.read(dma::kBase + dma::kLoadDone); }

TEST(Dma, SaysThatItIsThere) {
  DmaBench bench;
  EXPECT_EQ(bench.read(dma::kBase + dma::kDmaId), dma::kDmaIdValue);
  EXPECT_EQ(bench.read(dma::kBase + dma::kLoadStatus), 0U);
  EXPECT_TRUE(bench.card().writes().empty());
}

TEST(Dma, TheCardsRegistersAreReachedThroughIt) {
  DmaBench bench;
  RandomStream random(1, "accesses");
  std::map<std::uint32_t, std::uint32_t> values;
  for (int i = 0; i < 2000; ++i) {
    const auto offset =
        static_cast<std::uint32_t>(4 * random.below(64) + 0x1000 * random.below(15));
    if (random.below(2) == 0) {
      values[offset] = static_cast<std::uint32_t>(random.next());
      bench.write(offset, values[offset]);
    } else {
      EXPECT_EQ(bench.read(offset), values[offset]) << offset;
    }
    EXPECT_EQ(bench.response(), 0);
  }
}

TEST(Dma, TheCardsRefusalsReachTheHost) {
  DmaBench bench;
  bench.card().refuse(0x1004);
  bench.write(0x1004, 1);
  EXPECT_EQ(bench.response(), 2);
  static_cast<void>(bench.read(0x1004));
  EXPECT_EQ(bench.response(), 2);
  bench.write(0x1008, 1);
  EXPECT_EQ(bench.response(), 0);
}

TEST(Dma, CarriesOutListsOfAnyLength) {
  std::uint64_t seed = 0;
  for (const std::size_t count :
       {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 127, 128, 129, 255, 256, 257, 511, 513, 1000}) {
    ++seed;
    DmaBench bench(slowMemory(seed), seed);
    const std::vector<RegisterWrite> list = someList(count, seed);
    // Behind some of the 64 bytes before a border of 4 KiB.
    const std::uint64_t address = kList - 64 * (seed % 5);
    bench.placeList(address, list);
    bench.startList(address, static_cast<std::uint32_t>(count));
    EXPECT_EQ(bench.finishList(), 0U) << count;
    EXPECT_EQ(done(bench), count);
    EXPECT_EQ(bench.card().writes(), list) << count;
  }
}

TEST(Dma, CarriesOutALongListAndHidesTheMemorysLatency) {
  constexpr std::size_t kCount = 60'000;
  DmaBench bench({.min_latency = 300, .max_latency = 400});
  bench.card().slowest(1);
  const std::vector<RegisterWrite> list = someList(kCount, 3);
  bench.placeList(kList, list);
  bench.startList(kList, kCount);
  const std::uint64_t before = bench.clocks();
  EXPECT_EQ(bench.finishList(), 0U);
  EXPECT_TRUE(bench.card().writes() == list);
  // A write takes some eight clocks, by the random readiness of the card's end; to wait for each 64
  // bytes of the list would be 40 more.
  EXPECT_LT(bench.clocks() - before, kCount * 12);
}

TEST(Dma, ListsFollowEachOther) {
  DmaBench bench(slowMemory(5));
  std::vector<RegisterWrite> all;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const std::vector<RegisterWrite> list = someList(1 + 7 * i, 100 + i);
    bench.placeList(kList, list);
    bench.startList(kList, static_cast<std::uint32_t>(list.size()));
    all.insert(all.end(), list.begin(), list.end());
    ASSERT_EQ(bench.finishList(), 0U);
  }
  EXPECT_EQ(bench.card().writes(), all);
}

TEST(Dma, TheHostHasItsTurnsWhileAListIsCarriedOut) {
  constexpr std::size_t kCount = 2000;
  DmaBench bench(slowMemory(6));
  std::vector<RegisterWrite> list = someList(kCount, 6);
  for (RegisterWrite& write : list) write.offset |= 0x800;
  bench.placeList(kList, list);
  bench.startList(kList, kCount);
  RandomStream random(7, "host");
  std::uint64_t accesses = 0;
  std::uint32_t last_done = 0;
  std::vector<RegisterWrite> ours;
  for (;;) {
    const std::uint32_t value = static_cast<std::uint32_t>(random.next());
    const auto offset = static_cast<std::uint32_t>(4 * random.below(0x100));
    bench.write(offset, value);
    ours.push_back({offset, value});
    ASSERT_EQ(bench.read(offset), value);
    accesses += 2;
    const std::uint32_t now = done(bench);
    ASSERT_GE(now, last_done);
    ASSERT_LE(now, kCount);
    last_done = now;
    if (bench.read(dma::kBase + dma::kLoadStatus) == 0) break;
  }
  EXPECT_EQ(done(bench), kCount);
  // Of four accesses of the host each had one of the list before it.
  EXPECT_GT(accesses, kCount / 4);
  EXPECT_LT(accesses, kCount);
  std::vector<RegisterWrite> of_list;
  std::vector<RegisterWrite> of_host;
  for (const RegisterWrite& write : bench.card().writes()) {
    ((write.offset & 0x800) != 0 ? of_list : of_host).push_back(write);
  }
  EXPECT_EQ(of_list, list);
  EXPECT_EQ(of_host, ours);
}

TEST(Dma, AStartWhileBusyIsIgnored) {
  DmaBench bench({.min_latency = 500, .max_latency = 500});
  const std::vector<RegisterWrite> list = someList(50, 8);
  bench.placeList(kList, list);
  bench.startList(kList, 50);
  EXPECT_EQ(bench.read(dma::kBase + dma::kLoadStatus), dma::kLoadStatusBusy.of(1));
  bench.startList(kList + 0x1000, 3);
  EXPECT_EQ(bench.finishList(), 0U);
  EXPECT_EQ(bench.card().writes(), list);
}

struct BadStart {
  std::uint64_t address;
  std::uint32_t count;
  std::uint64_t answers = 0;
};

class DmaBadStart : public testing::TestWithParam<BadStart> {};

TEST_P(DmaBadStart, EndsAtOnceWithAnError) {
  DmaBench bench;
  bench.placeList(kList, someList(16, 9));
  bench.startList(GetParam().address, GetParam().count, GetParam().answers);
  EXPECT_EQ(bench.finishList(), dma::kLoadStatusError.of(1));
  EXPECT_EQ(done(bench), 0U);
  EXPECT_TRUE(bench.card().writes().empty());
  bench.startList(kList, 8);
  EXPECT_EQ(bench.finishList(), 0U) << "the error is of the last list only";
}

INSTANTIATE_TEST_SUITE_P(All, DmaBadStart,
                         testing::Values(BadStart{kList, 0}, BadStart{kList, (1U << 20) + 1},
                                         BadStart{kList, 0x8000'0001}, BadStart{kList + 8, 8},
                                         BadStart{kList + 32, 8}, BadStart{kList, 8, kList + 4},
                                         BadStart{kList, 8, kList + 32}));

TEST(Dma, AListEndsWhereTheMemoryFails) {
  for (const std::size_t beat : {0, 1, 15, 16, 40}) {
    DmaBench bench(slowMemory(beat));
    std::vector<RegisterWrite> list = someList(500, beat);
    bench.placeList(kList, list);
    bench.buffers().fail(kList + 64 * beat, 64);
    bench.startList(kList, 500);
    EXPECT_EQ(bench.finishList(), dma::kLoadStatusError.of(1));
    EXPECT_EQ(done(bench), 8 * beat);
    list.resize(8 * beat);
    EXPECT_EQ(bench.card().writes(), list);
  }
}

TEST(Dma, AListEndsWhereThereIsNoMemory) {
  DmaBench bench;
  bench.startList(0x1000, 500);
  EXPECT_EQ(bench.finishList(), dma::kLoadStatusError.of(1));
  EXPECT_EQ(done(bench), 0U);
}

TEST(Dma, AListEndsWhereTheCardRefuses) {
  for (const std::size_t entry : {0, 7, 8, 100, 299}) {
    DmaBench bench(slowMemory(entry + 20));
    std::vector<RegisterWrite> list = someList(300, entry);
    list[entry].offset = 0xEFFC;
    bench.card().refuse(0xEFFC);
    bench.placeList(kList, list);
    bench.startList(kList, 300);
    EXPECT_EQ(bench.finishList(), dma::kLoadStatusError.of(1));
    EXPECT_EQ(done(bench), entry);
    list.resize(entry);
    EXPECT_EQ(bench.card().writes(), list);
  }
}

TEST(Dma, AListEndsAtAnOffsetThatIsNoneOfTheCards) {
  for (const std::uint32_t offset :
       {0xF000U, 0xF03CU, 0xFFFCU, 0x2'0010U, 0x8000'0010U, 0x1001U, 0x1002U, 0x1'F000U}) {
    DmaBench bench;
    std::vector<RegisterWrite> list = someList(20, offset);
    list[11].offset = offset;
    bench.placeList(kList, list);
    bench.startList(kList, 20);
    EXPECT_EQ(bench.finishList(), dma::kLoadStatusError.of(1)) << offset;
    EXPECT_EQ(done(bench), 11U);
    list.resize(11);
    EXPECT_EQ(bench.card().writes(), list);
  }
}

// ---- Reads ----

constexpr std::uint64_t kAnswers = DmaBench::kMemoryAddress + 0xA'0000;
constexpr std::uint8_t kUntouched = 0xEE;

// Reads and writes of a few registers, so that most reads are of what the list has written before.
std::vector<RegisterWrite> mixedList(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed, "mixed list");
  std::vector<RegisterWrite> list(count);
  for (RegisterWrite& entry : list) {
    entry.offset = static_cast<std::uint32_t>(0x400 * random.below(12));
    if (random.below(3) != 0) entry.offset |= kReadBit;
    entry.value = static_cast<std::uint32_t>(random.next());
  }
  return list;
}

// What the reads of `list` give, 64 bytes at a time.
std::vector<std::uint32_t> expectedAnswers(const std::vector<RegisterWrite>& list) {
  std::map<std::uint32_t, std::uint32_t> values;
  std::vector<std::uint32_t> answers;
  for (const RegisterWrite& entry : list) {
    if ((entry.offset & kReadBit) != 0) {
      answers.push_back(values[entry.offset & ~kReadBit]);
    } else {
      values[entry.offset] = entry.value;
    }
  }
  while (answers.size() % 16 != 0) answers.push_back(0);
  return answers;
}

void expectAnswers(DmaBench& bench, std::uint64_t address,
                   const std::vector<std::uint32_t>& expected) {
  const std::uint8_t* at = bench.memory().data() + (address - DmaBench::kMemoryAddress);
  std::vector<std::uint32_t> seen(expected.size());
  std::memcpy(seen.data(), at, 4 * seen.size());
  EXPECT_EQ(seen, expected);
  for (std::size_t i = 0; i < 64; ++i) {
    ASSERT_EQ(at[4 * expected.size() + i], kUntouched) << "behind the last answer";
  }
}

TEST(DmaReads, AnswersOfListsOfAnyLengthAreInOrder) {
  std::uint64_t seed = 0;
  for (const std::size_t count : {1, 2, 15, 16, 17, 23, 24, 25, 47, 48, 49, 255, 256, 1000, 3001}) {
    ++seed;
    DmaBench bench(slowMemory(seed), seed);
    const std::vector<RegisterWrite> list = mixedList(count, seed);
    bench.placeList(kList, list);
    const std::uint64_t answers = kAnswers + 64 * (seed % 5);
    bench.startList(kList, static_cast<std::uint32_t>(count), answers);
    EXPECT_EQ(bench.finishList(), 0U) << count;
    EXPECT_EQ(done(bench), count);
    expectAnswers(bench, answers, expectedAnswers(list));
  }
}

TEST(DmaReads, EveryNumberOfReadsFillsItsLast64BytesWithZeros) {
  DmaBench bench;
  bench.card().slowest(1);
  for (std::size_t reads = 1; reads <= 49; ++reads) {
    std::vector<RegisterWrite> list;
    for (std::uint32_t i = 0; i < reads; ++i) {
      list.push_back({0x1000, ~i});
      list.push_back({0x1000 | kReadBit, 0});
    }
    bench.placeList(kList, list);
    const std::uint64_t answers = kAnswers + 1024 * reads;
    bench.startList(kList, static_cast<std::uint32_t>(list.size()), answers);
    ASSERT_EQ(bench.finishList(), 0U);
    expectAnswers(bench, answers, expectedAnswers(list));
  }
}

// Rows of 256 flows as the driver reads them.
TEST(DmaReads, TheMemorysLatencyIsHidden) {
  constexpr std::uint32_t kFlows = 256;
  std::vector<RegisterWrite> list;
  for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
    list.push_back({0x2040, flow});
    list.push_back({0x2044, 2});
    for (std::uint32_t word = 0; word < 15; ++word)
      list.push_back({(0x2000 + 4 * word) | kReadBit});
  }
  DmaBench bench({.min_latency = 300, .max_latency = 400});
  bench.card().slowest(1);
  bench.placeList(kList, list);
  const std::uint64_t before = bench.clocks();
  bench.startList(kList, static_cast<std::uint32_t>(list.size()), kAnswers);
  EXPECT_EQ(bench.finishList(), 0U);
  expectAnswers(bench, kAnswers, expectedAnswers(list));
  const std::uint64_t clocks = bench.clocks() - before;
  EXPECT_LT(clocks, list.size() * 12);
  std::printf("%zu accesses, %u flows: %llu clocks\n", list.size(), kFlows,
              static_cast<unsigned long long>(clocks));
}

// The longest list that there is, in the long form.
TEST(DmaReads, AnswersOfALongListAreWhole) {
  const std::uint32_t count = longRun() ? 1U << 20U : 1U << 15U;
  DmaBench bench({.min_latency = 30, .max_latency = 200}, 5, 16U << 20U);
  bench.card().slowest(1);
  const std::vector<RegisterWrite> list = mixedList(count, 5);
  bench.placeList(DmaBench::kMemoryAddress, list);
  const std::uint64_t answers = DmaBench::kMemoryAddress + (8U << 20U);
  bench.startList(DmaBench::kMemoryAddress, count, answers);
  EXPECT_EQ(bench.finishList(), 0U);
  EXPECT_EQ(done(bench), count);
  expectAnswers(bench, answers, expectedAnswers(list));
}

TEST(DmaReads, AListWaitsForMemoryThatIsSlowToAcknowledge) {
  DmaBench bench({.min_latency = 3000, .max_latency = 4000});
  bench.card().slowest(1);
  const std::vector<RegisterWrite> list = mixedList(2000, 4);
  bench.placeList(kList, list);
  bench.startList(kList, 2000, kAnswers);
  EXPECT_EQ(bench.finishList(), 0U);
  expectAnswers(bench, kAnswers, expectedAnswers(list));
}

TEST(DmaReads, AListEndsAtAReadThatTheCardRefuses) {
  for (const std::size_t entry : {0, 1, 40, 299}) {
    DmaBench bench(slowMemory(entry + 30));
    std::vector<RegisterWrite> list = mixedList(300, entry);
    list[entry].offset = 0xEFFC | kReadBit;
    bench.card().refuse(0xEFFC);
    bench.placeList(kList, list);
    bench.startList(kList, 300, kAnswers);
    EXPECT_EQ(bench.finishList(), dma::kLoadStatusError.of(1));
    EXPECT_EQ(done(bench), entry);
    list.resize(entry);
    expectAnswers(bench, kAnswers, expectedAnswers(list));
  }
}

TEST(DmaReads, AnswersThatTheMemoryRefusesAreAnError) {
  for (const std::uint64_t beat : {0, 3, 12}) {
    DmaBench bench(slowMemory(beat + 40));
    std::vector<RegisterWrite> list(200, {0x1000 | kReadBit, 0});  // 13 times 64 bytes
    bench.placeList(kList, list);
    bench.buffers().fail(kAnswers + 64 * beat, 64);
    bench.startList(kList, 200, kAnswers);
    EXPECT_EQ(bench.finishList(), dma::kLoadStatusError.of(1));
    EXPECT_EQ(done(bench), 200U) << "the accesses were carried out";
    EXPECT_EQ(bench.read(dma::kBase + dma::kCaptureSticky), 0U) << "no fault of the captures";
    bench.startList(kList, 8, kAnswers + 0x1'0000);
    EXPECT_EQ(bench.finishList(), 0U) << "the error is of the last list only";
  }
}

// ---- Captures ----

// Received frames of `bytes` into a ring at the memory's begin.
class CapturedFrames {
 public:
  CapturedFrames(DmaBench& bench, std::size_t bytes, std::uint32_t ring) : bench_(bench) {
    const auto at = [](std::uint32_t offset) { return dma::kBase + offset; };
    bench.write(at(dma::kCaptureAddressLo), static_cast<std::uint32_t>(DmaBench::kMemoryAddress));
    bench.write(at(dma::kCaptureAddressHi), DmaBench::kMemoryAddress >> 32);
    bench.write(at(dma::kCaptureSize), ring);
    bench.write(at(dma::kCaptureControl), dma::kCaptureControlEnable.of(1));
    frame_.resize(bytes);
  }

  void next() {
    for (std::size_t i = 0; i < frame_.size(); ++i) {
      frame_[i] = static_cast<std::uint8_t>(i * 7 + count_);
    }
    ++count_;
    bench_.capture(frame_, false);
  }

  // Each of them, in order, once the memory has acknowledged all.
  void expectAll() {
    for (int i = 0; i < 20'000 && written() != count_ * recordBytes(); ++i) bench_.clock();
    ASSERT_EQ(written(), count_ * recordBytes());
    for (std::uint32_t number = 0; number < count_; ++number) {
      const std::uint8_t* record = bench_.memory().data() + number * recordBytes();
      ASSERT_EQ(record[15], 0x5A) << number;
      ASSERT_EQ(record[16] + 256 * record[17], static_cast<int>(number));
      for (std::size_t i = 0; i < frame_.size(); ++i) {
        ASSERT_EQ(record[64 + i], static_cast<std::uint8_t>(i * 7 + number)) << number;
      }
    }
  }

 private:
  [[nodiscard]] std::size_t recordBytes() const { return 64 + (frame_.size() + 63) / 64 * 64; }
  std::uint32_t written() { return bench_.read(dma::kBase + dma::kCaptureWrittenLo); }

  DmaBench& bench_;
  std::vector<std::uint8_t> frame_;
  std::uint32_t count_ = 0;
};

TEST(DmaCaptures, PassTheBorderWithTheAnswersUnhurt) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    DmaBench bench(slowMemory(seed), seed);
    CapturedFrames frames(bench, 40 + 150 * seed, 512 << 10U);
    const std::vector<RegisterWrite> list = mixedList(1500, seed);
    const std::uint64_t list_at = DmaBench::kMemoryAddress + 0x9'0000;
    bench.placeList(list_at, list);
    bench.startList(list_at, 1500, kAnswers);
    for (int i = 0; i < 200; ++i) frames.next();
    EXPECT_EQ(bench.finishList(), 0U);
    frames.expectAll();
    expectAnswers(bench, kAnswers, expectedAnswers(list));
    EXPECT_EQ(bench.read(dma::kBase + dma::kCaptureSticky), 0U);
  }
}

TEST(DmaCaptures, TakeABeatEveryClock) {
  DmaBench bench({.min_latency = 60, .max_latency = 60});
  CapturedFrames frames(bench, 1536, 512 << 10U);
  // 24 beats, and a clock for the descriptor: what the record takes with its header.
  constexpr std::uint64_t kClocks = 25;
  constexpr std::uint64_t kFrames = 300;
  const std::uint64_t before = bench.clocks();
  for (std::uint64_t i = 0; i < kFrames; ++i) frames.next();
  EXPECT_EQ(bench.clocks() - before, kFrames * kClocks) << "frames had to wait";
  for (int i = 0; i < 200; ++i) bench.clock();
  frames.expectAll();
}

TEST(Dma, CapturesByWayOfTheRegisters) {
  DmaBench bench;
  const auto at = [](std::uint32_t offset) { return dma::kBase + offset; };
  bench.write(at(dma::kCaptureAddressLo), static_cast<std::uint32_t>(DmaBench::kMemoryAddress));
  bench.write(at(dma::kCaptureAddressHi), DmaBench::kMemoryAddress >> 32);
  bench.write(at(dma::kCaptureSize), 20480);
  bench.write(at(dma::kCaptureReadLo), 640);
  bench.write(at(dma::kCaptureControl), dma::kCaptureControlEnable.of(1));
  EXPECT_EQ(bench.read(at(dma::kCaptureReadLo)), 0U) << "starts at zero";

  std::vector<std::uint8_t> frame(100);
  for (std::size_t i = 0; i < frame.size(); ++i) frame[i] = static_cast<std::uint8_t>(i);
  bench.capture(frame, false);
  for (int i = 0; i < 100; ++i) bench.clock();
  EXPECT_EQ(bench.read(at(dma::kCaptureWrittenLo)), 192U);
  EXPECT_EQ(bench.read(at(dma::kCaptureWrittenHi)), 0U);
  EXPECT_EQ(std::memcmp(bench.memory().data() + 64, frame.data(), frame.size()), 0);
  EXPECT_EQ(bench.memory()[15], 0x5A);
  EXPECT_EQ(bench.memory()[14], 0);

  // 106 records of 192 bytes fit the ring of 20480 bytes, the next one waits for room.
  for (int i = 1; i < 110; ++i) bench.capture(frame, i % 2 == 1);
  for (int i = 0; i < 2000; ++i) bench.clock();
  EXPECT_EQ(bench.read(at(dma::kCaptureWrittenLo)), 106 * 192U);
  bench.write(at(dma::kCaptureReadHi), 0);
  EXPECT_EQ(bench.read(at(dma::kCaptureWrittenLo)), 106 * 192U) << "the low half takes effect";
  bench.write(at(dma::kCaptureReadLo), 192);
  for (int i = 0; i < 200; ++i) bench.clock();
  EXPECT_EQ(bench.read(at(dma::kCaptureWrittenLo)), 107 * 192U);
  EXPECT_EQ(bench.read(at(dma::kCaptureSticky)), 0U);

  // A failing memory, and a new ring.
  bench.buffers().fail(DmaBench::kMemoryAddress, 64);
  bench.write(at(dma::kCaptureControl), 0);
  bench.write(at(dma::kCaptureControl), dma::kCaptureControlEnable.of(1));
  EXPECT_EQ(bench.read(at(dma::kCaptureWrittenLo)), 0U);
  bench.capture(frame, true);
  for (int i = 0; i < 100; ++i) bench.clock();
  EXPECT_EQ(bench.read(at(dma::kCaptureSticky)), dma::kCaptureStickyWriteError.of(1));
  bench.write(at(dma::kCaptureSticky), dma::kCaptureStickyWriteError.of(1));
  EXPECT_EQ(bench.read(at(dma::kCaptureSticky)), 0U);
}

}  // namespace
}  // namespace plumbline::hw_test
