// `sweep` and `results merge` from the users' point of view: exit codes, messages, remaining files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "base/json.h"
#include "tests/cli/process.h"
#include "tests/results/temp_directory.h"

namespace plumbline {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::string kSweep = R"(plumbline: 1
name: small
test: T5.3
bench: sim
dut: {topology: {kind: switch, hosts: 3}, switch: {forwarding: store-and-forward}}
traffic: {transport: udp, frame_sizes: 1000B}
parameters: {incast_ratios: 2, max_burst: 512, repetitions: 2}
sweep:
  dut.switch.buffer: [10KB, 40KB]
  traffic.priority: [1, 2]
)";

class SweepCommandTest : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    std::ofstream(scratch_.path() / "small.yaml") << text;
    return (scratch_.path() / "small.yaml").string();
  }
  Outcome command(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--results", (scratch_.path() / "results").string()});
    return plumblineCommand(scratch_.path(), arguments);
  }
  Outcome sweep(const std::string& text, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"sweep", write(text), "-j", "2", "--tables"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return command(arguments);
  }
  Outcome status() { return plumblineCommand(scratch_.path(), {"sweep", "--status", directory()}); }
  Outcome merge(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"results", "merge", directory(), "--tables"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return plumblineCommand(scratch_.path(), arguments);
  }
  [[nodiscard]] std::string directory() const {
    return (scratch_.path() / "results" / "sweep-small").string();
  }

  TempDirectory scratch_;
};

// N senders of frames of L bytes to one port with a buffer of B bytes: two phases are possible,
// floor((floor(B / L) - 1) / (N - 1)) and floor(floor(B / L) / (N - 1)); here 9 or 10, and 39
// or 40.
TEST_F(SweepCommandTest, MeasuresMergesAndReports) {
  const Outcome outcome = sweep(kSweep);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("4 points in " + directory()));
  EXPECT_THAT(outcome.err, HasSubstr("4 of 4 points are done: point "));
  EXPECT_THAT(outcome.out, HasSubstr("4 points of a sweep over dut.switch.buffer (2 values), "
                                     "traffic.priority (2 values)."));
  EXPECT_THAT(outcome.out, HasSubstr("burst_frames [frames]\n"));
  EXPECT_THAT(outcome.out, ContainsRegex("10KB +1 +1000 B, 2:1 +(9|9.5|10)(.0)?\n"));
  EXPECT_THAT(outcome.out, ContainsRegex("40KB +2 +1000 B, 2:1 +(39|39.5|40)(.0)?\n"));
  const std::string html = contentOf(directory() + "/merged/run-1/report.html");
  // Of the switch, all but the buffer is the same in every point.
  for (const char* part : {"burst_frames over dut.switch.buffer", "Swept: dut.switch.buffer",
                           "The fabric is simulated.", "<th>Forwarding latency</th>"}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
  EXPECT_THAT(html, Not(HasSubstr("<th>Buffer per port</th>")));
  const Outcome exported = plumblineCommand(
      scratch_.path(), {"results", "export", "--results", directory() + "/merged"});
  const auto json = nlohmann::json::parse(exported.out);
  EXPECT_EQ(json["tests"][0]["kpis"].size(), 4U);
  EXPECT_EQ(json["scenario"], kSweep);

  EXPECT_EQ(status().exit_code, 0);
  EXPECT_THAT(status().out, HasSubstr("4 of 4 points are done"));
  const Outcome again = sweep(kSweep);
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.err, HasSubstr("4 of 4 points are done already"));
  EXPECT_EQ(again.out, outcome.out);
}

TEST_F(SweepCommandTest, LimitsAreJudgedOverAllPoints) {
  EXPECT_EQ(sweep(kSweep + "limits: {burst_frames: 9}\n").exit_code, 0);
  std::filesystem::remove_all(directory());
  const Outcome missed = sweep(kSweep + "limits: {burst_frames: 30}\n");
  EXPECT_EQ(missed.exit_code, 1) << missed.err;
  EXPECT_THAT(missed.out, HasSubstr("limit burst_frames at least 30: MISSED"));
  EXPECT_THAT(missed.out, HasSubstr("T5.3, buffer 10KB, priority "));
}

// Two at a time may take half of the memory each: points that need more are refused before the
// first one runs.
TEST_F(SweepCommandTest, PointsAtATimeShareTheMemory) {
  std::string large = kSweep;
  large.replace(large.find("hosts: 3"), 8, "hosts: 4000");
  const Outcome shared = sweep(large, {"--max-memory", "300MB"});
  EXPECT_EQ(shared.exit_code, 2);
  EXPECT_THAT(shared.err, HasSubstr("each of 2 points at a time may take 150 MB (--max-memory; "
                                    "fewer --jobs have more each)"));
  EXPECT_FALSE(std::filesystem::exists(directory()));
}

