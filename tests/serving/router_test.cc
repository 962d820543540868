#include "serving/router.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/error.h"

namespace plumbline::serving {
namespace {

using RouteHashes = std::vector<std::uint64_t>;

Router routerOf(RouterPolicy policy, std::uint32_t workers) {
  RouterSpec spec;
  spec.decode = policy;
  return {spec, 2, workers, 9};
}

std::vector<int> countsOf(Router& router, const std::vector<WorkerLoad>& loads, int requests) {
  std::vector<int> counts(loads.size());
  for (int i = 0; i < requests; ++i) ++counts[router.decode(0, loads, {}, 10, {})];
  return counts;
}

TEST(Router, BlindPolicies) {
  const std::vector<WorkerLoad> loads(4);
  Router round = routerOf(RouterPolicy::kRoundRobin, 4);
  EXPECT_EQ(countsOf(round, loads, 8), (std::vector<int>{2, 2, 2, 2}));
  Router random = routerOf(RouterPolicy::kRandom, 4);
  for (const int count : countsOf(random, loads, 4000)) EXPECT_NEAR(count, 1000, 120);
}

TEST(Router, LoadPolicies) {
  const std::vector<WorkerLoad> loads{{5, 10}, {3, 90}, {4, 80}};
  Router outstanding = routerOf(RouterPolicy::kLeastOutstanding, 3);
  EXPECT_EQ(outstanding.decode(0, loads, {}, 10, {}), 1U);
  Router kv = routerOf(RouterPolicy::kLeastKv, 3);
  EXPECT_EQ(kv.decode(0, loads, {}, 10, {}), 0U);
  // Of two at random: the most loaded is taken only when it was drawn twice, 1 time in 9.
  Router two = routerOf(RouterPolicy::kPowerOfTwo, 3);
  const auto counts = countsOf(two, loads, 9000);
  EXPECT_NEAR(counts[0], 1000, 120);
  EXPECT_NEAR(counts[1], 5000, 250);
}

// weight * pages not cached + pages in use.
TEST(Router, KvAwareWeighsCacheAgainstLoad) {
  Router router = routerOf(RouterPolicy::kKvAware, 2);
  const RouteHashes hashes{1, 2, 3, 4};
  EXPECT_EQ(router.decode(0, std::vector<WorkerLoad>{{0, 5}, {0, 0}}, hashes, 6, {}), 1U);
  // Worker 1 has four pages of it: 2 + 7 against 6 + 4, and 2 + 9 against 6 + 4.
  EXPECT_EQ(router.decode(0, std::vector<WorkerLoad>{{0, 4}, {0, 7}}, hashes, 6, {}), 1U);
  EXPECT_EQ(router.decode(0, std::vector<WorkerLoad>{{0, 4}, {0, 9}}, hashes, 6, {}), 0U);
}

TEST(Router, PrefixAwareUnlessTheLoadIsUneven) {
  Router router = routerOf(RouterPolicy::kPrefixAware, 2);
  const RouteHashes hashes{1, 2, 3};
  EXPECT_EQ(router.decode(0, std::vector<WorkerLoad>{{0, 9}, {0, 1}}, hashes, 10, {}), 1U);
  // 3 of 10 pages are the threshold; 3 of 11 are less, so that the emptier worker is selected.
  EXPECT_EQ(router.decode(0, std::vector<WorkerLoad>{{0, 0}, {0, 9}}, hashes, 10, {}), 1U);
  EXPECT_EQ(
      router.decode(0, std::vector<WorkerLoad>{{0, 0}, {0, 9}}, RouteHashes{1, 2, 3, 9}, 11, {}),
      0U);
  EXPECT_EQ(router.decode(0, std::vector<WorkerLoad>{{10, 0}, {75, 0}}, hashes, 10, {}), 0U);
}

// What was routed more than 120 s ago is forgotten.
TEST(Router, PrefixMemoryFades) {
  PrefixMemory memory(seconds(120));
  memory.add(RouteHashes{1, 2}, 1, seconds(0));
  memory.add(RouteHashes{1}, 0, seconds(100));
  EXPECT_EQ(memory.cached(RouteHashes{1, 2, 3}, 3, seconds(120)),
            (std::vector<std::uint32_t>{1, 2, 0}));
  EXPECT_EQ(memory.cached(RouteHashes{1, 2, 3}, 3, seconds(121)),
            (std::vector<std::uint32_t>{1, 0, 0}));
}

// A path four times as slow as the other makes its pages four times as expensive, once it is
// measured.
TEST(Router, CongestionAwareAvoidsSlowPaths) {
  Router router = routerOf(RouterPolicy::kCongestionAware, 2);
  const std::vector<WorkerLoad> loads{{0, 10}, {0, 30}};
  router.measured(0, 0, microseconds(400), 1'000'000, seconds(1));
  router.measured(0, 1, microseconds(100), 1'000'000, seconds(1));
  const Picoseconds known = seconds(1) + milliseconds(100);
  EXPECT_EQ(router.decode(0, loads, {}, 10, known - Picoseconds(1)), 0U);  // 20 against 40
  EXPECT_EQ(router.decode(0, loads, {}, 10, known), 1U);                   // 50 against 40
  EXPECT_EQ(router.decode(1, loads, {}, 10, known), 0U);  // other paths are unknown
}

TEST(Router, ImpossibleOnesAreRefused) {
  RouterSpec spec;
  spec.prefill = RouterPolicy::kCongestionAware;
  EXPECT_THROW(check(spec), Error);
  spec = {};
  spec.weight = -1;
  EXPECT_THROW(check(spec), Error);
  spec = {};
  spec.delay = Picoseconds(-1);
  EXPECT_THROW(check(spec), Error);
}

}  // namespace
}  // namespace plumbline::serving
