// Rates at the true wire: every frame on its place of the requested grid, whatever rate and length,
// for as long as it lasts.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <vector>

#include "range.h"
#include "sim/wire.h"
#include "test_card.h"
#include "tests/hw/long_run.h"

namespace plumbline::hw_test {
namespace {

// What clock and line allow: a frame enters the MAC at a clock edge, begins at a column of the
// line, and where it follows another at the smallest gap, the deficit idle count may pull it up to
// 7 bytes ahead.
constexpr std::int64_t kQuantumPs =
    (sim::kClockPeriodMax + sim::kByteTime * (sim::kColumnBytes.count() + 7)).count();

struct Point {
  std::uint32_t length;
  Fraction rate;

  // Requested time of frame k [ps], rounded down.
  [[nodiscard]] std::int64_t due(std::int64_t k) const {
    const Int128 slot = frameSlot(Bytes(length), sim::kLineRate).count();
    return static_cast<std::int64_t>(slot * k * Fraction::kOne / rate.partsPerTrillion());
  }
  // 1 ms or 1000 frames, whichever lasts longer.
  [[nodiscard]] std::int64_t frames() const {
    return std::max<std::int64_t>(1000, milliseconds(1).count() / due(1) + 1);
  }
};

std::vector<Point> grid() {
  std::vector<Point> points;
  const auto add = [&](std::initializer_list<std::uint32_t> lengths,
                       std::initializer_list<std::int64_t> permille) {
    for (const std::uint32_t length : lengths) {
      for (const std::int64_t rate : permille) {
        points.push_back({length, Fraction::partsPerTrillion(rate * (Fraction::kOne / 1000))});
      }
    }
  };
  if (longRun()) {
    add({64, 65, 127, 128, 256, 512, 1024, 1518, 4096, 9216},
        {10, 20, 50, 100, 200, 300, 333, 400, 500, 600, 700, 777, 800, 900, 950, 990, 999, 1000});
  } else {
    add({64, 65, 512}, {10, 333, 777, 999, 1000});
    add({1518}, {100, 500, 1000});
    add({9216}, {777, 1000});
  }
  // Ports run in pairs: points of like duration together.
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.due(a.frames()) < b.due(b.frames()); });
  return points;
}

class Measured {
 public:
  explicit Measured(const Point& point) : point_(point) {}

  void add(Picoseconds first_bit) {
    if (residual_.count == 0) {
      first_ = first_bit;
    }
    last_ = first_bit;
    residual_.add((first_bit - first_).count() -
                  point_.due(static_cast<std::int64_t>(residual_.count)));
    gap_sum_bytes_ = (last_ - first_).count() / 80 -
                     static_cast<std::int64_t>(residual_.count - 1) * (point_.length + 8);
  }

  // Checks and returns the rate's error [ppm].
  double check() const {
    const std::int64_t frames = point_.frames();
    EXPECT_EQ(residual_.count, static_cast<std::uint64_t>(frames));
    // Every frame lies within one quantum of the grid: there is no drift.
    EXPECT_LE(residual_.high - residual_.low, kQuantumPs);
    const std::int64_t requested = point_.due(frames - 1);
    const std::int64_t error = (last_ - first_).count() - requested;
    EXPECT_LE(std::abs(error), kQuantumPs + requested / 1'000'000);
    if (point_.rate == Fraction::one()) {
      EXPECT_NEAR(static_cast<double>(gap_sum_bytes_), 12.0 * static_cast<double>(frames - 1), 8);
    }
    return 1e6 * static_cast<double>(error) / static_cast<double>(requested);
  }

  [[nodiscard]] const Point& point() const { return point_; }
  [[nodiscard]] std::int64_t spread() const { return residual_.high - residual_.low; }

 private:
  Point point_;
  Range residual_;  // frame's distance from the grid of the first frame [ps]
  Picoseconds first_;
  Picoseconds last_;
  std::int64_t gap_sum_bytes_ = 0;
};

