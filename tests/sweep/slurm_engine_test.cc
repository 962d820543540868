// Slurm: the script and the submission, against a stub of its commands that runs the tasks one
// after the other; and the same on a real Slurm of one node where it is installed.
#include "sweep/slurm_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/error.h"
#include "base/shell_words.h"
#include "sweep/subprocess.h"
#include "tests/sweep/slurm_node.h"
#include "tests/sweep/sweep_fixture.h"

namespace plumbline::sweep {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// Runs the tasks of the array one after the other, as a cluster with one processor would.
constexpr const char* kStubSbatch = R"(#!/bin/sh
here=$(dirname "$0")
echo "$@" >> "$here/sbatch.txt"
if [ -f "$here/refuse" ]; then echo "sbatch: error: Invalid partition" >&2; exit 1; fi
for word; do case $word in --array=*) tasks=${word#--array=};; *) script=$word;; esac; done
for part in $(echo "${tasks%\%*}" | tr , ' '); do
  for task in $(seq "${part%-*}" "${part#*-}"); do
    [ -f "$here/only-submit" ] || SLURM_ARRAY_TASK_ID=$task sh "$script" > "$here/task.txt" 2>&1
  done
done
echo "17;cluster"
)";

constexpr const char* kStubSqueue = R"(#!/bin/sh
here=$(dirname "$0")
echo "$@" >> "$here/squeue.txt"
if [ -f "$here/pending" ]; then cat "$here/pending"; exit 0; fi
echo "slurm_load_jobs error: Invalid job id specified" >&2
exit 1
)";

class SlurmStubTest : public SweepFixture {
 protected:
  void SetUp() override {
    path_before_ = std::getenv("PATH");
    std::filesystem::create_directory(path("stub"));
    addStub("sbatch", kStubSbatch);
    addStub("squeue", kStubSqueue);
    ::setenv("PATH", (path("stub").string() + ":" + path_before_).c_str(), 1);
  }
  void TearDown() override { ::setenv("PATH", path_before_.c_str(), 1); }

  void addStub(const std::string& name, const std::string& text) {
    std::ofstream(path("stub") / name) << text;
    std::filesystem::permissions(path("stub") / name, std::filesystem::perms::owner_all);
  }
  void tell(const std::string& name, const std::string& text = {}) {
    std::ofstream(path("stub") / name) << text;
  }
  std::string submitted() { return contentOf(path("stub") / "sbatch.txt"); }

  std::string path_before_;
};

TEST(SlurmArrayTest, IsAsShortAsItGoes) {
  EXPECT_EQ(slurmArray({0}, 0), "1");
  EXPECT_EQ(slurmArray({0, 1, 2, 6}, 0), "1-3,7");
  EXPECT_EQ(slurmArray({1, 3, 4, 998, 999}, 8), "2,4-5,999-1000%8");
}

TEST_F(SlurmStubTest, TheScriptRunsThePointOfItsTask) {
  const SweepDirectory directory = begin("it's a sweep");
  const std::string at = directory.path().string();
  const std::string script = slurmScript(directory);
  EXPECT_THAT(script, testing::StartsWith("#!/bin/sh\n#SBATCH --job-name=plumbline-sweep\n"));
  EXPECT_THAT(script, HasSubstr("#SBATCH --output=\"" + at + "/points/%a/log.txt\"\n"));
  EXPECT_THAT(script, HasSubstr(" sweep --point \"$SLURM_ARRAY_TASK_ID\" --dir '"));
  EXPECT_THAT(script, HasSubstr("/it'\\''s a sweep'\n"));
  const std::string file = write("script.sh", script);
  EXPECT_EQ(runProgram({"sh", "-n", file}).err, "");
}

TEST_F(SlurmStubTest, ADirectoryThatSlurmWouldMisreadIsRefused) {
  EXPECT_THROW(slurmScript(begin("100%")), Error);
  EXPECT_THROW(slurmScript(begin("a\"b")), Error);
}

TEST_F(SlurmStubTest, SubmitsWhatIsNotDoneAndTheTasksMeasureIt) {
  const SweepDirectory directory = begin("it's a sweep");
  measure(directory, 2);
  const SlurmSubmission submission = submitToSlurm(directory, 4);
  EXPECT_EQ(submission.job, "17");
  EXPECT_THAT(submission.points, ElementsAre(0, 1, 3, 4, 5));
  EXPECT_THAT(submitted(), HasSubstr("--parsable --array=1-2,4-6%4 "));
  EXPECT_EQ(contentOf(directory.path() / "slurm-jobs.txt"), "17\n");
  EXPECT_THAT(directory.unfinished(), IsEmpty());
  const SweepDirectory other = begin("other");
  measureAll(other);
  EXPECT_EQ(mergedOutcome(directory), mergedOutcome(other));
  EXPECT_THAT(submitToSlurm(directory, 0).points, IsEmpty());
}

