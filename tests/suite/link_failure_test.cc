// T11.2 and T11.3: times that begin at the failure, and repetitions that do not recover.
#include "suite/training/link_failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using testing::HasSubstr;
using testing::Not;

// Samples of a microsecond each; `rate(i)` bytes arrive in number i.
bench::Samples samplesOf(std::size_t count, const std::function<std::uint64_t(std::size_t)>& rate) {
  bench::Samples samples;
  samples.interval = microseconds(1);
  samples.flows.push_back({});
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    total += rate(i);
    bench::Sample sample;
    sample.received = {total};
    samples.samples.push_back(sample);
  }
  return samples;
}

// Ranks drift apart: iterations of 30 us begin every 20 us, and their sum is no time of anything.
TEST(IterationsDuring, AreThoseUnderWayFromTheFailureUntilRoutesChange) {
  bench::JobOutcome job;
  for (const int start : {0, 20, 40, 60, 80}) {
    job.iteration_starts.push_back(microseconds(start));
    job.iterations.push_back(microseconds(start == 60 ? 45 : 30));
  }
  const auto at = [&](int from, int to) -> std::optional<Picoseconds> {
    const auto all = iterationsDuring(job, microseconds(from), microseconds(to));
    return all ? std::optional(all->longest) : std::nullopt;
  };
  EXPECT_EQ(at(10, 15), microseconds(30));
  EXPECT_EQ(at(55, 59), microseconds(30)) << "that of 60 us has not begun";
  EXPECT_EQ(at(55, 61), microseconds(45));
  EXPECT_EQ(at(104, 104), microseconds(45));
  EXPECT_EQ(at(105, 105), microseconds(30)) << "that of 60 us has ended";
  EXPECT_EQ(at(110, 120), std::nullopt);
  EXPECT_EQ(iterationsDuring(job, microseconds(45), microseconds(59))->end, microseconds(70));
  EXPECT_EQ(iterationsDuring(job, microseconds(45), microseconds(59))->begin, microseconds(20));
  EXPECT_EQ(iterationsDuring(job, microseconds(45), microseconds(60))->end, microseconds(105));
  // Of a result without beginnings nothing is known.
  job.iteration_starts.clear();
  EXPECT_EQ(at(10, 15), std::nullopt);
}

// Of a job until `until`; the same without failure has goodput all the time, for 150 us.
std::optional<Picoseconds> backOf(const bench::Samples& failed, Picoseconds failure,
                                  Picoseconds fall_by, Picoseconds until = microseconds(150)) {
  const bench::Samples intact = samplesOf(150, [](std::size_t) { return 10U; });
  return goodputBack({failed, until}, {intact, microseconds(150)}, failure, fall_by);
}

