#include "base/whole_number.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(WholeNumber, IsDecimalWhateverItBeginsWith) {
  EXPECT_EQ(wholeNumber("0").value, 0U);
  EXPECT_EQ(wholeNumber("10").value, 10U);
  EXPECT_EQ(wholeNumber("010").value, 10U);
  EXPECT_EQ(wholeNumber("08").value, 8U);
  EXPECT_EQ(wholeNumber("0000000000000000000000000000017").value, 17U);
  EXPECT_EQ(wholeNumber("18446744073709551615").value, 18446744073709551615U);
  EXPECT_EQ(wholeNumber("018446744073709551615").value, 18446744073709551615U);
}

TEST(WholeNumber, SaysWhyATextIsNone) {
  EXPECT_EQ(wholeNumber("").fault, "the value is empty");
  EXPECT_EQ(wholeNumber("-1").fault, "the value must not be negative");
  EXPECT_EQ(wholeNumber("18446744073709551616").fault, "the value is too large");
  EXPECT_EQ(wholeNumber("99999999999999999999999").fault, "the value is too large");
  for (const char* text : {"+1", "0x10", "0b1", "0o7", "1e3", "1.0", "1_000", "1,000", " 1", "1 ",
                           "1\n", "a", "\xEF\xBC\x91"}) {
    EXPECT_FALSE(wholeNumber(text).value) << text;
    EXPECT_EQ(wholeNumber(text).fault, "this is not a plain integer") << text;
  }
}

TEST(WholeNumber, MayHaveALimit) {
  EXPECT_EQ(wholeNumberUpTo("0255", 255), 255U);
  EXPECT_FALSE(wholeNumberUpTo("256", 255));
  EXPECT_FALSE(wholeNumberUpTo("x", 255));
}

}  // namespace
}  // namespace plumbline
