// Runs on the bench that simulates the hosts, and their outputs: exit codes by limits, a JSON
// export that the published schema accepts, reports, a PDF.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "base/json.h"
#include "tests/cli/process.h"
#include "tests/paths/paths.h"
#include "tests/results/json_schema.h"
#include "tests/results/temp_directory.h"

namespace plumbline {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kSimScenario = R"(plumbline: 1
name: small
test: T9.1
profile: quick
dut:
  topology: {kind: clos2, leaves: 2, spines: 2, hosts_per_leaf: 4, link: 400G}
  switch: {llr: {replay_timer: 20us, max_replays: 1, pcs_lost: 5us, data_age: 1ms}}
  failures: [{element: leaf1-spine0, down: 1s}]
  identification: {vendor: Example, asic: X1}
parameters: {sizes: 64KiB, ranks: 8, iterations: 2, repetitions: 2, balancing: [ecmp]}
)";

class SimRunTest : public testing::Test {
 protected:
  Outcome run(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--results", (scratch_.path() / "results").string()});
    return plumblineCommand(scratch_.path(), arguments);
  }
  Outcome runScenario(const std::string& more = {}) {
    const auto file = scratch_.path() / "small.yaml";
    std::ofstream(file) << kSimScenario << more;
    return run({"run", file.string(), "--quiet"});
  }
  [[nodiscard]] std::filesystem::path reportFile(const char* name) const {
    return scratch_.path() / "results" / "run-1" / name;
  }

  TempDirectory scratch_;
};

TEST_F(SimRunTest, LimitsDecideTheExitCodeAndAreNamed) {
  const Outcome met = runScenario("limits: {busbw_gbps: 0.001, drop_ppm: 0}\n");
  EXPECT_EQ(met.exit_code, 0) << met.err;
  EXPECT_THAT(met.out, HasSubstr("limit busbw_gbps at least 0.001: met, worst"));
  EXPECT_THAT(met.out, HasSubstr("limit drop_ppm at most 0: met, worst 0 (T9.1, "));
  const Outcome missed = runScenario("limits: {busbw_gbps: 400, drop_ppm: 0}\n");
  EXPECT_EQ(missed.exit_code, 1) << missed.err;
  EXPECT_THAT(missed.out, HasSubstr("limit busbw_gbps at least 400: MISSED, worst"));
}

TEST_F(SimRunTest, ARunEndsWithASummaryAndSaysHowToSeeMore) {
  const Outcome summary = runScenario();
  ASSERT_EQ(summary.exit_code, 0) << summary.err;
  EXPECT_THAT(summary.out, HasSubstr("T9.1 "));
  EXPECT_THAT(summary.out, HasSubstr(" profile): valid\n"));
  const std::string results = (scratch_.path() / "results").string();
  EXPECT_THAT(summary.out, HasSubstr("all tables: plumbline results show 1 --results " + results));
  EXPECT_THAT(summary.out, HasSubstr("report " + reportFile("report.html").string()));
  EXPECT_LE(std::count(summary.out.begin(), summary.out.end(), '\n'), 15 + 3);

  // The tables are those of `results show`, which begins with a line on the run.
  const Outcome tables =
      run({"run", (scratch_.path() / "small.yaml").string(), "--quiet", "--tables"});
  const std::string shown = run({"results", "show", "2"}).out;
  const std::string body = shown.substr(shown.find("\n\n") + 2);
  EXPECT_THAT(tables.out, testing::StartsWith(body));
  EXPECT_THAT(body, HasSubstr("Bus bandwidth"));
}

TEST_F(SimRunTest, TheExportIsAsTheSchemaSays) {
  ASSERT_EQ(runScenario().exit_code, 0);
  std::ifstream schema(checkoutPath("docs/result.schema.json"));
  const auto exported = nlohmann::json::parse(run({"results", "export"}).out);
  EXPECT_THAT(results::schemaFaults(nlohmann::json::parse(schema), exported), IsEmpty());
  EXPECT_FALSE(exported["tests"][0]["kpis"].empty());
}

TEST_F(SimRunTest, TwoRunsOfOneSeedDoNotDiffer) {
  ASSERT_EQ(runScenario().exit_code, 0);
  ASSERT_EQ(runScenario().exit_code, 0);
  const auto json = nlohmann::json::parse(run({"results", "diff", "1", "2", "--json"}).out);
  EXPECT_FALSE(json["kpis"].empty());
  for (const auto& kpi : json["kpis"]) {
    EXPECT_EQ(kpi["first"], kpi["second"]);
    EXPECT_EQ(kpi["significance"], "not significant") << kpi["name"];
  }
  EXPECT_TRUE(json["conditions"].empty());
  EXPECT_TRUE(json["scenario"].empty());
}

