// Trials of the profile standard that end when their main figure is stationary.
#include "suite/framework/early_end.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "suite/framework/fabric_metrics.h"
#include "suite/training/collective.h"
#include "suite/training/training.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

// 1 MiB among 8 ranks, sprayed: iterations hardly differ.
scenario::Scenario steadyAllReduce() {
  scenario::Scenario scenario = smallFabric();
  scenario.profile = scenario::Profile::kStandard;
  scenario.parameters.sizes = {{Bytes(1 << 20)}};
  scenario.parameters.ranks = {{8}};
  scenario.parameters.balancing = {{"spray"}};
  scenario.parameters.repetitions = 2;
  return scenario;
}

std::string configurationLine(const results::TestResult& result, const std::string& name) {
  for (const auto& [key, value] : result.configuration) {
    if (key == name) return value;
  }
  return {};
}

bool saysDeviation(const results::TestResult& result, const std::string& text) {
  return std::any_of(result.deviations.begin(), result.deviations.end(),
                     [&](const auto& one) { return one.what.find(text) != std::string::npos; });
}

double firstKpi(const results::TestResult& result, const std::string& name) {
  for (const auto& kpi : result.kpis) {
    if (kpi.name == name) return kpi.quantity.value;
  }
  return -1;
}

// Keeps the trials.
class KeepingRunner final : public TrialRunner {
 public:
  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t, const std::string&) override {
    trials.push_back(runner.bench.run(spec, {}));
    return trials.back();
  }
  double hops() const {
    double sum = 0;
    for (const auto& trial : trials) sum += static_cast<double>(trial.fabric->packet_hops);
    return sum;
  }

  SimRunner runner;
  std::vector<bench::TrialResult> trials;
};

TEST(EarlyEnds, OnlyInTheStandardProfileAndWithoutNumbersOfTheScenario) {
  const SimRunner runner;
  const bench::Capabilities& bench = runner.bench.capabilities();
  scenario::Scenario scenario = steadyAllReduce();
  EXPECT_TRUE(mayEndEarly({scenario, bench}));
  scenario.profile = scenario::Profile::kQuick;
  EXPECT_FALSE(mayEndEarly({scenario, bench}));
  scenario = steadyAllReduce();
  scenario.parameters.duration = seconds(300);
  EXPECT_FALSE(mayEndEarly({scenario, bench}));
  scenario = steadyAllReduce();
  scenario.parameters.iterations = 100;
  EXPECT_FALSE(mayEndEarly({scenario, bench}));
  scenario = steadyAllReduce();
  bench::Capabilities card = bench;
  card.wall_ns_per_packet_hop = 0;
  EXPECT_FALSE(mayEndEarly({scenario, card}));
}

