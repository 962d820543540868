// The command from a script's point of view: exit codes, stdout and stderr. Without a bench.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/json.h"
#include "base/text_width.h"
#include "firmware/version.h"
#include "results/store.h"
#include "tests/cli/process.h"
#include "tests/results/sample.h"
#include "tests/results/temp_directory.h"

namespace plumbline {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr const char* kScenario =
    "plumbline: 1\nname: n\ntest: T5.2\ndut: {topology: {kind: link, host_delay: 1us}}\n";

class CommandTest : public testing::Test {
 protected:
  Outcome run(const std::vector<std::string>& arguments) {
    return plumblineCommand(scratch_.path(), arguments);
  }
  std::string file(const std::string& name, const std::string& content) {
    const auto path = scratch_.path() / name;
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }
  // Exit code 2, nothing on stdout, and on stderr only this and a hint to --help.
  void expectUsageError(const std::vector<std::string>& arguments, const std::string& message) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }
  void expectExit(const std::vector<std::string>& arguments, int code) {
    EXPECT_EQ(run(arguments).exit_code, code);
  }
  [[nodiscard]] std::string results() const { return (scratch_.path() / "results").string(); }

  // Two runs with one test each; the second one differs in its P99 and lacks the loss.
  void storeTwoRuns() {
    auto store = results::ResultStore::open(results());
    for (int i = 0; i < 2; ++i) {
      const auto id = store.createRun({"demo", "demo.yaml", kScenario, "rtl", "quick", 7},
                                      "plumbline 0.1.0", "somewhere");
      results::TestResult result = results::sampleResult();
      if (i == 1) {
        result.kpis[0].quantity.value = 0.11;
        result.kpis.pop_back();
      }
      store.saveTrial(id, "{}", 0, "64 B", "{}");
      store.saveTestResult(id, result);
      if (i == 0) store.setStatus(id, results::RunStatus::kDone);
    }
  }

  TempDirectory scratch_;
};

TEST_F(CommandTest, BadCommandLines) {
  expectUsageError({}, "plumbline: a verb is missing (one of run, validate, ");
  expectUsageError({"frobnicate"}, "plumbline: unknown verb \"frobnicate\" (one of run, ");
  expectUsageError({"reuslts"}, "unknown verb \"reuslts\" (did you mean \"results\"?");
  expectUsageError({"run"}, "scenario is required");
  expectUsageError({"run", "a.yaml", "--frob"}, "plumbline run: unknown option \"--frob\"");
  expectUsageError({"run", "a.yaml", "--resum"}, "did you mean \"--resume\"?");
  expectUsageError({"run", "a.yaml", "--capture-port", "1"}, "--capture");
  expectUsageError({"run", "a.yaml", "--seed", "seven"}, "--seed");
  expectUsageError({"run", "a.yaml", "--seed", "-1"}, "--seed");
  expectUsageError({"results"}, "plumbline results: a verb is missing (one of ls, show, ");
  expectUsageError({"results", "lst"}, "did you mean \"ls\"?");
  expectUsageError({"results", "diff", "1"}, "second is required");
  expectUsageError({"results", "export", "--format", "xml"}, "--format");
  expectUsageError({"list", "towels"}, "unknown verb \"towels\" (one of tests, ");
}

TEST_F(CommandTest, BadScenarios) {
  expectUsageError({"validate", "no-such-file.yaml"},
                   "no-such-file.yaml: there is no such file, and no scenario of this name");
  expectUsageError({"validate", "dir/no-such-file.yaml"}, "the scenario file cannot be read");
  expectUsageError({"run", "quikstart"},
                   "quikstart: there is no such file, and no scenario of this name "
                   "(did you mean \"quickstart\"?)");
  const std::string bad = file("bad.yaml", std::string(kScenario) + "sead: 1\nprofile: fast\n");
  const std::string expected = bad + ":5:1: unknown key \"sead\" (did you mean \"seed\"?)\n" + bad +
                               ":6:10: \"fast\" is not known here (one of quick, standard)\n";
  for (const char* verb : {"validate", "plan", "run"}) {
    const Outcome outcome = run({verb, bad});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err, expected);
    EXPECT_THAT(outcome.out, IsEmpty());
  }
}

TEST_F(CommandTest, BadOverrides) {
  const std::string good = file("good.yaml", kScenario);
  expectUsageError({"validate", good, "--bench", "abacus"},
                   "--bench: there is no bench \"abacus\" (one of ");
  expectUsageError({"validate", good, "--profile", "slow"},
                   "--profile: there is no profile \"slow\" (quick or standard)");
}

