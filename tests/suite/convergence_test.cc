// Convergence, on samples made by hand: two flows, 10 us apart.
#include "suite/convergence.h"

#include <gtest/gtest.h>

namespace plumbline::suite {
namespace {

// Rates in bytes per sample, flow by flow.
bench::Samples samplesOf(const std::vector<std::vector<std::uint64_t>>& rates) {
  bench::Samples samples;
  samples.interval = microseconds(10);
  samples.flows.resize(rates.size());
  std::vector<std::uint64_t> totals(rates.size());
  for (std::size_t i = 0; i < rates.front().size(); ++i) {
    for (std::size_t flow = 0; flow < rates.size(); ++flow) totals[flow] += rates[flow][i];
    bench::Sample sample;
    sample.received = totals;
    samples.samples.push_back(sample);
  }
  return samples;
}

constexpr ConvergenceRule kEvery{.tolerance = 0.1, .window = 1, .windows_held = 2};

TEST(Convergence, IsTheBeginningOfTheFirstFairWindow) {
  const auto samples = samplesOf({{1000, 800, 540, 500, 500}, {0, 200, 460, 500, 500}});
  EXPECT_EQ(convergenceTime(samples, Picoseconds(0), kEvery), microseconds(20));
  EXPECT_EQ(convergenceTime(samples, microseconds(10), kEvery), microseconds(10));
}

TEST(Convergence, MustHold) {
  const auto samples = samplesOf({{500, 1000, 500, 1000, 500}, {500, 0, 500, 0, 500}});
  EXPECT_EQ(convergenceTime(samples, Picoseconds(0), kEvery), std::nullopt);
}

TEST(Convergence, JustOutsideTheToleranceIsNotFair) {
  EXPECT_EQ(convergenceTime(samplesOf({{551, 551}, {449, 449}}), Picoseconds(0), kEvery),
            std::nullopt);
  EXPECT_EQ(convergenceTime(samplesOf({{550, 550}, {450, 450}}), Picoseconds(0), kEvery),
            Picoseconds(0));
}

TEST(Convergence, NothingReceivedIsNotFair) {
  EXPECT_EQ(convergenceTime(samplesOf({{0, 0, 0}, {0, 0, 0}}), Picoseconds(0), kEvery),
            std::nullopt);
  EXPECT_EQ(convergenceTime({}, Picoseconds(0), kEvery), std::nullopt);
}

TEST(Convergence, RatesAreOverWholeWindows) {
  const auto rates = flowRates(samplesOf({{1000, 3000, 500, 500, 7}}), 2);
  ASSERT_EQ(rates.size(), 1U);
  ASSERT_EQ(rates[0].size(), 2U);
  EXPECT_DOUBLE_EQ(rates[0][0], 8 * 4000 / 20e-6 / 1e9);
  EXPECT_DOUBLE_EQ(rates[0][1], 8 * 1000 / 20e-6 / 1e9);
}

}  // namespace
}  // namespace plumbline::suite
