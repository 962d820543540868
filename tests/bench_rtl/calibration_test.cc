#include "bench/trial/calibration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace plumbline::bench {
namespace {

// From the definition of the MAC model, edge by edge over one period of the phases.
TEST(Calibration, TxOffsetIsTheMeanWayToTheReferencePoint) {
  std::int64_t sum = 0;
  std::int64_t worst = 0;
  for (std::int64_t n = 1; n <= 33; ++n) {
    const std::int64_t earliest = (sim::edgeTime(n) + sim::kMacTxLatency).count();
    const std::int64_t first_bit = (earliest + 639) / 640 * 640;
    const std::int64_t way = first_bit - sim::edgeTime(n).count();
    sum += way;
    worst = std::max(worst, std::abs(way - kTxOffset.count()));
  }
  // Edges are whole picoseconds rounded down: up to 1 ps more.
  EXPECT_NEAR(static_cast<double>(sum) / 33, static_cast<double>(kTxOffset.count()), 1);
  EXPECT_LE(worst, 320 + 1);
}

TEST(Calibration, RxOffsetIsTheMeanWayFromTheReferencePoint) {
  std::int64_t sum = 0;
  std::int64_t worst = 0;
  // Every picosecond of arrival within one period of the clock's phases.
  for (std::int64_t first_bit = 0; first_bit < sim::kClockPeriodNum; ++first_bit) {
    const std::int64_t due = first_bit + std::int64_t{64} * 80 + sim::kMacRxLatency.count();
    std::int64_t edge = due * sim::kClockPeriodDen / sim::kClockPeriodNum;
    while (sim::edgeTime(edge).count() < due) ++edge;
    const std::int64_t error = sim::edgeTime(edge).count() + kRxOffset.count() - first_bit;
    sum += error;
    worst = std::max(worst, std::abs(error));
  }
  EXPECT_NEAR(static_cast<double>(sum) / sim::kClockPeriodNum, 0, 1);
  EXPECT_LE(worst, sim::kClockPeriodNum / sim::kClockPeriodDen / 2 + 2);
}

}  // namespace
}  // namespace plumbline::bench
