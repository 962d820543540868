// T10.1, T10.3, T11.1 to T11.3 on the bench of simulated hosts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

std::string configured(const results::TestResult& result, const std::string& name) {
  for (const auto& [line, value] : result.configuration) {
    if (line == name) return value;
  }
  return {};
}

// Keeps the observations of all trials.
class TrialKeeper final : public TrialRunner {
 public:
  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override {
    trials.push_back(runner.run(spec, repetition, label));
    return trials.back();
  }

  SimRunner runner{gigabitsPerSecond(100)};
  std::vector<bench::TrialResult> trials;
};

// One job of T10.1: 16 MiB among 4 ranks, 10 ms of computing, two iterations.
scenario::Scenario syntheticJob() {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.sizes = {{Bytes(16 << 20)}};
  scenario.parameters.ranks = {{4}};
  scenario.parameters.compute = {{milliseconds(10)}};
  scenario.parameters.iterations = 2;
  scenario.parameters.balancing = {{"spray"}};
  return scenario;
}

// Serialisation of what a rank sends in an iteration: 16 MiB * 1.5 at 400 Gb/s, 503.3 us. On the
// wire headers (4178 B for 4096 B) make that 513.4 us; besides there are 6 steps with 2.65 us of
// path each (2.4 us and the frame stored four times, less the first bit's).
TEST(SyntheticJct, WithoutContentionIsTheRooflineButForTheFabricsDelays) {
  const results::TestResult result = runTest(syntheticJctProcedure(), syntheticJob());
  ASSERT_TRUE(result.valid);
  const std::string point = "10 ms compute, 16 MiB, 4 ranks, packet spray, ";
  const double serialisation_ms = (16 << 20) * 1.5 * 8 / 400e9 * 1e3;
  const double wire_ms = serialisation_ms * 4178 / 4096 + 6 * 2.65e-3;
  EXPECT_NEAR(kpi(result, "jct_ratio", point + "sequential").value,
              (10 + wire_ms) / (10 + serialisation_ms), 1e-4);
  EXPECT_NEAR(kpi(result, "effective_comm_overhead_ms", point + "sequential").value, 2 * wire_ms,
              2 * wire_ms * 0.005);
  EXPECT_NEAR(kpi(result, "comm_overhead_percent", point + "sequential").value, 10 * wire_ms, 0.05);
}

