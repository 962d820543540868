// A user-defined workload: figures against those of its trials, computed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/json.h"
#include "fabric/topology/topology.h"
#include "suite/framework/trials.h"
#include "suite/free/free_procedure.h"
#include "suite/free/jobs.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

// Keeps trials like a run's store: by spec and repetition, as text.
class StoringRunner final : public TrialRunner {
 public:
  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override {
    specs.push_back(spec);
    const auto key = std::pair(spec.toJson(), repetition);
    const auto known = stored.find(key);
    if (known != stored.end()) return bench::TrialResult::fromJson(known->second);
    bench::TrialResult result = simulator.run(spec, repetition, label);
    stored.emplace(key, result.toJson());
    results.push_back(result);
    return result;
  }

  SimRunner simulator;
  std::vector<bench::TrialSpec> specs;
  std::vector<bench::TrialResult> results;  // of trials that were run
  std::map<std::pair<std::string, std::uint32_t>, std::string> stored;
};

workload::JobSpec messageJob(std::string name, workload::Pattern pattern, std::uint32_t ranks,
                             std::uint64_t bytes, std::uint64_t messages) {
  workload::JobSpec job;
  job.name = std::move(name);
  job.placement.ranks = ranks;
  workload::MessageProgram program;
  program.pattern = pattern;
  program.bytes = bytes;
  program.messages = messages;
  job.program = program;
  return job;
}

workload::JobSpec collectiveJob(std::string name, std::uint32_t ranks, std::uint64_t bytes,
                                std::uint32_t iterations) {
  workload::JobSpec job;
  job.name = std::move(name);
  job.placement.ranks = ranks;
  workload::TrainingProgram program;
  program.iterations = iterations;
  program.collectives.emplace_back().bytes = bytes;
  job.program = program;
  return job;
}

scenario::Scenario scenarioOf(std::vector<workload::JobSpec> jobs, std::uint32_t repetitions = 1) {
  scenario::Scenario scenario = smallFabric();
  scenario.tests = {"free"};
  scenario.workload.emplace().jobs = std::move(jobs);
  scenario.parameters.repetitions = repetitions;
  return scenario;
}

// ECMP and a permutation that is drawn: what seeds decide.
scenario::Scenario drawnScenario(std::uint32_t repetitions) {
  return scenarioOf(
      {messageJob("background", workload::Pattern::kRandomPermutation, 16, 1 << 20, 4)},
      repetitions);
}

results::TestResult runFree(StoringRunner& runner, const scenario::Scenario& scenario) {
  return freeProcedure().run({scenario, runner.simulator.bench.capabilities()}, runner);
}

const results::Quantity* figureOf(const results::TestResult& result, const std::string& name,
                                  const std::string& point) {
  for (const results::Kpi& kpi : result.kpis) {
    if (kpi.name == name && kpi.point == point) return &kpi.quantity;
  }
  return nullptr;
}

const results::Table& tableOf(const results::TestResult& result, const std::string& id) {
  const auto found = std::find_if(result.tables.begin(), result.tables.end(),
                                  [&](const results::Table& table) { return table.id == id; });
  if (found == result.tables.end()) throw std::runtime_error("no table " + id);
  return *found;
}

double numberIn(const results::Cell& cell) { return std::get<results::Quantity>(cell).value; }

// A ring of 8 hosts on one switch, 8 MiB in a step: 2048 packets in slots of 4178 B, the first with
// 16 B of RETH, which hold back the others at both stores.
TEST(Free, AFastForwardedRingHasTheBandwidthOfTheClosedForm) {
  scenario::Scenario scenario = scenarioOf({collectiveJob("ring", 8, 64 << 20, 2)});
  scenario.topology = {};
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 8;
  scenario.topology.link_rate = gigabitsPerSecond(400);
  scenario.topology.host_link_delay = nanoseconds(50);
  scenario.switches.latency = nanoseconds(600);
  scenario.fast_forward.emplace().packets = 60'000;
  StoringRunner runner;
  const results::TestResult result = runFree(runner, scenario);
  ASSERT_TRUE(result.valid);
  const double step_ns = (2047 * 4178 + 2 * 16) * 0.02 + 2 * 4158 * 0.02 + 2 * 50 + 600;
  const double gbps = 8.0 * (64 << 20) * 1.75 / (14 * step_ns);
  const results::Quantity* bandwidth = figureOf(result, "busbw_gbps", "ring");
  ASSERT_NE(bandwidth, nullptr);
  EXPECT_NEAR(bandwidth->value, gbps, 0.01 * gbps);
  EXPECT_NEAR(figureOf(result, "algbw_gbps", "ring")->value, bandwidth->value / 1.75, 1e-6 * gbps);
  EXPECT_NEAR(figureOf(result, "job_time_us", "ring")->value,
              8e-3 * (64 << 20) * 1.75 / bandwidth->value, 1e-6 * 14 * step_ns);
  EXPECT_TRUE(results::systematicUncertainty(*bandwidth));
}

