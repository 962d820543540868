// Results of serving tests for single requests: the actual load, raw data, steps outside a table.
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

// Twice 50 requests per second is the unscaled trace: 60 of them in the window of 0.6 s.
TEST(ServingRequests, TheLoadIsTheTraces) {
  const results::TestResult result = runTest(overloadProcedure(), underTrace(200));
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
  const results::TestResult result = runTest(overloadProcedure(), scenario);
  const auto e2e = std::find_if(result.kpis.begin(), result.kpis.end(),
                                [](const results::Kpi& kpi) { return kpi.name == "ttft_p99_ms"; });
  ASSERT_NE(e2e, result.kpis.end());
  // All are alike: the TTFT, and three steps of 2 ms.
  const double time = e2e->quantity.value * 1e-3 + 0.006;
  EXPECT_NEAR(number(tableOf(result, "load").rows[0][10]), 55 * time, 0.02);
}

TEST(ServingRequests, EveryRequestIsALineOfRawData) {
  const results::TestResult result = runTest(overloadProcedure(), underTrace(200));
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

// Prompts of 10 tokens have their first token after 1 ms of prefill and a step of 2 ms, those of 30
// after 3 ms and the step; the transfer of the KV cache takes less than 0.2 ms.
TEST(ServingRequests, RawDataSayWhichKeptTheLimits) {
  scenario::Scenario scenario = underTrace(200);
  scenario.serving->slo.ttft = milliseconds(4);
  std::istringstream text(runTest(overloadProcedure(), scenario).raw_data.front().csv);
  std::string line;
  ASSERT_TRUE(std::getline(text, line));
  EXPECT_TRUE(line.ends_with(",within_limits"));
  std::size_t kept = 0;
  std::size_t missed = 0;
  while (std::getline(text, line)) {
    if (line.find(",done,") == std::string::npos) continue;
    const bool is_short =
        line.find(",1,10,4,") != std::string::npos || line.find(",0,10,4,") != std::string::npos;
    EXPECT_TRUE(line.ends_with(is_short ? ",1" : ",0")) << line;
    ++(is_short ? kept : missed);
  }
  EXPECT_GT(kept, 30U);
  EXPECT_GT(missed, 30U);
}

// At 100 requests/s prefill takes 2 ms of 10 (1 or 3 of each), decode 8 (four steps of 2 ms). A
// prompt of 30 tokens has two of the 20,000 pages.
TEST(ServingRequests, WorkersAndTheirKvCache) {
  const results::TestResult result = runTest(overloadProcedure(), underTrace(200));
  const results::Table& workers = tableOf(result, "workers");
  ASSERT_EQ(workers.rows.size(), 4U);
  EXPECT_THAT(workers.columns, ElementsAre("Offered load", "Worker", "In steps", "KV cache mean",
                                           "KV cache most", "Pages"));
  const auto& prefill = workers.rows[2];
  EXPECT_EQ(std::get<std::string>(prefill[1]), "prefill 0");
  EXPECT_NEAR(number(prefill[2]), 20, 1);
  EXPECT_NEAR(number(prefill[4]), 100 * 2.0 / 20'000, 1e-9);
  EXPECT_LT(number(prefill[3]), number(prefill[4]));
  EXPECT_GT(number(prefill[3]), 0);
  EXPECT_EQ(std::get<std::string>(prefill[5]), "20000");
  EXPECT_EQ(std::get<std::string>(workers.rows[3][1]), "decode 0");
  EXPECT_NEAR(number(workers.rows[3][2]), 80, 3);
}

// The load must not end while requests are measured.
TEST(ServingRequests, ALoadThatIsTooShortIsRefused) {
  SimRunner runner;
  scenario::Scenario scenario = underTrace(105);
  const auto refusals = [&] {
    return overloadProcedure().plan({scenario, runner.bench.capabilities()}).refusals;
  };
  ASSERT_FALSE(refusals().empty());
  EXPECT_THAT(refusals().front(), HasSubstr("the trace (serving.trace) lasts"));
  EXPECT_THAT(refusals().front(), HasSubstr("100 requests/s"));
  scenario.serving->workload = serving::fixedWorkload(1, 20, 4, 105);
  ASSERT_FALSE(refusals().empty());
  EXPECT_THAT(refusals().front(), HasSubstr("the load of 105 requests (serving.workload.requests) "
                                            "ends after 1.05 s at 100 requests/s, and warm-up and "
                                            "window take 1 s"));
  scenario.serving->workload->requests = 111;
  EXPECT_TRUE(refusals().empty());
}

// The figures belong to the rate that came.
TEST(ServingRequests, APartOfATraceWithAnotherRateIsAnAnomaly) {
  scenario::Scenario scenario = underTrace(200);
  auto trace = scenario.serving->workload->trace->requests();
  for (serving::Request& request : trace) {
    if (request.arrival > milliseconds(700)) request.arrival += seconds(1);
  }
  scenario.serving->workload->trace = std::make_shared<const serving::StoredTrace>(trace);
  const results::TestResult result = runTest(overloadProcedure(), scenario);
  EXPECT_THAT(result.anomalies, Contains(Field(&results::Anomaly::what,
                                               HasSubstr("requests arrived at another rate"))));
}

// The window of a second lies in the first of the phases, which has twice the mean rate.
TEST(ServingRequests, AWindowInOnePhaseHasAnotherRate) {
  scenario::Scenario scenario = underTrace(200);
  scenario.serving->workload = serving::fixedWorkload(1, 20, 4, UINT64_MAX);
  serving::ArrivalSpec& arrivals = scenario.serving->workload->arrivals;
  arrivals.kind = serving::ArrivalKind::kOnOff;
  arrivals.on = arrivals.off = seconds(2);
  scenario.parameters.rates = {100};
  const auto anomaly = Contains(
      Field(&results::Anomaly::what, HasSubstr("requests arrived at another rate in the")));
  EXPECT_THAT(runTest(aggregateTokensProcedure(), scenario).anomalies, anomaly);
  arrivals.on = arrivals.off = milliseconds(10);
  EXPECT_THAT(runTest(aggregateTokensProcedure(), scenario).anomalies, Not(anomaly));
}

// Without measurements there is no verdict on the system.
TEST(ServingRequests, AWindowWithoutRequestsIsNotValid) {
  scenario::Scenario scenario = underTrace(200);
  scenario.serving->workload = serving::fixedWorkload(1, 10, 4, UINT64_MAX);
  scenario.serving->workload->arrivals.kind = serving::ArrivalKind::kConstant;
  scenario.parameters.rates = {0.5};
  for (const Procedure* test : {&overloadProcedure(), &aggregateTokensProcedure()}) {
    const results::TestResult result = runTest(*test, scenario);
    EXPECT_FALSE(result.valid);
    EXPECT_THAT(
        result.anomalies,
        Contains(Field(&results::Anomaly::what, HasSubstr("no request arrived in the measuring"))));
    EXPECT_THAT(result.anomalies,
                Not(Contains(Field(&results::Anomaly::what, HasSubstr("the warm-up is shorter")))));
  }
  EXPECT_EQ(runTest(aggregateTokensProcedure(), scenario).summary,
            "No request arrived in any window.");
  scenario.topology.hosts = 3;
  scenario.serving->program.system.servers.decode.workers = 2;
  EXPECT_EQ(runTest(ratioProcedure(), scenario).summary,
            "At 0.5 requests/s no request arrived in any window.");
}

TEST(ServingRequests, RefusedRequestsAreCounted) {
  scenario::Scenario scenario = underTrace(200);
  scenario.serving->workload->prompt = {};
  scenario.serving->workload->prompt.low = 40;
  scenario.serving->program.system.decode_pages = 2;  // 32 tokens
  const results::TestResult result = runTest(overloadProcedure(), scenario);
  EXPECT_THAT(result.anomalies,
              Contains(Field(&results::Anomaly::what,
                             HasSubstr("requests were refused, since no worker"))));
}

// Prefill computes 500 requests of 20 tokens a second: 400 are within the limits, 1,000 are not.
TEST(ServingRequests, TheBoundIsThatOfRisingRates) {
  scenario::Scenario scenario = underTrace(4);
  scenario.serving->workload = serving::fixedWorkload(1, 20, 4, UINT64_MAX);
  scenario.serving->workload->arrivals.kind = serving::ArrivalKind::kConstant;
  scenario.serving->slo.ttft = milliseconds(50);
  scenario.serving->drain = seconds(1);
  for (const std::vector<double>& rates : {std::vector<double>{400, 1000}, {1000, 400}}) {
    scenario.parameters.rates = rates;
    EXPECT_EQ(runTest(aggregateTokensProcedure(), scenario).summary,
              "The limits are kept up to 400 requests/s, not at 1000.");
  }
}

// Answers of one token have no gaps: the TTFT alone decides. Answers longer than any window are not
// served at any rate, however short their gaps.
TEST(ServingRequests, ARateIsKeptByRequestsThatAreDone) {
  scenario::Scenario scenario = underTrace(4);
  scenario.serving->workload = serving::fixedWorkload(1, 20, 1, UINT64_MAX);
  scenario.serving->workload->arrivals.kind = serving::ArrivalKind::kConstant;
  scenario.serving->slo.ttft = milliseconds(50);
  scenario.serving->slo.tpot = milliseconds(50);
  scenario.parameters.rates = {40};
  EXPECT_EQ(runTest(aggregateTokensProcedure(), scenario).summary,
            "The limits are kept up to the highest rate, 40 requests/s.");
  scenario.serving->workload->output.low = 1'000'000;
  EXPECT_EQ(runTest(aggregateTokensProcedure(), scenario).summary,
            "The limits are not kept at the lowest rate, 40 requests/s.");
}

// Both tests that judge the limits let answers of one token keep that of the time between tokens,
// which is then no figure that a limit could miss.
TEST(ServingRequests, SingleTokensKeepTheLimitOfGaps) {
  scenario::Scenario scenario = underTrace(4);
  scenario.topology.hosts = 3;
  scenario.serving->program.system.servers.decode.workers = 2;
  scenario.serving->workload = serving::fixedWorkload(1, 20, 1, UINT64_MAX);
  scenario.serving->workload->arrivals.kind = serving::ArrivalKind::kConstant;
  scenario.serving->slo.tpot = milliseconds(50);
  scenario.parameters.rates = {40};
  const results::TestResult ratios = runTest(ratioProcedure(), scenario);
  EXPECT_THAT(ratios.summary, HasSubstr("keep the limits with the most output tokens"));
  const results::TestResult rates = runTest(aggregateTokensProcedure(), scenario);
  EXPECT_EQ(rates.summary, "The limits are kept up to the highest rate, 40 requests/s.");
  for (const results::TestResult* result : {&ratios, &rates}) {
    EXPECT_THAT(result->unmeasured,
                Not(Contains(Field(&results::UnmeasuredKpi::name,
                                   ::testing::AnyOf("itl_p99_ms", "tpot_p99_ms")))));
    const results::Table& table = result->tables.front();
    const auto itl = std::find(table.columns.begin(), table.columns.end(), "ITL P99");
    ASSERT_NE(itl, table.columns.end());
    for (const auto& row : table.rows) {
      EXPECT_EQ(std::get<std::string>(row[static_cast<std::size_t>(itl - table.columns.begin())]),
                "not observed");
    }
  }
}

// All trials of which are at fault.
class FailingRunner final : public TrialRunner {
 public:
  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override {
    bench::TrialResult result = runner_.run(spec, repetition, label);
    result.faults.emplace_back("the fabric is deadlocked");
    return result;
  }
  [[nodiscard]] const bench::Capabilities& capabilities() const {
    return runner_.bench.capabilities();
  }

 private:
  SimRunner runner_;
};

TEST(ServingRequests, ATrialThatFailedIsNoEmptyWindow) {
  scenario::Scenario scenario = underTrace(200);
  scenario.topology.hosts = 3;
  scenario.serving->program.system.servers.decode.workers = 2;
  scenario.parameters.rates = {20};
  for (const Procedure* test : {&aggregateTokensProcedure(), &ratioProcedure()}) {
    FailingRunner runner;
    const results::TestResult result = test->run({scenario, runner.capabilities()}, runner);
    EXPECT_FALSE(result.valid);
    EXPECT_EQ(result.summary, "No point gave a valid result.") << result.id;
  }
}

// 80 requests of 20 tokens, 131,072 bytes each, per second into a NIC of 400 Gb/s, whatever other
// rate the topology names.
TEST(ServingRequests, UseIsThatOfTheNicsCables) {
  scenario::Scenario scenario = underTrace(4);
  scenario.serving->workload = serving::fixedWorkload(1, 20, 2, UINT64_MAX);
  scenario.serving->workload->arrivals.kind = serving::ArrivalKind::kConstant;
  scenario.parameters.rates = {80};
  fabric::TopologySpec topology;
  topology.kind = fabric::TopologyKind::kGraph;
  topology.link_rate = gigabitsPerSecond(10);
  topology.graph.hosts = {"h0", "h1"};
  topology.graph.switches = {"s"};
  for (const char* host : {"h0", "h1"}) {
    topology.graph.cables.push_back({host, "s", gigabitsPerSecond(400), nanoseconds(50)});
  }
  scenario.topology = topology;
  const results::TestResult result = runTest(aggregateTokensProcedure(), scenario);
  for (const results::Kpi& one : result.kpis) {
    if (one.name != "kv_link_percent") continue;
    const double percent = 80 * 20 * 131'072.0 / (400e9 / 8) * 100;
    // Of the window alone, to one request.
    EXPECT_NEAR(one.quantity.value, percent, 0.03 * percent);
    return;
  }
  FAIL() << "no use of links";
}

TEST(ServingRequests, StepsOutsideATableAreAnAnomaly) {
  scenario::Scenario scenario = underTrace(200);
  scenario.serving->program.system.times = serving::stepTable(
      "prefill,1,1,0,0.1\nprefill,1,20,0,2\ndecode,1,1,0,2\ndecode,100,100,0,2\n"
      "decode,1,1,1000,2\ndecode,100,100,1000,2\n");
  const results::TestResult result = runTest(overloadProcedure(), scenario);
  EXPECT_THAT(result.anomalies,
              Contains(Field(&results::Anomaly::what,
                             HasSubstr("steps lie more than 10 % outside the table"))));
}

}  // namespace
}  // namespace plumbline::suite
