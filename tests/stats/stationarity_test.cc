#include "stats/stationarity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "stats/summary.h"

namespace plumbline::stats {
namespace {

// Standard normal numbers (Box and Muller).
class Normal {
 public:
  explicit Normal(std::uint64_t seed) : random_(seed, "normal") {}
  double next() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  double uniform() { return (static_cast<double>(random_.next() >> 11) + 0.5) * 0x1p-53; }
  RandomStream random_;
};

// x_i = mean + phi (x_{i-1} - mean) + noise, started in its stationary distribution.
class AutoRegressive {
 public:
  AutoRegressive(double mean, double phi, double deviation, std::uint64_t seed)
      : mean_(mean), phi_(phi), noise_(deviation * std::sqrt(1 - phi * phi)), normal_(seed) {
    off_ = deviation * normal_.next();
  }
  double next() {
    off_ = phi_ * off_ + noise_ * normal_.next();
    return mean_ + off_;
  }

 private:
  double mean_;
  double phi_;
  double noise_;
  Normal normal_;
  double off_ = 0;
};

// The first `count` values of `next`, judged once.
template <typename Next>
BatchMeans judged(const StationarityRule& rule, std::size_t count, Next next) {
  StationaryMean series(rule);
  for (std::size_t i = 0; i < count; ++i) series.add(next(i), 1);
  return series.judge();
}

// Like a bench: judged as observations arrive, until the rule is met; nothing within `most`.
template <typename Next>
std::optional<BatchMeans> untilStationary(const StationarityRule& rule, std::size_t max,
                                          Next next) {
  StationaryMean series(rule);
  for (std::size_t i = 0; i < max; ++i) {
    series.add(next(i), 1);
    if (!series.due()) continue;
    const BatchMeans means = series.judge();
    if (means.stationary) return means;
  }
  return std::nullopt;
}

TEST(StationaryMean, NeedsAsManyBatchesAsTheRuleSays) {
  const auto constant = [](std::size_t) { return 7.0; };
  EXPECT_EQ(judged({}, 19, constant).batches, 0U);
  EXPECT_FALSE(judged({}, 19, constant).stationary);
  const BatchMeans means = judged({}, 20, constant);
  EXPECT_TRUE(means.stationary);
  EXPECT_EQ(means.batches, 20U);
  EXPECT_EQ(means.batch_length, 1U);
  EXPECT_EQ(means.warm_up, 0U);
  EXPECT_EQ(means.mean, 7);
  EXPECT_EQ(means.half_width, 0);
}

TEST(StationaryMean, NeedsSamplesForItsPercentiles) {
  const StationarityRule rule{.min_samples = 1000};  // a 99th percentile
  StationaryMean series(rule);
  for (int i = 0; i < 40; ++i) series.add(24 * 2.5, 24);
  EXPECT_FALSE(series.judge().stationary);
  EXPECT_EQ(series.judge().samples, 960U);
  for (int i = 0; i < 2; ++i) series.add(24 * 2.5, 24);
  EXPECT_TRUE(series.judge().stationary);
  EXPECT_DOUBLE_EQ(series.judge().mean, 2.5);
}

// No batch without a sample has a mean.
TEST(StationaryMean, NeedsSamplesInEveryBatch) {
  StationaryMean series({});
  for (int i = 0; i < 30; ++i) series.add(i == 25 ? 0 : 4, i == 25 ? 0 : 1);
  EXPECT_FALSE(series.judge().stationary);
}

TEST(StationaryMean, ZeroForGoodIsStationary) {
  EXPECT_TRUE(judged({}, 40, [](std::size_t) { return 0.0; }).stationary);
}

// Two values in turn: 40 of them are 20 batches of two, all of the same mean.
TEST(StationaryMean, BatchesOfWholePeriodsAreConstant) {
  const BatchMeans means = judged({}, 40, [](std::size_t i) { return i % 2 == 0 ? 1.0 : 3.0; });
  EXPECT_EQ(means.batch_length, 2U);
  EXPECT_EQ(means.mean, 2);
  EXPECT_EQ(means.half_width, 0);
}

// Twenty values, each once: the textbook's interval. Mean 100, sum of squares 10 * 2 * 1, so
// s^2 = 20 / 19, half-width t(0.95, 19) * s / sqrt(20); in turns, so that r is negative.
TEST(StationaryMean, HalfWidthOfIndependentBatchesIsStudents) {
  const BatchMeans means =
      judged({.half_width = 0.01}, 20, [](std::size_t i) { return i % 2 == 0 ? 99.0 : 101.0; });
  EXPECT_EQ(means.batches, 20U);
  EXPECT_LT(means.autocorrelation, 0);
  EXPECT_NEAR(means.half_width, 2.0930 * std::sqrt(20.0 / 19 / 20), 1e-4);
  EXPECT_TRUE(means.stationary);
}

TEST(StationaryMean, LinearTrendIsNeverStationary) {
  for (const double slope : {1e-6, 1e-3, 0.1, -1e-6, -1e-5}) {
    const auto line = [slope](std::size_t i) { return 1 + slope * static_cast<double>(i); };
    EXPECT_FALSE(untilStationary({}, 20'000, line)) << slope;
  }
}

// Noise of 0.1 % hides a slow trend at first; the interval alone would be narrow enough.
TEST(StationaryMean, TrendUnderNoiseIsSeen) {
  Normal normal(3);
  const auto next = [&](std::size_t i) {
    return 1 + 1e-4 * static_cast<double>(i) + 1e-3 * normal.next();
  };
  EXPECT_FALSE(judged({}, 100, next).stationary);
}

// An exponential start-up of 20 observations: the warm-up is cut off, and the mean is that of
// afterwards.
TEST(StationaryMean, StartUpIsLeftOut) {
  Normal normal(5);
  const auto next = [&](std::size_t i) {
    return 100 * (1 - std::exp(-static_cast<double>(i) / 20)) + 0.5 * normal.next();
  };
  const auto means = untilStationary({}, 20'000, next);
  ASSERT_TRUE(means);
  EXPECT_GE(means->warm_up, 40U);  // within 13 % of the end
  EXPECT_NEAR(means->mean, 100, 0.5);
}

// A start-up that is not over: most of the observations are transient.
TEST(StationaryMean, WhatIsMostlyStartUpIsNotStationary) {
  const auto next = [](std::size_t i) { return i < 70 ? 0.0 : 100.0; };
  EXPECT_FALSE(judged({}, 100, next).stationary);
  EXPECT_TRUE(judged({}, 200, next).stationary);
  EXPECT_EQ(judged({}, 200, next).mean, 100);
}

// The variance of the mean of n values of AR(1) is s^2 / n (1 + phi) / (1 - phi) for long series.
TEST(StationaryMean, HalfWidthOfAnAutoRegressiveSeries) {
  constexpr double kPhi = 0.8;
  constexpr std::size_t kCount = 16'384 - 1;
  double squares = 0;
  constexpr int kRuns = 200;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    AutoRegressive series(10, kPhi, 1, seed);
    const BatchMeans means = judged({}, kCount, [&](std::size_t) { return series.next(); });
    ASSERT_GE(means.batches, 20U);
    const double error = means.half_width / studentT(0.95, means.batches - 1);
    // With the number of values that were used.
    squares += error * error * static_cast<double>(means.samples);
  }
  const double expected = (1 + kPhi) / (1 - kPhi);
  // Widened for positive estimates of r only, so the result is above: the mean of that factor over
  // estimates with a deviation of 1 / sqrt(20) about 0 is some 1.25.
  EXPECT_GT(squares / kRuns, 0.95 * expected);
  EXPECT_LT(squares / kRuns, 1.5 * expected);
}

// Share of runs whose interval holds the true mean.
double coverage(double phi, double deviation, std::size_t max, std::size_t& ended) {
  constexpr int kRuns = 300;
  int held = 0;
  int stationary = 0;
  std::size_t used = 0;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    AutoRegressive series(100, phi, deviation, 1000 + seed);
    const auto means = untilStationary({}, max, [&](std::size_t) { return series.next(); });
    if (!means) continue;
    ++stationary;
    used += means->samples;
    if (std::abs(means->mean - 100) <= means->half_width) ++held;
  }
  ended = stationary > 0 ? used / static_cast<std::size_t>(stationary) : 0;
  EXPECT_GE(stationary, kRuns * 95 / 100);
  return static_cast<double>(held) / stationary;
}

// Stopping when the interval happens to be narrow costs coverage, as is known of such procedures
// (Law and Kelton, Operations Research 32, 1984); not much of it may be lost.
TEST(StationaryMean, CoverageOverManyRuns) {
  std::size_t used = 0;
  EXPECT_GE(coverage(0, 0.5, 20'000, used), 0.9) << used;
  EXPECT_LE(used, 40U);
  EXPECT_GE(coverage(0, 5, 20'000, used), 0.9) << used;
  EXPECT_GE(coverage(0.5, 2, 50'000, used), 0.82) << used;
  EXPECT_GE(coverage(0.9, 2, 200'000, used), 0.78) << used;
  EXPECT_GE(coverage(0.95, 5, 200'000, used), 0.9) << used;
}

// The result depends neither on the portions of the input nor on the times of judging.
TEST(StationaryMean, IsAFunctionOfTheSeries) {
  AutoRegressive a(10, 0.5, 1, 7);
  AutoRegressive b(10, 0.5, 1, 7);
  StationaryMean often({});
  StationaryMean once({});
  for (int i = 0; i < 1000; ++i) {
    often.add(a.next(), 1);
    (void)often.judge();
    once.add(b.next(), 1);
  }
  EXPECT_EQ(often.judge().mean, once.judge().mean);
  EXPECT_EQ(often.judge().half_width, once.judge().half_width);
  EXPECT_EQ(often.observations(), 1000U);
  EXPECT_LT(1000 / often.cellLength(), StationaryMean::kMaxCells);
}

TEST(StationaryMean, RefusesRulesThatNothingMeets) {
  EXPECT_THROW(StationaryMean({.confidence = 1}), Error);
  EXPECT_THROW(StationaryMean({.half_width = 0}), Error);
  EXPECT_THROW(StationaryMean({.min_batches = 3}), Error);
  EXPECT_THROW(StationaryMean({.min_batches = 33}), Error);
}

}  // namespace
}  // namespace plumbline::stats
