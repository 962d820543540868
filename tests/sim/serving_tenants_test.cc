// Several serving systems on one packet-level fabric.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/sim/sim_bench.h"
#include "tests/serving/serving_setup.h"
#include "tests/sim/stack.h"
#include "transport/roce/roce_spec.h"

namespace plumbline::sim::testing {
namespace {

using bench::TrialResult;
using serving::RequestRecord;
using ::testing::HasSubstr;

serving::ServingProgram tenantProgram(std::uint32_t number, std::vector<std::uint32_t> hosts) {
  serving::ServingProgram program;
  program.system = serving::plainSpec();
  program.system.check_every = 0;
  program.system.reaction = microseconds(5);
  program.system.transfer.unit = serving::TransferUnit::kLayer;
  program.system.seed = 10'000 * number + 1;
  program.system.window.measure = milliseconds(300);
  program.workload = serving::fixedWorkload(100, 64 + 16 * number, 5, UINT64_MAX);
  program.hosts = std::move(hosts);
  return program;
}

TrialSpec tenantTrial(const std::vector<serving::ServingProgram>& programs) {
  TrialSpec spec;
  spec.dut = leafSpine(2, 2, 4, gigabitsPerSecond(100), nanoseconds(200));
  spec.transport = transport::RoceSpec{};
  spec.serving = programs.front();
  spec.tenants.assign(programs.begin() + 1, programs.end());
  return spec;
}

TrialResult runTenants(const TrialSpec& spec, unsigned threads = 1) {
  bench::SimBench bench({.line_rate = spec.dut.topology.link_rate, .threads = threads});
  return bench.run(spec, {});
}

void expectSameTimes(const serving::ServingResult& together, const serving::ServingResult& alone) {
  ASSERT_GE(together.requests.size(), alone.requests.size());
  for (std::size_t i = 0; i < alone.requests.size(); ++i) {
    const RequestRecord& a = together.requests[i];
    const RequestRecord& b = alone.requests[i];
    if (!b.measured) continue;
    EXPECT_EQ(a.first_post, b.first_post);
    EXPECT_EQ(a.last_arrival, b.last_arrival);
    EXPECT_EQ(a.first_token, b.first_token);
    EXPECT_EQ(a.done, b.done);
  }
}

// Hosts 0 and 1 are on one leaf, 4 and 5 on the other: two tenants whose KV cache crosses no common
// link, one of which reads while the other writes.
TEST(TenantsOnOneFabric, WithoutACommonLinkNoneFeelsTheOther) {
  serving::ServingProgram first = tenantProgram(0, {0, 1});
  serving::ServingProgram second = tenantProgram(1, {4, 5});
  second.system.transfer.unit = serving::TransferUnit::kRequest;
  second.system.transfer.verb = serving::TransferVerb::kRead;
  const TrialResult together = runTenants(tenantTrial({first, second}));
  ASSERT_TRUE(together.valid()) << together.faults.front();
  ASSERT_EQ(together.tenants.size(), 1U);
  expectSameTimes(*together.serving, *runTenants(tenantTrial({first})).serving);
  expectSameTimes(together.tenants.front(), *runTenants(tenantTrial({second})).serving);
}

TEST(TenantsOnOneFabric, EveryThreadCountGivesTheSameBytes) {
  const TrialSpec spec =
      tenantTrial({tenantProgram(0, {0, 4}), tenantProgram(1, {1, 5}), tenantProgram(2, {2, 6})});
  const TrialResult one = runTenants(spec);
  TrialResult several = runTenants(spec, 3);
  ASSERT_TRUE(one.valid());
  EXPECT_EQ(one.tenants.size(), 2U);
  several.wall_seconds = one.wall_seconds;
  several.fabric->peak_rss_bytes = one.fabric->peak_rss_bytes;
  EXPECT_EQ(one.toJson(), several.toJson());
  EXPECT_EQ(TrialResult::fromJson(one.toJson()).toJson(), one.toJson());
}

TEST(TenantsOnOneFabric, AreInTheKeyOfATrial) {
  const serving::ServingProgram first = tenantProgram(0, {0, 4});
  const TrialSpec alone = tenantTrial({first});
  const TrialSpec both = tenantTrial({first, tenantProgram(1, {1, 5})});
  const TrialSpec other = tenantTrial({first, tenantProgram(2, {1, 5})});
  EXPECT_NE(alone.toJson(), both.toJson());
  EXPECT_NE(both.toJson(), other.toJson());
}

TEST(TenantsOnOneFabric, WhatCannotBeIsRefused) {
  const bench::SimBench bench({});
  const auto refusal = [&](const TrialSpec& spec) {
    const auto refusals = bench.refusals(spec);
    return refusals.empty() ? std::string() : refusals.front();
  };
  const serving::ServingProgram first = tenantProgram(0, {0, 4});
  EXPECT_EQ(refusal(tenantTrial({first, tenantProgram(1, {1, 5})})), "");
  EXPECT_THAT(refusal(tenantTrial({first, tenantProgram(1, {1, 4})})),
              HasSubstr("host 4 has NICs of two serving systems"));
  EXPECT_THAT(refusal(tenantTrial({first, tenantProgram(1, {1, 8})})),
              HasSubstr("NIC 1 would be host 8"));
  TrialSpec without = tenantTrial({first, tenantProgram(1, {1, 5})});
  without.serving.reset();
  EXPECT_THAT(refusal(without), HasSubstr("tenants need a serving system"));
}

}  // namespace
}  // namespace plumbline::sim::testing
