#include "workload/workload.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/workload/rank_network.h"

namespace plumbline::workload {
namespace {

using workload_test::kNetwork;
using workload_test::RankNetwork;

JobSpec ringJob(const std::string& name, std::uint32_t ranks, std::uint64_t bytes) {
  TrainingProgram program;
  program.iterations = 4;
  program.collectives.emplace_back().bytes = bytes;
  JobSpec job;
  job.name = name;
  job.placement.ranks = ranks;
  job.program = program;
  return job;
}

TEST(Workload, TenantsOnTheirOwnHostsDoNotDisturbEachOther) {
  WorkloadSpec spec;
  spec.jobs = {ringJob("a", 4, 400'000), ringJob("b", 2, 50'000)};
  spec.jobs[1].start = microseconds(7);
  Workload workload(spec, 7);
  EXPECT_EQ(workload.application(6), nullptr);
  RankNetwork network(workload, 7, kNetwork);
  network.run();
  const auto results = workload.results();
  EXPECT_EQ(results[0].name, "a");
  EXPECT_EQ(results[0].completionTime(), 4 * microseconds(54));
  EXPECT_EQ(results[1].iterations[0].start, microseconds(7));
  EXPECT_EQ(results[1].completionTime(), 4 * microseconds(6));
}

TEST(Workload, TenantsOnOneHostShareItsWire) {
  WorkloadSpec spec;
  spec.jobs = {ringJob("a", 2, 2'500'000), ringJob("b", 2, 2'500'000)};
  spec.jobs[1].placement.rule = PlacementRule::kExplicit;
  spec.jobs[1].placement.hosts = {1, 0};
  Workload workload(spec, 2);
  RankNetwork network(workload, 2, kNetwork);
  network.run();
  ASSERT_TRUE(workload.finished());
  // Alone: 8 messages of 100 us and 1 us each. Together their 16 messages keep the wire busy in
  // turn, so the first tenant's last one is the 15th on it.
  const auto results = workload.results();
  EXPECT_EQ(results[0].completionTime(), microseconds(1501));
  EXPECT_EQ(results[1].completionTime(), microseconds(1601));
  EXPECT_EQ(results[1].total.bytes_arrived, 2U * 4 * 2'500'000);
}

// Four iterations of 6 us; the background has a million.
TEST(Workload, IsFinishedWithoutItsBackground) {
  WorkloadSpec spec;
  spec.jobs = {ringJob("a", 2, 50'000), ringJob("b", 2, 50'000)};
  std::get<TrainingProgram>(spec.jobs[1].program).iterations = 1'000'000;
  spec.jobs[1].background = true;
  Workload workload(spec, 4);
  RankNetwork network(workload, 4, kNetwork);
  network.run(microseconds(23));
  EXPECT_FALSE(workload.finished());
  network.run(microseconds(25));
  EXPECT_TRUE(workload.finished());
  EXPECT_TRUE(workload.results()[0].finished);
  EXPECT_FALSE(workload.results()[1].finished);
}

// A thousand ranks: memory and time stay in bounds, and the closed form still holds.
TEST(Workload, AllReduceOf1024Ranks) {
  WorkloadSpec spec;
  spec.jobs = {ringJob("big", 1024, 1 << 20)};
  std::get<TrainingProgram>(spec.jobs[0].program).iterations = 1;
  std::get<TrainingProgram>(spec.jobs[0].program).collectives[0].algorithm =
      Algorithm::kHalvingDoubling;
  Workload workload(spec, 1024);
  RankNetwork network(workload, 1024, kNetwork);
  network.run();
  EXPECT_EQ(workload.results()[0].completionTime(), halvingDoublingTime(1024, 1 << 20, kNetwork));
  EXPECT_EQ(network.log().size(), 1024U * 20);
}

TEST(Workload, EveryMistakeIsRefusedWithTheJobsName) {
  const auto refused = [](auto change) {
    WorkloadSpec spec;
    spec.jobs = {ringJob("tenant", 4, 1000)};
    change(spec.jobs[0]);
    try {
      const Workload workload(spec, 4);
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_NE(std::string(error.what()).find("tenant"), std::string::npos) << error.what();
    }
  };
  const auto messages = [](JobSpec& job) -> MessageProgram& {
    return job.program.emplace<MessageProgram>();
  };
  refused([](JobSpec& job) { job.flows = 0; });
  refused([](JobSpec& job) { job.flows = 257; });
  refused([](JobSpec& job) { job.start = Picoseconds(-1); });
  refused([](JobSpec& job) { job.verb = transport::Verb::kRead; });
  refused([](JobSpec& job) { job.placement.ranks = 5; });
  refused([](JobSpec& job) { std::get<TrainingProgram>(job.program).iterations = 0; });
  refused([](JobSpec& job) {
    std::get<TrainingProgram>(job.program).collectives[0].before = Picoseconds(-1);
  });
  refused([&](JobSpec& job) { messages(job).bytes = 0; });
  refused([&](JobSpec& job) { messages(job).load = ClosedLoop{0}; });
  refused([&](JobSpec& job) { messages(job).load = Arrivals{Picoseconds(0), true}; });
  refused([&](JobSpec& job) { messages(job).on_off = OnOff{Picoseconds(0), microseconds(1)}; });
  refused([&](JobSpec& job) { messages(job).phase = Picoseconds(-1); });
  refused([&](JobSpec& job) {
    job.flow_use = FlowUse::kSplit;
    messages(job).load = ClosedLoop{129};
  });
}

TEST(Workload, RefusesTooManyJobs) {
  WorkloadSpec spec;
  spec.jobs.assign(257, ringJob("one", 1, 1000));
  EXPECT_THROW(Workload(spec, 300), Error);
}

TEST(Workload, AMessageOfAnAbsentJobIsAFault) {
  WorkloadSpec spec;
  spec.jobs = {ringJob("one", 2, 1000)};
  Workload workload(spec, 2);
  transport::Arrival arrival;
  arrival.tag = 5U << 24;
  EXPECT_THROW(workload.application(0)->onArrival(arrival, Picoseconds(0)), Error);
}

}  // namespace
}  // namespace plumbline::workload
