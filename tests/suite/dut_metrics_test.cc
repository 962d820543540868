// Text of metrics that a DUT reports, and the resulting series.
#include "suite/framework/dut_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<DutMetric> metricsOf(std::string_view text,
                                 DutMetricTimes times = DutMetricTimes::kGiven) {
  DutMetrics parsed = parseDutMetrics(text, times);
  if (const auto& error = parsed.first) {
    ADD_FAILURE() << error->line << ":" << error->column << ": " << error->what;
  }
  return std::move(parsed.metrics);
}

// "2:5: what"
std::string mistake(std::string_view text, DutMetricTimes times = DutMetricTimes::kGiven) {
  const std::optional<DutMetricError> error = parseDutMetrics(text, times).first;
  if (!error) return "none";
  return std::to_string(error->line) + ":" + std::to_string(error->column) + ": " + error->what;
}

TEST(DutMetrics, AreReadWithTimesAndWithout) {
  EXPECT_THAT(metricsOf("time_s,metric,value\r\n0,memory_bytes,1e9\n\n 1.5 , cpu , -2.25 # x\n"),
              ElementsAre(DutMetric{0, "memory_bytes", 1e9}, DutMetric{1.5, "cpu", -2.25}));
  EXPECT_THAT(metricsOf("metric,value\nl2/table.entries-max,17", DutMetricTimes::kAbsent),
              ElementsAre(DutMetric{0, "l2/table.entries-max", 17}));
  EXPECT_THAT(metricsOf("# nothing\n"), ElementsAre());
}

TEST(DutMetrics, AreReadAsOtherProgramsWriteThem) {
  for (const char* text : {"\xEF\xBB\xBFtime_s,metric,value\r\n0,memory_bytes,1e9\r\n1.5,cpu,-2.25",
                           "\"Time_s\",\"Metric\",\"Value\"\n\"0\",\"memory_bytes\",\"1E+09\"\n\"1."
                           "5\",\"cpu\",\"-2.25\"\n"}) {
    EXPECT_THAT(metricsOf(text),
                ElementsAre(DutMetric{0, "memory_bytes", 1e9}, DutMetric{1.5, "cpu", -2.25}));
  }
  EXPECT_EQ(firstComment("\xEF\xBB\xBF# no answer\r\n"), "no answer");
}

TEST(DutMetrics, MistakesHaveTheirPlace) {
  EXPECT_EQ(mistake("0,a,1\n0,a\n"), "2:4: fewer fields than time_s,metric,value");
  EXPECT_EQ(mistake("0,a,1,2\n"), "1:7: more fields than time_s,metric,value");
  EXPECT_EQ(mistake("0,a,1\n", DutMetricTimes::kAbsent), "1:5: more fields than metric,value");
  EXPECT_EQ(mistake("0,a, 1x\n"), "1:6: a value is a decimal number");
  EXPECT_EQ(mistake("0,a,nan\n"), "1:5: a value is a decimal number");
  EXPECT_EQ(mistake("0,a,1e999\n"), "1:5: a value is a decimal number");
  EXPECT_EQ(mistake("0,a,1e100\n0,b,-1.1e100\n"), "2:5: a value is at most 1e+100");
  EXPECT_EQ(mistake("-1,a,1\n"), "1:1: a time is 0 to 1e9 s");
  EXPECT_EQ(mistake(",a,1\n"), "1:1: a time is missing");
  EXPECT_EQ(mistake("0,,1\n"), "1:3: a name is missing");
  EXPECT_EQ(mistake("0,a b,1\n"), "1:4: a name has letters, digits and _.-/ only");
  EXPECT_THAT(mistake("0," + std::string(65, 'n') + ",1\n"), HasSubstr("at most 64 characters"));
  EXPECT_EQ(mistake("0,a,1\n1,a,2\n0,b,3\n1,a,4\n"),
            "4:3: a second value of the metric for the same time");
  EXPECT_EQ(mistake("a,1\na,1\n", DutMetricTimes::kAbsent),
            "2:1: a second value of the metric for the same time");
  // The names of the fields are a heading only in the first line.
  EXPECT_EQ(mistake("0,a,1\ntime_s,metric,value\n"), "2:1: a time is a decimal number");
  std::string many;
  for (int i = 0; i < 65; ++i) many += "0,m" + std::to_string(i) + ",1\n";
  EXPECT_EQ(mistake(many), "65:3: more than 64 different names");
}

