// I10.2 against its closed form: a step of two ranks on one cable.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "serving/step_time.h"
#include "suite/inference/inference.h"
#include "tests/suite/serving_system.h"

namespace plumbline::suite {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Two ranks on a cable, each a server of its own; two experts, of which every token takes both. So
// each rank sends the other as many copies as it has tokens, and as many results back.
scenario::Scenario twoRanks() {
  scenario::Scenario scenario;
  scenario.bench = "sim";
  scenario.topology.kind = fabric::TopologyKind::kLink;
  scenario.topology.link_rate = gigabitsPerSecond(400);
  scenario.topology.host_link_delay = microseconds(2);
  serving::ServingSpec& system = scenario.serving.emplace().program.system;
  system.model = *serving::builtInModel("m1");
  system.model.experts = 2;
  system.model.top_k = 2;
  system.model.moe_layers = 3;
  system.accelerator = *serving::builtInAccelerator("h200");
  scenario.parameters.ranks = {2};
  scenario.parameters.output = 6;
  scenario.parameters.repetitions = 2;
  scenario.parameters.experts.ranks_per_server = 1;
  scenario.parameters.experts.batches = {4};
  scenario.parameters.experts.layers = 3;
  scenario.parameters.experts.overhead = microseconds(10);
  return scenario;
}

// From the first bit on the wire to the last bit of `messages` messages of `bytes` at the end of
// the cable [ps]: RDMA Write, frames with preamble and gap between them.
std::int64_t onTheWire(std::int64_t messages, std::int64_t bytes) {
  const std::int64_t packets = (bytes + 4095) / 4096;
  // Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4, preamble and gap 20; RETH 16.
  const std::int64_t octets = messages * (bytes + packets * 82 + 16) - 20;
  return octets * 20 + 2'000'000;  // 20 ps per byte at 400 Gb/s
}

TEST(TokenLatency, IsComputingAndTheTimeOfTheExpertsOnTheWire) {
  const scenario::Scenario scenario = twoRanks();
  const serving::ServingSpec& system = scenario.serving->program.system;
  serving::StepLoad load;
  for (int i = 0; i < 4; ++i) load.add(1, 4096);
  const std::int64_t step =
      serving::expertStep(system.model, system.accelerator, system.efficiency, 2, load)
          .total.count();
  const std::int64_t copy = 4096 * 2;  // hidden, BF16
  const std::int64_t experts = onTheWire(4, copy);
  const std::int64_t itl = 3 * (step / 3 + 2 * 10'000'000 + 2 * experts);
  const results::TestResult result = runTest(tokenLatencyProcedure(), scenario);
  EXPECT_TRUE(result.valid);
  for (const char* name :
       {"itl_mean_ms", "itl_p50_ms", "itl_p99_ms", "itl_p999_ms", "itl_max_ms"}) {
    EXPECT_NEAR(kpiValue(result, name, "none"), static_cast<double>(itl) * 1e-9, 0.5e-9) << name;
  }
  EXPECT_NEAR(kpiValue(result, "itl_fabric_ms", "none"), static_cast<double>(6 * experts) * 1e-9,
              1e-9);
  EXPECT_NEAR(kpiValue(result, "dispatch_mean_us", "none"), static_cast<double>(experts) * 1e-6,
              1e-6);
  EXPECT_NEAR(kpiValue(result, "combine_mean_us", "none"), static_cast<double>(experts) * 1e-6,
              1e-6);
  EXPECT_EQ(kpiValue(result, "itl_stalls", "none"), 0);
}

TEST(TokenLatency, GrowsWithTheBackground) {
  const results::TestResult result = runTest(tokenLatencyProcedure(), twoRanks());
  const double none = kpiValue(result, "itl_fabric_ms", "none");
  EXPECT_GT(kpiValue(result, "itl_fabric_ms", "50 %"), 1.05 * none);
  EXPECT_GT(kpiValue(result, "itl_fabric_ms", "90 % and EP"),
            kpiValue(result, "itl_fabric_ms", "50 %"));
}

TEST(TokenLatency, AStallIsAGapAboveTheLimit) {
  scenario::Scenario scenario = twoRanks();
  const double itl = kpiValue(runTest(tokenLatencyProcedure(), scenario), "itl_max_ms", "none");
  const auto ps = static_cast<std::int64_t>(itl * 1e9);
  // 6 tokens have 5 gaps.
  scenario.parameters.stall = Picoseconds(ps - 1'000);
  EXPECT_EQ(kpiValue(runTest(tokenLatencyProcedure(), scenario), "itl_stalls", "none"), 5);
  scenario.parameters.stall = Picoseconds(ps + 1'000);
  EXPECT_EQ(kpiValue(runTest(tokenLatencyProcedure(), scenario), "itl_stalls", "none"), 0);
  // Of one of three layers the limit is a third.
  scenario.parameters.experts.layers = 1;
  scenario.parameters.stall = Picoseconds(ps - 1'000'000);
  EXPECT_EQ(kpiValue(runTest(tokenLatencyProcedure(), scenario), "itl_stalls", "none"), 5);
}

// A rank's dispatches and a second group's need more than the 10 % of its NIC that the background
// leaves, so that the queue grows with every token.
scenario::Scenario overloaded() {
  scenario::Scenario scenario = twoRanks();
  scenario.parameters.experts.batches = {64};
  scenario.parameters.experts.overhead = Picoseconds();
  return scenario;
}

TEST(TokenLatency, TheLoadLastsUntilTheLastToken) {
  const results::TestResult result = runTest(tokenLatencyProcedure(), overloaded());
  EXPECT_TRUE(result.valid);
  EXPECT_THAT(result.unmeasured, IsEmpty());
  const results::Table& table = result.tables.front();
  const auto gaps = std::find(table.columns.begin(), table.columns.end(), "Gaps");
  for (const auto& row : table.rows) {
    const auto& cell = row[static_cast<std::size_t>(gaps - table.columns.begin())];
    EXPECT_EQ(std::get<results::Quantity>(cell).value, 5) << std::get<std::string>(row[0]);
  }
}

// The second group is over after the first of six tokens.
class ShortLoad final : public TrialRunner {
 public:
  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override {
    bench::TrialResult result = runner_.run(spec, repetition, label);
    if (spec.workload->jobs.size() == 3) {
      const auto layers = std::get<workload::MoeProgram>(spec.workload->jobs[2].program).layers;
      std::vector<bench::JobOutcome>& jobs = result.fabric->jobs;
      jobs[2].moe->ends.assign(layers, jobs[0].moe->ends[2]);
    }
    return result;
  }
  [[nodiscard]] const bench::Capabilities& capabilities() const {
    return runner_.bench.capabilities();
  }

 private:
  SimRunner runner_;
};

TEST(TokenLatency, TokensAfterTheLoadAreNoFigures) {
  ShortLoad runner;
  const results::TestResult result =
      tokenLatencyProcedure().run({twoRanks(), runner.capabilities()}, runner);
  EXPECT_THAT(result.anomalies,
              Contains(AllOf(Field(&results::Anomaly::what, HasSubstr("the last 5 tokens")),
                             Field(&results::Anomaly::where, "90 % and EP"))));
  EXPECT_TRUE(std::none_of(result.kpis.begin(), result.kpis.end(),
                           [](const results::Kpi& one) { return one.point == "90 % and EP"; }));
  for (const char* name : {"itl_mean_ms", "itl_max_ms", "itl_stalls", "dispatch_p99_us"}) {
    EXPECT_THAT(result.unmeasured,
                Contains(AllOf(Field(&results::UnmeasuredKpi::name, name),
                               Field(&results::UnmeasuredKpi::point, "90 % and EP"))));
  }
  // Columns that are no KPI cannot have a limit.
  EXPECT_THAT(result.unmeasured, Not(Contains(Field(&results::UnmeasuredKpi::name, ""))));
  EXPECT_GT(kpiValue(result, "itl_mean_ms", "50 %"), 0);
}

TEST(TokenLatency, FewerLayersDeclareThemselves) {
  scenario::Scenario scenario = twoRanks();
  scenario.parameters.experts.layers = 1;
  const results::TestResult result = runTest(tokenLatencyProcedure(), scenario);
  EXPECT_TRUE(std::any_of(result.deviations.begin(), result.deviations.end(),
                          [](const results::Deviation& one) {
                            return one.what.find("MoE layers of a step") != std::string::npos;
                          }));
  EXPECT_THAT(result.tables.front().note, HasSubstr("Of 1 of the model's 3 MoE layers"));
}

// A run that is taken up again has its trials from the store.
TEST(TokenLatency, ATrialIsStoredWithTheEndsOfItsLayers) {
  const scenario::Scenario scenario = twoRanks();
  SimRunner runner;
  const Plan plan = tokenLatencyProcedure().plan({scenario, runner.bench.capabilities()});
  const std::string text = runner.bench.run(plan.samples.front().spec, {}).toJson();
  const bench::TrialResult read = bench::TrialResult::fromJson(text);
  EXPECT_EQ(read.toJson(), text);
  EXPECT_EQ(read.fabric->jobs.front().moe->ends.size(), 6U * 3);
}

TEST(TokenLatency, RefusesWhatCannotBe) {
  const auto refusal = [](const scenario::Scenario& scenario) {
    SimRunner runner;
    const auto all = tokenLatencyProcedure().plan({scenario, runner.bench.capabilities()}).refusals;
    return all.empty() ? std::string() : all.front();
  };
  scenario::Scenario dense = twoRanks();
  dense.serving->program.system.model = *serving::builtInModel("cfg-a");
  EXPECT_THAT(refusal(dense), HasSubstr("ITL_fabric is 0"));
  scenario::Scenario large = twoRanks();
  large.serving->program.system.model = *serving::builtInModel("m4");
  EXPECT_THAT(refusal(large), HasSubstr("a rank needs"));
  scenario::Scenario inside = twoRanks();
  inside.parameters.experts.ranks_per_server = 2;
  EXPECT_THAT(refusal(inside), HasSubstr("more than one server's"));
}

}  // namespace
}  // namespace plumbline::suite