TEST_F(SweepCommandTest, AChangedScenarioIsRefused) {
  ASSERT_EQ(sweep(kSweep).exit_code, 0);
  const Outcome changed = sweep(kSweep + "seed: 2\n");
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_THAT(changed.err, HasSubstr("before it was changed"));
  EXPECT_EQ(sweep(kSweep, {"--seed", "2"}).exit_code, 2);
  EXPECT_EQ(sweep(kSweep + "seed: 2\n", {"--dir", directory() + "-2"}).exit_code, 0);
}

TEST_F(SweepCommandTest, UnfinishedSweepsSaySoAndMergeOnlyInPart) {
  ASSERT_EQ(sweep(kSweep).exit_code, 0);
  std::filesystem::remove_all(directory() + "/points/3");
  const Outcome unfinished = status();
  EXPECT_EQ(unfinished.exit_code, 5);
  EXPECT_THAT(unfinished.out, ContainsRegex("3 +buffer 40KB, priority 1 +waiting +0\n"));
  EXPECT_THAT(unfinished.out, HasSubstr("3 of 4 points are done"));
  const Outcome refused = merge();
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("1 of 4 points are not done: 3"));
  const Outcome partial = merge({"--partial"});
  EXPECT_EQ(partial.exit_code, 4) << partial.err;
  EXPECT_THAT(partial.out, HasSubstr("the point was not measured (buffer 40KB, priority 1)"));
  EXPECT_EQ(sweep(kSweep).exit_code, 0);
  EXPECT_EQ(merge().exit_code, 0);
}

// The sweep and its workers end after their current trials, and finished ones are kept.
TEST_F(SweepCommandTest, CtrlCEndsItAndTheSameCommandGoesOn) {
  const std::string file = write(kSweep);
  Process process(scratch_.path(), {"sweep", file, "-j", "1", "--dir", directory()});
  while (!std::filesystem::exists(directory() + "/points/1") && !process.ended()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  process.signal(SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 5) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("the same command goes on with it"));
  EXPECT_EQ(status().exit_code, 5);
  EXPECT_EQ(sweep(kSweep).exit_code, 0);
}

TEST_F(SweepCommandTest, OtherVerbsKnowWhatASweepIs) {
  const std::string file = write(kSweep);
  EXPECT_THAT(command({"run", file}).err, HasSubstr("the scenario is a sweep"));
  EXPECT_EQ(command({"run", file}).exit_code, 2);
  const Outcome valid = plumblineCommand(scratch_.path(), {"validate", file});
  EXPECT_EQ(valid.exit_code, 0);
  EXPECT_THAT(valid.out, HasSubstr("valid, a sweep of 4 points that can all run"));
  const Outcome plan = plumblineCommand(scratch_.path(), {"plan", file});
  EXPECT_EQ(plan.exit_code, 0);
  EXPECT_THAT(plan.out, HasSubstr("  - buffer 40KB, priority 2: "));
  EXPECT_THAT(plan.out, HasSubstr("small: 4 points, about "));
  const std::string refused = write(kSweep + "  parameters.incast_ratios: [2, 3]\n");
  EXPECT_EQ(plumblineCommand(scratch_.path(), {"validate", refused}).exit_code, 2);
}

TEST_F(SweepCommandTest, BadCommandLines) {
  const auto expectUsage = [&](std::vector<std::string> arguments, const std::string& message) {
    const Outcome outcome = command(std::move(arguments));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(message));
  };
  const std::string file = write(kSweep);
  expectUsage({"sweep"}, "one of a scenario, --status and --point is needed");
  expectUsage({"sweep", file, "--status", directory()}, "one of a scenario");
  expectUsage({"sweep", file, "-j", "0"}, "--jobs: 0 is out of range (1 to ");
  expectUsage({"sweep", file, "--engine", "carrier-pigeon"}, "--engine");
  expectUsage({"sweep", "--point", "1"}, "--dir");
  expectUsage({"sweep", "--status", directory()}, "there is no sweep here");
  EXPECT_EQ(merge().exit_code, 2);
  const std::string plain = write(kSweep.substr(0, kSweep.find("sweep:")));
  expectUsage({"sweep", plain}, "is no sweep");
  EXPECT_FALSE(std::filesystem::exists(directory()));
  const std::string path = std::getenv("PATH");
  write(kSweep);
  ::setenv("PATH", scratch_.path().c_str(), 1);
  expectUsage({"sweep", file, "--engine", "slurm"}, "there is no Slurm on this machine");
  ::setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace plumbline
