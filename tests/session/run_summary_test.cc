#include "session/run_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/text_width.h"
#include "session/text_table.h"

namespace plumbline::session {
namespace {

using testing::HasSubstr;
using testing::Not;

results::TestResult latency() {
  results::TestResult test;
  test.id = "T5.2";
  test.title = "Latency";
  test.profile = "quick";
  test.summary = "All well.";
  results::Quantity p99;
  p99.value = 2'159'660;
  p99.unit = "us";
  p99.repetitions = 3;
  p99.confidence_low = 2'129'660;
  p99.confidence_high = 2'189'660;
  test.primary = {p99};
  test.primary_names = {"P99 latency"};
  test.tables = {{"t", "A table", "", {"size"}, {{"64 B"}}}};
  return test;
}

std::string printed(std::vector<results::TestResult> tests, const Verdict& verdict = {}) {
  results::StoredRun run;
  run.tests = std::move(tests);
  return summaryText(run, verdict);
}

std::vector<std::string> linesOf(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(RunSummary, VerdictFiguresAndNoTables) {
  EXPECT_EQ(printed({latency()}),
            "T5.2 Latency (quick profile): valid\n"
            "  All well.\n"
            "  P99 latency  2.16 ± 0.03 s\n\n");
}

TEST(RunSummary, AnomaliesAreShownAndDeviationsCounted) {
  results::TestResult test = latency();
  test.valid = false;
  test.anomalies = {{"frames lost", "64 B"}};
  test.deviations = {{"repetitions: 2 instead of 3", ""}};
  const std::string text = printed({test});
  EXPECT_THAT(text, HasSubstr("(quick profile): NOT VALID\n"));
  EXPECT_THAT(text, HasSubstr("  1 anomaly:\n  - frames lost (64 B)\n"));
  EXPECT_THAT(text, HasSubstr("  1 deviation from the methodology\n"));
  EXPECT_THAT(text, Not(HasSubstr("repetitions")));
}

TEST(RunSummary, FifteenLinesAtMost) {
  results::TestResult test = latency();
  for (int i = 0; i < 200; ++i) test.summary += " And then there is more to say about this.";
  test.primary.resize(9, test.primary.front());
  test.primary_names.resize(9, std::string(120, 'n'));
  test.anomalies.resize(40, {std::string(300, 'a'), "µ"});
  test.deviations = {{"repetitions: 2 instead of 3", ""}};
  const auto lines = linesOf(printed({test}));
  ASSERT_EQ(lines.size(), kMaxSummaryLines + 1);  // and an empty one
  for (const std::string& line : lines) EXPECT_LE(displayWidth(line), kTerminalColumns) << line;
  EXPECT_THAT(lines, testing::Contains(HasSubstr("and 4 more")));
  EXPECT_THAT(lines, testing::Contains(HasSubstr("40 anomalies, the first 3:")));
}

TEST(RunSummary, ManyTestsAreATable) {
  std::vector<results::TestResult> tests(31, latency());
  for (std::size_t i = 0; i < tests.size(); ++i) tests[i].id = "T" + std::to_string(i);
  tests[4].title = "A test whose title is longer than anybody would want in a table of 100 columns";
  tests[4].anomalies = {{"frames lost", "64 B"}};
  const std::string text = printed(tests);
  const auto lines = linesOf(text);
  EXPECT_LE(lines.size(), 2 * tests.size() + 6);
  for (const std::string& line : lines) EXPECT_LE(displayWidth(line), kTerminalColumns) << line;
  EXPECT_THAT(text,
              testing::ContainsRegex("T30 +Latency +valid +P99 latency: 2.16 ± 0.03 s +0 +0\n"));
  EXPECT_THAT(text, HasSubstr("T4  1 anomaly:\n  - frames lost (64 B)\n"));
}

TEST(RunSummary, LimitsAreAtTheEndOfBoth) {
  Verdict verdict;
  verdict.limits.push_back({{}, true, true, 1, "ppm", "T5.2"});
  verdict.limits.front().limit.kpi = "loss_ppm";
  EXPECT_THAT(linesOf(printed({latency()}, verdict)).back(), testing::StartsWith("limit loss_ppm"));
  results::StoredRun run;
  run.tests = {latency()};
  const auto lines = linesOf(runText(run, verdict));
  EXPECT_THAT(lines.back(), testing::StartsWith("limit loss_ppm"));
  EXPECT_THAT(lines, testing::Contains("A table"));
}

}  // namespace
}  // namespace plumbline::session
