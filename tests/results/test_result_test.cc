#include "results/test_result.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/json.h"
#include "tests/results/sample.h"

namespace plumbline::results {
namespace {

// In a long table a quantity that is like the first one of its column is a number alone.
TEST(TestResultJson, LongTablesAreShortText) {
  Quantity quantity;
  quantity.unit = "%";
  quantity.observed = ObservationPoint::kModelled;
  TestResult result;
  Table& table = result.tables.emplace_back();
  table.columns = {"Link", "Utilisation"};
  const auto rows = [](const TestResult& of) {
    return nlohmann::json::parse(of.toJson()).at("tables").at(0).at("rows");
  };
  for (int i = 0; i < 1000; ++i) {
    quantity.value = 0.1 * i;
    table.rows.push_back({"link", quantity});
  }
  table.shown_rows = 2;
  EXPECT_TRUE(rows(result).at(999).at(1).is_object());  // not long yet
  quantity.unit = "Gb/s";
  table.rows.push_back({"other unit", quantity});
  EXPECT_EQ(table.shownRows(), 2U);
  const nlohmann::json json = nlohmann::json::parse(result.toJson()).at("tables").at(0);
  EXPECT_EQ(json.at("shown_rows"), 2);
  EXPECT_TRUE(json.at("rows").at(0).at(1).is_object());
  EXPECT_EQ(json.at("rows").at(2).at(1), 0.2);
  EXPECT_EQ(json.at("rows").at(1000).at(1).at("unit"), "Gb/s");

  const Table back = TestResult::fromJson(result.toJson()).tables.at(0);
  EXPECT_EQ(back.shown_rows, 2U);
  ASSERT_EQ(back.rows.size(), 1001U);
  for (int i = 0; i < 3; ++i) {
    const auto& cell = std::get<Quantity>(back.rows[static_cast<std::size_t>(i)][1]);
    EXPECT_EQ(cell.value, 0.1 * i);
    EXPECT_EQ(cell.unit, "%");
    EXPECT_EQ(cell.observed, ObservationPoint::kModelled);
  }
  EXPECT_EQ(std::get<Quantity>(back.rows[1000][1]).unit, "Gb/s");
  // A number without a unit is not one of our tables.
  nlohmann::json broken = nlohmann::json::parse(result.toJson());
  broken["tables"][0]["rows"][0][1] = 1.5;
  EXPECT_THROW(TestResult::fromJson(broken.dump()), Error);
}

// Of a run of many tests, the one at fault is named.
TEST(TestResultJson, ANumberThatIsNotFiniteIsRefusedWithItsTest) {
  TestResult result;
  result.id = "T7.1";
  result.kpis.push_back({"marking_percent", "ramp", {}});
  result.kpis.back().quantity.value = std::numeric_limits<double>::quiet_NaN();
  try {
    static_cast<void>(result.toJson());
    FAIL() << "was written";
  } catch (const Error& e) {
    EXPECT_EQ(e.where(), "T7.1");
    EXPECT_EQ(faultOf(e), "a test result holds a number that is not finite");
  }
}

TEST(TestResultJson, ComesBackWhole) {
  const TestResult r = sampleResult();
  const TestResult back = TestResult::fromJson(r.toJson());

  EXPECT_EQ(back.id, r.id);
  EXPECT_EQ(back.title, r.title);
  EXPECT_EQ(back.section, r.section);
  EXPECT_EQ(back.profile, r.profile);
  EXPECT_EQ(back.summary, r.summary);
  EXPECT_EQ(back.configuration, r.configuration);  // order is kept
  ASSERT_EQ(back.primary.size(), 1u);
  EXPECT_EQ(back.primary[0].cv, 0.01);
  EXPECT_EQ(back.primary[0].confidence_low, 1200.25);
  EXPECT_EQ(back.primary[0].confidence_high, 1268.75);
  EXPECT_EQ(back.primary_names, r.primary_names);
  ASSERT_EQ(back.kpis.size(), 2u);
  EXPECT_EQ(back.kpis[0].quantity.value, 0.1);
  EXPECT_EQ(back.kpis[0].quantity.cv, std::nullopt);
  EXPECT_EQ(back.kpis[1].quantity.cv, 0.0);  // zero is not "absent"
  EXPECT_EQ(back.kpis[1].quantity.observed, ObservationPoint::kModelled);
  ASSERT_EQ(back.tables.size(), 1u);
  EXPECT_EQ(back.tables[0].note, "first bit to first bit");
  EXPECT_EQ(std::get<std::string>(back.tables[0].rows[1][0]), "1,024 B");
  EXPECT_EQ(std::get<Quantity>(back.tables[0].rows[1][1]).value, 1.0 / 3.0);
  ASSERT_EQ(back.charts.size(), 2u);
  EXPECT_EQ(back.charts[1].categories, (std::vector<std::string>{"ECMP", "packet spray"}));
  ASSERT_EQ(back.heat_maps.size(), 1u);
  EXPECT_EQ(back.heat_maps[0].values[0][0], 12.5);
  EXPECT_EQ(back.heat_maps[0].values[1][0], std::nullopt);  // blank is not zero
  EXPECT_EQ(back.heat_maps[0].full_scale, 100);
  ASSERT_EQ(back.timelines.size(), 1u);
  EXPECT_EQ(back.timelines[0].lanes[0].spans[1].until, 20);
  EXPECT_EQ(back.failed_elements, (std::vector<std::string>{"leaf0-spine0", "spine1"}));
  EXPECT_EQ(back.charts[0].kind, ChartKind::kStep);
  EXPECT_TRUE(back.charts[0].log_x);
  EXPECT_FALSE(back.charts[0].log_y);
  EXPECT_EQ(back.charts[0].series[1].x, std::vector<double>{1e-300});
  EXPECT_TRUE(back.charts[0].series[1].reference);
  ASSERT_EQ(back.deviations.size(), 3U);
  EXPECT_EQ(back.deviations[0].what, "repetitions: 2 instead of 3");
  EXPECT_EQ(back.deviations[1].where, "bench");
  ASSERT_EQ(back.unmeasured.size(), 1U);
  EXPECT_EQ(back.unmeasured[0].name, "job_time_us");
  EXPECT_EQ(back.unmeasured[0].point, "cut off");
  ASSERT_EQ(back.anomalies.size(), 1U);
  EXPECT_EQ(back.anomalies[0].where, "latency, 64 B");
  EXPECT_EQ(back.repeatability.columns, r.repeatability.columns);
  EXPECT_FALSE(back.valid);
  // For members that the list above may lack: the text is the same again.
  EXPECT_EQ(back.toJson(), r.toJson());
}

TEST(TestResultJson, AMissingValueOfASweepStaysOne) {
  TestResult r = sampleResult();
  r.deviations = {missingFromSweep("Senders", {"4", "8"})};
  const Deviation back = TestResult::fromJson(r.toJson()).deviations.at(0);
  EXPECT_EQ(back.what, "Senders not measured: 4, 8");
  EXPECT_EQ(back.swept, "Senders");
  EXPECT_EQ(back.missing, (std::vector<std::string>{"4", "8"}));
}

// As an earlier version wrote it: without the pictures and the list that came later.
TEST(TestResultJson, WhatCameLaterMayBeMissing) {
  auto json = nlohmann::ordered_json::parse(sampleResult().toJson());
  json.erase("heat_maps");
  json.erase("timelines");
  json.erase("failed_elements");
  json.erase("deviations");
  json["charts"][1].erase("categories");
  const TestResult back = TestResult::fromJson(json.dump());
  EXPECT_TRUE(back.heat_maps.empty());
  EXPECT_TRUE(back.timelines.empty());
  EXPECT_TRUE(back.failed_elements.empty());
  EXPECT_TRUE(back.deviations.empty());
  EXPECT_TRUE(back.charts[1].categories.empty());
  EXPECT_EQ(back.toJson(), json.dump());
}

TEST(TestResultJson, HistogramsAreSparseAndExact) {
  const TestResult r = sampleResult();
  const auto json = nlohmann::json::parse(r.toJson());
  EXPECT_EQ(json["distributions"][0]["histogram"]["cells"].size(), 3u);

  const auto& in = r.distributions[0].histogram;
  const auto out = TestResult::fromJson(r.toJson()).distributions[0].histogram;
  EXPECT_EQ(out.count(), (std::uint64_t{1} << 40) + 13);
  EXPECT_EQ(out.minimum(), 0u);
  EXPECT_EQ(out.maximum(), 900'123u);
  EXPECT_EQ(out.sumHigh(), in.sumHigh());
  EXPECT_EQ(out.sumLow(), in.sumLow());
  EXPECT_EQ(out.quantile(0.5), in.quantile(0.5));
}

TEST(TestResultJson, EmptyHistogramStaysEmpty) {
  const auto back = TestResult::fromJson(sampleResult().toJson());
  EXPECT_EQ(back.distributions[1].histogram.count(), 0u);
  EXPECT_EQ(back.distributions[1].histogram.maximum(), 0u);
}

TEST(TestResultJson, RefusesNumbersThatAreNotFinite) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    TestResult in_cell = sampleResult();
    in_cell.tables[0].rows[0][1] = Quantity{bad, "ns", {}, 1, {}, {}, {}};
    EXPECT_THROW((void)in_cell.toJson(), Error);
    TestResult in_chart = sampleResult();
    in_chart.charts[0].series[0].y[1] = bad;
    EXPECT_THROW((void)in_chart.toJson(), Error);
    TestResult in_cv = sampleResult();
    in_cv.primary[0].cv = bad;
    EXPECT_THROW((void)in_cv.toJson(), Error);
    TestResult in_map = sampleResult();
    in_map.heat_maps[0].values[0][0] = bad;
    EXPECT_THROW((void)in_map.toJson(), Error);
    TestResult in_lane = sampleResult();
    in_lane.timelines[0].lanes[0].spans[0].until = bad;
    EXPECT_THROW((void)in_lane.toJson(), Error);
  }
}

TEST(TestResultJson, RefusesForeignText) {
  const std::string good = sampleResult().toJson();
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  for (const std::string& bad : {
           std::string(),
           std::string("{}"),
           std::string("[1, 2]"),
           good.substr(0, good.size() / 2),
           changed(R"("format":1)", R"("format":2)"),
           changed(R"("valid":false)", R"("valid":0)"),
           changed(R"("observed":"tester")", R"("observed":"guessed")"),
           changed(R"("kind":"step")", R"("kind":"pie")"),
           changed(R"("cells":[[0,)", R"("cells":[[99999,)"),  // a bucket that does not exist
           changed(R"("cells":[[0,)", R"("cells":[[4000,)"),   // not ascending
           changed(R"("maximum":900123)", R"("maximum":900123000)"),
       }) {
    EXPECT_THROW((void)TestResult::fromJson(bad), Error) << bad.substr(0, 60);
  }
}

TEST(ObservationPoint, EveryPointHasItsName) {
  EXPECT_EQ(observationPointName(ObservationPoint::kTester), "tester");
  EXPECT_EQ(observationPointName(ObservationPoint::kDutReported), "dut-reported");
  EXPECT_EQ(observationPointName(ObservationPoint::kEndpointSoftware), "endpoint-software");
  EXPECT_EQ(observationPointName(ObservationPoint::kModelled), "modelled");
}

}  // namespace
}  // namespace plumbline::results
