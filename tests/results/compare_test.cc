// Two runs side by side: paired and missing figures, and differing conditions.
#include "results/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/json.h"

namespace plumbline::results {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Kpi kpi(const std::string& name, const std::string& point, double value, double deviation = 0,
        std::uint32_t repetitions = 1, const std::string& unit = "Gb/s") {
  Kpi kpi{name, point, {}};
  kpi.quantity.value = value;
  kpi.quantity.unit = unit;
  kpi.quantity.repetitions = repetitions;
  if (repetitions > 1) kpi.quantity.cv = deviation / value;
  return kpi;
}

StoredRun run(std::int64_t id, const std::string& id_of_test, std::vector<Kpi> kpis) {
  StoredRun run;
  run.info.id = id;
  run.info.identity = {"demo", "demo.yaml", "text", "sim", "quick", 1};
  run.info.software = "plumbline 0.1.0";
  run.info.status = RunStatus::kDone;
  TestResult test;
  test.id = id_of_test;
  test.configuration = {{"Topology", "clos2"}, {"Seed", "1"}};
  test.kpis = std::move(kpis);
  run.tests = {test};
  return run;
}

TEST(Compare, FiguresArePairedByTestNamePointAndUnit) {
  const auto comparison = compareRuns(
      run(1, "T9.1", {kpi("z", "p", 50), kpi("a", "p", 0), kpi("a", "q", 3), kpi("b", "p", 1)}),
      run(2, "T9.1",
          {kpi("a", "p", 2), kpi("z", "p", 40), kpi("b", "p", 1, 0, 1, "%"), kpi("c", "p", 9)}));
  // In the order of the first run, not of the alphabet.
  ASSERT_THAT(comparison.kpis, SizeIs(2));
  EXPECT_EQ(comparison.kpis[0].name, "z");
  EXPECT_DOUBLE_EQ(*comparison.kpis[0].change_percent, -20);
  EXPECT_EQ(changeText(comparison.kpis[0]), "-20 %");
  EXPECT_EQ(comparison.kpis[1].name, "a");
  EXPECT_FALSE(comparison.kpis[1].change_percent);
  EXPECT_EQ(changeText(comparison.kpis[1]), "from zero");
  ASSERT_THAT(comparison.only_first, SizeIs(2));
  EXPECT_EQ(comparison.only_first[0].point, "q");
  EXPECT_EQ(comparison.only_first[1].name, "b");
  ASSERT_THAT(comparison.only_second, SizeIs(2));
  EXPECT_EQ(comparison.only_second[0].name, "b");
  EXPECT_EQ(comparison.only_second[1].name, "c");
}

TEST(Compare, TheSameFigureOfAnotherTestIsAnother) {
  const auto comparison =
      compareRuns(run(1, "T9.1", {kpi("a", "p", 1)}), run(2, "T9.2", {kpi("a", "p", 1)}));
  EXPECT_THAT(comparison.kpis, IsEmpty());
  EXPECT_THAT(comparison.only_first, SizeIs(1));
  EXPECT_THAT(comparison.only_second, SizeIs(1));
}

TEST(Compare, ChangesOfNegativeFiguresKeepTheirDirection) {
  const auto comparison =
      compareRuns(run(1, "T", {kpi("a", "p", -10)}), run(2, "T", {kpi("a", "p", -15)}));
  EXPECT_DOUBLE_EQ(*comparison.kpis[0].change_percent, -50);
}

// t and degrees as in welch_test.cc: p = 0.0705 with two standard deviations between the means of
// three repetitions, and 0.0080 with twice as many.
TEST(Compare, SignificanceIsJudgedByTheRepetitions) {
  const auto comparison = compareRuns(run(1, "T",
                                          {kpi("near", "p", 10, 2, 3), kpi("far", "p", 10, 2, 3),
                                           kpi("once", "p", 10), kpi("fixed", "p", 10, 0, 3)}),
                                      run(2, "T",
                                          {kpi("near", "p", 14, 2, 3), kpi("far", "p", 18, 2, 3),
                                           kpi("once", "p", 18), kpi("fixed", "p", 11, 0, 3)}));
  ASSERT_THAT(comparison.kpis, SizeIs(4));
  EXPECT_EQ(significanceText(comparison.kpis[0]), "not significant (p = 0.07)");
  EXPECT_EQ(significanceText(comparison.kpis[1]), "significant (p = 0.008)");
  EXPECT_EQ(significanceText(comparison.kpis[2]), "not testable");
  EXPECT_EQ(significanceText(comparison.kpis[3]), "significant (no scatter)");
  EXPECT_EQ(comparison.count(Significance::kSignificant), 2u);
  EXPECT_EQ(comparison.count(Significance::kWithinScatter), 1u);
  EXPECT_EQ(comparison.count(Significance::kNotTestable), 1u);
}

// Of figures without scatter, known to the width of a bucket: 2 * sqrt(2 * 1/12) of it cover a
// difference of 0.8 and not one of 0.83.
TEST(Compare, WithoutScatterADifferenceExceedsTheResolution) {
  const auto bucket = [](double value) {
    Kpi percentile = kpi("latency_p99_ns", "p", value, 0, 3);
    percentile.quantity.uncertainty.systematic = {{"histogram bucket", 1 / std::sqrt(12.0)}};
    return percentile;
  };
  const auto near = compareRuns(run(1, "T", {bucket(100)}), run(2, "T", {bucket(100.8)}));
  EXPECT_EQ(significanceText(near.kpis.at(0)),
            "not significant (no scatter, within the resolution)");
  const auto far = compareRuns(run(1, "T", {bucket(100)}), run(2, "T", {bucket(100.83)}));
  EXPECT_EQ(significanceText(far.kpis.at(0)), "significant, worse (no scatter)");
  const auto same = compareRuns(run(1, "T", {bucket(100)}), run(2, "T", {bucket(100)}));
  EXPECT_EQ(significanceText(same.kpis.at(0)), "not significant (no scatter)");
}

// More bandwidth is better, a longer time worse; damage done on purpose is neither.
TEST(Compare, BetterAndWorseAreAsTheFigureIsDeclared) {
  const auto comparison =
      compareRuns(run(1, "T",
                      {kpi("busbw_gbps", "p", 10, 2, 3), kpi("jct_us", "p", 10, 2, 3),
                       kpi("damaged_frames", "p", 10, 2, 3), kpi("link_mmr", "p", 10, 2, 3)}),
                  run(2, "T",
                      {kpi("busbw_gbps", "p", 18, 2, 3), kpi("jct_us", "p", 18, 2, 3),
                       kpi("damaged_frames", "p", 18, 2, 3), kpi("link_mmr", "p", 2, 2, 3)}));
  ASSERT_THAT(comparison.kpis, SizeIs(4));
  EXPECT_EQ(significanceText(comparison.kpis[0]), "significant, better (p = 0.008)");
  EXPECT_EQ(significanceText(comparison.kpis[1]), "significant, worse (p = 0.008)");
  EXPECT_EQ(significanceText(comparison.kpis[2]), "significant (p = 0.008)");
  EXPECT_EQ(significanceText(comparison.kpis[3]), "significant, better (p = 0.008)");
}

// Two runs of one scenario whose trace changed in between are not the same measurement.
TEST(Compare, FilesOfOtherContentAreACondition) {
  StoredRun first = run(1, "free", {});
  StoredRun second = run(2, "free", {});
  first.info.identity.files =
      "a, b.csv, 10 bytes, 0123456789abcdef\nsame.csv, 5 bytes, 00000000000000aa\n";
  second.info.identity.files =
      "a, b.csv, 10 bytes, fedcba9876543210\nsame.csv, 5 bytes, 00000000000000aa\n";
  const auto conditions = compareRuns(first, second).conditions;
  ASSERT_THAT(conditions, SizeIs(1));
  EXPECT_EQ(conditions[0].name, "File a, b.csv");
  EXPECT_EQ(conditions[0].first, "10 bytes, 0123456789abcdef");
  EXPECT_EQ(conditions[0].second, "10 bytes, fedcba9876543210");
}

TEST(Compare, WhatDiffersAroundTheFiguresIsNamed) {
  StoredRun first = run(1, "T9.1", {});
  StoredRun second = run(2, "T9.1", {});
  EXPECT_THAT(compareRuns(first, second).conditions, IsEmpty());
  second.info.software = "plumbline 0.2.0";
  second.tests[0].configuration = {{"Topology", "clos3"}, {"Seed", "1"}, {"PFC", "off"}};
  std::vector<std::string> lines;
  for (const DifferingCondition& one : compareRuns(first, second).conditions) {
    lines.push_back(one.test + "|" + one.name + "|" + one.first + "|" + one.second);
  }
  EXPECT_THAT(lines, ElementsAre("|Software|plumbline 0.1.0|plumbline 0.2.0",
                                 "T9.1|Topology|clos2|clos3", "T9.1|PFC||off"));
}

TEST(Compare, AnAnomalyOfOneRunIsACondition) {
  StoredRun first = run(1, "free", {});
  StoredRun second = run(2, "free", {});
  first.tests[0].anomalies = {{"CV above 5 %", "64 B"}};
  second.tests[0].anomalies = {{"CV above 5 %", "64 B"}, {"216 packets dropped", ""}};
  const auto conditions = compareRuns(first, second).conditions;
  ASSERT_THAT(conditions, SizeIs(1));
  EXPECT_EQ(conditions[0].test, "free");
  EXPECT_EQ(conditions[0].first, "");
  EXPECT_EQ(conditions[0].second, "216 packets dropped");
}

TEST(Compare, KeysThatDifferAreNamedWhateverTheirOrder) {
  using Keys = std::vector<std::pair<std::string, std::string>>;
  const Keys first{{"name", "a"},
                   {"dut.switch.ecn.kmin", "200KB"},
                   {"dut.switch.pfc", "{}"},
                   {"dut.switch.buffer", "64MB"},
                   {"workload.size", "16MiB"}};
  const Keys second{{"name", "b"},
                    {"workload.size", "8MiB"},
                    {"dut.switch.pfc.headroom", "1KB"},
                    {"dut.switch.ecn.kmin", "20KB"}};
  EXPECT_THAT(differingKeys(first, second),
              ElementsAre(DifferingKey{"dut.switch.ecn.kmin", "200KB", "20KB"},
                          DifferingKey{"dut.switch.buffer", "64MB", std::nullopt},
                          DifferingKey{"workload.size", "16MiB", "8MiB"},
                          DifferingKey{"dut.switch.pfc.headroom", std::nullopt, "1KB"}));
  EXPECT_THAT(differingKeys(first, first), IsEmpty());
}

TEST(Compare, JsonHoldsTheTest) {
  const auto json = nlohmann::json::parse(
      comparisonJson(compareRuns(run(1, "T", {kpi("near", "p", 10, 2, 3), kpi("gone", "p", 1)}),
                                 run(2, "T", {kpi("near", "p", 14, 2, 3)}))));
  EXPECT_EQ(json["format"], "plumbline-comparison");
  EXPECT_EQ(json["scenario"], nlohmann::json::array());
  EXPECT_EQ(json["first"]["run"], 1);
  EXPECT_EQ(json["second"]["run"], 2);
  ASSERT_EQ(json["kpis"].size(), 1u);
  const auto& near = json["kpis"][0];
  EXPECT_EQ(near["first"]["value"], 10);
  EXPECT_EQ(near["second"]["repetitions"], 3);
  EXPECT_DOUBLE_EQ(near["change_percent"], 40);
  EXPECT_EQ(near["significance"], "not significant");
  EXPECT_NEAR(near["t"].get<double>(), std::sqrt(6.0), 1e-12);
  EXPECT_NEAR(near["degrees_of_freedom"].get<double>(), 4, 1e-12);
  EXPECT_NEAR(near["p"].get<double>(), 0.0705, 5e-5);
  ASSERT_EQ(json["only_first"].size(), 1u);
  EXPECT_EQ(json["only_first"][0]["name"], "gone");
  EXPECT_TRUE(json["only_second"].empty());
}

}  // namespace
}  // namespace plumbline::results
