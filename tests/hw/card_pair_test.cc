// Two cards with oscillators of their own: what each sees of the other's frames, and a simple servo
// that sets one card's time by the other's.
#include "sim/card_pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <optional>
#include <vector>

#include "base/error.h"
#include "bench/trial/calibration.h"
#include "card/driver.h"
#include "event_port.h"
#include "sim/wire.h"

namespace plumbline::hw_test {
namespace {

constexpr Picoseconds kCableDelay = microseconds(1);
constexpr std::int64_t kPairClock = sim::kClockPeriodMax.count();
constexpr double kClockPeriodPs = 102400.0 / 33;
constexpr double kRateUnits = 4294967296.0;  // 2^32

// Calibrates both cards and lets them receive event frames.
void bringUp(sim::CardPair& pair) {
  for (std::uint32_t card = 0; card < sim::CardPair::kCards; ++card) {
    card::Driver driver(pair.card(card));
    driver.reset();
    driver.setTiming(0, {.byte_time = sim::kByteTime,
                         .tx_offset = bench::kTxOffset,
                         .rx_offset = bench::kRxOffset});
    EventPort(pair.card(card), 0).receive(true, false);
  }
}

struct Exchange {
  EventStamp sent;
  EventStamp received;
};

// One frame from a card to the other, with the stamps of both.
Exchange exchange(sim::CardPair& pair, std::uint32_t from) {
  EventPort sender(pair.card(from), 0);
  EventPort receiver(pair.card(1 - from), 0);
  sender.send(ptpFrame(60, 1));
  const std::optional<EventStamp> sent = sender.sent();
  std::optional<ReceivedEvent> received;
  for (int i = 0; i < 100 && !received; ++i) received = receiver.take();
  EXPECT_TRUE(sent.has_value());
  EXPECT_TRUE(received.has_value());
  if (!sent || !received) return {};
  return {*sent, received->time};
}

TEST(CardPair, LocalTimesRunByTheirOscillators) {
  sim::CardPair pair(
      {{{.deviation_ppb = 100'000}, {.deviation_ppb = -100'000, .drift_ppb_per_s = 50'000'000}}},
      {.delay = kCableDelay});
  pair.runUntil(milliseconds(1));
  // 100 ppm of a millisecond; 50 ppm per ms are 25 ns more after one.
  EXPECT_NEAR(static_cast<double>(pair.card(0).now().count()), 1e9 + 100'000, kPairClock);
  EXPECT_NEAR(static_cast<double>(pair.card(1).now().count()), 1e9 - 100'000 + 25'000, kPairClock);
  for (const std::int64_t ps : {0LL, 1LL, 123'456'789LL, 20'000'000'000LL}) {
    for (std::uint32_t card = 0; card < 2; ++card) {
      const Picoseconds time(ps);
      EXPECT_LE(std::abs((pair.trueTime(card, pair.localTime(card, time)) - time).count()), 1);
    }
  }
  EXPECT_THROW(sim::CardPair({{{.deviation_ppb = 2'000'000}, {}}}, {.delay = kCableDelay}), Error);
  EXPECT_THROW(sim::CardPair({}, {.delay = nanoseconds(10)}), Error);
}

// Stamps are local times of the true first bit; the jitter is within its bound and fills it.
TEST(CardPair, StampsAndJitter) {
  constexpr Picoseconds kJitter = nanoseconds(13);
  sim::CardPair pair({{{.deviation_ppb = 90'000}, {.deviation_ppb = -70'000}}},
                     {.delay = kCableDelay, .jitter = kJitter, .seed = 5});
  bringUp(pair);
  Picoseconds left;
  pair.observe = [&left](std::uint32_t, const sim::FrameBytes&, Picoseconds first_bit) {
    left = first_bit;
  };
  std::int64_t least = 0;
  std::int64_t most = 0;
  for (int i = 0; i < 60; ++i) {
    const std::uint32_t from = i % 2;
    const Exchange seen = exchange(pair, from);
    EXPECT_LE(std::abs((pair.trueTime(from, seen.sent.local) - left).count()), kPairClock);
    const std::int64_t extra =
        (pair.trueTime(1 - from, seen.received.local) - left - kCableDelay).count();
    least = std::min(least, extra);
    most = std::max(most, extra);
  }
  EXPECT_GE(least, -kJitter.count() - kPairClock);
  EXPECT_LE(most, kJitter.count() + kPairClock);
  EXPECT_LE(least, -9'000);
  EXPECT_GE(most, 9'000);
}

// A straight line through (x, y) by least squares.
struct Line {
  double slope = 0;
  double at_zero = 0;
};

Line fit(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  double sx = 0;
  double sy = 0;
  double sxx = 0;
  double sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sx += x[i];
    sy += y[i];
    sxx += x[i] * x[i];
    sxy += x[i] * y[i];
  }
  const double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  return {slope, (sy - slope * sx) / n};
}

// Card time of a card at a true time near now, by its present rate.
double cardTimeAt(sim::CardPair& pair, std::uint32_t card, Picoseconds true_time, double rate) {
  const EventStamp now = CardClock(pair.card(card)).now();
  const double passed = static_cast<double>((pair.localTime(card, true_time) - now.local).count());
  return static_cast<double>(now.card.count()) + passed * (1 + rate);
}

struct Result {
  double worst_ps = 0;
};

// Sets card 1 by card 0: both ways are measured in local time of card 1, which no correction moves,
// and a line through `rounds` of them gives rate and phase. Then the cards are compared for as
// long.
Result followByALine(const std::array<sim::Oscillator, 2>& oscillators, Picoseconds jitter,
                     int rounds) {
  sim::CardPair pair(oscillators, {.delay = kCableDelay, .jitter = jitter, .seed = 11});
  bringUp(pair);
  // The times differ by much more than the cable.
  CardClock(pair.card(0)).step(3'000'000'000'000);
  std::vector<double> when;
  std::vector<double> difference;
  const Exchange origin = exchange(pair, 0);
  for (int i = 0; i < rounds; ++i) {
    const Exchange there = exchange(pair, 0);
    const Exchange back = exchange(pair, 1);
    const auto forward = static_cast<double>((there.sent.card - there.received.local).count());
    const auto backward = static_cast<double>((back.received.card - back.sent.local).count());
    const Picoseconds middle = there.received.local + (back.sent.local - there.received.local) / 2;
    when.push_back(static_cast<double>((middle - origin.received.local).count()));
    difference.push_back((forward + backward) / 2);
    pair.card(1).wait(microseconds(20));
  }
  const Line line = fit(when, difference);
  CardClock slave(pair.card(1));
  slave.setRate(std::llround(line.slope * kClockPeriodPs * kRateUnits));
  const EventStamp now = slave.now();
  const auto since = static_cast<double>((now.local - origin.received.local).count());
  slave.step(std::llround(line.at_zero + line.slope * since) - (now.card - now.local).count());
  Result result;
  for (int i = 0; i < 20; ++i) {
    pair.card(0).wait(microseconds(50));
    const Picoseconds at = pair.now();
    const double error = cardTimeAt(pair, 1, at, line.slope) - cardTimeAt(pair, 0, at, 0);
    result.worst_ps = std::max(result.worst_ps, std::abs(error));
  }
  return result;
}

TEST(CardPair, ASimpleServoSetsOneCardByTheOther) {
  const Result exact = followByALine({{{.deviation_ppb = 100'000}, {.deviation_ppb = -100'000}}},
                                     Picoseconds(0), 20);
  const Result noisy = followByALine({{{.deviation_ppb = -100'000}, {.deviation_ppb = 80'000}}},
                                     nanoseconds(13), 60);
  std::cout << "worst difference: " << exact.worst_ps << " ps without jitter, " << noisy.worst_ps
            << " ps with 13 ns\n";
  // Two stamps are on the grid of the receiver's clock.
  EXPECT_LE(exact.worst_ps, 4'000);
  EXPECT_LE(noisy.worst_ps, 20'000);
}

}  // namespace
}  // namespace plumbline::hw_test
