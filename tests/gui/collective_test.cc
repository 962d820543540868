#include "gui/data/collective.h"

#include <gtest/gtest.h>

namespace plumbline::gui {
namespace {

StoredCell number(double value, const std::string& unit) {
  StoredQuantity quantity;
  quantity.value = value;
  quantity.unit = unit;
  return {{}, quantity};
}

TEST(Collective, SizesAsTheTablesWriteThem) {
  EXPECT_EQ(parseSize("8 MiB"), 8ULL << 20);
  EXPECT_EQ(parseSize("64 KB"), 64'000U);
  EXPECT_EQ(parseSize("512 B"), 512U);
  EXPECT_EQ(parseSize("8MiB"), std::nullopt);
  EXPECT_EQ(parseSize("-1 B"), std::nullopt);
  EXPECT_EQ(parseSize(" B"), std::nullopt);
  EXPECT_EQ(parseSize("99999999999 B"), std::nullopt);
}

TEST(Collective, AlgorithmBandwidthIsBusBandwidthWithoutItsFactor) {
  StoredTest test;
  StoredTable table;
  table.columns = {"Collective", "Buffer", "Ranks", "Carried by", "BusBW mean", "Efficiency"};
  const auto row = [](const char* collective, const char* ranks, double busbw) {
    return std::vector<StoredCell>{{collective, {}}, {"1 MiB", {}},         {ranks, {}},
                                   {"ECMP", {}},     number(busbw, "Gb/s"), number(70, "%")};
  };
  table.rows = {row("AllReduce", "4", 300), row("AlltoAll", "4", 300), row("Broadcast", "4", 300),
                row("AllReduce", "many", 300)};
  test.tables = {table};
  const std::vector<CollectivePoint> points = collectivePoints(test);
  ASSERT_EQ(points.size(), 3U);                         // the row without a number of ranks is none
  EXPECT_DOUBLE_EQ(points[0].algbw_gbps.value(), 200);  // 2 * 3/4
  EXPECT_DOUBLE_EQ(points[1].algbw_gbps.value(), 400);  // 3/4
  EXPECT_FALSE(points[2].algbw_gbps);
  EXPECT_EQ(points[0].bytes, 1ULL << 20);
  EXPECT_EQ(points[0].ideal_percent, 70);
}

TEST(Collective, OtherTablesTellNothing) {
  StoredTest test;
  StoredTable table;
  table.columns = {"Message", "P99"};
  table.rows = {{{"64 B", {}}, number(1, "ns")}};
  test.tables = {table};
  EXPECT_TRUE(collectivePoints(test).empty());
}

}  // namespace
}  // namespace plumbline::gui
