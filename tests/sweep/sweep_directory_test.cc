// A sweep on disk, and the states of its points.
#include "sweep/sweep_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "session/run.h"
#include "sweep/point.h"
#include "tests/sweep/sweep_fixture.h"

namespace plumbline::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class SweepDirectoryTest : public SweepFixture {
 protected:
  static std::string complaint(const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::kUsage);
      return e.what();
    }
    return "nothing was wrong";
  }
};

TEST_F(SweepDirectoryTest, IsBegunOnceAndOpenedAgain) {
  const SweepDirectory begun = begin("s");
  EXPECT_EQ(begun.size(), 6U);
  const SweepDirectory opened = SweepDirectory::open(path("s"));
  EXPECT_EQ(opened.scenario(3).text, begun.scenario(3).text);
  EXPECT_EQ(opened.scenario(3).switches.latency, nanoseconds(600));
  EXPECT_EQ(begin("s").path(), begun.path());  // the same again
}

TEST_F(SweepDirectoryTest, AnotherScenarioIsRefused) {
  begin("s");
  EXPECT_THAT(complaint([&] { begin("s", kScenario + "seed: 2\n"); }),
              HasSubstr("a sweep of another scenario, or of this one before it was changed"));
  session::ScenarioOptions options;
  options.file = write("s.yaml", kScenario);
  EXPECT_NO_THROW(SweepDirectory::begin(path("s"), options));
  options.seed = 7;
  EXPECT_THAT(complaint([&] { SweepDirectory::begin(path("s"), options); }),
              HasSubstr("another scenario"));
}

TEST_F(SweepDirectoryTest, WhatIsNoSweepIsRefused) {
  const std::string plain = kScenario.substr(0, kScenario.find("sweep:"));
  EXPECT_THAT(complaint([&] { begin("plain", plain); }), HasSubstr("is no sweep"));
  EXPECT_FALSE(std::filesystem::exists(path("plain")));
  EXPECT_THAT(complaint([&] { SweepDirectory::open(path("none")); }),
              HasSubstr("there is no sweep here"));
}

TEST_F(SweepDirectoryTest, ADamagedDescriptionIsATesterFault) {
  begin("s");
  for (const char* text : {"", "{}", "[1]", "{\"format\": 2, \"file\": \"a\", \"scenario\": \"b\"}",
                           "{\"format\": 1, \"file\": 3, \"scenario\": \"b\"}",
                           R"({"format": 1, "file": "a", "scenario": "b", "bench": 3})",
                           R"({"format": 1, "file": "a", "scenario": "b", "profile": []})",
                           R"({"format": 1, "file": "a", "scenario": "b", "seed": -1})",
                           R"({"format": 1, "file": "a", "scenario": "b", "seed": 1e30})"}) {
    std::ofstream(path("s") / "sweep.json") << text;
    try {
      SweepDirectory::open(path("s"));
      ADD_FAILURE() << "accepted: " << text;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::kTester) << text;
    }
  }
}

TEST_F(SweepDirectoryTest, OverridesHoldForAllPointsButNotForWhatIsSwept) {
  session::ScenarioOptions options;
  options.file = write("o.yaml", kScenario);
  options.seed = 99;
  options.profile = "standard";
  const auto directory = SweepDirectory::begin(path("o"), options);
  EXPECT_EQ(SweepDirectory::open(path("o")).scenario(5).seed, 99U);
  EXPECT_EQ(directory.scenario(5).profile, scenario::Profile::kStandard);
  options.file = write("p.yaml", kScenario + "  seed: [1, 2]\n");
  EXPECT_THAT(complaint([&] { SweepDirectory::begin(path("p"), options); }),
              HasSubstr("the scenario sweeps \"seed\" itself"));
}

