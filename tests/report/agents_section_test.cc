#include "report/agents_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/sample_report.h"

namespace plumbline::report::testing {
namespace {

using results::AgentRecord;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<AgentRecord> agents() {
  AgentRecord first;
  first.name = "10.0.0.2:8470";
  first.outcome = "done";
  first.clock_offset_ns = -3'250'000'000;
  first.clock_uncertainty_ns = 45'500;
  first.clock_drift_ppm = 1.5;
  first.clock_drift_uncertainty_ppm = 0.25;
  first.late_ns = 2'000'000;
  first.start_error_ns = -830;
  first.late = true;
  AgentRecord second;
  second.name = "<b>";
  second.outcome = "lost";
  return {first, second};
}

std::string cell(const results::Table& table, std::size_t row, const std::string& column) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i] == column) return std::get<std::string>(table.rows.at(row).at(i));
  }
  return "no such column";
}

TEST(Agents, AreShownInUnitsThatSuit) {
  const results::Table table = agentsTable(agents());
  EXPECT_EQ(cell(table, 0, "Clock offset"), "-3.25 s ± 45.5 µs");
  EXPECT_EQ(cell(table, 0, "Drift"), "1.5 ± 0.25 ppm");
  EXPECT_EQ(cell(table, 0, "Start error"), "-830 ns");
  EXPECT_EQ(cell(table, 0, "Late"), "2 ms, TOO LATE");
  EXPECT_EQ(cell(table, 1, "Drift"), "–");
  EXPECT_EQ(cell(table, 1, "Late"), "–");
  EXPECT_EQ(cell(table, 0, "Attempt"), "no such column");
}

TEST(Agents, OfSeveralAttemptsHaveTheirNumber) {
  auto again = agents();
  again[1].attempt = 2;
  EXPECT_EQ(cell(agentsTable(again), 0, "Attempt"), "1");
  EXPECT_EQ(cell(agentsTable(again), 1, "Attempt"), "2");
}

TEST(Agents, AreInTheReportWhereThereAreSome) {
  ReportInput input = sampleReport();
  EXPECT_THAT(renderHtml(input), Not(HasSubstr("<h2>Agents</h2>")));
  EXPECT_THAT(renderJson(input), Not(HasSubstr("\"agents\"")));
  input.agents = agents();
  const std::string html = renderHtml(input);
  EXPECT_LT(html.find("<h2>Configuration</h2>"), html.find("<h2>Agents</h2>"));
  EXPECT_LT(html.find("<h2>Agents</h2>"), html.find("<h2>Summary</h2>"));
  EXPECT_THAT(html, HasSubstr("&lt;b&gt;"));
  EXPECT_THAT(renderJson(input), HasSubstr("\"clock_offset_ns\": -3250000000"));
}

}  // namespace
}  // namespace plumbline::report::testing
