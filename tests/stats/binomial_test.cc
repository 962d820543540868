#include "stats/binomial.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace plumbline::stats {
namespace {

// P(X <= count), summed term by term.
double atMost(double count, int trials, double probability) {
  double sum = 0;
  for (int k = 0; k <= static_cast<int>(count); ++k) {
    sum += std::exp(std::lgamma(trials + 1) - std::lgamma(k + 1) - std::lgamma(trials - k + 1) +
                    k * std::log(probability) + (trials - k) * std::log1p(-probability));
  }
  return sum;
}

// The tails outside are within their bounds, and would exceed them with one number less inside.
TEST(BinomialRange, IsTheNarrowestThatHoldsEnough) {
  for (const int trials : {1, 7, 40, 500}) {
    for (const double probability : {0.004, 0.1, 0.5, 0.93}) {
      for (const double confidence : {0.9, 0.99}) {
        SCOPED_TRACE(testing::Message() << trials << " x " << probability << ", " << confidence);
        const double tail = (1 - confidence) / 2;
        const Interval range = binomialRange(trials, probability, confidence);
        EXPECT_EQ(range.low, std::floor(range.low));
        EXPECT_EQ(range.high, std::floor(range.high));
        EXPECT_GE(range.low, 0);
        EXPECT_LE(range.high, trials);
        EXPECT_LE(range.low == 0 ? 0 : atMost(range.low - 1, trials, probability), tail + 1e-9);
        EXPECT_LE(1 - atMost(range.high, trials, probability), tail + 1e-9);
        EXPECT_GE(atMost(range.low, trials, probability), tail - 1e-9);
        if (range.high > 0) {
          EXPECT_GE(1 - atMost(range.high - 1, trials, probability), tail - 1e-9);
        }
      }
    }
  }
}

TEST(BinomialRange, OfWhatIsCertainIsOneNumber) {
  EXPECT_EQ(binomialRange(0, 0.5, 0.99).high, 0);
  EXPECT_EQ(binomialRange(1e9, 0, 0.99).high, 0);
  EXPECT_EQ(binomialRange(12, 1, 0.99).low, 12);
  EXPECT_EQ(binomialRange(12, 1, 0.99).high, 12);
}

// As many frames as a day of line rate has: near a normal distribution.
TEST(BinomialRange, HoldsForManyTrials) {
  const Interval range = binomialRange(1e12, 1e-6, 0.99);
  EXPECT_NEAR(range.low, 1e6 - 2.5758 * 1e3, 5);
  EXPECT_NEAR(range.high, 1e6 + 2.5758 * 1e3, 5);
}

TEST(BinomialRange, RefusesWhatIsNoProbability) {
  EXPECT_THROW(binomialRange(-1, 0.5, 0.99), Error);
  EXPECT_THROW(binomialRange(10, 1.5, 0.99), Error);
  EXPECT_THROW(binomialRange(10, 0.5, 1), Error);
}

}  // namespace
}  // namespace plumbline::stats
