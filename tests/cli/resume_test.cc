// Real measurements on the simulated card: interrupted, killed, resumed, captured, judged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "base/json.h"
#include "results/store.h"
#include "tests/cli/process.h"
#include "tests/results/temp_directory.h"
#include "wire/frame.h"
#include "wire/pcapng.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Many short trials, for interruptions.
constexpr const char* kSweep = R"(plumbline: 1
name: sweep
test: T5.2
dut:
  topology: {kind: switch, hosts: 2}
  switch: {latency: 300ns, buffer: 64KB}
traffic: {transport: udp, frame_sizes: 256B, pairs: [[0, 1]], direction: uni}
parameters: {duration: 20us, drain: 5us, repetitions: 3, resolution: 10%, loads: [20%, 60%]}
seed: 11
)";

class ResumeTest : public testing::Test {
 protected:
  void SetUp() override { scenario_ = write("sweep.yaml", kSweep); }

  std::string write(const std::string& name, const std::string& content) {
    const auto path = scratch_.path() / name;
    std::ofstream(path) << content;
    return path.string();
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (scratch_.path() / name).string();
  }
  std::vector<std::string> runArguments(const std::string& results,
                                        std::vector<std::string> more = {}) {
    std::vector<std::string> all{"run",         scenario_, "--results",
                                 path(results), "--jsonl", path(results + ".jsonl")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::size_t linesOf(const std::string& results) {
    const std::string text = contentOf(path(results + ".jsonl"));
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  // A run that has finished at least `trials` trials and continues.
  std::unique_ptr<Process> started(const std::string& results, std::size_t trials) {
    auto process = std::make_unique<Process>(scratch_.path(), runArguments(results));
    while (linesOf(results) < trials && !process->ended()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return process;
  }
  results::StoredRun stored(const std::string& results) {
    return results::ResultStore::openExisting(path(results)).loadRun(1);
  }
  // Everything that must not depend on how often a run was interrupted.
  std::vector<std::string> outcomeOf(const std::string& results) {
    std::vector<std::string> texts;
    for (const auto& test : stored(results).tests) texts.push_back(test.toJson());
    for (const auto& trial : results::ResultStore::openExisting(path(results)).listTrials(1)) {
      auto json = nlohmann::json::parse(trial.result_json);
      json.erase("wall_seconds");
      texts.push_back(trial.spec_json + json.dump());
    }
    return texts;
  }
  // Resumes `results` and compares with an uninterrupted run.
  void expectResumesToTheSame(const std::string& results, std::size_t kept) {
    const Outcome resumed = plumblineCommand(scratch_.path(), runArguments(results, {"--resume"}));
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_THAT(resumed.err, HasSubstr("going on with run 1"));
    const std::string log = contentOf(path(results + ".jsonl"));
    std::size_t answered = 0;
    for (std::size_t at = 0; (at = log.find("\"stored\":true", at)) != std::string::npos; ++at) {
      ++answered;
    }
    EXPECT_GE(answered, kept);  // no finished trial was measured again

    const Outcome whole = plumblineCommand(scratch_.path(), runArguments("whole"));
    EXPECT_EQ(whole.exit_code, 0) << whole.err;
    EXPECT_EQ(outcomeOf(results), outcomeOf("whole"));
    EXPECT_EQ(stored(results).info.status, results::RunStatus::kDone);
  }

  TempDirectory scratch_;
  std::string scenario_;
};

TEST_F(ResumeTest, CtrlCFinishesTheTrialSavesAndSaysHowToGoOn) {
  const auto process = started("interrupted", 3);
  ASSERT_FALSE(process->ended()) << process->wait().err;
  process->signal(SIGINT);
  const Outcome outcome = process->wait();
  EXPECT_EQ(outcome.exit_code, 5) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("plumbline run " + scenario_ + " --resume"));
  EXPECT_EQ(stored("interrupted").info.status, results::RunStatus::kAborted);
  const std::size_t kept = stored("interrupted").info.trials;
  EXPECT_EQ(kept, linesOf("interrupted"));
  expectResumesToTheSame("interrupted", kept);
}

// Both signals are pending when the process continues: no trial can end in between.
TEST_F(ResumeTest, ASecondSignalEndsAtOnceWithEveryFinishedTrialSaved) {
  const auto process = started("signalled", 3);
  ASSERT_FALSE(process->ended()) << process->wait().err;
  const std::size_t finished = linesOf("signalled");
  for (const int signal : {SIGSTOP, SIGTERM, SIGINT, SIGCONT}) process->signal(signal);
  const Outcome outcome = process->wait();
  EXPECT_EQ(outcome.exit_code, 5) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("finishing the trial in hand"));
  EXPECT_THAT(outcome.err, HasSubstr("everything but the trial in hand is saved"));
  const std::size_t kept = stored("signalled").info.trials;
  EXPECT_GE(kept, finished);
  expectResumesToTheSame("signalled", kept);
}

TEST_F(ResumeTest, TheCommandToGoOnHasTheLimitOfMemory) {
  Process process(scratch_.path(), runArguments("limited", {"--max-memory", "3 GB"}));
  while (linesOf("limited") < 1 && !process.ended()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  process.signal(SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 5) << outcome.err;
  EXPECT_THAT(outcome.err,
              HasSubstr("plumbline run " + scenario_ + " --resume --max-memory '3 GB'"));
}

TEST_F(ResumeTest, Kill9LosesAtMostTheTrialInHand) {
  const auto process = started("killed", 3);
  ASSERT_FALSE(process->ended()) << process->wait().err;
  const std::size_t finished = linesOf("killed");
  process->signal(SIGKILL);
  EXPECT_EQ(process->wait().signal, SIGKILL);
  EXPECT_EQ(stored("killed").info.status, results::RunStatus::kRunning);
  const std::size_t kept = stored("killed").info.trials;
  EXPECT_GE(kept, finished);
  expectResumesToTheSame("killed", kept);
}

// Both benches have the same trials: each keeps its own, and does not reuse the other's.
TEST_F(ResumeTest, AComparisonResumesOnBothBenches) {
  const std::vector<std::string> compare{"--bench", "compare"};
  {
    Process process(scratch_.path(), runArguments("both", compare));
    while (linesOf("both") < 12 && !process.ended()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    process.signal(SIGKILL);
    ASSERT_EQ(process.wait().signal, SIGKILL);
  }
  const std::size_t kept = stored("both").info.trials;
  const Outcome resumed = plumblineCommand(
      scratch_.path(), runArguments("both", {"--resume", "--bench", "compare", "--tables"}));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("going on with run 1"));
  const std::string log = contentOf(path("both.jsonl"));
  const auto count = [&](const std::string& text) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = log.find(text, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  EXPECT_GE(count("\"stored\":true"), kept);  // no finished trial was measured again
  EXPECT_EQ(count("\"bench\":\"rtl\""), count("\"bench\":\"sim\""));
  EXPECT_THAT(resumed.out, HasSubstr("Both benches side by side"));
  const std::string html = contentOf(path("both") + "/run-1/report.html");
  for (const char* part : {"Both benches side by side", "Bench (rtl)", "Bench (sim)"}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
  ASSERT_EQ(plumblineCommand(scratch_.path(), runArguments("whole", compare)).exit_code, 0);
  EXPECT_EQ(stored("both").tests.at(0).toJson(), stored("whole").tests.at(0).toJson());
}

TEST_F(ResumeTest, ARunThatIsDoneIsNotResumed) {
  ASSERT_EQ(plumblineCommand(scratch_.path(), runArguments("twice")).exit_code, 0);
  const Outcome again = plumblineCommand(scratch_.path(), runArguments("twice", {"--resume"}));
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.err, HasSubstr("nothing to resume"));
  EXPECT_EQ(results::ResultStore::openExisting(path("twice")).listRuns().size(), 2u);
}

TEST_F(ResumeTest, TwoProcessesCannotGoOnWithOneRun) {
  const auto process = started("shared", 1);
  ASSERT_FALSE(process->ended());
  const TempDirectory elsewhere;  // for the second one's output
  const Outcome second = plumblineCommand(
      elsewhere.path(), {"run", scenario_, "--resume", "--results", path("shared")});
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_THAT(second.err, HasSubstr("another process is working on run"));
}

TEST_F(ResumeTest, LimitsMakeTheVerdict) {
  const auto exitWith = [&](const std::string& limits) {
    const auto file = write("limited.yaml", std::string(kSweep) + limits);
    return plumblineCommand(scratch_.path(), {"run", file, "--results", path("limited")});
  };
  const Outcome met = exitWith("limits: {latency_max_ns: 1000000, loss_ppm: 0}\n");
  EXPECT_EQ(met.exit_code, 0) << met.err;
  EXPECT_THAT(met.out, HasSubstr("limit loss_ppm at most 0: met"));
  const Outcome missed = exitWith("limits: {latency_min_ns: 1}\n");
  EXPECT_EQ(missed.exit_code, 1) << missed.err;
  EXPECT_THAT(missed.out, HasSubstr("limit latency_min_ns at most 1: MISSED"));
  EXPECT_EQ(results::ResultStore::openExisting(path("limited")).loadRun(2).info.status,
            results::RunStatus::kDone);
}

// The frame that `plan` shows is the frame that the card sends, except for the time in its tag.
TEST_F(ResumeTest, ThePlannedFrameIsTheCapturedFrame) {
  ASSERT_EQ(plumblineCommand(scratch_.path(), {"plan", scenario_, "--pcapng", path("plan.pcapng")})
                .exit_code,
            0);
  ASSERT_EQ(
      plumblineCommand(scratch_.path(), runArguments("captured", {"--capture", path("run.pcapng")}))
          .exit_code,
      0);
  const auto firstSent = [&](const std::string& name) {
    const std::string text = contentOf(path(name));
    const std::vector<std::uint8_t> file(text.begin(), text.end());
    wire::PcapngReader reader(file);
    while (const auto packet = reader.next()) {
      if (packet->direction == wire::PacketDirection::kOutbound) {
        return wire::Buffer(packet->bytes.begin(), packet->bytes.end());
      }
    }
    return wire::Buffer();
  };
  const auto withoutTime = [](wire::Buffer frame) {
    const auto decoded = wire::decodeFrame(frame);
    EXPECT_TRUE(decoded.ok() && decoded.fcs && decoded.fcs->ok() && decoded.tag);
    const std::size_t departure = decoded.offsets.payload + 12;
    std::fill_n(frame.begin() + static_cast<std::ptrdiff_t>(departure), 6, std::uint8_t{0});
    frame.resize(frame.size() - wire::kFcsSize);  // covers the time
    return frame;
  };
  const auto planned = firstSent("plan.pcapng");
  const auto captured = firstSent("run.pcapng");
  ASSERT_FALSE(planned.empty());
  ASSERT_FALSE(captured.empty());
  EXPECT_EQ(withoutTime(planned), withoutTime(captured));
}

TEST_F(ResumeTest, TheSelftestPasses) {
  const Outcome outcome = plumblineCommand(scratch_.path(), {"selftest"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("The tester is sound"));
}

}  // namespace
}  // namespace plumbline
