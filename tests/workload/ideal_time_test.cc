// Collectives in a network without contention take the closed form's time to the picosecond.
#include "workload/ideal_time.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/workload/rank_network.h"

namespace plumbline::workload {
namespace {

using workload_test::plainNetwork;
using workload_test::RankNetwork;

const MessageTime kFastNetwork = plainNetwork(gigabitsPerSecond(400), nanoseconds(1234));

WorkloadSpec jobOf(const CollectiveSpec& collective, std::uint32_t ranks,
                   std::uint32_t iterations) {
  TrainingProgram program;
  program.iterations = iterations;
  program.collectives = {collective};
  WorkloadSpec spec;
  JobSpec& job = spec.jobs.emplace_back();
  job.placement.ranks = ranks;
  job.program = program;
  return spec;
}

void expectTime(const CollectiveSpec& collective, std::uint32_t ranks, Picoseconds expected) {
  Workload workload(jobOf(collective, ranks, 3), ranks);
  RankNetwork network(workload, ranks, kFastNetwork);
  network.run();
  const JobResult result = workload.results()[0];
  ASSERT_TRUE(result.finished);
  ASSERT_EQ(result.iterations.size(), 3U);
  EXPECT_EQ(result.iterations[0].start, Picoseconds(0));
  EXPECT_EQ(result.iterations[0].duration(), expected) << ranks << " ranks " << collective.bytes;
}

CollectiveSpec collective(CollectiveKind kind, Algorithm algorithm, std::uint64_t bytes) {
  CollectiveSpec spec;
  spec.kind = kind;
  spec.algorithm = algorithm;
  spec.bytes = bytes;
  return spec;
}

// By hand: 4 ranks, 4 MB at 400 Gb/s: six steps of 1 MB in 20 us and 1.234 us.
TEST(IdealTime, OfARingOfFourByHand) {
  EXPECT_EQ(ringAllReduceTime(4, 4'000'000, kFastNetwork),
            6 * (microseconds(20) + nanoseconds(1234)));
  expectTime(collective(CollectiveKind::kAllReduce, Algorithm::kRing, 4'000'000), 4,
             6 * (microseconds(20) + nanoseconds(1234)));
}

TEST(IdealTime, OfRings) {
  for (const std::uint32_t ranks : {1U, 2U, 3U, 7U, 16U, 64U}) {
    for (const std::uint64_t bytes : {0U, 1U, 5U, 1'000'000U, 12'345'677U}) {
      expectTime(collective(CollectiveKind::kAllReduce, Algorithm::kRing, bytes), ranks,
                 ringAllReduceTime(ranks, bytes, kFastNetwork));
      expectTime(collective(CollectiveKind::kReduceScatter, Algorithm::kRing, bytes), ranks,
                 ringHalfTime(ranks, bytes, kFastNetwork));
      expectTime(collective(CollectiveKind::kAllGather, Algorithm::kRing, bytes), ranks,
                 ringHalfTime(ranks, bytes, kFastNetwork));
    }
  }
}

TEST(IdealTime, OfHalvingDoubling) {
  // By hand: 4 ranks, 4 MB: twice 2 MB in 40 us, twice 1 MB in 20 us, four latencies.
  EXPECT_EQ(halvingDoublingTime(4, 4'000'000, kFastNetwork),
            microseconds(120) + 4 * nanoseconds(1234));
  for (const std::uint32_t ranks : {1U, 2U, 8U, 64U}) {
    expectTime(
        collective(CollectiveKind::kAllReduce, Algorithm::kHalvingDoubling, 64'000ULL * ranks),
        ranks, halvingDoublingTime(ranks, 64'000ULL * ranks, kFastNetwork));
  }
}

TEST(IdealTime, OfTreeBroadcasts) {
  // By hand: 3 ranks, 2 chunks of 100 kB (2 us): a0 b0 a1 b1, the last arrives at 8 us + latency.
  EXPECT_EQ(treeBroadcastTime(3, 2, 100'000, kFastNetwork), microseconds(8) + nanoseconds(1234));
  for (const std::uint32_t ranks : {1U, 2U, 3U, 4U, 5U, 6U, 12U, 31U, 64U}) {
    for (const std::uint32_t chunks : {1U, 2U, 10U}) {
      CollectiveSpec spec =
          collective(CollectiveKind::kBroadcast, Algorithm::kTree, 100'000ULL * chunks);
      spec.chunk_bytes = 100'000;
      expectTime(spec, ranks, treeBroadcastTime(ranks, chunks, 100'000, kFastNetwork));
    }
  }
}

TEST(IdealTime, OfAllToAll) {
  for (const std::uint32_t ranks : {1U, 2U, 3U, 8U, 33U}) {
    CollectiveSpec spec =
        collective(CollectiveKind::kAllToAll, Algorithm::kLinearShift, 50'000ULL * ranks);
    expectTime(spec, ranks, directAllToAllTime(ranks, spec.bytes, kFastNetwork));
    spec.window = 1;
    expectTime(spec, ranks, pairwiseAllToAllTime(ranks, spec.bytes, kFastNetwork));
    if (ranks == 8) {
      spec.algorithm = Algorithm::kXor;
      expectTime(spec, ranks, pairwiseAllToAllTime(ranks, spec.bytes, kFastNetwork));
    }
  }
}

// Iterations without computing follow each other without a gap.
TEST(IdealTime, OfManyIterationsIsTheirSum) {
  Workload workload(jobOf(collective(CollectiveKind::kAllReduce, Algorithm::kRing, 800'000), 8, 20),
                    8);
  RankNetwork network(workload, 8, kFastNetwork);
  network.run();
  EXPECT_EQ(workload.results()[0].completionTime(),
            20 * ringAllReduceTime(8, 800'000, kFastNetwork));
}

}  // namespace
}  // namespace plumbline::workload
