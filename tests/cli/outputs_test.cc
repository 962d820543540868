// The command's outputs: on a full disk, at impossible places, and as text for a shell. And the
// accepted numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/json.h"
#include "results/store.h"
#include "tests/cli/process.h"
#include "tests/paths/paths.h"
#include "tests/results/temp_directory.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kSmallRun = R"(plumbline: 1
name: n
test: free
dut: {topology: {kind: switch, hosts: 4, link: 100G}}
transport: {kind: roce}
workload: {kind: permutation, size: 64KiB, messages: 2}
)";

// Long enough to be interrupted.
constexpr const char* kLongScenario = R"(plumbline: 1
name: n
test: free
dut: {topology: {kind: clos2, leaves: 2, spines: 2, hosts_per_leaf: 4, link: 400G}}
transport: {kind: roce}
workload: {kind: permutation, shift: 4, size: 4MiB, messages: 1}
parameters: {repetitions: 60}
)";

class OutputsTest : public testing::Test {
 protected:
  OutputsTest() {
    scenario_ = write("s.yaml", kSmallRun);
    results_ = (scratch_.path() / "results").string();
  }

  std::string write(const std::string& name, const std::string& content) {
    const fs::path path = scratch_.path() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }
  [[nodiscard]] std::string place(const std::string& name) const {
    return (scratch_.path() / name).string();
  }
  Outcome run(std::vector<std::string> arguments) {
    return plumblineCommand(scratch_.path(), arguments);
  }
  Outcome runScenario(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"run", scenario_, "--quiet", "--results", results_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  // In a shell: $P is the command, $S the scenario, $R the results.
  Outcome shell(const std::string& line) {
    return Process(
               scratch_.path(),
               {"-c", "P=" + commandPath() + "; S=$1; R=$2; " + line, "sh", scenario_, results_},
               "/bin/sh")
        .wait();
  }
  // Exit code 2 before anything was measured.
  void expectRefused(const std::vector<std::string>& more, const std::string& message) {
    const Outcome outcome = runScenario(more);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_FALSE(fs::exists(fs::path(results_) / "plumbline.db"));
  }

  TempDirectory scratch_;
  std::string scenario_;
  std::string results_;
};

TEST_F(OutputsTest, PlacesThatCannotBeAreRefusedBeforeAnythingIsMeasured) {
  for (const char* option : {"--json", "--jsonl", "--capture", "--trace"}) {
    const std::string missing = place("missing/x");
    expectRefused({option, missing}, std::string(option) + " " + missing +
                                         ": the file cannot be written: No such file or directory");
    expectRefused({option, scratch_.path().string()}, "Is a directory");
    expectRefused({option, scenario_}, "this is the scenario's own file");
  }
  expectRefused({"--report", scenario_ + "/x"}, "--report");
  expectRefused({"--report", scenario_}, "--report");
  expectRefused({"--json", place("x"), "--jsonl", place("./x")}, "two outputs in one file");
  for (const std::vector<std::string>& verb :
       {std::vector<std::string>{"run", scenario_, "--quiet"}, {"serve", "--port", "0"}}) {
    std::vector<std::string> arguments = verb;
    arguments.insert(arguments.end(), {"--results", scenario_ + "/x"});
    const Outcome results = run(arguments);
    EXPECT_EQ(results.exit_code, 2) << results.err;
    EXPECT_THAT(results.err, HasSubstr("--results"));
  }
  for (const char* option : {"--json", "--jsonl", "--capture", "--trace", "--report", "--agents"}) {
    expectRefused({option, ""}, std::string(option) + " has an empty value");
  }
  // Nothing of a refused run is left behind.
  EXPECT_FALSE(fs::exists(place("x")));
}

TEST_F(OutputsTest, NoOutputReplacesAnInput) {
  const std::string trace = write("tr.csv", "0,0,1,1000\n");
  const std::string token = write("token", "secret\n");
  scenario_ = write("tr.yaml",
                    "plumbline: 1\nname: n\ntest: free\n"
                    "dut: {topology: {kind: switch, hosts: 4, link: 100G}}\n"
                    "transport: {kind: roce}\nworkload: {kind: trace, trace: {file: tr.csv}}\n");
  const std::string scenario = contentOf(scenario_);
  fs::create_symlink("tr.csv", scratch_.path() / "link");
  for (const char* option : {"--json", "--jsonl", "--capture", "--trace"}) {
    for (const std::string& file : {trace, place("link"), place("x/../tr.csv")}) {
      fs::create_directories(place("x"));
      expectRefused({option, file}, "this is a file that the scenario names");
    }
  }
  const std::string database = results_ + "/plumbline.db";
  fs::create_directories(results_);
  expectRefused({"--json", database}, "this is a file of the results database");
  expectRefused({"--json", token, "--agents", "127.0.0.1:1", "--token-file", token},
                "this is the file of --token-file");
  expectRefused({"--json", token, "--server", "127.0.0.1:1", "--token-file", token},
                "this is the file of --token-file");
  // A report removes what is in its folder for CSV.
  const std::string below = write("rep/csv/s.yaml", kSmallRun);
  const Outcome removed =
      run({"run", below, "--quiet", "--results", results_, "--report", place("rep")});
  EXPECT_EQ(removed.exit_code, 2);
  EXPECT_THAT(removed.err, HasSubstr("the report would replace the scenario's own file"));
  EXPECT_EQ(contentOf(below), kSmallRun);

  for (const std::string& file : {scenario_, trace}) {
    const Outcome plan = run({"plan", scenario_, "--pcapng", file});
    EXPECT_EQ(plan.exit_code, 2) << plan.err;
    EXPECT_THAT(plan.err, HasSubstr("--pcapng " + file));
  }
  EXPECT_EQ(contentOf(scenario_), scenario);
  EXPECT_EQ(contentOf(trace), "0,0,1,1000\n");
  EXPECT_EQ(contentOf(token), "secret\n");

  ASSERT_EQ(runScenario({"--json", place("q.json")}).exit_code, 0);
  const std::string stored = contentOf(place("q.json"));
  EXPECT_THAT(run({"report", "--from", place("q.json"), "--pdf", place("q.json")}).err,
              HasSubstr("this is the file of --from"));
  EXPECT_FALSE(fs::exists(place("q-report")));
  const std::string in_report = write("again/report.json", stored);
  EXPECT_THAT(run({"report", "--from", in_report, "--report", place("again")}).err,
              HasSubstr("the report would replace the file of --from"));
  EXPECT_EQ(contentOf(in_report), stored);
  for (const std::string& file : {database, database + "-wal"}) {
    for (const std::vector<std::string>& verb : {std::vector<std::string>{"report", "--pdf", file},
                                                 {"results", "export", "-o", file},
                                                 {"results", "diff", "1", "1", "--html", file}}) {
      std::vector<std::string> arguments = verb;
      arguments.insert(arguments.end(), {"--results", results_});
      const Outcome outcome = run(arguments);
      EXPECT_EQ(outcome.exit_code, 2) << file;
      EXPECT_THAT(outcome.err, HasSubstr("database")) << file;
    }
  }
}

TEST_F(OutputsTest, NoOutputReplacesAnother) {
  fs::create_symlink("j", scratch_.path() / "j2");
  expectRefused({"--json", place("j"), "--jsonl", place("j2")}, "two outputs in one file");
  expectRefused({"--json", place("j2"), "--jsonl", place("j")}, "two outputs in one file");
  fs::create_directories(place("rep/csv"));
  for (const char* name : {"rep/report.html", "rep/report.json", "rep/csv/T.csv"}) {
    expectRefused({"--report", place("rep"), "--json", place(name)}, "two outputs in one file");
  }
  for (const char* directory : {"new", "new/below"}) {
    expectRefused({"--report", place(directory), "--json", place("new")},
                  "the file of an output is the directory of another");
  }
  fs::create_directories(results_ + "/run-1");
  expectRefused({"--json", results_ + "/run-1/report.json"}, "two outputs in one file");
  EXPECT_FALSE(fs::exists(place("j")));
  EXPECT_FALSE(fs::exists(place("new")));
  // Other names in the same places, and one device for two.
  EXPECT_EQ(runScenario(
                {"--report", place("rep"), "--json", place("rep/run.json"), "--jsonl", place("j2")})
                .exit_code,
            0);
  EXPECT_EQ(runScenario({"--json", "/dev/null", "--jsonl", "/dev/null"}).exit_code, 0);
  ASSERT_EQ(shell("$P run $S --results $R --quiet --json /dev/stdout --jsonl /dev/stdout | cat")
                .exit_code,
            0);
  const Outcome page =
      run({"report", "2", "--results", results_, "--pdf", results_ + "/run-2/report.html"});
  EXPECT_EQ(page.exit_code, 2);
  EXPECT_THAT(page.err, HasSubstr("two outputs in one file"));
}

TEST_F(OutputsTest, AFullDiskIsSaidByEveryVerb) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
  ASSERT_EQ(runScenario({}).exit_code, 0);
  ASSERT_EQ(runScenario({}).exit_code, 0);
  for (const char* line : {"$P run $S --results $R --quiet >/dev/full",
                           "$P run $S --results $R --quiet --tables >/dev/full",
                           "$P run $S --results $R --quiet --json /dev/full >/dev/null",
                           "$P run $S --results $R --quiet --jsonl /dev/full >/dev/null",
                           "$P results ls --results $R >/dev/full",
                           "$P results show 1 --results $R >/dev/full",
                           "$P results diff 1 2 --results $R >/dev/full",
                           "$P results diff 1 2 --results $R --json >/dev/full",
                           "$P results diff 1 2 --results $R --html /dev/full >/dev/null",
                           "$P results export 1 --results $R >/dev/full",
                           "$P results export 1 --results $R --format csv >/dev/full",
                           "$P results export 1 --results $R -o /dev/full",
                           "$P report 1 --results $R >/dev/full",
                           "$P validate $S >/dev/full",
                           "$P plan $S >/dev/full",
                           "$P list tests >/dev/full",
                           "$P list scenarios >/dev/full",
                           "$P ports >/dev/full",
                           "$P version >/dev/full",
                           "$P --help >/dev/full",
                           "$P run --help >/dev/full",
                           "exec timeout 20 $P serve --port 0 --results $R >/dev/full"}) {
    const Outcome outcome = shell(line);
    EXPECT_EQ(outcome.exit_code, 3) << line << ": " << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("No space left on device")) << line;
  }
}

