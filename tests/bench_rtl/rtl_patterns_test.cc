// Departures and drawn or listed gaps on the Verilated card, against the configuration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "sim/wire.h"
#include "tests/bench_rtl/rtl_trials.h"

namespace plumbline::bench {
namespace {

using ::testing::IsEmpty;

// Three ports to one, each some nanoseconds after the previous one, on no grid of the clock.
TEST(RtlDepartures, AreThoseCommandedToTheClock) {
  TrialSpec spec;
  spec.dut.topology.hosts = 4;
  spec.departures = 12;
  const Picoseconds interval(1'234'567);
  for (std::uint32_t i = 1; i < 4; ++i) {
    StreamSpec stream = streamToHost1(256, Fraction::one());
    stream.from = i;
    stream.to = 0;
    stream.start = nanoseconds(1000 + 10 * (i - 1));
    stream.load = BurstLoad{.frames = 4, .bursts = 3, .interval = interval};
    spec.streams.push_back(stream);
  }
  spec.duration = microseconds(10);
  const TrialResult seen = runOnCard(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<Picoseconds>& departures = seen.streams[i].departures;
    ASSERT_EQ(departures.size(), 12U);
    for (std::size_t burst = 0; burst < 3; ++burst) {
      const Picoseconds due = spec.streams[i].start + interval * static_cast<std::int64_t>(burst);
      EXPECT_GE(departures[4 * burst], due);
      EXPECT_LE(departures[4 * burst], due + sim::kClockPeriodMax);
      // Back to back: 276 byte times of 80 ps.
      EXPECT_EQ(departures[4 * burst + 1] - departures[4 * burst], sim::kByteTime * 276);
    }
  }
  spec.departures = 5;
  EXPECT_EQ(runOnCard(spec).streams[2].departures.size(), 5U);
  spec.departures = 0;
  EXPECT_THAT(runOnCard(spec).streams[2].departures, IsEmpty());
}

std::vector<Picoseconds> gapsOf(const TrialResult& result) {
  std::vector<Picoseconds> gaps;
  const std::vector<Picoseconds>& departures = result.streams[0].departures;
  for (std::size_t i = 1; i < departures.size(); ++i) {
    gaps.push_back(departures[i] - departures[i - 1]);
  }
  return gaps;
}

TEST(RtlGaps, ListedOnesAreKeptToTheClock) {
  TrialSpec spec = bareLinkTrial();
  spec.departures = 1000;
  spec.duration = microseconds(20);
  const std::vector<Picoseconds> listed{Picoseconds(100'001), Picoseconds(50'000),
                                        Picoseconds(333'333)};
  spec.streams[0].gaps = ListedGaps{listed, 2};
  const TrialResult seen = runOnCard(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  ASSERT_GT(seen.streams[0].departures.size(), 100U);
  EXPECT_EQ(seen.streams[0].departures.size(), seen.streams[0].received_frames);
  Picoseconds due;
  for (std::size_t i = 0; i < seen.streams[0].departures.size(); ++i) {
    EXPECT_GE(seen.streams[0].departures[i], due) << i;
    EXPECT_LE(seen.streams[0].departures[i], due + sim::kClockPeriodMax) << i;
    due += listed[i / 2 % 3];
  }
}

TEST(RtlGaps, DrawnOnesArePoisson) {
  TrialSpec spec = bareLinkTrial();
  spec.departures = 100'000;
  spec.duration = microseconds(400);
  spec.streams[0].frame = Bytes(98);
  spec.streams[0].load = ConstantLoad{Fraction::percent(5)};
  spec.streams[0].gaps = DrawnGaps{3};
  const TrialResult seen = runOnCard(spec);
  ASSERT_THAT(seen.faults, IsEmpty());
  const std::vector<Picoseconds> gaps = gapsOf(seen);
  ASSERT_EQ(gaps.size() + 1, seen.streams[0].sent_frames);
  ASSERT_GT(gaps.size(), 2000U);
  // The mean is 118 byte times over 5 %; mean and standard deviation are the same.
  const double mean = 118 * 80 / 0.05;
  double sum = 0;
  double below = 0;
  for (const Picoseconds gap : gaps) {
    sum += static_cast<double>(gap.count());
    if (static_cast<double>(gap.count()) < mean) ++below;
  }
  const auto count = static_cast<double>(gaps.size());
  EXPECT_NEAR(sum / count, mean, 5 * mean / std::sqrt(count));
  EXPECT_NEAR(below / count, 1 - std::exp(-1), 5 * 0.483 / std::sqrt(count));
  EXPECT_EQ(gapsOf(runOnCard(spec)), gaps);
  spec.streams[0].gaps = DrawnGaps{4};
  EXPECT_NE(gapsOf(runOnCard(spec)), gaps);
}

}  // namespace
}  // namespace plumbline::bench
