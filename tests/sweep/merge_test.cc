// The merged run: every point once, none that is not done.
#include "sweep/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "session/run.h"
#include "tests/sweep/sweep_fixture.h"

namespace plumbline::sweep {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class MergeTest : public SweepFixture {
 protected:
  // Labels of the sweep's points, as the KPIs of the run have them.
  static std::set<std::string> pointsOf(const Merged& merged) {
    std::set<std::string> points;
    for (const auto& kpi : merged.run.tests.at(0).kpis) {
      points.insert(kpi.point.substr(0, kpi.point.find(": ")));
    }
    return points;
  }
  static std::string refusal(const SweepDirectory& directory, bool missing_too) {
    try {
      mergeSweep(directory, missing_too);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::kUsage);
      return e.what();
    }
    return "merged";
  }
};

// The closed form: an idle cut-through switch adds its latency, and the wire's part does not depend
// on it.
TEST_F(MergeTest, HasThePointsFiguresOverTheSweep) {
  const SweepDirectory directory = begin("s");
  measureAll(directory);
  const Merged merged = mergeSweep(directory, false);
  EXPECT_THAT(merged.missing, IsEmpty());
  EXPECT_EQ(merged.run.info.status, results::RunStatus::kDone);
  EXPECT_THAT(pointsOf(merged), SizeIs(6));
  const auto minimum = [&](const std::string& point) {
    for (const auto& kpi : merged.run.tests.at(0).kpis) {
      if (kpi.name == "latency_min_ns" && kpi.point == point) return kpi.quantity.value;
    }
    ADD_FAILURE() << point;
    return 0.0;
  };
  const double base = minimum("latency 300ns, frame_sizes 256B: 256 B, zero load");
  EXPECT_NEAR(minimum("latency 600ns, frame_sizes 256B: 256 B, zero load"), base + 300, 0.01);
  EXPECT_NEAR(minimum("latency 1us, frame_sizes 256B: 256 B, zero load"), base + 700, 0.01);
}

TEST_F(MergeTest, HasEveryTrialOfThePointsOnceAndOnlyOneRun) {
  const SweepDirectory directory = begin("s");
  measureAll(directory);
  std::uint64_t trials = 0;
  for (std::size_t point = 0; point < directory.size(); ++point) {
    trials += directory.status(point).trials;
  }
  const auto first = mergedOutcome(directory);
  EXPECT_EQ(first, mergedOutcome(directory));  // merging again replaces it
  auto store = results::ResultStore::openExisting(directory.path() / "merged");
  ASSERT_THAT(store.listRuns(), SizeIs(1));
  EXPECT_EQ(store.listRuns()[0].trials, trials);
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "merged.new"));
  EXPECT_EQ(store.listRuns()[0].identity.scenario_text, kScenario);
}

TEST_F(MergeTest, WithoutAllPointsItNamesThoseThatAreMissing) {
  const SweepDirectory directory = begin("s");
  EXPECT_THAT(refusal(directory, false), HasSubstr("6 of 6 points are not done"));
  EXPECT_THAT(refusal(directory, true), HasSubstr("6 of 6 points"));  // there is nothing to merge
  for (const std::size_t point : {0U, 2U, 3U, 5U}) measure(directory, point);
  EXPECT_THAT(refusal(directory, false), HasSubstr("2 of 6 points are not done: 2, 5"));
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "merged"));

  const Merged merged = mergeSweep(directory, true);
  EXPECT_THAT(merged.missing, ElementsAre(1, 4));
  EXPECT_THAT(pointsOf(merged), SizeIs(4));
  EXPECT_FALSE(merged.run.tests.at(0).valid);
  EXPECT_THAT(merged.run.tests.at(0).anomalies,
              Contains(AllOf(Field(&results::Anomaly::what, "the point was not measured"),
                             Field(&results::Anomaly::where, "latency 1us, frame_sizes 256B"))));
}

// All of a point's results are there, but its run has not ended: killed just before the end.
TEST_F(MergeTest, AHalfWrittenStoreIsNotMerged) {
  const SweepDirectory directory = begin("s");
  measureAll(directory);
  results::ResultStore::openExisting(directory.pointDirectory(4))
      .setStatus(1, results::RunStatus::kRunning);
  EXPECT_THAT(refusal(directory, false), HasSubstr("1 of 6 points are not done: 5"));
  EXPECT_THAT(mergeSweep(directory, true).missing, ElementsAre(4));
  // It is resumed from its trials, and then merged.
  measure(directory, 4);
  EXPECT_THAT(mergeSweep(directory, false).missing, IsEmpty());
}

TEST_F(MergeTest, APointInHandIsNotMerged) {
  const SweepDirectory directory = begin("s");
  measureAll(directory);
  const PointLock lock(directory.pointDirectory(0), PointLock::Kind::kWork);
  EXPECT_THAT(refusal(directory, false), HasSubstr("1 of 6 points are not done: 1"));
}

TEST_F(MergeTest, ResultsOfDifferentSoftwareSaySo) {
  const SweepDirectory directory = begin("s");
  for (const std::size_t point : {0U, 1U, 2U, 3U, 4U}) measure(directory, point);
  const auto scenario = directory.scenario(5);
  directory.prepare(5);
  auto store = results::ResultStore::open(directory.pointDirectory(5));
  const auto run = store.createRun(session::identityOf(scenario), "plumbline 0.0.1", "elsewhere");
  store.saveTestResult(
      run, results::ResultStore::openExisting(directory.pointDirectory(4)).loadRun(1).tests.at(0));
  store.setStatus(run, results::RunStatus::kDone);
  EXPECT_THAT(mergeSweep(directory, false).run.tests.at(0).anomalies,
              Contains(Field(&results::Anomaly::what, HasSubstr("plumbline 0.0.1"))));
}

}  // namespace
}  // namespace plumbline::sweep
