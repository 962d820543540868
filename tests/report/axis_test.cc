#include "report/axis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/random.h"

namespace plumbline::report::testing {
namespace {

// True for 1, 2 or 5 times a power of ten.
bool isRound(double step) {
  const double mantissa = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
  return std::abs(mantissa - 1) < 1e-6 || std::abs(mantissa - 2) < 1e-6 ||
         std::abs(mantissa - 5) < 1e-6;
}

TEST(RoundTicks, KnownCases) {
  EXPECT_EQ(roundTicks(0, 100, 5), (std::vector<double>{0, 20, 40, 60, 80, 100}));
  EXPECT_EQ(roundTicks(0.1, 0.9, 4), (std::vector<double>{0.2, 0.4, 0.6, 0.8}));
  EXPECT_EQ(roundTicks(-7, 7, 3), (std::vector<double>{-5, 0, 5}));
  EXPECT_EQ(roundTicks(2415, 2436, 4), (std::vector<double>{2415, 2420, 2425, 2430, 2435}));
  // No 0.30000000000000004.
  EXPECT_EQ(roundTicks(0, 0.5, 5), (std::vector<double>{0, 0.1, 0.2, 0.3, 0.4, 0.5}));
}

TEST(RoundTicks, PropertiesOfRandomRanges) {
  RandomStream random(1, "ticks");
  for (int i = 0; i < 20'000; ++i) {
    const double scale = std::pow(10.0, static_cast<double>(random.below(24)) - 12);
    const double low = (static_cast<double>(random.below(2'000'001)) - 1e6) / 1e3 * scale;
    const double high = low + (1 + static_cast<double>(random.below(1'000'000))) / 1e3 * scale;
    const int count = 2 + static_cast<int>(random.below(9));
    const std::vector<double> ticks = roundTicks(low, high, count);
    // The step is between 1/1.6 and 1.6 of the ideal one.
    ASSERT_LE(static_cast<double>(ticks.size()), 1.6 * count + 1 + 1e-6);
    ASSERT_GE(static_cast<double>(ticks.size()), count / 1.6 - 1 - 1e-6);
    const double slack = (high - low) * 1e-6;
    for (std::size_t t = 0; t < ticks.size(); ++t) {
      ASSERT_GE(ticks[t], low - slack);
      ASSERT_LE(ticks[t], high + slack);
      if (t == 0) continue;
      const double step = ticks[t] - ticks[t - 1];
      ASSERT_TRUE(isRound(step) || std::abs(low) / (high - low) > 1e6) << step;
      // Multiples of the step.
      ASSERT_NEAR(ticks[t] / step, std::round(ticks[t] / step), 1e-3);
    }
  }
}

TEST(RoundRange, ContainsTheDataAndEndsOnTicks) {
  RandomStream random(2, "range");
  for (int i = 0; i < 5'000; ++i) {
    const double low = static_cast<double>(random.below(100'000)) / 7;
    const double high = low + static_cast<double>(random.below(100'000)) / 13;
    const auto [range, ticks] = roundRange(low, high, 6);
    ASSERT_LE(range.low, low + 1e-9);
    ASSERT_GE(range.high, high - 1e-9);
    ASSERT_LT(range.low, range.high);
    ASSERT_EQ(ticks.front(), range.low);
    ASSERT_EQ(ticks.back(), range.high);
    ASSERT_LE(ticks.size(), 12U);
    for (std::size_t t = 1; t < ticks.size(); ++t) ASSERT_TRUE(isRound(ticks[t] - ticks[t - 1]));
  }
  const Range point = roundRange(5, 5, 4).range;
  EXPECT_LT(point.low, 5);
  EXPECT_GT(point.high, 5);
}

TEST(DecadeTicks, CoverTheRange) {
  EXPECT_EQ(decadeTicks(3, 2000, 6), (std::vector<double>{1, 10, 100, 1000, 10000}));
  EXPECT_EQ(decadeTicks(0.001, 1, 6), (std::vector<double>{0.001, 0.01, 0.1, 1}));
  EXPECT_EQ(decadeTicks(100, 100, 6), (std::vector<double>{100}));
  const std::vector<double> wide = decadeTicks(1e-9, 1e9, 6);
  EXPECT_LE(wide.size(), 7U);
  for (const double tick : wide) {
    EXPECT_NEAR(std::log10(tick), std::round(std::log10(tick)), 1e-9);
  }
}

std::vector<std::string> texts(const std::vector<Tick>& ticks) {
  std::vector<std::string> out;
  out.reserve(ticks.size());
  for (const Tick& tick : ticks) out.push_back(tick.label);
  return out;
}

TEST(Labels, HaveEqualDecimalsAndTellTicksApart) {
  EXPECT_EQ(texts(labelled({0, 0.5, 1})), (std::vector<std::string>{"0.0", "0.5", "1.0"}));
  EXPECT_EQ(texts(labelled({64, 1024, 9216})), (std::vector<std::string>{"64", "1,024", "9,216"}));
  EXPECT_EQ(texts(labelled({0, 1e7, 2e7})), (std::vector<std::string>{"0", "10⁷", "2·10⁷"}));
  EXPECT_EQ(texts(labelled({2415, 2420, 2425})),
            (std::vector<std::string>{"2,415", "2,420", "2,425"}));
  EXPECT_EQ(texts(labelledDecades({0.01, 0.1, 1, 10})),
            (std::vector<std::string>{"0.01", "0.1", "1", "10"}));
  EXPECT_EQ(texts(labelledDecades({1e-6, 1e-3, 1, 10})),
            (std::vector<std::string>{"10⁻⁶", "10⁻³", "1", "10"}));
  for (const auto& [low, high] : {std::pair{0.0, 1e-3},
                                  {0.0, 40.0},
                                  {2400.0, 2401.0},
                                  {1e5, 1.0001e5},
                                  {-3.0, 8.0},
                                  {0.0, 3e9}}) {
    const std::vector<std::string> names = texts(labelled(roundTicks(low, high, 6)));
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size())
        << low << " to " << high;
  }
}

TEST(AxisMapping, LinearAndLog) {
  const Axis linear(Axis::Scale::kLinear, {10, 20}, {}, 100, 300);
  EXPECT_DOUBLE_EQ(linear.pixel(10), 100);
  EXPECT_DOUBLE_EQ(linear.pixel(15), 200);
  EXPECT_DOUBLE_EQ(linear.pixel(20), 300);
  const Axis down(Axis::Scale::kLog, {1, 1000}, {}, 400, 100);
  EXPECT_DOUBLE_EQ(down.pixel(1), 400);
  EXPECT_DOUBLE_EQ(down.pixel(10), 300);
  EXPECT_DOUBLE_EQ(down.pixel(1000), 100);
  EXPECT_DOUBLE_EQ(down.pixel(0), 400);  // on the edge, not at minus infinity
}

TEST(AxisMapping, LabelsThatWouldTouchAreLeftOut) {
  Axis axis(Axis::Scale::kLinear, {0, 100}, {{0, "a"}, {10, "b"}, {50, "c"}, {52, "d"}}, 0, 100);
  axis.thinLabels(2, [](const std::string&) { return 10.0; });
  EXPECT_EQ(texts(axis.ticks()), (std::vector<std::string>{"a", "", "c", ""}));
  // The same upwards, where pixels run backwards.
  Axis up(Axis::Scale::kLinear, {0, 100}, {{0, "a"}, {11, "b"}, {50, "c"}, {63, "d"}}, 100, 0);
  up.thinLabels(2, [](const std::string&) { return 10.0; });
  EXPECT_EQ(texts(up.ticks()), (std::vector<std::string>{"a", "", "c", "d"}));
}

}  // namespace
}  // namespace plumbline::report::testing
