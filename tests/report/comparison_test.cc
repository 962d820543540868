// The page of a comparison: well-formed, complete, and explicit about figures that could not be
// tested.
#include "report/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/report/xml.h"

namespace plumbline::report::testing {
namespace {

results::Comparison sample() {
  results::Comparison comparison;
  comparison.first.id = 3;
  comparison.first.identity.scenario_name = "fabric <A>";
  comparison.second.id = 8;
  results::Quantity ten;
  ten.value = 10.25;
  ten.unit = "Gb/s";
  results::Quantity twelve = ten;
  twelve.value = 12.5;
  comparison.kpis = {
      {"T9.1", "busbw_gbps", "8 ranks & more", ten, twelve, 21.951219512195124,
       results::Welch{5.0, 4.0, 0.0075}},
      {"T9.2", "busbw_gbps", "8 ranks", ten, ten, 0, {}},
  };
  comparison.only_first = {{"T9.3", "busbw_gbps", "16 ranks", twelve}};
  comparison.scenario = {{"dut.switch.ecn.kmin", "200KB", std::nullopt}};
  comparison.conditions = {{"T9.1", "Topology", "clos2", "clos3"}};
  return comparison;
}

TEST(ComparisonPage, ShowsEveryFigureWithItsChange) {
  const Element page = parseXml(renderComparison(sample()));
  std::multiset<double> values;
  for (const Element* one : page.all("data")) {
    values.insert(std::stod(one->attributes.at("value")));
  }
  EXPECT_EQ(values, (std::multiset<double>{10.25, 10.25, 10.25, 12.5, 12.5}));
  const auto cells = textsOf(page, "td");
  EXPECT_TRUE(has(cells, "8 ranks & more"));
  EXPECT_TRUE(has(cells, "significant, better (p = 0.0075)"));
  EXPECT_TRUE(has(cells, "not testable"));
  EXPECT_TRUE(has(cells, "clos3"));
  EXPECT_TRUE(has(cells, "dut.switch.ecn.kmin"));
  EXPECT_TRUE(has(cells, "200KB"));
  EXPECT_TRUE(has(cells, "not stated"));
  // Only significant changes are emphasised.
  EXPECT_EQ(textsOf(page, "strong"), std::vector<std::string>{"+22 %"});
}

TEST(ComparisonPage, HasASectionForEachTestAndForWhatIsMissing) {
  const Element page = parseXml(renderComparison(sample()));
  EXPECT_EQ(textsOf(page, "h2"),
            (std::vector<std::string>{"Summary", "Differences of the scenarios",
                                      "Differing conditions", "T9.1", "T9.2", "Only in run 3"}));
  EXPECT_EQ(textsOf(page, "h1"), std::vector<std::string>{"Run 3 and Run 8"});
}

TEST(ComparisonPage, NothingInCommonIsAPageToo) {
  results::Comparison comparison = sample();
  comparison.kpis.clear();
  comparison.scenario.clear();
  comparison.conditions.clear();
  const Element page = parseXml(renderComparison(comparison));
  EXPECT_EQ(textsOf(page, "h2"),
            (std::vector<std::string>{"Summary", "Differences of the scenarios",
                                      "Differing conditions", "Only in run 3"}));
}

}  // namespace
}  // namespace plumbline::report::testing
