#include "base/decimal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace plumbline {
namespace {

using testing::HasSubstr;

// As people write them, and the JSON libraries of Python, Java and .NET.
TEST(Decimal, MayHaveAnExponent) {
  EXPECT_EQ(parseDecimal("1e-6").value, 1e-6);
  EXPECT_EQ(parseDecimal("1e-06").value, 1e-6);
  EXPECT_EQ(parseDecimal("1.0E-6").value, 1e-6);
  EXPECT_EQ(parseDecimal("1E-06").value, 1e-6);
  EXPECT_EQ(parseDecimal("2.5e-12").value, 2.5e-12);
  EXPECT_EQ(parseDecimal("0.000001").value, 1e-6);
  EXPECT_EQ(parseDecimal("1e+16").value, 1e16);
  EXPECT_EQ(parseDecimal("1e6").value, 1e6);
  EXPECT_EQ(parseDecimal("0").value, 0.0);
  EXPECT_THAT(parseDecimal("1e999").error, HasSubstr("too large"));
  EXPECT_THAT(parseDecimal("1e-999").error, HasSubstr("too small"));
  for (const char* text : {"", "e-6", "1e", "1e-", "1e+", "1e1000", "1e-6x", "1e-x", "-1e-6", "1%",
                           "1e 6", "1e1.5", "0x1p3"}) {
    EXPECT_FALSE(parseDecimal(text).value) << text;
  }
}

constexpr Int128 kTrillion = 1'000'000'000'000;

std::optional<Scaled> inTrillionths(const char* text) {
  return scaled(*parseReal(text).value, kTrillion);
}

TEST(Decimal, IsScaledExactly) {
  for (const char* text : {"45.25", "45.250", "4.525e1", "4525E-2", "0045.25"}) {
    const auto number = inTrillionths(text);
    ASSERT_TRUE(number) << text;
    EXPECT_EQ(number->value, 45'250'000'000'000) << text;
    EXPECT_TRUE(number->exact) << text;
    EXPECT_EQ(number->change, 0) << text;
  }
  EXPECT_EQ(inTrillionths("3999999.123456789012")->value, 3'999'999'123'456'789'012);
  EXPECT_EQ(inTrillionths("0e999")->value, 0);
}

TEST(Decimal, IsRoundedToTheNearest) {
  const auto up = inTrillionths("1e-12");
  ASSERT_TRUE(up);
  EXPECT_TRUE(up->exact);
  const auto half = inTrillionths("1.5e-12");
  EXPECT_EQ(half->value, 2);
  EXPECT_FALSE(half->exact);
  EXPECT_NEAR(half->change, 1.0 / 3, 1e-12);
  const auto down = inTrillionths("2.49e-12");
  EXPECT_EQ(down->value, 2);
  EXPECT_NEAR(down->change, 0.49 / 2.49, 1e-12);
  EXPECT_EQ(inTrillionths("0.35000000000000003")->value, 350'000'000'000);
  EXPECT_FALSE(inTrillionths("0.35000000000000003")->exact);
  // Finer than a double tells from the rounded number.
  EXPECT_FALSE(inTrillionths("3999999.1234567890121")->exact);
}

TEST(Decimal, NothingIsLeftOfLessThanHalfAStep) {
  for (const char* text : {"4e-13", "1e-99", "1e-999"}) {
    const auto number = inTrillionths(text);
    ASSERT_TRUE(number) << text;
    EXPECT_EQ(number->value, 0) << text;
    EXPECT_FALSE(number->exact) << text;
    EXPECT_EQ(number->change, 1) << text;
  }
}

TEST(Decimal, HasAtMost63Bits) {
  EXPECT_EQ(scaled(*parseReal("9223372036854775807").value, 1)->value,
            std::numeric_limits<std::int64_t>::max());
  EXPECT_FALSE(scaled(*parseReal("9223372036854775808").value, 1));
  EXPECT_FALSE(inTrillionths("9223373"));
  EXPECT_FALSE(inTrillionths("1e99"));
  EXPECT_FALSE(inTrillionths("9999999999999999999999"));
}

}  // namespace
}  // namespace plumbline