TEST(CardRates, EveryFrameOnTheRequestedGrid) {
  const std::vector<Point> points = grid();
  double worst_ppm = 0;
  std::int64_t worst_spread = 0;
  for (std::size_t first = 0; first < points.size(); first += 2) {
    TestCard card(2);
    std::vector<Measured> measured;
    for (std::size_t i = first; i < std::min(first + 2, points.size()); ++i) {
      const Point& point = points[i];
      const auto port = static_cast<std::uint32_t>(i - first);
      card::FlowConfig flow = makeFlow(udpStream(port, point.length), 0);
      setConstantRate(flow, point.rate, static_cast<std::uint32_t>(point.frames()));
      card.driver.loadFlows(port, std::vector{flow});
      measured.emplace_back(point);
    }
    card.wire.observe = [&](const WireFrame& frame, const wire::DecodedFrame&) {
      measured[frame.port].add(frame.first_bit);
    };
    card.start();
    card.finish(microseconds(5), microseconds(200));
    card.expectNoFaults();
    for (std::uint32_t port = 0; port < measured.size(); ++port) {
      const Point& point = measured[port].point();
      SCOPED_TRACE(testing::Message()
                   << point.length << " bytes at " << 100 * point.rate.toDouble() << " %");
      const double ppm = measured[port].check();
      worst_ppm = std::max(worst_ppm, std::abs(ppm));
      worst_spread = std::max(worst_spread, measured[port].spread());
      std::cout << point.length << " bytes at " << 100 * point.rate.toDouble()
                << " %: " << point.frames() << " frames, rate error " << ppm << " ppm (quantum "
                << 1e6 * static_cast<double>(kQuantumPs) /
                       static_cast<double>(point.due(point.frames() - 1))
                << "), spread around the grid " << measured[port].spread() << " ps, smallest gap "
                << card.sim.wireStats(port).min_gap_bytes << " bytes\n";
      EXPECT_GE(card.sim.wireStats(port).min_gap_bytes, 5);
      EXPECT_FALSE(card.driver.faults(port).tx_late);
      EXPECT_EQ(card.driver.counters(port).tx_late, 0U);
    }
  }
  std::cout << points.size() << " points: worst rate error " << worst_ppm
            << " ppm, worst spread around the grid " << worst_spread << " ps (of " << kQuantumPs
            << " that clock and line allow)\n";
}

// Smallest frames back to back: 8 and 16 bytes in turn, 12 on average, for a millisecond.
TEST(CardRates, SmallestFramesAtLineRateLeaveTwelveBytesOnAverage) {
  constexpr std::uint32_t kFrames = 148'811;  // an odd number: pairs of gaps
  TestCard card(2);
  std::array<std::vector<Picoseconds>, 2> starts;
  for (std::uint32_t port = 0; port < 2; ++port) {
    card::FlowConfig flow = makeFlow(udpStream(port, 64), 0);
    setConstantRate(flow, Fraction::one(), kFrames);
    card.driver.loadFlows(port, std::vector{flow});
  }
  card.wire.observe = [&](const WireFrame& frame, const wire::DecodedFrame&) {
    starts[frame.port].push_back(frame.first_bit);
  };
  card.start();
  card.finish();
  card.expectNoFaults();
  for (std::uint32_t port = 0; port < 2; ++port) {
    ASSERT_EQ(starts[port].size(), kFrames);
    Range gaps;
    std::int64_t sum = 0;
    for (std::size_t i = 1; i < kFrames; ++i) {
      const std::int64_t gap = (starts[port][i] - starts[port][i - 1]).count() / 80 - 72;
      gaps.add(gap);
      sum += gap;
    }
    std::cout << "port " << port << ": gaps " << gaps << ", average "
              << static_cast<double>(sum) / (kFrames - 1) << " bytes\n";
    EXPECT_EQ(sum, 12 * (kFrames - 1));
    EXPECT_EQ(gaps.low, 8);
    EXPECT_EQ(gaps.high, 16);
  }
}

}  // namespace
}  // namespace plumbline::hw_test
