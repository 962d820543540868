// Predictions of a workload's plan, against counted packets: for loads that end by themselves, and
// for those that only time ends.
#include "suite/free/workload_hops.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using workload::Algorithm;
using workload::CollectiveKind;
using workload::Pattern;

bench::TrialSpec workloadOf(workload::JobSpec job) {
  bench::TrialSpec spec;
  spec.dut = smallFabric().fabricSpec();
  spec.workload.emplace().jobs.push_back(std::move(job));
  return spec;
}

workload::JobSpec messagesOfAll(
    Pattern pattern, std::uint64_t bytes,
    const std::variant<workload::ClosedLoop, workload::Arrivals>& load = {}) {
  workload::JobSpec job;
  job.name = "messages";
  job.placement.ranks = 16;
  workload::MessageProgram program;
  program.pattern = pattern;
  program.shift = 4;
  program.bytes = bytes;
  program.load = load;
  job.program = program;
  return job;
}

workload::JobSpec collectiveOnAll(CollectiveKind kind, Algorithm algorithm,
                                  std::uint32_t iterations) {
  workload::JobSpec job;
  job.name = "collective";
  job.placement.ranks = 16;
  workload::TrainingProgram program;
  program.iterations = iterations;
  workload::CollectiveSpec& one = program.collectives.emplace_back();
  one.kind = kind;
  one.algorithm = algorithm;
  one.bytes = 1 << 20;
  job.program = program;
  return job;
}

// Within this factor of the count, either way.
void expectWithin(const bench::TrialSpec& spec, double factor, const std::string& what) {
  bench::SimBench bench({.line_rate = gigabitsPerSecond(400)});
  const auto counted = static_cast<double>(bench.run(spec, {}).fabric->packet_hops);
  const double planned = workloadHops(spec);
  EXPECT_LT(planned, factor * counted) << what;
  EXPECT_GT(planned * factor, counted) << what;
}

bench::TrialSpec timeLimited(workload::JobSpec job, Picoseconds duration = microseconds(200)) {
  bench::TrialSpec spec = workloadOf(std::move(job));
  spec.duration = duration;
  return spec;
}

TEST(WorkloadHops, OfMessagesThatEnd) {
  workload::JobSpec job = messagesOfAll(Pattern::kShift, 1 << 20);
  std::get<workload::MessageProgram>(job.program).messages = 2;
  // 16 x 2 messages of 256 packets and 16 acknowledgements on 4 links.
  EXPECT_EQ(workloadHops(workloadOf(job)), 16.0 * 2 * (256 + 16) * 4);
  expectWithin(workloadOf(job), 1.2, "another leaf");
  std::get<workload::MessageProgram>(job.program).shift = 1;
  // Of each leaf's four hosts one sends to the next leaf.
  EXPECT_EQ(workloadHops(workloadOf(job)), 16.0 * 2 * (256 + 16) * (3.0 / 4 * 2 + 1.0 / 4 * 4));
  expectWithin(workloadOf(job), 1.2, "the next host");
}

