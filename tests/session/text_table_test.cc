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

// Names of columns may be those of another machine's result.
TEST(TextTable, NothingInItMovesTheCursor) {
  EXPECT_EQ(alignedTable({"a\x1B]0;t\x07", "b"}, {{"\x1B[2J", "\xE2\x80\xAE"}}),
            "a\\x1b]0;t\\x07  b\n\\x1b[2J        \\u202e\n");
}

TEST(TextTable, NoRows) { EXPECT_EQ(alignedTable({"run", "status"}, {}), "run  status\n"); }

TEST(TextTable, HeadersAndTextAreWrappedWhereItIsTooWide) {
  EXPECT_EQ(alignedTable({"point", "frames received", "what there is to say of it"},
                         {{"64 B", "12", "one two three four five six seven"}}, 1, 40),
            "point       frames  what there is to say\n"
            "          received  of it\n"
            " 64 B           12  one two three four\n"
            "                    five six seven\n");
}

TEST(TextTable, ColumnsThatDoNotFitGoOnBelow) {
  EXPECT_EQ(alignedTable({"size", "lowest", "median", "highest"},
                         {{"64 B", "1,234", "2,345", "3,456"}, {"1 KiB", "1", "2", "3"}}, 1, 22),
            " size  lowest  median\n"
            " 64 B   1,234   2,345\n"
            "1 KiB       1       2\n"
            "\n"
            " size  highest\n"
            " 64 B    3,456\n"
            "1 KiB        3\n");
}

TEST(TextTable, NothingIsWiderThanATerminal) {
  std::vector<std::string> header{"a name"};
  std::vector<std::string> row{"value"};
  for (int i = 0; i < 30; ++i) {
    header.push_back("figure number " + std::to_string(i));
    row.push_back(std::to_string(1'000'000 + i));
  }
  const std::string text = alignedTable(header, {row});
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from);
    EXPECT_LE(end - from, kTerminalColumns);
    from = end + 1;
  }
  for (const std::string& cell : row) EXPECT_NE(text.find(cell), std::string::npos) << cell;
}

// A remark in parentheses is wrapped, the figure before it is not.
TEST(TextTable, RemarksBehindFiguresAreWrapped) {
  EXPECT_EQ(alignedTable({"Figure", "Value", "Systematic"},
                         {{"Message time P99", "3.042 +- 0.006 us (P99 of 9 samples, 1,000 needed)",
                           "3.2 ns (histogram bucket 10.9 ns; timestamp resolution 1 ps)"},
                          {"Time", "36.8 us", "0.4 ps"}},
                         1, 80),
            "Figure                                     Value                      Systematic\n"
            "Message time P99     3.042 +- 0.006 us (P99 of 9   3.2 ns (histogram bucket 10.9\n"
            "                          samples, 1,000 needed)  ns; timestamp resolution 1 ps)\n"
            "Time                                     36.8 us                          0.4 ps\n");
}

TEST(TextTable, FiguresOfAColumnShareAUnitThatFits) {
  const auto ns = [](double value) {
    results::Quantity q;
    q.value = value;
    q.unit = "ns";
    return q;
  };
  const results::Table table{
      "t", "One-way", "", {"size", "P99 [ns]"}, {{"64 B", ns(123'456)}, {"4 KiB", ns(987'000)}}};
  EXPECT_EQ(tableText(table),
            "One-way\n"
            " size  P99 [µs]\n"
            " 64 B     123.5\n"
            "4 KiB     987.0\n");
}

// A long table shows how many rows are left out.
TEST(TextTable, ShowsTheFirstRowsOfALongTable) {
  results::Table table{"links", "Links", "", {"link"}, {{"a"}, {"b"}, {"c"}}};
  EXPECT_EQ(tableText(table), "Links\nlink\na\nb\nc\n");
  table.shown_rows = 2;
  EXPECT_EQ(tableText(table),
            "Links\nlink\na\nb\n2 of 3 rows; all are in the report's CSV file and in JSON\n");
  table.shown_rows = 4;
  EXPECT_EQ(tableText(table), "Links\nlink\na\nb\nc\n");
}

// Of a sweep over maps: both columns of text are with all figures.
TEST(TextTable, LongKeysAreWrappedAndRepeated) {
  const std::string key = "kind: switch, hosts: 2, link: 100G, host_delay: 40ns";
  results::Table table{"points", "Points", "", {"workload", "dut.topology"}, {{key, key + "!"}}};
  for (int i = 0; i < 12; ++i) {
    table.columns.push_back("figure " + std::to_string(i));
    results::Quantity figure;
    figure.value = 1234.5 + i;
    figure.unit = "B";
    table.rows[0].emplace_back(figure);
  }
  const std::string text = tableText(table);
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  EXPECT_GE(count("workload"), 2U);
  EXPECT_EQ(count("dut.topology"), count("workload"));
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
  test.anomalies = {{"CV above 5 %", "64 B"}};
  test.deviations = {{"repetitions: 2 instead of 3", ""}};
  test.valid = false;
  EXPECT_EQ(
      testText(test),
      "T5.2 Latency (quick profile)\nAll well.\n\nOne-way\nsize  min [ns]\n64 B       600\n"
      "note of the table\n\nDeviations from the methodology\n- repetitions: 2 instead of 3\n\n"
      "Anomalies\n- CV above 5 % (64 B)\n\n"
      "NOT VALID: do not use these figures\n");
}

}  // namespace
}  // namespace plumbline::session
