// Tests of serving systems against closed forms: bytes on each flow, times of an idle system, and
// conservation under load.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "scenario/parse.h"
#include "suite/inference/inference.h"
#include "suite/inference/steady_load.h"
#include "tests/suite/serving_system.h"

namespace plumbline::suite {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

double kpi(const results::TestResult& result, const std::string& name, const std::string& point) {
  return kpiValue(result, name, point);
}

TEST(SingleRequestsTest, TtftIsTheSumOfItsClosedForms) {
  scenario::Scenario scenario = system(1, 1);
  scenario.serving->program.system.router.delay = microseconds(50);
  scenario.parameters.prompts = {128, 4096};
  for (const Procedure* test : {&disaggregatedTtftProcedure(), &promptLengthProcedure()}) {
    const results::TestResult result = runTest(*test, scenario);
    EXPECT_TRUE(result.valid);
    for (const std::uint32_t prompt : {128U, 4096U}) {
      const std::string point = std::to_string(prompt) + " tokens";
      // Two links of 50 ns and a switch of 600 ns, cut-through.
      const double wire = wireMs(prompt * 131'072.0, 700);
      const double transfer = 0.005 + wire;
      const double ttft = 0.05 + 0.1 * prompt + transfer + 2;
      EXPECT_NEAR(kpi(result, "ttft_mean_ms", point), ttft, 1e-6) << point;
      EXPECT_NEAR(kpi(result, "ttft_p99_ms", point), ttft, 1e-6);
      EXPECT_NEAR(kpi(result, "ttft_prefill_ms", point), 0.1 * prompt, 1e-9);
      EXPECT_NEAR(kpi(result, "ttft_fabric_ms", point), transfer, 1e-6);
      EXPECT_NEAR(kpi(result, "ttft_decode_init_ms", point), 2, 1e-9);
      EXPECT_NEAR(kpi(result, "ttft_fabric_percent", point), 100 * transfer / ttft, 1e-4);
      EXPECT_NEAR(kpi(result, "request_transfer_p50_ms", point), wire, 1e-6);
      EXPECT_EQ(kpi(result, "kv_request_bytes", point), prompt * 131'072.0);
      EXPECT_NEAR(kpi(result, "kv_gigabytes_per_s", point), prompt * 131'072.0 / wire * 1e-6, 1e-3);
    }
  }
}

// CFG B, 4,096 tokens: 1.342 GB over 8, 4 and 2 receiving NICs take 3.4, 6.8 and 13.7 ms.
TEST(Parallelism, FlowsMeetAtTheNicsAsTheMappingSays) {
  scenario::Scenario scenario = system(8, 8);
  auto& section = *scenario.serving;
  section.program.system.model = *serving::builtInModel("cfg-b");
  section.program.system.servers = {};
  section.program.system.transfer.unit = serving::TransferUnit::kRequest;
  section.workload = serving::fixedWorkload(1, 4096, 4, UINT64_MAX);
  section.workload->arrivals.kind = serving::ArrivalKind::kConstant;
  section.warmup = Picoseconds();
  scenario.parameters.duration = seconds(4);
  const results::TestResult result = runTest(parallelismProcedure(), scenario);
  EXPECT_TRUE(result.valid);
  struct Row {
    const char* point;
    double flows, incast, ms;
  };
  const double bytes = 4096 * 327'680.0;
  for (const Row& row :
       {Row{"P TP 8, D TP 8", 8, 1, wireMs(bytes / 8, 700)},
        Row{"P TP 8, D TP 4 x DP attention 2", 8, 2, wireMs(bytes / 4, 700)},
        Row{"P TP 4 x DP 2, D TP 2 x DP attention 4", 4, 2, wireMs(bytes / 2, 700)}}) {
    EXPECT_EQ(kpi(result, "kv_flows", row.point), row.flows);
    EXPECT_EQ(kpi(result, "kv_incast", row.point), row.incast);
    const double transfer = kpi(result, "request_transfer_p50_ms", row.point);
    EXPECT_GE(transfer, row.ms * 0.9999) << row.point;
    EXPECT_LE(transfer, row.ms * 1.02) << row.point;
  }
}

// Equal requests at equal distances, in turn: no worker has more than another.
TEST(DecodeFairness, IsOneForEqualRequestsInTurn) {
  scenario::Scenario scenario = system(1, 4);
  auto& section = *scenario.serving;
  const auto expectOne = [&](double rate, const std::vector<const char*>& names) {
    section.workload = serving::fixedWorkload(rate, 16, 4, UINT64_MAX);
    section.workload->arrivals.kind = serving::ArrivalKind::kConstant;
    const results::TestResult result = runTest(decodeFairnessProcedure(), scenario);
    for (const char* name : names) {
      EXPECT_DOUBLE_EQ(kpi(result, name, "4 workers"), 1) << name << " at " << rate;
    }
  };
  // 40 requests in the warm-up and 60 in the window, of 0.4 and 0.6 s.
  expectOne(100.1, {"kv_received_jfi", "decode_busy_jfi", "decode_tokens_jfi",
                    "kv_received_max_min", "decode_busy_max_min", "decode_tokens_max_min"});
  // 39 and 60: those of the warm-up are no figure of requests. Time in steps is of the whole run.
  expectOne(99.5, {"kv_received_jfi", "decode_tokens_jfi", "kv_received_max_min",
                   "decode_tokens_max_min"});
}

// Whatever the number of decode workers, prefill has at least the scenario's share of them.
TEST(DecodeFairness, PrefillGrowsWithDecode) {
  scenario::Scenario scenario = system(1, 3);
  scenario.profile = scenario::Profile::kStandard;
  scenario.topology.hosts = 48;
  SimRunner runner;
  const Plan plan = decodeFairnessProcedure().plan({scenario, runner.bench.capabilities()});
  ASSERT_GE(plan.samples.size(), 3U);
  for (const PlannedTrial& trial : plan.samples) {
    const serving::MappingSpec& servers = trial.spec.serving->system.servers;
    EXPECT_GE(3 * servers.prefill.workers, servers.decode.workers);
    EXPECT_LT(3 * servers.prefill.workers, servers.decode.workers + 3);
  }
}

TEST(Routing, RoundRobinOfEqualRequestsFillsAllWorkersAlike) {
  scenario::Scenario scenario = system(1, 4);
  auto& section = *scenario.serving;
  section.workload = serving::fixedWorkload(100, 16, 4, 400);
  section.workload->arrivals.kind = serving::ArrivalKind::kConstant;
  scenario.parameters.rates = {100};
  const results::TestResult result = runTest(routingProcedure(), scenario);
  // Of about 25 requests a worker, one has one more than another.
  EXPECT_LT(kpi(result, "decode_memory_cv_percent", "100 requests/s, round robin"), 100.0 / 25);
}

TEST(AggregateTokens, ATokenRateIsTheRequestRateTimesTheAnswer) {
  scenario::Scenario scenario = system(2, 2);
  auto& section = *scenario.serving;
  section.workload = serving::fixedWorkload(1, 100, 10, UINT64_MAX);
  section.workload->arrivals.kind = serving::ArrivalKind::kConstant;
  // A prefill step takes 10 ms a prompt: both workers compute 200 requests per second.
  scenario.parameters.rates = {50, 100, 400};
  const results::TestResult result = runTest(aggregateTokensProcedure(), scenario);
  for (const double rate : {50.0, 100.0}) {
    const std::string point = std::to_string(static_cast<int>(rate)) + " requests/s";
    EXPECT_NEAR(kpi(result, "output_tokens_per_s", point), rate * 10, 10) << point;
    EXPECT_NEAR(kpi(result, "goodput_tokens_per_s", point), rate * 10, 10);
    EXPECT_NEAR(kpi(result, "input_tokens_per_s", point), rate * 100, 100);
    EXPECT_EQ(kpi(result, "requests_not_done", point), 0);
    // KV cache of 13.1 MB a request into two NICs of 50 GB/s.
    EXPECT_NEAR(kpi(result, "kv_link_percent", point), rate * 13.1072e6 / 100e9 * 100,
                rate * 13.1072e6 / 100e9 * 15);
  }
  EXPECT_NEAR(kpi(result, "slo_bounded_requests_per_s", "limits of goodput"), 100, 1e-9);
  EXPECT_THAT(result.summary, HasSubstr("up to 100 requests/s, not at 400"));
  EXPECT_THAT(result.deviations, Contains(Field(&results::Deviation::what,
                                                HasSubstr("rates: 50, 100, 400 requests/s"))));
}

auto hasAnomaly(const std::string& text) {
  return Contains(Field(&results::Anomaly::what, HasSubstr(text)));
}

// Makes the trials of one rate not valid.
class InvalidRate final : public TrialRunner {
 public:
  explicit InvalidRate(double rate) : rate_(rate) {}

  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override {
    bench::TrialResult trial = sim.run(spec, repetition, label);
    if (requestRate(spec.serving->workload) == rate_) trial.faults.emplace_back("a fault");
    return trial;
  }

  SimRunner sim;

 private:
  double rate_;
};

TEST(AggregateTokens, ABoundSaysWhetherItIsOne) {
  scenario::Scenario scenario = system(2, 2);
  scenario.serving->workload = serving::fixedWorkload(1, 100, 10, UINT64_MAX);
  scenario.serving->workload->arrivals.kind = serving::ArrivalKind::kConstant;
  const auto run = [&](std::vector<double> rates, double invalid) {
    scenario.parameters.rates = std::move(rates);
    InvalidRate runner(invalid);
    return aggregateTokensProcedure().run({scenario, runner.sim.bench.capabilities()}, runner);
  };
  const auto bound = [](const results::TestResult& result) {
    return kpi(result, "slo_bounded_requests_per_s", "limits of goodput");
  };
  const results::TestResult highest = run({50, 100}, 0);
  EXPECT_EQ(bound(highest), 100);
  EXPECT_THAT(highest.summary, HasSubstr("up to the highest rate, 100 requests/s"));
  EXPECT_THAT(highest.anomalies, hasAnomaly("is a lower bound: it is the highest rate"));
  // Nothing is known at 100 requests/s, and so of all above.
  const results::TestResult gap = run({50, 100, 150}, 100);
  EXPECT_EQ(bound(gap), 50);
  EXPECT_THAT(gap.summary, HasSubstr("up to 50 requests/s; no valid result at 100."));
  EXPECT_THAT(gap.anomalies, hasAnomaly("is a lower bound: no valid result at 100 requests/s"));
  const results::TestResult lowest = run({50, 100}, 50);
  EXPECT_THAT(lowest.summary, HasSubstr("No valid result at 50 requests/s, the lowest rate."));
  EXPECT_THAT(lowest.kpis, Not(Contains(Field(&results::Kpi::name, "slo_bounded_requests_per_s"))));
}

TEST(Batching, ABatchOfOneIsTheSameBothWays) {
  scenario::Scenario scenario = system(1, 1);
  auto& section = *scenario.serving;
  section.workload = serving::fixedWorkload(20, 64, 8, UINT64_MAX);
  const results::TestResult result = runTest(batchingProcedure(), scenario);
  for (const char* name : {"output_tokens_per_s", "ttft_p99_ms", "peak_transfers"}) {
    EXPECT_EQ(kpi(result, name, "1 requests, static"), kpi(result, name, "1 requests, continuous"));
  }
  EXPECT_LE(kpi(result, "ttft_p99_ms", "64 requests, continuous"),
            kpi(result, "ttft_p99_ms", "64 requests, static"));
}

// 10 requests/s are far below the capacity of any ratio: each gives 10 times the answer.
TEST(Ratio, RatiosThatDoNotDifferAreNamedTogether) {
  scenario::Scenario scenario = system(1, 2);
  scenario.serving->workload = serving::fixedWorkload(1, 30, 7, UINT64_MAX);
  scenario.parameters.rates = {10};
  scenario.parameters.repetitions = 3;
  const results::TestResult result = runTest(ratioProcedure(), scenario);
  EXPECT_THAT(result.summary, HasSubstr("1P2D, 2P1D keep the limits with the most output tokens."));
  scenario.parameters.repetitions = 1;
  EXPECT_THAT(runTest(ratioProcedure(), scenario).summary,
              HasSubstr("in one repetition (scatter is not known)."));
}

// At twice the pool's rate the queue of 70 s takes 70 s more.
TEST(QueueDepth, DrainServesTheQueue) {
  scenario::Scenario scenario = system(1, 1);
  scenario.profile = scenario::Profile::kStandard;
  scenario.serving->workload = serving::fixedWorkload(1, 100, 2, UINT64_MAX);
  SimRunner runner;
  const auto drain = [&] {
    const Plan plan = queueDepthProcedure().plan({scenario, runner.bench.capabilities()});
    return plan.samples.back().spec.serving->system.window.drain;
  };
  EXPECT_GE(drain(), seconds(70));
  EXPECT_LE(drain(), seconds(90));
  scenario.serving->drain = seconds(3);
  EXPECT_EQ(drain(), seconds(3));
}

// Without a drain, requests of the second half of an overloaded window have no first token: a mean
// over the others is no mean.
TEST(QueueDepth, PartsOfUnfinishedRequestsHaveNoMean) {
  scenario::Scenario scenario = system(1, 1);
  auto& section = *scenario.serving;
  section.workload = serving::fixedWorkload(1, 100, 2, UINT64_MAX);
  section.workload->arrivals.kind = serving::ArrivalKind::kConstant;
  section.drain = Picoseconds(0);
  const results::TestResult result = runTest(queueDepthProcedure(), scenario);
  const std::string point = "2 of prefill capacity";
  for (const char* name : {"ttft_queue_ms", "ttft_fabric_ms"}) {
    EXPECT_THAT(result.kpis, Not(Contains(AllOf(Field(&results::Kpi::name, std::string(name)),
                                                Field(&results::Kpi::point, point)))));
  }
}

// Twice the capacity of prefill: the queue grows for as long as the load lasts, and goodput falls.
TEST(Overload, GoodputFallsAndNothingIsLeftOut) {
  scenario::Scenario scenario = system(1, 1);
  auto& section = *scenario.serving;
  section.workload = serving::fixedWorkload(1, 100, 4, UINT64_MAX);
  section.drain = milliseconds(200);
  section.slo.ttft = milliseconds(100);
  scenario.parameters.rates = {100};  // the capacity of prefill, 10 ms each
  const results::TestResult result = runTest(overloadProcedure(), scenario);
  const double at_200 = kpi(result, "goodput_tokens_per_s", "200 %");
  EXPECT_LT(at_200, 0.5 * 100 * 4);
  EXPECT_LT(kpi(result, "goodput_share_percent", "200 %"), 30);
  // A second of 200 per second and 0.2 s to drain: prefill has computed 120 of the 200 then, so
  // that the 99th percentile does not exist.
  EXPECT_GT(kpi(result, "requests_not_done", "200 %"), 0);
  EXPECT_TRUE(std::any_of(result.unmeasured.begin(), result.unmeasured.end(),
                          [](const results::UnmeasuredKpi& one) {
                            return one.name == "ttft_p99_ms" && one.point == "200 %";
                          }));
}

TEST(Overload, PreemptsAsTheScenarioSays) {
  using serving::Preemption;
  scenario::Scenario scenario = system(1, 1);
  const auto policy = [&] {
    SimRunner runner;
    const Plan plan = overloadProcedure().plan({scenario, runner.bench.capabilities()});
    return plan.samples.front().spec.serving->system.scheduler.preemption;
  };
  EXPECT_EQ(policy(), Preemption::kRecomputePrefill);
  for (const Preemption own :
       {Preemption::kRecomputeDecode, Preemption::kRecomputePrefill, Preemption::kSwap}) {
    scenario.serving->program.system.scheduler.preemption = own;
    EXPECT_EQ(policy(), own);
  }
}

// Prompts of 100 tokens take 10 ms, and their KV cache of 13.1 MB less than a millisecond: at the
// pool's capacity the fabric carries one in each 10 ms, and so in its busiest millisecond. Above
// it, full batches of many prompts come at once, at the rate of the link, and as much in the mean.
TEST(QueueDepth, PeakAndMeanAreThoseOfTheFabric) {
  scenario::Scenario scenario = system(1, 1);
  auto& section = *scenario.serving;
  section.workload = serving::fixedWorkload(1, 100, 2, UINT64_MAX);
  section.workload->arrivals.kind = serving::ArrivalKind::kConstant;
  const results::TestResult result = runTest(queueDepthProcedure(), scenario);
  const double bytes = 100 * 131'072.0;
  const std::string full = "1 of prefill capacity";
  EXPECT_NEAR(kpi(result, "kv_mean_gigabytes_per_s", full), bytes / 10e-3 * 1e-9, 0.02);
  // Frames of 4,096 bytes of payload have 62 bytes of headers.
  EXPECT_NEAR(kpi(result, "kv_peak_gigabytes_per_s", full), bytes * (1 + 62 / 4096.0) / 1e-3 * 1e-9,
              0.01);
  for (const std::string point : {"1.5 of prefill capacity", "2 of prefill capacity"}) {
    EXPECT_NEAR(kpi(result, "kv_peak_gigabytes_per_s", point), 50 * 4158 / 4178.0, 0.01) << point;
    const auto mean = std::find_if(result.kpis.begin(), result.kpis.end(), [&](const auto& one) {
      return one.name == "kv_mean_gigabytes_per_s" && one.point == point;
    });
    ASSERT_NE(mean, result.kpis.end());
    // Half of the interval that has the uncertainty of a rectangle.
    const double half = std::sqrt(3) * *results::systematicUncertainty(mean->quantity);
    EXPECT_NEAR(mean->quantity.value, bytes / 10e-3 * 1e-9, half) << point;
  }
}

// Of 1 GB each: one transfer is in the window of a second with half of its time, one wholly, one
// for a quarter, and two are outside. Each is a prefill batch, all of one worker or two.
TEST(KvThroughput, CountsTheShareOfATransferInTheWindow) {
  serving::ServingResult result;
  result.window_start = seconds(1);
  result.window_end = seconds(2);
  const std::int64_t times_ms[][2] = {
      {500, 1500}, {1200, 1900}, {0, 4000}, {100, 900}, {2000, 3000}};
  for (const auto& [first, last] : times_ms) {
    serving::RequestRecord record;
    record.bytes = 1'000'000'000;
    record.first_post = milliseconds(first);
    record.last_arrival = milliseconds(last);
    record.prefill_end = record.first_post;
    result.requests.push_back(record);
  }
  result.requests.emplace_back();  // never sent
  serving::ServingResult unknown = result;
  unknown.requests.assign(1, result.requests[1]);
  unknown.requests[0].last_arrival = serving::kNever;
  EXPECT_FALSE(kvThroughput(unknown));
  unknown.requests.clear();
  EXPECT_EQ(kvThroughput(unknown)->value, 0);
  EXPECT_NEAR(kvThroughput(result)->value, 0.5 + 1 + 0.25, 1e-9);
  EXPECT_NEAR(kvThroughput(result)->width, 2, 1e-9);
  result.requests[1].prefill_worker = 1;
  EXPECT_NEAR(kvThroughput(result)->width, 2 * std::sqrt(2), 1e-9);
  result.requests[3].prefill_end = result.requests[0].prefill_end;
  EXPECT_NEAR(kvThroughput(result)->width, 2 * 2 * std::sqrt(2), 1e-9);
}

TEST(Congestion, FactorsCountFromTheQuietFabric) {
  scenario::Scenario scenario = system(1, 1);
  auto& section = *scenario.serving;
  section.workload = serving::fixedWorkload(100, 100, 2, UINT64_MAX);
  section.workload->arrivals.kind = serving::ArrivalKind::kConstant;
  const results::TestResult result = runTest(congestionProcedure(), scenario);
  EXPECT_GT(kpi(result, "ttft_factor", "90 % of the links"), 1);
  EXPECT_TRUE(std::none_of(result.kpis.begin(), result.kpis.end(), [](const results::Kpi& one) {
    return one.name == "ttft_factor" && one.point == "0 % of the links";
  }));
  EXPECT_DOUBLE_EQ(kpi(result, "itl_factor", "90 % of the links"), 1);  // decode has no traffic
  const double quiet = kpi(result, "request_transfer_p99_ms", "0 % of the links");
  const double busy = kpi(result, "request_transfer_p99_ms", "90 % of the links");
  EXPECT_GT(busy, 2 * quiet);
}

// The quiet fabric is always there: factors count from it.
TEST(Congestion, LoadsOfTheScenarioAreItsLevels) {
  scenario::Scenario scenario = system(1, 1);
  scenario.parameters.loads = {Fraction::percent(50), Fraction::partsPerTrillion(125'000'000'000)};
  SimRunner runner;
  const Plan plan = congestionProcedure().plan({scenario, runner.bench.capabilities()});
  EXPECT_THAT(plan.points,
              ElementsAre("0 % of the links", "12.5 % of the links", "50 % of the links"));
  EXPECT_FALSE(plan.samples[0].spec.workload);
  // 1 MiB at 12.5 % of 400 Gb/s.
  const auto& messages =
      std::get<workload::MessageProgram>(plan.samples[1].spec.workload->jobs.front().program);
  EXPECT_EQ(std::get<workload::Arrivals>(messages.load).interval, Picoseconds(167'772'160));
}

TEST(PrefillCapacity, IsThatOfFullBatches) {
  scenario::Scenario scenario = system(3, 1);
  serving::ServingProgram program = scenario.serving->program;
  program.workload = serving::fixedWorkload(1, 1000, 100, 1);
  EXPECT_NEAR(prefillCapacity(program), 30'000, 1e-6);
  // 64 requests at a time get a token every 2 ms, 100 tokens each: 320 per second.
  EXPECT_NEAR(requestCapacity(program), 30, 1e-6);
  program.system.servers.prefill.workers = 100;
  EXPECT_NEAR(requestCapacity(program), 320, 1e-6);
}

TEST(ServingTests, RunTheRatesOfTheScenarioToTheirLastDigit) {
  scenario::Scenario scenario = system(1, 2);
  scenario.parameters.rates = {100.0 / 3};
  SimRunner runner;
  const Plan plan = routingProcedure().plan({scenario, runner.bench.capabilities()});
  ASSERT_EQ(plan.samples.size(), 2U);
  EXPECT_EQ(plan.samples.front().spec.serving->workload.arrivals.rate, 100.0 / 3);
}

// Lengths alone leave the test its arrivals (15 requests/s in `quick`), and a rate alone its
// lengths.
TEST(ServingTests, WhatAFileLeavesOutOfTheLoadIsTheTests) {
  const auto loadOf = [](const std::string& workload) {
    const scenario::Scenario scenario =
        scenario::parseScenario(
            "plumbline: 1\nname: s\ntest: I11.2\n"
            "dut: {topology: {kind: switch, hosts: 16, link: 400G}}\n"
            "serving: {" +
                workload + "}\n",
            "s", {{"I11.2"}, {"sim"}, {"I11.2"}, {}})
            .scenario;
    SimRunner runner;
    const Plan plan = batchingProcedure().plan({scenario, runner.bench.capabilities()});
    return plan.samples.at(0).spec.serving->workload;
  };
  for (const char* none : {"", "workload: {}"}) {
    const serving::WorkloadSpec load = loadOf(none);
    EXPECT_EQ(load.arrivals.rate, 15);
    EXPECT_EQ(load.prompt.high, 8192U);
    EXPECT_EQ(load.output.high, 128U);
  }
  const serving::WorkloadSpec lengths = loadOf("workload: {prompt: 300, output: 5}");
  EXPECT_EQ(lengths.arrivals.rate, 15);
  EXPECT_EQ(serving::meanPrompt(lengths), 300);
  EXPECT_EQ(serving::meanOutput(lengths), 5);
  const serving::WorkloadSpec rate = loadOf("workload: {arrivals: {kind: constant, rate: 7}}");
  EXPECT_EQ(rate.arrivals.kind, serving::ArrivalKind::kConstant);
  EXPECT_EQ(rate.arrivals.rate, 7);
  EXPECT_EQ(rate.prompt.high, 8192U);
  EXPECT_EQ(rate.output.high, 128U);
}

// If the decode worker has the whole prompt, nothing is sent: no transfer, and no failed one.
TEST(ServingTests, RequestsWithNothingToSendHaveNoTransfer) {
  serving::ServingResult result;
  serving::RequestRecord sent;
  sent.measured = true;
  sent.bytes = 1000;
  sent.first_post = milliseconds(1);
  sent.last_arrival = milliseconds(3);
  sent.decode_start = milliseconds(3);
  serving::RequestRecord cached;
  cached.measured = true;
  cached.decode_start = milliseconds(3);
  serving::RequestRecord unfinished;
  unfinished.measured = true;
  result.requests = {sent, cached};
  EXPECT_EQ(transferTimes(result).count, 1U);
  EXPECT_EQ(transferTimes(result).p99.value, 0.002);
  result.requests.push_back(unfinished);
  EXPECT_EQ(transferTimes(result).not_reached, 1U);
}

// 1,000 B in 2 ms. While another transfer is under way, the bandwidth of all is not known.
TEST(ServingTests, BandwidthIsThatOfAllTransfers) {
  bench::TrialResult trial;
  serving::RequestRecord sent;
  sent.measured = true;
  sent.bytes = 1000;
  sent.first_post = milliseconds(1);
  sent.last_arrival = milliseconds(3);
  trial.serving.emplace().requests = {sent};
  const std::vector<Figure> figures = servingFigures({});
  const Figure bandwidth = chosen(figures, {"kv_gigabytes_per_s"}).front();
  EXPECT_NEAR(bandwidth.of(0, trial).value().value, 1000 / 2e-3 * 1e-9, 1e-15);
  sent.last_arrival = serving::kNever;
  trial.serving->requests.push_back(sent);
  EXPECT_FALSE(bandwidth.of(0, trial));
}

// The decode worker has pages for 32 tokens: the prompt is refused, and has no KV cache.
TEST(SingleRequestsTest, ARefusedRequestHasNoKvCache) {
  scenario::Scenario scenario = system(1, 1);
  scenario.serving->program.system.decode_pages = 2;
  scenario.parameters.prompts = {16, 4096};
  const results::TestResult result = runTest(promptLengthProcedure(), scenario);
  EXPECT_EQ(kpi(result, "kv_request_bytes", "16 tokens"), 16 * 131'072.0);
  EXPECT_THAT(result.kpis, Not(Contains(AllOf(Field(&results::Kpi::name, "kv_request_bytes"),
                                              Field(&results::Kpi::point, "4096 tokens")))));
}

TEST(ServingTests, HaveAMainFigure) {
  scenario::Scenario scenario = system(1, 1);
  scenario.parameters.prompts = {16, 32};
  const results::TestResult result = runTest(disaggregatedTtftProcedure(), scenario);
  ASSERT_EQ(result.primary.size(), 1U);
  EXPECT_EQ(result.primary_names.front(), "TTFT mean, 32 tokens");
  EXPECT_EQ(result.primary.front().value, kpi(result, "ttft_mean_ms", "32 tokens"));
}

TEST(ServingTests, RefuseWhatCannotBe) {
  const auto refusals = [](const Procedure& test, const scenario::Scenario& scenario) {
    SimRunner runner;
    const auto all = test.plan({scenario, runner.bench.capabilities()}).refusals;
    return all.empty() ? std::string() : all.front();
  };
  scenario::Scenario small = system(1, 1);
  small.topology.hosts = 2;
  small.serving->program.system.servers.nics = small.serving->program.system.servers.gpus = 4;
  small.serving->program.system.servers.prefill.tp = 4;
  small.serving->program.system.servers.decode.tp = 4;
  EXPECT_THAT(refusals(disaggregatedTtftProcedure(), small),
              HasSubstr("8 NICs and the topology 2 hosts"));
  EXPECT_THAT(refusals(parallelismProcedure(), system(1, 1)), HasSubstr("gpus 8"));
  EXPECT_THAT(refusals(routingProcedure(), system(1, 1)), HasSubstr("no choice"));
  EXPECT_THAT(refusals(ratioProcedure(), system(1, 1)), HasSubstr("needs at least 3"));
  EXPECT_THAT(refusals(overloadProcedure(), system(1, 1)), IsEmpty());
  scenario::Scenario closed = system(1, 2);
  closed.serving->workload = defaultLoad({closed, SimRunner().bench.capabilities()});
  closed.serving->workload->arrivals.kind = serving::ArrivalKind::kClosed;
  EXPECT_THAT(refusals(routingProcedure(), closed), HasSubstr("a closed loop"));
}

}  // namespace
}  // namespace plumbline::suite
