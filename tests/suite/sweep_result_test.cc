// Points of a sweep folded into one result, compared with the input.
#include "suite/framework/sweep_result.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace plumbline::suite {
namespace {

using results::TestResult;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

results::Quantity ns(double value) {
  results::Quantity quantity;
  quantity.value = value;
  quantity.unit = "ns";
  return quantity;
}

// Latency at two points of the test, loss at one of them.
TestResult testAt(double latency) {
  TestResult test;
  test.id = "T5.2";
  test.title = "Latency";
  test.section = "training draft, section 5.2";
  test.profile = "quick";
  test.configuration = {{"Seed", "1"}, {"Switches", fmt::format("{}", latency)}};
  test.kpis = {{"latency_p99_ns", "64 B", ns(latency)},
               {"latency_p99_ns", "1024 B", ns(latency + 1)},
               {"loss_ppm", "1024 B", {}}};
  test.repeatability = {"repeatability", "Repeatability", "", {"Point", "CV"}, {{"64 B", "0.1"}}};
  test.deviations = {{"no warm-up", ""}};
  return test;
}

const std::vector<scenario::SweepAxis> kAxes{{"dut.switch.latency", {"2us", "300ns"}},
                                             {"traffic.qps", {"1", "4"}}};

std::vector<SweepPointResult> fourPoints() {
  std::vector<SweepPointResult> points;
  for (const auto& [latency, value] : {std::pair{"2us", 2000.0}, std::pair{"300ns", 300.0}}) {
    for (const char* qps : {"1", "4"}) {
      points.push_back({fmt::format("latency {}, qps {}", latency, qps),
                        {latency, qps},
                        {testAt(value + std::stod(qps))}});
    }
  }
  return points;
}

std::string textOf(const results::Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text != nullptr ? *text : fmt::format("{}", std::get<results::Quantity>(cell).value);
}

TEST(SweepResultTest, EveryFigureIsThereOnceUnderThePointOfTheSweep) {
  const auto folded = foldSweep(kAxes, fourPoints());
  ASSERT_THAT(folded, SizeIs(1));
  EXPECT_EQ(folded[0].id, "T5.2");
  ASSERT_THAT(folded[0].kpis, SizeIs(12));
  EXPECT_EQ(folded[0].kpis[3].name, "latency_p99_ns");
  EXPECT_EQ(folded[0].kpis[3].point, "latency 2us, qps 4: 64 B");
  EXPECT_EQ(folded[0].kpis[3].quantity.value, 2004);
  EXPECT_TRUE(folded[0].valid);
}

TEST(SweepResultTest, TheTableHasARowPerPointOfBoth) {
  const auto folded = foldSweep(kAxes, fourPoints());
  const results::Table& table = folded[0].tables.at(0);
  EXPECT_THAT(table.columns, ElementsAre("dut.switch.latency", "traffic.qps", "Point",
                                         "latency_p99_ns", "loss_ppm"));
  ASSERT_THAT(table.rows, SizeIs(8));
  std::vector<std::string> row;
  for (const auto& cell : table.rows[4]) row.push_back(textOf(cell));
  EXPECT_THAT(row, ElementsAre("300ns", "1", "64 B", "301", "-"));
}

TEST(SweepResultTest, ChartsAreOverTheFirstAxisOfNumbersInOneUnit) {
  const auto folded = foldSweep(kAxes, fourPoints());
  ASSERT_THAT(folded[0].charts, SizeIs(2));
  const results::Chart& chart = folded[0].charts[0];
  EXPECT_EQ(chart.x_label, "dut.switch.latency [us]");
  EXPECT_EQ(chart.y_label, "latency_p99_ns [ns]");
  EXPECT_EQ(chart.kind, results::ChartKind::kLine);
  EXPECT_FALSE(chart.log_x);  // less than a decade
  ASSERT_THAT(chart.series, SizeIs(4));
  EXPECT_EQ(chart.series[0].name, "qps 1: 64 B");
  EXPECT_THAT(chart.series[0].x, ElementsAre(0.3, 2));  // ascending, whatever the file's order
  EXPECT_THAT(chart.series[0].y, ElementsAre(301, 2001));
  EXPECT_THAT(chart.series[3].y, ElementsAre(305, 2005));
}

// The x axis of a sweep over one key with these values.
results::Chart chartOver(const std::vector<std::string>& values) {
  std::vector<SweepPointResult> points;
  points.reserve(values.size());
  for (const std::string& value : values) points.push_back({"x " + value, {value}, {testAt(1)}});
  return foldSweep({{"a.x", values}}, points).at(0).charts.at(0);
}

TEST(SweepResultTest, ValuesAreReadInTheirUnits) {
  EXPECT_THAT(chartOver({"1KiB", "64B"}).series[0].x, ElementsAre(64, 1024));
  EXPECT_EQ(chartOver({"1KiB", "64B"}).x_label, "a.x [B]");
  EXPECT_TRUE(chartOver({"1KiB", "64B"}).log_x);
  EXPECT_THAT(chartOver({"100G", "400G"}).series[0].x, ElementsAre(100, 400));
  EXPECT_THAT(chartOver({"12.5%", "50%"}).series[0].x, ElementsAre(12.5, 50));
  EXPECT_THAT(chartOver({"1", "2"}).series[0].x, ElementsAre(1, 2));
  const results::Chart words = chartOver({"ecmp", "spray"});
  EXPECT_EQ(words.kind, results::ChartKind::kBar);
  EXPECT_THAT(words.categories, ElementsAre("ecmp", "spray"));
  EXPECT_THAT(words.series[0].x, ElementsAre(0, 1));
  EXPECT_EQ(chartOver({"1us", "1KB"}).kind, results::ChartKind::kBar);  // no common unit
}

TEST(SweepResultTest, AWordedAxisLeavesTheChartToOneOfNumbers) {
  std::vector<SweepPointResult> points;
  for (const char* word : {"ecmp", "spray"}) {
    for (const char* number : {"1", "2"}) {
      points.push_back({std::string(word) + number, {word, number}, {testAt(1)}});
    }
  }
  const auto folded = foldSweep({{"a", {"ecmp", "spray"}}, {"b", {"1", "2"}}}, points);
  EXPECT_EQ(folded[0].charts[0].x_label, "b");
  EXPECT_EQ(folded[0].charts[0].series[0].name, "a ecmp: 64 B");
}

TEST(SweepResultTest, WhatPointsShareIsSaidOnceAndTheRestByPoint) {
  auto points = fourPoints();
  points[1].tests[0].anomalies.push_back({"CV above 5 %", "64 B"});
  points[3].tests[0].deviations.push_back({"repetitions: 2 instead of 3", ""});
  points[2].tests[0].valid = false;
  const TestResult folded = foldSweep(kAxes, points).at(0);
  ASSERT_THAT(folded.deviations, SizeIs(2));
  EXPECT_EQ(folded.deviations[0].where, "");
  EXPECT_EQ(folded.deviations[1].where, "latency 300ns, qps 4");
  ASSERT_THAT(folded.anomalies, SizeIs(1));
  EXPECT_EQ(folded.anomalies[0].where, "latency 2us, qps 4: 64 B");
  EXPECT_FALSE(folded.valid);
  EXPECT_THAT(folded.configuration, Contains(std::pair<std::string, std::string>("Seed", "1")));
  EXPECT_THAT(folded.configuration,
              Contains(std::pair<std::string, std::string>("Swept: traffic.qps", "1, 4")));
  for (const auto& line : folded.configuration) EXPECT_NE(line.first, "Switches");
  ASSERT_THAT(folded.repeatability.rows, SizeIs(4));
  EXPECT_EQ(textOf(folded.repeatability.rows[3][0]), "latency 300ns, qps 4: 64 B");
}

TEST(SweepResultTest, TestsThatOnlySomePointsHaveAreFoldedFromThose) {
  auto points = fourPoints();
  points[3].tests.push_back(testAt(9));
  points[3].tests[1].id = "T5.3";
  const auto folded = foldSweep(kAxes, points);
  ASSERT_THAT(folded, SizeIs(2));
  EXPECT_EQ(folded[1].id, "T5.3");
  EXPECT_THAT(folded[1].kpis, SizeIs(3));
  EXPECT_THAT(folded[1].summary, HasSubstr("1 point of a sweep"));
}

TestResult lacking(std::vector<std::string> senders) {
  TestResult test = testAt(1);
  test.deviations = {results::missingFromSweep("Senders", std::move(senders))};
  return test;
}

// Two values of a test's own sweep, measured one in each point, on two DUTs. The second DUT is too
// small for 8.
TEST(SweepResultTest, AValueThatAnotherPointOfTheDutHasIsNotMissing) {
  const std::vector<scenario::SweepAxis> axes{{"dut.topology.hosts", {"16", "8"}},
                                              {"parameters.incast_ratios", {"2", "8"}}};
  const std::vector<SweepPointResult> points{
      {"hosts 16, ratio 2", {"16", "2"}, {lacking({"4", "8"})}},
      {"hosts 16, ratio 8", {"16", "8"}, {lacking({"2", "4"})}},
      {"hosts 8, ratio 2", {"8", "2"}, {lacking({"4", "8"})}}};
  const TestResult folded = foldSweep(axes, points).at(0);
  ASSERT_THAT(folded.deviations, SizeIs(3));
  EXPECT_EQ(folded.deviations[0].what, "Senders not measured: 4");
  EXPECT_EQ(folded.deviations[0].where, "hosts 16, ratio 2");
  EXPECT_EQ(folded.deviations[1].where, "hosts 16, ratio 8");
  EXPECT_EQ(folded.deviations[2].what, "Senders not measured: 4, 8");
  EXPECT_EQ(folded.deviations[2].where, "hosts 8, ratio 2");
  // On one DUT all points lack the same.
  const TestResult of_one = foldSweep(axes, {points[0], points[1]}).at(0);
  ASSERT_THAT(of_one.deviations, SizeIs(1));
  EXPECT_EQ(of_one.deviations[0].what, "Senders not measured: 4");
  EXPECT_EQ(of_one.deviations[0].where, "");
}

TEST(SweepResultTest, AKpiThatOnePointLacksHasItsName) {
  auto points = fourPoints();
  points[1].tests[0].unmeasured.push_back({"loss_ppm", "64 B"});
  const TestResult folded = foldSweep(kAxes, points).at(0);
  ASSERT_THAT(folded.unmeasured, SizeIs(1));
  EXPECT_EQ(folded.unmeasured[0].name, "loss_ppm");
  EXPECT_EQ(folded.unmeasured[0].point, "latency 2us, qps 4: 64 B");
}

}  // namespace
}  // namespace plumbline::suite
