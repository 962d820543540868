#include "gui/data/stored_run.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "gui/data/comparison.h"
#include "results/test_result.h"

namespace plumbline::gui {
namespace {

using Json = nlohmann::json;

// Written by the writer of the results, read by the window's own reader.
results::TestResult sampleTest() {
  results::TestResult test;
  test.id = "T5.2";
  test.title = "Latency";
  test.section = "training draft, section 5.2";
  test.profile = "quick";
  test.summary = "P99 1.2 µs.";
  results::Quantity p99{1234.5, "ns", ObservationPoint::kTester, 3, 0.02, 1200.0, 1269.0};
  test.kpis = {{"latency_p99_ns", "64 B", p99}};
  test.tables = {{"latency", "Latency", "", {"Size", "P99"}, {{std::string("64 B"), p99}}}};
  results::Chart chart;
  chart.id = "p99_vs_load";
  chart.title = "P99 over load";
  chart.x_label = "load [%]";
  chart.y_label = "P99 [ns]";
  chart.log_y = true;
  chart.series = {{"64 B", {10, 50}, {900, 1234.5}, false}, {"theory", {10, 50}, {800, 800}, true}};
  test.charts = {chart};
  results::Distribution distribution;
  distribution.id = "latency_64";
  distribution.title = "64 B, 50 % load";
  distribution.histogram.record(620'000, 99);
  distribution.histogram.record(1'234'500, 1);
  test.distributions = {distribution};
  test.timelines = {{"pauses", "Pauses", "", "time [us]", 100, {{"a-b p3", {{1, 2.5}, {3, 4}}}}}};
  test.anomalies = {{"CV above 5 %", "64 B"}};
  test.deviations = {{"1 repetition instead of 20", "bench"}};
  test.repeatability = {"repeatability", "Repeatability", "", {"Metric"}, {}};
  return test;
}

Json sampleRun() {
  return {{"run", 7},
          {"created", "2026-02-26T14:03:59Z"},
          {"finished", "2026-02-26T14:04:09Z"},
          {"software", "plumbline 0.1.0"},
          {"machine", "test"},
          {"status", "done"},
          {"scenario_name", "latency"},
          {"scenario", "plumbline: 1\n"},
          {"bench", "sim"},
          {"profile", "quick"},
          {"seed", 1},
          {"trials", 2},
          {"tests", Json::array({Json::parse(sampleTest().toJson())})}};
}

// The results' uncertainty and percentiles are preserved.
TEST(StoredRun, KeepsUncertaintyAndPercentile) {
  results::TestResult test = sampleTest();
  results::Quantity& p99 = test.kpis[0].quantity;
  p99.percentile = results::Percentile{0.99, 120};
  p99.uncertainty.systematic = {{"timestamp resolution 3.1 ns", 1.25}};
  p99.uncertainty.least = 0;
  test.charts[0].series[0].few_samples = {1};
  for (const auto statistics :
       {results::Statistics::kRepetitions, results::Statistics::kBatches,
        results::Statistics::kIdentical, results::Statistics::kDeterministic}) {
    const bool scatters = statistics == results::Statistics::kRepetitions ||
                          statistics == results::Statistics::kBatches;
    p99.uncertainty.statistics = statistics;
    p99.uncertainty.statistical = {};
    if (scatters) p99.uncertainty.statistical = {8, 2};
    p99.uncertainty.batches = statistics == results::Statistics::kBatches ? 3 : 0;
    Json run = sampleRun();
    run["tests"] = Json::array({Json::parse(test.toJson())});
    const StoredRunResult result = parseStoredRun(run.dump());
    ASSERT_TRUE(result.run) << result.error;
    const results::Quantity back = resultsQuantity(result.run->tests[0].kpis[0].quantity);
    EXPECT_EQ(back.uncertainty, p99.uncertainty) << results::statisticsName(statistics);
    EXPECT_EQ(back.percentile, p99.percentile);
    EXPECT_EQ(result.run->tests[0].charts[0].series[0].few_samples.size(), 1U);
  }
}

// Plots have one ordinate: a chart with two becomes two charts, each with its own label.
TEST(StoredRun, AChartWithTwoAxesIsTwo) {
  results::TestResult test = sampleTest();
  results::Chart& chart = test.charts[0];
  chart.y_label = "P99 [ms]";
  chart.right_label = "TPS [tokens/s]";
  chart.log_y = true;
  chart.series[1].right = true;
  chart.series[1].marked = {0};
  Json run = sampleRun();
  run["tests"] = Json::array({Json::parse(test.toJson())});
  const StoredRunResult result = parseStoredRun(run.dump());
  ASSERT_TRUE(result.run) << result.error;
  const std::vector<StoredChart>& charts = result.run->tests[0].charts;
  ASSERT_EQ(charts.size(), 2U);
  EXPECT_EQ(charts[0].title, chart.title + ": P99 [ms]");
  ASSERT_EQ(charts[0].series.size(), 1U);
  EXPECT_EQ(charts[0].series[0].y, chart.series[0].y);
  EXPECT_EQ(charts[1].title, chart.title + ": TPS [tokens/s]");
  EXPECT_EQ(charts[1].y_label, "TPS [tokens/s]");
  EXPECT_FALSE(charts[1].log_y);
  ASSERT_EQ(charts[1].series.size(), 1U);
  EXPECT_EQ(charts[1].series[0].y, chart.series[1].y);
  EXPECT_EQ(charts[1].series[0].marked, std::vector<std::uint64_t>{0});
}

TEST(StoredRun, ReadsWhatTheResultsWrite) {
  const StoredRunResult result = parseStoredRun(sampleRun().dump());
  ASSERT_TRUE(result.run) << result.error;
  const StoredRun& run = *result.run;
  EXPECT_EQ(run.run, 7U);
  EXPECT_EQ(run.scenario_name, "latency");
  ASSERT_EQ(run.tests.size(), 1U);
  const StoredTest& test = run.tests[0];
  const results::TestResult expected = sampleTest();
  EXPECT_EQ(test.summary, expected.summary);
  EXPECT_TRUE(test.valid);
  ASSERT_EQ(test.kpis.size(), 1U);
  EXPECT_EQ(test.kpis[0].quantity.value, 1234.5);
  EXPECT_EQ(test.kpis[0].quantity.confidence_high, 1269.0);
  EXPECT_EQ(test.kpis[0].quantity.observed, "tester");
  ASSERT_EQ(test.tables[0].rows.size(), 1U);
  EXPECT_EQ(test.tables[0].rows[0][0].text, "64 B");
  EXPECT_EQ(test.tables[0].rows[0][1].quantity->value, 1234.5);
  ASSERT_EQ(test.charts[0].series.size(), 2U);
  EXPECT_EQ(test.charts[0].series[0].y, expected.charts[0].series[0].y);
  EXPECT_TRUE(test.charts[0].series[1].reference);
  EXPECT_TRUE(test.charts[0].log_y);
  const stats::Histogram& histogram = test.distributions[0].histogram;
  EXPECT_EQ(histogram.count(), 100U);
  EXPECT_EQ(histogram.quantile(0.99), expected.distributions[0].histogram.quantile(0.99));
  EXPECT_EQ(histogram.mean(), expected.distributions[0].histogram.mean());
  EXPECT_EQ(test.timelines[0].lanes[0].spans[1].until, 4);
  EXPECT_EQ(test.anomalies[0].where, "64 B");
  ASSERT_EQ(test.deviations.size(), 1U);
  EXPECT_EQ(test.deviations[0].what, "1 repetition instead of 20");
}

TEST(StoredRun, SaysWhatIsWrong) {
  EXPECT_EQ(parseStoredRun("not JSON").error, "this is not JSON");
  EXPECT_EQ(parseStoredRun("[]").error, "the document is not an object");
  EXPECT_EQ(parseStoredRun("{}").error, "\"run\" is missing");
  Json wrong_type = sampleRun();
  wrong_type["run"] = -1;
  EXPECT_EQ(parseStoredRun(wrong_type.dump()).error, "\"run\" is not a whole number");
  Json no_test = sampleRun();
  no_test["tests"] = 5;
  EXPECT_EQ(parseStoredRun(no_test.dump()).error, "\"tests\" is not a list");
}

TEST(StoredRun, RefusesHistogramsThatContradictThemselves) {
  const auto error_of = [](const char* member, const Json& value) {
    Json json = sampleRun();
    json["tests"][0]["distributions"][0]["histogram"][member] = value;
    const StoredRunResult result = parseStoredRun(json.dump());
    EXPECT_FALSE(result.run);
    return result.error;
  };
  EXPECT_EQ(error_of("cells", {{100000, 1}}), "a bucket does not exist");
  EXPECT_EQ(error_of("cells", {{20, 1}, {10, 1}}), "cells do not ascend");
  EXPECT_EQ(error_of("cells", {{20}}), "a cell is not two numbers");
  EXPECT_FALSE(error_of("minimum", 1).empty());  // outside the first occupied bucket
}

TEST(StoredRun, RefusesRowsThatAreNotTheirTables) {
  Json json = sampleRun();
  json["tests"][0]["tables"][0]["rows"][0].push_back("one too many");
  EXPECT_EQ(parseStoredRun(json.dump()).error, "a row does not have its table's columns");
}

}  // namespace
}  // namespace plumbline::gui
