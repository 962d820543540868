#include "session/stored_trial_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/work.h"
#include "bench/trial/trial_beginning.h"
#include "tests/results/temp_directory.h"
#include "tests/session/fake_bench.h"

namespace plumbline::session {
namespace {

bench::TrialSpec specOf(std::int64_t duration_us) {
  bench::TrialSpec spec;
  spec.duration = microseconds(duration_us);
  return spec;
}

// A result that identifies its trial.
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

// Records its notifications.
class FakeWatcher final : public RunWatcher {
 public:
  bool stopRequested() override { return stop; }
  void captured(const card::CapturedFrame& frame, const std::string& trial) override {
    EXPECT_EQ(frame.port, 1u);
    seen.push_back(trial);
  }
  void endTrial(const TrialRecord& record) override {
    EXPECT_EQ(record.result.streams.size(), 1u);
    EXPECT_EQ(static_cast<std::uint64_t>(record.spec.duration.count()),
              record.result.streams[0].sent_frames);
    seen.push_back(record.test + "/" + record.label + "/" + std::to_string(record.repetition) +
                   (record.stored ? " stored" : " measured"));
  }

  bool stop = false;
  std::vector<std::string> seen;
};

class StoredTrialRunnerTest : public testing::Test {
 protected:
  StoredTrialRunner runner(std::optional<std::uint32_t> capture_port = {}) {
    return StoredTrialRunner({store_, run_, bench_, watcher_}, capture_port);
  }

  TempDirectory directory_;
  results::ResultStore store_ = results::ResultStore::open(directory_.path());
  std::int64_t run_ = store_.createRun({"n", "f", "t", "fake", "quick", 1}, "", "");
  FakeBench bench_{resultOf};
  FakeWatcher watcher_;
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
  StoredTrialRunner runner({store_, run_, broken, watcher_});
  EXPECT_THROW(runner.run(specOf(5), 0, "a"), Error);
  EXPECT_TRUE(store_.listTrials(run_).empty());
}

TEST_F(StoredTrialRunnerTest, AStopComesBeforeTheNextTrial) {
  auto trials = runner();
  trials.run(specOf(5), 0, "a");
  watcher_.stop = true;
  EXPECT_THROW(trials.run(specOf(6), 0, "b"), Aborted);
  EXPECT_EQ(bench_.runs, 1);
  EXPECT_EQ(store_.listTrials(run_).size(), 1u);
}

TEST_F(StoredTrialRunnerTest, AStopDuringATrialKeepsItsResult) {
  FakeBench stopping([this](const bench::TrialSpec& spec) {
    watcher_.stop = true;
    return resultOf(spec);
  });
  StoredTrialRunner runner({store_, run_, stopping, watcher_});
  EXPECT_EQ(runner.run(specOf(5), 0, "a").streams.size(), 1u);
  EXPECT_EQ(store_.listTrials(run_).size(), 1u);
}

// While a bench still waits for others there is no result to keep.
TEST_F(StoredTrialRunnerTest, AStopWhileATrialConnectsEndsIt) {
  FakeBench connecting([this](const bench::TrialSpec& spec) {
    watcher_.stop = true;
    EXPECT_NO_THROW(checkWork());
    const bench::TrialBeginning beginning;
    checkWork();
    return resultOf(spec);
  });
  StoredTrialRunner runner({store_, run_, connecting, watcher_});
  EXPECT_THROW(runner.run(specOf(5), 0, "a"), Aborted);
  EXPECT_TRUE(store_.listTrials(run_).empty());
}

TEST_F(StoredTrialRunnerTest, CapturingDoesNotChangeTheKey) {
  auto capturing = runner(1);
  capturing.beginTest("T5.2", 1);
  capturing.run(specOf(5), 2, "64 B");
  EXPECT_EQ(bench_.last_spec.capture_port, 1u);
  EXPECT_THAT(watcher_.seen,
              testing::ElementsAre("T5.2, 64 B, repetition 2", "T5.2/64 B/2 measured"));
  runner().run(specOf(5), 2, "64 B");
  EXPECT_EQ(bench_.runs, 1);
}

TEST_F(StoredTrialRunnerTest, TheNameOfACapturedTrialHasItsRepetitionOnce) {
  auto capturing = runner(1);
  capturing.beginTest("free", 1);
  capturing.run(specOf(5), 1, "repetition 1");
  capturing.run(specOf(6), 1, "ring, repetition 1");
  EXPECT_THAT(watcher_.seen, testing::ElementsAre("free, repetition 1", testing::_,
                                                  "free, ring, repetition 1", testing::_));
}

TEST_F(StoredTrialRunnerTest, EveryTrialIsReported) {
  auto trials = runner();
  trials.beginTest("T5.1", 2);
  trials.run(specOf(5), 0, "a");
  trials.run(specOf(5), 0, "a");
  EXPECT_THAT(watcher_.seen, testing::ElementsAre("T5.1/a/0 measured", "T5.1/a/0 stored"));
}

TEST(TrialInWords, NamesLossLatencyAndDoubt) {
  bench::TrialResult result;
  EXPECT_EQ(trialInWords(result), "loss not observed");
  bench::StreamResult stream;
  stream.sent_frames = 4'000'000;
  stream.lost = 2;
  result.streams = {stream, stream};
  bench::GroupLatency group;
  group.histogram.record(1'250'000, 10);
  result.latency = {group};
  EXPECT_EQ(trialInWords(result), "loss 0.5 ppm, P99 1.25 µs (of 10)");
  result.faults = {"late start"};
  EXPECT_EQ(trialInWords(result), "loss 0.5 ppm, P99 1.25 µs (of 10), NOT VALID");
}

// Messages of simulated hosts: sent once and lost as the table of the result has them, beside a
// stream of 100 frames that are counted with them.
TEST(TrialInWords, CountsThePacketsOfMessages) {
  bench::TrialResult result;
  result.streams.emplace_back().sent_frames = 100;
  bench::FabricResult& fabric = result.fabric.emplace();
  fabric.jobs.emplace_back();
  fabric.endpoints.data_sent = 1100;
  fabric.endpoints.retransmitted = 100;
  fabric.endpoints.latency.record(2'000'000, 10);
  EXPECT_EQ(lossesOf(result), std::nullopt);  // of an older program
  fabric.data_lost = 3;
  EXPECT_EQ(trialInWords(result), "loss 3000 ppm, P99 2 µs (of 10)");
  EXPECT_EQ(lossesOf(result)->sent, 1000U);
  EXPECT_EQ(lossesOf(result)->lost, 3U);
  fabric.fast_forward.emplace();
  EXPECT_EQ(lossesOf(result), std::nullopt);
}

}  // namespace
}  // namespace plumbline::session