// Like any command in a pipe whose reader exits early.
TEST_F(OutputsTest, AReaderThatLeavesEndsTheCommandInSilence) {
  const Outcome outcome =
      shell("export P; bash -c 'exec 3> >(true); wait $!; $P list tests >&3; exit $?'");
  EXPECT_EQ(outcome.exit_code, 128 + SIGPIPE);
  EXPECT_EQ(outcome.err, "");
}

TEST_F(OutputsTest, WhatWasMeasuredIsNotLost) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
  // The report is written if JSON or terminal fail, and the JSON if the terminal fails.
  const Outcome outcome = shell("$P run $S --results $R --quiet --json /dev/full");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_TRUE(fs::exists(fs::path(results_) / "run-1" / "report.html"));
  EXPECT_THAT(outcome.out, HasSubstr("report "));
  EXPECT_THAT(outcome.err, HasSubstr("\n  plumbline results export 1 -o /dev/full --results " +
                                     results_ + "\n"));
  // The output that follows the trials ends with its first error, and nothing else does.
  write("s.yaml", std::string(kSmallRun) + "parameters: {repetitions: 3}\n");
  const Outcome live = shell("$P run $S --results $R --quiet --jsonl /dev/full --json $R/x.json");
  EXPECT_EQ(live.exit_code, 3);
  EXPECT_THAT(live.err, HasSubstr("this output ends here, the run goes on\n"));
  EXPECT_THAT(live.err, HasSubstr("run 2 is stored. To write again what could not be written:\n"
                                  "  plumbline run " +
                                  scenario_ + " --json " + results_ +
                                  "/x.json --jsonl /dev/full --results " + results_ + "\n"));
  EXPECT_TRUE(nlohmann::json::accept(contentOf(fs::path(results_) / "x.json")));
  EXPECT_TRUE(fs::exists(fs::path(results_) / "run-2" / "report.html"));
  const auto runs = results::ResultStore::openExisting(results_).listRuns();
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[1].status, results::RunStatus::kDone);
  EXPECT_EQ(runs[1].trials, 3U);
  EXPECT_EQ(shell("$P run $S --results $R --quiet --tables --json $R/y.json >/dev/full").exit_code,
            3);
  EXPECT_TRUE(fs::exists(fs::path(results_) / "run-3" / "report.html"));
  EXPECT_TRUE(nlohmann::json::accept(contentOf(fs::path(results_) / "y.json")));
  // Errors of stderr do not end the run.
  EXPECT_EQ(shell("$P run $S --results $R 2>/dev/full").exit_code, 0);
}