// A mistake costs its line alone, wherever it is.
TEST(DutMetrics, OtherLinesThanThoseWithMistakesAreUsed) {
  const DutMetrics parsed = parseDutMetrics(
      "time_s,metric,value\n-1,a,1\n0,a,2\n5,a,3x\n10,a,4\n41,mem_byt", DutMetricTimes::kGiven);
  EXPECT_THAT(parsed.metrics, ElementsAre(DutMetric{0, "a", 2}, DutMetric{10, "a", 4}));
  EXPECT_EQ(parsed.lines_not_used, 3U);
  ASSERT_TRUE(parsed.first);
  EXPECT_EQ(parsed.first->line, 2U);
  // A name too many is not known afterwards, and the known ones still are.
  std::string many;
  for (int i = 0; i < 65; ++i) many += "0,m" + std::to_string(i) + ",1\n";
  const DutMetrics named = parseDutMetrics(many + "1,m0,2\n", DutMetricTimes::kGiven);
  EXPECT_EQ(named.metrics.size(), 65U);
  EXPECT_EQ(named.lines_not_used, 1U);
}

TEST(DutMetrics, MakeOneSeriesOfEachNameInTheOrderOfTime) {
  const auto series = seriesOf(metricsOf("7200,b,1\n3600,a,9\n0,b,2\n3600,b,3\n"));
  ASSERT_EQ(series.size(), 2U);
  EXPECT_EQ(series[0].name, "a");
  EXPECT_THAT(series[0].hours, ElementsAre(1));
  EXPECT_THAT(series[0].values, ElementsAre(9));
  EXPECT_THAT(series[1].hours, ElementsAre(0, 1, 2));
  EXPECT_THAT(series[1].values, ElementsAre(2, 3, 1));
}

TEST(DutMetrics, ACommentSaysWhyThereAreNone) {
  EXPECT_EQ(firstComment("\n# no such program \nmore"), "no such program");
  EXPECT_EQ(firstComment(""), "no metrics");
}

// A DUT whose memory grows by 40 MB an hour below noise of 10 MB, and whose table does not.
class ReportingRunner final : public TrialRunner {
 public:
  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override {
    return bench.run(spec, repetition, label);
  }
  std::string dutReport(const std::string& key, std::optional<Picoseconds> time) override {
    keys.push_back(key);
    if (!time) return whole;
    if (*time == seconds(broken_at)) return "memory_bytes;1\n";
    const double hours = time->toSeconds() / 3600;
    // Up and down from sample to sample, which has no slope over an odd number of them.
    const double noise = *time / seconds(1800) % 2 == 0 ? 1 : -1;
    return "memory_bytes," + std::to_string(1e9 + leak * hours + 10e6 * noise) +
           "\ntable_entries," + std::to_string(100 + noise) + "\n";
  }

  SimRunner bench;
  double leak = 40e6;
  std::int64_t broken_at = -1;
  std::string whole;
  std::vector<std::string> keys;
};

scenario::Scenario reportingDay() {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.soak = {8 * seconds(3600), seconds(1800), {}};
  scenario.parameters.sizes = {{Bytes(64 << 10)}};
  scenario.parameters.iterations = 1;
  scenario.dut_metrics = scenario::DutMetricsSource{{"ask"}, {}};
  return scenario;
}

