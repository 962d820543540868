// Two benches side by side: differences, their causes, and the parts of each bench in the result.
#include "suite/framework/bench_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace plumbline::suite {
namespace {

using results::Quantity;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Quantity figure(double value, const std::string& unit, double cv = 0,
                std::uint32_t repetitions = 1) {
  Quantity made;
  made.value = value;
  made.unit = unit;
  made.repetitions = repetitions;
  if (repetitions > 1) made.cv = cv;
  return made;
}

struct OfBothBenches {
  BenchResult rtl;
  BenchResult sim;
};

// One figure that both benches have.
OfBothBenches onBoth(const std::string& kpi, Quantity rtl, Quantity sim) {
  OfBothBenches pair;
  pair.rtl.bench = "rtl";
  pair.rtl.timestamp_resolution = Picoseconds(3104);
  pair.rtl.rate_step_percent = 3.125;
  pair.sim = pair.rtl;
  pair.sim.bench = "sim";
  pair.sim.timestamp_resolution = Picoseconds(1);
  sim.observed = ObservationPoint::kModelled;
  pair.rtl.result.id = pair.sim.result.id = "T5.2";
  pair.rtl.result.kpis = {{kpi, "64 B", std::move(rtl)}};
  pair.sim.result.kpis = {{kpi, "64 B", std::move(sim)}};
  return pair;
}

std::string causeOf(const OfBothBenches& pair) {
  const auto all = discrepancies(pair.rtl, pair.sim);
  return all.size() == 1 ? all[0].cause : "not one figure";
}

TEST(BenchComparisonTest, TheDifferenceIsOfTheFirst) {
  const auto percent = [](double first, double second) {
    const OfBothBenches pair = onBoth("latency_p99_ns", figure(first, "ns"), figure(second, "ns"));
    return discrepancies(pair.rtl, pair.sim).at(0).percent;
  };
  EXPECT_DOUBLE_EQ(percent(1000, 1100), 10);
  EXPECT_DOUBLE_EQ(percent(1100, 1000), 100.0 / 11);
  EXPECT_DOUBLE_EQ(percent(-4, -5), 25);
  EXPECT_EQ(percent(0, 0), 0);
  EXPECT_EQ(percent(0, 3), 100);  // the first is zero: relative to the second
}

TEST(BenchComparisonTest, OnlyMoreThanTenPercentNeedsACause) {
  EXPECT_THAT(causeOf(onBoth("latency_p99_ns", figure(1000, "ns"), figure(1100, "ns"))), IsEmpty());
  EXPECT_THAT(causeOf(onBoth("latency_p99_ns", figure(1000, "ns"), figure(1101, "ns"))),
              HasSubstr("neither resolution nor scatter"));
}

// Software on ordinary hosts observes different times than the ends of the wire, which is the first
// possible cause.
TEST(BenchComparisonTest, EndpointSoftwareAgainstTheWireIsACause) {
  const auto software = [](double value, const std::string& unit) {
    Quantity made = figure(value, unit);
    made.observed = ObservationPoint::kEndpointSoftware;
    return made;
  };
  const auto cause = [&](const std::string& kpi, double wire, double other,
                         const std::string& unit) {
    OfBothBenches pair = onBoth(kpi, figure(wire, unit), Quantity());
    pair.sim.bench = "libfabric";
    pair.sim.observed = ObservationPoint::kEndpointSoftware;
    pair.sim.result.kpis[0].quantity = software(other, unit);
    pair.rtl.trials["64 B"] = {"one"};
    pair.sim.trials["64 B"] = {"another"};
    return causeOf(pair);
  };
  EXPECT_THAT(cause("latency_p99_ns", 1000, 9000, "ns"),
              HasSubstr("libfabric counts from a message's post to its completion"));
  EXPECT_THAT(cause("transfer_p99_us", 1, 9, "us"), HasSubstr("rtl at the ends of the wire"));
  EXPECT_THAT(cause("throughput_percent", 100, 30, "%"),
              HasSubstr("every message costs the processors of both ends"));
  EXPECT_THAT(cause("throughput_percent", 100, 95, "%"), IsEmpty());
}

TEST(BenchComparisonTest, ColumnsSayWhereTheirBenchObserves) {
  OfBothBenches pair = onBoth("latency_p99_ns", figure(1000, "ns"), figure(1100, "ns"));
  pair.sim.bench = "libfabric";
  pair.sim.observed = ObservationPoint::kEndpointSoftware;
  const auto both = compareBenches(pair.rtl, pair.sim);
  ASSERT_FALSE(both.tables.empty());
  EXPECT_EQ(both.tables[0].columns[2], "rtl, tester");
  EXPECT_EQ(both.tables[0].columns[3], "libfabric, endpoint software");
}

TEST(BenchComparisonTest, ResolutionIsACauseUpToItsSize) {
  EXPECT_THAT(causeOf(onBoth("latency_min_ns", figure(10, "ns"), figure(13.1, "ns"))),
              HasSubstr("resolution of the timestamps (3.104 ns)"));
  EXPECT_THAT(causeOf(onBoth("latency_min_ns", figure(10, "ns"), figure(13.2, "ns"))),
              HasSubstr("neither"));
  EXPECT_THAT(causeOf(onBoth("burst_frames", figure(4, "frames"), figure(5, "frames"))),
              HasSubstr("one frame"));
  EXPECT_THAT(causeOf(onBoth("burst_frames", figure(4, "frames"), figure(6, "frames"))),
              HasSubstr("neither"));
  EXPECT_THAT(causeOf(onBoth("throughput_percent", figure(25, "%"), figure(28.125, "%"))),
              HasSubstr("one step of the search (3.125 %)"));
  EXPECT_THAT(causeOf(onBoth("throughput_percent", figure(25, "%"), figure(31.25, "%"))),
              HasSubstr("neither"));
  // A figure that is not searched has no steps.
  EXPECT_THAT(causeOf(onBoth("loss_percent", figure(25, "%"), figure(28.125, "%"))),
              HasSubstr("neither"));
}

// Standard deviations of 50 % with three repetitions hide a difference of 20 %; of 1 % they do not:
// t = 0.2 / sqrt(0.01^2 (1 + 1.44) / 3) = 22.
TEST(BenchComparisonTest, ScatterIsACauseOnlyWhereItIsLargeEnough) {
  const auto with = [](double cv) {
    return causeOf(onBoth("latency_max_ns", figure(1000, "ns", cv, 3), figure(1200, "ns", cv, 3)));
  };
  EXPECT_THAT(with(0.5), HasSubstr("the repetitions scatter as much"));
  EXPECT_THAT(with(0.01), HasSubstr("neither"));
}

TEST(BenchComparisonTest, DifferentLoadsAreACauseBeforeAnyOther) {
  OfBothBenches pair = onBoth("latency_p99_ns", figure(1000, "ns"), figure(5000, "ns"));
  pair.rtl.trials["64 B"] = {"{50 %}"};
  pair.sim.trials["64 B"] = {"{50 %}"};
  EXPECT_THAT(causeOf(pair), HasSubstr("neither"));
  pair.sim.trials["64 B"] = {"{53 %}"};
  EXPECT_THAT(causeOf(pair), HasSubstr("its own search found"));
}

TEST(BenchComparisonTest, FiguresOfOneBenchAreNotCompared) {
  OfBothBenches pair = onBoth("latency_p99_ns", figure(1, "ns"), figure(1, "ns"));
  pair.rtl.result.kpis.push_back({"loss_ppm", "64 B", figure(0, "ppm")});
  pair.sim.result.kpis.push_back({"loss_ppm", "1024 B", figure(0, "ppm")});
  EXPECT_THAT(discrepancies(pair.rtl, pair.sim), SizeIs(1));
  const auto both = compareBenches(pair.rtl, pair.sim);
  ASSERT_THAT(both.tables, SizeIs(2));
  EXPECT_EQ(both.tables[1].id, "only_one");
  EXPECT_THAT(both.tables[1].rows, SizeIs(2));
}

TEST(BenchComparisonTest, TheTableKeepsWhereEachFigureWasObserved) {
  const OfBothBenches pair = onBoth("latency_p99_ns", figure(1000, "ns"), figure(1200, "ns"));
  const auto both = compareBenches(pair.rtl, pair.sim);
  const auto& row = both.tables.at(0).rows.at(0);
  EXPECT_EQ(std::get<Quantity>(row[2]).observed, ObservationPoint::kTester);
  EXPECT_EQ(std::get<Quantity>(row[3]).observed, ObservationPoint::kModelled);
  EXPECT_EQ(std::get<std::string>(row[4]), "+20 %");
  ASSERT_THAT(both.anomalies, SizeIs(1));
  EXPECT_THAT(both.anomalies[0].what, HasSubstr("of rtl 1000 ns, of sim 1200 ns (+20 %): neither"));
  EXPECT_EQ(both.anomalies[0].where, "64 B");
  EXPECT_THAT(both.summary, HasSubstr("1 figures on both benches, 0 within 10 %"));
}

TEST(BenchComparisonTest, LimitsSeeBothBenchesAndTheDifference) {
  const OfBothBenches pair = onBoth("latency_p99_ns", figure(1000, "ns"), figure(1200, "ns"));
  const auto both = compareBenches(pair.rtl, pair.sim);
  ASSERT_THAT(both.kpis, SizeIs(3));
  EXPECT_EQ(both.kpis[0].point, "rtl: 64 B");
  EXPECT_EQ(both.kpis[1].point, "sim: 64 B");
  EXPECT_EQ(both.kpis[2].name, "discrepancy_percent");
  EXPECT_EQ(both.kpis[2].point, "latency_p99_ns, 64 B");
  EXPECT_DOUBLE_EQ(both.kpis[2].quantity.value, 20);
  EXPECT_EQ(both.kpis[2].quantity.observed, ObservationPoint::kModelled);

  OfBothBenches endpoints = pair;
  endpoints.sim.result.kpis.at(0).quantity.observed = ObservationPoint::kEndpointSoftware;
  EXPECT_EQ(compareBenches(endpoints.rtl, endpoints.sim).kpis.at(2).quantity.observed,
            ObservationPoint::kEndpointSoftware);
}

TEST(BenchComparisonTest, TablesChartsAndDistributionsOfBothAreThere) {
  OfBothBenches pair = onBoth("latency_p99_ns", figure(1, "ns"), figure(1, "ns"));
  for (BenchResult* bench : {&pair.rtl, &pair.sim}) {
    bench->result.tables = {{"latency", "Latency", "", {"Size"}, {}}};
    bench->result.charts = {{"chart",
                             "Chart",
                             {},
                             "",
                             "",
                             false,
                             false,
                             {{"64 B", {1}, {2}, false}, {"line rate", {1}, {3}, true}}}};
    bench->result.distributions = {{"one", "64 B", "ps", {}, {}}, {"two", "1 KiB", "ps", {}, {}}};
    bench->result.configuration = {{"Seed", "1"}, {"Bench", bench->bench}};
    bench->result.deviations = {{"no warm-up", ""}};
  }
  pair.sim.result.valid = false;
  pair.sim.result.anomalies.push_back({"CV", "64 B"});
  const auto both = compareBenches(pair.rtl, pair.sim);
  ASSERT_THAT(both.tables, SizeIs(3));
  EXPECT_EQ(both.tables[1].id, "latency_rtl");
  EXPECT_EQ(both.tables[2].title, "Latency (sim)");
  ASSERT_THAT(both.charts, SizeIs(1));
  ASSERT_THAT(both.charts[0].series, SizeIs(3));  // the reference line once
  EXPECT_EQ(both.charts[0].series[0].name, "64 B (rtl)");
  EXPECT_EQ(both.charts[0].series[2].name, "64 B (sim)");
  ASSERT_THAT(both.distributions, SizeIs(4));
  EXPECT_EQ(both.distributions[0].title, "64 B (rtl)");
  EXPECT_EQ(both.distributions[1].title, "64 B (sim)");
  EXPECT_EQ(both.distributions[1].id, "one_sim");
  ASSERT_THAT(both.configuration, SizeIs(3));
  EXPECT_EQ(both.configuration[0].first, "Seed");
  EXPECT_EQ(both.configuration[1].first, "Bench (rtl)");
  ASSERT_THAT(both.deviations, SizeIs(1));
  EXPECT_EQ(both.deviations[0].where, "");
  ASSERT_THAT(both.anomalies, SizeIs(1));
  EXPECT_EQ(both.anomalies[0].where, "sim: 64 B");
  EXPECT_FALSE(both.valid);
}

}  // namespace
}  // namespace plumbline::suite
