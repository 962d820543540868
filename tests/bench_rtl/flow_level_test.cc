#include "bench/flow/flow_level.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "workload/ideal_time.h"

namespace plumbline::bench {
namespace {

constexpr Picoseconds kThere = microseconds(2);
constexpr Picoseconds kBack = microseconds(1);
constexpr double kRate = 0.01;  // bytes/ps: 80 Gb/s

// Host h sends into link h and receives from link hosts + h.
FlowNetwork star(std::uint32_t hosts) {
  FlowNetwork network;
  network.capacities.assign(2 * std::size_t{hosts}, kRate);
  for (std::uint32_t from = 0; from < hosts; ++from) {
    for (std::uint32_t to = 0; to < hosts; ++to) {
      if (from == to) continue;
      network.paths[{from, to}] = {{{from}, {hosts + to}}, kThere, kBack};
    }
  }
  return network;
}

workload::MessageTime messageTime() {
  return {[](std::uint64_t bytes) {
            return Picoseconds(static_cast<std::int64_t>(bytes) * 100);  // 1 / kRate
          },
          kThere, kBack};
}

workload::WorkloadSpec workloadOf(std::uint32_t ranks, auto program) {
  workload::WorkloadSpec spec;
  workload::JobSpec& job = spec.jobs.emplace_back();
  job.placement.ranks = ranks;
  job.program = program;
  return spec;
}

workload::TrainingProgram collective(workload::CollectiveKind kind, workload::Algorithm algorithm,
                                     std::uint64_t bytes, std::uint32_t window = 0) {
  workload::TrainingProgram program;
  workload::CollectiveSpec& spec = program.collectives.emplace_back();
  spec.kind = kind;
  spec.algorithm = algorithm;
  spec.bytes = bytes;
  spec.window = window;
  return program;
}

Picoseconds timeOf(const workload::WorkloadSpec& spec, std::uint32_t hosts) {
  const auto results = runFlowLevel(spec, hosts, star(hosts)).jobs;
  EXPECT_EQ(results.size(), 1U);
  EXPECT_TRUE(results[0].finished);
  return results[0].completionTime();
}

TEST(FlowLevel, TakesTheTimeOfTheClosedForms) {
  using workload::Algorithm;
  using workload::CollectiveKind;
  const std::uint64_t bytes = 8'000'000;
  EXPECT_EQ(
      timeOf(workloadOf(8, collective(CollectiveKind::kAllReduce, Algorithm::kRing, bytes)), 8),
      workload::ringAllReduceTime(8, bytes, messageTime()));
  EXPECT_EQ(
      timeOf(workloadOf(5, collective(CollectiveKind::kAllGather, Algorithm::kRing, bytes)), 5),
      workload::ringHalfTime(5, bytes, messageTime()));
  EXPECT_EQ(timeOf(workloadOf(8, collective(CollectiveKind::kAllReduce, Algorithm::kHalvingDoubling,
                                            bytes)),
                   8),
            workload::halvingDoublingTime(8, bytes, messageTime()));
  EXPECT_EQ(timeOf(workloadOf(
                       8, collective(CollectiveKind::kAllToAll, Algorithm::kLinearShift, bytes, 1)),
                   8),
            workload::pairwiseAllToAllTime(8, bytes, messageTime()));
}

// Three senders share the receiver's link; one has a third of the others' bytes. After its end the
// two have half each: 1 MB at a third, then 2 MB at a half.
TEST(FlowLevel, RatesChangeWhenAFlowEnds) {
  workload::TraceProgram trace;
  trace.entries = {{{}, 1, 0, 1'000'000}, {{}, 2, 0, 3'000'000}, {{}, 3, 0, 3'000'000}};
  const auto results = runFlowLevel(workloadOf(4, trace), 4, star(4)).jobs;
  const auto& completed = results.at(0).trace_completed;
  const Picoseconds ways = kThere + kBack;
  EXPECT_NEAR(completed.at(0).toMicroseconds(), (microseconds(300) + ways).toMicroseconds(), 1e-5);
  EXPECT_NEAR(completed.at(1).toMicroseconds(), (microseconds(700) + ways).toMicroseconds(), 1e-5);
  EXPECT_NEAR(completed.at(2).toMicroseconds(), (microseconds(700) + ways).toMicroseconds(), 1e-5);
}

// Messages of one connection follow each other without a gap and do not share.
TEST(FlowLevel, MessagesOfAConnectionQueue) {
  workload::TraceProgram trace;
  trace.entries = {{{}, 1, 0, 1'000'000}, {{}, 1, 0, 1'000'000}, {microseconds(150), 2, 3, 500}};
  const auto results = runFlowLevel(workloadOf(4, trace), 4, star(4)).jobs;
  const auto& completed = results.at(0).trace_completed;
  EXPECT_EQ(completed.at(0), microseconds(103));
  EXPECT_EQ(completed.at(1), microseconds(203));
  EXPECT_EQ(completed.at(2), microseconds(153) + nanoseconds(50));
}

TEST(FlowLevel, NeedsAPath) {
  FlowNetwork network = star(2);
  network.paths.erase({0, 1});
  workload::TraceProgram trace;
  trace.entries = {{{}, 0, 1, 1}};
  EXPECT_THROW(runFlowLevel(workloadOf(2, trace), 2, network), Error);
}

}  // namespace
}  // namespace plumbline::bench
