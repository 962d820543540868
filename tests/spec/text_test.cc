#include <gtest/gtest.h>

#include "spec/declare.h"

namespace plumbline::spec {
namespace {

TEST(SpecText, QuantitiesAreWrittenAsScenariosHaveThem) {
  EXPECT_EQ(sizeText(0), "0B");
  EXPECT_EQ(sizeText(64), "64B");
  EXPECT_EQ(sizeText(1'000), "1KB");
  EXPECT_EQ(sizeText(6'400), "6400B");
  EXPECT_EQ(sizeText(4'096), "4KiB");
  EXPECT_EQ(sizeText(32'000'000), "32MB");
  EXPECT_EQ(sizeText(Int128{1} << 40), "1024GiB");
  EXPECT_EQ(timeText(0), "0ns");
  EXPECT_EQ(timeText(1), "1ps");
  EXPECT_EQ(timeText(1'500), "1.5ns");
  EXPECT_EQ(timeText(50'000), "50ns");
  EXPECT_EQ(timeText(1'048'576'000), "1.048576ms");
  EXPECT_EQ(timeText(1'000'000'000'000), "1s");
  EXPECT_EQ(timeText(1'000'000'000'001), "1.000000000001s");
  EXPECT_EQ(rateText(0), "0M");
  EXPECT_EQ(rateText(1), "0.000001M");
  EXPECT_EQ(rateText(400'000'000'000), "400G");
  EXPECT_EQ(shareText(Fraction::percent(99).partsPerTrillion()), "99%");
  EXPECT_EQ(shareText(125'000'000'000), "12.5%");
}

struct Example {
  Picoseconds time = microseconds(5);
  std::uint32_t window = 64;
  double gain = 0.25;
  std::optional<Bytes> limit;
  std::uint8_t priorities = 0x18;
  bool late = true;
};

TEST(SpecText, RangesSayWhatIsAllowed) {
  EXPECT_EQ(rangeText(field<&Example::time>("t", "").in(Picoseconds(1), seconds(1))), "1ps to 1s");
  EXPECT_EQ(
      rangeText(
          field<&Example::time>("t", "").atLeast(Picoseconds(1)).word("never", Picoseconds(99))),
      "1ps to 1000000s, or never");
  EXPECT_EQ(rangeText(field<&Example::window>("w", "").in(64, 1024).powerOfTwo()),
            "a power of two, 64 to 1024");
  EXPECT_EQ(rangeText(field<&Example::window>("w", "").in(8, 16).orZero()), "8 to 16, or 0");
  EXPECT_EQ(rangeText(field<&Example::gain>("g", "").above(0).atMost(1)), "above 0, at most 1");
  EXPECT_EQ(rangeText(field<&Example::gain>("g", "").atLeast(0).below(1)), "from 0, below 1");
  EXPECT_EQ(rangeText(field<&Example::limit>("l", "").atLeast(Bytes(256)).multipleOf(256)),
            "256B or more, a multiple of 256B");
  EXPECT_EQ(rangeText(field<&Example::late>("at", "").word("early", false).word("late", true)),
            "one of early, late");
}

TEST(SpecText, ValuesAreReadOutOfTheStruct) {
  const Example example;
  const auto text = [&](const Field& one) {
    const auto value = one.get(&example);
    return value ? valueText(one, *value) : std::string("none");
  };
  EXPECT_EQ(text(field<&Example::time>("t", "")), "5us");
  EXPECT_EQ(text(field<&Example::limit>("l", "")), "none");
  EXPECT_EQ(text(field<&Example::priorities>("p", "").priorities()), "[3, 4]");
  EXPECT_EQ(text(field<&Example::late>("at", "").word("early", false).word("late", true)), "late");
  EXPECT_EQ(text(field<&Example::late>("late", "")), "true");
}

TEST(SpecText, StoredNamesEndWithTheUnit) {
  EXPECT_EQ((field<&Example::time>("t", "").as("time").stored), "time_ps");
  EXPECT_EQ((field<&Example::limit>("limit", "").stored), "limit_bytes");
  EXPECT_EQ((field<&Example::window>("w", "").as("window_bytes").size().stored), "window_bytes");
  EXPECT_EQ((field<&Example::window>("window", "").stored), "window");
}

}  // namespace
}  // namespace plumbline::spec
