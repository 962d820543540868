// What serving tests say of single requests: the load as it came, raw data, steps outside a table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "serving/stored_trace.h"
#include "suite/inference/inference.h"
#include "tests/serving/serving_setup.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

// A prefill and a decode worker with a NIC each; requests every 10 ms of a trace, prompts of 10 and
// 30 tokens in turn, answers of 4.
scenario::Scenario underTrace(std::size_t requests) {
  scenario::Scenario scenario;
  scenario.bench = "sim";
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 2;
  scenario.topology.link_rate = gigabitsPerSecond(400);
  auto& section = scenario.serving.emplace();
  section.program.system = serving::plainSpec();
  section.program.system.check_every = 0;
  section.program.system.reaction = microseconds(5);
  std::vector<serving::Request> trace(requests);
  for (std::size_t i = 0; i < requests; ++i) {
    trace[i].arrival = milliseconds(10) * static_cast<std::int64_t>(i);
    trace[i].prompt = i % 2 == 0 ? 10 : 30;
    trace[i].output = 4;
  }
  serving::WorkloadSpec& load = section.workload.emplace();
  load.arrivals.kind = serving::ArrivalKind::kTrace;
  load.prompt.kind = load.output.kind = serving::LengthKind::kTrace;
  load.trace = std::make_shared<const serving::StoredTrace>(std::move(trace));
  scenario.parameters.repetitions = 1;
  scenario.parameters.rates = {50};
  return scenario;
}

const results::Table& tableOf(const results::TestResult& result, const std::string& id) {
  return *std::find_if(result.tables.begin(), result.tables.end(),
                       [&](const results::Table& table) { return table.id == id; });
}

double number(const results::Cell& cell) { return std::get<results::Quantity>(cell).value; }

// Twice 50 requests per second is the trace as it is: 60 of them in the window of 0.6 s.
TEST(ServingRequests, TheLoadIsTheTraces) {
  const results::TestResult result = runTest(overloadTest(), underTrace(200));
  const results::Table& load = tableOf(result, "load");
  ASSERT_EQ(load.rows.size(), 2U);
  EXPECT_THAT(load.columns,
              ElementsAre("Offered load", "Requests", "Arrival rate", "CV of gaps", "Prompt mean",
                          "Prompt P50", "Prompt P99", "Answer mean", "Answer P50", "Answer P99",
                          "At a time, mean", "Most at a time"));
  const auto& row = load.rows[1];
  EXPECT_EQ(std::get<std::string>(row[1]), "60");
  EXPECT_NEAR(number(row[2]), 100, 1e-9);
  EXPECT_NEAR(number(row[3]), 0, 1e-9);
  EXPECT_EQ(number(row[4]), 20);
  EXPECT_EQ(number(row[5]), 10);
  EXPECT_EQ(number(row[6]), 30);
  EXPECT_EQ(number(row[7]), 4);
  // 110 % of 50: its gaps are 10/0.55 ms.
  EXPECT_NEAR(number(load.rows[0][2]), 55, 55 / 33.0);
  EXPECT_THAT(result.anomalies, Not(Contains(Field(&results::Anomaly::what, HasSubstr("trace")))));
}

// Little's law: requests in the system are their rate times their time.
TEST(ServingRequests, AtATimeIsRateTimesTime) {
  scenario::Scenario scenario = underTrace(200);
  auto trace = scenario.serving->workload->trace->requests();
  for (serving::Request& request : trace) request.prompt = 20;
  scenario.serving->workload->trace = std::make_shared<const serving::StoredTrace>(trace);
  const results::TestResult result = runTest(overloadTest(), scenario);
  const auto e2e = std::find_if(result.kpis.begin(), result.kpis.end(),
                                [](const results::Kpi& kpi) { return kpi.name == "ttft_p99_ms"; });
  ASSERT_NE(e2e, result.kpis.end());
  // All are alike: the TTFT, and three steps of 2 ms.
  const double time = e2e->quantity.value * 1e-3 + 0.006;
  EXPECT_NEAR(number(tableOf(result, "load").rows[0][10]), 55 * time, 0.02);
}

TEST(ServingRequests, EveryRequestIsALineOfRawData) {
  const results::TestResult result = runTest(overloadTest(), underTrace(200));
  ASSERT_EQ(result.raw_data.size(), 1U);
  std::istringstream text(result.raw_data.front().csv);
  std::string line;
  ASSERT_TRUE(std::getline(text, line));
  EXPECT_THAT(line, ::testing::StartsWith("Offered load,repetition,request,outcome,measured,"));
  const auto fields = std::count(line.begin(), line.end(), ',');
  std::size_t measured = 0;
  while (std::getline(text, line)) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), fields);
    std::istringstream row(line);
    std::string field;
    for (int i = 0; i < 5; ++i) std::getline(row, field, ',');
    if (line.starts_with("200,0,") && field == "1") ++measured;
  }
  EXPECT_EQ(measured, 60U);
  EXPECT_EQ(results::TestResult::fromJson(result.toJson()).raw_data.front().csv,
            result.raw_data.front().csv);
}

// The load must not end while requests are measured.
TEST(ServingRequests, ATraceThatIsTooShortIsRefused) {
  SimRunner runner;
  const scenario::Scenario scenario = underTrace(105);
  const auto refusals = overloadTest().plan({scenario, runner.bench.capabilities()}).refusals;
  ASSERT_FALSE(refusals.empty());
  EXPECT_THAT(refusals.front(), HasSubstr("the trace (serving.trace) lasts"));
  EXPECT_THAT(refusals.front(), HasSubstr("100 requests/s"));
}

// The figures belong to the rate that came.
TEST(ServingRequests, APartOfATraceWithAnotherRateIsAnAnomaly) {
  scenario::Scenario scenario = underTrace(200);
  auto trace = scenario.serving->workload->trace->requests();
  for (serving::Request& request : trace) {
    if (request.arrival > milliseconds(700)) request.arrival += seconds(1);
  }
  scenario.serving->workload->trace = std::make_shared<const serving::StoredTrace>(trace);
  const results::TestResult result = runTest(overloadTest(), scenario);
  EXPECT_THAT(result.anomalies, Contains(Field(&results::Anomaly::what,
                                               HasSubstr("has another rate than all of it"))));
}

TEST(ServingRequests, StepsOutsideATableAreAnAnomaly) {
  scenario::Scenario scenario = underTrace(200);
  scenario.serving->program.system.times = serving::stepTable(
      "prefill,1,1,0,0.1\nprefill,1,20,0,2\ndecode,1,1,0,2\ndecode,100,100,0,2\n"
      "decode,1,1,1000,2\ndecode,100,100,1000,2\n");
  const results::TestResult result = runTest(overloadTest(), scenario);
  EXPECT_THAT(result.anomalies,
              Contains(Field(&results::Anomaly::what,
                             HasSubstr("steps lie more than 10 % outside the table"))));
}

}  // namespace
}  // namespace plumbline::suite
