// The sizes that the training draft requires, on simulated hosts: 64 senders to one, 256 queue
// pairs of a pair, 64 leaves. Against closed forms; a fabric of that size, messages shorter.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

// Keeps the last trial.
class LastTrial final : public TrialRunner {
 public:
  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override {
    last = runner.run(spec, repetition, label);
    return last;
  }

  SimRunner runner;
  bench::TrialResult last;
};

// 64 messages of 256 KiB to one host, limited by PFC alone. Nothing is lost, duplicated or left
// over, and the receiver's link is never idle: 64 * 64 packets of 4096 B payload in frames of 4158
// B, 20 B of preamble and gap and, in the first of each message, 16 B of RETH, at 50 B/ns. The time
// before and after is less than 10 us: paths, and the acknowledgement of the last packet.
TEST(DraftScale, IncastOf64IsLosslessAndFillsTheReceiversLink) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.leaves = 9;
  scenario.topology.spines = 8;
  scenario.topology.hosts_per_leaf = 8;
  scenario.parameters.incast_ratios = {{64}};
  scenario.parameters.sizes = {{Bytes(256 << 10)}};
  scenario.parameters.repetitions = 1;
  LastTrial runner;
  const results::TestResult result =
      pfcIncastProcedure().run({scenario, runner.runner.bench.capabilities()}, runner);
  ASSERT_TRUE(result.valid);
  const bench::FabricResult& fabric = *runner.last.fabric;
  const bench::JobOutcome& incast = fabric.jobs.at(0);
  EXPECT_EQ(incast.messages_completed, 64U);
  EXPECT_EQ(incast.bytes_arrived, 64U * (256 << 10));
  EXPECT_EQ(fabric.total.dropped(), 0U);
  EXPECT_EQ(fabric.endpoints.retransmitted, 0U);
  EXPECT_EQ(fabric.frames_inside, 0U);
  EXPECT_GT(fabric.total.pauses, 0U);
  const double wire_ns = (64 * 64 * (4158 + 20) + 64 * 16) / 50.0;
  EXPECT_GE(incast.completion.toNanoseconds(), wire_ns);
  EXPECT_LE(incast.completion.toNanoseconds(), wire_ns + 10'000);
}

// Flows that ECMP throws into a leaf's uplinks, and which come out of the same spines to the next
// leaf: balls in bins, so many of each for every leaf, all balls equally heavy. The squared
// coefficient of variation of the links' bytes is 1 / JFI - 1; times balls times leaves it is
// chi-squared with leaves * (bins - 1) degrees of freedom.
struct Throw {
  double leaves;
  double bins;
  double balls;
};

void expectLikeBalls(const results::TestResult& result, const std::string& point, Throw thrown) {
  const double freedom = thrown.leaves * (thrown.bins - 1);
  const double mean = (thrown.bins - 1) / thrown.balls;
  // 99.9 % of it, by Wilson and Hilferty.
  const double part = 2 / (9 * freedom);
  const double variation = 1 / kpi(result, "link_jfi", point).value - 1;
  EXPECT_GE(variation, mean * std::pow(1 - part - 3.29 * std::sqrt(part), 3)) << point;
  EXPECT_LE(variation, mean * std::pow(1 - part + 3.29 * std::sqrt(part), 3)) << point;
}

TEST(DraftScale, EcmpThrows256QueuePairsOfAPairLikeBalls) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.flows = {{1, 256}};
  scenario.parameters.balancing = {{"ecmp"}};
  scenario.parameters.repetitions = 1;
  LastTrial runner;
  const results::TestResult result =
      ecmpEntropyProcedure().run({scenario, runner.runner.bench.capabilities()}, runner);
  ASSERT_TRUE(result.valid);
  // Eight leaves of four hosts, as the test sweeps them.
  EXPECT_EQ(runner.last.fabric->flows.flows, 32U * 256);
  EXPECT_EQ(runner.last.fabric->jobs.at(0).bytes_arrived, std::uint64_t{32} * (2 << 20));
  expectLikeBalls(result, "8 leaves, 1 QPs, ECMP", {8, 4, 4});
  expectLikeBalls(result, "8 leaves, 256 QPs, ECMP, a port per QP", {8, 4, 4 * 256});
}

TEST(DraftScale, EcmpSpreadsOver64LeavesAsOverEight) {
  scenario::Scenario scenario = smallFabric();
  scenario.profile = scenario::Profile::kStandard;
  scenario.parameters.flows = {{8}};
  scenario.parameters.balancing = {{"ecmp"}};
  scenario.parameters.sizes = {{Bytes(256 << 10)}};
  scenario.parameters.repetitions = 1;
  LastTrial runner;
  const results::TestResult result =
      ecmpEntropyProcedure().run({scenario, runner.runner.bench.capabilities()}, runner);
  ASSERT_TRUE(result.valid);
  for (const int leaves : {8, 16, 32, 64}) {
    const double n = leaves;
    expectLikeBalls(result, std::to_string(leaves) + " leaves, 8 QPs, ECMP, a port per QP",
                    {n, 4, 4 * 8});
  }
  EXPECT_EQ(runner.last.fabric->jobs.at(0).bytes_arrived, std::uint64_t{64} * 4 * (256 << 10));
  EXPECT_EQ(runner.last.fabric->total.dropped(), 0U);
}

}  // namespace
}  // namespace plumbline::suite
