#include "card/rate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/random.h"

namespace plumbline::card {
namespace {

constexpr BitRate k100G = gigabitsPerSecond(100);

TEST(FramePeriod, IsTheWireSlotAtLineRate) {
  EXPECT_EQ(framePeriod(Bytes(64), k100G, Fraction::one()).raw(), 6720ULL << 16);
  EXPECT_EQ(framePeriod(Bytes(9216), k100G, Fraction::one()).raw(), 738880ULL << 16);
  EXPECT_EQ(framePeriod(Bytes(1518), gigabitsPerSecond(400), Fraction::one()).raw(),
            30760ULL << 16);
}

TEST(FramePeriod, RoundsToTheNearestUnit) {
  // 6720 ps / 0.3 = 22400 ps exactly; / 0.7 = 9600 ps; / 0.9 = 7466.666... ps.
  EXPECT_EQ(framePeriod(Bytes(64), k100G, Fraction::percent(30)).raw(), 22400ULL << 16);
  EXPECT_EQ(framePeriod(Bytes(64), k100G, Fraction::percent(70)).raw(), 9600ULL << 16);
  EXPECT_EQ(framePeriod(Bytes(64), k100G, Fraction::percent(90)).raw(), 489335467ULL);
  EXPECT_NEAR(489335467.0 / 65536, 22400.0 / 3, 0.5 / 65536);
}

// The requirement: at most 1 ppm of the requested rate, from 10^-6 to 1 of line rate. The bound of
// the header (2^-17 ps) is checked as well, with long double as the independent arithmetic: its
// 64-bit mantissa resolves periods up to 10^12 ps to 10^-7 ps.
TEST(FramePeriod, IsWithinOnePartPerMillionForEveryRate) {
  RandomStream random(1, "rate_test");
  for (int i = 0; i < 20000; ++i) {
    const Bytes frame(static_cast<std::int64_t>(64 + random.below(9216 - 64 + 1)));
    // Log-uniform over six decades, ends included.
    const double exponent = static_cast<double>(random.below(6'000'001)) / 1e6;
    const auto ppt = static_cast<std::int64_t>(1e12 * std::pow(10.0, -exponent));
    const Fraction rate = Fraction::partsPerTrillion(ppt);
    const long double exact = static_cast<long double>((frame.count() + 20) * 80) * 1e12L / ppt;
    const long double period =
        static_cast<long double>(framePeriod(frame, k100G, rate).raw()) / 65536.0L;
    ASSERT_LE(std::fabs(period - exact), 1.0L / 131072 + 1e-6L) << frame.count() << " B, " << ppt;
    ASSERT_LE(std::fabs(exact / period - 1), 2e-9L) << frame.count() << " B, " << ppt;
  }
}

TEST(FramePeriod, RefusesRatesThatDoNotExist) {
  EXPECT_THROW(framePeriod(Bytes(64), k100G, Fraction()), Error);
  EXPECT_THROW(framePeriod(Bytes(64), k100G, Fraction::percent(101)), Error);
  // 738880 ps / 10^-12 = 738880 s.
  EXPECT_THROW(framePeriod(Bytes(9216), k100G, Fraction::partsPerTrillion(1)), Error);
}

TEST(FinePeriod, TakesWholePicosecondsExactly) {
  EXPECT_EQ(FinePeriod::fromPicoseconds(Picoseconds(3)).raw(), 3ULL << 16);
  EXPECT_EQ(FinePeriod::fromPicoseconds(Picoseconds((1LL << 48) - 1)).raw(), ((1ULL << 48) - 1)
                                                                                 << 16);
  EXPECT_THROW(FinePeriod::fromPicoseconds(Picoseconds(1LL << 48)), Error);
  EXPECT_THROW(FinePeriod::fromPicoseconds(Picoseconds(-1)), Error);
}

TEST(FramesWithin, CountsFramesThatStartInTheDuration) {
  const FinePeriod slot = framePeriod(Bytes(64), k100G, Fraction::one());
  EXPECT_EQ(framesWithin(Picoseconds(0), slot), 0U);
  EXPECT_EQ(framesWithin(Picoseconds(1), slot), 1U);
  EXPECT_EQ(framesWithin(Picoseconds(6720), slot), 1U);
  EXPECT_EQ(framesWithin(Picoseconds(6721), slot), 2U);
  EXPECT_EQ(framesWithin(Picoseconds(67200), slot), 10U);
  // One second at line rate: 148,809,523.8 slots.
  EXPECT_EQ(framesWithin(seconds(1), slot), 148'809'524U);
}

TEST(FramesWithin, UsesTheFractionOfThePeriod) {
  // 9600.5 ps: frame 2 is due at 19201 ps.
  const FinePeriod period = FinePeriod::fromRaw((9600ULL << 16) + 32768);
  EXPECT_EQ(framesWithin(Picoseconds(19201), period), 2U);
  EXPECT_EQ(framesWithin(Picoseconds(19202), period), 3U);
}

}  // namespace
}  // namespace plumbline::card
