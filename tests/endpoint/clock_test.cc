#include "endpoint/clock.h"

#include <gtest/gtest.h>

namespace plumbline::endpoint {
namespace {

TEST(Clock, CostsSomethingButNotMuch) {
  const ClockCost cost = measureClock();
  EXPECT_GE(cost.minimum_ns, 0);
  EXPECT_LE(cost.minimum_ns, cost.median_ns);
  EXPECT_LT(cost.median_ns, 100'000);
  EXPECT_GE(cost.resolution_ns, 1);
}

TEST(Clock, DoesNotGoBackwards) {
  std::int64_t before = monotonicNow();
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t after = monotonicNow();
    EXPECT_GE(after, before);
    before = after;
  }
}

}  // namespace
}  // namespace plumbline::endpoint
