// Trials that end when their main figure is stationary.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/json.h"
#include "bench/sim/sim_bench.h"
#include "tests/sim/stack.h"

namespace plumbline::sim::testing {
namespace {

using bench::EarlyEndOutcome;
using bench::TrialResult;
using bench::WatchedFigure;

constexpr BitRate kEarlyLine = gigabitsPerSecond(400);

TrialResult runEarly(const TrialSpec& spec, unsigned threads = 1) {
  bench::SimBench bench({.line_rate = kEarlyLine, .threads = threads});
  return bench.run(spec, {});
}

nlohmann::json withoutWallTime(const TrialResult& result) {
  nlohmann::json json = nlohmann::json::parse(result.toJson());
  json.erase("wall_seconds");
  json.at("fabric").erase("peak_rss_bytes");
  return json;
}

// Senders to host 0 behind one switch, ended by `until` only.
TrialSpec endlessIncast(Picoseconds until) {
  TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kSingleSwitch;
  spec.dut.topology.hosts = 4;
  spec.dut.topology.link_rate = kEarlyLine;
  spec.dut.switches.shared_buffer.emplace();
  workload::MessageProgram program;
  program.pattern = workload::Pattern::kIncast;
  program.bytes = 64 << 10;
  program.until = until;
  program.load = workload::ClosedLoop{.outstanding = 2};
  workload::JobSpec job;
  job.name = "incast";
  job.placement.ranks = 3;
  job.program = program;
  spec.workload.emplace().jobs.push_back(std::move(job));
  return spec;
}

// An AllReduce over 8 ranks on two leaves, again and again.
TrialSpec manyIterations(std::uint32_t count) {
  TrialSpec spec;
  spec.dut = leafSpine(2, 2, 4, kEarlyLine, nanoseconds(100));
  spec.dut.switches.shared_buffer.emplace();
  workload::TrainingProgram program;
  program.iterations = count;
  program.compute = microseconds(3);
  program.compute_spread = nanoseconds(50);
  workload::CollectiveSpec allreduce;
  allreduce.bytes = 256 << 10;
  program.collectives.push_back(allreduce);
  workload::JobSpec job;
  job.name = "allreduce";
  job.placement.ranks = 8;
  job.program = program;
  spec.workload.emplace().jobs.push_back(std::move(job));
  return spec;
}

// Two senders keep the receiver's link busy: payload per frame is 4096 of 4096 + 82 with headers,
// FCS, preamble and gap (Ethernet 18, IPv4 20, UDP 8, BTH 12, ICRC 4, 20), a RETH of 16 in the
// first of 16 frames: at most 4096 / (4178 + 1) of 400 Gb/s.
TEST(EarlyEnd, GoodputOfAnIncastIsKnownInTwoPerCentOfItsTime) {
  TrialSpec spec = endlessIncast(milliseconds(100));
  spec.early_end.emplace();
  const TrialResult result = runEarly(spec);
  EXPECT_TRUE(result.valid()) << (result.faults.empty() ? "" : result.faults.front());
  ASSERT_TRUE(result.early_end);
  const EarlyEndOutcome& end = *result.early_end;
  EXPECT_TRUE(end.stationary);
  EXPECT_EQ(end.end, result.fabric->sim_end);
  EXPECT_LT(end.end, milliseconds(2));
  EXPECT_GE(end.batches, 20U);
  EXPECT_LE(end.half_width, 0.005 * end.mean);
  EXPECT_NEAR(end.mean, 400.0 * 4096 / 4179, 2);
}

TEST(EarlyEnd, NotBeforeTheTimeThatTheTrialNeeds) {
  TrialSpec spec = endlessIncast(milliseconds(100));
  spec.early_end.emplace();
  spec.early_end->from = milliseconds(1);
  spec.early_end->not_before = milliseconds(3);
  const EarlyEndOutcome end = *runEarly(spec).early_end;
  EXPECT_TRUE(end.stationary);
  EXPECT_GE(end.end, milliseconds(3));
  EXPECT_LT(end.end, milliseconds(6));
  EXPECT_GE(end.warm_up, milliseconds(1));
}

// Of a closed loop, by Little's law: four messages are open, and 64 KiB leave the receiver's link
// every 16 * 4178 + 16 bytes at 400 Gb/s.
TEST(EarlyEnd, MessageTimeUntilItsPercentileIsKnown) {
  TrialSpec spec = endlessIncast(milliseconds(100));
  spec.early_end.emplace();
  spec.early_end->figure = WatchedFigure::kMessageTime;
  spec.early_end->rule.min_samples = 1000;
  const EarlyEndOutcome end = *runEarly(spec).early_end;
  EXPECT_TRUE(end.stationary);
  EXPECT_GE(end.samples, 1000U);
  const double each = (16 * 4178 + 16) * 8 / 400.0;  // ns
  EXPECT_NEAR(end.mean, 4 * each, 0.02 * 4 * each);
  // 1,000 of them take 1.34 ms.
  EXPECT_GE(end.end, microseconds(1300));
  EXPECT_LT(end.end, milliseconds(6));
}

// The job ends by itself, and its results are the beginning of those of the full job.
TEST(EarlyEnd, IterationsAreTheFirstOfTheWholeJob) {
  TrialSpec spec = manyIterations(200);
  const TrialResult whole = runEarly(spec);
  spec.early_end.emplace();
  spec.early_end->figure = WatchedFigure::kIterationTime;
  const TrialResult early = runEarly(spec);
  EXPECT_TRUE(early.valid());
  const bench::JobOutcome& job = early.fabric->jobs.front();
  EXPECT_TRUE(job.finished);
  EXPECT_EQ(job.messages_open, 0U);
  ASSERT_TRUE(early.early_end);
  EXPECT_TRUE(early.early_end->stationary);
  EXPECT_EQ(early.early_end->iterations, job.iterations.size());
  ASSERT_GE(job.iterations.size(), 20U);
  EXPECT_LT(job.iterations.size(), 60U);
  const auto& all = whole.fabric->jobs.front().iterations;
  ASSERT_EQ(all.size(), 200U);
  EXPECT_TRUE(std::equal(job.iterations.begin(), job.iterations.end(), all.begin()));
  EXPECT_LT(job.completion, whole.fabric->jobs.front().completion / 3);
  double sum = 0;
  for (const Picoseconds one : all) sum += one.toMicroseconds();
  EXPECT_NEAR(early.early_end->mean, sum / 200, 0.01 * sum / 200);
}

TEST(EarlyEnd, WithBarriersTooAllRanksEndTogether) {
  TrialSpec spec = manyIterations(200);
  std::get<workload::TrainingProgram>(spec.workload->jobs.front().program).barrier = true;
  spec.early_end.emplace();
  spec.early_end->figure = WatchedFigure::kIterationTime;
  const TrialResult early = runEarly(spec);
  EXPECT_TRUE(early.valid());
  EXPECT_TRUE(early.fabric->jobs.front().finished);
  EXPECT_LT(early.fabric->jobs.front().iterations.size(), 60U);
}

TEST(EarlyEnd, IsTheSameWithAnyNumberOfThreads) {
  for (TrialSpec spec : {endlessIncast(milliseconds(100)), manyIterations(200)}) {
    spec.early_end.emplace();
    const bool training =
        std::holds_alternative<workload::TrainingProgram>(spec.workload->jobs.front().program);
    if (training) spec.early_end->figure = WatchedFigure::kIterationTime;
    const nlohmann::json one = withoutWallTime(runEarly(spec));
    EXPECT_EQ(withoutWallTime(runEarly(spec, 2)), one);
    EXPECT_EQ(withoutWallTime(runEarly(spec, 3)), one);
  }
}

// With a rule that is not met nothing else of the result changes.
TEST(EarlyEnd, OfATrialThatTakesAllItsTimeChangesNothing) {
  TrialSpec spec = endlessIncast(milliseconds(1));
  nlohmann::json plain = withoutWallTime(runEarly(spec));
  spec.early_end.emplace();
  spec.early_end->not_before = seconds(1);
  const TrialResult watched = runEarly(spec);
  ASSERT_TRUE(watched.early_end);
  EXPECT_FALSE(watched.early_end->stationary);
  nlohmann::json json = withoutWallTime(watched);
  json.erase("early_end");
  EXPECT_EQ(json, plain);
}

TEST(EarlyEnd, TooFewObservationsSayNothing) {
  TrialSpec spec = endlessIncast(microseconds(50));
  spec.early_end.emplace();
  const TrialResult result = runEarly(spec);
  ASSERT_TRUE(result.early_end);
  EXPECT_EQ(result.early_end->batches, 0U);
  EXPECT_FALSE(nlohmann::json::parse(result.toJson()).at("early_end").contains("mean"));
}

TEST(EarlyEnd, ComesBackFromItsText) {
  TrialSpec spec = manyIterations(100);
  spec.early_end.emplace();
  spec.early_end->figure = WatchedFigure::kIterationTime;
  const TrialResult result = runEarly(spec);
  EXPECT_EQ(TrialResult::fromJson(result.toJson()).toJson(), result.toJson());
}

TEST(EarlyEnd, IsPartOfWhatIsAskedFor) {
  TrialSpec spec = manyIterations(10);
  const std::string plain = spec.toJson();
  EXPECT_EQ(plain.find("early_end"), std::string::npos);
  spec.early_end.emplace();
  const std::string early = spec.toJson();
  EXPECT_NE(early, plain);
  spec.early_end->rule.min_samples = 7;
  EXPECT_NE(spec.toJson(), early);
}

TEST(EarlyEnd, IterationsNeedASingleJobOfCollectives) {
  TrialSpec spec = endlessIncast(milliseconds(1));
  spec.early_end.emplace();
  spec.early_end->figure = WatchedFigure::kIterationTime;
  bench::SimBench bench({.line_rate = kEarlyLine});
  EXPECT_EQ(bench.refusals(spec).size(), 1U);
}

// Frames in flight when streams are cut off would count as lost.
TEST(EarlyEnd, StreamsLastAsLongAsTheTrial) {
  TrialSpec spec = endlessIncast(milliseconds(1));
  spec.early_end.emplace();
  bench::StreamSpec stream;
  stream.name = "stream";
  stream.from = 1;
  stream.to = 3;
  stream.frame = Bytes(1024);
  stream.load = bench::ConstantLoad{Fraction::percent(10)};
  spec.duration = milliseconds(1);
  spec.streams.push_back(std::move(stream));
  bench::SimBench bench({.line_rate = kEarlyLine});
  EXPECT_EQ(bench.refusals(spec).size(), 1U);
}

}  // namespace
}  // namespace plumbline::sim::testing