TEST_F(SweepDirectoryTest, StatesFollowThePointsStore) {
  const SweepDirectory directory = begin("s");
  EXPECT_EQ(directory.status(0).state, PointState::kWaiting);
  directory.prepare(0);
  EXPECT_EQ(directory.status(0).state, PointState::kWaiting);

  measure(directory, 0);
  EXPECT_EQ(directory.status(0).state, PointState::kDone);
  EXPECT_GT(directory.status(0).trials, 10U);

  // An unfinished run without an owner: its process was killed.
  auto store = results::ResultStore::open(directory.pointDirectory(1));
  const auto run = session::createRun(store, directory.scenario(1));
  store.saveTrial(run, "{}", 0, "one", "{}");
  EXPECT_EQ(directory.status(1).state, PointState::kInterrupted);
  EXPECT_EQ(directory.status(1).trials, 1U);
  store.setStatus(run, results::RunStatus::kFailed);
  EXPECT_EQ(directory.status(1).state, PointState::kFailed);

  directory.prepare(2);
  const PointLock lock(directory.pointDirectory(2), PointLock::Kind::kWork);
  ASSERT_TRUE(lock.held());
  EXPECT_EQ(directory.status(2).state, PointState::kRunning);
  EXPECT_THAT(directory.unfinished(), ElementsAre(1, 2, 3, 4, 5));
}

// The store of another point in its place does not count.
TEST_F(SweepDirectoryTest, AStoreOfAnotherPointIsNotThePoints) {
  const SweepDirectory directory = begin("s");
  measure(directory, 0);
  std::filesystem::copy(directory.pointDirectory(0), directory.pointDirectory(1),
                        std::filesystem::copy_options::recursive);
  EXPECT_EQ(directory.status(1).state, PointState::kWaiting);
}

TEST_F(SweepDirectoryTest, APointIsMeasuredByOneProcessAndOnce) {
  const SweepDirectory directory = begin("s");
  directory.prepare(0);
  {
    const PointLock lock(directory.pointDirectory(0), PointLock::Kind::kWork);
    EXPECT_THAT(complaint([&] { measure(directory, 0); }),
                HasSubstr("another process is running point 1"));
  }
  measure(directory, 0);
  measure(directory, 0);
  auto store = results::ResultStore::openExisting(directory.pointDirectory(0));
  EXPECT_THAT(store.listRuns(), SizeIs(1));
  EXPECT_THAT(complaint([&] { measure(directory, 6); }), HasSubstr("there is no point 7"));
}

// A point's identity includes the contents of its trace, not only its name.
TEST_F(SweepDirectoryTest, APointWhoseTraceWasChangedIsMeasuredAgain) {
  write("a.csv", "time_ns,from,to,bytes\n0,0,1,4096\n");
  write("b.csv", "time_ns,from,to,bytes\n0,0,1,8192\n");
  const std::string text = R"(plumbline: 1
name: traced
test: free
dut: {topology: {kind: switch, hosts: 2}}
transport: {kind: uet}
workload: [{kind: trace, ranks: 2, trace: {file: a.csv}}]
sweep:
  workload.0.trace.file: [a.csv, b.csv]
)";
  const SweepDirectory directory = begin("s", text);
  measureAll(directory);
  EXPECT_THAT(directory.unfinished(), SizeIs(0));
  write("b.csv", "time_ns,from,to,bytes\n0,0,1,8193\n");
  EXPECT_THAT(directory.unfinished(), ElementsAre(1));
  measure(directory, 1);
  EXPECT_THAT(directory.unfinished(), SizeIs(0));
}

TEST_F(SweepDirectoryTest, PointsThatCannotRunAreNamedBeforeAnythingIsMade) {
  const std::string text = kScenario.substr(0, kScenario.find("sweep:")) +
                           "sweep:\n  dut.topology.hosts: [3, 2]\n  test: [T5.3]\n"
                           "  parameters.incast_ratios: [1, 2]\n";
  session::ScenarioOptions options;
  options.file = write("c.yaml", text);
  const scenario::Scenario first = session::loadScenario(options);
  const scenario::Sweep sweep(first.text, first.file);
  try {
    checkPoints(sweep, options);
    ADD_FAILURE() << "two senders to one receiver need three hosts";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("point 4, hosts 2, test T5.3, incast_ratios 2"));
  }
}

}  // namespace
}  // namespace plumbline::sweep