TEST_F(OutputsTest, WholeNumbersAreDecimal) {
  const auto seedWith = [&](const std::string& seed) -> std::string {
    const Outcome outcome = runScenario({"--seed", seed, "--json", place("run.json")});
    if (outcome.exit_code != 0) return outcome.err;
    return nlohmann::json::parse(contentOf(place("run.json")))["seed"].dump();
  };
  EXPECT_EQ(seedWith("010"), "10");
  EXPECT_EQ(seedWith("08"), "8");
  EXPECT_EQ(seedWith("018446744073709551615"), "18446744073709551615");
  const std::string whole = "this is not a plain integer";
  for (const char* seed : {"0x10", "1e3", "1_000", "+1", " 1", "1 ", "0b1", "1.0"}) {
    EXPECT_THAT(seedWith(seed), HasSubstr(whole)) << seed;
    // The file's value is treated equally; blanks around a value are no part of it there.
    const std::string value = std::string(seed).find(' ') != std::string::npos ? "1 2" : seed;
    const std::string file = write("seed.yaml", std::string(kSmallRun) + "seed: " + value + "\n");
    EXPECT_THAT(run({"validate", file}).err, HasSubstr(whole)) << seed;
  }
  EXPECT_THAT(seedWith("18446744073709551616"), HasSubstr("the value is too large"));
  const auto firstLine = [&](const std::vector<std::string>& arguments) {
    const Outcome outcome = run(arguments);
    return (outcome.out + outcome.err).substr(0, (outcome.out + outcome.err).find('('));
  };
  EXPECT_EQ(firstLine({"results", "show", "03", "--results", results_}), "run 3 of n ");
  EXPECT_THAT(firstLine({"results", "show", "0x3", "--results", results_}), HasSubstr(whole));
  EXPECT_EQ(run({"results", "diff", "01", "0002", "--results", results_}).exit_code, 0);
  EXPECT_EQ(run({"results", "export", "01", "--results", results_}).exit_code, 0);
  EXPECT_THAT(firstLine({"run", scenario_, "--threads", "4294967296"}),
              HasSubstr("4294967296 is out of range"));
  EXPECT_THAT(firstLine({"serve", "--port", "65536"}), HasSubstr("65536 is out of range"));
  EXPECT_THAT(firstLine({"sweep", scenario_, "-j", "00"}), HasSubstr("00 is out of range"));
}

