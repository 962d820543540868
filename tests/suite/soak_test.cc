// T12.1 and T12.2: events of a day are found at their times, a drift where there is one, and none
// where there is none.
#include "suite/training/soak.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "results/uncertainty_text.h"
#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using testing::HasSubstr;

constexpr Picoseconds kHour = seconds(3'600);

// Eight hours, a sample each half-hour, sprayed so that windows differ by events and not by their
// hashes.
scenario::Scenario shortDay() {
  scenario::Scenario scenario = smallFabric();
  scenario.switches.load_balancing.kind = fabric::LoadBalancingKind::kSprayRoundRobin;
  scenario.parameters.soak.duration = 8 * kHour;
  scenario.parameters.soak.interval = seconds(1800);
  scenario.parameters.sizes = {{Bytes(256 << 10)}};
  scenario.parameters.iterations = 2;
  return scenario;
}

// Changes the results of trials, by their number.
class TamperedRunner final : public TrialRunner {
 public:
  using Tamper = std::function<void(std::uint64_t number, bench::TrialResult& trial)>;
  explicit TamperedRunner(Tamper tamper) : tamper_(std::move(tamper)) {}

  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override {
    bench::TrialResult trial = bench_.run(spec, repetition, label);
    tamper_(bench_.trials - 1, trial);
    return trial;
  }
  [[nodiscard]] const bench::Capabilities& capabilities() const {
    return bench_.bench.capabilities();
  }

 private:
  SimRunner bench_;
  Tamper tamper_;
};

results::TestResult runTampered(const Procedure& test, const scenario::Scenario& scenario,
                                const TamperedRunner::Tamper& tamper) {
  TamperedRunner runner(tamper);
  return test.run({scenario, runner.capabilities()}, runner);
}

std::string textAt(const results::Table& table, std::size_t row, std::size_t column) {
  return std::get<std::string>(table.rows.at(row).at(column));
}

TEST(Soak, ADayIsSampledAsTheDraftSays) {
  scenario::Scenario scenario = smallFabric();
  scenario.profile = scenario::Profile::kStandard;
  SimRunner runner;
  const bench::Capabilities& bench = runner.bench.capabilities();
  const SoakDesign design({scenario, bench});
  EXPECT_EQ(design.samples, 24U * 60 + 1);
  for (std::uint32_t minute = 0; minute < design.samples; ++minute) {
    ASSERT_EQ(design.timeOf(minute), seconds(60) * minute);
  }
  EXPECT_EQ(design.timeOf(1440), seconds(86'400));
  const Plan plan = soakProcedure().plan({scenario, bench});
  EXPECT_TRUE(plan.refusals.empty());
  EXPECT_EQ(plan.trials_expected, design.samples);
  // It takes a day, except for an iteration of a window.
  const double hours = plan.packet_hops * bench.wall_ns_per_packet_hop / 1e9 / 3600;
  EXPECT_GT(hours, 20);
  EXPECT_LT(hours, 25);
  // Both collectives of 64 MiB among 16: a rank sends 15/8 + 15/16 of a buffer.
  EXPECT_NEAR(design.window_seconds, 67'108'864.0 * 8 * 2.8125 / 400e9 * design.iterations, 1e-9);
}

// A P99 of the few messages of a sample says so, in the table and as a KPI.
TEST(Soak, APercentileOfASampleHasItsNumberOfMessages) {
  const results::TestResult result = runTest(soakProcedure(), shortDay());
  for (const char* point : {"mean of the soak", "worst sample"}) {
    const results::Quantity& p99 = kpi(result, "message_p99_us", point);
    ASSERT_TRUE(p99.percentile) << point;
    EXPECT_EQ(p99.percentile->quantile, 0.99);
    EXPECT_EQ(p99.percentile->tooFew(), p99.percentile->samples < 1000);
    EXPECT_FALSE(kpi(result, "jct_ratio", point).percentile);
  }
}

TEST(Soak, EveryKpiIsSampledOverTime) {
  const scenario::Scenario scenario = shortDay();
  SimRunner runner;
  const TestConfig config{scenario, runner.bench.capabilities()};
  const Plan plan = soakProcedure().plan(config);
  const results::TestResult result = soakProcedure().run(config, runner);
  ASSERT_TRUE(result.valid);
  EXPECT_EQ(runner.trials, 17U);
  EXPECT_EQ(plan.trials_expected, 17U);
  ASSERT_GE(result.charts.size(), 4U);
  for (const results::Chart& chart : result.charts) {
    EXPECT_EQ(chart.kind, results::ChartKind::kTime);
    ASSERT_EQ(chart.series.size(), 1U);
    ASSERT_EQ(chart.series[0].x.size(), 17U);
    EXPECT_EQ(chart.series[0].x[1], 0.5);
    EXPECT_EQ(chart.series[0].x[16], 8);
  }
  // Serialisation of 2 * 256 KiB * 2.8125 among 16 ranks, and headers and delays besides.
  EXPECT_GT(kpi(result, "jct_ratio", "mean of the soak").value, 1.02);
  EXPECT_LT(kpi(result, "busbw_gbps", "mean of the soak").value, 400);
  EXPECT_LE(kpi(result, "busbw_gbps", "worst sample").value,
            kpi(result, "busbw_gbps", "mean of the soak").value);
  EXPECT_GE(kpi(result, "jct_ratio", "worst sample").value,
            kpi(result, "jct_ratio", "mean of the soak").value);
  EXPECT_EQ(kpi(result, "soak_anomalies", "").value, 0);
  EXPECT_EQ(kpi(result, "frames_left", "worst sample").value, 0);
  EXPECT_EQ(findTable(result, "anomalies"), nullptr);
}

// Windows of 1, 1.1 … 1.4 times the first one's time.
TEST(Soak, TheStabilityIsTheStandardDeviationOfTheJctRatio) {
  scenario::Scenario scenario = shortDay();
  scenario.parameters.soak.duration = 2 * kHour;
  double base = 0;
  const results::TestResult result =
      runTampered(soakProcedure(), scenario, [&](std::uint64_t number, bench::TrialResult& trial) {
        bench::JobOutcome& job = trial.fabric->jobs[0];
        if (number == 0) base = job.completion.toSeconds();
        job.completion = Picoseconds(
            static_cast<std::int64_t>(base * 1e12 * (1 + 0.1 * static_cast<double>(number))));
      });
  const double first = base / (2 * (256 << 10) * 8 * 2.8125 / 400e9);
  // Of 0, 0.1, 0.2, 0.3, 0.4 with n - 1: sqrt(0.1 / 4).
  EXPECT_NEAR(kpi(result, "jct_ratio_std", "").value, first * std::sqrt(0.025), 1e-6);
  EXPECT_NEAR(kpi(result, "jct_ratio", "mean of the soak").value, first * 1.2, 1e-6);
}

std::string deviationsOf(const results::TestResult& result) {
  std::string all;
  for (const results::Deviation& one : result.deviations) all += one.what + "\n";
  return all;
}

// Flows keep their paths all day: their hashes are no instability of the DUT.
TEST(Soak, PathsAreTheSameAllDay) {
  scenario::Scenario scenario = shortDay();
  scenario.switches.load_balancing.kind = fabric::LoadBalancingKind::kEcmp;
  scenario.switches.ecn.clear();  // marks are drawn for each window
  scenario.parameters.sizes = {{Bytes(2 << 20)}};
  scenario.parameters.soak.duration = 2 * kHour;
  SimRunner runner;
  const TestConfig config{scenario, runner.bench.capabilities()};
  const SoakDesign design(config);
  for (std::uint32_t i = 0; i < design.samples; ++i) {
    EXPECT_EQ(soakTrial(config, design, i).dut.seed, scenario.seed) << i;
  }
  const results::TestResult result = soakProcedure().run(config, runner);
  EXPECT_EQ(kpi(result, "jct_ratio_std", "").value, 0);
  EXPECT_THAT(deviationsOf(result), HasSubstr("deterministic: all 5 samples are identical"));
}

// The times at which bits are wrong, the paths of packets that are sprayed at random, and the
// packets that are marked with a probability are drawn for each sample: the uncertainty of the mean
// is that of independent samples. The hashes stay.
TEST(Soak, WhatIsRandomInTimeDiffersFromSampleToSample) {
  scenario::Scenario errors = shortDay();
  errors.bit_errors = {{"fabric", 1e-7}};
  scenario::Scenario random = shortDay();
  random.switches.load_balancing.kind = fabric::LoadBalancingKind::kSprayRandom;
  scenario::Scenario marks = shortDay();
  marks.switches.load_balancing.kind = fabric::LoadBalancingKind::kEcmp;
  marks.parameters.sizes = {{Bytes(2 << 20)}};
  for (const scenario::Scenario& scenario : {errors, random, marks}) {
    SimRunner runner;
    const TestConfig config{scenario, runner.bench.capabilities()};
    const results::TestResult result = soakProcedure().run(config, runner);
    ASSERT_TRUE(result.valid);
    const std::vector<double>& ratios = result.charts.at(0).series.at(0).y;
    ASSERT_EQ(ratios.size(), 17U);
    EXPECT_GT(std::set<double>(ratios.begin(), ratios.end()).size(), 10U);
    const double mean = std::accumulate(ratios.begin(), ratios.end(), 0.0) / 17;
    double squares = 0;
    for (const double ratio : ratios) squares += (ratio - mean) * (ratio - mean);
    const double deviation = std::sqrt(squares / 16);
    EXPECT_NEAR(kpi(result, "jct_ratio_std", "").value, deviation, 1e-9);
    // Student's t of 16 degrees of freedom: 2.1199.
    const results::Quantity& jct = kpi(result, "jct_ratio", "mean of the soak");
    EXPECT_EQ(jct.uncertainty.statistics, results::Statistics::kBatches);
    EXPECT_NEAR(*jct.confidence_high - jct.value, 2.1199 * deviation / std::sqrt(17.0),
                1e-4 * deviation);
    EXPECT_THAT(deviationsOf(result), testing::Not(HasSubstr("deterministic")));
    EXPECT_THAT(result.summary, HasSubstr("standard deviation"));
    const SoakDesign design(config);
    for (std::uint32_t i = 0; i < design.samples; ++i) {
      EXPECT_EQ(soakTrial(config, design, i).dut.seed, scenario.seed);
      EXPECT_EQ(soakTrial(config, design, i).dut.draw, i);
    }
  }
}

// With ECMP a window takes longer than its two iterations of 2 MiB * (15/8 + 15/16) do without
// contention. The stated length is the measured one; an event of half an interval is named.
TEST(Soak, TheWindowIsStatedAsMeasured) {
  scenario::Scenario scenario = shortDay();
  scenario.switches.load_balancing.kind = fabric::LoadBalancingKind::kEcmp;
  scenario.parameters.sizes = {{Bytes(2 << 20)}};
  scenario.parameters.soak.duration = 2 * kHour;
  const results::TestResult quiet = runTest(soakProcedure(), scenario);
  const std::string quiet_text = deviationsOf(quiet);
  const double ideal_ms = 2 * (2 << 20) * 8 * 2.8125 / 400e9 * 1e3;
  const double ratio = kpi(quiet, "jct_ratio", "mean of the soak").value;
  ASSERT_GT(ratio, 1.2);
  const std::string before = "clock compressed: of each 1800 s a window of ";
  const std::size_t at = quiet_text.find(before);
  ASSERT_NE(at, std::string::npos);
  EXPECT_NEAR(std::stod(quiet_text.substr(at + before.size())), ratio * ideal_ms,
              0.01 * ratio * ideal_ms);
  EXPECT_THAT(quiet_text, testing::Not(HasSubstr("within an interval")));

  scenario.failures = {{"leaf0-spine0", seconds(1800), seconds(2700)}};
  EXPECT_THAT(deviationsOf(runTest(soakProcedure(), scenario)),
              HasSubstr("events that begin or end within an interval do so at times compressed"));
  // One of whole intervals is as long as they are.
  scenario.failures = {{"leaf0-spine0", seconds(1800), seconds(3600)}};
  EXPECT_THAT(deviationsOf(runTest(soakProcedure(), scenario)),
              testing::Not(HasSubstr("within an interval")));
}

// With ECMP and a failure, a window takes longer than without contention. In an interval that is
// down throughout, the link stays down to the window's end: as if it never came up again.
TEST(Soak, AnEventOfTheWholeIntervalLastsForTheWholeWindow) {
  scenario::Scenario scenario = shortDay();
  scenario.switches.load_balancing.kind = fabric::LoadBalancingKind::kEcmp;
  scenario.switches.ecn.clear();  // marks are drawn for each window
  scenario.parameters.sizes = {{Bytes(2 << 20)}};
  scenario.parameters.soak.duration = 2 * kHour;
  const auto ratiosUntil = [&](std::optional<Picoseconds> up) {
    scenario.failures = {{"leaf0-spine0", seconds(1800), up}};
    const results::TestResult result = runTest(soakProcedure(), scenario);
    return result.charts.at(0).series.at(0).y;
  };
  const std::vector<double> ended = ratiosUntil(seconds(5400));
  const std::vector<double> never = ratiosUntil(std::nullopt);
  ASSERT_EQ(ended.size(), 5U);
  EXPECT_EQ(ended[1], never[1]);  // fails at the interval's beginning
  EXPECT_EQ(ended[2], never[2]);
  EXPECT_GT(never[2], ended[0]);
  EXPECT_EQ(ended[3], ended[0]);  // up again
}

// The job waits for as long as the storm lasts, an hour. That is not simulated: its time is not
// known, rather than that of a shorter storm.
TEST(Soak, AWindowThatAStormHoldsBackIsNoSample) {
  scenario::Scenario scenario = shortDay();
  scenario.parameters.soak.duration = 3 * kHour;
  scenario.storms.push_back({0, 0x08, kHour, kHour});
  const results::TestResult result = runTest(soakProcedure(), scenario);
  EXPECT_TRUE(std::any_of(result.anomalies.begin(), result.anomalies.end(), [](const auto& one) {
    return one.where == "at 01:00:00" &&
           one.what.starts_with("no figures for 3600 s: a PAUSE storm held the job back");
  }));
  const std::vector<double>& ratios = result.charts.at(0).series.at(0).y;
  EXPECT_LT(*std::max_element(ratios.begin(), ratios.end()), 100);
}

// A model that sprays has no events: all windows are identical, which is reported, and also that
// this is no measure of stability. A failure makes two of them differ.
TEST(Soak, IdenticalSamplesAreSaidToBe) {
  scenario::Scenario scenario = shortDay();
  const results::TestResult quiet = runTest(soakProcedure(), scenario);
  EXPECT_THAT(deviationsOf(quiet), HasSubstr("deterministic: all 17 samples are identical"));
  EXPECT_THAT(quiet.summary, HasSubstr("all samples identical (deterministic)"));
  const results::Table* stability = findTable(quiet, "stability");
  ASSERT_NE(stability, nullptr);
  EXPECT_EQ(textAt(*stability, 0, 1), "17");
  EXPECT_EQ(textAt(*stability, 0, 2), "1");
  // Two iterations in each window, the second one after the first.
  EXPECT_EQ(textAt(*stability, 1, 1), "34");
  // All seventeen samples, not one.
  EXPECT_EQ(results::statisticsText(kpi(quiet, "jct_ratio", "mean of the soak")),
            "identical in all 17 repetitions");

  scenario.failures.push_back({"leaf0-spine0", 3 * kHour, 4 * kHour});
  const results::TestResult failed = runTest(soakProcedure(), scenario);
  EXPECT_THAT(deviationsOf(failed), testing::Not(HasSubstr("deterministic")));
  EXPECT_GT(kpi(failed, "jct_ratio_std", "").value, 0);
}

TEST(Soak, AFailureOfTwoHoursIsFoundAtItsTime) {
  scenario::Scenario scenario = shortDay();
  scenario.failures.push_back({"leaf0-spine0", 3 * kHour, 5 * kHour});
  // Large enough for the missing quarter of a leaf's uplinks to count.
  scenario.parameters.sizes = {{Bytes(2 << 20)}};
  const results::TestResult result = runTest(soakProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  const results::Table* anomalies = findTable(result, "anomalies");
  ASSERT_NE(anomalies, nullptr);
  EXPECT_EQ(textAt(*anomalies, 0, 0), "JCT ratio");
  EXPECT_EQ(textAt(*anomalies, 0, 1), "03:00:00");
  EXPECT_EQ(textAt(*anomalies, 0, 2), "7200 s");
  bool told = false;
  for (const results::Anomaly& anomaly : result.anomalies) {
    told = told || (anomaly.where == "at 03:00:00" &&
                    anomaly.what.find("4 samples, which stand for 7200 s and rest on") !=
                        std::string::npos);
  }
  EXPECT_TRUE(told);
  // A day with an event is no sample of one distribution.
  const results::Quantity& jct = kpi(result, "jct_ratio", "mean of the soak");
  EXPECT_EQ(jct.uncertainty.statistics, results::Statistics::kNone);
  EXPECT_FALSE(jct.confidence_low.has_value());
  EXPECT_EQ(findTable(result, "stability")->note.find("Paths do not change"), std::string::npos);
  // Four windows of two iterations, each at least the serialisation time: 2 MiB * 2.8125.
  const double least_ms = 4 * 2 * (2 << 20) * 8 * 2.8125 / 400e9 * 1e3;
  const double rests_on_ms = std::stod(textAt(*anomalies, 0, 6));
  EXPECT_GT(rests_on_ms, least_ms);
  EXPECT_LT(rests_on_ms, 4 * least_ms);
}

TEST(Soak, AnAnomalyOfOneSampleIsSingular) {
  const results::TestResult result =
      runTampered(soakProcedure(), shortDay(), [](std::uint64_t number, bench::TrialResult& trial) {
        if (number == 4) trial.fabric->jobs[0].completion = trial.fabric->jobs[0].completion * 2;
      });
  EXPECT_THAT(anomalies(result), HasSubstr("1 sample, which stands for 1800 s and rests on "));
}

TEST(Soak, TheDaysScheduleIsCompressedWithTheClock) {
  scenario::Scenario scenario = shortDay();
  scenario.failures.push_back(
      {"leaf0-spine0", 3 * kHour + seconds(900), 3 * kHour + seconds(1350)});
  scenario.storms.push_back({0, 0x08, kHour, seconds(1800 + 450)});
  SimRunner runner;
  const TestConfig config{scenario, runner.bench.capabilities()};
  const SoakDesign design(config);
  const double window_ps = design.window_seconds * 1e12;
  for (std::uint32_t i = 0; i < design.samples; ++i) {
    const bench::TrialSpec spec = soakTrial(config, design, i);
    EXPECT_EQ(spec.dut.failures.size(), i == 6 ? 1U : 0U) << i;
    EXPECT_EQ(spec.dut.storms.size(), i == 2 || i == 3 ? 1U : 0U) << i;
    EXPECT_EQ(runner.bench.refusals(spec), std::vector<std::string>{});
  }
  // Down from half of the interval to three quarters of it.
  const fabric::FailureSpec failure = soakTrial(config, design, 6).dut.failures.at(0);
  EXPECT_NEAR(static_cast<double>(failure.down.count()), window_ps / 2, 1);
  EXPECT_NEAR(static_cast<double>(failure.up->count()), window_ps * 3 / 4, 1);
  // The storm lasts for all of an interval, so for as long as a window may take, and a quarter of
  // the next one.
  EXPECT_NEAR(static_cast<double>(soakTrial(config, design, 2).dut.storms.at(0).duration.count()),
              100 * window_ps, 100);
  const fabric::PauseStormSpec storm = soakTrial(config, design, 3).dut.storms.at(0);
  EXPECT_EQ(storm.start, Picoseconds(0));
  EXPECT_NEAR(static_cast<double>(storm.duration.count()), window_ps / 4, 1);
}

TEST(Soak, AFailureLastsUntilTheEndOfItsLastInterval) {
  scenario::Scenario scenario = shortDay();
  // From the middle of an interval, for the next one, and for half of the one after it.
  scenario.failures.push_back({"leaf0-spine0", seconds(900), seconds(4500)});
  SimRunner runner;
  const TestConfig config{scenario, runner.bench.capabilities()};
  const SoakDesign design(config);
  const auto failureOf = [&](std::uint32_t number) {
    return soakTrial(config, design, number).dut.failures.at(0);
  };
  const double window_ps = design.window_seconds * 1e12;
  EXPECT_NEAR(static_cast<double>(failureOf(0).down.count()), window_ps / 2, 1);
  EXPECT_FALSE(failureOf(0).up);
  EXPECT_EQ(failureOf(1).down, Picoseconds(0));
  EXPECT_FALSE(failureOf(1).up);
  EXPECT_EQ(failureOf(2).down, Picoseconds(0));
  // The jobs begin when routes have changed.
  const double lead_ps = static_cast<double>(2 * scenario.convergence.count());
  ASSERT_TRUE(failureOf(2).up);
  EXPECT_NEAR(static_cast<double>(failureOf(2).up->count()), lead_ps + window_ps / 2, 1);
}

// Compressed, the longer outage is shorter than the time that LLR waits for.
TEST(Soak, TheDaysClockDecidesWhatLlrBridges) {
  scenario::Scenario scenario = shortDay();
  scenario.switches.llr.emplace().pcs_lost = seconds(1);
  scenario.failures.push_back({"leaf0-spine0", seconds(900), seconds(901)});
  scenario.failures.push_back({"leaf0-spine1", seconds(905), seconds(907)});
  scenario.failures.push_back({"leaf0-spine1", kHour + seconds(900), kHour + seconds(901)});
  SimRunner runner;
  const TestConfig config{scenario, runner.bench.capabilities()};
  const SoakDesign design(config);
  for (std::uint32_t i = 0; i < design.samples; ++i) {
    const fabric::FabricSpec dut = soakTrial(config, design, i).dut;
    ASSERT_EQ(dut.failures.size(), i == 0 ? 1U : 0U) << i;
    EXPECT_EQ(dut.switches.llr->pcs_lost.has_value(), i != 0) << i;
  }
  EXPECT_EQ(soakTrial(config, design, 0).dut.failures.at(0).element, "leaf0-spine1");
}

TEST(Soak, WindowsThatFailAreToldWithTheirTime) {
  const results::TestResult result =
      runTampered(soakProcedure(), shortDay(), [](std::uint64_t number, bench::TrialResult& trial) {
        if (number == 4 || number == 5) trial.faults.emplace_back("messages failed");
      });
  EXPECT_FALSE(result.valid);
  std::size_t told = 0;
  for (const results::Anomaly& anomaly : result.anomalies) {
    if (anomaly.where != "at 02:00:00") continue;
    EXPECT_EQ(anomaly.what, "no figures for 3600 s: messages failed");
    ++told;
  }
  EXPECT_EQ(told, 1U);
  EXPECT_EQ(result.charts.at(0).series.at(0).x.size(), 15U);
}

// The last sample is of the end of the day: no time follows.
TEST(Soak, AFailureOfTheLastSampleHasNoTime) {
  std::uint64_t last = 0;
  runTampered(soakProcedure(), shortDay(),
              [&](std::uint64_t number, bench::TrialResult&) { last = number; });
  const results::TestResult result = runTampered(
      soakProcedure(), shortDay(), [last](std::uint64_t number, bench::TrialResult& trial) {
        if (number == last) trial.faults.emplace_back("messages failed");
      });
  EXPECT_THAT(anomalies(result), HasSubstr("no figures of the last sample: messages failed"));
}

// Samples that are identical are no quiet day where other windows failed.
TEST(Soak, TheHeadlineHasTheWindowsThatFailed) {
  const auto tamper = [](std::uint64_t number, bench::TrialResult& trial) {
    if (number == 4 || number == 5) trial.faults.emplace_back("messages failed");
  };
  const results::TestResult soak = runTampered(soakProcedure(), shortDay(), tamper);
  EXPECT_TRUE(soak.summary.starts_with("2 of 17 windows failed. 15 samples over 28800 s: "))
      << soak.summary;
  EXPECT_THAT(soak.summary, HasSubstr("those samples identical; anomalies: 1."));
  EXPECT_EQ(kpi(soak, "soak_anomalies", "").value, 1);
  const results::Table* anomalies = findTable(soak, "anomalies");
  ASSERT_NE(anomalies, nullptr);
  ASSERT_EQ(anomalies->rows.size(), 1U);
  EXPECT_EQ(textAt(*anomalies, 0, 1), "02:00:00");
  EXPECT_EQ(textAt(*anomalies, 0, 3), "2");
  const results::TestResult leak = runTampered(leakProcedure(), shortDay(), tamper);
  EXPECT_THAT(leak.summary, HasSubstr("2 of 17 windows failed and are not judged."));
  for (const results::TestResult* result : {&soak, &leak}) {
    EXPECT_THAT(deviationsOf(*result),
                HasSubstr("the 15 samples with figures are identical; 2 of 17 windows failed"));
    EXPECT_THAT(deviationsOf(*result), testing::Not(HasSubstr("nothing happens")));
  }
}

// The two ranks are on other leaves, and the link is up again when the next window begins.
TEST(Soak, AnEventWithoutAnEffectIsStillOne) {
  scenario::Scenario scenario = shortDay();
  scenario.parameters.ranks = {{2}};
  scenario.failures.push_back({"leaf3-spine0", 3 * kHour, 3 * kHour + seconds(1800)});
  EXPECT_THAT(deviationsOf(runTest(soakProcedure(), scenario)),
              HasSubstr("all 17 samples are identical, although the scenario has events"));
  // After the last interval.
  scenario.failures = {{"leaf3-spine0", 9 * kHour, std::nullopt}};
  EXPECT_THAT(deviationsOf(runTest(soakProcedure(), scenario)),
              HasSubstr("all 17 samples are identical, as nothing happens"));
}

TEST(Soak, TwoSamplesAreNone) {
  scenario::Scenario scenario = shortDay();
  scenario.parameters.soak.duration = seconds(1800);
  SimRunner runner;
  const Plan plan = leakProcedure().plan({scenario, runner.bench.capabilities()});
  ASSERT_EQ(plan.refusals.size(), 1U);
  EXPECT_THAT(plan.refusals[0], HasSubstr("2 samples"));
}

TEST(Leak, NoneIsFoundWhereThereIsNone) {
  for (const auto kind :
       {fabric::LoadBalancingKind::kSprayRoundRobin, fabric::LoadBalancingKind::kEcmp}) {
    scenario::Scenario scenario = shortDay();
    scenario.switches.load_balancing.kind = kind;
    const results::TestResult result = runTest(leakProcedure(), scenario);
    ASSERT_TRUE(result.valid);
    EXPECT_EQ(kpi(result, "significant_drifts", "").value, 0);
  }
}

// Half a per cent per window, 1 % per hour.
TEST(Leak, SlowlyGrowingTimesAreFound) {
  const results::TestResult result =
      runTampered(leakProcedure(), shortDay(), [](std::uint64_t number, bench::TrialResult& trial) {
        for (Picoseconds& time : trial.fabric->jobs[0].iterations) {
          time += Picoseconds(time.count() * static_cast<std::int64_t>(number) / 200);
        }
      });
  const results::Quantity slope = kpi(result, "iteration_us_per_h", "");
  EXPECT_GE(kpi(result, "significant_drifts", "").value, 2);  // time, and bus bandwidth with it
  const results::Table* trends = findTable(result, "trends");
  ASSERT_NE(trends, nullptr);
  EXPECT_EQ(textAt(*trends, 1, 0), "BusBW");
  EXPECT_EQ(textAt(*trends, 1, 6), "falling");
  EXPECT_EQ(textAt(*trends, 2, 0), "Iteration");
  EXPECT_EQ(textAt(*trends, 2, 6), "rising");
  // The mean is that of the fourth hour.
  const double mean = std::get<results::Quantity>(trends->rows[2][1]).value;
  EXPECT_NEAR(slope.value, 0.01 * mean / 1.04, 0.0005 * mean);
  EXPECT_LT(*slope.confidence_low, slope.value);
  EXPECT_GT(*slope.confidence_low, 0);
}

// Three more frames per hour stay in the buffers: the slope is exact.
TEST(Leak, BuffersThatAreNotGivenBackAreFound) {
  const results::TestResult result =
      runTampered(leakProcedure(), shortDay(), [](std::uint64_t number, bench::TrialResult& trial) {
        trial.fabric->frames_inside = 3 * (number / 2);
      });
  EXPECT_EQ(kpi(result, "significant_drifts", "").value, 1);
  // 0, 0, 3, 3 … 24 every half-hour: 3 x, minus 1.5 at every second sample, which are symmetric
  // about the middle.
  EXPECT_NEAR(kpi(result, "frames_left_per_h", "").value, 3, 1e-9);
  bool told = false;
  for (const results::Anomaly& anomaly : result.anomalies) {
    told = told || anomaly.what.starts_with("Frames left inside is rising");
  }
  EXPECT_TRUE(told);
}

TEST(Leak, AnInstantWithoutASampleSaysSo) {
  const results::TestResult result =
      runTampered(leakProcedure(), shortDay(), [](std::uint64_t number, bench::TrialResult& trial) {
        if (number == 0) trial.faults.emplace_back("messages failed");
      });
  const results::Table& instants = *findTable(result, "instants");
  EXPECT_EQ(instants.columns, (std::vector<std::string>{"Figure", "0 h", "1 h", "6 h"}));
  EXPECT_EQ(textAt(instants, 0, 1), "not known");
  EXPECT_TRUE(std::holds_alternative<results::Quantity>(instants.rows.at(0).at(2)));
}

// In one run, both tests are of the same trials.
TEST(Leak, SharesTheSoaksTrials) {
  const scenario::Scenario scenario = shortDay();
  SimRunner runner;
  const TestConfig config{scenario, runner.bench.capabilities()};
  EXPECT_EQ(soakProcedure().plan(config).samples.at(0).spec.toJson(),
            leakProcedure().plan(config).samples.at(0).spec.toJson());
}

}  // namespace
}  // namespace plumbline::suite
