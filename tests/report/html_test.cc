// The HTML report: well-formed, self-contained, complete, in order, and safe for any names.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/report/sample_report.h"
#include "tests/report/xml.h"

namespace plumbline::report::testing {
namespace {

using results::Quantity;

// All exact values in the document's <data> elements.
std::multiset<double> dataValues(const Element& document) {
  std::multiset<double> values;
  for (const Element* one : document.all("data"))
    values.insert(std::stod(one->attributes.at("value")));
  return values;
}

void expectContains(const std::multiset<double>& values, const Quantity& quantity) {
  EXPECT_EQ(values.count(quantity.value) > 0, true) << quantity.value;
}

TEST(Html, IsWellFormedForAnIndependentParser) {
  if (!std::filesystem::exists("/usr/bin/python3")) GTEST_SKIP() << "/usr/bin/python3 is missing";
  const std::filesystem::path file =
      std::filesystem::path(::testing::TempDir()) / "plumbline_report_test.html";
  std::ofstream(file) << renderHtml(sampleReport());
  const std::string command =
      "/usr/bin/python3 -c \"import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])\" " +
      file.string();
  EXPECT_EQ(std::system(command.c_str()), 0);  // NOLINT: a fixed command line
  std::filesystem::remove(file);
}

TEST(Html, ContainsEveryNumber) {
  const ReportInput input = sampleReport();
  const Element document = parseXml(renderHtml(input));
  const std::multiset<double> values = dataValues(document);
  std::size_t checked = 0;
  for (const results::TestResult& test : input.tests) {
    for (const Quantity& one : test.primary) {
      expectContains(values, one);
      EXPECT_GT(values.count(*one.confidence_low), 0U);
      EXPECT_GT(values.count(*one.confidence_high), 0U);
      EXPECT_GT(values.count(*one.cv), 0U);
    }
    std::vector<results::Table> tables = test.tables;
    tables.push_back(test.repeatability);
    for (const results::Table& table : tables) {
      for (const auto& row : table.rows) {
        for (const results::Cell& cell : row) {
          if (const auto* quantity = std::get_if<Quantity>(&cell)) {
            expectContains(values, *quantity);
            ++checked;
          } else {
            EXPECT_NE(document.text.find(std::get<std::string>(cell)), std::string::npos);
          }
        }
      }
    }
    for (const results::Kpi& kpi : test.kpis) expectContains(values, kpi.quantity);
    for (const results::Distribution& one : test.distributions) {
      EXPECT_GT(values.count(static_cast<double>(one.histogram.count())), 0U);
    }
    for (const auto& [name, value] : test.configuration) {
      EXPECT_NE(document.text.find(value), std::string::npos) << name;
    }
    for (const results::Anomaly& one : test.anomalies) {
      EXPECT_NE(document.text.find(one.what), std::string::npos);
    }
    for (const results::Deviation& one : test.deviations) {
      EXPECT_NE(document.text.find(one.what), std::string::npos);
    }
    EXPECT_NE(document.text.find(test.summary), std::string::npos);
  }
  EXPECT_GT(checked, 30U);
  for (const KeyValues& pairs : {input.dut, input.tester, input.host}) {
    for (const auto& [name, value] : pairs) {
      EXPECT_NE(document.text.find(name), std::string::npos);
      EXPECT_NE(document.text.find(value), std::string::npos);
    }
  }
  EXPECT_NE(document.text.find(input.scenario), std::string::npos);
}

TEST(Html, LatencyTableIsExactFromTheHistogram) {
  ReportInput input = sampleReport();
  input.tests = {input.tests[1]};
  const std::multiset<double> values = dataValues(parseXml(renderHtml(input)));
  for (const results::Distribution& one : input.tests[0].distributions) {
    EXPECT_GT(values.count(static_cast<double>(one.histogram.minimum())), 0U);
    EXPECT_GT(values.count(static_cast<double>(one.histogram.quantile(0.999))), 0U);
    EXPECT_GT(values.count(static_cast<double>(one.histogram.maximum())), 0U);
  }
}

TEST(Html, PartsComeInOrder) {
  const std::string html = renderHtml(sampleReport());
  std::size_t last = 0;
  for (const char* part : {"<h1>",
                           ">At a glance<",
                           "1 warning about the scenario:",
                           "headroom 100 KB is below",
                           "<strong>Limits:</strong>",
                           "Not valid:",
                           ">Main figures<",
                           "Zero-loss throughput",
                           "<svg",
                           "T5.1 Baseline throughput</h2>",
                           "Key figures",
                           "Configuration of the test",
                           "Zero-loss throughput per",
                           ">Anomalies</h3>",
                           ">Deviations from the methodology (2)<",
                           ">Repeatability<",
                           "T5.2 Latency</h2>",
                           "Latency statistics",
                           "Cumulative distribution",
                           "Histogram: 64 B",
                           "T5.3 Back-to-back burst</h2>",
                           "Device under test</h2>",
                           "Not stated: vendor, model, ASIC, operating system",
                           ">Topology<",
                           ">Cabling<",
                           ">Configuration<",
                           ">Tester<",
                           ">Host<",
                           ">Figures, tests and observation",
                           "Appendix: figures",
                           "Appendix: scenario"}) {
    const std::size_t at = html.find(part, last);
    ASSERT_NE(at, std::string::npos) << part << " is missing or too early";
    last = at;
  }
}

TEST(Html, LoadsNothingAndRunsNothing) {
  const std::string html = renderHtml(sampleReport());
  for (const char* banned : {"http:", "https:", "<script", "url(", "@import", "src=", "<link",
                             "<iframe", "<object", "<embed", "javascript:", "onload"}) {
    EXPECT_EQ(html.find(banned), std::string::npos) << banned;
  }
  const Element document = parseXml(html);
  for (const Element* link : document.all("a")) {
    EXPECT_EQ(link->attributes.at("href").front(), '#');
  }
}

// Puts `text` everywhere a text can be.
ReportInput hostileReport(const std::string& text) {
  ReportInput input;
  input.title = input.run_id = input.started = input.finished = input.scenario = text;
  input.dut_identity = input.dut = input.tester = input.host = {{text, text}};
  input.failures = {{text, nanoseconds(1), nanoseconds(2)}};
  input.topology.emplace();
  results::TestResult test;
  test.id = test.title = test.section = test.profile = test.summary = text;
  test.configuration = {{text, text}};
  test.primary = {{1, text, ObservationPoint::kTester, 1, {}, {}, {}}};
  test.primary_names = {text};
  test.kpis = {{text, text, test.primary[0]}};
  test.tables = {
      {text, text, text, {text}, {{results::Cell(text)}, {results::Cell(test.primary[0])}}}};
  test.repeatability = test.tables[0];
  for (const auto kind :
       {results::ChartKind::kLine, results::ChartKind::kBar, results::ChartKind::kStep}) {
    test.charts.push_back({text, text, kind, text, text, false, false, {{text, {1}, {2}, false}}});
  }
  test.charts.push_back({text,
                         text,
                         results::ChartKind::kBar,
                         text,
                         text,
                         false,
                         false,
                         {{text, {0}, {2}, false}},
                         {text}});
  test.heat_maps = {{text, text, text, text, text, text, {text}, {text}, {{1.0}}}};
  test.timelines = {{text, text, text, text, 10, {{text, {{1, 2}}}}}};
  test.distributions = {sampleDistribution(text, 1000, 10, 10), sampleDistribution(text, 9, 1, 5)};
  for (results::Distribution& one : test.distributions) one.unit = text;
  test.anomalies = {{text, text}};
  test.deviations = {{text, text}};
  input.warnings = {text};
  input.limits = {{text, true, 1, LimitOutcome::State::kMissed, test.primary[0], text},
                  {text, false, 1, LimitOutcome::State::kNotMeasured, {}, {}}};
  // A table too wide for a page.
  test.tables.push_back({text, text, text, {}, {{}, {}}});
  for (std::size_t i = 0; i < 20; ++i) {
    test.tables.back().columns.push_back(text);
    for (auto& row : test.tables.back().rows) row.emplace_back(text);
  }
  input.tests = {test, test};
  return input;
}

TEST(Html, HostileNamesStayText) {
  for (const std::string& text :
       {std::string("<script>alert(1)</script>"), std::string("\"><img src=x onerror=y>"),
        std::string("]]>&nbsp;<!--"), std::string("'};</style>"), std::string("\0\x01\xFF", 3)}) {
    const ReportInput input = hostileReport(text);
    const std::string html = renderHtml(input);
    Element document;
    ASSERT_NO_THROW(document = parseXml(html));
    EXPECT_TRUE(document.all("script").empty());
    EXPECT_TRUE(document.all("img").empty());
    for (const Element* one : document.all("data")) {
      EXPECT_LE(one->attributes.size(), 2U);  // value and title, for any unit
    }
    EXPECT_EQ(document.all("style").size(), 1U);
    const auto headings = document.all("h1");
    ASSERT_EQ(headings.size(), 1U);
    if (text.find('\xFF') == std::string::npos) {
      EXPECT_EQ(headings[0]->text, text);
    }
  }
}

TEST(Html, EmptyReportIsStillAReport) {
  Element document;
  ASSERT_NO_THROW(document = parseXml(renderHtml(ReportInput{})));
  EXPECT_NE(document.text.find("No test was completed."), std::string::npos);
  EXPECT_NE(document.text.find("not finished"), std::string::npos);
}

TEST(Html, InvalidAndNoisyResultsStandOut) {
  const Element document = parseXml(renderHtml(sampleReport()));
  std::size_t invalid = 0;
  for (const Element* one : document.all("p")) {
    const auto style = one->attributes.find("class");
    if (style != one->attributes.end() && style->second == "invalid") ++invalid;
  }
  EXPECT_EQ(invalid, 1U);  // T5.3 only
  // The CV of 7.13 % is marked, the one of 0.12 % is not.
  std::vector<std::string> notable;
  for (const Element* one : document.all("strong")) {
    const auto style = one->attributes.find("class");
    if (style != one->attributes.end() && style->second == "notable") notable.push_back(one->text);
  }
  EXPECT_EQ(notable, std::vector<std::string>{"7.13 %"});
}

TEST(Html, MixedObservationPointsAreMarkedCellByCell) {
  const Element document = parseXml(renderHtml(sampleReport()));
  EXPECT_NE(document.text.find("T = tester, at the DUT's ports, M = modelled"), std::string::npos);
  std::size_t modelled = 0;
  for (const Element* one : document.all("sup")) {
    if (one->text == "M") ++modelled;
  }
  EXPECT_EQ(modelled, 10U);  // two modelled columns of five rows
}

}  // namespace
}  // namespace plumbline::report::testing
