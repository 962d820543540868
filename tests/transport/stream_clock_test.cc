#include "transport/stream/stream_clock.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "card/rate.h"

namespace plumbline::transport {
namespace {

constexpr BitRate k100G = gigabitsPerSecond(100);

std::vector<FineTime> allDue(StreamClock clock, std::size_t max = 100'000) {
  std::vector<FineTime> due;
  for (; clock.pending() && due.size() < max; clock.sent()) due.push_back(clock.due());
  return due;
}

// The card's driver has its own arithmetic for the same period.
TEST(FinePeriod, IsTheCardsForEveryRate) {
  RandomStream random(3, "fine_period");
  for (const std::int64_t gigabits : {100, 200, 400, 800}) {
    const BitRate line = gigabitsPerSecond(gigabits);
    for (int i = 0; i < 5000; ++i) {
      const Bytes frame(static_cast<std::int64_t>(64 + random.below(9153)));
      const double exponent = static_cast<double>(random.below(6'000'001)) / 1e6;
      const Fraction rate =
          Fraction::partsPerTrillion(static_cast<std::int64_t>(1e12 * std::pow(10.0, -exponent)));
      ASSERT_EQ(static_cast<std::uint64_t>(finePeriod(frame, line, rate)),
                card::framePeriod(frame, line, rate).raw());
    }
  }
}

TEST(FinePeriod, RoundsToTheNearestUnit) {
  EXPECT_EQ(finePeriod(Bytes(64), k100G, Fraction::percent(30)), FineTime{22400} << 16);
  EXPECT_EQ(finePeriod(Bytes(64), k100G, Fraction::percent(90)), 489335467);
}

TEST(FineTime, RoundsUpToAPicosecond) {
  EXPECT_EQ(atOrAfter(fineTime(Picoseconds(7))), Picoseconds(7));
  EXPECT_EQ(atOrAfter(fineTime(Picoseconds(7)) + 1), Picoseconds(8));
  EXPECT_EQ(atOrAfter(fineTime(Picoseconds(8)) - 1), Picoseconds(8));
}

// Frame n is due at start + n * period exactly, as many as the card's driver counts for the time.
TEST(StreamClock, ConstantRateLiesOnTheCardsGrid) {
  PlainStream stream;
  stream.frame = Bytes(1518);
  stream.load = ConstantRate{Fraction::partsPerTrillion(777'777'777'777)};
  stream.start = Picoseconds(12345);
  stream.end = microseconds(500);
  const auto due = allDue(StreamClock(stream, k100G, 1, 0));
  const card::FinePeriod period =
      card::framePeriod(stream.frame, k100G, Fraction::partsPerTrillion(777'777'777'777));
  ASSERT_EQ(due.size(), card::framesWithin(stream.end - stream.start, period));
  for (std::size_t n = 0; n < due.size(); ++n) {
    ASSERT_EQ(due[n], fineTime(stream.start) +
                          static_cast<FineTime>(n) * static_cast<FineTime>(period.raw()));
  }
}

TEST(StreamClock, BurstsBeginAtTheirInterval) {
  PlainStream stream;
  stream.load = FrameBursts{3, Bytes(16), 2, microseconds(1)};
  stream.start = nanoseconds(5);
  // 64 + 20 + 16 bytes take 8 ns at 100 Gb/s.
  const std::vector<FineTime> expected{fineTime(nanoseconds(5)),    fineTime(nanoseconds(13)),
                                       fineTime(nanoseconds(21)),   fineTime(nanoseconds(1005)),
                                       fineTime(nanoseconds(1013)), fineTime(nanoseconds(1021))};
  EXPECT_EQ(allDue(StreamClock(stream, k100G, 1, 0)), expected);
}

TEST(StreamClock, OnOffSendsInItsWindowsAndEndsInTheMiddleOfOne) {
  PlainStream stream;
  stream.load = OnOffRate{Fraction::percent(50), nanoseconds(30), nanoseconds(70)};
  stream.end = nanoseconds(210);
  // 64-byte frames at half of 100 Gb/s: every 13.44 ns, so three in 30 ns.
  std::vector<FineTime> expected;
  for (const std::int64_t burst : {0, 100'000, 200'000}) {
    for (const std::int64_t n : {0, 1, 2}) {
      const Picoseconds time(burst + n * 13'440);
      if (time < stream.end) expected.push_back(fineTime(time));
    }
  }
  EXPECT_EQ(expected.size(), 7U);
  EXPECT_EQ(allDue(StreamClock(stream, k100G, 1, 0)), expected);
}

// Poisson: as many frames as the rate gives within four standard deviations, gaps of variation 1.
TEST(StreamClock, PoissonHasTheRateAndTheVariationOfPoisson) {
  PlainStream stream;
  stream.load = PoissonRate{Fraction::percent(20)};
  stream.end = milliseconds(1);
  const auto due = allDue(StreamClock(stream, k100G, 5, 3));
  const double expected = 1e9 / 33'600;
  EXPECT_NEAR(static_cast<double>(due.size()), expected, 4 * std::sqrt(expected));
  double sum = 0;
  double squares = 0;
  FineTime last = 0;
  for (const FineTime time : due) {
    const auto gap = static_cast<double>(time - last) / 65536;
    last = time;
    sum += gap;
    squares += gap * gap;
  }
  const double mean = sum / static_cast<double>(due.size());
  const double deviation = std::sqrt(squares / static_cast<double>(due.size()) - mean * mean);
  EXPECT_NEAR(deviation / mean, 1, 0.03);
  EXPECT_EQ(due, allDue(StreamClock(stream, k100G, 5, 3)));
  EXPECT_NE(due, allDue(StreamClock(stream, k100G, 5, 4)));
}

TEST(StreamClock, SlotsGivenUpAreNotMadeUpForBehindTheEnd) {
  PlainStream stream;
  stream.load = ConstantRate{Fraction::one()};
  stream.end = Picoseconds(6720) * 4;
  StreamClock clock(stream, k100G, 1, 0);
  clock.sent();
  clock.giveUp();
  clock.giveUp();
  const std::vector<FineTime> expected{fineTime(Picoseconds(6720) * 3)};
  EXPECT_EQ(allDue(clock), expected);
}

TEST(StreamClock, HasNothingToSendInNoTime) {
  PlainStream stream;
  stream.load = ConstantRate{Fraction::one()};
  EXPECT_FALSE(StreamClock(stream, k100G, 1, 0).pending());
}

}  // namespace
}  // namespace plumbline::transport
