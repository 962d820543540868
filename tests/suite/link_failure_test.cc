// T11.2 and T11.3: times that begin at the failure, and repetitions that do not recover.
#include "suite/training/link_failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using testing::HasSubstr;

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
  EXPECT_EQ(iterationsDuring(job, microseconds(45), microseconds(60))->end, microseconds(105));
  // Of a result without beginnings nothing is known.
  job.iteration_starts.clear();
  EXPECT_EQ(at(10, 15), std::nullopt);
}

// Goodput stays for 10 us after a failure at 50 us, is gone for 20 us and then back. A window of 20
// us has 90 % again when no more than two of its samples are empty: from 78 us on.
TEST(GoodputBack, BeginsAtTheFailureAndWaitsForTheFall) {
  const bench::Samples samples =
      samplesOf(150, [](std::size_t i) { return i >= 60 && i < 80 ? 0U : 10U; });
  EXPECT_EQ(goodputBack(samples, microseconds(50), microseconds(100), microseconds(150)),
            microseconds(28));
  // A failure between two samples: 27.5 us before that window.
  EXPECT_EQ(goodputBack(samples, nanoseconds(50'500), microseconds(100), microseconds(150)),
            nanoseconds(27'500));
}

TEST(GoodputBack, IsZeroWhereItNeverFell) {
  const bench::Samples samples = samplesOf(150, [](std::size_t) { return 10U; });
  EXPECT_EQ(goodputBack(samples, microseconds(50), microseconds(100), microseconds(150)),
            Picoseconds(0));
}

TEST(GoodputBack, IsNothingWhereItStaysAway) {
  const bench::Samples samples = samplesOf(150, [](std::size_t i) { return i >= 60 ? 5U : 10U; });
  EXPECT_FALSE(goodputBack(samples, microseconds(50), microseconds(100), microseconds(150)));
  // Nor if it recovers after the end of the job.
  const bench::Samples late =
      samplesOf(150, [](std::size_t i) { return i >= 60 && i < 120 ? 0U : 10U; });
  EXPECT_TRUE(goodputBack(late, microseconds(50), microseconds(100), microseconds(150)));
  EXPECT_FALSE(goodputBack(late, microseconds(50), microseconds(100), microseconds(125)));
}

// The ranks of a job end one after the other: that is no fall. Nor is a pause that comes later than
// the iterations that the failure may hit.
TEST(GoodputBack, AFallBehindTheFailuresIterationsIsNone) {
  const bench::Samples samples =
      samplesOf(150, [](std::size_t i) { return i >= 130 || (i >= 101 && i < 115) ? 0U : 10U; });
  const auto back = [&](int fall_by) {
    return goodputBack(samples, microseconds(50), microseconds(fall_by), microseconds(150));
  };
  // The windows that begin from 84 us on have three empty samples.
  EXPECT_EQ(back(83), Picoseconds(0));
  EXPECT_NE(back(84), Picoseconds(0));
}

// Between two iterations nothing arrives for 4 us, both before and after the failure: no fall.
TEST(GoodputBack, PausesThatWereThereBeforeAreNone) {
  const bench::Samples samples =
      samplesOf(150, [](std::size_t i) { return i % 40 >= 36 ? 0U : 10U; });
  EXPECT_EQ(goodputBack(samples, microseconds(50), microseconds(100), microseconds(150)),
            Picoseconds(0));
}

TEST(LastLoss, BeginsAtTheFailure) {
  bench::Samples samples;
  EXPECT_FALSE(lastLoss(samples, microseconds(50)));
  samples.first_drop = microseconds(51);
  samples.last_drop = microseconds(148);
  EXPECT_EQ(lastLoss(samples, microseconds(50)), microseconds(98));
  samples.last_drop = microseconds(49);  // of another cause
  EXPECT_FALSE(lastLoss(samples, microseconds(50)));
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
  EXPECT_THAT(told, HasSubstr("1 of 2 repetitions did not recover"));
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

}  // namespace
}  // namespace plumbline::suite
