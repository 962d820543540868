#include "cli/stored_trial_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/cli/fake_bench.h"
#include "tests/results/temp_directory.h"

namespace plumbline::cli {
namespace {

bench::TrialSpec specOf(std::int64_t duration_us) {
  bench::TrialSpec spec;
  spec.duration = microseconds(duration_us);
  return spec;
}

// A result that tells which trial it is of.
bench::TrialResult resultOf(const bench::TrialSpec& spec) {
  bench::TrialResult result;
  result.bench = "fake";
  bench::StreamResult stream;
  stream.name = "s";
  stream.sent_frames = static_cast<std::uint64_t>(spec.duration.count());
  stream.lost = 1;
  result.streams = {stream};
  return result;
}

class StoredTrialRunnerTest : public testing::Test {
 protected:
  StoredTrialRunner runner(StoredTrialRunner::Options options = {}) {
    return {{store_, run_, bench_, progress_, interrupt_}, std::move(options)};
  }

  TempDirectory directory_;
  results::ResultStore store_ = results::ResultStore::open(directory_.path());
  std::int64_t run_ = store_.createRun({"n", "f", "t", "fake", "quick", 1}, "", "");
  FakeBench bench_{resultOf};
  Progress progress_{stderr, Progress::Style::kQuiet};
  InterruptGuard interrupt_;
};

TEST_F(StoredTrialRunnerTest, AnswersFromTheStoreWhatItHasMeasured) {
  const auto first = runner().run(specOf(5), 0, "a");
  EXPECT_EQ(bench_.runs, 1);
  const auto again = runner().run(specOf(5), 0, "another label");
  EXPECT_EQ(bench_.runs, 1);
  EXPECT_EQ(again.toJson(), first.toJson());
  runner().run(specOf(5), 1, "a");  // another repetition is another trial
  runner().run(specOf(6), 0, "a");
  EXPECT_EQ(bench_.runs, 3);
  EXPECT_EQ(store_.listTrials(run_).size(), 3u);
}

TEST_F(StoredTrialRunnerTest, AFailedTrialIsNotStored) {
  FakeBench broken([](const bench::TrialSpec&) -> bench::TrialResult {
    throw Error(ErrorKind::kTester, "card on fire");
  });
  StoredTrialRunner runner({store_, run_, broken, progress_, interrupt_}, {});
  EXPECT_THROW(runner.run(specOf(5), 0, "a"), Error);
  EXPECT_TRUE(store_.listTrials(run_).empty());
}

TEST_F(StoredTrialRunnerTest, AnInterruptStopsBeforeTheNextTrial) {
  auto trials = runner();
  trials.run(specOf(5), 0, "a");
  std::raise(SIGINT);
  EXPECT_TRUE(interrupt_.requested());
  EXPECT_THROW(trials.run(specOf(6), 0, "b"), Aborted);
  EXPECT_EQ(bench_.runs, 1);
  EXPECT_EQ(store_.listTrials(run_).size(), 1u);
}

TEST_F(StoredTrialRunnerTest, AnInterruptDuringATrialKeepsItsResult) {
  FakeBench interrupted([](const bench::TrialSpec& spec) {
    std::raise(SIGTERM);
    return resultOf(spec);
  });
  StoredTrialRunner runner({store_, run_, interrupted, progress_, interrupt_}, {});
  EXPECT_EQ(runner.run(specOf(5), 0, "a").streams.size(), 1u);
  EXPECT_EQ(store_.listTrials(run_).size(), 1u);
}

TEST_F(StoredTrialRunnerTest, ASecondInterruptEndsTheProcessAsAborted) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      testing::ExitedWithCode(5), "ended at once");
}

TEST_F(StoredTrialRunnerTest, CapturingDoesNotChangeTheKey) {
  std::vector<std::string> captured;
  StoredTrialRunner::Options options;
  options.capture_port = 1;
  options.captured = [&](const card::CapturedFrame& frame, const std::string& trial) {
    EXPECT_EQ(frame.port, 1u);
    captured.push_back(trial);
  };
  auto capturing = runner(options);
  capturing.beginTest("T5.2", 1);
  capturing.run(specOf(5), 2, "64 B");
  EXPECT_EQ(bench_.last_spec.capture_port, 1u);
  EXPECT_THAT(captured, testing::ElementsAre("T5.2, 64 B, repetition 2"));
  runner().run(specOf(5), 2, "64 B");
  EXPECT_EQ(bench_.runs, 1);
}

TEST_F(StoredTrialRunnerTest, EveryTrialIsReported) {
  std::vector<std::string> seen;
  StoredTrialRunner::Options options;
  options.answered = [&](const TrialRecord& record) {
    seen.push_back(record.test + "/" + record.label + "/" + std::to_string(record.repetition) +
                   (record.stored ? " stored" : " measured"));
    EXPECT_EQ(record.result.streams.size(), 1u);
  };
  auto trials = runner(options);
  trials.beginTest("T5.1", 2);
  trials.run(specOf(5), 0, "a");
  trials.run(specOf(5), 0, "a");
  EXPECT_THAT(seen, testing::ElementsAre("T5.1/a/0 measured", "T5.1/a/0 stored"));
}

TEST(TrialInWords, NamesLossLatencyAndDoubt) {
  bench::TrialResult result;
  EXPECT_EQ(trialInWords(result), "loss 0 ppm");
  bench::StreamResult stream;
  stream.sent_frames = 4'000'000;
  stream.lost = 2;
  result.streams = {stream, stream};
  bench::GroupLatency group;
  group.histogram.record(1'250'000, 10);
  result.latency = {group};
  EXPECT_EQ(trialInWords(result), "loss 0.5 ppm, P99 1.25 µs");
  result.faults = {"late start"};
  EXPECT_EQ(trialInWords(result), "loss 0.5 ppm, P99 1.25 µs, NOT VALID");
}

}  // namespace
}  // namespace plumbline::cli
