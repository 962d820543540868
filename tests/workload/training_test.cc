#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/workload/rank_network.h"
#include "workload/barrier.h"
#include "workload/ideal_time.h"
#include "workload/workload.h"

namespace plumbline::workload {
namespace {

using workload_test::kNetwork;
using workload_test::RankNetwork;

CollectiveSpec ring(std::uint64_t bytes) {
  CollectiveSpec spec;
  spec.bytes = bytes;
  return spec;
}

WorkloadSpec training(const TrainingProgram& program, std::uint32_t ranks, std::uint32_t flows = 1,
                      FlowUse use = FlowUse::kRoundRobin) {
  WorkloadSpec spec;
  JobSpec& job = spec.jobs.emplace_back();
  job.name = "training";
  job.placement.ranks = ranks;
  job.flows = flows;
  job.flow_use = use;
  job.program = program;
  return spec;
}

JobResult run(const WorkloadSpec& spec, std::uint32_t hosts, Picoseconds jitter = {}) {
  Workload workload(spec, hosts);
  RankNetwork network(workload, hosts, kNetwork, jitter);
  network.run();
  EXPECT_TRUE(workload.finished());
  return workload.results()[0];
}

// C = 10 us, then a ring of 4 with 100 kB chunks (8 us + 1 us, six times).
TEST(Training, AnIterationIsComputingAndThenTheCollective) {
  TrainingProgram program;
  program.iterations = 5;
  program.compute = microseconds(10);
  program.collectives = {ring(400'000)};
  const JobResult result = run(training(program, 4), 4);
  ASSERT_EQ(result.iterations.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(result.iterations[i].duration(), microseconds(10 + 54));
    EXPECT_EQ(result.iterations[i].start, microseconds(64) * static_cast<std::int64_t>(i));
  }
  EXPECT_EQ(result.completionTime(), microseconds(320));
  EXPECT_EQ(result.bytes_posted, std::vector<std::uint64_t>(4, 5ULL * 600'000));
  EXPECT_EQ(result.total.messages_posted, 5U * 4 * 6);
  EXPECT_EQ(result.total.messages_completed, 5U * 4 * 6);
  EXPECT_EQ(result.total.bytes_arrived, 5U * 4 * 600'000);
  // 8 us and twice the latency for every message.
  EXPECT_EQ(result.total.message_time.minimum(), 10'000'000U);
  EXPECT_EQ(result.total.message_time.maximum(), 10'000'000U);
}

// Four buckets of 6 us each, C = 40 us: a bucket's collective starts when its quarter is computed;
// only the last one's 6 us remain visible. Without overlap all four do.
TEST(Training, BucketsOverlapWithComputing) {
  TrainingProgram program;
  program.iterations = 2;
  program.compute = microseconds(40);
  program.collectives.assign(4, ring(50'000));  // 2 ranks: twice 2 us + 1 us
  program.overlap = true;
  EXPECT_EQ(run(training(program, 2), 2).iterations[1].duration(), microseconds(46));
  program.overlap = false;
  EXPECT_EQ(run(training(program, 2), 2).iterations[1].duration(), microseconds(64));
  // Communication-bound: first bucket at 1 us, then 4 * 6 us.
  program.compute = microseconds(4);
  program.overlap = true;
  EXPECT_EQ(run(training(program, 2), 2).iterations[0].duration(), microseconds(25));
}

TEST(Training, DelaysInsideTheServerAreAdded) {
  TrainingProgram program;
  CollectiveSpec rails = ring(800'000);
  rails.algorithm = Algorithm::kHierarchical;
  rails.ranks_per_server = 2;
  rails.before = microseconds(3);
  rails.after = microseconds(4);
  program.collectives = {rails};
  // 4 servers: shards of 400 kB, six steps of 100 kB.
  const JobResult result = run(training(program, 8), 8);
  EXPECT_EQ(result.iterations[0].duration(), microseconds(3 + 54 + 4));
  EXPECT_EQ(result.bytes_posted, std::vector<std::uint64_t>(8, 600'000));
}

TEST(Training, RailsOnlyTalkWithinARail) {
  TrainingProgram program;
  CollectiveSpec rails = ring(800);
  rails.algorithm = Algorithm::kHierarchical;
  rails.ranks_per_server = 4;
  program.collectives = {rails};
  Workload workload(training(program, 16), 16);
  RankNetwork network(workload, 16, kNetwork);
  network.run();
  ASSERT_EQ(network.log().size(), 16U * 6);
  for (const auto& posted : network.log()) EXPECT_EQ(posted.from % 4, posted.message.to % 4);
}

// No rank leaves a barrier before every rank has entered it.
TEST(Training, BarrierHoldsAllUntilTheLast) {
  TrainingProgram program;
  program.iterations = 8;
  program.compute = microseconds(1);
  program.compute_spread = microseconds(50);
  program.barrier = true;
  Workload workload(training(program, 7), 7);
  RankNetwork network(workload, 7, kNetwork);
  network.run();
  ASSERT_TRUE(workload.finished());
  const JobResult result = workload.results()[0];
  ASSERT_EQ(result.iterations.size(), 8U);
  for (std::size_t i = 1; i < 8; ++i) {
    EXPECT_GT(result.iterations[i].start, result.iterations[i - 1].finish);
  }
  // Three rounds of 8-byte messages, seven times.
  EXPECT_EQ(network.log().size(), 7U * 3 * 7);
  for (const auto& posted : network.log()) EXPECT_EQ(posted.message.bytes, 8U);
}

TEST(Training, WithoutBarrierFastRanksGoAhead) {
  TrainingProgram program;
  program.iterations = 8;
  program.compute = microseconds(1);
  program.compute_spread = microseconds(50);
  const JobResult result = run(training(program, 7), 7);
  bool ahead = false;
  for (std::size_t i = 1; i < 8; ++i) {
    ahead |= result.iterations[i].start < result.iterations[i - 1].finish;
  }
  EXPECT_TRUE(ahead);
}

TEST(Training, SpreadStaysWithinItsBoundsAndDependsOnTheSeed) {
  TrainingProgram program;
  program.iterations = 200;
  program.compute = microseconds(10);
  program.compute_spread = microseconds(5);
  WorkloadSpec spec = training(program, 1);
  const JobResult one = run(spec, 1);
  const JobResult again = run(spec, 1);
  spec.seed = 2;
  const JobResult other = run(spec, 1);
  std::set<std::int64_t> seen;
  for (std::size_t i = 0; i < 200; ++i) {
    const Picoseconds duration = one.iterations[i].duration();
    EXPECT_GE(duration, microseconds(10));
    EXPECT_LE(duration, microseconds(15));
    EXPECT_EQ(duration, again.iterations[i].duration());
    seen.insert(duration.count());
  }
  EXPECT_GT(seen.size(), 190U);
  EXPECT_NE(one.completionTime(), other.completionTime());
}

// All kinds in one iteration, messages overtaking each other, ranks drifting apart: everything
// still fits together, for whole and for split messages.
TEST(Training, SurvivesReorderingAndStragglers) {
  TrainingProgram program;
  program.iterations = 30;
  program.compute = nanoseconds(100);
  program.compute_spread = microseconds(40);
  const auto add = [&](CollectiveKind kind, Algorithm algorithm, std::uint64_t chunk) {
    CollectiveSpec spec = ring(10'007);
    spec.kind = kind;
    spec.algorithm = algorithm;
    spec.chunk_bytes = chunk;
    program.collectives.push_back(spec);
  };
  add(CollectiveKind::kBroadcast, Algorithm::kTree, 1000);
  add(CollectiveKind::kAllReduce, Algorithm::kRing, 300);
  add(CollectiveKind::kAllReduce, Algorithm::kDoubleTree, 700);
  add(CollectiveKind::kAllToAll, Algorithm::kXor, 0);
  add(CollectiveKind::kAllReduce, Algorithm::kHalvingDoubling, 0);
  add(CollectiveKind::kReduceScatter, Algorithm::kRing, 0);
  add(CollectiveKind::kAllGather, Algorithm::kRing, 0);
  for (const FlowUse use : {FlowUse::kRoundRobin, FlowUse::kSplit}) {
    const JobResult result = run(training(program, 8, 5, use), 8, microseconds(20));
    EXPECT_TRUE(result.finished);
    EXPECT_EQ(result.iterations.size(), 30U);
    EXPECT_EQ(result.total.messages_arrived, result.total.messages_posted);
    EXPECT_EQ(result.total.bytes_arrived, result.total.bytes_posted);
    const auto sum = [](const std::vector<std::uint64_t>& values) {
      std::uint64_t total = 0;
      for (const std::uint64_t value : values) total += value;
      return total;
    };
    // Per iteration: broadcast 7 S, three AllReduce of 14 S, two halves of 7 S, AllToAll 7 S - (the
    // 8-rank chunks are 1250 or 1251 bytes: every rank sends all chunks but its own).
    EXPECT_EQ(sum(result.bytes_posted), 30U * 10'007 * (7 + 3 * 14 + 2 * 7 + 7));
  }
}

// A root may be far ahead of its leaves: it computes nothing, and they are slow.
TEST(Training, BroadcastsQueueAtSlowRanks) {
  TrainingProgram program;
  program.iterations = 300;
  program.compute_spread = microseconds(3);
  CollectiveSpec spec = ring(64);
  spec.kind = CollectiveKind::kBroadcast;
  spec.algorithm = Algorithm::kTree;
  program.collectives = {spec};
  const JobResult result = run(training(program, 16, 3), 16, microseconds(30));
  EXPECT_EQ(result.iterations.size(), 300U);
  EXPECT_EQ(result.total.messages_arrived, 300U * 15);
}

// At most the messages of two broadcasts are open at the root, although it never receives.
TEST(Training, ARankHasMessagesOfAtMostTwoCollectivesOpen) {
  TrainingProgram program;
  program.iterations = 50;
  CollectiveSpec spec = ring(64);
  spec.kind = CollectiveKind::kBroadcast;
  spec.algorithm = Algorithm::kTree;
  program.collectives = {spec};
  Workload workload(training(program, 2), 2);
  RankNetwork network(workload, 2, kNetwork);
  network.run();
  const auto& log = network.log();
  ASSERT_EQ(log.size(), 50U);
  for (std::size_t i = 2; i < log.size(); ++i) {
    EXPECT_GE(log[i].time - log[i - 2].time, 2 * microseconds(1));
  }
}

TEST(Training, AFailedMessageIsCountedAndTheIterationMissing) {
  TrainingProgram program;
  program.iterations = 3;
  program.collectives = {ring(4000)};
  Workload workload(training(program, 4), 4);
  RankNetwork network(workload, 4, kNetwork);
  std::size_t posted = 0;
  network.failIf([&](const auto&) { return ++posted == 30; });  // in the second iteration
  network.run();
  const JobResult result = workload.results()[0];
  EXPECT_FALSE(result.finished);
  EXPECT_FALSE(workload.finished());
  EXPECT_EQ(result.total.messages_failed, 1U);
  EXPECT_EQ(result.iterations.size(), 1U);
}

}  // namespace
}  // namespace plumbline::workload
