// Latency groups and histograms of plumb_rx against stats::histogramBucket.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "stats/histogram.h"
#include "tests/hw/rx/rx_bench.h"
#include "tests/hw/rx/rx_frames.h"

namespace plumbline::test {
namespace {

constexpr std::uint64_t kTimeMask = 0xFFFFFFFFFFFF;

// One group as it should be.
class ReferenceGroup {
 public:
  void record(std::uint64_t latency) {
    ++row_.count;
    row_.minimum = std::min(row_.minimum, latency);
    row_.maximum = std::max(row_.maximum, latency);
    row_.sum += latency;
    ++cells_[stats::cardHistogramBucket(latency)];
  }
  void expectIn(RxBench& bench, std::uint32_t group) const {
    EXPECT_EQ(bench.groupRow(group), row_) << "group " << group;
    for (std::uint32_t bucket = 0; bucket < stats::kCardHistogramBuckets; ++bucket) {
      const auto cell = cells_.find(bucket);
      ASSERT_EQ(bench.histogramCell(group, bucket), cell == cells_.end() ? 0 : cell->second)
          << "group " << group << " bucket " << bucket;
    }
  }

 private:
  GroupRow row_;
  std::map<std::uint32_t, std::uint64_t> cells_;
};

// Sends 64-byte frames whose latency is what the test wants.
class Sender {
 public:
  explicit Sender(RxBench& bench) : bench_(bench), random_(1, "latency/payload") {}

  void send(std::uint32_t group, std::uint64_t latency) {
    sendNumber(group, latency, sequence_[group]++);
  }
  void sendNumber(std::uint32_t group, std::uint64_t latency, std::uint64_t sequence) {
    FrameOptions options{.length = 64};
    options.tag = wire::TestTag{.id = wire::TestTag::makeId(group, group),
                                .sequence = sequence,
                                .departure = (bench_.now() - latency) & kTimeMask};
    bench_.send(makeFrame(options, random_));
  }