// Paths, and with them the predicted times, follow from the repetition's seeds. Small buffers lose
// packets, which a prediction does not know.
TEST(Free, APredictionIsTheMeanOfItsRepetitionsAndSaysWhatItDoesNotKnow) {
  scenario::Scenario scenario = scenarioOf({collectiveJob("ring", 12, 48 << 20, 2)}, 2);
  scenario.switches.pfc.reset();
  scenario.fast_forward.emplace().packets = 130'000;
  StoringRunner runner;
  const results::TestResult both = runFree(runner, scenario);
  ASSERT_TRUE(both.valid);
  const results::Quantity& time = *figureOf(both, "job_time_us", "ring");
  EXPECT_EQ(time.repetitions, 2U);
  double sum = 0;
  for (const bench::TrialResult& trial : runner.results) {
    ASSERT_TRUE(trial.fabric->fast_forward);
    for (const Picoseconds one : trial.fabric->jobs.at(0).iterations) {
      sum += one.toMicroseconds() / 2;
    }
  }
  EXPECT_NEAR(time.value, sum / 2, 1e-6 * time.value);
  EXPECT_NE(anomalies(both).find("losses are not predicted"), std::string::npos);
  scenario.switches.pfc.emplace();
  EXPECT_EQ(anomalies(runFree(runner, scenario)).find("losses are not predicted"),
            std::string::npos);
}

// Nothing was posted, and nothing took any time.
TEST(Free, AJobWithoutMessagesHasNoTime) {
  const scenario::Scenario scenario =
      scenarioOf({messageJob("none", workload::Pattern::kRandomPermutation, 4, 1000, 0),
                  messageJob("one", workload::Pattern::kRandomPermutation, 4, 1000, 1)});
  StoringRunner runner;
  const results::TestResult result = runFree(runner, scenario);
  EXPECT_EQ(figureOf(result, "job_time_us", "none"), nullptr);
  EXPECT_GT(figureOf(result, "job_time_us", "one")->value, 0);
  EXPECT_NE(result.summary.find("none: no messages. "), std::string::npos) << result.summary;
  EXPECT_NE(anomalies(result).find("none posted no messages"), std::string::npos);
}

// ROD accepts no packet out of order, and the receivers' credit is at the pace of their links, four
// times that of the fabric's: switches trim some packet of every window, for ever.
TEST(Free, AWorkloadWithoutProgressEndsAndIsNotValid) {
  workload::JobSpec job = messageJob("shift", workload::Pattern::kShift, 8, 3'000'000, 1);
  std::get<workload::MessageProgram>(job.program).shift = 4;
  scenario::Scenario scenario = scenarioOf({job});
  scenario.topology = {};
  scenario.topology.kind = fabric::TopologyKind::kClos2;
  scenario.topology.leaves = 2;
  scenario.topology.spines = 2;
  scenario.topology.hosts_per_leaf = 4;
  scenario.topology.link_rate = gigabitsPerSecond(100);
  scenario.topology.fabric_rate = gigabitsPerSecond(25);
  scenario.switches = {};
  scenario.switches.trim.emplace().threshold = Bytes(100'000);
  transport::UetSpec uet;
  uet.service = transport::UetService::kRod;
  uet.congestion_control = transport::UetCongestionControl::kRccc;
  uet.mtu_payload = 256;
  scenario.transport = uet;
  StoringRunner runner;
  const results::TestResult result = runFree(runner, scenario);
  EXPECT_FALSE(result.valid);
  ASSERT_FALSE(runner.results.empty());
  EXPECT_NE(runner.results[0].faults.at(0).find("no new payload arrives"), std::string::npos);
}

TEST(Free, EveryRepetitionHasSeedsOfItsOwn) {
  StoringRunner runner;
  const results::TestResult result = runFree(runner, drawnScenario(3));
  ASSERT_EQ(runner.results.size(), 3U);
  std::set<std::uint64_t> hops;
  for (std::uint32_t repetition = 0; repetition < 3; ++repetition) {
    EXPECT_EQ(runner.specs[repetition].dut.seed, runner.specs[repetition].workload->seed);
    hops.insert(
        static_cast<std::uint64_t>(runner.results[repetition].fabric->jobs[0].completion.count()));
  }
  EXPECT_EQ(hops.size(), 3U);
  EXPECT_EQ(runner.specs[0].dut.seed, 3U);
  // Runs of neighbouring seeds share no trial.
  std::set<std::uint64_t> seeds;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (std::uint32_t repetition = 0; repetition < 20; ++repetition) {
      seeds.insert(seedOf(seed, repetition));
    }
  }
  EXPECT_EQ(seeds.size(), 400U);
  double sum = 0;
  double squares = 0;
  for (const bench::TrialResult& trial : runner.results) {
    sum += trial.fabric->jobs[0].completion.toMicroseconds();
  }
  const double mean = sum / 3;
  for (const bench::TrialResult& trial : runner.results) {
    squares += std::pow(trial.fabric->jobs[0].completion.toMicroseconds() - mean, 2);
  }
  const double deviation = std::sqrt(squares / 2);
  const results::Quantity* time = figureOf(result, "job_time_us", "background");
  ASSERT_NE(time, nullptr);
  EXPECT_EQ(time->repetitions, 3U);
  EXPECT_NEAR(time->value, mean, 1e-9 * mean);
  EXPECT_NEAR(time->cv.value(), deviation / mean, 1e-9);
  // Student's t of two degrees of freedom at 97.5 %: 4.303.
  EXPECT_NEAR(time->confidence_high.value() - mean, 4.303 * deviation / std::sqrt(3.0),
              1e-3 * deviation);
  for (const results::Kpi& kpi : result.kpis) {
    EXPECT_EQ(kpi.quantity.repetitions, 3U) << kpi.name;
    EXPECT_EQ(kpi.quantity.cv.has_value(), kpi.quantity.value != 0) << kpi.name;
  }
}

