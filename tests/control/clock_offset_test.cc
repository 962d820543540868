// Estimates of another clock in a simulation in which both clocks are known.
#include "control/clock_offset.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "control/host_clock.h"

namespace plumbline::control {
namespace {

constexpr std::int64_t kNow = 1'790'000'000'000'000'000;

// Two clocks over true time, which starts at 0.
struct World {
  std::int64_t offset_ns = 0;
  double drift_ppm = 0;

  [[nodiscard]] static std::int64_t here(std::int64_t time_ns) { return kNow + time_ns; }
  [[nodiscard]] std::int64_t there(std::int64_t time_ns) const {
    return kNow + time_ns + trueOffset(time_ns);
  }
  [[nodiscard]] std::int64_t trueOffset(std::int64_t time_ns) const {
    return offset_ns + std::llround(static_cast<double>(time_ns) * drift_ppm / 1e6);
  }
  [[nodiscard]] ClockExchange exchange(std::int64_t at, std::int64_t out, std::int64_t work,
                                       std::int64_t back) const {
    return {here(at), there(at + out), there(at + out + work), here(at + out + work + back)};
  }
};

TEST(ClockOffset, EqualWaysGiveItExactly) {
  const World world{1'234'567'890, 0};
  const auto estimate = estimateClock({world.exchange(0, 50'000, 7'000, 50'000)});
  ASSERT_TRUE(estimate.has_value());
  EXPECT_EQ(estimate->offset_ns, 1'234'567'890);
  EXPECT_EQ(estimate->uncertainty_ns, 50'002);
  EXPECT_EQ(estimate->at_ns, World::here(53'500));
}

TEST(ClockOffset, WhereAllDelayIsOnOneWayTheTruthIsAtTheEdge) {
  const World world{-5'000'000, 0};
  const auto out = estimateClock({world.exchange(0, 80'000, 0, 0)});
  EXPECT_EQ(out->offset_ns, -5'000'000 + 40'000);
  EXPECT_GE(out->uncertainty_ns, 40'000);
  const auto back = estimateClock({world.exchange(0, 0, 0, 80'000)});
  EXPECT_EQ(back->offset_ns, -5'000'000 - 40'000);
  EXPECT_LE(back->uncertainty_ns, 40'010);
}

TEST(ClockOffset, TheShortestRoundTripCounts) {
  const World world{77, 0};
  const auto estimate = estimateClock({world.exchange(0, 900'000, 0, 100),
                                       world.exchange(1'000'000, 200, 5'000'000, 300),
                                       world.exchange(9'000'000, 100, 0, 900'000)});
  EXPECT_EQ(estimate->uncertainty_ns, 252);
  EXPECT_EQ(estimate->at_ns, World::here(1'000'000 + 2'500'250));
}

TEST(ClockOffset, TheTruthIsNeverFurtherThanTheUncertainty) {
  std::mt19937_64 random(7);
  const auto upTo = [&](std::int64_t max) {
    return std::uniform_int_distribution<std::int64_t>(0, max)(random);
  };
  for (int round = 0; round < 20'000; ++round) {
    const World world{upTo(20'000'000'000) - 10'000'000'000, 0};
    std::vector<ClockExchange> exchanges(5);
    std::int64_t at = 0;
    for (ClockExchange& exchange : exchanges) {
      exchange = world.exchange(at, upTo(3'000'000), upTo(50'000), upTo(3'000'000));
      at += 10'000'000;
    }
    const auto estimate = estimateClock(exchanges);
    ASSERT_TRUE(estimate.has_value());
    ASSERT_LE(std::abs(estimate->offset_ns - world.offset_ns), estimate->uncertainty_ns);
  }
}

TEST(ClockOffset, WhatCannotHaveBeenDoesNotCount) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(estimateClock({}).has_value());
  for (const ClockExchange& wrong :
       std::vector<ClockExchange>{{100, 50, 40, 200},    // answered before it was asked
                                  {100, 50, 250, 200},   // took longer there than here
                                  {200, 50, 60, 100},    // back before it left
                                  {100, -1, 60, 200},    // no time
                                  {100, kMin, 60, 200},  //
                                  {100, 50, kMax, 200},  //
                                  {kMin, 50, 60, kMax},  //
                                  {kMax, kMax, kMax, kMax}}) {
    EXPECT_FALSE(estimateClock({wrong}).has_value()) << wrong.received_ns;
    EXPECT_EQ(estimateClock({wrong, {100, 50, 60, 200}})->offset_ns, -95);
  }
}

ClockTrack trackOf(const World& world, std::initializer_list<std::int64_t> times) {
  ClockTrack track;
  for (const std::int64_t time : times) {
    track.add(*estimateClock({world.exchange(time, 20'000, 0, 30'000)}));
  }
  return track;
}

TEST(ClockTrack, DriftIsFound) {
  const World world{500'000, 20};  // 20 us per second
  const ClockTrack track = trackOf(world, {0, 5'000'000'000, 10'000'000'000});
  const auto drift = track.drift();
  ASSERT_TRUE(drift.has_value());
  EXPECT_NEAR(drift->ppm, 20, drift->uncertainty_ppm);
  EXPECT_NEAR(drift->uncertainty_ppm, 5, 0.01);  // 2 * 25 us in 10 s
  EXPECT_EQ(track.strayedNs(), 0);
  EXPECT_FALSE(trackOf(world, {0}).drift().has_value());
}

TEST(ClockTrack, BetweenEstimatesTheTruthIsWithinTheUncertainty) {
  const World world{-800'000'000, -35};
  const ClockTrack track = trackOf(world, {0, 4'000'000'000, 9'000'000'000});
  for (std::int64_t time = 0; time < 9'000'000'000; time += 123'456'789) {
    const ClockEstimate estimate = track.at(World::here(time));
    ASSERT_LE(std::abs(estimate.offset_ns - world.trueOffset(time)), estimate.uncertainty_ns);
  }
  EXPECT_EQ(track.at(0).offset_ns, track.at(World::here(0)).offset_ns);
  EXPECT_EQ(track.at(World::here(1LL << 50U)).offset_ns, track.latest().offset_ns);
}

TEST(ClockTrack, AClockThatIsSetIsNoticed) {
  ClockTrack track = trackOf({1'000, 0}, {0});
  track.add(*estimateClock({World{4'001'000, 0}.exchange(1'000'000'000, 20'000, 0, 20'000)}));
  track.add(*estimateClock({World{1'000, 0}.exchange(2'000'000'000, 20'000, 0, 20'000)}));
  EXPECT_NEAR(static_cast<double>(track.strayedNs()), 4e6 - 2 * 25e3, 10e3);
}

TEST(ClockTrack, LooksForwardOnly) {
  ClockTrack track;
  track.add({100, 5, 1});
  track.add({100, 9, 1});
  track.add({50, 9, 1});
  EXPECT_FALSE(track.drift().has_value());
  EXPECT_EQ(track.latest().offset_ns, 5);
}

TEST(HostClock, IsTheMachinesAndCanBePutWrong) {
  const HostClock right;
  const HostClock wrong(std::chrono::seconds(-3));
  const auto utc = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  EXPECT_NEAR(static_cast<double>(right.nowNs() - utc.count()), 0, 1e8);
  const std::int64_t before = right.nowNs();
  const std::int64_t there = wrong.nowNs();
  const std::int64_t after = right.nowNs();
  EXPECT_LE(before, after);
  EXPECT_GE(there + 3'000'000'000, before - 100'000);
  EXPECT_LE(there + 3'000'000'000, after + 100'000);
}

}  // namespace
}  // namespace plumbline::control
