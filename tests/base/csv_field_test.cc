#include "base/csv_field.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(CsvField, IsInQuotesWhereItMustBe) {
  EXPECT_EQ(csvField("plain text"), "plain text");
  EXPECT_EQ(csvField("a,b"), "\"a,b\"");
  EXPECT_EQ(csvField("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csvField("two\nlines"), "\"two\nlines\"");
}

// Names come from scenarios that others may have sent.
TEST(CsvField, IsNoFormula) {
  EXPECT_EQ(csvField("=cmd|\"/c calc\"!A1"), "\"'=cmd|\"\"/c calc\"\"!A1\"");
  EXPECT_EQ(csvField("@SUM(1)"), "'@SUM(1)");
  EXPECT_EQ(csvField("+1+1"), "'+1+1");
  EXPECT_EQ(csvField("-2+3"), "'-2+3");
  EXPECT_EQ(csvField("-"), "'-");
}

TEST(CsvField, GivesATerminalNoOrders) {
  EXPECT_EQ(csvField("\x1B[31mred"), "\\x1b[31mred");
  EXPECT_EQ(csvField("\xE2\x80\xAE"), "\\u202e");
}

TEST(CsvField, LeavesNumbersAsTheyAre) {
  for (const char* number : {"-1", "-0.5", "-1.5e-09", "0", "12"}) {
    EXPECT_EQ(csvField(number), number);
  }
}

}  // namespace
}  // namespace plumbline