TEST_F(SlurmStubTest, PointsThatSlurmHasAreNotSubmittedTwice) {
  const SweepDirectory directory = begin("s");
  tell("only-submit");
  EXPECT_THAT(submitToSlurm(directory, 0).points, SizeIs(6));
  tell("pending", "2\n3\n6\n");
  EXPECT_THAT(slurmPending(directory), ElementsAre(1, 2, 5));
  EXPECT_THAT(contentOf(path("stub") / "squeue.txt"), HasSubstr("--jobs=17"));
  EXPECT_THAT(submitToSlurm(directory, 0).points, ElementsAre(0, 3, 4));
  // Unknown to Slurm: all unfinished points may be submitted.
  std::filesystem::remove(path("stub") / "pending");
  EXPECT_THAT(submitToSlurm(directory, 0).points, SizeIs(6));
}

TEST_F(SlurmStubTest, WhatSlurmSaysIsPassedOnAndNothingIsNotedDown) {
  const SweepDirectory directory = begin("s");
  tell("refuse");
  try {
    submitToSlurm(directory, 0);
    ADD_FAILURE() << "submitted";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kTester);
    EXPECT_THAT(e.what(), HasSubstr("Slurm refuses: sbatch: error: Invalid partition"));
  }
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "slurm-jobs.txt"));
  std::filesystem::remove(path("stub") / "refuse");
  addStub("sbatch", "#!/bin/sh\necho welcome\n");
  EXPECT_THROW(submitToSlurm(directory, 0), Error);
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "slurm-jobs.txt"));
}

// If the controller does not answer, nothing is submitted.
TEST_F(SlurmStubTest, WithoutAnAnswerNothingIsSubmitted) {
  const SweepDirectory directory = begin("s");
  tell("only-submit");
  submitToSlurm(directory, 0);
  const std::string before = submitted();
  addStub("squeue", "#!/bin/sh\necho 'Unable to contact slurm controller' >&2\nexit 1\n");
  EXPECT_THROW(submitToSlurm(directory, 0), Error);
  EXPECT_EQ(submitted(), before);
}

TEST_F(SlurmStubTest, WithoutSlurmTheMessageSaysWhatToDo) {
  const SweepDirectory directory = begin("s");
  std::filesystem::create_directory(path("empty"));
  ::setenv("PATH", path("empty").c_str(), 1);
  try {
    submitToSlurm(directory, 0);
    ADD_FAILURE() << "submitted";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kUsage);
    EXPECT_THAT(e.what(), HasSubstr("--engine local"));
  }
}

// The script's own child kills the worker: the script's loop starts another.
TEST_F(SlurmStubTest, TheScriptStartsAKilledWorkerAgain) {
  const SweepDirectory directory = begin("s");
  const std::string worker = shellWord(ownProgram().string());
  std::string script = slurmScript(directory);
  const auto at = script.find(worker);
  ASSERT_NE(at, std::string::npos);
  addStub("dies", "#!/bin/sh\necho x >> " + path("attempts").string() + "\n[ $(wc -l < " +
                      path("attempts").string() + ") -ge ${ATTEMPTS} ] || kill -9 $$\n");
  script.replace(at, worker.size(), path("stub").string() + "/dies");
  const std::string file = write("script.sh", script);
  const auto exitWith = [&](const char* attempts) {
    std::filesystem::remove(path("attempts"));
    ::setenv("ATTEMPTS", attempts, 1);
    ::setenv("SLURM_ARRAY_TASK_ID", "1", 1);
    const int code = runProgram({"sh", file}).ended.exit_code;
    ::unsetenv("ATTEMPTS");
    ::unsetenv("SLURM_ARRAY_TASK_ID");
    return code;
  };
  EXPECT_EQ(exitWith("1"), 0);
  EXPECT_EQ(exitWith("3"), 0);
  EXPECT_EQ(contentOf(path("attempts")), "x\nx\nx\n");
  EXPECT_EQ(exitWith("4"), 128 + SIGKILL);
}

class RealSlurmTest : public SweepFixture {
 protected:
  // Until Slurm has no task of the sweep any more.
  static void waitForTasks(const SweepDirectory& directory) {
    for (int wait = 0; wait < 1500 && !slurmPending(directory).empty(); ++wait) {
      std::this_thread::sleep_for(milliseconds(200));
    }
  }
};

TEST_F(RealSlurmTest, MeasuresASweepAndOnlyWhatIsLeftOfIt) {
  const SlurmNode slurm(scratch_.path());
  if (!slurm.missing().empty()) GTEST_SKIP() << slurm.missing();
  const SweepDirectory directory = begin("s");
  measure(directory, 3);
  const SlurmSubmission submission = submitToSlurm(directory, 0);
  EXPECT_THAT(submission.points, ElementsAre(0, 1, 2, 4, 5));
  // Workers that die with the task: Slurm's own way of ending tasks that take too long.
  runProgram({"scancel", "--signal=KILL", submission.job + "_5"});
  EXPECT_THAT(submitToSlurm(directory, 0).points, Not(testing::Contains(3)));
  waitForTasks(directory);
  const SlurmSubmission rest = submitToSlurm(directory, 1);
  if (!rest.points.empty()) waitForTasks(directory);
  ASSERT_THAT(directory.unfinished(), IsEmpty()) << contentOf(directory.logFile(0));
  const SweepDirectory other = begin("other");
  measureAll(other);
  EXPECT_EQ(mergedOutcome(directory), mergedOutcome(other));
}

}  // namespace
}  // namespace plumbline::sweep
