// I12.1 on a small fabric, packet by packet and at flow level, against closed forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

#include "suite/inference/inference.h"
#include "suite/inference/scale_trials.h"
#include "tests/serving/serving_setup.h"
#include "tests/suite/serving_system.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

constexpr const char* kPackets = "packets";
constexpr const char* kFlows = "flows (modelled)";

// Four leaves of four servers with a NIC each at 400 Gb/s: prefill on the first two leaves, decode
// on the others. Prefill of 200 tokens takes 20 ms; answers have five tokens, 2 ms each.
scenario::Scenario cluster(std::uint32_t spines) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.spines = spines;
  scenario.switches.load_balancing.kind = fabric::LoadBalancingKind::kSprayRoundRobin;
  scenario.switches.forwarding = fabric::Forwarding::kCutThrough;
  scenario.switches.ecn.clear();
  scenario.convergence = milliseconds(10);
  auto& section = scenario.serving.emplace();
  section.program.system = serving::plainSpec();
  section.program.system.check_every = 0;
  section.program.system.reaction = microseconds(5);
  section.workload = serving::fixedWorkload(1, 200, 5, UINT64_MAX);
  section.warmup = milliseconds(50);
  scenario.parameters.duration = milliseconds(400);
  scenario.parameters.nodes = {2, 4, 8};
  scenario.parameters.packet_nodes = 4;
  scenario.parameters.repetitions = 2;
  scenario.parameters.experts.models = {"m4"};
  return scenario;
}

const results::Table& scaleTable(const results::TestResult& result, const std::string& id) {
  const auto found = std::find_if(result.tables.begin(), result.tables.end(),
                                  [&](const results::Table& one) { return one.id == id; });
  if (found == result.tables.end()) throw std::runtime_error("no table " + id);
  return *found;
}

// The number of a row that begins with these texts.
double scaleCellValue(const results::TestResult& result, const std::string& id,
                      const std::string& nodes, const std::string& level,
                      const std::string& column) {
  const results::Table& table = scaleTable(result, id);
  const auto at = std::find(table.columns.begin(), table.columns.end(), column);
  for (const auto& row : table.rows) {
    if (std::get<std::string>(row[0]) != nodes || std::get<std::string>(row[2]) != level) continue;
    const auto& cell = row.at(static_cast<std::size_t>(at - table.columns.begin()));
    if (const auto* quantity = std::get_if<results::Quantity>(&cell)) return quantity->value;
    ADD_FAILURE() << id << ", " << nodes << ", " << level << ": " << std::get<std::string>(cell);
  }
  return std::nan("");
}

TEST(ScaleLimit, NonBlockingFabricIsFlat) {
  const results::TestResult result = runTest(scaleLimitProcedure(), cluster(4));
  EXPECT_TRUE(result.valid);
  // 16 MiB in full packets, and some microseconds there and back between two messages.
  const double alone = (16U << 20) * 4178.0 / 4096 * 8 / 400e9;
  for (const auto& [nodes, level] :
       {std::pair("2", kPackets), std::pair("4", kPackets), std::pair("2", kFlows),
        std::pair("4", kFlows), std::pair("8", kFlows)}) {
    const double rate = scaleCellValue(result, "kv_pairs", nodes, level, "KV throughput of a pair");
    EXPECT_LT(rate, (16U << 20) / alone * 1e-9);
    EXPECT_GT(rate, (16U << 20) / (alone + 8e-6) * 1e-9);
    EXPECT_NEAR(scaleCellValue(result, "kv_pairs", nodes, level, "Aggregate"),
                rate * std::stoi(nodes) / 2, 1e-6 * rate);
  }
  for (const results::Kpi& one : result.kpis) EXPECT_NE(one.name, "scale_limit_nodes") << one.point;
  // A figure that the seeds do not change has no interval, and is judged.
  for (const auto& row : scaleTable(result, "limits").rows) {
    if (std::get<std::string>(row[0]) != "KV throughput of a pair") continue;
    EXPECT_EQ(std::get<std::string>(row.back()), "none up to the largest");
  }
  // 40 requests per second of a prefill server.
  EXPECT_NEAR(scaleCellValue(result, "serving", "8", kFlows, "TPS output of a node"), 40 * 5 / 2.0,
              25);
}