// Goodput stays for 10 us after a failure at 50 us, is gone for 20 us and then back. A window of 20
// us has 90 % again when no more than two of its samples are empty: from 78 us on.
TEST(GoodputBack, BeginsAtTheFailureAndWaitsForTheFall) {
  const bench::Samples samples =
      samplesOf(150, [](std::size_t i) { return i >= 60 && i < 80 ? 0U : 10U; });
  EXPECT_EQ(backOf(samples, microseconds(50), microseconds(100)), microseconds(28));
  // A failure between two samples: 27.5 us before that window.
  EXPECT_EQ(backOf(samples, nanoseconds(50'500), microseconds(100)), nanoseconds(27'500));
}

TEST(GoodputBack, IsZeroWhereItNeverFell) {
  const bench::Samples samples = samplesOf(150, [](std::size_t) { return 10U; });
  EXPECT_EQ(backOf(samples, microseconds(50), microseconds(100)), Picoseconds(0));
}

// It falls a second time before the iterations of the failure are over, as where a lost packet is
// sent again after a timeout: 50 us after the failure it is gone for 10 us. Three empty samples are
// a fall; from 108 us on there are two.
TEST(GoodputBack, IsBackBehindTheLastFall) {
  const bench::Samples samples = samplesOf(
      150, [](std::size_t i) { return (i >= 60 && i < 70) || (i >= 100 && i < 110) ? 0U : 10U; });
  EXPECT_EQ(backOf(samples, microseconds(50), microseconds(120)), microseconds(58));
  EXPECT_EQ(backOf(samples, microseconds(50), microseconds(70)), microseconds(18));
}

// Nothing arrives for 30 us before the failure either: no window can be lower.
TEST(GoodputBack, IsNotKnownWhereNothingArrivedBefore) {
  const bench::Samples samples = samplesOf(
      150, [](std::size_t i) { return (i >= 10 && i < 40) || (i >= 60 && i < 90) ? 0U : 10U; });
  EXPECT_FALSE(knowsGoodputBefore({samples, microseconds(150)}, microseconds(50)));
  EXPECT_FALSE(backOf(samples, microseconds(50), microseconds(100)));
}

TEST(GoodputBack, IsNothingWhereItStaysAway) {
  const bench::Samples samples = samplesOf(150, [](std::size_t i) { return i >= 60 ? 5U : 10U; });
  EXPECT_FALSE(backOf(samples, microseconds(50), microseconds(100)));
  // Nor if it recovers after the end of the job.
  const bench::Samples late =
      samplesOf(150, [](std::size_t i) { return i >= 60 && i < 120 ? 0U : 10U; });
  EXPECT_TRUE(backOf(late, microseconds(50), microseconds(100)));
  EXPECT_FALSE(backOf(late, microseconds(50), microseconds(100), microseconds(125)));
}

// The ranks of a job end one after the other: that is no fall. Nor is a pause that comes later than
// the iterations that the failure may hit.
TEST(GoodputBack, AFallBehindTheFailuresIterationsIsNone) {
  const bench::Samples samples =
      samplesOf(150, [](std::size_t i) { return i >= 130 || (i >= 101 && i < 115) ? 0U : 10U; });
  // The windows that begin from 84 us on have three empty samples.
  EXPECT_EQ(backOf(samples, microseconds(50), microseconds(83)), Picoseconds(0));
  EXPECT_NE(backOf(samples, microseconds(50), microseconds(84)), Picoseconds(0));
}

// Between two iterations nothing arrives for 4 us, both before and after the failure: no fall.
TEST(GoodputBack, PausesThatWereThereBeforeAreNone) {
  const bench::Samples samples =
      samplesOf(150, [](std::size_t i) { return i % 40 >= 36 ? 0U : 10U; });
  EXPECT_EQ(backOf(samples, microseconds(50), microseconds(100)), Picoseconds(0));
}

// A job of one iteration: its ranks end from 110 us on, in the failure's iteration and without a
// failure alike. That is no fall, also not 10 us later; nothing at all for 30 us is one.
TEST(GoodputBack, TheEndThatComesWithoutAFailureIsNoFall) {
  const auto ending = [](std::size_t from) {
    return samplesOf(200, [from](std::size_t i) {
      return i < from ? 10U : i < from + 40 ? 5U : 0U;
    });
  };
  const bench::Samples intact = ending(110);
  const auto back = [&](const bench::Samples& failed, Picoseconds until) {
    return goodputBack({failed, until}, {intact, microseconds(150)}, microseconds(50), until);
  };
  EXPECT_EQ(back(intact, microseconds(150)), Picoseconds(0));
  EXPECT_EQ(back(ending(120), microseconds(160)), Picoseconds(0));
  const bench::Samples stalled = samplesOf(200, [](std::size_t i) {
    return i >= 60 && i < 90 ? 0U : i < 140 ? 10U : 5U;
  });
  EXPECT_EQ(back(stalled, microseconds(180)), microseconds(38));
}

TEST(LastLoss, BeginsAtTheFailure) {
  bench::Samples samples;
  EXPECT_FALSE(lastLoss(samples, microseconds(50)));
  samples.losses = 2;
  samples.first_drop = microseconds(51);
  samples.last_drop = microseconds(148);
  EXPECT_EQ(lastLoss(samples, microseconds(50)), microseconds(98));
  // A frame that was on the wire when it failed.
  samples.last_drop = nanoseconds(49'900);
  EXPECT_EQ(lastLoss(samples, microseconds(50)), Picoseconds(0));
}

// The first packet of a Write: 4096 B, headers of 14 + 20 + 8 + 12 + 16 B, ICRC and FCS, and 20 B
// around it at 400 Gb/s are 83.88 ns; 250 ns of propagation.
// A frame on the wire when the link fails is dated by its first bit, 20 us before on such a cable.
TEST(LossDuration, BeginsAtTheFailureAtTheEarliest) {
  bench::Samples samples;
  EXPECT_EQ(lossDuration(samples, microseconds(50)), Picoseconds(0));
  samples.losses = 3;
  samples.first_drop = microseconds(30);
  samples.last_drop = microseconds(90);
  EXPECT_EQ(lossDuration(samples, microseconds(50)), microseconds(40));
  samples.first_drop = microseconds(60);
  EXPECT_EQ(lossDuration(samples, microseconds(50)), microseconds(30));
  samples.first_drop = samples.last_drop = microseconds(45);
  EXPECT_EQ(lossDuration(samples, microseconds(50)), Picoseconds(0));
}

TEST(LossesFrom, IsOneFrameOnTheWireBeforeTheFailure) {
  bench::TrialSpec spec;
  spec.dut.topology = smallFabric().topology;
  spec.dut.topology.fabric_link_delay = nanoseconds(250);
  spec.transport = transport::RoceSpec();
  spec.workload.emplace().jobs.emplace_back();
  const Picoseconds from = lossesFrom(spec, microseconds(50));
  EXPECT_EQ(from, microseconds(50) - Picoseconds(333'880));
  EXPECT_EQ(lossesFrom(spec, nanoseconds(100)), Picoseconds(0));
}

TEST(NearestRank, IsTheSmallestThatEnoughDoNotExceed) {
  std::vector<Picoseconds> times;
  for (int i = 200; i > 0; --i) times.push_back(microseconds(i));
  EXPECT_EQ(nearestRank(times, 0.99), microseconds(198));
  EXPECT_EQ(nearestRank({microseconds(7)}, 0.99), microseconds(7));
  EXPECT_EQ(samplesNeeded(0.99), 1000U);
}

// Trials from number `first` to `last` do not finish.
class BrokenRunner final : public TrialRunner {
 public:
  BrokenRunner(std::uint64_t first, std::uint64_t last) : first_(first), last_(last) {}

  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override {
    bench::TrialResult trial = bench.run(spec, repetition, label);
    if (bench.trials - 1 < first_ || bench.trials - 1 > last_) return trial;
    trial.faults.emplace_back("messages failed");
    trial.fabric->jobs[0].finished = false;
    trial.fabric->jobs[0].completion = {};
    return trial;
  }

  SimRunner bench;

 private:
  std::uint64_t first_;
  std::uint64_t last_;
};

scenario::Scenario twoRepetitions() {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.ranks = {{16}};
  scenario.parameters.sizes = {{Bytes(256 << 10)}};
  scenario.parameters.repetitions = 2;
  scenario.parameters.balancing = {{"spray"}};
  return scenario;
}

// Trials: two repetitions without failure, two of the uplink, two of the spine. The uplink's second
// one fails.
TEST(LinkFailure, ARepetitionThatDoesNotRecoverLeavesTheOthers) {
  const scenario::Scenario scenario = twoRepetitions();
  BrokenRunner runner(3, 3);
  const results::TestResult result =
      linkFailureProcedure().run({scenario, runner.bench.bench.capabilities()}, runner);
  EXPECT_FALSE(result.valid);
  const std::string uplink = "leaf uplink (leaf0-spine0), packet spray";
  EXPECT_EQ(kpi(result, "jct_overhead_percent", uplink).repetitions, 1U);
  EXPECT_EQ(kpi(result, "redistribution_us", uplink).repetitions, 1U);
  EXPECT_EQ(kpi(result, "redistribution_us", "spine switch (spine0), packet spray").repetitions,
            2U);
  std::string told;
  for (const results::Anomaly& anomaly : result.anomalies) told += anomaly.what + "\n";
  EXPECT_THAT(told, HasSubstr("1 of 2 repetitions did not finish the job"));
  EXPECT_THAT(told, Not(HasSubstr("did not recover")));
  // A limit on redistribution is not met by the one that has it.
  EXPECT_TRUE(isUnmeasured(result, "redistribution_us", uplink));
  EXPECT_FALSE(isUnmeasured(result, "packets_lost", uplink));
}

// That no repetition survives the failure is the finding: the row stays, without times.
TEST(LinkFailure, AJobThatNeverFinishesHasARow) {
  const scenario::Scenario scenario = twoRepetitions();
  BrokenRunner runner(2, 3);
  const results::TestResult result =
      linkFailureProcedure().run({scenario, runner.bench.bench.capabilities()}, runner);
  EXPECT_FALSE(result.valid);
  const auto& rows = findTable(result, "failure")->rows;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(std::get<std::string>(rows[0][0]), "leaf uplink (leaf0-spine0)");
  EXPECT_EQ(std::get<std::string>(rows[0][2]), "0 of 2");
  EXPECT_GT(std::get<results::Quantity>(rows[0][3]).value, 0);
  EXPECT_EQ(std::get<std::string>(rows[0][7]), "not observed");
  EXPECT_EQ(std::get<std::string>(rows[0][10]), "not observed");
  for (const results::Kpi& kpi : result.kpis) {
    const bool lasting = kpi.name == "jct_us" || kpi.name == "jct_overhead_percent";
    EXPECT_FALSE(lasting && kpi.point.starts_with("leaf uplink")) << kpi.name;
  }
}

// Counts the drops of every trial.
class DropRunner final : public TrialRunner {
 public:
  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override {
    bench::TrialResult trial = bench.run(spec, repetition, label);
    drops.push_back(static_cast<double>(trial.fabric->total.dropped()));
    return trial;
  }

  SimRunner bench;
  std::vector<double> drops;
};

// A link of the scenario's own is down from the beginning. Until switches route around it, it loses
// the same packets with and without the test's failure: these are not the failure's.
TEST(LinkFailure, LossesBeforeTheFailureAreNotCounted) {
  scenario::Scenario scenario = twoRepetitions();
  scenario.failures = {{"leaf1-spine1", Picoseconds(0), std::nullopt}};
  scenario.convergence = microseconds(5);
  // Until the failure the job has waited for the timeout of 1.05 ms that these losses cost.
  scenario.parameters.iterations = 240;
  DropRunner runner;
  const results::TestResult result =
      linkFailureProcedure().run({scenario, runner.bench.bench.capabilities()}, runner);
  ASSERT_TRUE(result.valid);
  ASSERT_EQ(runner.drops.size(), 6U);
  ASSERT_GT(runner.drops[0], 0);
  const std::string uplink = "leaf uplink (leaf0-spine0), packet spray";
  const double lost = (runner.drops[2] - runner.drops[0] + runner.drops[3] - runner.drops[1]) / 2;
  EXPECT_GT(lost, 0);
  EXPECT_EQ(kpi(result, "packets_lost", uplink).value, lost);
  // From the failure on: no more than a frame on the wire before it (LossesFrom).
  const auto& row = table(result, "failure").rows.at(0);
  EXPECT_LE(kpi(result, "loss_duration_us", uplink).value, quantity(row[5]).value + 0.4);
  EXPECT_THAT(anomalies(result), HasSubstr("packets were lost before the failure"));
  EXPECT_THAT(deviations(result), HasSubstr("own failures (leaf1-spine1) happen in every trial"));
  EXPECT_THAT(anomalies(result), Not(HasSubstr("fall in the iteration of the failure")));
}

// One that is still losing packets when the test's link fails: whose they are is not known.
TEST(LinkFailure, LossesOfTwoFailuresAtOnceAreNotGiven) {
  scenario::Scenario scenario = twoRepetitions();
  scenario.failures = {{"leaf1-spine1", microseconds(40), std::nullopt}};
  const results::TestResult result = runTest(linkFailureProcedure(), scenario);
  const std::string uplink = "leaf uplink (leaf0-spine0), packet spray";
  for (const char* name : {"packets_lost", "loss_duration_us", "redistribution_us"}) {
    EXPECT_EQ(findKpi(result, name, uplink), nullptr) << name;
    EXPECT_TRUE(isUnmeasured(result, name, uplink)) << name;
  }
  EXPECT_NE(findKpi(result, "jct_overhead_percent", uplink), nullptr);
  EXPECT_THAT(anomalies(result), HasSubstr("cannot be told apart"));
  EXPECT_THAT(anomalies(result), HasSubstr("in 2 of 2 repetitions the scenario's own failures fall "
                                           "in the iteration of the failure, too"));
}

// An outage that LLR bridges loses nothing.
TEST(LinkFailure, ABridgedOutageDoesNotHideTheTestsLosses) {
  scenario::Scenario scenario = twoRepetitions();
  scenario.failures = {{"leaf1-spine1", microseconds(40), microseconds(45)}};
  const std::string uplink = "leaf uplink (leaf0-spine0), packet spray";
  EXPECT_EQ(findKpi(runTest(linkFailureProcedure(), scenario), "packets_lost", uplink), nullptr);
  scenario.switches.llr.emplace().pcs_lost = microseconds(10);
  const results::TestResult result = runTest(linkFailureProcedure(), scenario);
  ASSERT_NE(findKpi(result, "packets_lost", uplink), nullptr);
  EXPECT_GT(kpi(result, "packets_lost", uplink).value, 0);
}

// The test's own failure is not among those of the user's file, so no message may name its place.
TEST(LinkFailure, RefusesAFailureOfTheSameElement) {
  scenario::Scenario scenario = twoRepetitions();
  const SimRunner runner;
  const auto refusals = [&](std::optional<Picoseconds> up) {
    scenario.failures = {{"leaf0-spine0", microseconds(1), up}};
    return linkFailureProcedure().plan({scenario, runner.bench.capabilities()}).refusals;
  };
  ASSERT_EQ(refusals(std::nullopt).size(), 1U);
  EXPECT_THAT(refusals(std::nullopt).front(),
              testing::AllOf(HasSubstr("the test lets leaf0-spine0 fail after"),
                             HasSubstr("(dut.failures: leaf0-spine0) is not over by then"),
                             Not(HasSubstr("failures["))));
  EXPECT_THAT(refusals(microseconds(2)), testing::IsEmpty());
}

// Two hosts and eight spines: ECMP takes the failing link in one of three repetitions.
scenario::Scenario oneOfThreeIsHit() {
  scenario::Scenario scenario;
  scenario.bench = "sim";
  scenario.profile = scenario::Profile::kQuick;
  scenario.topology.kind = fabric::TopologyKind::kClos2;
  scenario.topology.leaves = 2;
  scenario.topology.spines = 8;
  scenario.topology.hosts_per_leaf = 1;
  scenario.topology.link_rate = gigabitsPerSecond(100);
  scenario.topology.host_link_delay = nanoseconds(50);
  scenario.topology.fabric_link_delay = microseconds(1);
  scenario.switches.latency = nanoseconds(600);
  scenario.switches.shared_buffer.emplace();
  scenario.parameters.sizes = {{Bytes(256 << 10)}};
  scenario.parameters.repetitions = 3;
  scenario.parameters.balancing = {{"ecmp"}};
  scenario.seed = 6;
  return scenario;
}

// Where nothing is lost, goodput never falls and redistribution is 0: every column is a mean of
// the same repetitions.
TEST(LinkFailure, ARepetitionThatIsNotHitIsInEveryMean) {
  scenario::Scenario scenario = oneOfThreeIsHit();
  scenario.parameters.iterations = 6;
  const results::TestResult result = runTest(linkFailureProcedure(), scenario);
  const auto& row = table(result, "failure").rows.at(0);
  EXPECT_EQ(text(row[2]), "3 of 3");
  for (const std::size_t column : {3, 4, 5, 6, 7}) {
    EXPECT_EQ(quantity(row[column]).repetitions, 3U) << column;
  }
  ASSERT_GT(quantity(row[3]).value, 0);
  // One repetition has all of it, and its goodput is back after its last loss.
  EXPECT_GE(quantity(row[6]).value, quantity(row[5]).value);
  EXPECT_DOUBLE_EQ(quantity(row[7]).value, quantity(row[6]).value);
}

// Of a job of a single iteration the failure's iteration is also its last: that its goodput ends is
// no failure to recover.
TEST(LinkFailure, TheEndOfTheJobIsNoFall) {
  scenario::Scenario scenario = oneOfThreeIsHit();
  scenario.parameters.iterations = 1;
  const results::TestResult result = runTest(linkFailureProcedure(), scenario);
  const auto& impact = table(result, "zero_impact").rows.at(0);
  ASSERT_EQ(text(impact[6]), "2 of 3");
  EXPECT_EQ(text(table(result, "failure").rows.at(0)[2]), "2 of 3");
  // 12 samples of 1 us come before the failure: of the third one it is not known.
  EXPECT_THAT(anomalies(result), HasSubstr("1 of 3 repetitions are not known to have recovered"));
}

// Without convergence only the frames on the wire are lost, at the failure. Their first bits left
// before it.
TEST(LinkFailure, FramesOnTheWireAreLostAtTheFailure) {
  scenario::Scenario scenario = oneOfThreeIsHit();
  scenario.topology.spines = 2;
  scenario.convergence = Picoseconds(0);
  scenario.parameters.sizes = {{Bytes(64 << 10)}};
  scenario.parameters.iterations = 4;
  scenario.parameters.balancing = {{"spray"}};
  const results::TestResult result = runTest(linkFailureProcedure(), scenario);
  const auto& row = table(result, "failure").rows.at(0);
  ASSERT_GT(quantity(row[3]).value, 0);
  // 1 us of propagation and 0.34 us of the frame.
  EXPECT_LE(quantity(row[4]).value, 1.4);
  EXPECT_LE(quantity(row[5]).value, 1.4);
}

}  // namespace
}  // namespace plumbline::suite