TEST(WorkloadHops, OfLoadsThatTimeEnds) {
  expectWithin(timeLimited(messagesOfAll(Pattern::kShift, 1 << 20)), 1.5, "closed loop");
  expectWithin(timeLimited(messagesOfAll(Pattern::kShift, 2048)), 1.5,
               "closed loop of short messages");
  expectWithin(timeLimited(messagesOfAll(Pattern::kIncast, 1 << 20)), 1.5, "incast");
  expectWithin(
      timeLimited(messagesOfAll(Pattern::kRandomPermutation, 65'536,
                                workload::Arrivals{.interval = microseconds(5), .poisson = true})),
      1.5, "Poisson, a quarter of line rate");
  expectWithin(timeLimited(messagesOfAll(Pattern::kIncast, 65'536,
                                         workload::Arrivals{.interval = microseconds(5)})),
               1.5, "more than the receiver's link carries");
  workload::JobSpec until = messagesOfAll(Pattern::kShift, 65'536);
  std::get<workload::MessageProgram>(until.program).until = microseconds(100);
  expectWithin(workloadOf(until), 1.5, "until");
  workload::JobSpec on_off = messagesOfAll(Pattern::kShift, 65'536);
  std::get<workload::MessageProgram>(on_off.program).on_off =
      workload::OnOff{microseconds(20), microseconds(60)};
  expectWithin(timeLimited(on_off), 1.5, "on and off");
}

// Two of four uplinks are gone: the leaves carry half.
TEST(WorkloadHops, OfAnOversubscribedFabric) {
  bench::TrialSpec spec = timeLimited(messagesOfAll(Pattern::kShift, 1 << 20));
  spec.dut.topology.spines = 2;
  spec.dut.switches.load_balancing.kind = fabric::LoadBalancingKind::kSprayRoundRobin;
  transport::RoceSpec roce;
  roce.recovery = transport::RoceRecovery::kSelectiveRepeat;
  spec.transport = roce;
  expectWithin(spec, 1.5, "2 : 1");
}

TEST(WorkloadHops, OfATrace) {
  workload::JobSpec job = messagesOfAll(Pattern::kPairs, 1);
  workload::TraceProgram trace;
  for (std::uint32_t i = 0; i < 400; ++i) {
    trace.entries.push_back({.time = nanoseconds(500) * static_cast<std::int64_t>(i),
                             .from = i % 8,
                             .to = 8 + (i * 5) % 8,
                             .bytes = 20'000 + 1000 * std::uint64_t{i % 50}});
  }
  job.program = trace;
  expectWithin(workloadOf(job), 1.2, "all of it");
  expectWithin(timeLimited(job, microseconds(80)), 1.5, "what comes in time");
}

TEST(WorkloadHops, OfCollectives) {
  using Kind = CollectiveKind;
  for (const auto& [kind, algorithm, what] :
       {std::tuple{Kind::kAllReduce, Algorithm::kRing, "ring"},
        std::tuple{Kind::kAllGather, Algorithm::kRing, "allgather"},
        std::tuple{Kind::kAllReduce, Algorithm::kHalvingDoubling, "halving and doubling"},
        std::tuple{Kind::kAllReduce, Algorithm::kTree, "tree"},
        std::tuple{Kind::kBroadcast, Algorithm::kTree, "broadcast"},
        std::tuple{Kind::kAllToAll, Algorithm::kLinearShift, "alltoall"}}) {
    expectWithin(workloadOf(collectiveOnAll(kind, algorithm, 2)), 1.5, what);
  }
  expectWithin(timeLimited(collectiveOnAll(Kind::kAllReduce, Algorithm::kRing, 1'000'000)), 1.5,
               "as many rings as there is time for");
}

TEST(WorkloadHops, OfUltraEthernet) {
  bench::TrialSpec spec = timeLimited(messagesOfAll(Pattern::kShift, 1 << 20));
  spec.transport = transport::UetSpec();
  expectWithin(spec, 1.5, "UET");
}

// Several sources of a destination get larger grants, so fewer.
TEST(WorkloadHops, OfReceiverCredit) {
  transport::UetSpec uet;
  for (const auto control :
       {transport::UetCongestionControl::kRccc, transport::UetCongestionControl::kNsccRccc}) {
    uet.congestion_control = control;
    workload::JobSpec messages = messagesOfAll(Pattern::kShift, 1 << 20);
    std::get<workload::MessageProgram>(messages.program).messages = 2;
    for (const auto& [job, what] :
         {std::pair{messages, "pairs"},
          std::pair{collectiveOnAll(CollectiveKind::kAllToAll, Algorithm::kLinearShift, 2), "all"},
          std::pair{collectiveOnAll(CollectiveKind::kBroadcast, Algorithm::kTree, 2), "tree"}}) {
      bench::TrialSpec spec = workloadOf(job);
      spec.transport = uet;
      expectWithin(spec, 1.5, what);
    }
  }
}

}  // namespace
}  // namespace plumbline::suite
