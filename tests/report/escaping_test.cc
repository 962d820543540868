// Escaping of text in markup.
#include <gtest/gtest.h>

#include "report/svg.h"

namespace plumbline::report::testing {
namespace {

TEST(Escaping, LeavesNothingThatMarkupCouldMistake) {
  EXPECT_EQ(escaped("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  EXPECT_EQ(escaped("µs – ok\n"), "µs – ok\n");
  const std::string replacement = "\xEF\xBF\xBD";
  EXPECT_EQ(escaped(std::string("a\0b", 3)), "a" + replacement + "b");
  EXPECT_EQ(escaped("\x1B[31m"), replacement + "[31m");
  EXPECT_EQ(escaped("\xFFx"), replacement + "x");
  EXPECT_EQ(escaped("\xC3"), replacement);                             // cut off
  EXPECT_EQ(escaped("\xC0\xBC"), replacement + replacement);           // overlong '<'
  EXPECT_EQ(escaped("\xED\xA0\x80").find('\xED'), std::string::npos);  // surrogate
  EXPECT_EQ(escaped("\xF0\x9F\x98\x80"), "\xF0\x9F\x98\x80");
  EXPECT_EQ(escaped("a\xE2\x80\xAE"
                    "b"),
            "a" + replacement + "b");  // right to left from here
}

}  // namespace
}  // namespace plumbline::report::testing
