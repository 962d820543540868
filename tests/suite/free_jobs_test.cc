// Jobs of a user-defined workload: whose flows are whose, and which repetitions ended too early.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "suite/free/free_procedure.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using ::testing::HasSubstr;

// Two hosts on a switch.
scenario::Scenario twoHosts() {
  scenario::Scenario scenario;
  scenario.bench = "sim";
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 2;
  scenario.topology.link_rate = gigabitsPerSecond(100);
  scenario.transport = transport::RoceSpec();
  scenario.workload.emplace();
  return scenario;
}

workload::JobSpec hostZeroToOne(std::string name, std::uint64_t bytes) {
  workload::JobSpec job;
  job.name = std::move(name);
  job.placement.rule = workload::PlacementRule::kExplicit;
  job.placement.hosts = {0, 1};
  workload::MessageProgram program;
  program.pattern = workload::Pattern::kPairs;
  program.bytes = bytes;
  job.program = program;
  return job;
}

// Jobs between the same hosts have goodputs of their own if their flows have other numbers: the
// payload of both is what the link carries in 100 us. Where they share a flow, neither has one.
TEST(FreeJobs, FlowsOfOtherNumbersAreNotShared) {
  scenario::Scenario scenario = twoHosts();
  scenario.workload->jobs = {hostZeroToOne("a", 64 << 10), hostZeroToOne("b", 64 << 10)};
  scenario.parameters.duration = microseconds(100);
  for (const std::uint32_t first : {0U, 1U}) {
    scenario.workload->jobs[1].first_flow = first;
    const results::TestResult result = runTest(freeProcedure(), scenario);
    if (first == 0) {
      EXPECT_EQ(findKpi(result, "goodput_per_rank_gbps", "a"), nullptr);
      EXPECT_EQ(findKpi(result, "flow_jfi", "a"), nullptr);
      continue;
    }
    const double both = kpi(result, "goodput_per_rank_gbps", "a").value +
                        kpi(result, "goodput_per_rank_gbps", "b").value;
    EXPECT_NEAR(2 * both, 100.0 * 4096 / 4178, 6);  // of two ranks; less the path of the last ones
    EXPECT_EQ(kpi(result, "flow_jfi", "a").value, 1);
    EXPECT_EQ(kpi(result, "flow_jfi", "b").value, 1);
  }
}

// Nor are the flows of jobs that send in opposite directions between the same hosts, or of an
// incast and of two of its senders.
TEST(FreeJobs, FlowsBelongToTheJobThatSendsSo) {
  scenario::Scenario scenario = twoHosts();
  scenario.parameters.duration = milliseconds(1);
  workload::JobSpec back = hostZeroToOne("back", 1 << 20);
  back.placement.hosts = {1, 0};
  scenario.workload->jobs = {hostZeroToOne("there", 1 << 20), back};
  const results::TestResult both = runTest(freeProcedure(), scenario);
  for (const char* job : {"there", "back"}) {
    EXPECT_NEAR(2 * kpi(both, "goodput_per_rank_gbps", job).value, 100.0 * 4096 / 4178, 6) << job;
  }
  // Reads bring the data the other way: both jobs' is from host 1 to host 0.
  scenario.workload->jobs[0].verb = transport::Verb::kRead;
  const results::TestResult shared = runTest(freeProcedure(), scenario);
  EXPECT_EQ(findKpi(shared, "goodput_per_rank_gbps", "there"), nullptr);

  scenario.topology.hosts = 3;
  workload::JobSpec incast = hostZeroToOne("incast", 64 << 10);
  incast.placement.hosts = {0, 1, 2};
  std::get<workload::MessageProgram>(incast.program).pattern = workload::Pattern::kIncast;
  workload::JobSpec aside = hostZeroToOne("aside", 64 << 10);
  aside.placement.hosts = {1, 2};
  scenario.workload->jobs = {incast, aside};
  const results::TestResult result = runTest(freeProcedure(), scenario);
  EXPECT_NEAR(kpi(result, "flow_jfi", "incast").value, 1, 0.05);
  EXPECT_EQ(kpi(result, "flow_jfi", "aside").value, 1);
}

// Notes the repetitions whose job was not finished.
class CutOffs final : public TrialRunner {
 public:
  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override {
    bench::TrialResult trial = sim.run(spec, repetition, label);
    if (!trial.fabric->jobs.at(0).finished) repetitions.push_back(repetition);
    return trial;
  }

  SimRunner sim;
  std::vector<std::uint32_t> repetitions;
};