// Both levels have the same requests; the flow level's figures are close, and the report has the
// difference.
TEST(ScaleLimit, ErrorOfTheFlowLevelIsReported) {
  const results::TestResult result = runTest(scaleLimitProcedure(), cluster(4));
  const results::Table& overlap = scaleTable(result, "overlap");
  ASSERT_EQ(overlap.rows.size(), 2U);
  for (const auto& row : overlap.rows) {
    double largest = 0;
    for (std::size_t i = 1; i + 1 < row.size(); ++i) {
      const double error = std::get<results::Quantity>(row[i]).value;
      EXPECT_LT(std::abs(error), 2) << overlap.columns[i];
      largest = std::max(largest, std::abs(error));
    }
    EXPECT_DOUBLE_EQ(std::get<results::Quantity>(row.back()).value, largest);
    EXPECT_DOUBLE_EQ(
        kpiValue(result, "flow_level_error_percent", std::get<std::string>(row[0]) + " nodes"),
        largest);
  }
  const double packets = scaleCellValue(result, "serving", "4", kPackets, "TTFT mean");
  const double flows = scaleCellValue(result, "serving", "4", kFlows, "TTFT mean");
  EXPECT_NEAR(flows, packets, 0.02 * packets);
}

// A prefill of 2 s in a trial of 400 ms leaves no token at either level: that figure has no error
// and no limit, the others have theirs.
TEST(ScaleLimit, NoTokensAreNoError) {
  scenario::Scenario scenario = cluster(4);
  scenario.serving->workload = serving::fixedWorkload(1, 20000, 5, UINT64_MAX);
  scenario.parameters.nodes = {2, 4};
  const results::TestResult result = runTest(scaleLimitProcedure(), scenario);
  const results::Table& overlap = scaleTable(result, "overlap");
  const auto tokens =
      std::find(overlap.columns.begin(), overlap.columns.end(), "TPS output of a node");
  ASSERT_NE(tokens, overlap.columns.end());
  ASSERT_EQ(overlap.rows.size(), 2U);
  for (const auto& row : overlap.rows) {
    const auto at = static_cast<std::size_t>(tokens - overlap.columns.begin());
    EXPECT_EQ(std::get<std::string>(row.at(at)), "0 at both levels");
    EXPECT_LT(std::get<results::Quantity>(row.back()).value, 2);
  }
  std::size_t judged = 0;
  for (const auto& row : scaleTable(result, "limits").rows) {
    if (std::get<std::string>(row[0]) != "TPS output of a node") continue;
    EXPECT_EQ(std::get<std::string>(row.back()), "not judged: 0 at the smallest scale");
    ++judged;
  }
  EXPECT_EQ(judged, 2U);
}

// One uplink for the four servers of a leaf: two pairs have half of it each, four a quarter.
TEST(ScaleLimit, OversubscribedUplinkIsTheLimit) {
  const results::TestResult result = runTest(scaleLimitProcedure(), cluster(1));
  const double alone = scaleCellValue(result, "kv_pairs", "2", kFlows, "KV throughput of a pair");
  EXPECT_NEAR(scaleCellValue(result, "kv_pairs", "4", kFlows, "KV throughput of a pair"), alone / 2,
              0.01 * alone);
  EXPECT_NEAR(scaleCellValue(result, "kv_pairs", "8", kFlows, "KV throughput of a pair"), alone / 4,
              0.01 * alone);
  EXPECT_GT(scaleCellValue(result, "kv_pairs", "8", kFlows, "Busiest link"), 99);
  EXPECT_EQ(
      kpiValue(result, "scale_limit_nodes", std::string("KV throughput of a pair, ") + kFlows), 4);
  EXPECT_EQ(
      kpiValue(result, "scale_limit_nodes", std::string("KV throughput of a pair, ") + kPackets),
      4);
}

