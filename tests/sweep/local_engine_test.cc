// Workers on this machine: killed, stopped, failing, and the outcome of the sweep.
#include "sweep/local_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <thread>

#include "base/error.h"
#include "tests/sweep/sweep_fixture.h"

namespace plumbline::sweep {
namespace {

using std::chrono::milliseconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

// Workers of a process.
std::vector<pid_t> childrenOf(pid_t process) {
  const std::string id = std::to_string(process);
  std::istringstream text(contentOf("/proc/" + id + "/task/" + id + "/children"));
  return {std::istream_iterator<pid_t>(text), {}};
}

class LocalEngineTest : public SweepFixture {
 protected:
  LocalOutcome run(
      const SweepDirectory& directory, std::size_t workers,
      const std::function<bool()>& asked = [] { return false; }) {
    said_.clear();
    return runLocally(directory,
                      {.workers = workers,
                       .stop_requested = asked,
                       .say = [this](const std::string& line) { said_.push_back(line); }});
  }
  // The sweep in a process of its own, to be killed.
  pid_t runElsewhere(const SweepDirectory& directory) {
    const pid_t child = ::fork();
    if (child == 0) {
      run(directory, 2);
      ::_exit(0);
    }
    return child;
  }
  // Outcome of the sweep without failures.
  std::vector<std::string> expected() {
    const SweepDirectory directory = begin("expected");
    measureAll(directory);
    return mergedOutcome(directory);
  }

  std::vector<std::string> said_;
};

TEST_F(LocalEngineTest, MeasuresEveryPointAsOneProcessWould) {
  const SweepDirectory directory = begin("s");
  const LocalOutcome outcome = run(directory, 3);
  EXPECT_FALSE(outcome.stopped);
  EXPECT_THAT(outcome.failed, IsEmpty());
  EXPECT_EQ(mergedOutcome(directory), expected());
  EXPECT_THAT(said_, SizeIs(6));
  EXPECT_THAT(said_, Contains(HasSubstr("6 of 6 points are done: point ")));
}

TEST_F(LocalEngineTest, DonePointsAreNotMeasuredAgain) {
  const SweepDirectory directory = begin("s");
  measure(directory, 1);
  measure(directory, 4);
  const auto written = [&](std::size_t point) {
    return std::filesystem::last_write_time(directory.pointDirectory(point) / "plumbline.db");
  };
  const auto before = std::pair(written(1), written(4));
  run(directory, 2);
  EXPECT_EQ(said_.front(), "2 of 6 points are done already");
  EXPECT_EQ(before, std::pair(written(1), written(4)));
  EXPECT_EQ(mergedOutcome(directory), expected());
  run(directory, 2);
  EXPECT_THAT(said_, ElementsAre("6 of 6 points are done already"));
}

// Workers die at random instants from a seed. Their points are resumed, and the merged run is the
// same.
TEST_F(LocalEngineTest, PointsOfKilledWorkersAreRunAgain) {
  const auto wanted = expected();
  int killed = 0;
  for (const unsigned seed : {1U, 2U, 3U}) {
    const SweepDirectory directory = begin("killed" + std::to_string(seed));
    std::mt19937 random(seed);
    auto next = std::chrono::steady_clock::now();
    int left = 4;
    // Called continuously, on the engine's own thread: used here for killing workers.
    const auto outcome = run(directory, 2, [&] {
      const auto now = std::chrono::steady_clock::now();
      if (now < next || left == 0) return false;
      const auto workers = childrenOf(::getpid());
      if (workers.empty()) return false;
      next = now + milliseconds(random() % 20);
      ::kill(workers[random() % workers.size()], SIGKILL);
      --left;
      ++killed;
      return false;
    });
    if (!outcome.failed.empty()) run(directory, 2);  // three times before the first trial
    EXPECT_EQ(mergedOutcome(directory), wanted) << seed;
  }
  EXPECT_GE(killed, 3);
}

TEST_F(LocalEngineTest, AKilledSweepGoesOnAndItsWorkersEndWithIt) {
  const SweepDirectory directory = begin("s");
  std::mt19937 random(7);
  for (int round = 0; round < 4; ++round) {
    const pid_t child = runElsewhere(directory);
    std::this_thread::sleep_for(milliseconds(30 + random() % 200));
    const auto workers = childrenOf(child);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    for (const pid_t worker : workers) {
      for (int wait = 0; wait < 500 && ::kill(worker, 0) == 0; ++wait) {
        // A dead process that is not reaped stays as a zombie.
        const auto state = contentOf("/proc/" + std::to_string(worker) + "/stat");
        if (state.find(") Z ") != std::string::npos) break;
        std::this_thread::sleep_for(milliseconds(10));
      }
    }
  }
  EXPECT_THAT(run(directory, 2).failed, IsEmpty());
  EXPECT_EQ(mergedOutcome(directory), expected());
}

TEST_F(LocalEngineTest, AStopEndsTheWorkersAndLeavesTheRestForLater) {
  const SweepDirectory directory = begin("s");
  const LocalOutcome outcome = run(directory, 2, [] { return !childrenOf(::getpid()).empty(); });
  EXPECT_TRUE(outcome.stopped);
  EXPECT_THAT(outcome.failed, IsEmpty());
  EXPECT_THAT(childrenOf(::getpid()), IsEmpty());
  EXPECT_FALSE(directory.unfinished().empty());
  EXPECT_FALSE(run(directory, 2).stopped);
  EXPECT_THAT(directory.unfinished(), IsEmpty());
}

TEST_F(LocalEngineTest, AWorkerThatFailsIsReportedWithItsLogAndNotRunAgain) {
  const SweepDirectory directory = begin("s");
  directory.prepare(2);
  std::ofstream(directory.pointDirectory(2) / "plumbline.db") << std::string(8192, 'x');
  LocalOutcome outcome;
  ASSERT_NO_THROW(outcome = run(directory, 2));
  EXPECT_THAT(outcome.failed, ElementsAre(2));
  EXPECT_THAT(said_, Contains(HasSubstr("point 3, latency 600ns, frame_sizes 256B failed with exit "
                                        "code 3; see ")));
  EXPECT_THAT(contentOf(directory.logFile(2)), HasSubstr("not a database"));
  EXPECT_THAT(directory.unfinished(), ElementsAre(2));
}

TEST_F(LocalEngineTest, APointWhoseWorkersAlwaysDieIsGivenUp) {
  // A trial takes so long that every worker is killed before it can have stored one.
  std::string slow = kScenario;
  slow.replace(slow.find("400us"), 5, "400ms");
  const SweepDirectory directory = begin("s", slow);
  const LocalOutcome outcome = run(directory, 1, [] {
    for (const pid_t worker : childrenOf(::getpid())) ::kill(worker, SIGKILL);
    return false;
  });
  // In which order depends on where the last kills strike.
  EXPECT_THAT(outcome.failed, UnorderedElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(said_, Contains(HasSubstr("killed 3 times without a finished trial")));
}

TEST_F(LocalEngineTest, TwoSweepsCannotUseOneDirectory) {
  const SweepDirectory directory = begin("s");
  bool refused = false;
  run(directory, 1, [&] {
    try {
      if (!refused) runLocally(directory, {.workers = 1, .stop_requested = {}, .say = {}});
    } catch (const Error& e) {
      refused = e.kind() == ErrorKind::kUsage;
    }
    return false;
  });
  EXPECT_TRUE(refused);
}

}  // namespace
}  // namespace plumbline::sweep
