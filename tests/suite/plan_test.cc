// Predictions of plans for searches on a simulated DUT, against the searches themselves.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "suite/framework/lossless_share.h"
#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

// Counts trials and packet-hops. As in a run, a repeated trial is not run again.
template <typename Runner>
class Counter final : public TrialRunner {
 public:
  explicit Counter(Runner& runner) : runner_(runner) {}

  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override {
    const auto [known, is_new] =
        known_.try_emplace({spec.toJson(), repetition}, bench::TrialResult());
    if (is_new) {
      known->second = runner_.run(spec, repetition, label);
      ++trials;
      if (known->second.fabric) hops += static_cast<double>(known->second.fabric->packet_hops);
    }
    return known->second;
  }

  std::uint64_t trials = 0;
  double hops = 0;

 private:
  Runner& runner_;
  std::map<std::pair<std::string, std::uint32_t>, bench::TrialResult> known_;
};

// Four hosts on a switch; trials that are long against the buffer.
scenario::Scenario aSwitch(std::vector<scenario::HostPair> pairs) {
  scenario::Scenario scenario = someScenario();
  scenario.topology.link_rate = gigabitsPerSecond(400);
  scenario.switches.buffer_per_port = Bytes(64'000);
  scenario.traffic.pairs = std::move(pairs);
  scenario.parameters.duration = microseconds(100);
  scenario.parameters.repetitions = 3;
  return scenario;
}

void expectForetold(const Procedure& test, const scenario::Scenario& scenario, const char* what) {
  SimRunner runner;
  Counter<SimRunner> counter{runner};
  const bench::Capabilities& bench = runner.bench.capabilities();
  const Plan plan = test.plan({scenario, bench});
  ASSERT_TRUE(plan.refusals.empty()) << plan.refusals.front();
  test.run({scenario, bench}, counter);
  EXPECT_NEAR(static_cast<double>(plan.trials_expected) / static_cast<double>(counter.trials), 1,
              0.25)
      << test.id() << ", " << what;
  EXPECT_LT(plan.packet_hops, 1.5 * counter.hops) << test.id() << ", " << what;
  EXPECT_GT(1.5 * plan.packet_hops, counter.hops) << test.id() << ", " << what;
}

TEST(Plan, OfASearchIsWhatTheSearchTakes) {
  for (const Procedure* test : {&throughputProcedure(), &latencyProcedure()}) {
    expectForetold(*test, aSwitch({{0, 2}, {1, 3}}), "line rate is carried");
    expectForetold(*test, aSwitch({{0, 2}, {1, 2}}), "half of line rate is carried");
    expectForetold(*test, aSwitch({{0, 3}, {1, 3}, {2, 3}}), "a third of line rate is carried");
  }
}

// The search's last trial without loss is the first repetition of the latency at that rate, if both
// last equally long. Otherwise it is a trial of its own.
TEST(Plan, CountsATrialThatSearchAndLatencyShareOnce) {
  scenario::Scenario scenario = someScenario();
  const bench::Capabilities bench = someBench();
  for (const auto profile : {scenario::Profile::kQuick, scenario::Profile::kStandard}) {
    scenario.profile = profile;  // 200 us for both; 60 s and 120 s
    FakeDut dut;
    Counter<FakeDut> counter{dut};
    const Plan plan = latencyProcedure().plan({scenario, bench});
    latencyProcedure().run({scenario, bench}, counter);
    EXPECT_EQ(plan.trials_expected, counter.trials);
  }
}

// The communication of a job does not depend on its computing time.
TEST(Plan, CountsATrialThatTwoPointsShareOnce) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.compute = {{microseconds(10), microseconds(50)}};
  scenario.parameters.sizes = {{Bytes(1 << 20)}};
  scenario.parameters.ranks = {{8}};
  scenario.parameters.balancing = {{"ecmp"}};
  scenario.parameters.iterations = 1;
  scenario.parameters.repetitions = 2;
  SimRunner runner;
  Counter<SimRunner> counter{runner};
  const TestConfig config{scenario, runner.bench.capabilities()};
  const Plan plan = syntheticJctProcedure().plan(config);
  syntheticJctProcedure().run(config, counter);
  EXPECT_EQ(plan.points.size(), 6U);
  EXPECT_EQ(plan.trials_expected, 2U * 5);
  EXPECT_EQ(counter.trials, 2U * 5);
  EXPECT_NEAR(plan.packet_hops / counter.hops, 1, 0.25);
}

TEST(Plan, OfAnIncastsBurstsIsWhatTheSearchTakes) {
  scenario::Scenario scenario = aSwitch({});
  scenario.traffic.pairs.reset();
  for (const std::int64_t buffer : {20'000, 300'000}) {
    scenario.switches.buffer_per_port = Bytes(buffer);
    expectForetold(burstProcedure(), scenario, "a buffer");
  }
}

Load pairsAtLineRate(std::vector<scenario::HostPair> pairs) {
  Load load;
  load.pairs = std::move(pairs);
  load.size = framePoint(Bytes(1024), {});
  return load;
}

// Three senders to one receiver: 1/3; a buffer of 64 kB more during 100 us at 50 GB/s is 1.28 % of
// what the receiver's link carries meanwhile.
TEST(Plan, KnowsWhatALinkCarriesAndABufferHides) {
  const scenario::Scenario scenario = aSwitch({});
  SimRunner runner;
  const TestConfig config{scenario, runner.bench.capabilities()};
  const Load three = pairsAtLineRate({{0, 3}, {1, 3}, {2, 3}});
  EXPECT_NEAR(losslessShare(config, three, seconds(60)), 1.0 / 3, 0.005);
  EXPECT_NEAR(losslessShare(config, three, microseconds(100)), 1.0128 / 3, 0.005);
  EXPECT_EQ(losslessShare(config, pairsAtLineRate({{0, 1}, {2, 3}}), seconds(60)), 1);
}

// Four hosts of a leaf share two uplinks, sprayed: half.
TEST(Plan, KnowsAnOversubscribedFabric) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.spines = 2;
  scenario.switches.load_balancing.kind = fabric::LoadBalancingKind::kSprayRoundRobin;
  SimRunner runner;
  const TestConfig config{scenario, runner.bench.capabilities()};
  const Load load = pairsAtLineRate({{0, 4}, {1, 8}, {2, 12}, {3, 5}});
  EXPECT_NEAR(losslessShare(config, load, seconds(60)), 0.5, 0.01);
}

}  // namespace
}  // namespace plumbline::suite
