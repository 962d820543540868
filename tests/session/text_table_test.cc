#include "session/text_table.h"

#include <gtest/gtest.h>

namespace plumbline::session {
namespace {

TEST(TextTable, NumbersRightTextLeft) {
  EXPECT_EQ(alignedTable({"size", "P99 [µs]", "note"},
                         {{"64 B", "1.5", "fine"}, {"4096 B", "-12.25", ""}}),
            "  size  P99 [µs]  note\n"
            "  64 B       1.5  fine\n"
            "4096 B    -12.25\n");
}

TEST(TextTable, WidthIsInCharacters) {
  EXPECT_EQ(alignedTable({"a", "b"}, {{"µµµ", "x"}, {"z", "y"}}),
            "a    b\n"
            "µµµ  x\n"
            "z    y\n");
}

TEST(TextTable, NoRows) { EXPECT_EQ(alignedTable({"run", "status"}, {}), "run  status\n"); }

TEST(TextTable, Quantities) {
  results::Quantity q;
  q.value = 1234567.8;
  q.unit = "ns";
  EXPECT_EQ(quantityText(q), "1.23457e+06 ns");
  q.value = 98.7;
  q.unit = "";
  EXPECT_EQ(quantityText(q), "98.7");
}

// A long table says how much of it is left out.
TEST(TextTable, ShowsTheFirstRowsOfALongTable) {
  results::Table table{"links", "Links", "", {"link"}, {{"a"}, {"b"}, {"c"}}};
  EXPECT_EQ(tableText(table), "Links\nlink\na\nb\nc\n");
  table.shown_rows = 2;
  EXPECT_EQ(tableText(table),
            "Links\nlink\na\nb\n2 of 3 rows; all are in the report's CSV file and in JSON\n");
  table.shown_rows = 4;
  EXPECT_EQ(tableText(table), "Links\nlink\na\nb\nc\n");
}

TEST(TextTable, AWholeTest) {
  results::TestResult test;
  test.id = "T5.2";
  test.title = "Latency";
  test.profile = "quick";
  test.summary = "All well.";
  results::Quantity value;
  value.value = 600;
  value.unit = "ns";
  test.tables = {{"t", "One-way", "note of the table", {"size", "min"}, {{"64 B", value}}}};
  test.anomalies = {{"CV above 5 %", "64 B"}, {"short", ""}};
  test.valid = false;
  EXPECT_EQ(testText(test),
            "T5.2 Latency (quick profile)\nAll well.\n\nOne-way\nsize     min\n64 B  600 ns\n"
            "note of the table\n\nAnomalies\n- CV above 5 % (64 B)\n- short\n\n"
            "NOT VALID: do not use these figures\n");
}

}  // namespace
}  // namespace plumbline::session
