// The scenarios of scenarios/card/ on the Verilated card: they run, keep their limits, and every
// figure that they report can be limited.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "bench/card/rtl_bench.h"
#include "scenario/parse.h"
#include "sim/wire.h"
#include "suite/card/card.h"
#include "suite/procedure.h"
#include "tests/paths/paths.h"

namespace plumbline::suite {
namespace {

namespace fs = std::filesystem;

class Direct final : public TrialRunner {
 public:
  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t, const std::string&) override {
    return bench.run(spec, {});
  }
  bench::RtlBench bench;
};

fs::path folder() { return checkoutPath("scenarios/card"); }

scenario::Vocabulary vocabulary() {
  scenario::Vocabulary words;
  words.benches = {"rtl", "sim"};
  for (const Procedure* procedure : procedures()) {
    if (!procedure->onHosts()) words.tests.push_back(procedure->id());
  }
  words.kpis = measuredKpis();
  return words;
}

scenario::Scenario shipped(const std::string& name) {
  return scenario::loadScenario(folder() / (name + ".yaml"), vocabulary());
}

std::string complaintsOf(const results::TestResult& result) {
  std::string all;
  for (const results::Anomaly& anomaly : result.anomalies) {
    all.append(anomaly.what).append(" @ ").append(anomaly.where).append("\n");
  }
  return all;
}

// Whether a scenario of this test could limit the figure.
bool canBeLimited(const std::string& test, const std::string& kpi) {
  const std::string text = "plumbline: 1\nname: n\ntest: " + test +
                           "\ndut: {topology: {kind: link}}\nlimits: {" + kpi + ": 1}\n";
  return scenario::parseScenario(text, "s", vocabulary()).ok();
}

class CardScenario : public testing::TestWithParam<const char*> {};

TEST_P(CardScenario, KeepsItsLimits) {
  const scenario::Scenario scenario = shipped(GetParam());
  Direct runner;
  const results::TestResult result =
      procedure(scenario.tests.front()).run({scenario, runner.bench.capabilities()}, runner);
  EXPECT_TRUE(result.valid) << complaintsOf(result);
  EXPECT_FALSE(result.tables.empty());
  EXPECT_FALSE(result.summary.empty());
  ASSERT_FALSE(scenario.limits.empty());
  for (const scenario::Limit& limit : scenario.limits) {
    std::size_t points = 0;
    for (const results::Kpi& kpi : result.kpis) {
      if (kpi.name != limit.kpi) continue;
      ++points;
      ASSERT_EQ(limit.sense, scenario::LimitSense::kAtMost);
      EXPECT_LE(kpi.quantity.value, limit.bound) << kpi.name << " at " << kpi.point;
    }
    EXPECT_GT(points, 0U) << limit.kpi;
  }
  // More injected errors are neither better nor worse.
  const std::set<std::string> neither{"injected_errors", "queue_at_onset_bytes"};
  for (const results::Kpi& kpi : result.kpis) {
    if (neither.contains(kpi.name)) continue;
    EXPECT_TRUE(canBeLimited(scenario.tests.front(), kpi.name)) << kpi.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, CardScenario,
                         testing::Values("bit-errors", "pfc-storm", "incast-phase", "incast-cards",
                                         "kv-incast", "llr-retry", "llr-hops", "rocev2-qps",
                                         "uet-entropy"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(CardScenarios, AreAllHere) {
  const std::set<std::string> known{"bit-errors",   "pfc-storm",  "incast-phase",
                                    "incast-cards", "kv-incast",  "llr-retry",
                                    "llr-hops",     "rocev2-qps", "uet-entropy"};
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder())) files.insert(entry.path().stem());
  EXPECT_EQ(files, known);
}

const results::Quantity& kpiOf(const results::TestResult& result, const std::string& name,
                               const std::string& point) {
  for (const results::Kpi& kpi : result.kpis) {
    if (kpi.name == name && kpi.point == point) return kpi.quantity;
  }
  throw std::runtime_error("no " + name + " at " + point);
}

results::TestResult runWith(const Procedure& test, const scenario::Scenario& scenario) {
  Direct runner;
  return test.run({scenario, runner.bench.capabilities()}, runner);
}

// Frames on the grid of the card's clock pause to the picosecond.
TEST(CardScenarios, PausesApartAreExact) {
  scenario::Scenario scenario = shipped("pfc-storm");
  scenario.parameters.card.quanta = {{1, 7, 300}};
  const results::TestResult result = runWith(pfcStormProcedure(), scenario);
  ASSERT_TRUE(result.valid) << complaintsOf(result);
  for (const char* point : {"1 quanta, apart", "7 quanta, apart", "300 quanta, apart"}) {
    EXPECT_EQ(kpiOf(result, "pause_error_ns", point).value, 0) << point;
  }
}

// Senders apart by more than their bursts do not meet in the queue; in phase they do.
TEST(CardScenarios, StaggerEmptiesTheQueue) {
  scenario::Scenario scenario = shipped("incast-phase");
  scenario.parameters.incast_ratios = {{2}};
  scenario.parameters.card.stagger = {{Picoseconds(0), microseconds(2)}};
  const results::TestResult result = runWith(incastPhaseProcedure(), scenario);
  ASSERT_TRUE(result.valid) << complaintsOf(result);
  // Two bursts of 16 frames of 1000 B in phase: 32 arrive while 16 leave.
  const double queued = kpiOf(result, "queue_max_bytes", "2 senders, 0 s apart").value;
  EXPECT_NEAR(queued, 17'000, 1'500);
  EXPECT_LE(kpiOf(result, "queue_max_bytes", "2 senders, 2 us apart").value, 2'000);
  // The last frame waits for the other burst: 16 slots of 81.6 ns.
  const double together = kpiOf(result, "latency_max_ns", "2 senders, 0 s apart").value;
  const double apart = kpiOf(result, "latency_max_ns", "2 senders, 2 us apart").value;
  EXPECT_NEAR(together - apart, 16 * 81.6, 81.6 + 4);
}

// With a step at K every frame that finds more than K is marked; N frames arrive while one leaves,
// so that the frames before the first mark give K to N frames. Messages that are further apart than
// one takes find an empty queue: no mark and no pause.
TEST(CardScenarios, MarksOfAnIncastTellTheThreshold) {
  scenario::Scenario scenario = shipped("kv-incast");
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runWith(kvIncastProcedure(), scenario);
  ASSERT_TRUE(result.valid) << complaintsOf(result);
  for (const int senders : {2, 3}) {
    const std::string together = std::to_string(senders) + " senders, 256 KiB, 0 s apart";
    EXPECT_NEAR(kpiOf(result, "queue_at_onset_bytes", together).value, 50'000, senders * 4158.0);
    // 64 frames of each, of which those below the threshold are not marked.
    const double unmarked = 50'000 / 4158.0 * senders / (senders - 1);
    EXPECT_NEAR(kpiOf(result, "ecn_percent", together).value, 100 - 100 * unmarked / (64 * senders),
                100.0 * senders / (64 * senders));
    EXPECT_GT(kpiOf(result, "pause_frames", together).value, 0);
    EXPECT_GT(kpiOf(result, "paused_us", together).value, 0);
    // Below one switch the thin streams share no link with the messages: a clock of the card.
    EXPECT_LE(kpiOf(result, "hol_same_class_us", together).value, 0.01);
    EXPECT_LE(kpiOf(result, "hol_other_class_us", together).value, 0.01);
    const std::string apart = std::to_string(senders) + " senders, 256 KiB, 30 us apart";
    EXPECT_EQ(kpiOf(result, "ecn_percent", apart).value, 0);
    EXPECT_EQ(kpiOf(result, "pause_frames", apart).value, 0);
    EXPECT_EQ(kpiOf(result, "paused_us", apart).value, 0);
  }
}

// Behind two tiers the leaf pauses the spine and the spine the senders' leaf, on the link that the
// thin streams use too: the one of the same class waits until the messages are through, three at
// 100 Gb/s one after the other; the other one for a frame at most, at each of three ports.
TEST(CardScenarios, PausesOfAnIncastReachOthersOfItsClass) {
  scenario::Scenario scenario = shipped("kv-incast");
  scenario.topology = fabric::TopologySpec();
  scenario.topology.kind = fabric::TopologyKind::kClos2;
  scenario.topology.leaves = 2;
  scenario.topology.spines = 1;
  scenario.topology.hosts_per_leaf = 5;
  scenario.topology.link_rate = gigabitsPerSecond(100);
  scenario.topology.host_link_delay = nanoseconds(50);
  scenario.switches.ecn.clear();
  scenario.switches.pfc->xoff = Bytes(20'000);
  scenario.switches.pfc->xon = Bytes(16'000);
  scenario.parameters.incast_ratios = {{3}};
  scenario.parameters.card.stagger = {{Picoseconds(0)}};
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runWith(kvIncastProcedure(), scenario);
  ASSERT_TRUE(result.valid) << complaintsOf(result);
  const std::string point = "3 senders, 256 KiB, 0 s apart";
  const double slot_us = 8e-5 * (4158 + 20);
  EXPECT_GT(kpiOf(result, "pause_frames", point).value, 0);
  EXPECT_GT(kpiOf(result, "hol_same_class_us", point).value, 5 * slot_us);
  EXPECT_LE(kpiOf(result, "hol_other_class_us", point).value, 3 * slot_us + 0.01);
}

TEST(CardScenarios, AnIncastNeedsPortsForItsThinStreams) {
  scenario::Scenario scenario = shipped("kv-incast");
  scenario.parameters.incast_ratios = {{4}};
  Direct runner;
  const Plan plan = kvIncastProcedure().plan({scenario, runner.bench.capabilities()});
  ASSERT_FALSE(plan.refusals.empty());
  EXPECT_THAT(plan.refusals.front(), ::testing::HasSubstr("two hosts for the thin streams"));
}

TEST(CardScenarios, OneSourcePortIsOnePathUnlessTheQpIsHashed) {
  scenario::Scenario scenario = shipped("rocev2-qps");
  scenario.traffic.qps = {{64}};
  const results::TestResult result = runWith(queuePairProcedure(), scenario);
  ASSERT_TRUE(result.valid) << complaintsOf(result);
  EXPECT_EQ(kpiOf(result, "link_mmr", "64 QPs, fixed, ECMP").value, 4);
  EXPECT_LT(kpiOf(result, "link_mmr", "64 QPs, per-qp, ECMP").value, 2);
  double hashed = 0;
  for (const results::Kpi& kpi : result.kpis) {
    if (kpi.name == "link_mmr" && kpi.point.find("fixed, ECMP, ") != std::string::npos) {
      hashed = kpi.quantity.value;
    }
  }
  EXPECT_GE(hashed, 1);
  EXPECT_LT(hashed, 2);
}

// As many turns as a round has, one for each queue pair or by weights: every queue pair is whole
// and has its share.
TEST(CardScenarios, ThousandsOfQueuePairsHaveTheirShares) {
  struct Round {
    std::uint32_t pairs;
    std::vector<std::uint32_t> weights;
  };
  for (const Round& round : {Round{4096, {1}}, Round{2048, {3, 1}}}) {
    scenario::Scenario scenario = shipped("rocev2-qps");
    scenario.traffic.qps = {{round.pairs}};
    scenario.parameters.card.entropy = {{"per-qp"}};
    scenario.parameters.balancing = {{"ecmp"}};
    scenario.parameters.card.weights = round.weights;
    const std::string point = std::to_string(round.pairs) + " QPs, per-qp, ECMP";
    const results::TestResult result = runWith(queuePairProcedure(), scenario);
    ASSERT_TRUE(result.valid) << complaintsOf(result);
    EXPECT_EQ(kpiOf(result, "lost_frames", point).value, 0);
    EXPECT_EQ(kpiOf(result, "reordered_frames", point).value, 0);
    // The trial lasts whole rounds.
    EXPECT_NEAR(kpiOf(result, "share_error_percent", point).value, 0, 1e-9);
    EXPECT_LT(kpiOf(result, "link_mmr", point).value, 1.1);
  }
}

TEST(CardScenarios, MoreTurnsThanARoundHasAreRefused) {
  scenario::Scenario scenario = shipped("rocev2-qps");
  scenario.traffic.qps = {{4096}};
  scenario.parameters.card.weights = {{3, 1}};
  EXPECT_THAT([&] { runWith(queuePairProcedure(), scenario); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("8192 turns a round")));
}

TEST(CardScenarios, RandomEntropySpreadsAndReorders) {
  scenario::Scenario scenario = shipped("uet-entropy");
  scenario.traffic.qps = {{1}};
  const results::TestResult result = runWith(entropyProcedure(), scenario);
  ASSERT_TRUE(result.valid) << complaintsOf(result);
  EXPECT_EQ(kpiOf(result, "link_mmr", "1 PDCs, fixed, ECMP").value, 4);
  EXPECT_EQ(kpiOf(result, "link_mmr", "1 PDCs, per-qp, ECMP").value, 4);
  EXPECT_LT(kpiOf(result, "link_mmr", "1 PDCs, random, ECMP").value, 2);
  EXPECT_LT(kpiOf(result, "link_mmr", "1 PDCs, round-robin, ECMP").value, 2);
  EXPECT_EQ(kpiOf(result, "reordered_frames", "1 PDCs, fixed, ECMP").value, 0);
}

}  // namespace
}  // namespace plumbline::suite
