// CSV files read back to exactly the numbers that went in.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/table_html.h"
#include "tests/report/sample_report.h"

namespace plumbline::report::testing {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// RFC 4180, written from the RFC and not from the writer.
Rows parseCsv(const std::string& text) {
  Rows rows;
  std::vector<std::string> row;
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
        field += '"';
        ++i;
      } else if (c == '"') {
        quoted = false;
      } else {
        field += c;
      }
    } else if (c == '"' && field.empty()) {
      quoted = true;
    } else if (c == ',' || c == '\n') {
      row.push_back(field);
      field.clear();
      if (c == '\n') {
        rows.push_back(row);
        row.clear();
      }
    } else {
      field += c;
    }
  }
  EXPECT_TRUE(row.empty() && field.empty()) << "the last line has no end";
  return rows;
}

Rows fileOf(const results::TestResult& test, const std::string& name) {
  for (const CsvFile& file : renderCsv(test)) {
    if (file.name == name) return parseCsv(file.content);
  }
  ADD_FAILURE() << "no file " << name;
  return {};
}

std::size_t column(const Rows& rows, const std::string& name) {
  const auto at = std::find(rows[0].begin(), rows[0].end(), name);
  EXPECT_NE(at, rows[0].end()) << name;
  return static_cast<std::size_t>(at - rows[0].begin());
}

TEST(Csv, TablesKeepEveryPartOfAQuantity) {
  const results::TestResult test = sampleReport().tests[0];
  const results::Table& table = test.tables[0];
  const Rows rows = fileOf(test, "t5-1_table_throughput.csv");
  ASSERT_EQ(rows.size(), table.rows.size() + 1);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    ASSERT_EQ(rows[r + 1].size(), rows[0].size());
    EXPECT_EQ(rows[r + 1][0], std::get<std::string>(table.rows[r][0]));
    for (std::size_t c = 1; c < table.columns.size(); ++c) {
      const auto& quantity = std::get<results::Quantity>(table.rows[r][c]);
      const std::string& name = table.columns[c];
      const auto cell = [&](const std::string& part) {
        return rows[r + 1][column(rows, name + part)];
      };
      EXPECT_EQ(std::stod(cell("")), quantity.value);
      EXPECT_EQ(cell(" unit"), quantity.unit);
      EXPECT_EQ(cell(" ci95 low").empty(), !quantity.confidence_low.has_value());
      if (quantity.confidence_low) {
        EXPECT_EQ(std::stod(cell(" ci95 low")), *quantity.confidence_low);
        EXPECT_EQ(std::stod(cell(" ci95 high")), *quantity.confidence_high);
        EXPECT_EQ(std::stod(cell(" cv")), *quantity.cv);
      }
      EXPECT_EQ(std::stoul(cell(" repetitions")), quantity.repetitions);
      EXPECT_EQ(cell(" observed"), results::observationPointName(quantity.observed));
    }
  }
}

TEST(Csv, ChartsKeepEveryPoint) {
  const results::TestResult test = sampleReport().tests[2];
  const Rows rows = fileOf(test, "t5-3_chart_capacity.csv");
  std::size_t row = 1;
  for (const results::Series& series : test.charts[0].series) {
    for (std::size_t i = 0; i < series.x.size(); ++i, ++row) {
      ASSERT_LT(row, rows.size());
      EXPECT_EQ(rows[row][0], series.name);
      EXPECT_EQ(rows[row][1], series.reference ? "yes" : "no");
      EXPECT_EQ(std::stod(rows[row][2]), series.x[i]);
      EXPECT_EQ(std::stod(rows[row][3]), series.y[i]);
    }
  }
  EXPECT_EQ(row, rows.size());
}

TEST(Csv, BarsWithNamesKeepTheirNames) {
  results::TestResult test;
  test.id = "T8.4";
  test.charts = {{"jfi",
                  "",
                  results::ChartKind::kBar,
                  "",
                  "JFI",
                  false,
                  false,
                  {{"all", {0, 1}, {0.5, 1}, false}},
                  {"ECMP", "packet spray"}}};
  EXPECT_EQ(fileOf(test, "t8-4_chart_jfi.csv"),
            (Rows{{"series", "reference", "", "JFI", "category"},
                  {"all", "no", "0", "0.5", "ECMP"},
                  {"all", "no", "1", "1", "packet spray"}}));
}

TEST(Csv, ChartsWithTwoAxesHaveAColumnForEach) {
  results::TestResult test;
  test.id = "I6.2";
  results::Chart chart;
  chart.id = "ratio";
  chart.x_label = "workers";
  chart.y_label = "P99 [ms]";
  chart.right_label = "TPS [tokens/s]";
  chart.series = {{"TTFT", {1}, {30}, false}, {"TPS", {1}, {400}, false}};
  chart.series[1].right = true;
  chart.series[1].marked = {0};
  test.charts = {chart};
  test.raw_data = {{"requests", "Every request", "request,done\n0,yes\n"}};
  EXPECT_EQ(fileOf(test, "i6-2_chart_ratio.csv"),
            (Rows{{"series", "reference", "workers", "P99 [ms]", "TPS [tokens/s]", "marked"},
                  {"TTFT", "no", "1", "30", "", "no"},
                  {"TPS", "no", "1", "", "400", "yes"}}));
  EXPECT_EQ(fileOf(test, "i6-2_raw_requests.csv"), (Rows{{"request", "done"}, {"0", "yes"}}));
}