 private:
  RxBench& bench_;
  RandomStream random_;
  std::map<std::uint32_t, std::uint64_t> sequence_;
};

TEST(RxLatency, EveryBucketIsThatOfTheHost) {
  RxBench bench;
  Sender sender(bench);
  ReferenceGroup reference;
  const auto measure = [&](std::uint64_t latency) {
    sender.send(2, latency);
    reference.record(latency);
    bench.idle(1);
  };
  // First and last value of every bucket, and what lies beyond the last.
  for (std::uint32_t bucket = 0; bucket < stats::kCardHistogramBuckets; ++bucket) {
    measure(stats::bucketLowerBound(bucket));
    if (bucket + 1 < stats::kCardHistogramBuckets) measure(stats::bucketUpperBound(bucket) - 1);
  }
  for (int bit = 39; bit < 47; ++bit) {
    measure((1ULL << bit) - 1);
    measure(1ULL << bit);
    measure((1ULL << bit) + 1);
  }
  measure((1ULL << 47) - 1);
  bench.settle();
  reference.expectIn(bench, 2);
  EXPECT_EQ(bench.counters().latency_negative, 0U);
  EXPECT_EQ(bench.groupRow(1), GroupRow{});
}

TEST(RxLatency, SameCellAtEveryDistance) {
  RxBench bench;
  Sender sender(bench);
  std::vector<ReferenceGroup> references(3);
  RandomStream random(2, "latency/distance");
  // Two groups and few latencies meet in every order and distance.
  for (int i = 0; i < 6000; ++i) {
    const auto group = static_cast<std::uint32_t>(random.below(2) + 1);
    const std::uint64_t latency = 1000000 + random.below(3) * 100000;
    sender.send(group, latency);
    references[group].record(latency);
    bench.idle(random.below(5));
  }
  bench.settle();
  references[1].expectIn(bench, 1);
  references[2].expectIn(bench, 2);
  EXPECT_EQ(bench.counters().event_overflow, 0U);
}

TEST(RxLatency, AllGroupsApart) {
  RxBench bench;
  Sender sender(bench);
  std::vector<ReferenceGroup> references(16);
  RandomStream random(3, "latency/groups");
  for (int i = 0; i < 8000; ++i) {
    const auto group = static_cast<std::uint32_t>(random.below(16));
    const std::uint64_t latency = random.next() >> (17 + random.below(47));
    sender.send(group, latency);
    references[group].record(latency);
    bench.idle(1 + random.below(2));
  }
  bench.settle();
  for (std::uint32_t group = 0; group < 16; ++group) references[group].expectIn(bench, group);
}

TEST(RxLatency, OffsetAndWrapOfTheDepartureTime) {
  RxBench bench;
  Sender sender(bench);
  ReferenceGroup reference;
  bench.setTimestampOffset(-6671);
  // Card time beyond 48 bits, around a carry into bit 48.
  bench.jumpTo((3ULL << 48) - 100000);
  for (int i = 0; i < 200; ++i) {
    sender.send(4, 50000 + 6671);
    reference.record(50000);
    bench.idle(2);
  }
  EXPECT_GT(bench.now(), 3ULL << 48);
  bench.settle();
  reference.expectIn(bench, 4);
}

TEST(RxLatency, NegativeLatencyIsCountedApart) {
  RxBench bench;
  Sender sender(bench);
  ReferenceGroup reference;
  std::uint64_t negative = 0;
  for (const std::uint64_t early :
       {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1} << 40, std::uint64_t{1} << 47}) {
    sender.send(1, ~early + 1);
    ++negative;
    bench.idle(2);
    sender.send(1, 5);
    reference.record(5);
    bench.idle(2);
  }
  bench.settle();
  EXPECT_EQ(bench.counters().latency_negative, negative);
  reference.expectIn(bench, 1);
  EXPECT_EQ(bench.flowRow(1).frames, 2 * negative);
}

TEST(RxLatency, DuplicatesStayOutAndStaleFramesDoNot) {
  RxBench bench;
  Sender sender(bench);
  ReferenceGroup reference;
  const auto counted = [&](std::uint64_t sequence, std::uint64_t latency) {
    sender.sendNumber(1, latency, sequence);
    reference.record(latency);
    bench.idle(2);
  };
  const auto ignored = [&](std::uint64_t sequence, std::uint64_t latency) {
    sender.sendNumber(1, latency, sequence);
    bench.idle(2);
  };
  counted(500, 1000);
  ignored(500, 1);
  counted(400, 2000);  // out of order
  ignored(400, 3);
  counted(373, 3000);  // the oldest of the window of 128
  ignored(373, 4);
  counted(372, 4000);  // stale
  counted(372, 5000);  // might be a duplicate; the window does not cover it
  counted(10, 1U << 30);
  counted(501, 1000);
  ignored(500, ~0ULL);  // a negative duplicate is still a duplicate
  bench.settle();
  reference.expectIn(bench, 1);
  EXPECT_EQ(bench.counters().latency_negative, 0U);
}

TEST(RxLatency, ReadsUnderTrafficAreWholeAndDisturbNothing) {
  RxBench bench;
  Sender sender(bench);
  std::vector<ReferenceGroup> references(3);
  std::vector<std::uint64_t> sent(3);
  RandomStream random(4, "latency/read");
  std::uint64_t asked = 1;  // group of the reads under way
  std::vector<std::uint64_t> last_cell(3);
  std::uint64_t answers = 0;
  for (int i = 0; i < 8000; ++i) {
    // Group g: 6000·g and 8000·g in turns, so that any whole row can be told from a torn one.
    const auto group = static_cast<std::uint32_t>(1 + random.below(2));
    const std::uint64_t latency = std::uint64_t{group} * (sent[group]++ % 2 == 0 ? 6000 : 8000);
    sender.send(group, latency);
    references[group].record(latency);
    if (i % 4 == 0) {
      // Four frames apart: the answers to the reads before are there.
      asked = 1 + random.below(2);
      bench.requestTable(5, static_cast<std::uint32_t>(asked));
      bench.requestHistogram(static_cast<std::uint32_t>(asked),
                             stats::histogramBucket(6000 * asked));
    }
    bench.idle(1 + (i % 16 == 0 ? random.below(20) : 0));
    while (!bench.answers.empty()) {
      const TableAnswer answer = bench.answers.front();
      bench.answers.pop_front();
      const GroupRow row = decodeGroupRow(answer.words);
      ++answers;
      EXPECT_LE(answer.answered - answer.requested, 7U);
      ASSERT_EQ(row.sum, asked * (row.count / 2 * 14000 + row.count % 2 * 6000));
      ASSERT_EQ(row.minimum, row.count > 0 ? 6000 * asked : kTimeMask);
      ASSERT_EQ(row.maximum, asked * (row.count > 1 ? 8000U : row.count * 6000U));
    }
    while (!bench.histogram_answers.empty()) {
      const std::uint64_t cell = bench.histogram_answers.front();
      bench.histogram_answers.pop_front();
      ASSERT_GE(cell, last_cell[asked]);
      ASSERT_LE(cell, (sent[asked] + 1) / 2);
      last_cell[asked] = cell;
    }
  }
  EXPECT_EQ(answers, 2000U);
  bench.settle();
  for (std::uint32_t group = 1; group <= 2; ++group) {
    references[group].expectIn(bench, group);
    EXPECT_GT(last_cell[group], sent[group] / 2 - 20);
  }
}

TEST(RxLatency, WhatDoesNotExistReadsAsZero) {
  RxBench bench;
  Sender sender(bench);
  sender.send(0, 0);
  sender.send(1, 0);  // where bucket 4352 of group 0 would be
  bench.settle();
  EXPECT_EQ(bench.histogramCell(0, 0), 1U);
  EXPECT_EQ(bench.histogramCell(16, 0), 0U);
  EXPECT_EQ(bench.histogramCell(0, stats::kCardHistogramBuckets), 0U);
  EXPECT_EQ(bench.histogramCell(0, 0x2000), 0U);
  EXPECT_EQ(bench.histogramCell(0, 0xFFFF), 0U);
  EXPECT_EQ(bench.groupRow(16).count, 0U);
  EXPECT_EQ(bench.groupRow(16).minimum, 0U);
}

}  // namespace
}  // namespace plumbline::test
