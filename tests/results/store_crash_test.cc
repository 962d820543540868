// Effect of killing the process on the store: a child writes trials, is killed with SIGKILL in the
// middle, and all trials that were reported as stored must be there.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "results/store.h"
#include "tests/results/temp_directory.h"

namespace plumbline::results {
namespace {

std::string specOf(std::uint32_t i) { return "{\"trial\":" + std::to_string(i) + "}"; }
std::string resultOf(std::uint32_t i) {
  return std::string(20'000, static_cast<char>('a' + i % 26)) + std::to_string(i);
}

RunIdentity identity() { return {"crash", "crash.yaml", "text", "rtl", "quick", 1}; }

// Never returns; writes the number of each trial to `report` after the store has returned.
[[noreturn]] void writeForever(const std::filesystem::path& directory, int report) {
  auto store = ResultStore::open(directory);
  const auto before = store.latestUnfinished(identity());
  const std::int64_t run = before ? before->id : store.createRun(identity(), "test", "here");
  for (auto i = static_cast<std::uint32_t>(store.listTrials(run).size());; ++i) {
    store.saveTrial(run, specOf(i), 0, "trial", resultOf(i));
    if (::write(report, &i, sizeof i) != sizeof i) ::_exit(1);
  }
}

TEST(StoreCrash, Kill9LosesAtMostTheTrialInHand) {
  const TempDirectory directory;
  std::size_t stored_before = 0;
  // Different moments, so that the kill falls into different phases of a transaction.
  for (const int delay_us : {0, 137, 811, 1531, 2903, 4721}) {
    int channel[2];
    ASSERT_EQ(::pipe(channel), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(channel[0]);
      writeForever(directory.path(), channel[1]);
    }
    ::close(channel[1]);
    std::uint32_t last = 0;
    for (int i = 0; i < 10; ++i)
      ASSERT_EQ(::read(channel[0], &last, sizeof last), ssize_t{sizeof last});
    std::this_thread::sleep_for(std::chrono::microseconds(delay_us));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself";
    std::uint32_t next = 0;
    while (::read(channel[0], &next, sizeof next) == ssize_t{sizeof next}) last = next;
    ::close(channel[0]);

    auto store = ResultStore::openExisting(directory.path());
    const auto run = store.latestUnfinished(identity());
    ASSERT_TRUE(run.has_value());
    EXPECT_EQ(run->status, RunStatus::kRunning);
    const auto trials = store.listTrials(run->id);
    // The current trial may have been committed before its number could be reported.
    EXPECT_GE(trials.size(), last + 1u);
    EXPECT_LE(trials.size(), last + 2u);
    EXPECT_GE(trials.size(), stored_before + 10);
    stored_before = trials.size();
    for (std::uint32_t i = 0; i < trials.size(); ++i) {
      EXPECT_EQ(trials[i].spec_json, specOf(i));
      EXPECT_EQ(trials[i].result_json, resultOf(i));
      EXPECT_EQ(store.findTrial(run->id, specOf(i), 0), resultOf(i));
    }
    EXPECT_EQ(store.listRuns().size(), 1u);  // each child continued the run of the previous one
  }
}

TEST(StoreCrash, TheLockOfAKilledProcessIsFree) {
  const TempDirectory directory;
  int channel[2];
  ASSERT_EQ(::pipe(channel), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const RunLock lock(directory.path(), 1);
    if (::write(channel[1], "x", 1) != 1) ::_exit(1);
    ::pause();
    ::_exit(1);
  }
  char byte = 0;
  ASSERT_EQ(::read(channel[0], &byte, 1), 1);
  EXPECT_ANY_THROW(RunLock(directory.path(), 1));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(RunLock(directory.path(), 1));
  ::close(channel[0]);
  ::close(channel[1]);
}

}  // namespace
}  // namespace plumbline::results
