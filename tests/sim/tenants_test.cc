// Two jobs on one fabric: the cost of each for the other.
#include <gtest/gtest.h>

#include "tests/sim/stack.h"
#include "transport/roce/roce_spec.h"
#include "transport/uet/uet_spec.h"
#include "workload/formulas.h"

namespace plumbline::sim::testing {
namespace {

constexpr std::uint32_t kHostsPerLeaf = 4;

workload::JobSpec job(const char* name, std::vector<HostId> hosts) {
  workload::CollectiveSpec ring;
  ring.bytes = 4U << 20;
  return collective(name, std::move(hosts), ring);
}

TrialSpec trialOver(const bench::TransportSpec& transport) {
  TrialSpec spec;
  spec.dut = leafSpine(2, 2, kHostsPerLeaf, gigabitsPerSecond(100), nanoseconds(500));
  spec.dut.switches.shared_buffer = fabric::SharedBufferSpec{};
  spec.dut.switches.pfc = fabric::PfcSpec{};
  spec.dut.switches.trim = fabric::TrimSpec{};
  spec.transport = transport;
  spec.workload.emplace();
  return spec;
}

// Completion times of all jobs.
std::vector<Picoseconds> completionTimes(TrialSpec spec, std::vector<workload::JobSpec> jobs) {
  const auto count = static_cast<std::uint32_t>(jobs.size());
  spec.workload->jobs = std::move(jobs);
  Stack stack(spec);
  stack.run(seconds(1));
  stack.expectFinished();
  std::vector<Picoseconds> times;
  for (std::uint32_t i = 0; i < count; ++i) times.push_back(stack.job(i).completionTime());
  return times;
}

double factor(Picoseconds together, Picoseconds alone) {
  return workload::interferenceFactor(together, alone);
}

class Tenants : public ::testing::TestWithParam<bool> {
 protected:
  static bench::TransportSpec transport() {
    if (!GetParam()) return transport::RoceSpec{};
    transport::UetSpec uet;
    uet.base_rtt = microseconds(8);
    return uet;
  }
};

// Rings that go back and forth between the leaves: a job alone has two flows each way on two
// cables, both together have four.
TEST_P(Tenants, SharedSpinesCostBothTime) {
  const TrialSpec spec = trialOver(transport());
  const auto a = job("a", {0, 4, 1, 5});
  const auto b = job("b", {2, 6, 3, 7});
  const Picoseconds a_alone = completionTimes(spec, {a}).at(0);
  const Picoseconds b_alone = completionTimes(spec, {b}).at(0);
  const std::vector<Picoseconds> both = completionTimes(spec, {a, b});
  RecordProperty("factor_a_ppm", static_cast<int>(factor(both[0], a_alone) * 1e6));
  RecordProperty("factor_b_ppm", static_cast<int>(factor(both[1], b_alone) * 1e6));
  EXPECT_GT(factor(both[0], a_alone), 1.05);
  EXPECT_GT(factor(both[1], b_alone), 1.05);
}

TEST_P(Tenants, WithoutASharedLinkNothingChangesToThePicosecond) {
  const TrialSpec spec = trialOver(transport());
  // On separate leaves; and on one leaf, where they share the switch but no link.
  const auto a = job("a", {0, 1, 2, 3});
  const auto b = job("b", {4, 5, 6, 7});
  const auto c = job("c", {0, 1});
  const auto d = job("d", {2, 3});
  const std::vector<Picoseconds> apart = completionTimes(spec, {a, b});
  EXPECT_EQ(apart[0], completionTimes(spec, {a}).at(0));
  EXPECT_EQ(apart[1], completionTimes(spec, {b}).at(0));
  const std::vector<Picoseconds> neighbours = completionTimes(spec, {c, d});
  EXPECT_EQ(factor(neighbours[0], completionTimes(spec, {c}).at(0)), 1.0);
  EXPECT_EQ(factor(neighbours[1], completionTimes(spec, {d}).at(0)), 1.0);
}

INSTANTIATE_TEST_SUITE_P(, Tenants, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Uet" : "Roce"; });

}  // namespace
}  // namespace plumbline::sim::testing
