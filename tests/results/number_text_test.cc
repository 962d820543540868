// Numbers and units.
#include "results/number_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>

#include "base/random.h"
#include "results/units.h"

namespace plumbline::results {
namespace {

TEST(Numbers, ExactReadsBackBitForBit) {
  RandomStream random(1, "numbers");
  for (int i = 0; i < 20'000; ++i) {
    const auto value = std::bit_cast<double>(random.next());
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(std::strtod(exactNumber(value).c_str(), nullptr), value);
  }
  EXPECT_EQ(exactNumber(-0.0), "0");
  EXPECT_EQ(exactNumber(0.1), "0.1");
}

TEST(Numbers, GroupedForReading) {
  EXPECT_EQ(groupedNumber(1234567, 0), "1,234,567");
  EXPECT_EQ(groupedNumber(-1234.5, 2), "-1,234.50");
  EXPECT_EQ(groupedNumber(999.96, 1), "1,000.0");
  EXPECT_EQ(groupedNumber(0, 3), "0.000");
  EXPECT_EQ(groupedNumber(-0.0, 1), "0.0");
  EXPECT_EQ(groupedNumber(100, 0), "100");
  EXPECT_EQ(groupedNumber(0.00012, 1), "0.00012");  // never a false zero
  EXPECT_EQ(groupedNumber(0.037, 2), "0.037");
  EXPECT_EQ(groupedNumber(1234567, -2), "1,234,600");
  EXPECT_EQ(groupedNumber(-350, -1), "-350");
  EXPECT_EQ(groupedNumber(INFINITY, 2), "inf");
}

TEST(Numbers, ColumnsGetAsManyDecimalsAsTheyNeed) {
  EXPECT_EQ(columnDecimals({1, 2, 300}, 5), 0);
  EXPECT_EQ(columnDecimals({99.61, 100}, 5), 2);
  EXPECT_EQ(columnDecimals({99.61, 100}, 4), 1);
  EXPECT_EQ(columnDecimals({2.4154, 32.874}, 5), 3);
  EXPECT_EQ(columnDecimals({2.4154, 32.874}, 4), 2);
  EXPECT_EQ(columnDecimals({123456.789}, 5), 0);
  EXPECT_EQ(columnDecimals({0.5, 0.25}, 5), 2);
  // Zeros from rounding are kept: 0.99998 is not 1.
  EXPECT_EQ(columnDecimals({0.99998}, 4), 4);
  EXPECT_EQ(columnDecimals({0.1 + 0.2}, 5), 1);
  EXPECT_EQ(columnDecimals({}, 5), 0);
  EXPECT_EQ(columnDecimals({0}, 5), 0);
}

TEST(Numbers, StatedOnesAreKept) {
  EXPECT_EQ(readableNumber(1953), "1,953");
  EXPECT_EQ(readableNumber(2.44573), "2.44573");
  EXPECT_EQ(readableNumber(0.5), "0.5");
}

// Three significant digits, four after a 1.
TEST(Numbers, MeasuredOnesHaveThreeOrFourDigits) {
  EXPECT_EQ(measuredNumber(32.874), "32.9");
  EXPECT_EQ(measuredNumber(1.23456), "1.235");
  EXPECT_EQ(measuredNumber(2345.67), "2,346");
  EXPECT_EQ(measuredNumber(0.021597), "0.0216");
  EXPECT_EQ(measuredNumber(8), "8");
  EXPECT_EQ(measuredNumber(-7.25), "-7.25");
  EXPECT_EQ(measuredNumber(7.9999), "8.00");  // not 8
  EXPECT_EQ(measuredNumber(0), "0");
}

TEST(Units, TheMultipleThatFits) {
  const auto unitOf = [](const char* unit, double largest, double keep = 0) {
    return fitUnit(unit, largest, keep).unit;
  };
  EXPECT_EQ(unitOf("ps", 999), "ps");
  EXPECT_EQ(unitOf("ps", 1000), "ns");
  EXPECT_EQ(unitOf("ns", 1000), "µs");
  EXPECT_EQ(unitOf("ns", 9'999, 10'000), "ns");
  EXPECT_EQ(unitOf("ns", 10'000, 10'000), "µs");
  EXPECT_EQ(unitOf("us", 1500), "ms");
  EXPECT_EQ(unitOf("Gb/s", 0.02), "Mb/s");
  EXPECT_EQ(unitOf("Gb/s", 1600), "Tb/s");
  EXPECT_EQ(unitOf("B", 1e6), "MB");
  EXPECT_EQ(unitOf("s", 1e6), "s");
  EXPECT_EQ(unitOf("frames", 1e9), "frames");
  EXPECT_EQ(unitOf("frames/s", 7.7e7), "Mframes/s");
  EXPECT_EQ(unitOf("frames/s", 999), "frames/s");
  EXPECT_EQ(unitOf("GB/s", 0.02), "MB/s");
  EXPECT_EQ(unitOf("/s", 1e6), "/s");
  EXPECT_EQ(unitOf("", 1e9), "");
  EXPECT_EQ(unitOf("ns", 0), "ns");
  EXPECT_EQ(fitUnit("ps", 2.5e6).factor, 1e6);
  EXPECT_EQ(fitUnit("Gb/s", 0.02).factor, 1e-3);
  EXPECT_EQ(shownUnit("us"), "µs");
  EXPECT_EQ(shownUnit("Gb/s"), "Gb/s");
}

TEST(Units, LabelsNameThem) {
  EXPECT_EQ(splitUnit("latency [ns]").text, "latency");
  EXPECT_EQ(splitUnit("latency [ns]").unit, "ns");
  EXPECT_EQ(splitUnit("rate (Gb/s)").unit, "Gb/s");
  EXPECT_EQ(splitUnit("plain").text, "plain");
  EXPECT_EQ(splitUnit("plain").unit, "");
  EXPECT_EQ(splitUnit("odd]").text, "odd]");
  EXPECT_EQ(splitUnit("").unit, "");
  EXPECT_EQ(labelWithUnit("latency", "µs"), "latency [µs]");
  EXPECT_EQ(labelWithUnit("ratio", ""), "ratio");
}

}  // namespace
}  // namespace plumbline::results