TEST_F(CommandTest, ValidateSaysSo) {
  const std::string good = file("good.yaml", kScenario);
  const Outcome outcome = run({"validate", good});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith(good + ": valid"));
  EXPECT_THAT(outcome.err, IsEmpty());
}

// Sizes of memory are written as those of scenarios.
TEST_F(CommandTest, AmountsOfMemoryHaveAUnit) {
  const std::string good = file("good.yaml", kScenario);
  for (const std::string bad : {"", "GB", "0B", "-1GB", "16 G", "nan", "inf", "1GBx", "4096"}) {
    expectUsageError({"run", good, "--max-memory", bad}, "\"" + bad + "\" is no amount of memory");
  }
  expectExit({"plan", good, "--bench", "sim", "--max-memory", "1.5GiB"}, 0);
}

TEST_F(CommandTest, WarningsDoNotRefuse) {
  const std::string text =
      "plumbline: 1\nname: warned\ntest: free\ndut:\n  topology: {kind: clos2}\n"
      "  switch: {pfc: {headroom: 1KB}}\ntransport: {kind: roce}\n"
      "workload: {kind: pairs, size: 4KiB, messages: 1}\n";
  const std::string warned = file("warned.yaml", text);
  const std::string line = warned + ":6:28: warning: headroom 1 KB is below the ";
  const Outcome outcome = run({"validate", warned});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, StartsWith(warned + ": valid"));
  EXPECT_THAT(outcome.err, StartsWith(line));
  EXPECT_EQ(run({"validate", warned, "--strict"}).exit_code, 2);
  EXPECT_EQ(run({"validate", file("fine.yaml", kScenario), "--strict"}).exit_code, 0);
  const Outcome ran = run({"run", warned, "--quiet", "--results", results()});
  EXPECT_THAT(ran.err, StartsWith(line));
}

