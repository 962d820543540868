#include "base/text_width.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumbline {
namespace {

using testing::ElementsAre;

TEST(TextWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(displayWidth(""), 0u);
  EXPECT_EQ(displayWidth("64 B"), 4u);
  EXPECT_EQ(displayWidth("12 µs ± 1"), 9u);
  EXPECT_EQ(displayWidth("e\xCC\x81"), 1u);                 // e and a combining acute accent
  EXPECT_EQ(displayWidth("\xE7\xBD\x91\xE7\xBB\x9C"), 4u);  // two Chinese characters
  EXPECT_EQ(displayWidth("\xF0\x9F\x9A\x80"), 2u);          // an emoji
}

TEST(TextWidth, WhatIsNotUtf8CountsByteByByte) {
  EXPECT_EQ(displayWidth("\xFF\xFE"), 2u);
  EXPECT_EQ(displayWidth("a\xC2"), 2u);  // cut in the middle of a character
  EXPECT_EQ(displayWidth("\xE7 a"), 3u);
}

TEST(TextWidth, FirstColumnsEndsBetweenCharacters) {
  EXPECT_EQ(firstColumns("µµµ", 2), "µµ");
  EXPECT_EQ(firstColumns("abc", 5), "abc");
  EXPECT_EQ(firstColumns("a\xE7\xBD\x91", 2), "a");  // half of a wide character is none
  EXPECT_EQ(firstColumns("abc", 0), "");
}

TEST(TextWidth, ClippedTextEndsWithAWord) {
  EXPECT_EQ(clippedText("one two three", 13), "one two three");
  EXPECT_EQ(clippedText("one two three", 12), "one two…");
  EXPECT_EQ(clippedText("one two three", 8), "one two…");
  EXPECT_EQ(clippedText("one two three", 7), "one…");
  EXPECT_EQ(clippedText("one, two", 6), "one…");
  EXPECT_EQ(clippedText("incomprehensible", 6), "incom…");
  EXPECT_EQ(clippedText("- incomprehensible", 8), "- incom…");
}

TEST(TextWidth, WrappedTextBreaksAtSpaces) {
  EXPECT_THAT(wrappedText("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrappedText("one two three", 6), ElementsAre("one", "two", "three"));
  EXPECT_THAT(wrappedText("a incomprehensible b", 6),
              ElementsAre("a", "incomp", "rehens", "ible b"));
  EXPECT_THAT(wrappedText("one\ntwo", 20), ElementsAre("one", "two"));
  EXPECT_THAT(wrappedText("µµ µµ", 2), ElementsAre("µµ", "µµ"));
  EXPECT_THAT(wrappedText("", 5), ElementsAre(""));
  EXPECT_THAT(wrappedText("µµµµµ aa", 2), ElementsAre("µµ", "µµ", "µ", "aa"));
  EXPECT_THAT(wrappedText("\xE7\xBD\x91", 1), ElementsAre("\xE7\xBD\x91"));
}

}  // namespace
}  // namespace plumbline
