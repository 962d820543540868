#include "tests/suite/fake_dut.h"

#include <gtest/gtest.h>

#include <set>

namespace plumbline::suite {

void checkWellFormed(const results::TestResult& result) {
  std::set<std::string> ids;
  for (const results::Table& table : result.tables) {
    EXPECT_TRUE(ids.insert(table.id).second) << table.id;
    EXPECT_FALSE(table.columns.empty()) << table.id;
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.id;
  }
  for (const auto& row : result.repeatability.rows) {
    EXPECT_EQ(row.size(), result.repeatability.columns.size());
  }
  for (const results::Chart& chart : result.charts) {
    for (const results::Series& series : chart.series) {
      EXPECT_EQ(series.x.size(), series.y.size()) << chart.id;
    }
  }
  EXPECT_EQ(result.primary.size(), result.primary_names.size());
  EXPECT_FALSE(result.summary.empty());
  EXPECT_FALSE(result.configuration.empty());
  EXPECT_EQ(results::TestResult::fromJson(result.toJson()).toJson(), result.toJson());
}

results::TestResult runTest(const Procedure& test, const scenario::Scenario& scenario,
                            FakeDut& dut) {
  const bench::Capabilities bench = someBench();
  results::TestResult result = test.run({scenario, bench}, dut);
  checkWellFormed(result);
  return result;
}

Plan planForUnknownDut(const Procedure& test, const scenario::Scenario& scenario) {
  bench::Capabilities bench = someBench();
  bench.simulated_dut = false;
  return test.plan({scenario, bench});
}

}  // namespace plumbline::suite