// Times of transfers are those of packets; the flow level has the reason instead, and no KPI.
TEST(ScaleLimit, FlowLevelHasNoTimesOfTransfers) {
  const results::TestResult result = runTest(scaleLimitProcedure(), cluster(4));
  for (const char* id : {"kv_pair_times", "kv_requests"}) {
    std::size_t reasons = 0;
    for (const auto& row : scaleTable(result, id).rows) {
      if (std::get<std::string>(row[2]) != kFlows) continue;
      for (std::size_t i = 3; i < row.size(); ++i) {
        EXPECT_THAT(std::get<std::string>(row[i]), HasSubstr("no queues"));
        ++reasons;
      }
    }
    EXPECT_EQ(reasons, 6U) << id;
  }
  for (const results::Kpi& one : result.kpis) {
    const bool time = one.name.starts_with("kv_transfer_") || one.name.starts_with("request_tr") ||
                      one.name.starts_with("dispatch");
    if (!time) continue;
    EXPECT_THAT(one.point, HasSubstr(kPackets)) << one.name;
  }
}

TEST(ScaleLimit, PoolsGrowFromBothEnds) {
  const scenario::Scenario scenario = cluster(4);
  const SimRunner runner;
  EXPECT_EQ(maxNodes({scenario, runner.bench.capabilities()}), 16U);
  EXPECT_THAT(clusterHosts({scenario, runner.bench.capabilities()}, 4), ElementsAre(0, 1, 8, 9));
}

// Lists are for the other tests of a scenario: this one has a message, a group and a model.
TEST(ScaleLimit, SaysThatItTakesTheFirstOfAList) {
  scenario::Scenario scenario = cluster(4);
  scenario.parameters.nodes = {2};
  scenario.parameters.sizes = {{Bytes(1 << 16), Bytes(16 << 20)}};
  scenario.parameters.ranks = {{2, 4}};
  scenario.parameters.experts.models = {"m4", "m5"};
  const results::TestResult result = runTest(scaleLimitProcedure(), scenario);
  const auto configured = [&](const std::string& name) {
    for (const auto& [key, value] : result.configuration) {
      if (key == name) return value;
    }
    return std::string("none");
  };
  EXPECT_EQ(configured("Message of a pair"), "64 KiB");
  EXPECT_EQ(configured("Models"), "M4");
  for (const char* text :
       {"of parameters.sizes the first of 2 values", "of parameters.ranks the first of 2 values",
        "of parameters.experts.models the first of 2 values", "16 MiB"}) {
    EXPECT_THAT(result.deviations, Contains(Field(&results::Deviation::what, HasSubstr(text))));
  }
}

TEST(ScaleLimit, RefusesWhatCannotBe) {
  const auto why = [](const scenario::Scenario& scenario) {
    const SimRunner runner;
    const Plan plan = scaleLimitProcedure().plan({scenario, runner.bench.capabilities()});
    return plan.refusals.empty() ? std::string() : plan.refusals.front();
  };
  scenario::Scenario scenario = cluster(4);
  EXPECT_EQ(why(scenario), "");
  scenario.parameters.nodes = {2, 3};
  EXPECT_THAT(why(scenario), HasSubstr("a cluster of 3 servers"));
  scenario.parameters.nodes = {2, 32};
  EXPECT_THAT(why(scenario), HasSubstr("the DUT has hosts for 16"));
  scenario = cluster(4);
  scenario.serving->program.system.servers.nics = 4;
  scenario.serving->program.system.servers.gpus = 4;
  scenario.parameters.nodes = {2};
  for (const std::uint32_t ranks : {2U, 8U}) {
    scenario.parameters.ranks = {ranks};
    EXPECT_EQ(why(scenario), "") << ranks;
  }
  scenario.parameters.ranks = {6};
  EXPECT_THAT(why(scenario), HasSubstr("EP groups of 6 ranks (parameters.ranks) on servers with "
                                       "4 NICs share servers"));
  scenario = cluster(4);
  scenario.serving->program.hosts = {0, 1};
  EXPECT_THAT(why(scenario), HasSubstr("no serving.hosts"));
  scenario = cluster(4);
  scenario.serving->program.system.servers.gpus = 3;
  scenario.serving->program.system.servers.decode.tp = 2;
  EXPECT_THAT(why(scenario), HasSubstr("whole workers of TP 2"));
  scenario = cluster(4);
  scenario.switches.load_balancing.kind = fabric::LoadBalancingKind::kFlowlet;
  EXPECT_THAT(why(scenario), HasSubstr("flowlets"));
}

}  // namespace
}  // namespace plumbline::suite
