#include "base/exponential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace plumbline {
namespace {

// Against the distribution function 1 - e^-x with the C library's exp: the largest distance of the
// empirical one stays below the Kolmogorov-Smirnov bound for alpha = 0.001, 1.95 / sqrt(n).
TEST(ExponentialGap, FollowsTheExponentialDistribution) {
  RandomStream random(7, "exponential");
  constexpr int kDraws = 200'000;
  constexpr int kBins = 4000;
  constexpr double kBinsPerMean = 400;
  std::vector<int> bins(kBins + 1, 0);
  for (int i = 0; i < kDraws; ++i) {
    const Picoseconds gap = exponentialGap(random, microseconds(1));
    ASSERT_GE(gap, Picoseconds());
    const double x = static_cast<double>(gap.count()) / 1e6;
    ++bins[static_cast<std::size_t>(std::min<double>(kBins, x * kBinsPerMean))];
  }
  double worst = 0;
  int below = 0;
  for (int bin = 0; bin < kBins; ++bin) {
    below += bins[static_cast<std::size_t>(bin)];
    const double expected = 1 - std::exp(-(bin + 1) / kBinsPerMean);
    worst = std::max(worst, std::abs(static_cast<double>(below) / kDraws - expected));
  }
  EXPECT_LT(worst, 1.95 / std::sqrt(kDraws));
}

TEST(ExponentialGap, HasItsMeanAlsoWhereTheProductExceeds64Bits) {
  RandomStream random(8, "exponential");
  const Picoseconds mean = seconds(100);
  double sum = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) sum += exponentialGap(random, mean).toSeconds();
  // Standard error 0.32 %; four of them.
  EXPECT_NEAR(sum / kDraws, 100, 1.3);
}

TEST(ExponentialGap, IsTheSameForOneSeedAndZeroForMeanZero) {
  RandomStream a(1, "a");
  RandomStream b(1, "a");
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(exponentialGap(a, nanoseconds(50)), exponentialGap(b, nanoseconds(50)));
  }
  EXPECT_EQ(exponentialGap(a, Picoseconds(0)), Picoseconds(0));
}

}  // namespace
}  // namespace plumbline
