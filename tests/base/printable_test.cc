#include "base/printable.h"

#include <gtest/gtest.h>

#include <string>

namespace plumbline {
namespace {

using namespace std::string_literals;

TEST(Printable, TextStaysAsItIs) {
  EXPECT_EQ(printable("leaf0-spine1, 12 µs, 日本 🙂 ~"),
            "leaf0-spine1, 12 µs, 日本 🙂 ~");
}

TEST(Printable, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(printable("\x1b[31mred\x1b]0;title\x07"), "\\x1b[31mred\\x1b]0;title\\x07");
  EXPECT_EQ(printable("a\r\nb\tc\x7f"), "a\\x0d\\x0ab\\x09c\\x7f");
  EXPECT_EQ(printable("nul\0"s), "nul\\x00");
  // C1, as UTF-8 and as a bare byte: CSI on some terminals.
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m");
}

TEST(Printable, MarksOfDirectionAreWrittenOut) {
  EXPECT_EQ(printable("run\u202egpj.exe"), "run\\u202egpj.exe");
  EXPECT_EQ(printable("\u2066a\u2069"), "\\u2066a\\u2069");
}

TEST(Printable, LinesStayWhereTheyMay) {
  EXPECT_EQ(printable("a\n\tb\r\n", true), "a\n\tb\\x0d\n");
}

TEST(Printable, WhatIsNoUtf8IsWrittenOut) {
  EXPECT_EQ(printable("\xff\xc0\xaf"), "\\xff\\xc0\\xaf");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");           // torn
}

TEST(Printable, NamesAreBounded) {
  EXPECT_EQ(printableName("short"), "short");
  EXPECT_EQ(printableName(std::string(100'000, 'x'), 5), "xxxx…");
  EXPECT_EQ(printableName("a\nb", 10), "a\\x0ab");
}

}  // namespace
}  // namespace plumbline
