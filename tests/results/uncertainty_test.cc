// Uncertainty of a quantity: its computation, its text, and the resulting digits.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/json.h"
#include "results/quantity_text.h"
#include "results/test_result.h"
#include "results/uncertainty_text.h"
#include "tests/results/sample.h"

namespace plumbline::results {
namespace {

using Parts = std::vector<SystematicPart>;

Quantity quantity(double value, const std::string& unit) {
  Quantity one;
  one.value = value;
  one.unit = unit;
  return one;
}

// Statistical 3 with 4 degrees of freedom, systematic 4: 5 with 30, U = 10.211 (uncertainty_test of
// stats).
Quantity scattered() {
  Quantity one = quantity(1234.5678, "ns");
  one.repetitions = 5;
  one.cv = 0.005;
  one.confidence_low = 1226.24;
  one.confidence_high = 1242.9;
  one.uncertainty.statistics = Statistics::kRepetitions;
  one.uncertainty.statistical = {3, 4};
  one.uncertainty.systematic = Parts{{"histogram bucket 14 ns", 4}};
  return one;
}

TEST(QuantityUncertainty, TakesBothParts) {
  const auto all = expandedUncertainty(scattered());
  ASSERT_TRUE(all);
  EXPECT_DOUBLE_EQ(all->standard.value, 5);
  EXPECT_NEAR(all->half, 10.211, 1e-3);
}

TEST(QuantityUncertainty, NeedsBothParts) {
  Quantity one = scattered();
  one.uncertainty.statistics = Statistics::kNone;
  EXPECT_FALSE(expandedUncertainty(one));
  EXPECT_DOUBLE_EQ(systematicUncertainty(one).value(), 4);
  Quantity reported = scattered();
  reported.uncertainty.systematic.reset();
  EXPECT_FALSE(expandedUncertainty(reported));
  EXPECT_EQ(systematicText(reported), "not known");
}

// Repetitions without scatter: the systematic part remains; a number of unknown resolution is not
// called exact unless repetitions could not have differed.
TEST(QuantityUncertainty, WithoutScatterIsNotZero) {
  Quantity one = quantity(50, "%");
  one.repetitions = 3;
  one.uncertainty.statistics = Statistics::kIdentical;
  one.uncertainty.systematic = Parts{{"search step 0.4 %", 0.2}};
  EXPECT_DOUBLE_EQ(expandedUncertainty(one)->half, 0.4);
  one.uncertainty.systematic = Parts{};
  EXPECT_FALSE(expandedUncertainty(one));
  EXPECT_EQ(statisticalText(one), "identical in all 3 repetitions");
  one.uncertainty.statistics = Statistics::kDeterministic;
  EXPECT_EQ(expandedUncertainty(one)->half, 0);
  EXPECT_EQ(statisticalText(one), "deterministic: repetitions add nothing");
  EXPECT_EQ(expandedText(one), "0: exact");
  EXPECT_EQ(systematicText(one), "none: counted");
  EXPECT_EQ(quantityWithSpread(one), "50 %");
  EXPECT_EQ(intervalText(one), "");
}

TEST(QuantityUncertainty, InWords) {
  EXPECT_EQ(statisticalText(scattered()), "3.0 ns (5 repetitions)");
  EXPECT_EQ(systematicText(scattered()), "4.0 ns (histogram bucket 14 ns)");
  EXPECT_EQ(expandedText(scattered()), "± 10 ns (k = 2.04)");
  EXPECT_EQ(statisticsText(quantity(1, "ns")), "not known: one repetition");
  Quantity batches = scattered();
  batches.uncertainty.statistics = Statistics::kBatches;
  batches.uncertainty.batches = 20;
  EXPECT_EQ(statisticsText(batches), "20 batches of one trial");
  Quantity fine = quantity(10, "us");
  fine.uncertainty.systematic = Parts{{"timestamp resolution 1 ps", 0.40825e-6}};
  EXPECT_EQ(systematicText(fine), "0.41 ps (timestamp resolution 1 ps)");
}

// GUM 7.2.6: 10.2 ns is 10, and the value has the place of its last digit.
TEST(QuantityUncertainty, LimitsTheDigits) {
  EXPECT_EQ(quantityWithSpread(scattered()), "1,235 ± 10 ns");
  // 1.27 ns twice: 2.5 is 3, and nothing behind the point.
  Quantity card = quantity(1002.1234, "ns");
  card.repetitions = 3;
  card.uncertainty.statistics = Statistics::kIdentical;
  card.uncertainty.systematic = Parts{{"timestamp resolution 3.1 ns", 1.2656}};
  EXPECT_EQ(quantityWithSpread(card), "1,002 ± 3 ns");
  // One repetition: no +-, but no digits either that the bucket does not bear: +-300 ns.
  Quantity coarse = quantity(1234.56, "ns");
  coarse.uncertainty.systematic = Parts{{"histogram bucket", 150}};
  EXPECT_EQ(quantityWithSpread(coarse), "1,230 ns");
  // Known far more exactly than shown.
  Quantity exact = quantity(12.345678, "us");
  exact.uncertainty.statistics = Statistics::kDeterministic;
  exact.uncertainty.systematic = Parts{{"timestamp resolution 1 ps", 0.4e-6}};
  EXPECT_EQ(quantityWithSpread(exact), "12.35 µs");
}

// Each cell has the places of its own uncertainty, though the column could show more.
TEST(QuantityUncertainty, LimitsTheDigitsOfCells) {
  Quantity rough = quantity(123.456, "ns");
  rough.uncertainty.statistics = Statistics::kIdentical;
  rough.uncertainty.systematic = Parts{{"a", 2}};
  Quantity fine = quantity(56.789, "ns");
  fine.uncertainty.statistics = Statistics::kIdentical;
  fine.uncertainty.systematic = Parts{{"a", 0.2}};
  const Table table{"t", "", "", {"Latency"}, {{rough}, {fine}}};
  const std::vector<ColumnFormat> formats = columnFormats(table);
  EXPECT_EQ(cellParts(rough, formats[0]).number, "123");
  EXPECT_EQ(cellParts(rough, formats[0]).spread, "± 4");
  EXPECT_EQ(cellParts(fine, formats[0]).number, "56.8");
  EXPECT_EQ(cellParts(fine, formats[0]).spread, "± 0.4");
}

// 12 +- 4.30 * 10 / sqrt(3) = 12 +- 24.8: no time is negative, and no share above 100 %.
TEST(QuantityUncertainty, IntervalsEndWhereTheFigureDoes) {
  Quantity time = quantity(12, "us");
  time.repetitions = 3;
  time.confidence_low = -12.84;
  time.confidence_high = 36.84;
  time.uncertainty.statistics = Statistics::kRepetitions;
  time.uncertainty.statistical = {10 / std::sqrt(3), 2};
  time.uncertainty.systematic = Parts{};
  Quantity unlimited = time;
  cutIntervals(-1e12, 1e12, unlimited);
  EXPECT_EQ(quantityWithSpread(unlimited), "12 ± 25 µs");
  cutIntervals(0, 1e12, time);
  EXPECT_EQ(time.confidence_low, 0);
  EXPECT_EQ(time.confidence_high, 36.84);
  EXPECT_EQ(quantityWithSpread(time), "12 +25 −12 µs");
  EXPECT_EQ(expandedText(time), "± 25 µs (k = 4.3), not below 0");
  EXPECT_NEAR(expandedUncertainty(time)->half, 24.84, 0.01);  // U itself is not cut
  cutIntervals(0, 1e12, time);                                // again: no change
  EXPECT_EQ(quantityWithSpread(time), "12 +25 −12 µs");
  Quantity share = quantity(100, "%");
  share.repetitions = 2;
  share.uncertainty.statistics = Statistics::kIdentical;
  share.uncertainty.systematic = Parts{{"overload that buffers hide", 100 / std::sqrt(3)}};
  cutIntervals(0, 100, share);
  EXPECT_EQ(quantityWithSpread(share), "100 +0 −100 %");
  EXPECT_FALSE(reachOf(share)->above > 0);
  // A value that cannot be is shown as it was measured.
  Quantity strange = quantity(-1, "us");
  strange.confidence_low = -3;
  strange.confidence_high = 1;
  cutIntervals(0, 1e12, strange);
  EXPECT_EQ(strange.confidence_low, -3);
}

TEST(QuantityUncertainty, CutsAreStored) {
  Quantity time = quantity(12, "us");
  time.repetitions = 2;
  time.uncertainty.statistics = Statistics::kIdentical;
  time.uncertainty.systematic = Parts{{"a", 10}};
  cutIntervals(0, 18, time);
  TestResult test = sampleResult();
  test.primary = {time};
  const auto json = nlohmann::json::parse(test.toJson()).at("primary").at(0).at("uncertainty");
  EXPECT_EQ(json.at("least"), 0);
  EXPECT_EQ(json.at("most"), 18);
  EXPECT_EQ(TestResult::fromJson(test.toJson()).primary.at(0).uncertainty, time.uncertainty);
}

TEST(QuantityUncertainty, MarksPercentilesOnFewSamples) {
  Quantity one = quantity(1230, "ns");
  one.percentile = Percentile{0.999, 180};
  EXPECT_EQ(quantityText(one), "1,230* ns");
  EXPECT_EQ(percentileText(one), "P99.9 of 180 samples, 10,000 needed");
  const Table table{"t", "", "", {"P99.9"}, {{one}}};
  EXPECT_NE(fewSamplesNote(table), "");
  one.percentile->samples = 10'000;
  EXPECT_EQ(quantityText(one), "1,230 ns");
  EXPECT_EQ(percentileText(one), "P99.9 of 10,000 samples");
  EXPECT_EQ(fewSamplesNote({"t", "", "", {"P99.9"}, {{one}}}), "");
}

TestResult resultWith(const Quantity& quantity) {
  TestResult result = sampleResult();
  result.kpis = {{"latency_p99_ns", "p", quantity}};
  return result;
}

TEST(QuantityUncertainty, ComesBackFromJson) {
  Quantity one = scattered();
  one.percentile = Percentile{0.99, 123};
  Quantity batches = scattered();
  batches.uncertainty.statistics = Statistics::kBatches;
  batches.uncertainty.batches = 20;
  Quantity fixed = quantity(3, "");
  fixed.uncertainty.statistics = Statistics::kDeterministic;
  fixed.uncertainty.systematic = Parts{};
  for (const Quantity& each : {one, batches, fixed, quantity(1, "ns")}) {
    const TestResult back = TestResult::fromJson(resultWith(each).toJson());
    EXPECT_EQ(back.kpis[0].quantity.uncertainty, each.uncertainty);
    EXPECT_EQ(back.kpis[0].quantity.percentile, each.percentile);
  }
}

TEST(QuantityUncertainty, SaysInJsonWhatFollows) {
  Quantity one = scattered();
  one.percentile = Percentile{0.99, 123};
  const auto json = nlohmann::ordered_json::parse(resultWith(one).toJson());
  const auto& written = json["kpis"][0]["quantity"];
  EXPECT_EQ(written["uncertainty"]["statistics"], "repetitions");
  EXPECT_EQ(written["uncertainty"]["statistical"], 3);
  EXPECT_EQ(written["uncertainty"]["systematic"][0]["standard"], 4);
  EXPECT_EQ(written["uncertainty"]["combined"], 5);
  EXPECT_NEAR(written["uncertainty"]["expanded"].get<double>(), 10.211, 1e-3);
  EXPECT_NEAR(written["uncertainty"]["coverage_factor"].get<double>(), 2.0423, 1e-4);
  EXPECT_EQ(written["percentile"]["samples_needed"], 1000);
  EXPECT_EQ(written["percentile"]["too_few"], true);
}

TEST(QuantityUncertainty, OfKeyFiguresIsATable) {
  TestResult result = sampleResult();
  result.primary = {scattered()};
  result.primary_names = {"latency"};
  const Table table = uncertaintyTable(result);
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(std::get<std::string>(table.rows[0][1]), "1,235 ± 10 ns");
  EXPECT_EQ(std::get<std::string>(table.rows[0][2]), "3.0 ns (5 repetitions)");
}

}  // namespace
}  // namespace plumbline::results
