// Tables as other programs write them.
#include "base/text_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "base/work.h"

namespace plumbline {
namespace {

using testing::ElementsAre;
using Row = std::vector<std::string>;

std::vector<Row> rowsOf(const std::string& text) {
  std::istringstream stream(text);
  TextTable table(stream);
  std::vector<Row> rows;
  while (table.next()) {
    Row row;
    for (const TextField& field : table.fields()) row.emplace_back(field.text);
    rows.push_back(row);
  }
  return rows;
}

// Reading a long text can be cancelled.
TEST(TextFields, ReadingEndsWhenItIsNotWantedAnyMore) {
  std::istringstream stream(std::string(std::size_t{1} << 18, '\n') + "a,b\n");
  TextTable table(stream);
  const WorkScope scope({[] { return true; }, {}, {}});
  EXPECT_THROW(table.next(), WorkStopped);
}

TEST(TextFields, TheSameTableInAllItsForms) {
  const std::vector<Row> expected{{"a", "b"}, {"1", "2"}, {"3", ""}};
  for (const char* text :
       {"a,b\n1,2\n3,\n", "a,b\n1,2\n3,",
        "\xEF\xBB\xBF"
        "a,b\n1,2\n3,\n",
        "a,b\r\n1,2\r\n3,\r\n", "\"a\",\"b\"\n\"1\",\"2\"\n\"3\",\"\"\n",
        "\n\n a , b \n\t1,\t2\n\n3,\n\n", "# remark\na,b # and more\n1,2\n#\n3,#\n",
        "\xEF\xBB\xBF\"a\",b\r\n\"1\" , \"2\" \r\n3,"}) {
    EXPECT_EQ(rowsOf(text), expected) << text;
  }
}

TEST(TextFields, AQuotedFieldMayHaveWhatOthersMayNot) {
  EXPECT_THAT(rowsOf("\"a,b\",\"c # d\" # remark\n"), ElementsAre(Row{"a,b", "c # d"}));
  EXPECT_THAT(rowsOf("\"say \"\"so\"\", now\",b"), ElementsAre(Row{"say \"\"so\"\", now", "b"}));
  // A quote without its other end is a character as any other.
  EXPECT_THAT(rowsOf("\"a,b\n5\",c"), ElementsAre(Row{"\"a", "b"}, Row{"5\"", "c"}));
}

TEST(TextFields, KnowTheirPlaces) {
  std::istringstream stream("\n  ab, \"cd\" ,,e\n");
  TextTable table(stream);
  ASSERT_TRUE(table.next());
  EXPECT_EQ(table.lines().number(), 2U);
  std::vector<std::size_t> columns;
  for (const TextField& field : table.fields()) columns.push_back(field.column);
  EXPECT_THAT(columns, ElementsAre(3, 8, 13, 14));
  EXPECT_EQ(table.endColumn(), 15U);
}

TEST(TextLines, CountAndHashWhatWasGoneThrough) {
  // Longer than a piece that is read at a time.
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += "line " + std::to_string(i) + "\n";
  text += "torn";
  std::istringstream stream(text);
  TextLines lines(stream);
  for (int i = 0; i < 30'000; ++i) {
    ASSERT_TRUE(lines.next());
    ASSERT_EQ(lines.line(), "line " + std::to_string(i));
    ASSERT_FALSE(lines.torn());
    if (i == 9) {
      EXPECT_EQ(lines.extent().bytes, 70U);
      EXPECT_EQ(lines.extent().hash, hash64(text.substr(0, 70)));
    }
  }
  ASSERT_TRUE(lines.next());
  EXPECT_EQ(lines.line(), "torn");
  EXPECT_TRUE(lines.torn());
  EXPECT_FALSE(lines.next());
  EXPECT_EQ(lines.extent().bytes, text.size());
  EXPECT_EQ(lines.extent().hash, hash64(text));
}

TEST(TextLines, ALineWithoutEndTakesNoMemory) {
  std::istringstream stream(std::string(1'000'000, 'x'));
  TextLines lines(stream);
  ASSERT_TRUE(lines.next());
  EXPECT_TRUE(lines.tooLong());
  EXPECT_EQ(lines.line().size(), TextLines::kMaxLine);
  EXPECT_LE(lines.extent().bytes, 3 * TextLines::kMaxLine);
  EXPECT_FALSE(lines.next());
  std::istringstream longest(std::string(TextLines::kMaxLine, 'x') + "\nnext");
  TextLines good(longest);
  ASSERT_TRUE(good.next());
  EXPECT_FALSE(good.tooLong());
  ASSERT_TRUE(good.next());
  EXPECT_EQ(good.line(), "next");
}

}  // namespace
}  // namespace plumbline
