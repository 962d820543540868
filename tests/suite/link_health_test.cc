// Errors of the tester's links become a table of ratios, and an anomaly where frames may be lost.
#include "suite/framework/link_health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumbline::suite {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

bench::TrialResult trialWith(const card::MacCounters& counted, bool rs_fec = true) {
  bench::TrialResult trial;
  trial.ports.resize(2);
  trial.ports[1].link = bench::LinkHealth{rs_fec, counted};
  return trial;
}

double value(const results::Cell& cell) { return std::get<results::Quantity>(cell).value; }

TEST(LinkHealth, IsNotReportedWithoutMacs) {
  LinkHealthSums sums;
  sums.add(bench::TrialResult{});
  results::TestResult result;
  sums.report(result);
  EXPECT_THAT(result.tables, IsEmpty());
}

TEST(LinkHealth, RatiosAreOverAllTrials) {
  card::MacCounters counted;
  counted.fec_codewords = 500'000;
  counted.fec_corrected = 40;
  counted.fec_symbol_errors = {1, 20, 30, 2};
  LinkHealthSums sums;
  sums.add(trialWith(counted));
  sums.add(trialWith(counted));
  results::TestResult result;
  sums.report(result);
  ASSERT_EQ(result.tables.size(), 1U);
  ASSERT_EQ(result.tables[0].rows.size(), 1U);
  const auto& row = result.tables[0].rows[0];
  ASSERT_EQ(row.size(), result.tables[0].columns.size());
  EXPECT_EQ(std::get<std::string>(row[0]), "1");
  EXPECT_EQ(std::get<std::string>(row[1]), "RS");
  EXPECT_EQ(value(row[2]), 1'000'000);
  EXPECT_EQ(value(row[3]), 80);
  // 3.0 / 10^6: the largest ratio that is likely to give no such codeword among a million.
  EXPECT_EQ(std::get<std::string>(row[5]), "below 3e-06");
  // 106 symbols in 10^6 codewords of 5,280 bits.
  EXPECT_NEAR(value(row[6]), 106 / 5.28e9, 1e-14);
  EXPECT_EQ(value(row[7]), 60);
  EXPECT_THAT(result.anomalies, IsEmpty());
}

TEST(LinkHealth, LostCodewordsAreAnAnomaly) {
  card::MacCounters counted;
  counted.fec_codewords = 1'000'000;
  counted.fec_uncorrected = 2;
  LinkHealthSums sums;
  sums.add(trialWith(counted));
  results::TestResult result;
  sums.report(result);
  EXPECT_DOUBLE_EQ(value(result.tables[0].rows[0][5]), 2e-6);
  ASSERT_EQ(result.anomalies.size(), 1U);
  EXPECT_THAT(result.anomalies[0].what, HasSubstr("2 codewords"));
  EXPECT_EQ(result.anomalies[0].where, "port 1");
}

TEST(LinkHealth, WithoutFecThereIsNoRatio) {
  card::MacCounters counted;
  counted.bip_errors[19] = 4;
  LinkHealthSums sums;
  sums.add(trialWith(counted, false));
  results::TestResult result;
  sums.report(result);
  const auto& row = result.tables[0].rows[0];
  EXPECT_EQ(std::get<std::string>(row[1]), "none");
  EXPECT_EQ(std::get<std::string>(row[5]), "–");
  EXPECT_EQ(value(row[8]), 4);
}

}  // namespace
}  // namespace plumbline::suite