TEST(EarlyEnds, AnAllReduceSaysRuleAndWhatItReached) {
  const scenario::Scenario scenario = steadyAllReduce();
  KeepingRunner keeping;
  const TestConfig config{scenario, keeping.runner.bench.capabilities()};
  const Plan plan = allReduceProcedure().plan(config);
  const results::TestResult result = allReduceProcedure().run(config, keeping);
  ASSERT_TRUE(result.valid);
  ASSERT_EQ(keeping.trials.size(), 2U);
  std::uint64_t min = 100;
  std::uint64_t max = 0;
  for (const bench::TrialResult& trial : keeping.trials) {
    ASSERT_TRUE(trial.early_end);
    EXPECT_TRUE(trial.early_end->stationary);
    EXPECT_GE(trial.early_end->iterations, 20U);
    EXPECT_LT(trial.early_end->iterations, 60U);
    min = std::min(min, trial.early_end->iterations);
    max = std::max(max, trial.early_end->iterations);
  }
  const std::string line = configurationLine(result, "A trial ends");
  EXPECT_NE(line.find("mean iteration time is known within 0.5 % (95 % confidence"),
            std::string::npos)
      << line;
  EXPECT_NE(line.find(std::to_string(min) + " to " + std::to_string(max) + " iterations"),
            std::string::npos)
      << line;
  EXPECT_TRUE(saysDeviation(result, "instead of after the draft's time"));
  EXPECT_TRUE(saysDeviation(result, "0 of 2 ran to the end of their time"));
  EXPECT_NEAR(plan.packet_hops / keeping.hops(), 1, 0.5);
  // docs/methods/T9.1.md: 14 steps of 32 packets, 74.53 us.
  EXPECT_NEAR(firstKpi(result, "busbw_gbps"), 8 * 1048576 * 1.75 / 74'530, 0.02 * 197);
}

// 200 +- 1 in the watched unit is 50 +- 0.25 in a proportional one. Values without known scatter
// have no interval.
TEST(EarlyEnds, AFigureHasTheRelativeIntervalOfTheBatches) {
  bench::TrialResult trial;
  EXPECT_FALSE(withBatches(trial, 50).batches);
  bench::EarlyEndOutcome& end = trial.early_end.emplace();
  EXPECT_FALSE(withBatches(trial, 50).batches);  // too few observations
  end.mean = 200;
  end.half_width = 1;
  end.batches = 20;
  const Reading reading = withBatches(trial, 50);
  EXPECT_EQ(reading.value, 50);
  ASSERT_TRUE(reading.batches);
  EXPECT_DOUBLE_EQ(reading.batches->half_width, 0.25);
  EXPECT_EQ(reading.batches->batches, 20U);
  EXPECT_DOUBLE_EQ(withBatches(trial, -50).batches->half_width, 0.25);
  EXPECT_FALSE(withBatches(trial, kNotMeasured).batches);
  end.half_width = 0;  // all batches were equal
  EXPECT_FALSE(withBatches(trial, 50).batches);
}

TEST(EarlyEnds, IterationsOfTheScenarioAreKept) {
  scenario::Scenario scenario = steadyAllReduce();
  scenario.parameters.iterations = 25;
  KeepingRunner keeping;
  const results::TestResult result =
      allReduceProcedure().run({scenario, keeping.runner.bench.capabilities()}, keeping);
  EXPECT_TRUE(configurationLine(result, "A trial ends").empty());
  EXPECT_FALSE(saysDeviation(result, "instead of after the draft's time"));
  for (const bench::TrialResult& trial : keeping.trials) {
    EXPECT_FALSE(trial.early_end);
    EXPECT_EQ(trial.fabric->jobs.front().iterations.size(), 25U);
  }
}

// Jobs that end early are reported as the requested jobs.
TEST(EarlyEnds, JobCompletionTimeIsOfAllIterations) {
  scenario::Scenario scenario = steadyAllReduce();
  scenario.parameters.repetitions = 1;
  scenario.parameters.compute = {{microseconds(50)}};
  scenario.parameters.sizes = {{Bytes(256 << 10)}};
  const results::TestResult early = runTest(syntheticJctProcedure(), scenario);
  scenario.parameters.iterations = 1000;
  const results::TestResult whole = runTest(syntheticJctProcedure(), scenario);
  ASSERT_TRUE(early.valid);
  ASSERT_TRUE(whole.valid);
  ASSERT_EQ(early.kpis.size(), whole.kpis.size());
  for (std::size_t i = 0; i < whole.kpis.size(); ++i) {
    EXPECT_EQ(early.kpis[i].name, whole.kpis[i].name);
    const double expected = whole.kpis[i].quantity.value;
    EXPECT_NEAR(early.kpis[i].quantity.value, expected, 0.02 * std::abs(expected) + 0.01)
        << whole.kpis[i].name << " " << whole.kpis[i].point;
  }
}

// One iteration of 4 GiB among 128 ranks is 266 million packets: three are 800 million.
TEST(EarlyEnds, LargeRingsAreFastForwardedAndOthersHaveFewerIterations) {
  scenario::Scenario scenario = steadyAllReduce();
  scenario.topology.leaves = 16;
  scenario.topology.hosts_per_leaf = 8;
  const SimRunner runner;
  const TestConfig config{scenario, runner.bench.capabilities()};
  const auto trial = [&](std::int64_t mib, std::uint32_t ranks) {
    const CollectivePoint point{workload::CollectiveKind::kAllReduce, Bytes(mib << 20), ranks,
                                defaultVariant(config, balancingOf("spray"))};
    bench::TrialSpec spec = collectiveTrial(config, point, 100);
    endCollectiveEarly(config, point, spec);
    return spec;
  };
  const auto iterations = [](const bench::TrialSpec& spec) {
    return std::get<workload::TrainingProgram>(spec.workload->jobs.front().program).iterations;
  };
  EXPECT_EQ(iterations(trial(1, 128)), 100U);
  EXPECT_TRUE(trial(1, 128).early_end);
  // 64 MiB, 128 ranks: 64 * 256 * 254 packets = 4.16 million an iteration, of 50 million.
  EXPECT_EQ(iterations(trial(64, 128)), 12U);
  EXPECT_EQ(iterations(trial(256, 128)), 3U);
  EXPECT_FALSE(trial(256, 128).fast_forward);
  EXPECT_EQ(iterations(trial(1024, 128)), 3U);
  const bench::TrialSpec largest = trial(4096, 128);
  ASSERT_TRUE(largest.fast_forward);
  EXPECT_EQ(largest.fast_forward->packets, 50'000'000U);
  EXPECT_FALSE(largest.early_end);
  EXPECT_EQ(iterations(largest), 100U);
}

}  // namespace
}  // namespace plumbline::suite
