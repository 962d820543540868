// Programs and files with a DUT's metrics, and a run of a soak that uses one.
#include "session/dut_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/error.h"
#include "session/run.h"
#include "session/run_watcher.h"
#include "tests/results/temp_directory.h"

namespace plumbline::session {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class DutSource : public testing::Test {
 protected:
  std::string ask(std::vector<std::string> command, std::chrono::milliseconds max = kMaxDutTime) {
    return queryDutMetrics(asking({std::move(command), {}}), seconds(90), max);
  }
  std::string askFile(const std::string& name) {
    return queryDutMetrics(asking({{}, name}), std::nullopt);
  }
  [[nodiscard]] scenario::Scenario asking(scenario::DutMetricsSource source) const {
    scenario::Scenario asking;
    asking.file = scenario();
    asking.dut_metrics = std::move(source);
    return asking;
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() / name) << text;
  }
  void writeProgram(const std::string& name, const std::string& script) {
    write(name, "#!/bin/sh\n" + script);
    fs::permissions(folder_.path() / name, fs::perms::owner_all);
  }
  [[nodiscard]] std::string scenario() const { return (folder_.path() / "s.yaml").string(); }

  TempDirectory folder_;
};

TEST_F(DutSource, IsAProgramInTheScenariosFolderThatKnowsTheTime) {
  writeProgram("ask.sh", "echo \"memory,$PLUMBLINE_TIME_S\"; echo \"$1,2\"; pwd >&2\n");
  EXPECT_EQ(ask({"./ask.sh", "cpu"}), "memory,90\ncpu,2\n");
  EXPECT_EQ(ask({"sh", "-c", "cat; basename \"$PWD\""}),  // no input
            folder_.path().filename().string() + "\n");
}

TEST_F(DutSource, SaysWhyThereIsNoAnswer) {
  EXPECT_EQ(ask({"./no-such-program"}), "# ./no-such-program could not be started\n");
  EXPECT_EQ(ask({"sh", "-c", "echo memory,1; exit 3"}), "# sh ended with exit code 3\n");
  EXPECT_EQ(ask({"sh", "-c", "kill -9 $$"}), "# sh was ended by a signal\n");
  EXPECT_THAT(askFile("none.csv"), HasSubstr("none.csv cannot be read"));
}

// Neither a silent program nor one that closed its output and continues, nor their children.
TEST_F(DutSource, ASlowProgramIsEnded) {
  const std::chrono::milliseconds max(200);
  EXPECT_THAT(ask({"sh", "-c", "sleep 1000"}, max), HasSubstr("took longer than 200 ms"));
  EXPECT_EQ(ask({"sh", "-c", "exec >&-; sleep 1000"}, max), "# sh was ended by a signal\n");
  EXPECT_THAT(ask({"sh", "-c", "yes"}), HasSubstr("or printed more than"));
}

TEST_F(DutSource, IsAFileAsItIs) {
  write("dut.csv", "0,memory,1\n");
  EXPECT_EQ(askFile("dut.csv"), "0,memory,1\n");
}

class Watcher final : public RunWatcher {};

constexpr const char* kSoak = R"(plumbline: 1
name: leaking
tests: [T12.1, T12.2]
dut: {topology: {kind: clos2, leaves: 2, spines: 2, hosts_per_leaf: 2}}
parameters: {sizes: 64KiB, iterations: 1, soak: {duration: 28800s, interval: 1800s}}
dut_metrics: {command: [./switch.sh]}
)";

// A switch whose memory grows by 12 kB an hour, and whose table is constant.
TEST_F(DutSource, ALeakThatAProgramReportsIsFoundAndKeptWithTheRun) {
  write("s.yaml", kSoak);
  writeProgram("switch.sh",
               "t=$PLUMBLINE_TIME_S\n"
               "echo asked >> asked\n"
               "echo memory_kb,$((500000 + t / 300 + t / 1800 % 2))\n"
               "echo table_entries,$((1000 + t / 1800 % 2))\n");
  const PreparedRun prepared =
      prepareRun(loadScenario({scenario(), {}, {}, {}}), bench::BenchOptions());
  auto store = results::ResultStore::open(folder_.path() / "results");
  const auto run = createRun(store, prepared.scenario);
  Watcher watcher;
  executeRun(prepared, store, run, watcher, {});
  const auto anomaliesOfLeakTest = [&] {
    std::string all;
    const results::StoredRun stored = store.loadRun(run);
    for (const auto& one : stored.tests.at(1).anomalies) all += one.what + "\n";
    return all;
  };
  const std::string found = anomaliesOfLeakTest();
  EXPECT_THAT(found, HasSubstr("memory_kb (DUT-reported) is rising by 12 /h"));
  EXPECT_THAT(found, Not(HasSubstr("table_entries (DUT-reported) is")));

  // Both tests share the answers, and a resumed run repeats no query.
  fs::remove(folder_.path() / "switch.sh");
  executeRun(prepared, store, run, watcher, {});
  EXPECT_EQ(anomaliesOfLeakTest(), found);
  std::ifstream asked(folder_.path() / "asked");
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(asked), {}, '\n'), 17);
}

TEST_F(DutSource, AFileOfSomebodyElseIsReadWithoutLinks) {
  write("dut.csv", "0,memory,1\n");
  fs::create_symlink("dut.csv", folder_.path() / "link.csv");
  scenario::Scenario sent = asking({{}, "dut.csv"});
  sent.access.origin = scenario::Origin::kNetwork;
  sent.access.files = folder_.path().string();
  EXPECT_EQ(queryDutMetrics(sent, std::nullopt), "0,memory,1\n");
  sent.dut_metrics->file = "link.csv";
  EXPECT_THAT(queryDutMetrics(sent, std::nullopt), HasSubstr("it leads through a symbolic link"));
  EXPECT_EQ(askFile("link.csv"), "0,memory,1\n");  // the user's own
}

}  // namespace
}  // namespace plumbline::session