TEST(Csv, HeatMapsAndTimelinesAreLists) {
  results::TestResult test;
  test.id = "T8.1";
  test.heat_maps = {{"links",
                     "",
                     "",
                     "from",
                     "to",
                     "utilisation [%]",
                     {"leaf0", "leaf1"},
                     {"spine0", "spine1"},
                     {{12.5, std::nullopt}, {0, 100}}}};
  EXPECT_EQ(fileOf(test, "t8-1_map_links.csv"), (Rows{{"from", "to", "utilisation [%]"},
                                                      {"leaf0", "spine0", "12.5"},
                                                      {"leaf1", "spine0", "0"},
                                                      {"leaf1", "spine1", "100"}}));
  test.timelines = {{"pauses", "", "", "time [us]", 9, {{"host0-leaf0 p3", {{1, 2.5}, {4, 9}}}}}};
  EXPECT_EQ(fileOf(test, "t8-1_timeline_pauses.csv"),
            (Rows{{"lane", "from: time [us]", "until: time [us]"},
                  {"host0-leaf0 p3", "1", "2.5"},
                  {"host0-leaf0 p3", "4", "9"}}));
}

TEST(Csv, DistributionsRebuildTheHistogram) {
  const results::TestResult test = sampleReport().tests[1];
  const results::Distribution& distribution = test.distributions[4];
  const Rows rows = fileOf(test, "t5-2_distribution_1024-b-90-load.csv");
  EXPECT_EQ(rows[0][0], "lower bound [ps]");
  stats::Histogram rebuilt;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    rebuilt.record(std::stoull(rows[r][0]), std::stoull(rows[r][2]));
    EXPECT_GT(std::stoull(rows[r][1]), std::stoull(rows[r][0]));
  }
  const auto expected = distribution.histogram.cells();
  const auto actual = rebuilt.cells();
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(actual[i].bucket, expected[i].bucket);
    EXPECT_EQ(actual[i].count, expected[i].count);
  }
}

TEST(Csv, KpisKeepNamePointAndValue) {
  const results::TestResult test = sampleReport().tests[1];
  const Rows rows = fileOf(test, "t5-2_all_kpis.csv");
  ASSERT_EQ(rows.size(), test.kpis.size() + 1);
  for (std::size_t i = 0; i < test.kpis.size(); ++i) {
    EXPECT_EQ(rows[i + 1][0], test.kpis[i].name);
    EXPECT_EQ(rows[i + 1][1], test.kpis[i].point);
    EXPECT_EQ(std::stod(rows[i + 1][2]), test.kpis[i].quantity.value);
  }
}

TEST(Csv, HostileTextStaysOneField) {
  results::TestResult test;
  test.id = "../../etc/x";
  const std::string nasty = "a,\"b\"\n;c\r\n=1+1";
  test.tables = {{"../up", "", "", {nasty, "plain"}, {{results::Cell(nasty), results::Cell("x")}}},
                 {"..", "", "", {"c"}, {}}};
  const auto files = renderCsv(test);
  ASSERT_EQ(files.size(), 2U);
  const Rows rows = parseCsv(files[0].content);
  ASSERT_EQ(rows.size(), 2U);
  const std::string shown = "a,\"b\"\n;c\\x0d\n=1+1";  // a carriage return moves the cursor
  EXPECT_EQ(rows[0][0], shown);
  EXPECT_EQ(rows[1][0], shown);
  EXPECT_EQ(files[0].name, "etc-x_table_up.csv");
  EXPECT_EQ(files[1].name, "etc-x_table_unnamed.csv");
}

TEST(Csv, NamesAreUnique) {
  results::TestResult test;
  test.id = "T1";
  for (const char* id : {"a b", "a-b", "A b", "a b"}) test.tables.push_back({id, "", "", {}, {}});
  std::set<std::string> names;
  for (const CsvFile& file : renderCsv(test)) names.insert(file.name);
  EXPECT_EQ(names.size(), 4U);
}

// The report shows the first rows of a long table, and names the file that has all of them.
TEST(Csv, HasAllRowsOfALongTable) {
  results::TestResult test;
  test.id = "free";
  results::Table& table = test.tables.emplace_back();
  table.id = "links";
  table.columns = {"Link"};
  for (int i = 0; i < 5; ++i) table.rows.push_back({fmt::format("leaf{}", i)});
  table.shown_rows = 2;
  const std::string name = tableCsvName(test, table);
  const std::vector<CsvFile> files = renderCsv(test);
  const auto file = std::find_if(files.begin(), files.end(),
                                 [&](const CsvFile& one) { return one.name == name; });
  ASSERT_NE(file, files.end());
  EXPECT_EQ(parseCsv(file->content).size(), 6U);
  const std::string html = tableHtml(table, name);
  EXPECT_NE(html.find("leaf1"), std::string::npos);
  EXPECT_EQ(html.find("leaf2"), std::string::npos);
  EXPECT_NE(html.find("2 of 5 rows; all are in csv/" + name), std::string::npos);
  table.shown_rows = 0;
  EXPECT_NE(tableHtml(table).find("leaf4"), std::string::npos);
  EXPECT_EQ(tableHtml(table).find("rows; all are in"), std::string::npos);
}

}  // namespace
}  // namespace plumbline::report::testing