// The draft's: 1 - (JCT - C_total) / (iterations * S * algo_factor / line rate), whatever the
// fabric takes; ours beside it divides by the time of the same job without computing.
TEST(SyntheticJct, OverlapIsTheDraftsFormula) {
  scenario::Scenario scenario = syntheticJob();
  scenario.parameters.balancing = {{"ecmp", "spray"}};
  scenario.topology.hosts_per_leaf = 8;  // 2:1, so that communication takes longer than its ideal
  scenario.parameters.ranks = {{32}};
  scenario.parameters.sizes = {{Bytes(4 << 20)}};
  scenario.parameters.iterations = 1;
  const results::TestResult result = runTest(syntheticJctProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  for (const char* balancing : {"ECMP", "packet spray"}) {
    const std::string point = std::string("10 ms compute, 4 MiB, 32 ranks, ") + balancing + ", ";
    const double jct_ms = kpi(result, "jct_ms", point + "overlapped").value;
    const double comm_ms = (4 << 20) * (2.0 * 31 / 32) * 8 / 400e9 * 1e3;
    EXPECT_NEAR(kpi(result, "overlap_fraction", point + "overlapped").value,
                1 - (jct_ms - 10) / comm_ms, 1e-9);
    EXPECT_NEAR(kpi(result, "effective_comm_overhead_ms", point + "overlapped").value, jct_ms - 10,
                1e-9);
    const double alone_ms = kpi(result, "jct_ms", point + "communication alone").value;
    EXPECT_GT(alone_ms, 1.5 * comm_ms);
    EXPECT_NEAR(kpi(result, "hidden_fraction", point + "overlapped").value,
                1 - (jct_ms - 10) / alone_ms, 1e-9);
  }
}

// A job of one hierarchical AllReduce of 8 ranks after 100 us of computing, in the scenario;
// sprayed, so that rails do not share links by chance.
workload::JobSpec& hierarchicalJob(scenario::Scenario& scenario) {
  workload::JobSpec job;
  job.name = "step";
  job.placement.ranks = 8;
  workload::TrainingProgram program;
  program.iterations = 2;
  program.compute = microseconds(100);
  workload::CollectiveSpec collective;
  collective.algorithm = workload::Algorithm::kHierarchical;
  collective.ranks_per_server = 4;
  collective.bytes = 10'000'000;
  program.collectives = {collective};
  job.program = program;
  scenario.profile = scenario::Profile::kStandard;
  scenario.switches.load_balancing.kind = fabric::LoadBalancingKind::kSprayRoundRobin;
  scenario.workload.emplace();
  scenario.workload->jobs.push_back(job);
  return scenario.workload->jobs.back();
}

// Two servers of four: a rank sends 2 * 1/2 of its quarter of 10 MB over the fabric, 2.5 MB or 50
// us at 400 Gb/s; the rest stays inside servers. The roofline is 150 us.
TEST(Profile, AHierarchicalCollectiveSendsItsRailAlone) {
  scenario::Scenario scenario = smallFabric();
  hierarchicalJob(scenario);
  const results::TestResult result = runTest(profileProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  const double jct_us = kpi(result, "jct_ms", "").value * 1e3;
  EXPECT_NEAR(kpi(result, "jct_ratio", "").value, jct_us / (2 * 150), 1e-9);
  EXPECT_GE(kpi(result, "jct_ratio", "").value, 1);
  // Iterations of the job may overlap by a little.
  EXPECT_NEAR(kpi(result, "busbw_gbps", "").value, 2 * 2.5e6 * 8 / (jct_us * 1e3), 2);
}

// Times inside servers are no overhead of the fabric; the quick profile takes a tenth of them, too.
TEST(Profile, TimesInsideServersAreInTheRooflineAndScaled) {
  scenario::Scenario scenario = smallFabric();
  auto& program = std::get<workload::TrainingProgram>(hierarchicalJob(scenario).program);
  program.collectives[0].before = microseconds(100);
  program.collectives[0].after = microseconds(50);
  for (const auto& [profile, part] :
       {std::pair{scenario::Profile::kStandard, 1.0}, {scenario::Profile::kQuick, 10.0}}) {
    scenario.profile = profile;
    const results::TestResult result = runTest(profileProcedure(), scenario);
    ASSERT_TRUE(result.valid);
    const double jct_us = kpi(result, "jct_ms", "").value * 1e3;
    EXPECT_NEAR(kpi(result, "jct_ratio", "").value, jct_us / (2 * 300 / part), 1e-9);
    // Headers of 2 % and 2 steps with a path of 2.65 us (see above) come on top.
    EXPECT_GE(jct_us, 2 * 300 / part);
    EXPECT_LE(jct_us, 2 * ((250 + 50 * 1.025) / part + 2 * 3));
  }
}

// Hosts that a job lists are its ranks, whatever number its placement has: 2 of 16 send 2 * 1/2 of
// 10 MB, 200 us.
TEST(Profile, ListedHostsAreTheRanks) {
  scenario::Scenario scenario = smallFabric();
  workload::JobSpec& job = hierarchicalJob(scenario);
  job.placement.rule = workload::PlacementRule::kExplicit;
  job.placement.ranks = 16;
  job.placement.hosts = {0, 5};
  auto& program = std::get<workload::TrainingProgram>(job.program);
  program.collectives[0].algorithm = workload::Algorithm::kRing;
  const results::TestResult result = runTest(profileProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  const double jct_us = kpi(result, "jct_ms", "").value * 1e3;
  EXPECT_NEAR(kpi(result, "jct_ratio", "").value, jct_us / (2 * 300), 1e-9);
}

// One server alone sends nothing over the fabric; without computing nothing is left to compare
// with.
TEST(Profile, NoRooflineIsRefused) {
  scenario::Scenario scenario = smallFabric();
  auto& program = std::get<workload::TrainingProgram>(hierarchicalJob(scenario).program);
  program.compute = Picoseconds(0);
  program.collectives[0].ranks_per_server = 8;
  const SimRunner runner;
  const Plan plan = profileProcedure().plan({scenario, runner.bench.capabilities()});
  ASSERT_EQ(plan.refusals.size(), 1U);
  EXPECT_NE(plan.refusals[0].find("its roofline is 0"), std::string::npos) << plan.refusals[0];
}

// Two buckets of 1 MB beside 100 us of computing: the roofline is the larger, 2 * 1 MB * 1.5 at
// 400 Gb/s = 60 us, so 100 us. The quick profile takes a tenth of all.
TEST(Profile, RunsTheScenariosOwnJobAgainstItsRoofline) {
  scenario::Scenario scenario = smallFabric();
  workload::JobSpec job;
  job.name = "step";
  job.placement.ranks = 4;
  workload::TrainingProgram program;
  program.iterations = 2;
  program.compute = microseconds(100);
  program.overlap = true;
  workload::CollectiveSpec bucket;
  bucket.bytes = 1'000'000;
  program.collectives = {bucket, bucket};
  job.program = program;
  scenario.workload.emplace();
  scenario.workload->jobs.push_back(job);
  scenario.parameters.progress = {1000, "images"};
  {
    scenario::Scenario straggling = scenario;
    auto& own = std::get<workload::TrainingProgram>(straggling.workload->jobs[0].program);
    own.compute_spread = microseconds(500);
    straggling.profile = scenario::Profile::kQuick;
    const results::TestResult result = runTest(profileProcedure(), straggling);
    EXPECT_EQ(configured(result, "Collectives of an iteration"), "2: 2 AllReduce of 100000 B");
    EXPECT_THAT(configured(result, "Stragglers"), testing::HasSubstr("up to 50 us longer"));
    EXPECT_THAT(result.summary,
                testing::HasSubstr(", which leaves the stragglers' time of up to 50 us out"));
  }
  for (const auto& [profile, part] :
       {std::pair{scenario::Profile::kStandard, 1.0}, {scenario::Profile::kQuick, 10.0}}) {
    scenario.profile = profile;
    const results::TestResult result = runTest(profileProcedure(), scenario);
    ASSERT_TRUE(result.valid);
    const double jct_ms = kpi(result, "jct_ms", "").value;
    EXPECT_NEAR(kpi(result, "jct_ratio", "").value, jct_ms / (0.2 / part), 1e-9);
    EXPECT_NEAR(kpi(result, "progress_per_s", "").value, 2 * 1000 / part / (jct_ms / 1e3), 1e-3);
    const bool told = std::any_of(
        result.deviations.begin(), result.deviations.end(), [](const results::Deviation& one) {
          return one.what.find("a step of 1/10 of the profile's") != std::string::npos;
        });
    EXPECT_EQ(told, part > 1);
  }
}

// The figures of one job would stand for all.
TEST(Profile, SeveralJobsAreRefused) {
  scenario::Scenario scenario = smallFabric();
  hierarchicalJob(scenario);
  workload::JobSpec second = scenario.workload->jobs.front();
  second.name = "second";
  scenario.workload->jobs.push_back(second);
  const SimRunner runner;
  const Plan plan = profileProcedure().plan({scenario, runner.bench.capabilities()});
  ASSERT_EQ(plan.refusals.size(), 1U);
  EXPECT_NE(plan.refusals[0].find("the workload has 2 jobs"), std::string::npos)
      << plan.refusals[0];
}

// Two leaves each: the hosts of one leaf send nothing to a spine.
TEST(MultiTenant, EachJobNeedsHostsOfTwoLeaves) {
  SimRunner runner;
  const auto refusals = [&](std::uint32_t leaves, std::uint32_t hosts) {
    scenario::Scenario scenario = smallFabric();
    scenario.topology.leaves = leaves;
    scenario.topology.hosts_per_leaf = hosts;
    return multiTenantProcedure().plan({scenario, runner.bench.capabilities()}).refusals.size();
  };
  EXPECT_EQ(refusals(2, 2), 1U);
  EXPECT_EQ(refusals(3, 3), 1U);
  EXPECT_EQ(refusals(2, 4), 1U);
  EXPECT_EQ(refusals(4, 2), 0U);
}

TEST(MultiTenant, JobsWithoutACommonLeafDoNotDisturbEachOther) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.sizes = {{Bytes(1 << 20)}};
  const results::TestResult result = runTest(multiTenantProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  EXPECT_NEAR(kpi(result, "interference_a", "0 % common, both jobs").value, 1, 0.01);
  for (const char* name : {"fabric_drops_ppm", "retransmission_percent", "timeouts"}) {
    EXPECT_NE(findKpi(result, name, "50 % common, both jobs"), nullptr) << name;
  }
  EXPECT_GE(kpi(result, "interference_a", "50 % common, both jobs").value, 0.99);
  // Both jobs at each of 0, 50 and 100 % of two leaves, two repetitions each.
  ASSERT_EQ(result.repeatability.rows.size(), 6U);
  EXPECT_EQ(std::get<std::string>(result.repeatability.rows[0][2]), "2");
}

// As many uplinks as hosts: where every packet takes the next of them, two jobs have room for both.
TEST(MultiTenant, SprayLeavesRoomForBothJobs) {
  scenario::Scenario scenario = smallFabric();
  scenario.switches.load_balancing.kind = fabric::LoadBalancingKind::kSprayRoundRobin;
  scenario.parameters.sizes = {{Bytes(1 << 20)}};
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(multiTenantProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  for (const char* common : {"0 %", "50 %", "100 %"}) {
    for (const char* job : {"interference_a", "interference_b"}) {
      const double factor = kpi(result, job, std::string(common) + " common, both jobs").value;
      EXPECT_GE(factor, 0.999) << common;
      EXPECT_LT(factor, 1.08) << common;
    }
  }
}

// The share in a point's name is that of the leaves on which both jobs have hosts. 25 % of a job's
// two or three leaves do not exist.
TEST(MultiTenant, PointsAreNamedByTheLeavesInCommon) {
  const std::map<std::uint32_t, std::vector<std::string>> shares{
      {4, {"0 %", "50 %", "100 %"}},
      {7, {"0 %", "33.3 %", "66.7 %"}},
      {8, {"0 %", "25 %", "50 %", "75 %"}},
      {12, {"0 %", "33.3 %", "50 %", "83.3 %"}},
  };
  for (const auto& [leaves, expected] : shares) {
    scenario::Scenario scenario = smallFabric();
    scenario.topology.leaves = leaves;
    SimRunner runner;
    const Plan plan = multiTenantProcedure().plan({scenario, runner.bench.capabilities()});
    std::vector<std::string> names;
    for (const PlannedTrial& trial : plan.samples) {
      const auto& jobs = trial.spec.workload->jobs;
      if (jobs.size() < 2) continue;
      std::array<std::set<std::uint32_t>, 2> used;
      for (std::size_t job = 0; job < 2; ++job) {
        for (const workload::HostId host : jobs[job].placement.hosts) {
          used[job].insert(host / scenario.topology.hosts_per_leaf);
        }
      }
      std::vector<std::uint32_t> common;
      std::set_intersection(used[0].begin(), used[0].end(), used[1].begin(), used[1].end(),
                            std::back_inserter(common));
      const double percent =
          100.0 * static_cast<double>(common.size()) / static_cast<double>(used[0].size());
      names.push_back(trial.label.substr(0, trial.label.find(" common")));
      EXPECT_NEAR(std::stod(names.back()), percent, 0.05) << leaves << " leaves";
    }
    EXPECT_EQ(names, expected) << leaves << " leaves";
  }
}

TEST(Scale, MoreRanksHaveAHigherJctRatio) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.ranks = {{4, 16}};
  scenario.parameters.iterations = 2;
  const results::TestResult result = runTest(scaleProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  EXPECT_GT(kpi(result, "jct_ratio", "AllReduce, 4 MiB, 16 ranks, ECMP").value,
            kpi(result, "jct_ratio", "AllReduce, 4 MiB, 4 ranks, ECMP").value);
  EXPECT_GT(kpi(result, "jct_ratio", "AllReduce, 4 MiB, 4 ranks, ECMP").value, 1);
  EXPECT_EQ(configured(result, "Load balancing"), "ecmp");
  EXPECT_NE(configured(result, "NIC, RoCEv2 RC").find("go-back-N"), std::string::npos);
}

// With ECMP two leaves exchange rings over unequal shares of four spines: ranks drift apart, and
// iterations overlap. The job takes less than their sum.
TEST(Scale, JctRatioIsOfTheJob) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology = {};
  scenario.topology.kind = fabric::TopologyKind::kClos2;
  scenario.topology.spines = 4;
  scenario.topology.hosts_per_leaf = 4;
  scenario.switches = {};
  scenario.switches.shared_buffer.emplace();
  scenario.switches.pfc.emplace().xoff = Bytes(200'000);
  scenario.switches.pfc->headroom = Bytes(400'000);
  scenario.parameters.ranks = {{8}};
  scenario.parameters.sizes = {{Bytes(4'000'000)}};
  scenario.parameters.iterations = 4;
  scenario.parameters.repetitions = 1;
  TrialKeeper runner;
  const results::TestResult result =
      scaleProcedure().run({scenario, runner.runner.bench.capabilities()}, runner);
  const bench::JobOutcome& job = runner.trials.at(0).fabric->jobs.at(0);
  Picoseconds sum;
  for (const Picoseconds time : job.iterations) sum += time;
  ASSERT_GT(sum, job.completion * 105 / 100);
  const double ideal_s = 4 * 8.0 * 4e6 * 1.75 / 100e9;
  EXPECT_NEAR(kpi(result, "jct_ratio", "AllReduce, 4000000 B, 8 ranks, ECMP").value,
              job.completion.toSeconds() / ideal_s, 1e-9);
  EXPECT_THAT(anomalies(result),
              testing::HasSubstr("iterations overlap at 1 of 1 point: ranks begin the next one"));
}

// 16 ranks, 4 MiB, sprayed: 30 steps of a chunk of 256 KiB, 64 packets of 4096 B in slots of 4178
// B, the first with 16 B of RETH, which hold back the others at each of four stores; each step has
// a path of 600 ns of cables, three switches of 600 ns and four times a frame of 4158 B.
TEST(Scale, SprayIsTheScenariosAndTheClosedForm) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.ranks = {{16}};
  scenario.parameters.iterations = 2;
  const double ecmp =
      kpi(runTest(scaleProcedure(), scenario), "jct_ratio", "AllReduce, 4 MiB, 16 ranks, ECMP")
          .value;
  scenario.switches.load_balancing.kind = fabric::LoadBalancingKind::kSprayRoundRobin;
  const results::TestResult sprayed = runTest(scaleProcedure(), scenario);
  ASSERT_TRUE(sprayed.valid);
  const double frame_ns = 4158 * 8 / 400.0;
  const double step_ns = (63 * 4178 + 4 * 16) * 8 / 400.0 + 600 + 3 * 600 + 4 * frame_ns;
  const double ideal_ns = (4 << 20) * 1.875 * 8 / 400.0;
  const std::string point = "AllReduce, 4 MiB, 16 ranks, packet spray";
  EXPECT_NEAR(kpi(sprayed, "jct_ratio", point).value, 30 * step_ns / ideal_ns, 0.002);
  EXPECT_NEAR(kpi(sprayed, "link_mmr", point).value, 1, 0.01);
  EXPECT_GT(ecmp, 1.3 * kpi(sprayed, "jct_ratio", point).value);
  EXPECT_EQ(configured(sprayed, "Load balancing"), "spray-round-robin");
  EXPECT_NE(configured(sprayed, "NIC, RoCEv2 RC").find("selective repeat"), std::string::npos);
}

scenario::Scenario failingFabric() {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.ranks = {{16}};
  scenario.parameters.sizes = {{Bytes(1 << 20)}};
  scenario.parameters.repetitions = 1;
  scenario.parameters.balancing = {{"spray"}};
  return scenario;
}

TEST(LinkFailure, CostsPacketsAndTimeAndIsJudgedAgainstSteadyState) {
  const results::TestResult result = runTest(linkFailureProcedure(), failingFabric());
  ASSERT_TRUE(result.valid);
  const std::string spine = "spine switch (spine0), packet spray";
  EXPECT_GT(kpi(result, "packets_lost", spine).value, 0);
  EXPECT_GT(kpi(result, "failure_iteration_vs_p99", spine).value, 1);
  EXPECT_EQ(result.failed_elements, (std::vector<std::string>{"leaf0-spine0", "spine0"}));
  // Routing reacts after 100 us; later nothing is lost except packets in flight.
  EXPECT_LE(kpi(result, "loss_duration_us", spine).value, 110);
  // Goodput falls to zero, as a ring waits for its slowest member, and the last packet of a message
  // is retransmitted only after the timeout of 4.096 us * 2^8.
  EXPECT_GE(kpi(result, "redistribution_us", spine).value, 1048);
}

// The draft: of the iteration with the failure, against the steady state. One of eight iterations
// waits for a timeout, so that the whole job is longer by an eighth of that.
TEST(LinkFailure, OverheadIsThatOfTheFailuresIteration) {
  scenario::Scenario scenario = failingFabric();
  scenario.parameters.repetitions = 2;
  const results::TestResult result = runTest(linkFailureProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  const std::string spine = "spine switch (spine0), packet spray";
  const results::Table& table = *findTable(result, "failure");
  const auto row = std::find_if(table.rows.begin(), table.rows.end(), [](const auto& one) {
    return std::get<std::string>(one[0]).starts_with("spine");
  });
  ASSERT_NE(row, table.rows.end());
  const double steady = std::get<results::Quantity>(row->at(8)).value;
  const double failed = std::get<results::Quantity>(row->at(9)).value;
  const results::Quantity overhead = kpi(result, "jct_overhead_percent", spine);
  EXPECT_NEAR(overhead.value, 100 * (failed / steady - 1), 1e-6);
  EXPECT_EQ(overhead.repetitions, 2U);
  // An interval where the repetitions differ, and none of width zero where they do not.
  EXPECT_EQ(overhead.confidence_low.has_value(),
            overhead.uncertainty.statistics == results::Statistics::kRepetitions);
  EXPECT_NE(overhead.uncertainty.statistics, results::Statistics::kNone);
  EXPECT_GT(overhead.value, 3 * kpi(result, "job_overhead_percent", spine).value);
  EXPECT_EQ(std::get<std::string>(row->at(2)), "2 of 2");
  EXPECT_FALSE(result.repeatability.rows.empty());
}

// Another repetition has other paths: its iterations say nothing of this one's.
TEST(ZeroImpact, PercentilesAreOfEachRepetitionAndMarked) {
  scenario::Scenario scenario = failingFabric();
  scenario.parameters.repetitions = 2;
  const results::TestResult result = runTest(zeroImpactProcedure(), scenario);
  EXPECT_EQ(std::get<std::string>(findTable(result, "steady")->rows.at(0).at(4)), "8");
  const bool marked =
      std::any_of(result.anomalies.begin(), result.anomalies.end(), [](const auto& anomaly) {
        return anomaly.what.starts_with(
            "the P99 of steady iterations rests on 8 of a repetition, fewer "
            "than 1000");
      });
  EXPECT_TRUE(marked);
  const results::Table& impact = *findTable(result, "zero_impact");
  EXPECT_EQ(std::get<std::string>(impact.rows.at(1).back()), "0 of 2");
}

// Without the only spine there is no way between leaves: no job is finished. Such a failure is one
// of the two.
TEST(LinkFailure, AFailureThatNoJobSurvivesIsCounted) {
  scenario::Scenario scenario = failingFabric();
  scenario.topology.spines = 1;
  scenario.topology.uplinks = 2;
  const results::TestResult failed = runTest(linkFailureProcedure(), scenario);
  EXPECT_FALSE(failed.valid);
  EXPECT_TRUE(failed.summary.starts_with("0 of 2 failures had zero impact")) << failed.summary;
  EXPECT_TRUE(failed.summary.ends_with("After 1 of them no repetition finished the job."))
      << failed.summary;
  const results::Table& impact = *findTable(failed, "zero_impact");
  ASSERT_EQ(impact.rows.size(), 2U);
  EXPECT_EQ(std::get<std::string>(impact.rows[1].at(2)), "not observed");
  EXPECT_EQ(std::get<std::string>(impact.rows[1].back()), "0 of 1");
  EXPECT_TRUE(runTest(zeroImpactProcedure(), scenario).summary.starts_with("0 of 2 failures"));
}

TEST(LinkFailure, NeedsLinksBetweenSwitches) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 16;
  SimRunner runner;
  EXPECT_EQ(linkFailureProcedure().plan({scenario, runner.bench.capabilities()}).refusals.size(),
            1U);
}

}  // namespace
}  // namespace plumbline::suite