TEST_F(CommandTest, ShippedScenariosGoByName) {
  const Outcome outcome = run({"list", "scenarios"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* name : {"quickstart", "latency", "throughput", "burst-incast"}) {
    EXPECT_THAT(outcome.out, testing::ContainsRegex("(^|\n)" + std::string(name) + " +[A-Z]"));
    EXPECT_EQ(run({"validate", name}).exit_code, 0) << name;
  }
}

TEST_F(CommandTest, ListsAndVersion) {
  const Outcome tests = run({"list", "tests"});
  EXPECT_EQ(tests.exit_code, 0);
  for (const char* id : {"T5.1", "T5.2", "T5.3"}) EXPECT_THAT(tests.out, HasSubstr(id));
  EXPECT_EQ(run({"list", "benches"}).exit_code, 0);
  const Outcome version = run({"version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_THAT(version.out, testing::MatchesRegex("plumbline [0-9.]+\nbenches: .*\n"));
}

TEST_F(CommandTest, ListsFitATerminal) {
  for (const char* what : {"tests", "benches", "scenarios"}) {
    std::istringstream lines(run({"list", what}).out);
    for (std::string line; std::getline(lines, line);) {
      // A line with the directory is as long as its name.
      if (line.starts_with("files in ")) continue;
      EXPECT_LE(displayWidth(line), 100u) << line;
    }
  }
}

// Manual pages and completions, as the build makes them.
TEST_F(CommandTest, TheCommandWritesItsManualPagesAndCompletions) {
  const std::string directory = (scratch_.path() / "files").string();
  EXPECT_EQ(run({"--command-files", directory}).exit_code, 0);
  EXPECT_THAT(contentOf(directory + "/man1/plumbline-run.1"), HasSubstr("\\-\\-resume"));
  EXPECT_THAT(contentOf(directory + "/man1/plumbline-results.1"), HasSubstr("RESULTS DIFF"));
  const std::string bash = contentOf(directory + "/bash/plumbline");
  for (const char* word : {"quickstart", "'plumbline results diff'", "--start-tolerance", "rtl"}) {
    EXPECT_THAT(bash, HasSubstr(word));
  }
  EXPECT_THAT(contentOf(directory + "/zsh/_plumbline"), StartsWith("#compdef plumbline\n"));
  EXPECT_THAT(contentOf(directory + "/fish/plumbline.fish"), HasSubstr("-a run"));
  expectExit({"--command-files", "/proc/none"}, 2);
}

TEST_F(CommandTest, PortsAreThoseOfTheBenches) {
  const Outcome ports = run({"ports"});
  EXPECT_EQ(ports.exit_code, 0) << ports.err;
  EXPECT_THAT(ports.out, HasSubstr("sim "));
#ifdef PLUMBLINE_CARD_SIM
  EXPECT_THAT(ports.out, HasSubstr("rtl/1 "));
#endif
}

TEST_F(CommandTest, FirmwareOfABenchWithoutCards) {
  expectUsageError({"firmware", "--bench", "sim"}, "the bench 'sim' has no cards");
  expectUsageError({"firmware", "--bench", "fpga"}, "--xclbin FILE");
}

TEST_F(CommandTest, FirmwareImagesThatAreNone) {
  expectUsageError({"firmware", "--image", "/nonexistent.bin"}, "cannot be read");
  expectUsageError({"firmware", "--image", file("short.bin", "PLFW")}, "4 bytes are too few");
  expectUsageError({"firmware", "--image", file("other.bin", std::string(64, 'x'))},
                   "no image of firmware");
}

#ifdef PLUMBLINE_CARD_SIM
TEST_F(CommandTest, ClocksOfCards) {
  expectUsageError({"firmware", "--ptp", "1:slave"}, "there is no card 1");
  expectUsageError({"firmware", "--ptp", "slave"}, "CARD:ROLE[:PORT]");
  const Outcome outcome = run({"firmware", "--ptp", "0:master:1", "--json"});
  if (outcome.exit_code != 0) {
    EXPECT_THAT(outcome.err, HasSubstr("built without firmware"));
    GTEST_SKIP() << outcome.err;
  }
  const nlohmann::json cards = parseJson(outcome.out);
  EXPECT_EQ(cards[0]["time"]["role"], "master");
  EXPECT_EQ(cards[0]["time"]["port"], 1);
}

TEST_F(CommandTest, FirmwareOfTheSimulatedCard) {
  const Outcome outcome = run({"firmware", "--json"});
  if (outcome.exit_code != 0) {
    EXPECT_THAT(outcome.err, HasSubstr("built without firmware"));
    GTEST_SKIP() << outcome.err;
  }
  const nlohmann::json cards = parseJson(outcome.out);
  ASSERT_EQ(cards.size(), 1U);
  std::ostringstream numbers;  // major, minor and patch of the firmware that was built
  numbers << (firmware::kVersion >> 24) << "." << (firmware::kVersion >> 16 & 0xFF) << "."
          << (firmware::kVersion & 0xFFFF);
  const std::string version = numbers.str();
  const std::string started = "firmware " + version + " has started";
  EXPECT_EQ(cards[0]["state"], "ready");
  EXPECT_EQ(cards[0]["version"], version);
  EXPECT_EQ(cards[0]["interface"], "1.1");
  EXPECT_TRUE(cards[0]["watchdog_ps"].is_null());
  EXPECT_GT(cards[0]["uptime_ps"], 0);
  ASSERT_EQ(cards[0]["log"].size(), 1U);
  EXPECT_EQ(cards[0]["log"][0]["text"], started);
  // The simulated card has no MAC registers; retry and time are there, and nothing uses them.
  ASSERT_EQ(cards[0]["ports"].size(), 2U);
  for (const nlohmann::json& port : cards[0]["ports"]) {
    EXPECT_TRUE(port["link"].is_null());
    EXPECT_TRUE(port["health"].is_null());
    EXPECT_EQ(port["retry"]["policy"], "left to the host");
    EXPECT_EQ(port["retry"]["state"], "idle");
  }
  EXPECT_EQ(cards[0]["time"]["role"], "free running");
  const Outcome tables = run({"firmware"});
  EXPECT_THAT(tables.out, HasSubstr("simulated card of 2 ports"));
  EXPECT_THAT(tables.out, HasSubstr(started));
  EXPECT_THAT(tables.out, HasSubstr("link-level retry"));
  EXPECT_THAT(tables.out, HasSubstr("free running"));
}
#endif

TEST_F(CommandTest, HelpIsNoFault) {
  for (const char* verb : {"run", "validate", "plan", "list", "ports", "firmware", "report",
                           "results", "selftest", "serve", "sweep", "top", "version"}) {
    const Outcome outcome = run({verb, "--help"});
    EXPECT_EQ(outcome.exit_code, 0) << verb;
    EXPECT_THAT(outcome.out, HasSubstr("Exit codes"));
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(displayWidth(line), 100U) << verb << ": " << line;
    }
  }
}

#ifndef PLUMBLINE_CARD_SIM
TEST_F(CommandTest, WithoutABenchRunSaysWhy) {
  const std::string good = file("good.yaml", kScenario);
  for (const char* verb : {"run", "plan"}) {
    expectUsageError({verb, good}, "PLUMBLINE_CARD_SIM");
  }
  expectUsageError({"selftest"}, "PLUMBLINE_CARD_SIM");
  EXPECT_THAT(run({"validate", good}).out, HasSubstr("no bench rtl"));
}
#endif

TEST_F(CommandTest, ResultsThatAreNotThere) {
  expectUsageError({"results", "ls", "--results", results()}, "there are no results here");
  expectUsageError({"report", "--results", results()}, "there are no results here");
  results::ResultStore::open(results());
  expectUsageError({"results", "show", "--results", results()}, "there are no runs yet");
  expectUsageError({"results", "show", "9", "--results", results()}, "there is no run 9");
}

TEST_F(CommandTest, ADamagedStoreIsATesterFault) {
  std::filesystem::create_directory(results());
  std::ofstream(std::filesystem::path(results()) / "plumbline.db") << std::string(8192, 'x');
  const Outcome outcome = run({"results", "ls", "--results", results()});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("not a database"));
  EXPECT_THAT(outcome.out, IsEmpty());
}

TEST_F(CommandTest, ResultsCanBeListedAndShown) {
  storeTwoRuns();
  const Outcome list = run({"results", "ls", "--results", results()});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.out, testing::ContainsRegex("1 +20.* demo +rtl +quick +7 +1 +done\n"));
  EXPECT_THAT(list.out, testing::ContainsRegex("2 +20.* demo +rtl +quick +7 +1 +running\n"));
  const Outcome shown = run({"results", "show", "1", "--results", results()});
  EXPECT_THAT(shown.out, HasSubstr("T5.2 Latency (quick profile)"));
  // In nanoseconds: 600 and a third, from a column in that unit.
  EXPECT_THAT(shown.out, testing::ContainsRegex("1,024 B +[^\n]*0\\.3"));
  // Without a number: the latest.
  EXPECT_THAT(run({"results", "show", "--results", results()}).out, StartsWith("run 2 of demo"));
}