// The command that an interrupted run prints, run by a shell as it is printed.
TEST_F(OutputsTest, TheCommandToGoOnCanBePasted) {
  for (const std::string name : {"with space", "a$HOME `id`", "it's \"so\"", "-x;y&z"}) {
    const std::string file = write(name + "/long.yaml", kLongScenario);
    const std::string results = place(name + "/re'sults $1");
    Process process(scratch_.path(), {"run", file, "--results", results, "--quiet", "--seed", "7",
                                      "--json", place(name + "/run 1.json")});
    const fs::path database = fs::path(results) / "plumbline.db";
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    const auto trials = [&] {
      if (!fs::exists(database)) return std::size_t{0};
      try {
        const auto runs = results::ResultStore::openExisting(results).listRuns();
        return runs.empty() ? 0 : static_cast<std::size_t>(runs.back().trials);
      } catch (const std::exception&) {
        return std::size_t{0};
      }
    };
    while (trials() == 0 && !process.ended() && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    process.signal(SIGINT);
    const Outcome interrupted = process.wait();
    if (interrupted.exit_code == 0) continue;  // too fast for this machine
    ASSERT_EQ(interrupted.exit_code, 5) << interrupted.err;
    const std::size_t begin = interrupted.err.find("plumbline run ");
    ASSERT_NE(begin, std::string::npos) << interrupted.err;
    const std::string command =
        interrupted.err.substr(begin, interrupted.err.find('\n', begin) - begin);
    const Outcome again = shell("plumbline() { \"$P\" \"$@\"; }; " + command);
    EXPECT_EQ(again.exit_code, 0) << command << "\n" << again.err;
    EXPECT_THAT(again.err, HasSubstr("going on with run 1")) << command;
    EXPECT_TRUE(fs::exists(place(name + "/run 1.json")));
    const auto all = results::ResultStore::openExisting(results).listRuns();
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].status, results::RunStatus::kDone);
    EXPECT_EQ(all[0].identity.seed, 7U);
  }
}

}  // namespace
}  // namespace plumbline
