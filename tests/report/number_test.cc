// Numbers, units and escaping.
#include "report/number.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>

#include "base/random.h"
#include "report/svg.h"
#include "report/units.h"

namespace plumbline::report::testing {
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
  EXPECT_EQ(groupedNumber(INFINITY, 2), "inf");
}

TEST(Numbers, ColumnsGetAsManyDecimalsAsTheyNeed) {
  EXPECT_EQ(columnDecimals({1, 2, 300}), 0);
  EXPECT_EQ(columnDecimals({99.61, 100}), 2);
  EXPECT_EQ(columnDecimals({2.4154, 32.874}), 3);
  EXPECT_EQ(columnDecimals({123456.789}), 0);
  EXPECT_EQ(columnDecimals({0.5, 0.25}), 2);
  EXPECT_EQ(columnDecimals({}), 0);
  EXPECT_EQ(columnDecimals({0}), 0);
  EXPECT_EQ(readableNumber(1953), "1,953");
  EXPECT_EQ(readableNumber(2.44573), "2.4457");
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
}

}  // namespace
}  // namespace plumbline::report::testing