TEST(DutMetrics, OfALeakingDutAreATrendAndOthersAreNot) {
  const scenario::Scenario scenario = reportingDay();
  ReportingRunner runner;
  const results::TestResult leak =
      leakProcedure().run({scenario, runner.bench.bench.capabilities()}, runner);
  EXPECT_THAT(anomalies(leak), HasSubstr("memory_bytes (DUT-reported) is rising by"));
  EXPECT_THAT(anomalies(leak), Not(HasSubstr("table_entries (DUT-reported) is")));
  EXPECT_THAT(deviations(leak), Not(HasSubstr("not collected")));
  const auto& row = table(leak, "trends").rows.end()[-2];
  EXPECT_EQ(std::get<std::string>(row[0]), "memory_bytes (DUT-reported)");
  const auto& slope = std::get<results::Quantity>(row[2]);
  EXPECT_NEAR(slope.value, 40e6, 3e6);
  EXPECT_EQ(slope.observed, ObservationPoint::kDutReported);

  runner.leak = 0;
  EXPECT_THAT(anomalies(leakProcedure().run({scenario, runner.bench.bench.capabilities()}, runner)),
              Not(HasSubstr("DUT-reported")));
}

// A line needs three values: a metric with fewer has a row and a reason, and is not among the
// figures without a trend.
TEST(DutMetrics, OfTooFewValuesHaveNoTrend) {
  scenario::Scenario scenario = reportingDay();
  scenario.dut_metrics = scenario::DutMetricsSource{{}, "switch.csv"};
  ReportingRunner runner;
  runner.whole =
      "0,routes,5\n3600,routes,6\n60,load_pct,4\n0,entries,1\n10,entries,1\n60,entries,1\n";
  const results::TestResult leak =
      leakProcedure().run({scenario, runner.bench.bench.capabilities()}, runner);
  const results::Table& trends = table(leak, "trends");
  std::size_t known = 0;
  for (const auto& row : trends.rows) {
    const bool few =
        text(row[0]) == "routes (DUT-reported)" || text(row[0]) == "load_pct (DUT-reported)";
    EXPECT_EQ(std::holds_alternative<std::string>(row[2]), few) << text(row[0]);
    if (!few) ++known;
  }
  EXPECT_EQ(trends.rows.size(), known + 2);
  EXPECT_THAT(leak.summary, HasSubstr("0 of " + std::to_string(known) + " figures"));
  EXPECT_THAT(trends.note, HasSubstr("so that " + std::to_string(known) + " figures"));
  EXPECT_THAT(anomalies(leak), HasSubstr("no trend of routes (DUT-reported): it has 2 values"));
  EXPECT_THAT(anomalies(leak), HasSubstr("no trend of load_pct (DUT-reported): it has 1 value,"));
}

TEST(MemoryUnit, IsInTheName) {
  const auto bytes = [](const char* name) {
    const auto unit = memoryUnit(name);
    return unit ? unit->bytes : -1;
  };
  EXPECT_EQ(bytes("memory_bytes"), 1);
  EXPECT_EQ(bytes("bgpd.rss_kb"), 1000);
  EXPECT_EQ(bytes("BGPD/RSS_KiB"), 1024);
  EXPECT_EQ(bytes("heap-mb"), 1e6);
  EXPECT_EQ(bytes("process_memory"), 0);     // memory without a unit
  EXPECT_EQ(bytes("memory_percent"), -1);    // a share
  EXPECT_EQ(bytes("l2_table_entries"), -1);  // no memory
  EXPECT_EQ(bytes("members_bytes"), -1);     // a word of its own
}

// Grows by `mb_per_hour` and scatters by 20 MB from sample to sample: no significant trend.
class NoisyMemory final : public TrialRunner {
 public:
  explicit NoisyMemory(double mb_per_hour) : mb_per_hour_(mb_per_hour) {}
  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override {
    return bench.run(spec, repetition, label);
  }
  std::string dutReport(const std::string&, std::optional<Picoseconds> time) override {
    const double hours = time->toSeconds() / 3600;
    const double noise = ++asked_ % 2 == 0 ? 10 : -10;
    return "bgpd_rss_kb," + std::to_string(500e3 + (mb_per_hour_ * hours + noise) * 1e3) + "\n";
  }