// The same name, with differences in the scenario only: ECN threshold, buffer and message size.
TEST_F(SimRunTest, ADiffNamesTheKeysThatDiffer) {
  const auto runFree = [this](const std::string& kmin, const std::string& total,
                              const std::string& size) {
    const auto file = scratch_.path() / "free.yaml";
    std::ofstream(file)
        << "plumbline: 1\nname: free\ntest: free\ndut:\n  topology: {kind: clos2}\n"
        << "  switch: {shared_buffer: {total: " << total << "}, ecn: {kmin: " << kmin
        << "}}\ntransport: {kind: roce}\nworkload: {kind: pairs, messages: 1, size: " << size
        << "}\n";
    return run({"run", file.string(), "--quiet"});
  };
  ASSERT_EQ(runFree("200KB", "64MB", "128KiB").exit_code, 0);
  ASSERT_EQ(runFree("20KB", "16MB", "64KiB").exit_code, 0);
  const auto json = nlohmann::json::parse(run({"results", "diff", "1", "2", "--json"}).out);
  const auto key = [](const char* name, const char* first, const char* second) {
    return nlohmann::json{{"key", name}, {"first", first}, {"second", second}};
  };
  EXPECT_EQ(json["scenario"],
            nlohmann::json::array({key("dut.switch.shared_buffer.total", "64MB", "16MB"),
                                   key("dut.switch.ecn.kmin", "200KB", "20KB"),
                                   key("workload.size", "128KiB", "64KiB")}));
  const std::string text = run({"results", "diff", "1", "2"}).out;
  EXPECT_THAT(text, testing::ContainsRegex("dut.switch.ecn.kmin +200KB +20KB\n"));
  // The configuration of `free` has them as well.
  EXPECT_THAT(text, HasSubstr("free: ECN"));
  EXPECT_THAT(text, HasSubstr("free: Shared buffer"));
  EXPECT_THAT(text, HasSubstr("free: Job pairs1"));
}

TEST_F(SimRunTest, TheReportHasIdentificationFailuresAndCabling) {
  ASSERT_EQ(runScenario().exit_code, 0);
  const std::string html = contentOf(reportFile("report.html"));
  for (const char* part : {"The fabric is simulated.", "<td>Example</td>", "<td>X1</td>",
                           "Not stated: ", "leaf1-spine0", "cable failed", "busbw_gbps",
                           "<strong>Limits:</strong> the scenario sets none.",
                           "replay timer 20 us, replays at most 1, outages waited for up to 5 us, "
                           "frames given up at an age of 1 ms, INIT every 5 us"}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
  EXPECT_THAT(contentOf(reportFile("csv") / "cabling.csv"), HasSubstr("\nleaf1-spine0,leaf1,4,"));
}

TEST_F(SimRunTest, WithoutChromiumThereIsNoPdfAndTheMessageSaysWhy) {
  ASSERT_EQ(runScenario().exit_code, 0);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", scratch_.path().c_str(), 1);
  const Outcome outcome = run({"report", "1", "--pdf", (scratch_.path() / "r.pdf").string()});
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("there is no Chromium"));
  EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "r.pdf"));
}

TEST_F(SimRunTest, ChromiumPrintsThePdf) {
  if (!std::filesystem::exists("/usr/bin/chromium")) GTEST_SKIP() << "chromium is missing";
  ASSERT_EQ(runScenario().exit_code, 0);
  const auto pdf = scratch_.path() / "r.pdf";
  const Outcome outcome = run({"report", "1", "--pdf", pdf.string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("pdf " + pdf.string()));
  EXPECT_THAT(contentOf(pdf), testing::StartsWith("%PDF-"));
}

TEST_F(SimRunTest, AChromiumThatFailsIsATesterFault) {
  ASSERT_EQ(runScenario().exit_code, 0);
  const auto fake = scratch_.path() / "chromium";
  std::ofstream(fake) << "#!/bin/sh\nexit 0\n";
  std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", scratch_.path().c_str(), 1);
  const Outcome outcome = run({"report", "1", "--pdf", (scratch_.path() / "r.pdf").string()});
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("Chromium did not print the report"));
}

}  // namespace
}  // namespace plumbline
