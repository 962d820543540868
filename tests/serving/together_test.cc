// Several systems on one network: their effects on each other.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/serving/serving_setup.h"

namespace plumbline::serving {
namespace {

constexpr BitRate kTenantRate = gigabitsPerSecond(100);

ServingSpec tenantSpec(std::uint64_t seed, Picoseconds measure = milliseconds(500)) {
  ServingSpec spec = plainSpec();
  spec.seed = seed;
  spec.reaction = microseconds(5);
  spec.window.warmup = milliseconds(50);
  spec.window.measure = measure;
  return spec;
}

// Two systems of two NICs each.
std::vector<ServingResult> runBoth(const std::array<WorkloadSpec, 2>& loads,
                                   Picoseconds measure = milliseconds(500)) {
  SharedRateNetwork network(4, kTenantRate, microseconds(1));
  const ServingSpec one = tenantSpec(1, measure);
  const ServingSpec two = tenantSpec(10'001, measure);
  ServingModel first(one, Workload(loads[0], one.seed), network);
  ServingModel second(two, Workload(loads[1], two.seed), network, 2);
  const std::array<ServingModel*, 2> both{&first, &second};
  return ServingModel::runTogether(both);
}

void expectSameRequests(const ServingResult& together, const ServingResult& alone) {
  ASSERT_GE(together.requests.size(), alone.requests.size());
  std::size_t measured = 0;
  for (std::size_t i = 0; i < alone.requests.size(); ++i) {
    const RequestRecord& a = together.requests[i];
    const RequestRecord& b = alone.requests[i];
    EXPECT_EQ(a.arrival, b.arrival);
    EXPECT_EQ(a.measured, b.measured);
    if (!b.measured) continue;
    ++measured;
    EXPECT_EQ(a.prefill_start, b.prefill_start);
    EXPECT_EQ(a.first_post, b.first_post);
    EXPECT_EQ(a.last_arrival, b.last_arrival);
    EXPECT_EQ(a.first_token, b.first_token);
    EXPECT_EQ(a.done, b.done);
    EXPECT_EQ(a.longest_gap, b.longest_gap);
    EXPECT_EQ(a.first_stages, b.first_stages);
  }
  EXPECT_GT(measured, 10U);
  EXPECT_EQ(together.window_tokens, alone.window_tokens);
}

TEST(Together, SystemsOnNicsOfTheirOwnRunAsAlone) {
  const std::array<WorkloadSpec, 2> loads{fixedWorkload(60, 100, 8, UINT64_MAX),
                                          fixedWorkload(90, 80, 3, UINT64_MAX)};
  const std::vector<ServingResult> both = runBoth(loads);
  ASSERT_EQ(both.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const ServingSpec spec = tenantSpec(i == 0 ? 1 : 10'001);
    SharedRateNetwork network(2, kTenantRate, microseconds(1));
    const ServingResult alone = runServing(spec, loads[i], network);
    expectSameRequests(both[i], alone);
    // The faster one continues until the slower one is over.
    EXPECT_GE(both[i].end, alone.end);
  }
  EXPECT_EQ(both[0].end, both[1].end);
}

TEST(Together, EachGetsItsOwnArrivals) {
  const std::array<WorkloadSpec, 2> loads{fixedWorkload(40, 100, 2, 20),
                                          fixedWorkload(40, 100, 2, 30)};
  const std::vector<ServingResult> both = runBoth(loads, kNever);
  EXPECT_EQ(both[0].requests.size(), 20U);
  EXPECT_EQ(both[1].requests.size(), 30U);
  for (const ServingResult& result : both) {
    EXPECT_EQ(result.bytes, result.requests.size() * 100 * 131'072);
    for (const RequestRecord& record : result.requests) EXPECT_TRUE(record.finished());
  }
}

TEST(Together, OneIsARunAlone) {
  const ServingSpec spec = tenantSpec(3);
  const WorkloadSpec load = fixedWorkload(50, 64, 4, 40);
  SharedRateNetwork network(2, kTenantRate, microseconds(1));
  ServingModel model(spec, Workload(load, spec.seed), network);
  const std::array<ServingModel*, 1> one{&model};
  const ServingResult together = ServingModel::runTogether(one).front();
  SharedRateNetwork other(2, kTenantRate, microseconds(1));
  const ServingResult alone = runServing(spec, load, other);
  expectSameRequests(together, alone);
  EXPECT_EQ(together.end, alone.end);
  EXPECT_EQ(together.requests.size(), alone.requests.size());
}

}  // namespace
}  // namespace plumbline::serving