  SimRunner bench;

 private:
  double mb_per_hour_;
  std::uint64_t asked_ = 0;
};

// The draft: a slope above 1 MB/h is a potential leak, whatever its significance.
TEST(DutMetrics, MemoryIsHeldAgainstOneMegabyteAnHour) {
  const scenario::Scenario scenario = reportingDay();
  for (const double slope : {0.5, 1.5}) {
    NoisyMemory runner(slope);
    const results::TestResult leak =
        leakProcedure().run({scenario, runner.bench.bench.capabilities()}, runner);
    EXPECT_THAT(anomalies(leak), Not(HasSubstr("bgpd_rss_kb (DUT-reported) is")));
    const auto& row = table(leak, "memory").rows.at(0);
    EXPECT_EQ(std::get<std::string>(row.back()), slope > 1 ? "yes" : "no");
    const auto& measured = std::get<results::Quantity>(row.end()[-4]);
    EXPECT_EQ(measured.unit, "MB/h");
    // 17 samples, +-10 in turn: the first and the last are -10, so that the noise has no slope.
    EXPECT_NEAR(measured.value, slope, 1e-6);
    if (slope > 1) {
      EXPECT_THAT(anomalies(leak),
                  HasSubstr("potential memory leak: bgpd_rss_kb grows by 1.5 MB/h"));
    } else {
      EXPECT_THAT(anomalies(leak), Not(HasSubstr("potential memory leak")));
    }
  }
}

TEST(DutMetrics, AreShownBesideTheSoaksFigures) {
  const scenario::Scenario scenario = reportingDay();
  ReportingRunner runner;
  runner.broken_at = 3600;
  const results::TestResult soak =
      soakProcedure().run({scenario, runner.bench.bench.capabilities()}, runner);
  ASSERT_TRUE(soak.valid);
  EXPECT_THAT(anomalies(soak),
              HasSubstr("1 of 17 samples without figures reported by the DUT; the first: line 1, "
                        "column 15: fewer fields than metric,value @ ask"));
  const results::Table& reported = table(soak, "dut_reported");
  ASSERT_EQ(reported.rows.size(), 2U);
  EXPECT_EQ(std::get<results::Quantity>(reported.rows[0][1]).observed,
            ObservationPoint::kDutReported);
  const results::Chart& chart = soak.charts.end()[-2];
  EXPECT_EQ(chart.title, "memory_bytes over the soak, DUT-reported");
  EXPECT_EQ(chart.series.at(0).x.size(), 16U);
  EXPECT_EQ(chart.series.at(0).x.at(2), 1.5);  // hour 1 is missing
}

TEST(DutMetrics, OfAFileAreReadOnceForTheWholeSoak) {
  scenario::Scenario scenario = reportingDay();
  scenario.dut_metrics = scenario::DutMetricsSource{{}, "switch.csv"};
  ReportingRunner runner;
  runner.whole = "0,memory_bytes,5\n3600,memory_bytes,6\n";
  const bench::Capabilities& bench = runner.bench.bench.capabilities();
  const results::TestResult soak = soakProcedure().run({scenario, bench}, runner);
  EXPECT_THAT(runner.keys, ElementsAre("dut_metrics"));
  EXPECT_THAT(soak.charts.back().series.at(0).x, ElementsAre(0, 1));
  runner.whole = "0,memory_bytes,5\n3600,memory_bytes,6\n99999999,memory_bytes,7\n";
  const results::TestResult beyond = soakProcedure().run({scenario, bench}, runner);
  EXPECT_THAT(beyond.charts.back().series.at(0).x, ElementsAre(0, 1));
  EXPECT_THAT(anomalies(beyond), HasSubstr("after the end of the soak (28800 s): 1 @ switch.csv"));
  runner.whole = "# switch.csv cannot be read";
  EXPECT_THAT(anomalies(soakProcedure().run({scenario, bench}, runner)),
              HasSubstr("no figures reported by the DUT: switch.csv cannot be read @ switch.csv"));
}

