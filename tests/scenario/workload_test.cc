// Every key of `workload:`, read into its field, and the requirements of `test: free`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/parse.h"
#include "tests/scenario/messages.h"
#include "tests/scenario/vocabulary.h"

namespace plumbline::scenario {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using workload::Algorithm;
using workload::CollectiveKind;
using workload::JobSpec;
using workload::MessageProgram;
using workload::Pattern;
using workload::PlacementRule;
using workload::TrainingProgram;

// The jobs of a `workload:` on 4 leaves of 4 hosts at 100 Gb/s.
std::vector<JobSpec> jobsOf(const std::string& workload) {
  const auto result = parseScenario(
      "{plumbline: 1, name: n, test: free, seed: 9, transport: {kind: uet},\n"
      "dut: {topology: {kind: clos2, leaves: 4, hosts_per_leaf: 4}},\nworkload: " +
          workload + "}\n",
      "s", simVocabulary());
  for (const Problem& problem : result.problems) ADD_FAILURE() << problem.text("s");
  EXPECT_EQ(result.scenario.bench, "sim");
  EXPECT_EQ(result.scenario.workloadSpec().seed, 9u);
  return result.scenario.workloadSpec().jobs;
}

JobSpec jobOf(const std::string& workload) {
  const auto jobs = jobsOf(workload);
  EXPECT_EQ(jobs.size(), 1u);
  return jobs.empty() ? JobSpec() : jobs[0];
}

template <typename Program>
Program programOf(const std::string& workload) {
  const JobSpec job = jobOf(workload);
  const auto* program = std::get_if<Program>(&job.program);
  if (program != nullptr) return *program;
  ADD_FAILURE() << "another kind of program";
  return {};
}

TEST(Workload, TheShortestJobRunsOnAllHosts) {
  const JobSpec job = jobOf("{kind: allreduce}");
  EXPECT_EQ(job.name, "allreduce1");
  EXPECT_EQ(job.placement.rule, PlacementRule::kContiguous);
  EXPECT_EQ(job.placement.ranks, 16u);
  EXPECT_EQ(job.flows, 1u);
  const auto& training = std::get<TrainingProgram>(job.program);
  EXPECT_EQ(training.iterations, 1u);
  ASSERT_EQ(training.collectives.size(), 1u);
  EXPECT_EQ(training.collectives[0].kind, CollectiveKind::kAllReduce);
  EXPECT_EQ(training.collectives[0].algorithm, Algorithm::kRing);
}

TEST(Workload, EveryKeyOfAJob) {
  const JobSpec job = jobOf(
      "{kind: pairs, name: storage, ranks: 4, start: 3us, flows: 8, first_flow: 4, flow_use: "
      "split,\n"
      " verb: send, placement: {rule: strided, first: 5, stride: 2}}");
  EXPECT_EQ(job.name, "storage");
  EXPECT_EQ(job.placement.ranks, 4u);
  EXPECT_EQ(job.placement.rule, PlacementRule::kStrided);
  EXPECT_EQ(job.placement.first, 5u);
  EXPECT_EQ(job.placement.stride, 2u);
  EXPECT_EQ(job.start, microseconds(3));
  EXPECT_EQ(job.flows, 8u);
  EXPECT_EQ(job.first_flow, 4u);
  EXPECT_EQ(job.flow_use, workload::FlowUse::kSplit);
  EXPECT_EQ(job.verb, transport::Verb::kSend);
}

TEST(Workload, EveryKeyOfAMixtureOfExperts) {
  const auto moe = programOf<workload::MoeProgram>(
      "{kind: moe, mode: low-latency, messages: pair, tokens: 64, experts: 32, top_k: 4,\n"
      " dispatch: 7KiB, combine: 14KiB, ranks_per_server: 4, intra_rate: 1.28T, layers: 3,\n"
      " compute: 5us, between: 6us, period: 1ms, routing: zipf, zipf_exponent: 0.5,\n"
      " capacity: 1.25, expert_placement: random, redundant: 8}");
  EXPECT_EQ(moe.mode, workload::MoeMode::kLowLatency);
  EXPECT_EQ(moe.messages, workload::MoeMessages::kPair);
  EXPECT_EQ(moe.tokens, 64u);
  EXPECT_EQ(moe.experts, 32u);
  EXPECT_EQ(moe.top_k, 4u);
  EXPECT_EQ(moe.dispatch_bytes, 7168u);
  EXPECT_EQ(moe.combine_bytes, 14336u);
  EXPECT_EQ(moe.ranks_per_server, 4u);
  EXPECT_EQ(moe.intra_rate, gigabitsPerSecond(1280));
  EXPECT_EQ(moe.layers, 3u);
  EXPECT_EQ(moe.compute, microseconds(5));
  EXPECT_EQ(moe.between, microseconds(6));
  EXPECT_EQ(moe.period, milliseconds(1));
  EXPECT_EQ(moe.routing, workload::MoeRouting::kZipf);
  EXPECT_EQ(moe.zipf_exponent, 0.5);
  EXPECT_EQ(moe.capacity, Fraction::percent(125));
  EXPECT_EQ(moe.placement, workload::ExpertPlacement::kRandom);
  EXPECT_EQ(moe.redundant, 8u);
  const auto other = programOf<workload::MoeProgram>(
      "{kind: moe, mode: normal, chunk_tokens: 8, routing: k-hot, hot_experts: 4, hot_share: 50%}");
  EXPECT_EQ(other.mode, workload::MoeMode::kNormal);
  EXPECT_EQ(other.chunk_tokens, 8u);
  EXPECT_EQ(other.hot_experts, 4u);
  EXPECT_EQ(other.hot_share, Fraction::percent(50));
  EXPECT_EQ(programOf<workload::MoeProgram>("{kind: moe, routing: lognormal, lognormal_sigma: 2}")
                .lognormal_sigma,
            2);
  EXPECT_EQ(programOf<workload::MoeProgram>("{kind: moe, routing: aux-loss, load_cv: 2%}").load_cv,
            Fraction::percent(2));
}

TEST(Workload, Placements) {
  const auto placement = [](const std::string& rest) {
    return jobOf("{kind: pairs, " + rest + "}").placement;
  };
  EXPECT_EQ(placement("placement: {rule: contiguous}").rule, PlacementRule::kContiguous);
  const auto random = placement("placement: {rule: random, seed: 77}");
  EXPECT_EQ(random.rule, PlacementRule::kRandom);
  EXPECT_EQ(random.seed, 77u);
  const auto interleaved = placement("placement: {rule: interleaved}");
  EXPECT_EQ(interleaved.rule, PlacementRule::kInterleaved);
  EXPECT_EQ(interleaved.hosts_per_leaf, 4u);  // the topology's
  EXPECT_EQ(placement("placement: {rule: interleaved, hosts_per_leaf: 2}").hosts_per_leaf, 2u);
  const auto listed = placement("hosts: [3, 1, 15, 0]");
  EXPECT_EQ(listed.rule, PlacementRule::kExplicit);
  EXPECT_THAT(listed.hosts, ElementsAre(3u, 1u, 15u, 0u));
}

TEST(Workload, Verbs) {
  const auto verb = [](const std::string& word) {
    return jobOf("{kind: incast, verb: " + word + "}").verb;
  };
  EXPECT_EQ(verb("write"), transport::Verb::kWrite);
  EXPECT_EQ(verb("write-immediate"), transport::Verb::kWriteImmediate);
  EXPECT_EQ(verb("read"), transport::Verb::kRead);
}

TEST(Workload, EveryKeyOfACollective) {
  const auto training = programOf<TrainingProgram>(
      "{kind: allreduce, algorithm: hierarchical, size: 64MiB, element: 4B, chunk: 1MiB,\n"
      " window: 3, ranks_per_server: 4, before: 5us, after: 6us, iterations: 7, compute: 8ms,\n"
      " compute_spread: 9us, overlap: true, barrier: true}");
  EXPECT_EQ(training.iterations, 7u);
  EXPECT_EQ(training.compute, milliseconds(8));
  EXPECT_EQ(training.compute_spread, microseconds(9));
  EXPECT_TRUE(training.overlap);
  EXPECT_TRUE(training.barrier);
  ASSERT_EQ(training.collectives.size(), 1u);
  const auto& collective = training.collectives[0];
  EXPECT_EQ(collective.algorithm, Algorithm::kHierarchical);
  EXPECT_EQ(collective.bytes, 64u << 20);
  EXPECT_EQ(collective.element_bytes, 4u);
  EXPECT_EQ(collective.chunk_bytes, 1u << 20);
  EXPECT_EQ(collective.window, 3u);
  EXPECT_EQ(collective.ranks_per_server, 4u);
  EXPECT_EQ(collective.before, microseconds(5));
  EXPECT_EQ(collective.after, microseconds(6));
}

TEST(Workload, CollectivesAndTheirUsualAlgorithms) {
  const auto collective = [](const std::string& kind) {
    return programOf<TrainingProgram>("{kind: " + kind + "}").collectives.at(0);
  };
  EXPECT_EQ(collective("reduce-scatter").kind, CollectiveKind::kReduceScatter);
  EXPECT_EQ(collective("reduce-scatter").algorithm, Algorithm::kRing);
  EXPECT_EQ(collective("allgather").kind, CollectiveKind::kAllGather);
  EXPECT_EQ(collective("allgather").algorithm, Algorithm::kRing);
  EXPECT_EQ(collective("alltoall").kind, CollectiveKind::kAllToAll);
  EXPECT_EQ(collective("alltoall").algorithm, Algorithm::kLinearShift);
  EXPECT_EQ(collective("broadcast").kind, CollectiveKind::kBroadcast);
  EXPECT_EQ(collective("broadcast").algorithm, Algorithm::kTree);
  EXPECT_EQ(collective("allreduce, algorithm: tree").algorithm, Algorithm::kTree);
  EXPECT_EQ(collective("allreduce, algorithm: double-tree").algorithm, Algorithm::kDoubleTree);
  EXPECT_EQ(collective("allreduce, algorithm: halving-doubling").algorithm,
            Algorithm::kHalvingDoubling);
  EXPECT_EQ(collective("alltoall, algorithm: xor").algorithm, Algorithm::kXor);
}

TEST(Workload, TrainingRunsSeveralCollectives) {
  const auto training = programOf<TrainingProgram>(
      "{kind: training, iterations: 2, collectives: [{kind: allgather, size: 2MB},\n"
      " {kind: alltoall, size: 3MB, window: 4}]}");
  EXPECT_EQ(training.iterations, 2u);
  ASSERT_EQ(training.collectives.size(), 2u);
  EXPECT_EQ(training.collectives[0].kind, CollectiveKind::kAllGather);
  EXPECT_EQ(training.collectives[0].bytes, 2'000'000u);
  EXPECT_EQ(training.collectives[1].kind, CollectiveKind::kAllToAll);
  EXPECT_EQ(training.collectives[1].algorithm, Algorithm::kLinearShift);
  EXPECT_EQ(training.collectives[1].window, 4u);
}

TEST(Workload, Patterns) {
  EXPECT_EQ(programOf<MessageProgram>("{kind: pairs}").pattern, Pattern::kPairs);
  EXPECT_EQ(programOf<MessageProgram>("{kind: incast}").pattern, Pattern::kIncast);
  EXPECT_EQ(programOf<MessageProgram>("{kind: random-permutation}").pattern,
            Pattern::kRandomPermutation);
  const auto permutation = programOf<MessageProgram>("{kind: permutation, shift: 5}");
  EXPECT_EQ(permutation.pattern, Pattern::kShift);
  EXPECT_EQ(permutation.shift, 5u);
  const auto listed = programOf<MessageProgram>("{kind: messages, pairs: [[0, 3], [2, 1]]}");
  EXPECT_EQ(listed.pattern, Pattern::kExplicit);
  EXPECT_THAT(listed.pairs, ElementsAre(Pair(0u, 3u), Pair(2u, 1u)));
}

TEST(Workload, EveryKeyOfMessages) {
  const auto messages = programOf<MessageProgram>(
      "{kind: incast, size: 64KiB, messages: 10, outstanding: 4, phase: 2us, until: 9ms,\n"
      " on: 3us, off: 4us, bidirectional: true}");
  EXPECT_EQ(messages.bytes, 65'536u);
  EXPECT_EQ(messages.messages, 10u);
  EXPECT_EQ(std::get<workload::ClosedLoop>(messages.load).outstanding, 4u);
  EXPECT_EQ(messages.phase, microseconds(2));
  EXPECT_EQ(messages.until, milliseconds(9));
  ASSERT_TRUE(messages.on_off);
  EXPECT_EQ(messages.on_off->on, microseconds(3));
  EXPECT_EQ(messages.on_off->off, microseconds(4));
  EXPECT_TRUE(messages.bidirectional);
  const auto plain = programOf<MessageProgram>("{kind: incast}");
  EXPECT_EQ(std::get<workload::ClosedLoop>(plain.load).outstanding, 1u);
  EXPECT_FALSE(plain.on_off);
  EXPECT_EQ(plain.until, transport::kNever);
}

TEST(Workload, MessagesAtGivenTimes) {
  const auto arrivals = [](const std::string& rest) {
    return std::get<workload::Arrivals>(
        programOf<MessageProgram>("{kind: pairs, size: 12500B, " + rest + "}").load);
  };
  EXPECT_EQ(arrivals("interval: 7us").interval, microseconds(7));
  EXPECT_FALSE(arrivals("interval: 7us").poisson);
  EXPECT_TRUE(arrivals("interval: 7us, poisson: true").poisson);
  // 12,500 bytes last 1 us at 100 Gb/s.
  EXPECT_EQ(arrivals("load: 100%").interval, microseconds(1));
  EXPECT_EQ(arrivals("load: 20%, poisson: true").interval, microseconds(5));
}

TEST(Workload, Traces) {
  const auto trace = programOf<workload::TraceProgram>(
      "{kind: trace, entries: [{time: 1us, from: 0, to: 3, size: 4KB, tag: 7},\n"
      " {from: 2, to: 1, size: 1B}]}");
  ASSERT_EQ(trace.entries.size(), 2u);
  EXPECT_EQ(trace.entries[0].time, microseconds(1));
  EXPECT_EQ(trace.entries[0].from, 0u);
  EXPECT_EQ(trace.entries[0].to, 3u);
  EXPECT_EQ(trace.entries[0].bytes, 4'000u);
  EXPECT_EQ(trace.entries[0].tag, 7u);
  EXPECT_EQ(trace.entries[1].time, Picoseconds(0));
}

TEST(Workload, SeveralJobs) {
  const auto jobs = jobsOf(
      "[{kind: allreduce, ranks: 8}, {kind: pairs, ranks: 4, name: other}, {kind: pairs, ranks: "
      "4}]");
  ASSERT_EQ(jobs.size(), 3u);
  EXPECT_EQ(jobs[0].name, "allreduce1");
  EXPECT_EQ(jobs[1].name, "other");
  EXPECT_EQ(jobs[2].name, "pairs3");
}

TEST(Workload, NoneByDefault) {
  const auto result = parseScenario(
      "plumbline: 1\nname: n\ntest: T5.1\ndut: {topology: {kind: link}}\n", "s", simVocabulary());
  EXPECT_TRUE(result.ok());
  EXPECT_FALSE(result.scenario.workload);
  EXPECT_THAT(result.scenario.workloadSpec().jobs, IsEmpty());
  EXPECT_EQ(result.scenario.bench, "rtl");
}

std::optional<bench::FastForwardSpec> fastForwardOf(const std::string& line) {
  const auto result = parseScenario(
      "{plumbline: 1, name: n, test: free, transport: {kind: uet}, dut: {topology: {kind: "
      "switch}},\n"
      "workload: {kind: allreduce}" +
          line + "}\n",
      "s", simVocabulary());
  for (const Problem& problem : result.problems) ADD_FAILURE() << problem.text("s");
  return result.scenario.fast_forward;
}

TEST(FastForward, IsOffUnlessAskedFor) {
  EXPECT_FALSE(fastForwardOf(""));
  EXPECT_FALSE(fastForwardOf(", fast_forward: false"));
  ASSERT_TRUE(fastForwardOf(", fast_forward: true"));
  EXPECT_EQ(fastForwardOf(", fast_forward: true")->packets, bench::FastForwardSpec().packets);
  EXPECT_EQ(fastForwardOf(", fast_forward: {}")->packets, bench::FastForwardSpec().packets);
  EXPECT_EQ(fastForwardOf(", fast_forward: {packets: 5000}")->packets, 5000u);
}

TEST(FastForward, MistakesAreReported) {
  const auto mistakes = [](const std::string& test, const std::string& value) {
    return messages(parseScenario("{plumbline: 1, name: n, test: " + test +
                                      ", dut: {topology: {kind: switch}},\nfast_forward: " + value +
                                      ",\ntransport: {kind: uet}" +
                                      (test == "free" ? ", workload: {kind: allreduce}" : "") +
                                      "}\n",
                                  "s", simVocabulary()));
  };
  EXPECT_THAT(
      mistakes("T5.2", "true"),
      ElementsAre("s:2:15: the tests of this scenario decide that themselves (test: free)"));
  EXPECT_THAT(mistakes("free", "{packets: 0}"), testing::SizeIs(1));
  EXPECT_THAT(mistakes("free", "{packet: 7}"), testing::SizeIs(1));
  EXPECT_THAT(mistakes("free", "7"), testing::SizeIs(1));
}

}  // namespace
}  // namespace plumbline::scenario
