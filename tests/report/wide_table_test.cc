// Tables too wide for a page.
#include "report/wide_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace plumbline::report::testing {
namespace {

using results::Cell;
using results::Table;

Cell number(double value) {
  results::Quantity quantity;
  quantity.value = value;
  return quantity;
}

// Two swept keys, a point, and `values` columns, of which the first two belong to other rows than
// the rest: two rows for each point of the sweep.
Table sweepTable(std::size_t points, std::size_t values) {
  Table table{"sweep", "Figures", "A note.", {"dut.buffer", "traffic.qps", "Point"}, {}};
  for (std::size_t i = 0; i < values; ++i) table.columns.push_back("v" + std::to_string(i));
  for (std::size_t point = 0; point < points; ++point) {
    for (const bool whole : {true, false}) {
      std::vector<Cell> row{std::to_string(point) + "KB", std::string("4"),
                            std::string(whole ? "" : "job")};
      for (std::size_t i = 0; i < values; ++i) {
        const bool belongs = whole == (i < 2);
        // The last column is the same throughout.
        row.push_back(!belongs         ? Cell(std::string("-"))
                      : i + 1 < values ? number(static_cast<double>(100 * point + i))
                                       : number(7));
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

TEST(WideTable, NarrowOnesStayAsTheyAre) {
  const Table table = sweepTable(3, 9);
  const auto parts = readableParts(table);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].table.columns, table.columns);
  EXPECT_TRUE(parts[0].constants.empty());
}

TEST(WideTable, RowsThatBelongTogetherAreOnePart) {
  const auto parts = readableParts(sweepTable(3, 16));  // 19 columns
  // Two columns of the whole; then 13 of the job that vary, in two halves.
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].table.title, "Figures (1 of 3)");
  EXPECT_EQ(parts[0].table.columns, (std::vector<std::string>{"dut.buffer", "v0", "v1"}));
  EXPECT_EQ(parts[0].table.rows.size(), 3U);
  ASSERT_EQ(parts[0].constants.size(), 1U);  // the blank point is not worth a word
  EXPECT_EQ(parts[0].constants[0].first, "traffic.qps");
  ASSERT_EQ(parts[1].constants.size(), 3U);
  EXPECT_EQ(parts[1].constants[1].first, "Point");
  EXPECT_EQ(parts[1].constants[2].first, "v15");
  EXPECT_EQ(std::get<results::Quantity>(parts[1].constants[2].second).value, 7);
  EXPECT_TRUE(parts[2].constants.empty());
  EXPECT_EQ(parts[1].table.columns.size() + parts[2].table.columns.size(), 1U + 13U + 1U);
  EXPECT_EQ(parts[0].table.note + parts[1].table.note, "");
  EXPECT_EQ(parts[2].table.note, "A note.");
}

TEST(WideTable, EveryQuantityIsInExactlyOnePart) {
  const Table table = sweepTable(4, 30);
  std::multiset<double> before;
  std::multiset<double> after;
  const auto collect = [](const std::vector<Cell>& row, std::multiset<double>& values) {
    for (const Cell& cell : row) {
      if (const auto* one = std::get_if<results::Quantity>(&cell)) values.insert(one->value);
    }
  };
  for (const auto& row : table.rows) collect(row, before);
  for (const TablePart& part : readableParts(table)) {
    EXPECT_LE(part.table.columns.size(), kMaxColumns);
    for (const auto& row : part.table.rows) collect(row, after);
  }
  // The constant is shown once instead of four times.
  for (int i = 0; i < 4; ++i) before.erase(before.find(7));
  if (after.count(7) > before.count(7)) after.erase(after.find(7));
  EXPECT_EQ(after, before);
}

}  // namespace
}  // namespace plumbline::report::testing
