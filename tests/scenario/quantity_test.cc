#include "scenario/quantity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/random.h"

namespace plumbline::scenario {
namespace {

using testing::HasSubstr;

TEST(Quantity, Bytes) {
  EXPECT_EQ(parseBytes("64B").value, Bytes(64));
  EXPECT_EQ(parseBytes("0B").value, Bytes(0));
  EXPECT_EQ(parseBytes("1KB").value, Bytes(1'000));
  EXPECT_EQ(parseBytes("1KiB").value, Bytes(1'024));
  EXPECT_EQ(parseBytes("1.5KB").value, Bytes(1'500));
  EXPECT_EQ(parseBytes("1.5 KiB").value, Bytes(1'536));
  EXPECT_EQ(parseBytes("0.5MiB").value, Bytes(524'288));
  EXPECT_EQ(parseBytes("32MB").value, Bytes(32'000'000));
  EXPECT_EQ(parseBytes("2GiB").value, Bytes(2'147'483'648));
  EXPECT_EQ(parseBytes("1.500000000000KB").value, Bytes(1'500));  // zeros carry nothing
  EXPECT_EQ(parseBytes("9223372036854775807B").value, Bytes(INT64_MAX));
}

TEST(Quantity, Durations) {
  EXPECT_EQ(parseDuration("3ps").value, Picoseconds(3));
  EXPECT_EQ(parseDuration("500ns").value, nanoseconds(500));
  EXPECT_EQ(parseDuration("0.001ns").value, Picoseconds(1));
  EXPECT_EQ(parseDuration("1.5us").value, nanoseconds(1'500));
  EXPECT_EQ(parseDuration("1.5µs").value, nanoseconds(1'500));
  EXPECT_EQ(parseDuration("20 ms").value, milliseconds(20));
  EXPECT_EQ(parseDuration("60s").value, seconds(60));
  EXPECT_EQ(parseDuration("0.000000000001s").value, Picoseconds(1));
}

TEST(Quantity, Rates) {
  EXPECT_EQ(parseBitRate("100G").value, gigabitsPerSecond(100));
  EXPECT_EQ(parseBitRate("100Gb/s").value, gigabitsPerSecond(100));
  EXPECT_EQ(parseBitRate("2.5 Gbps").value, BitRate(2'500'000'000));
  EXPECT_EQ(parseBitRate("1.6T").value, gigabitsPerSecond(1'600));
  EXPECT_EQ(parseBitRate("0.000001M").value, BitRate(1));
}

TEST(Quantity, Shares) {
  EXPECT_EQ(parseShare("50%").value, Fraction::percent(50));
  EXPECT_EQ(parseShare("12.5 %").value, Fraction::partsPerTrillion(125'000'000'000));
  EXPECT_EQ(parseShare("0.0001%").value, Fraction::partsPerTrillion(1'000'000));
  EXPECT_EQ(parseShare("33.3333333333%").value, Fraction::partsPerTrillion(333'333'333'333));
}

// As the JSON writers of Python and JavaScript print 0.1 + 0.2, 1 / 3 and 20.000000000000004.
TEST(Quantity, SharesAndFactorsAreRoundedWhereThatChangesNearlyNothing) {
  EXPECT_EQ(parseFactor("0.30000000000000004").value, Fraction::percent(30));
  EXPECT_EQ(parseFactor("0.3333333333333333").value, Fraction::partsPerTrillion(333'333'333'333));
  EXPECT_EQ(parseFactor("0.6666666666666666").value, Fraction::partsPerTrillion(666'666'666'667));
  EXPECT_EQ(parseFactor("1.0000000000000002").value, Fraction::one());
  EXPECT_EQ(parseFactor("3.0000000000000004e-1").value, Fraction::percent(30));
  EXPECT_EQ(parseShare("20.000000000000004%").value, Fraction::percent(20));
  EXPECT_EQ(parseShare("33.33333333333%").value, Fraction::partsPerTrillion(333'333'333'333));
  // Half a step of 10^-12 is 10^-9 of 0.0005.
  EXPECT_EQ(parseFactor("0.0005000000011").value, Fraction::partsPerTrillion(500'000'001));
  EXPECT_THAT(parseFactor("0.0004000000005").error,
              HasSubstr("finer than the smallest step, 10^-12"));
  EXPECT_THAT(parseFactor("0.0000000000006").error, HasSubstr("finer"));
  EXPECT_THAT(parseShare("0.00000000004%").error, HasSubstr("finer"));
  EXPECT_THAT(parseFactor("1e-999").error, HasSubstr("finer"));
}

TEST(Quantity, PlainNumbers) {
  EXPECT_EQ(parseDecimal("0.1").value, 0.1);
  EXPECT_EQ(parseDecimal("5000").value, 5000.0);
  EXPECT_EQ(parseInteger("18446744073709551615").value, UINT64_MAX);
  EXPECT_THAT(parseInteger("18446744073709551616").error, HasSubstr("too large"));
}

TEST(Quantity, Factors) {
  EXPECT_EQ(parseFactor("1").value, Fraction::one());
  EXPECT_EQ(parseFactor("8").value, Fraction::percent(800));
  EXPECT_EQ(parseFactor("0.125").value, Fraction::partsPerTrillion(125'000'000'000));
  EXPECT_EQ(parseFactor("0").value, Fraction());
  EXPECT_THAT(parseFactor("0.0000000000001").error, HasSubstr("finer"));
  EXPECT_THAT(parseFactor("9999999999999").error, HasSubstr("too large"));
  EXPECT_EQ(parseFactor("1e3").value, Fraction::percent(100'000));
  EXPECT_EQ(parseFactor("1e-05").value, Fraction::partsPerTrillion(10'000'000));
  EXPECT_EQ(parseFactor("12.5E-2").value, Fraction::partsPerTrillion(125'000'000'000));
  EXPECT_EQ(parseFactor("0e999").value, Fraction());
  EXPECT_THAT(parseFactor("1e-13").error, HasSubstr("finer"));
  EXPECT_THAT(parseFactor("1e999").error, HasSubstr("too large"));
  for (const char* text : {"", "50%", "-1", "1/8", "1 "}) {
    EXPECT_FALSE(parseFactor(text).value) << text;
  }
}

TEST(Quantity, ZerosThatCarryNothingAreNoDigits) {
  EXPECT_EQ(parseBytes("00000000000000000000000000000064B").value, Bytes(64));
  EXPECT_EQ(parseDecimal("0.5000000000000000000000000000").value, 0.5);
  EXPECT_EQ(parseBytes("000.001000000000000000000000000KB").value, Bytes(1));
  EXPECT_EQ(parseBytes("10.010KB").value, Bytes(10'010));
  EXPECT_EQ(parseInteger("000000000000000000000000000000010").value, 10U);
}

TEST(Quantity, SignedNumbers) {
  EXPECT_EQ(parseSigned("-16").value, -16);
  EXPECT_EQ(parseSigned("127").value, 127);
  EXPECT_EQ(parseSigned("-9223372036854775807").value, -INT64_MAX);
  EXPECT_THAT(parseSigned("9223372036854775808").error, HasSubstr("too large"));
  for (const char* text : {"", "-", "--1", "+1", "1.0", "- 1"}) {
    EXPECT_FALSE(parseSigned(text).value) << text;
  }
}

TEST(Quantity, NothingIsRoundedOrCutOff) {
  EXPECT_THAT(parseBytes("0.5B").error, HasSubstr("finer than the smallest step, 1 B"));
  EXPECT_THAT(parseBytes("1.0001KB").error, HasSubstr("finer"));
  EXPECT_THAT(parseBytes("0.001KiB").error, HasSubstr("finer"));
  EXPECT_THAT(parseDuration("0.0001ns").error, HasSubstr("finer than the smallest step, 1 ps"));
  EXPECT_THAT(parseDuration("9000000000000000.0001ns").error, HasSubstr("finer"));
  EXPECT_THAT(parseBytes("9223372036854775808B").error, HasSubstr("too large"));
  EXPECT_THAT(parseBytes("9999999999GiB").error, HasSubstr("too large"));
  EXPECT_THAT(parseDuration("9999999999999999999999s").error, HasSubstr("too large"));
  EXPECT_THAT(parseDuration("99999999999999999999999s").error, HasSubstr("too many digits"));
}

TEST(Quantity, OnlyThisNotation) {
  for (const char* text :
       {"",       " ",     "64",   "64 ",   "B",      "-1B", "+1B",  "1e3B", "0x10B",
        "1_000B", "1,5KB", ".5KB", "5.KB",  "1.2.3B", "64b", "1kB",  "1K",   "1Kb",
        "64BB",   "64B ",  " 64B", "64B/s", "inf",    "nan", "６４B"}) {
    EXPECT_FALSE(parseBytes(text).value) << text;
    EXPECT_FALSE(parseBytes(text).error.empty()) << text;
  }
  for (const char* text : {"5", "5 min", "5m", "5h", "5S", "5NS"}) {
    EXPECT_FALSE(parseDuration(text).value) << text;
  }
  for (const char* text : {"100", "100%G", "100g", "100GB/s", "100K"}) {
    EXPECT_FALSE(parseBitRate(text).value) << text;
  }
  for (const char* text : {"0.5", "50", "50%%", "50 percent", "-1%"}) {
    EXPECT_FALSE(parseShare(text).value) << text;
  }
  for (const char* text : {"0x1", "1 ", " 1", "-1", "1.", "", "inf", "nan", "1_000"}) {
    EXPECT_FALSE(parseDecimal(text).value) << text;
    EXPECT_FALSE(parseInteger(text).value) << text;
  }
  for (const char* text : {"1.0", "1e3"}) EXPECT_FALSE(parseInteger(text).value) << text;
}

TEST(Quantity, AnErrorNamesTheUnitsThereAre) {
  EXPECT_THAT(parseBytes("64b").error, HasSubstr("unknown unit \"b\": one of B, KB, KiB, MB"));
  EXPECT_THAT(parseDuration("5").error, HasSubstr("the unit is missing: one of ps, ns, us, ms, s"));
}

// The same number written in every unit that can hold it exactly is the same value.
TEST(Quantity, UnitsAgreeWithEachOther) {
  struct Unit {
    const char* name;
    int decimals;  // of this unit in picoseconds
  };
  constexpr std::array kUnits{Unit{"ps", 0}, Unit{"ns", 3}, Unit{"us", 6}, Unit{"ms", 9},
                              Unit{"s", 12}};
  RandomStream random(1, "quantity");
  for (int i = 0; i < 20'000; ++i) {
    // All magnitudes alike.
    const auto ps = static_cast<std::int64_t>(random.next() >> (1 + random.below(62)));
    for (const Unit& unit : kUnits) {
      std::string digits = std::to_string(ps);
      const auto decimals = static_cast<std::size_t>(unit.decimals);
      if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
      if (decimals > 0) digits.insert(digits.size() - decimals, ".");
      const auto parsed = parseDuration(digits + unit.name);
      ASSERT_EQ(parsed.value, Picoseconds(ps)) << digits << unit.name << ": " << parsed.error;
    }
  }
}

}  // namespace
}  // namespace plumbline::scenario