// Fifty messages of 4 KiB at exponential distances of 1 us take 50 us in the mean.
TEST(FreeJobs, ACutOffJobSaysInWhichRepetitions) {
  scenario::Scenario scenario = twoHosts();
  workload::JobSpec job = hostZeroToOne("a", 4096);
  auto& program = std::get<workload::MessageProgram>(job.program);
  program.messages = 50;
  program.load = workload::Arrivals{.interval = microseconds(1), .poisson = true};
  scenario.workload->jobs = {job};
  scenario.parameters.duration = microseconds(50);
  scenario.parameters.repetitions = 12;
  CutOffs runner;
  const results::TestResult result =
      freeProcedure().run({scenario, runner.sim.bench.capabilities()}, runner);
  ASSERT_FALSE(runner.repetitions.empty());
  ASSERT_LT(runner.repetitions.size(), 12U);
  EXPECT_THAT(
      anomalies(result),
      HasSubstr(fmt::format("a was not finished in {} of 12 repetitions, in repetition {} when",
                            runner.repetitions.size(), runner.repetitions.front())));
}

// Eight ranks on one switch run the collective so many times.
scenario::Scenario eightRanks(const workload::CollectiveSpec& collective,
                              std::uint32_t iterations) {
  scenario::Scenario scenario = twoHosts();
  scenario.topology.hosts = 8;
  workload::JobSpec job;
  job.name = "step";
  job.placement.ranks = 8;
  workload::TrainingProgram program;
  program.iterations = iterations;
  program.collectives = {collective};
  job.program = program;
  scenario.workload->jobs = {job};
  return scenario;
}

workload::TrainingProgram& programOf(scenario::Scenario& scenario) {
  return std::get<workload::TrainingProgram>(scenario.workload->jobs[0].program);
}

// Broadcasts without a barrier follow each other down the tree: the root has finished its part long
// before the leaves have. The times of the iterations are of each by itself.
TEST(FreeJobs, SaysThatIterationsOverlap) {
  workload::CollectiveSpec broadcast;
  broadcast.kind = workload::CollectiveKind::kBroadcast;
  broadcast.algorithm = workload::Algorithm::kTree;
  broadcast.bytes = 1 << 20;
  scenario::Scenario scenario = eightRanks(broadcast, 20);
  EXPECT_THAT(anomalies(runTest(freeProcedure(), scenario)),
              HasSubstr("iterations overlap at 1 of 1 point: ranks begin the next one"));
  programOf(scenario).barrier = true;
  EXPECT_THAT(anomalies(runTest(freeProcedure(), scenario)),
              testing::Not(HasSubstr("iterations overlap")));
}

// A rank receives 2 (n - 1) / n of the buffer in an iteration, whose time has the compute phase,
// the first as well as the last.
TEST(FreeJobs, GoodputOfACollectiveIsOverTheJobsTime) {
  for (const std::uint32_t iterations : {1U, 3U}) {
    workload::CollectiveSpec reduce;
    reduce.bytes = 8 << 20;
    scenario::Scenario scenario = eightRanks(reduce, iterations);
    programOf(scenario).compute = milliseconds(1);
    const results::TestResult result = runTest(freeProcedure(), scenario);
    const double us = kpi(result, "job_time_us", "step").value;
    EXPECT_NEAR(kpi(result, "goodput_per_rank_gbps", "step").value, 14 * (1 << 20) * 8e-3 / us, 0.1)
        << iterations;
    EXPECT_GT(us, 1000);
    // Cut off after the compute phase, it has what arrived over all the time.
    scenario.parameters.duration = microseconds(1200);
    const results::TestResult cut = runTest(freeProcedure(), scenario);
    // Of 200 us at most line rate, over 1,200 us.
    EXPECT_LE(kpi(cut, "goodput_per_rank_gbps", "step").value, 100.0 * 200 / 1200);
    EXPECT_GT(kpi(cut, "goodput_per_rank_gbps", "step").value, 80.0 * 200 / 1200);
  }
}

// 4 MB leave at 100 Gb/s in 320 us, and cross a link of 25 Gb/s in 1,280 us. Bit errors break most
// of the messages, of which only parts arrive: the job is over when the last part has come.
TEST(FreeJobs, TimeOfUcEndsWithTheLastPayload) {
  scenario::Scenario scenario = twoHosts();
  scenario.topology.kind = fabric::TopologyKind::kGraph;
  scenario.topology.graph.hosts = {"a", "b"};
  scenario.topology.graph.switches = {"s", "t"};
  scenario.topology.graph.cables = {{"a", "s", gigabitsPerSecond(100), nanoseconds(100)},
                                    {"s", "t", gigabitsPerSecond(25), nanoseconds(100)},
                                    {"b", "t", gigabitsPerSecond(100), nanoseconds(100)}};
  scenario.switches.buffer_per_port = Bytes(10'000'000);
  scenario.bit_errors.push_back({"s-t", 2e-6});
  transport::RoceSpec uc;
  uc.service = transport::RoceService::kUc;
  scenario.transport = uc;
  workload::JobSpec job = hostZeroToOne("uc", 200'000);
  std::get<workload::MessageProgram>(job.program).messages = 20;
  scenario.workload->jobs = {job};
  const results::TestResult result = runTest(freeProcedure(), scenario);
  EXPECT_GT(kpi(result, "failed_messages", "uc").value, 10);
  EXPECT_GT(kpi(result, "job_time_us", "uc").value, 1250);
}

}  // namespace
}  // namespace plumbline::suite