// Some 5 of 4,096 frames of 33,424 bits are damaged at 4e-8 in each of two repetitions: 12.7
// standard errors reach below 0, which a count cannot.
TEST(Free, IntervalsOfCountsEndAtZero) {
  StoringRunner runner;
  scenario::Scenario scenario =
      scenarioOf({messageJob("pairs", workload::Pattern::kPairs, 16, 2 << 20, 1)}, 2);
  scenario.bit_errors = {{"hosts", 4e-8}};
  const results::TestResult result = runFree(runner, scenario);
  bool cut = false;
  for (const auto& row : tableOf(result, "fabric").rows) {
    const auto& count = std::get<results::Quantity>(row.at(1));
    EXPECT_GE(count.confidence_low.value_or(0), 0) << std::get<std::string>(row.at(0));
    cut = cut || count.uncertainty.least == 0.0;
  }
  EXPECT_TRUE(cut);
}

// Four senders of UUD and one receiver at 100 Gb/s, whose queue loses packets. Payload of lost
// messages that arrives behind the last whole one takes time as well: no more than 4096 of 4210 B.
TEST(Free, GoodputWithoutAcknowledgementsIsWithinTheLink) {
  scenario::Scenario scenario =
      scenarioOf({messageJob("incast", workload::Pattern::kIncast, 5, 40'001, 4)}, 1);
  scenario.topology.link_rate = gigabitsPerSecond(100);
  scenario.switches = {};
  scenario.switches.buffer_per_port = Bytes(200'000);
  transport::UetSpec uet;
  uet.service = transport::UetService::kUud;
  uet.trimming = false;
  scenario.transport = uet;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    scenario.seed = seed;
    StoringRunner runner;
    const results::TestResult result = runFree(runner, scenario);
    const results::Quantity* rate = figureOf(result, "goodput_per_rank_gbps", "incast");
    if (rate == nullptr) continue;
    EXPECT_LE(5 * rate->value, 100.0 * 4096 / 4210) << seed;
  }
}

TEST(Free, RepetitionZeroIsTheOnlyOneOfARunWithoutRepetitions) {
  StoringRunner once;
  StoringRunner thrice;
  runFree(once, drawnScenario(1));
  runFree(thrice, drawnScenario(3));
  EXPECT_EQ(once.specs[0].toJson(), thrice.specs[0].toJson());
}

TEST(Free, AResumedRunGivesTheSame) {
  StoringRunner runner;
  const std::string first = runFree(runner, drawnScenario(3)).toJson();
  ASSERT_EQ(runner.simulator.trials, 3U);
  EXPECT_EQ(runFree(runner, drawnScenario(3)).toJson(), first);
  EXPECT_EQ(runner.simulator.trials, 3U);
}

// Incasts on one switch draw no random numbers: no hash has a choice, no mark is random.
TEST(Free, SaysWhenSeedsChangeNothing) {
  scenario::Scenario scenario =
      scenarioOf({messageJob("incast", workload::Pattern::kIncast, 3, 65'536, 1)}, 2);
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 4;
  StoringRunner runner;
  EXPECT_NE(runFree(runner, scenario)
                .repeatability.note.find("Deterministic: all repetitions saw the same"),
            std::string::npos);
  EXPECT_EQ(runFree(runner, drawnScenario(2))
                .repeatability.note.find("Deterministic: all repetitions saw the same"),
            std::string::npos);
}

// Of S = 1 MiB among n = 8 ranks: algbw S / t, busbw that times 2 (n - 1) / n.
TEST(Free, CollectivesHaveTheirBandwidths) {
  StoringRunner runner;
  const results::TestResult result =
      runFree(runner, scenarioOf({collectiveJob("allreduce", 8, 1 << 20, 2)}));
  const bench::JobOutcome& job = runner.results[0].fabric->jobs[0];
  ASSERT_EQ(job.iterations.size(), 2U);
  const double seconds = (job.iterations[0] + job.iterations[1]).toSeconds() / 2;
  const double algorithm = 8.0 * (1 << 20) / seconds / 1e9;
  EXPECT_NEAR(figureOf(result, "algbw_gbps", "allreduce")->value, algorithm, 1e-3);
  EXPECT_NEAR(figureOf(result, "busbw_gbps", "allreduce")->value, algorithm * 2 * 7 / 8, 1e-3);
  EXPECT_NEAR(figureOf(result, "job_time_us", "allreduce")->value, seconds * 1e6, 1e-3);
  EXPECT_LT(figureOf(result, "busbw_gbps", "allreduce")->value, 400);
  const results::Table& jobs = tableOf(result, "jobs");
  EXPECT_EQ(std::get<std::string>(jobs.rows.at(0).at(3)), "2");
  EXPECT_EQ(result.primary_names.at(0), "allreduce: Time");
  EXPECT_EQ(result.primary_names.at(1), "allreduce: Bus bandwidth");
}

// The time of an iteration that computes as well is not the collective's.
TEST(Free, JobsThatComputeHaveNoBusBandwidth) {
  workload::JobSpec job = collectiveJob("training", 4, 65'536, 1);
  std::get<workload::TrainingProgram>(job.program).compute = microseconds(5);
  StoringRunner runner;
  EXPECT_EQ(figureOf(runFree(runner, scenarioOf({job})), "busbw_gbps", "training"), nullptr);
}

TEST(Free, MessagesHaveNoIterations) {
  StoringRunner runner;
  const results::TestResult result =
      runFree(runner, scenarioOf({messageJob("pairs", workload::Pattern::kPairs, 4, 1 << 20, 3)}));
  const results::Table& jobs = tableOf(result, "jobs");
  EXPECT_EQ(std::get<std::string>(jobs.rows.at(0).at(3)), "-");
  const bench::JobOutcome& job = runner.results[0].fabric->jobs[0];
  // Both pairs: 3 MiB each, from two of four ranks.
  EXPECT_EQ(job.bytes_arrived, 6U << 20);
  EXPECT_NEAR(figureOf(result, "goodput_per_rank_gbps", "pairs")->value,
              8.0 * (6 << 20) / 4 / job.completion.toSeconds() / 1e9, 1e-6);
  EXPECT_EQ(figureOf(result, "failed_messages", "pairs")->value, 0);
  EXPECT_EQ(figureOf(result, "algbw_gbps", "pairs"), nullptr);
}

// Missing is not zero.
TEST(Free, AJobThatWasCutOffHasNoTime) {
  workload::JobSpec job = messageJob("long", workload::Pattern::kPairs, 2, 1 << 20, 1000);
  std::get<workload::MessageProgram>(job.program).load = workload::ClosedLoop{.outstanding = 4};
  scenario::Scenario scenario = scenarioOf({job});
  scenario.parameters.duration = microseconds(50);
  scenario.parameters.drain = Picoseconds(0);
  StoringRunner runner;
  const results::TestResult result = runFree(runner, scenario);
  EXPECT_EQ(figureOf(result, "job_time_us", "long"), nullptr);
  ASSERT_NE(figureOf(result, "goodput_per_rank_gbps", "long"), nullptr);
  // Parts of messages count: line rate but for the 0.8 us of the path over one leaf.
  EXPECT_NEAR(figureOf(result, "goodput_per_rank_gbps", "long")->value,
              400 * 4096 / 4178.0 / 2 * (1 - 0.8 / 50), 1);
  EXPECT_EQ(std::get<std::string>(tableOf(result, "jobs").rows.at(0).at(2)), "no");
}

// Messages, a collective, and a job that has not even begun, cut off before anything was done:
// counts may be zero, but not times, rates, shares or indices.
TEST(Free, NothingThatWasNotMeasuredIsZero) {
  workload::JobSpec late = messageJob("late", workload::Pattern::kPairs, 2, 1 << 20, 1);
  late.start = seconds(1);
  scenario::Scenario scenario =
      scenarioOf({messageJob("messages", workload::Pattern::kPairs, 2, 10 << 20, 1),
                  collectiveJob("ring", 4, 64 << 20, 2), late});
  scenario.parameters.duration = microseconds(50);
  scenario.parameters.drain = Picoseconds(0);
  for (const bool begun : {true, false}) {
    if (!begun) {
      for (workload::JobSpec& job : scenario.workload->jobs) job.start = seconds(1);
    }
    StoringRunner runner;
    const results::TestResult result = runFree(runner, scenario);
    const std::set<std::string> counts{"failed_messages",  "dropped_packets",
                                       "pauses",           "paused_us",
                                       "queue_max_bytes",  "drop_ppm",
                                       "fabric_drops_ppm", "trimmed_ppm",
                                       "ecn_percent",      "retransmission_percent"};
    for (const results::Kpi& kpi : result.kpis) {
      if (!counts.contains(kpi.name)) {
        EXPECT_GT(kpi.quantity.value, 0) << kpi.name << ", " << kpi.point;
      }
      // Shares of no packets are no shares.
      const bool share = kpi.name.ends_with("ppm") || kpi.name.ends_with("percent");
      EXPECT_FALSE(share && !begun) << kpi.name;
    }
    for (const char* const name : {"messages", "ring", "late"}) {
      EXPECT_TRUE(isUnmeasured(result, "job_time_us", name)) << name;
      EXPECT_EQ(figureOf(result, "job_time_us", name), nullptr) << name;
      EXPECT_TRUE(std::any_of(result.anomalies.begin(), result.anomalies.end(),
                              [&](const results::Anomaly& one) { return one.where == name; }))
          << name;
    }
    EXPECT_TRUE(isUnmeasured(result, "message_time_p99_us", "messages"));
    EXPECT_TRUE(isUnmeasured(result, "busbw_gbps", "ring"));
    EXPECT_FALSE(isUnmeasured(result, "busbw_gbps", "messages"));  // never has one
    const results::Table& table = tableOf(result, "jobs");
    for (const auto& row : table.rows) {
      for (std::size_t i = 1; i < row.size(); ++i) {
        const auto* quantity = std::get_if<results::Quantity>(&row[i]);
        if (quantity == nullptr || quantity->unit.empty() || quantity->unit == "B") continue;
        EXPECT_GT(quantity->value, 0) << table.columns[i];
      }
    }
    for (const auto& row : tableOf(result, "endpoints").rows) {
      if (begun || !std::get<std::string>(row[0]).starts_with("goodput")) continue;
      ADD_FAILURE() << "goodput of no flow";
    }
  }
}

// A message every microsecond from 0 to 20 us, and none after that.
TEST(Free, ATrialEndsWithItsDuration) {
  workload::JobSpec job = messageJob("endless", workload::Pattern::kPairs, 2, 10'000,
                                     std::numeric_limits<std::uint64_t>::max());
  std::get<workload::MessageProgram>(job.program).load = workload::Arrivals{microseconds(1)};
  scenario::Scenario scenario = scenarioOf({job});
  scenario.parameters.duration = microseconds(20);
  scenario.parameters.drain = microseconds(100);  // of other tests
  StoringRunner runner;
  runFree(runner, scenario);
  const bench::FabricResult& fabric = *runner.results.at(0).fabric;
  EXPECT_EQ(fabric.sim_end, microseconds(20));
  const bench::JobOutcome& outcome = fabric.jobs.at(0);
  EXPECT_EQ(outcome.messages_completed + outcome.messages_open, 21U);
}

// A sender without acknowledgements is done when it has sent. Neither is the job before the end of
// a trial that frames outlast, nor has it a time if none of them arrived.
TEST(Free, WithoutArrivalsThereIsNoJobTime) {
  workload::JobSpec job = messageJob("uc", workload::Pattern::kPairs, 2, 65'536, 3);
  scenario::Scenario scenario = scenarioOf({job});
  scenario.topology.host_link_delay = microseconds(10);
  transport::RoceSpec uc;
  uc.service = transport::RoceService::kUc;
  scenario.transport = uc;
  // The first one has arrived after 22 us, and the others are on the way.
  scenario.parameters.duration = nanoseconds(22'800);
  StoringRunner cut_off;
  const results::TestResult part = runFree(cut_off, scenario);
  EXPECT_GT(cut_off.results.at(0).fabric->jobs.at(0).messages_open, 0U);
  EXPECT_EQ(figureOf(part, "job_time_us", "uc"), nullptr);
  EXPECT_TRUE(isUnmeasured(part, "job_time_us", "uc"));
  scenario.parameters.duration.reset();
  scenario.failures.push_back({"host1-leaf0", Picoseconds(0), {}});
  StoringRunner lost;
  const results::TestResult none = runFree(lost, scenario);
  EXPECT_EQ(lost.results.at(0).fabric->jobs.at(0).messages_failed, 3U);
  EXPECT_EQ(figureOf(none, "job_time_us", "uc"), nullptr);
  EXPECT_TRUE(isUnmeasured(none, "job_time_us", "uc"));
}

// UC loses most messages of 1,000 packets, and what arrives of them is payload all the same.
TEST(Free, GoodputIsOfAllPayloadThatArrives) {
  scenario::Scenario scenario =
      scenarioOf({messageJob("uc", workload::Pattern::kPairs, 2, 4'096'000, 20)});
  scenario.topology.host_link_delay = nanoseconds(200);
  scenario.bit_errors = {{"hosts", 1e-7}};
  transport::RoceSpec uc;
  uc.service = transport::RoceService::kUc;
  scenario.transport = uc;
  StoringRunner runner;
  const results::TestResult result = runFree(runner, scenario);
  const bench::FabricResult& fabric = *runner.results.at(0).fabric;
  const bench::JobOutcome& outcome = fabric.jobs.at(0);
  ASSERT_TRUE(outcome.finished);
  ASSERT_GT(fabric.endpoints.payload_received, outcome.bytes_arrived);
  EXPECT_NEAR(figureOf(result, "goodput_per_rank_gbps", "uc")->value,
              8e-9 * static_cast<double>(fabric.endpoints.payload_received) / 2 /
                  outcome.active.toSeconds(),
              1e-9);
}

// All posted at once, so that those open at the end are the slowest.
TEST(Free, APercentileThatOpenMessagesDecideIsNotMeasured) {
  workload::JobSpec job = messageJob("eight", workload::Pattern::kPairs, 2, 1 << 20, 8);
  std::get<workload::MessageProgram>(job.program).load = workload::ClosedLoop{8};
  scenario::Scenario scenario = scenarioOf({job});
  // One after the other at 400 Gb/s, some 22 us each: five of eight.
  scenario.parameters.duration = microseconds(122);
  scenario.parameters.drain = Picoseconds(0);
  StoringRunner runner;
  const results::TestResult result = runFree(runner, scenario);
  const bench::JobOutcome& outcome = runner.results.at(0).fabric->jobs.at(0);
  ASSERT_EQ(outcome.messages_completed + outcome.messages_open, 8U);
  ASSERT_GE(outcome.messages_completed, 4U);
  ASSERT_LT(outcome.messages_completed, 8U);
  const results::Quantity* const median = figureOf(result, "message_time_p50_us", "eight");
  ASSERT_NE(median, nullptr);
  // The fourth of all eight, which takes four times the first one's time.
  EXPECT_NEAR(median->value, 4 * static_cast<double>(outcome.message_time.minimum()) / 1e6,
              0.05 * median->value);
  EXPECT_EQ(figureOf(result, "message_time_p99_us", "eight"), nullptr);
  EXPECT_EQ(figureOf(result, "message_time_max_us", "eight"), nullptr);
  EXPECT_TRUE(isUnmeasured(result, "message_time_p99_us", "eight"));
}

// Two endless pairs; the second one's receiver is cut off at 20 us, with two of its messages open
// from then on: 1 ms old at the end, among some 300 that took 3 us each. They are the slowest ones.
TEST(Free, OpenMessagesOfAnEndlessJobCount) {
  workload::JobSpec job = messageJob("pairs", workload::Pattern::kPairs, 4, 65'536,
                                     std::numeric_limits<std::uint64_t>::max());
  std::get<workload::MessageProgram>(job.program).load = workload::ClosedLoop{2};
  scenario::Scenario scenario = scenarioOf({job});
  scenario.parameters.duration = milliseconds(1);
  StoringRunner whole;
  const results::TestResult good = runFree(whole, scenario);
  // The last ones, younger than any complete message, change nothing.
  const auto times = [](const StoringRunner& runner) -> const bench::JobOutcome& {
    return runner.results.at(0).fabric->jobs.at(0);
  };
  EXPECT_EQ(times(whole).messages_open, 4U);
  EXPECT_NEAR(figureOf(good, "message_time_max_us", "pairs")->value,
              static_cast<double>(times(whole).message_time.maximum()) / 1e6, 1e-6);
  EXPECT_FALSE(std::any_of(good.anomalies.begin(), good.anomalies.end(),
                           [](const results::Anomaly& one) { return one.where == "pairs"; }));

  scenario.failures.push_back({"host3-leaf0", microseconds(20), {}});
  StoringRunner cut;
  const results::TestResult result = runFree(cut, scenario);
  const bench::JobOutcome& outcome = times(cut);
  ASSERT_EQ(outcome.messages_open, 4U);
  ASSERT_EQ(outcome.open_age.count(), 4U);
  EXPECT_GT(outcome.open_age.maximum(), 970'000'000U);
  const std::uint64_t posted = outcome.messages_completed + 2;  // without the other pair's two
  ASSERT_GT(posted, 250U);
  ASSERT_LT(posted, 1000U);
  EXPECT_LT(figureOf(result, "message_time_p99_us", "pairs")->value, 10);
  EXPECT_EQ(figureOf(result, "message_time_max_us", "pairs"), nullptr);
  EXPECT_TRUE(isUnmeasured(result, "message_time_max_us", "pairs"));
  EXPECT_TRUE(std::any_of(result.anomalies.begin(), result.anomalies.end(),
                          [](const results::Anomaly& one) {
                            return one.where == "pairs" &&
                                   one.what.find("longer than all complete") != std::string::npos;
                          }));
  // With the half of the flows' time, 2 of some 20 messages are open: more than a hundredth.
  scenario.parameters.duration = microseconds(50);
  StoringRunner brief;
  const results::TestResult few = runFree(brief, scenario);
  ASSERT_GT(times(brief).messages_completed, 10U);
  EXPECT_EQ(figureOf(few, "message_time_p99_us", "pairs"), nullptr);
  EXPECT_TRUE(isUnmeasured(few, "message_time_p99_us", "pairs"));
  EXPECT_NE(figureOf(few, "message_time_p50_us", "pairs"), nullptr);
}

// Limits on what a job with nothing to do, or one that begins after the trial, would have.
TEST(Free, AJobWithoutMessagesHasNoFigures) {
  scenario::Scenario scenario = scenarioOf({collectiveJob("one", 1, 1 << 20, 3)});
  StoringRunner runner;
  const results::TestResult alone = runFree(runner, scenario);
  EXPECT_EQ(figureOf(alone, "job_time_us", "one"), nullptr);
  EXPECT_TRUE(isUnmeasured(alone, "job_time_us", "one"));

  workload::JobSpec late = messageJob("late", workload::Pattern::kPairs, 2, 1 << 20, 1);
  late.start = seconds(1);
  scenario = scenarioOf({messageJob("now", workload::Pattern::kPairs, 2, 4096, 3), late});
  scenario.parameters.duration = microseconds(50);
  StoringRunner both;
  const results::TestResult result = runFree(both, scenario);
  EXPECT_NE(figureOf(result, "flow_jfi", "now"), nullptr);
  EXPECT_EQ(figureOf(result, "flow_jfi", "late"), nullptr);
  EXPECT_TRUE(isUnmeasured(result, "flow_jfi", "late"));
}

// A job's own times beyond what a trial can last: each a little too long, and just short enough.
TEST(Free, RefusesJobsLongerThanATrial) {
  const auto refusalsOf = [](const workload::JobSpec& job) {
    const bench::SimBench bench({});
    bench::TrialSpec spec;
    spec.dut = scenarioOf({job}).fabricSpec();
    spec.workload.emplace().jobs = {job};
    return bench.refusals(spec);
  };
  workload::JobSpec training = collectiveJob("training", 2, 4096, 9);
  auto& program = std::get<workload::TrainingProgram>(training.program);
  program.compute = seconds(1'000'000);
  EXPECT_THAT(refusalsOf(training), testing::IsEmpty());
  program.iterations = 10;
  ASSERT_EQ(refusalsOf(training).size(), 1U);
  EXPECT_NE(refusalsOf(training)[0].find("at most 9000000 s"), std::string::npos);

  workload::JobSpec messages = messageJob("messages", workload::Pattern::kPairs, 2, 4096, 9);
  auto& sends = std::get<workload::MessageProgram>(messages.program);
  sends.load = workload::Arrivals{seconds(1'000'000)};
  EXPECT_THAT(refusalsOf(messages), testing::IsEmpty());
  sends.messages = 10;
  EXPECT_EQ(refusalsOf(messages).size(), 1U);
  sends.until = seconds(100);
  EXPECT_THAT(refusalsOf(messages), testing::IsEmpty());
  sends = std::get<workload::MessageProgram>(
      messageJob("phases", workload::Pattern::kShift, 16, 4096, 1).program);
  sends.phase = seconds(1'000'000);
  messages.placement.ranks = 16;
  EXPECT_EQ(refusalsOf(messages).size(), 1U);
}

// With a duration the times are only capped: the messages of the first pair alone are posted.
TEST(Free, PostsNothingThatIsDueAfterAllTime) {
  workload::JobSpec job = messageJob("pairs", workload::Pattern::kShift, 16, 4096, 3);
  auto& program = std::get<workload::MessageProgram>(job.program);
  program.phase = seconds(1'000'000);
  program.load = workload::Arrivals{seconds(1'000'000), true};
  program.on_off = workload::OnOff{microseconds(1), seconds(1'000'000)};
  scenario::Scenario scenario = scenarioOf({job});
  scenario.parameters.duration = milliseconds(1);
  StoringRunner runner;
  runFree(runner, scenario);
  const bench::JobOutcome& outcome = runner.results.at(0).fabric->jobs.at(0);
  EXPECT_LE(outcome.messages_completed + outcome.messages_open, 1U);
}

// One pair's cable is cut from the start. Limits on message times are not met by the other's.
TEST(Free, AJobThatLosesEverythingHasUnmeasuredTimes) {
  std::vector<workload::JobSpec> jobs{messageJob("well", workload::Pattern::kPairs, 2, 4'096, 3),
                                      messageJob("lost", workload::Pattern::kPairs, 2, 4'096, 3)};
  jobs[0].placement.rule = jobs[1].placement.rule = workload::PlacementRule::kExplicit;
  jobs[0].placement.hosts = {0, 1};
  jobs[1].placement.hosts = {2, 3};
  scenario::Scenario scenario = scenarioOf(jobs);
  scenario.failures.push_back({"host2-leaf0", Picoseconds(0), {}});
  const results::TestResult result = runTest(freeProcedure(), scenario);
  EXPECT_EQ(findKpi(result, "message_time_p99_us", "lost"), nullptr);
  EXPECT_GT(kpi(result, "message_time_p99_us", "well").value, 0);
  std::set<std::string> without;
  for (const results::UnmeasuredKpi& one : result.unmeasured) {
    if (one.point == "lost") without.insert(one.name);
    EXPECT_EQ(one.point, "lost") << one.name;
  }
  EXPECT_TRUE(without.contains("message_time_p99_us"));
}

TEST(Free, TheSimulationsCostIsApartFromItsResults) {
  StoringRunner runner;
  const results::TestResult result = runFree(runner, drawnScenario(1));
  EXPECT_EQ(result.tables.front().id, "jobs");
  ASSERT_TRUE(result.cost);
  EXPECT_EQ(numberIn(result.cost->rows.at(1).at(1)),
            static_cast<double>(runner.results[0].fabric->packet_hops));
  for (const results::Table& table : result.tables) EXPECT_NE(table.id, "cost");
  EXPECT_EQ(result.kpis.front().name, "job_time_us");
  for (const results::Kpi& kpi : result.kpis) {
    EXPECT_EQ(kpi.name.find("hop"), std::string::npos) << kpi.name;
    EXPECT_EQ(kpi.name.find("rss"), std::string::npos) << kpi.name;
  }
}

// A message of 25 packets, the first with a RETH of 16 B, over one switch: its sender's link is
// busy for them, out of the time until the ACK is there. The simulation itself ends later.
TEST(Free, LoadOfALinkIsThatUntilTheLastJobWasDone) {
  scenario::Scenario scenario =
      scenarioOf({messageJob("one", workload::Pattern::kPairs, 2, 25 * 4096, 1)});
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 2;
  scenario.topology.link_rate = gigabitsPerSecond(10);
  StoringRunner runner;
  const results::TestResult result = runFree(runner, scenario);
  const double busy_us = (25 * 4178 + 16) * 8 / 10e3;
  const double done_us = figureOf(result, "job_time_us", "one")->value;
  const results::Table& links = tableOf(result, "links");
  EXPECT_EQ(std::get<std::string>(links.rows.at(0).at(0)), "host0-switch0");
  EXPECT_NEAR(numberIn(links.rows.at(0).at(1)), 100 * busy_us / done_us, 1e-6);
  EXPECT_GT(numberIn(links.rows.at(0).at(1)), 90);
}

// Barriers send 8 bytes to ranks that the ring sends nothing.
TEST(Free, AJobWithBarriersHasNoFairness) {
  std::vector<workload::JobSpec> jobs{collectiveJob("ring", 5, 1 << 16, 2)};
  StoringRunner runner;
  EXPECT_NEAR(figureOf(runFree(runner, scenarioOf(jobs)), "flow_jfi", "ring")->value, 1, 0.05);
  std::get<workload::TrainingProgram>(jobs[0].program).barrier = true;
  const results::TestResult result = runFree(runner, scenarioOf(jobs));
  EXPECT_EQ(figureOf(result, "flow_jfi", "ring"), nullptr);
  EXPECT_EQ(figureOf(result, "flow_jfi", "workload"), nullptr);
}

TEST(Free, FairnessIsOfEachJob) {
  // Two flows to one receiver share its link; one pair has none to share with.
  std::vector<workload::JobSpec> jobs{
      messageJob("incast", workload::Pattern::kIncast, 3, 1 << 20, 1),
      messageJob("pair", workload::Pattern::kPairs, 2, 65'536, 1)};
  StoringRunner runner;
  const results::TestResult result = runFree(runner, scenarioOf(jobs));
  ASSERT_NE(figureOf(result, "flow_jfi", "pair"), nullptr);
  EXPECT_EQ(figureOf(result, "flow_jfi", "pair")->value, 1);
  EXPECT_GT(figureOf(result, "flow_jfi", "incast")->value, 0.9);
  EXPECT_LT(figureOf(result, "flow_jfi", "workload")->value,
            figureOf(result, "flow_jfi", "incast")->value);
  // Messages of two jobs between the same hosts travel in the same flows.
  for (workload::JobSpec& job : jobs) {
    job.placement.rule = workload::PlacementRule::kExplicit;
  }
  jobs[0].placement.hosts = {0, 1, 2};
  jobs[1].placement.hosts = {1, 0};
  const results::TestResult shared = runFree(runner, scenarioOf(jobs));
  EXPECT_EQ(figureOf(shared, "flow_jfi", "pair"), nullptr);
  EXPECT_EQ(figureOf(shared, "flow_jfi", "incast"), nullptr);
}

TEST(Free, JobsOfOneNameAreTold) {
  const std::vector<workload::JobSpec> jobs{messageJob("a", workload::Pattern::kPairs, 2, 1, 1),
                                            messageJob("b", workload::Pattern::kPairs, 2, 1, 1),
                                            messageJob("a", workload::Pattern::kPairs, 2, 1, 1)};
  EXPECT_EQ(jobLabels(jobs), (std::vector<std::string>{"a (job 0)", "b", "a (job 2)"}));
  // The whole workload has figures under this name.
  EXPECT_EQ(jobLabels({messageJob("workload", workload::Pattern::kPairs, 2, 1, 1)}),
            (std::vector<std::string>{"workload (job 0)"}));
}

// A buffer of one frame: of each message of 100 packets from two senders some are lost.
TEST(Free, AJobWhoseMessagesAllFailedSaysSo) {
  scenario::Scenario scenario =
      scenarioOf({messageJob("incast", workload::Pattern::kIncast, 3, 409'600, 1)});
  transport::RoceSpec roce;
  roce.service = transport::RoceService::kUc;
  scenario.transport = roce;
  scenario.switches = {};
  scenario.switches.shared_buffer.emplace().total = Bytes(4'173);
  StoringRunner runner;
  const results::TestResult result = runFree(runner, scenario);
  EXPECT_EQ(runner.results[0].fabric->jobs[0].messages_failed, 2U);
  EXPECT_THAT(result.summary, HasSubstr("incast: all messages failed"));
}

// 16 hosts on 4 leaves, 4 spines: 32 cables of two directions.
TEST(Free, EveryLinkIsInTheResult) {
  StoringRunner runner;
  const results::TestResult result = runFree(
      runner, scenarioOf({messageJob("incast", workload::Pattern::kIncast, 16, 1 << 20, 1)}));
  const results::Table& links = tableOf(result, "links");
  EXPECT_EQ(links.rows.size(), 64U);
  EXPECT_EQ(links.shownRows(), 16U);
  std::set<std::string> names;
  double packets = 0;
  double pauses = 0;
  double paused = 0;
  double before = 101;
  for (const auto& row : links.rows) {
    names.insert(std::get<std::string>(row.at(0)));
    EXPECT_LE(numberIn(row.at(1)), before);
    before = numberIn(row.at(1));
    packets += numberIn(row.at(3));
    pauses += numberIn(row.at(7));
    paused += numberIn(row.at(8));
  }
  const fabric::LinkCounters& total = runner.results[0].fabric->total;
  EXPECT_EQ(names.size(), 64U);
  EXPECT_TRUE(names.contains("leaf3-host15"));
  EXPECT_EQ(packets, static_cast<double>(total.packets));
  EXPECT_GT(pauses, 0);
  EXPECT_EQ(pauses, static_cast<double>(total.pauses));
  EXPECT_NEAR(paused, total.paused[3].toMicroseconds(), 1e-6 * paused);

  const results::Table& ports = tableOf(result, "paused_ports");
  EXPECT_EQ(ports.columns.back(), "Priority 3");
  double of_ports = 0;
  const double load_us = runner.results[0].fabric->load_end.toMicroseconds();
  for (const auto& row : ports.rows) {
    EXPECT_NEAR(numberIn(row.at(3)), 100 * numberIn(row.back()) / load_us, 1e-9);
    EXPECT_GT(numberIn(row.at(1)), 0);
    EXPECT_NEAR(numberIn(row.at(2)), numberIn(row.back()), 1e-9);
    of_ports += numberIn(row.at(2));
  }
  EXPECT_NEAR(of_ports, paused, 1e-6 * paused);
}

// Charts show what the trial recorded: bytes that hosts sent are their rate times the time.
TEST(Free, TheFirstRepetitionIsShownOverTime) {
  StoringRunner runner;
  const results::TestResult result = runFree(runner, drawnScenario(2));
  EXPECT_TRUE(runner.specs[0].series);
  EXPECT_FALSE(runner.specs[1].series);
  const auto chart = std::find_if(result.charts.begin(), result.charts.end(),
                                  [](const auto& one) { return one.id == "host_rates_over_time"; });
  ASSERT_NE(chart, result.charts.end());
  EXPECT_EQ(chart->kind, results::ChartKind::kTime);
  const bench::TimeSeries& series = *runner.results[0].fabric->series;
  double gigabits = 0;
  for (std::size_t i = 0; i < chart->series[0].y.size(); ++i) {
    const Picoseconds begin = series.interval * static_cast<std::int64_t>(i);
    const Picoseconds end = std::min(begin + series.interval, series.end);
    gigabits += chart->series[0].y[i] * (end - begin).toSeconds();
  }
  double bytes = 0;
  for (const bench::LinkLoad& link : runner.results[0].fabric->links) {
    if (link.name.starts_with("host")) bytes += static_cast<double>(link.bytes);
  }
  EXPECT_NEAR(gigabits * 1e9 / 8, bytes, 1e-6 * bytes);
}

}  // namespace
}  // namespace plumbline::suite
