// The capture writer behind the taps: every frame that the taps have let through is in the ring,
// whole, in order and in time, whatever memory and host do; every other one was counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "capture_bench.h"

namespace plumbline::hw_test {
namespace {

constexpr std::uint32_t kShortest = 64;
constexpr std::uint32_t kLongest = 9216;

// Memories that take and answer as they please; what each is like is drawn anew.
sim::AxiTiming moody(std::uint64_t seed) {
  RandomStream random(seed, "moody memory");
  sim::AxiTiming timing;
  timing.address_sixteenths = 4 + static_cast<std::uint32_t>(random.below(13));
  timing.data_sixteenths = 6 + static_cast<std::uint32_t>(random.below(11));
  timing.min_latency = 1 + static_cast<std::uint32_t>(random.below(40));
  timing.max_latency = timing.min_latency + static_cast<std::uint32_t>(random.below(300));
  timing.seed = seed;
  return timing;
}

// Sends, stream by stream in turns, as much as the stores can hold without a loss.
void sendWithoutLoss(CaptureBench& bench, const std::vector<std::uint32_t>& lengths,
                     RandomStream& random) {
  std::size_t next = 0;
  while (next < lengths.size()) {
    for (std::size_t s = 0; s < kStreams && next < lengths.size(); ++s) {
      if (bench.open(s) < 2 && random.below(4) != 0) {
        bench.send(s, lengths[next++], static_cast<int>(random.below(6)));
      }
    }
    bench.run(8);
  }
  bench.settle();
}

void expectNothingLost(const CaptureBench& bench) {
  EXPECT_EQ(bench.droppedInAll(), 0U);
  for (std::size_t s = 0; s < kStreams; ++s) {
    EXPECT_EQ(bench.whole(s), bench.sent(s)) << "stream " << s;
  }
  EXPECT_EQ(bench.mismatches(), 0U);
  EXPECT_EQ(bench.writeErrors(), 0U);
}

// Every frame is in the ring as a whole, or was counted by its tap, once.
void expectAllAccountedFor(const CaptureBench& bench) {
  for (std::size_t s = 0; s < kStreams; ++s) {
    EXPECT_EQ(bench.whole(s) + bench.dropped(s), bench.sent(s)) << "stream " << s;
  }
  EXPECT_EQ(bench.mismatches(), 0U);
}

TEST(CaptureWriter, EveryLengthWhateverTheMemoryDoes) {
  std::vector<std::uint32_t> lengths;
  for (std::uint32_t length = kShortest; length <= kLongest; ++length) lengths.push_back(length);
  RandomStream random(1, "every length");
  for (std::size_t i = lengths.size(); i > 1; --i)
    std::swap(lengths[i - 1], lengths[random.below(i)]);
  constexpr std::size_t kParts = 8;
  for (std::size_t part = 0; part < kParts; ++part) {
    CaptureBench bench({.timing = moody(part), .host_lag = 20'000, .seed = part});
    bench.enable(true);
    const auto first =
        lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() * part / kParts);
    const auto last =
        lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() * (part + 1) / kParts);
    sendWithoutLoss(bench, {first, last}, random);
    expectNothingLost(bench);
    EXPECT_EQ(bench.records().size(), static_cast<std::size_t>(last - first));
  }
}

TEST(CaptureWriter, WrapsAtEveryOffsetOfTheRing) {
  constexpr std::uint64_t kRing = 20480;  // the smallest one
  CaptureBench bench({.ring_bytes = kRing, .timing = moody(11), .host_lag = 4096});
  bench.enable(true);
  RandomStream random(2, "wraps");
  std::set<std::uint64_t> starts;  // of records that fill more than half of the ring
  std::set<std::uint64_t> short_starts;
  for (int round = 0;
       round < 300 && (starts.size() < kRing / 64 || short_starts.size() < kRing / 64); ++round) {
    std::vector<std::uint32_t> lengths;
    for (int i = 0; i < 40; ++i) {
      const bool long_one = random.below(2) == 0;
      lengths.push_back(long_one ? 10'300 + static_cast<std::uint32_t>(random.below(200))
                                 : kShortest + static_cast<std::uint32_t>(random.below(600)));
    }
    sendWithoutLoss(bench, lengths, random);
    for (const Record& record : bench.records()) {
      (record.captured > 10'000 ? starts : short_starts).insert(record.at % kRing);
    }
    bench.forgetRecords();
  }
  EXPECT_EQ(starts.size(), kRing / 64);
  EXPECT_EQ(short_starts.size(), kRing / 64);
  expectNothingLost(bench);
}

TEST(CaptureWriter, AFullRingLosesFramesAtTheTapsAndNothingElse) {
  CaptureBench bench({.ring_bytes = 32768, .timing = moody(21), .host_lag = 30'000});
  bench.enable(true);
  RandomStream random(3, "full ring");
  for (int round = 0; round < 30; ++round) {
    bench.hostReads(round % 3 == 2);
    for (int i = 0; i < 40; ++i) {
      for (std::size_t s = 0; s < kStreams; ++s) {
        const auto length = static_cast<std::uint32_t>(
            random.below(4) == 0 ? random.below(kLongest - kShortest + 1) : random.below(200));
        bench.send(s, kShortest + length);
      }
    }
    while (bench.sending()) bench.clock();
    if (round % 3 == 1) {
      bench.run(4000);
      EXPECT_LE(bench.written(), 32768 + (bench.records().empty() ? 0 : bench.records().back().at) +
                                     kHeaderBytes + kLongest + 63);
    }
  }
  bench.hostReads(true);
  bench.settle();
  EXPECT_GT(bench.droppedInAll(), 1000U);
  EXPECT_GT(std::count_if(bench.records().begin(), bench.records().end(),
                          [](const Record& record) { return record.truncated; }),
            0);
  expectAllAccountedFor(bench);
}

// One direction of one port at line rate, sizes whose records fit through the bus: a beat of header
// and one per 64 bytes begun, in the time of the frame.
TEST(CaptureWriter, LineRateOfOneDirectionFitsThroughTheBus) {
  for (const std::uint32_t length : {64U, 128U, 192U, 256U, 512U, 1518U, 4096U, 9216U}) {
    CaptureBench bench({.timing = {.min_latency = 200, .max_latency = 300}});
    bench.enable(true);
    const std::uint32_t frames = 600'000 / length;
    for (std::uint32_t i = 0; i < frames; ++i) bench.send(3, length);
    bench.settle();
    expectNothingLost(bench);
    EXPECT_EQ(bench.records().size(), frames) << length;
  }
}

// Both directions of two ports at once: 400 Gb/s and headers for a bus of 165. What the stores hold
// above that is 32 KiB each, so a burst up to that passes.
TEST(CaptureWriter, BurstsOfTwoPortsInBothDirectionsAtLineRate) {
  for (const std::uint32_t length : {64U, 65U, 300U, 1518U, 9216U}) {
    CaptureBench bench({.ring_bytes = 1 << 20});
    bench.enable(true);
    bench.run(10);
    for (int burst = 0; burst < 4; ++burst) {
      const std::uint32_t frames = std::min(400U, 480 / ((length + 63) / 64));
      for (std::uint32_t i = 0; i < frames; ++i) {
        for (std::size_t s = 0; s < kStreams; ++s) bench.send(s, length);
      }
      bench.settle();
    }
    expectNothingLost(bench);
  }
}

TEST(CaptureWriter, LineRateOfAllIsTooMuchAndEveryLossIsCounted) {
  CaptureBench bench({.timing = {.min_latency = 100, .max_latency = 900}});
  bench.enable(true);
  RandomStream random(4, "overload");
  for (int i = 0; i < 3000; ++i) {
    for (std::size_t s = 0; s < kStreams; ++s) {
      const std::uint64_t sizes = random.below(3) == 0 ? kLongest - kShortest + 1 : 400;
      bench.send(s, kShortest + static_cast<std::uint32_t>(random.below(sizes)));
    }
  }
  bench.settle();
  EXPECT_GT(bench.droppedInAll(), 1000U);
  expectAllAccountedFor(bench);
}

TEST(CaptureWriter, ABeatEveryClockWhileFramesWait) {
  for (const std::uint32_t length : {64U, 300U, 9000U}) {
    CaptureBench bench({.ring_bytes = 1 << 20});
    bench.enable(true);
    for (int i = 0; i < 4000; ++i) {
      for (std::size_t s = 0; s < kStreams; ++s) bench.send(s, length);
    }
    bench.run(500);
    const std::uint64_t before = bench.beatsWritten();
    bench.run(4000);
    EXPECT_GE(bench.beatsWritten() - before, 3980U) << length;
  }
}

TEST(CaptureWriter, CountsOnlyWhatHasBeenAcknowledged) {
  CaptureBench bench({.ring_bytes = 1 << 20});
  bench.enable(true);
  bench.memory().holdAnswers(true);
  for (int i = 0; i < 20; ++i) bench.send(0, 1000, 20);
  for (int i = 0; i < 300; ++i) bench.send(1, 64, 20);
  bench.run(20'000);
  EXPECT_EQ(bench.written(), 0U);
  EXPECT_EQ(bench.memory().underWay(), 256U) << "bursts, and then it waits";
  bench.memory().holdAnswers(false);
  bench.settle();
  EXPECT_EQ(bench.written(), 20U * (64 + 1024) + 300U * 128);
  expectNothingLost(bench);
}

TEST(CaptureWriter, AFailingMemoryIsReportedAndTheRingGoesOn) {
  CaptureBench bench({});
  bench.buffers().fail(CaptureBench::kRingAddress + 8192, 64);
  bench.enable(true);
  for (int i = 0; i < 6; ++i) bench.send(0, 1000, 50);  // 1,088 bytes each: ends before
  bench.settle();
  EXPECT_EQ(bench.writeErrors(), 0U);
  EXPECT_EQ(bench.records().size(), 6U);
  bench.lookAway();
  for (int i = 0; i < 4; ++i) bench.send(0, 1000, 50);
  bench.settle();
  EXPECT_EQ(bench.writeErrors(), 1U);
  EXPECT_EQ(bench.written(), 10U * 1088);
}

TEST(CaptureWriter, EachRingBeginsAtZeroWithFramesOfItsOwnTime) {
  CaptureBench bench({.timing = moody(31)});
  RandomStream random(5, "rings");
  for (int i = 0; i < 60; ++i) {
    for (int n = 0; n < 40; ++n) {
      for (std::size_t s = 0; s < kStreams; ++s) {
        bench.send(s, kShortest + static_cast<std::uint32_t>(random.below(2000)), 100);
      }
    }
    bench.run(random.below(1500));
    // A ring that has room ends at the end of a record, soon.
    bench.hostReads(random.below(3) != 0);
    bench.enable(false);
    bench.run(random.below(2) == 0 ? 3000 : 10);
    bench.hostReads(true);
    bench.run(1);
    bench.enable(true);
    bench.restartHost();
    bench.forgetRecords();
    bench.run(1);
    EXPECT_EQ(bench.written(), 0U) << "the old one's count must not be seen again";
  }
  while (bench.sending()) bench.clock();
  bench.settle();
  EXPECT_FALSE(bench.records().empty());
  EXPECT_EQ(bench.mismatches(), 0U);
}

TEST(CaptureWriter, ThrowsFramesAwayWithoutARing) {
  CaptureBench bench({});
  for (std::size_t s = 0; s < kStreams; ++s) {
    for (int i = 0; i < 300; ++i) bench.send(s, 300);
  }
  bench.settle();
  EXPECT_EQ(bench.droppedInAll(), 0U) << "nobody has asked for them";
  EXPECT_EQ(bench.beatsWritten(), 0U);
  bench.enable(true);
  bench.send(2, 700);
  bench.settle();
  ASSERT_EQ(bench.records().size(), 1U) << "only what came after the ring began";
  EXPECT_EQ(bench.records()[0].frame.length, 700U);
  EXPECT_EQ(bench.mismatches(), 0U);
}

TEST(CaptureWriter, CutsAFrameThatCouldFillTheStore) {
  CaptureBench bench({});
  bench.enable(true);
  for (int i = 0; i < 3; ++i) {
    for (const std::uint32_t length : {16384U, 16385U, 16448U, 60'000U, 64U}) {
      bench.send(0, length, 300);
    }
  }
  bench.settle();
  EXPECT_EQ(bench.droppedInAll(), 0U);
  ASSERT_EQ(bench.records().size(), 15U);
  for (const Record& record : bench.records()) {
    EXPECT_EQ(record.captured, std::min<std::uint64_t>(record.frame.length, kLongestKept));
    EXPECT_EQ(record.truncated, record.frame.length > kLongestKept);
  }
}

TEST(CaptureWriter, AFrameThatCouldFillTheStoreCannotLockIt) {
  CaptureBench bench({.ring_bytes = 32768});
  bench.enable(true);
  bench.hostReads(false);
  for (int i = 0; i < 20; ++i) {
    for (std::size_t s = 0; s < kStreams; ++s) bench.send(s, 50'000);
  }
  while (bench.sending()) bench.clock();
  bench.hostReads(true);
  bench.settle();
  const std::size_t before = bench.records().size();
  for (std::size_t s = 0; s < kStreams; ++s) bench.send(s, 1000);
  bench.settle();
  EXPECT_EQ(bench.records().size(), before + kStreams);
  EXPECT_EQ(bench.mismatches(), 0U);
}

TEST(CaptureWriter, NoticesADescriptorOfAnotherFrame) {
  CaptureBench bench({});
  bench.enable(true);
  bench.send(1, 500);
  bench.settle();
  EXPECT_EQ(bench.mismatches(), 0U);
  bench.lookAway();
  bench.spoilDescriptor(1);
  bench.send(1, 500);
  bench.settle();
  EXPECT_EQ(bench.mismatches(), 1U);
}

}  // namespace
}  // namespace plumbline::hw_test