TEST_F(CommandTest, RunsCanBeCompared) {
  storeTwoRuns();
  const Outcome outcome = run({"results", "diff", "1", "2", "--results", results()});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, testing::ContainsRegex("Status +done +running\n"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex(
                               "latency_p99_ns +100[.0]* ps +110[.0]* ps +.10 % +not testable\n"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("only in run 1\n.*\nT5.2 .* loss_ppm +0 ppm\n"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("only in run 2")));
}

TEST_F(CommandTest, ComparisonsComeAsJsonAndAsAPage) {
  storeTwoRuns();
  const auto page = (scratch_.path() / "diff.html").string();
  const Outcome outcome = run({"results", "diff", "1", "2", "--json", "--html", page, "--results",
                               results(), "--second-results", results()});
  EXPECT_EQ(outcome.exit_code, 0);
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["second"]["run"], 2);
  EXPECT_EQ(json["kpis"].size(), 1u);
  EXPECT_THAT(contentOf(page), HasSubstr("latency_p99_ns"));
  expectUsageError({"results", "diff", "1", "9", "--results", results()}, "there is no run 9");
  expectUsageError({"results", "diff", "1", "2", "--results", results(), "--second-results",
                    (scratch_.path() / "none").string()},
                   "there are no results here");
}

TEST_F(CommandTest, RunsCanBeExported) {
  storeTwoRuns();
  const Outcome json = run({"results", "export", "1", "--results", results()});
  EXPECT_EQ(json.exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(json.out)["tests"][0],
            nlohmann::json::parse(results::sampleResult().toJson()));
  const Outcome csv = run({"results", "export", "1", "--format", "csv", "--results", results()});
  EXPECT_THAT(csv.out, StartsWith("test,table,row,column,value"));
  const auto target = (scratch_.path() / "out.csv").string();
  const Outcome written =
      run({"results", "export", "1", "--format", "csv", "-o", target, "--results", results()});
  EXPECT_THAT(written.out, IsEmpty());
  EXPECT_EQ(contentOf(target), csv.out);
  EXPECT_EQ(
      run({"results", "export", "1", "-o", "/no/such/dir/x", "--results", results()}).exit_code, 2);
}

TEST_F(CommandTest, TheReportOfAStoredRunCanBeWrittenAgain) {
  storeTwoRuns();
  const Outcome outcome = run({"report", "1", "--results", results()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, IsEmpty());
  ASSERT_THAT(outcome.out, StartsWith("report "));
  const std::string html = contentOf(outcome.out.substr(7, outcome.out.find('\n') - 7));
  EXPECT_THAT(html, HasSubstr("T5.2"));
  EXPECT_THAT(html, HasSubstr("demo"));
  EXPECT_THAT(run({"report", "2", "--results", results()}).err, HasSubstr("not complete"));
}

TEST_F(CommandTest, TheEnvironmentNamesTheResults) {
  storeTwoRuns();
  ::setenv("PLUMBLINE_RESULTS", results().c_str(), 1);
  const Outcome outcome = run({"results", "ls"});
  ::unsetenv("PLUMBLINE_RESULTS");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("demo"));
}

}  // namespace
}  // namespace plumbline
