// Files on disk: complete, replaced as a whole, and a clear error when they cannot be written.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/json.h"
#include "report/cabling.h"
#include "tests/report/sample_report.h"

namespace plumbline::report::testing {
namespace {

namespace fs = std::filesystem;

class WriteReport : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::path(::testing::TempDir()) / "plumbline_report_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { fs::remove_all(directory_); }

  static std::string read(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }

  fs::path directory_;
};

TEST_F(WriteReport, PutsEverythingInPlace) {
  const ReportInput input = sampleReport();
  const fs::path target = directory_ / "new" / "report";
  const fs::path html = writeReport(target, input);
  EXPECT_EQ(html, target / "report.html");
  EXPECT_EQ(read(html), renderHtml(input));
  EXPECT_EQ(read(target / "report.json"), renderJson(input));
  std::size_t expected = 0;
  for (const results::TestResult& test : input.tests) {
    for (const CsvFile& file : renderCsv(test)) {
      EXPECT_EQ(read(target / "csv" / file.name), file.content);
      ++expected;
    }
  }
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(target)) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(read(target / "csv" / "cabling.csv"), cablingCsv(*input.topology));
  EXPECT_EQ(files, expected + 3) << "something is left over";
}

TEST_F(WriteReport, ReplacesAnEarlierReportAndNothingElse) {
  writeReport(directory_, sampleReport());
  std::ofstream(directory_ / "notes.txt") << "mine";
  ReportInput smaller = sampleReport();
  smaller.tests.pop_back();
  writeReport(directory_, smaller);
  EXPECT_EQ(read(directory_ / "notes.txt"), "mine");
  EXPECT_FALSE(fs::exists(directory_ / "csv" / "t5-3_table_burst.csv"));
  EXPECT_TRUE(fs::exists(directory_ / "csv" / "t5-1_table_throughput.csv"));
}

TEST_F(WriteReport, TwoTestsOfOneIdKeepTheirFiles) {
  ReportInput input = sampleReport();
  input.tests = {input.tests[0], input.tests[0]};
  writeReport(directory_, input);
  EXPECT_TRUE(fs::exists(directory_ / "csv" / "t5-1_table_throughput.csv"));
  EXPECT_TRUE(fs::exists(directory_ / "csv" / "2_t5-1_table_throughput.csv"));
}

TEST_F(WriteReport, SaysWhatCouldNotBeWritten) {
  const fs::path file = directory_ / "file";
  std::ofstream(file) << "x";
  try {
    writeReport(file / "below", sampleReport());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kTester);
    EXPECT_NE(error.where().find("below"), std::string::npos);
    EXPECT_FALSE(error.remedy().empty());
  }
  // A directory in the place of a file.
  fs::create_directories(directory_ / "blocked" / "report.html" / "x");
  EXPECT_THROW(writeReport(directory_ / "blocked", sampleReport()), Error);
}

TEST(ReportJson, HoldsAllTestsAsTheyAre) {
  const ReportInput input = sampleReport();
  const auto json = nlohmann::json::parse(renderJson(input));
  EXPECT_EQ(json.at("format"), "plumbline-report");
  EXPECT_EQ(json.at("run"), "42");
  EXPECT_EQ(json.at("scenario"), input.scenario);
  ASSERT_EQ(json.at("tests").size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto back = results::TestResult::fromJson(json.at("tests")[i].dump());
    EXPECT_EQ(back.toJson(), input.tests[i].toJson());
  }
  EXPECT_EQ(json.at("dut")[1].at("name"), "Host link delay");
  EXPECT_EQ(json.at("dut")[1].at("value"), "50 ns");
  EXPECT_TRUE(json.at("failures").empty());
}

TEST(ReportJson, HoldsFailuresInPicoseconds) {
  ReportInput input = sampleReport();
  input.failures = {{"spine1", nanoseconds(5), {}},
                    {"leaf0-spine0", nanoseconds(1), nanoseconds(2)}};
  const auto json = nlohmann::json::parse(renderJson(input)).at("failures");
  EXPECT_EQ(json[0].at("element"), "spine1");
  EXPECT_EQ(json[0].at("down_ps"), 5000);
  EXPECT_FALSE(json[0].contains("up_ps"));
  EXPECT_EQ(json[1].at("up_ps"), 2000);
}

TEST(ReportJson, HoldsTheVerdictOfLimits) {
  using State = LimitOutcome::State;
  ReportInput input = sampleReport();
  results::Quantity worst;
  worst.value = 6000;
  worst.unit = "ns";
  input.limits = {{"latency_p99_ns", true, 5000, State::kMissed, worst, "T5.2, 64 B"},
                  {"loss_ppm", true, 1, State::kNotMeasured, {}, {}}};
  const auto json = nlohmann::json::parse(renderJson(input)).at("limits");
  EXPECT_EQ(json[0].at("at_most"), 5000);
  EXPECT_EQ(json[0].at("met"), false);
  EXPECT_EQ(json[0].at("worst"), 6000);
  EXPECT_EQ(json[0].at("unit"), "ns");
  EXPECT_FALSE(json[1].contains("met"));
}

}  // namespace
}  // namespace plumbline::report::testing