// The file of a program that was stopped while it wrote.
TEST(DutMetrics, ATornLineOfAFileCostsNoOtherValue) {
  scenario::Scenario scenario = reportingDay();
  scenario.dut_metrics = scenario::DutMetricsSource{{}, "switch.csv"};
  ReportingRunner runner;
  runner.whole = "0,memory_bytes,5\n3600,memory_bytes,6\n7200,memory_bytes,9\n10800,memory_byt";
  const bench::Capabilities& bench = runner.bench.bench.capabilities();
  const results::TestResult soak = soakProcedure().run({scenario, bench}, runner);
  EXPECT_THAT(soak.charts.back().series.at(0).y, ElementsAre(5, 6, 9));
  EXPECT_THAT(anomalies(soak),
              HasSubstr("lines of values reported by the DUT that are not used: 1; the first: line "
                        "4, column 17: fewer fields than time_s,metric,value @ switch.csv"));
  const results::TestResult leak = leakProcedure().run({scenario, bench}, runner);
  // (-1 * -5/3 + 0 + 1 * 7/3) / 2 = 2 bytes an hour.
  EXPECT_NEAR(std::get<results::Quantity>(table(leak, "memory").rows.at(0).end()[-4]).value, 2e-6,
              1e-12);
}

// The largest values that are read, at the smallest distances, still give finite figures, which
// storing a result requires.
TEST(DutMetrics, TheLargestValuesGiveFiniteFigures) {
  scenario::Scenario scenario = reportingDay();
  scenario.dut_metrics = scenario::DutMetricsSource{{}, "switch.csv"};
  ReportingRunner runner;
  runner.whole =
      "0,rss_gib,1e100\n3600,rss_gib,-1e100\n7200,rss_gib,1e100\n0,routes,1e155\n"
      "0,load,1e100\n1e-150,load,-1e100\n2e-150,load,1e100\n"
      "0,few,1e-200\n3600,few,3e-200\n7200,few,2e-200\n";
  const bench::Capabilities& bench = runner.bench.bench.capabilities();
  for (const Procedure* test : {&soakProcedure(), &leakProcedure()}) {
    const results::TestResult result = test->run({scenario, bench}, runner);
    EXPECT_NO_THROW((void)result.toJson());
    EXPECT_THAT(anomalies(result), HasSubstr("line 4, column 10: a value is at most 1e+100"));
  }
}

// A limit on the number of trends is not met while those of the DUT's figures are unknown.
TEST(DutMetrics, WithoutATrendTheCountOfTrendsIsNotMeasured) {
  scenario::Scenario scenario = reportingDay();
  scenario.dut_metrics = scenario::DutMetricsSource{{}, "switch.csv"};
  ReportingRunner runner;
  const bench::Capabilities& bench = runner.bench.bench.capabilities();
  const auto unmeasured = [&](const char* file) {
    runner.whole = file;
    const results::TestResult result = leakProcedure().run({scenario, bench}, runner);
    return std::any_of(
        result.unmeasured.begin(), result.unmeasured.end(),
        [](const results::UnmeasuredKpi& one) { return one.name == "significant_drifts"; });
  };
  EXPECT_TRUE(unmeasured("0,memory_bytes,1\n3600,memory_bytes,2\n7200,memory_bytes,3O\n"));
  EXPECT_TRUE(unmeasured("0,memory_bytes,1\n3600,memory_bytes,2\n"));
  EXPECT_FALSE(unmeasured("0,memory_bytes,1\n3600,memory_bytes,2\n7200,memory_bytes,30\n"));
}

}  // namespace
}  // namespace plumbline::suite
