// Convergence, on samples made by hand, 10 us apart, against the conclusions of a reader of the
// curves.
#include "suite/framework/convergence.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plumbline::suite {
namespace {

using Series = std::vector<std::vector<std::uint64_t>>;  // bytes per sample, flow by flow

bench::Samples samplesOf(const Series& rates) {
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

// Two flows of which the first has a share of 1000 bytes that is a function of the sample's number.
template <typename Share>
Series twoFlows(std::size_t count, const Share& first) {
  Series series(2);
  for (std::size_t i = 0; i < count; ++i) {
    const auto bytes = static_cast<std::uint64_t>(std::llround(1000 * first(i)));
    series[0].push_back(bytes);
    series[1].push_back(1000 - bytes);
  }
  return series;
}

constexpr ConvergenceRule kEvery{.tolerance = 0.1, .window = 1, .windows_held = 2};
constexpr Picoseconds kNever = seconds(1);

Convergence judge(const Series& series, Picoseconds from = Picoseconds(0),
                  Picoseconds until = kNever, const ConvergenceRule& rule = kEvery) {
  return convergenceOf(samplesOf(series), {series.size(), from, until}, rule);
}

TEST(Convergence, IsTheBeginningOfTheFirstWindowOfThoseThatStayFair) {
  const Series series{{1000, 800, 540, 500, 500}, {0, 200, 460, 500, 500}};
  EXPECT_EQ(judge(series).settled, microseconds(20));
  EXPECT_EQ(judge(series, microseconds(10)).settled, microseconds(10));
  EXPECT_DOUBLE_EQ(judge(series).fair_share_of_windows.value(), 0.6);
}

TEST(Convergence, AShareOfWindowsNeedsAWindow) {
  const auto even = [](std::size_t) { return 0.5; };
  EXPECT_EQ(judge(twoFlows(3, even), microseconds(30)).fair_share_of_windows, std::nullopt);
  EXPECT_EQ(judge(twoFlows(3, even)).fair_share_of_windows, 1);
  // The third flow has delivered nothing.
  EXPECT_EQ(convergenceOf(samplesOf(twoFlows(3, even)), {3, Picoseconds(0), kNever}, kEvery)
                .fair_share_of_windows,
            0);
}

// A flow at line rate before the second begins is alone: there is nothing to share.
TEST(Convergence, AFlowAloneIsNotFair) {
  const auto alone = [](std::size_t i) { return i < 10 ? 1.0 : 0.5; };
  EXPECT_EQ(judge(twoFlows(20, alone)).settled, microseconds(100));
  EXPECT_EQ(judge(twoFlows(10, alone)).settled, std::nullopt);
  EXPECT_EQ(judge(twoFlows(20, alone), microseconds(100)).settled, Picoseconds(0));
}

// The newcomer pushes the old flow down, far below its share; on the way there both are fair for
// some windows. Only the return counts.
TEST(Convergence, CrossingTheFairShareIsNotConverging) {
  const auto dip = [](std::size_t i) {
    if (i < 10) return 1.0 - 0.05 * static_cast<double>(i);  // fair at 9 and 10 already
    if (i < 20) return std::max(0.2, 0.5 - 0.03 * static_cast<double>(i - 10));
    return std::min(0.5, 0.2 + 0.02 * static_cast<double>(i - 20));
  };
  const Series series = twoFlows(60, dip);
  // 0.2 + 0.02 n is within 10 % of one half from n = 13 on.
  EXPECT_EQ(judge(series).settled, microseconds(330));
  // The same when the crossing itself is slow enough to fill any number of windows.
  const auto slow = [](std::size_t i) {
    return std::max(0.3, 0.56 - 0.001 * static_cast<double>(i));
  };
  const Convergence crossed = judge(twoFlows(400, slow));
  EXPECT_EQ(crossed.settled, std::nullopt);
  EXPECT_NEAR(crossed.fair_share_of_windows.value(), 101 / 400.0, 1e-9);  // from 0.55 down to 0.45
}

// Both start at line rate, are slowed equally for a while and only then diverge.
TEST(Convergence, FairAtFirstAndUnfairLaterIsNotConverged) {
  const auto apart = [](std::size_t i) { return i < 30 ? 0.5 : 0.7; };
  const Convergence result = judge(twoFlows(60, apart));
  EXPECT_EQ(result.settled, std::nullopt);
  EXPECT_DOUBLE_EQ(result.fair_share_of_windows.value(), 0.5);
}

TEST(Convergence, AnOscillationConvergesWhenItHasDied) {
  const auto swing = [](double decay) {
    return [decay](std::size_t i) {
      const auto n = static_cast<double>(i);
      return 0.5 + 0.4 * std::exp(-decay * n) * std::cos(n * 0.314159265358979 * 2);
    };
  };
  EXPECT_EQ(judge(twoFlows(200, swing(0))).settled, std::nullopt);
  // Ten samples a turn, so that each half turn has an extreme on a sample: the last one beyond 0.05
  // is where 0.4 exp(-0.05 n) is, at n = 40 (0.054); at 45 it is 0.042.
  EXPECT_EQ(judge(twoFlows(200, swing(0.05))).settled, microseconds(410));
}

// Flows that have everything by turns are fair over a window as long as the turns, and not below.
TEST(Convergence, WhatHappensWithinAWindowIsAveraged) {
  const Series turns = twoFlows(40, [](std::size_t i) { return i % 2 == 0 ? 1.0 : 0.0; });
  EXPECT_EQ(judge(turns).settled, std::nullopt);
  constexpr ConvergenceRule kTwo{.tolerance = 0.1, .window = 2, .windows_held = 2};
  EXPECT_EQ(judge(turns, Picoseconds(0), kNever, kTwo).settled, Picoseconds(0));
}

// A step at 100 us: windows of five samples overlap, and the first that is fair is the one with
// less than a tenth of excess left in it, which is none.
TEST(Convergence, WindowsBeginAtEverySample) {
  const Series step = twoFlows(60, [](std::size_t i) { return i < 10 ? 0.9 : 0.5; });
  constexpr ConvergenceRule kFive{.tolerance = 0.1, .window = 5, .windows_held = 2};
  EXPECT_EQ(judge(step, Picoseconds(0), kNever, kFive).settled, microseconds(100));
  EXPECT_EQ(judge(step, microseconds(95), kNever, kFive).settled, microseconds(5));
}

TEST(Convergence, AFairEndIsNotEnough) {
  const auto late = [](std::size_t i) { return i < 28 ? 0.9 : 0.5; };
  constexpr ConvergenceRule kThree{.tolerance = 0.1, .window = 1, .windows_held = 3};
  EXPECT_EQ(judge(twoFlows(30, late), Picoseconds(0), kNever, kThree).settled, std::nullopt);
  EXPECT_EQ(judge(twoFlows(31, late), Picoseconds(0), kNever, kThree).settled, microseconds(280));
}

// Senders that have stopped end the span: the last one to finish has the link alone.
TEST(Convergence, WhatComesAfterTheSpanDoesNotCount) {
  const auto drains = [](std::size_t i) { return i < 5 ? 0.8 : i < 20 ? 0.5 : 1.0; };
  EXPECT_EQ(judge(twoFlows(30, drains)).settled, std::nullopt);
  EXPECT_EQ(judge(twoFlows(30, drains), Picoseconds(0), microseconds(200)).settled,
            microseconds(50));
  EXPECT_EQ(judge(twoFlows(30, drains), Picoseconds(0), microseconds(209)).settled,
            microseconds(50));
  EXPECT_EQ(judge(twoFlows(30, drains), Picoseconds(0), microseconds(210)).settled, std::nullopt);
}

TEST(Convergence, JustOutsideTheToleranceIsNotFair) {
  EXPECT_EQ(judge({{551, 551}, {449, 449}}).settled, std::nullopt);
  EXPECT_EQ(judge({{550, 550}, {450, 450}}).settled, Picoseconds(0));
  // One of many is enough.
  EXPECT_EQ(judge({{100, 100}, {100, 100}, {100, 100}, {80, 80}}).settled, std::nullopt);
}

// The share is that of the arrivals: a common decrease is fair, and visible in goodput.
TEST(Convergence, TheFairShareIsTheMeanOfTheFlows) {
  EXPECT_EQ(judge({{500, 100, 10}, {500, 100, 10}}).settled, Picoseconds(0));
}

TEST(Convergence, NothingReceivedIsNotFair) {
  EXPECT_EQ(judge({{0, 0, 0}, {0, 0, 0}}).settled, std::nullopt);
  EXPECT_EQ(convergenceOf({}, {2, Picoseconds(0), kNever}, kEvery).settled, std::nullopt);
}

// Samples contain only flows with arrivals.
TEST(Convergence, AFlowThatNeverComesIsMissed) {
  const bench::Samples two = samplesOf({{500, 500, 500}, {500, 500, 500}});
  EXPECT_EQ(convergenceOf(two, {2, Picoseconds(0), kNever}, kEvery).settled, Picoseconds(0));
  EXPECT_EQ(convergenceOf(two, {3, Picoseconds(0), kNever}, kEvery).settled, std::nullopt);
  // A flow first seen later is left out of the samples before.
  bench::Samples late = samplesOf({{500, 500, 500, 500}, {0, 0, 500, 500}});
  for (std::size_t i = 0; i < 2; ++i) late.samples[i].received.pop_back();
  EXPECT_EQ(convergenceOf(late, {2, Picoseconds(0), kNever}, kEvery).settled, microseconds(20));
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
