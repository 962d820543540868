// Automatic parts of a result: repetitions, and the settings of its trials.
#include "suite/framework/result_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "suite/framework/figures.h"
#include "suite/framework/reading.h"
#include "suite/framework/switch_configuration.h"
#include "suite/framework/trial_configuration.h"
#include "suite/training/training.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using testing::HasSubstr;

// A result of two points with these values of one figure.
results::TestResult repeatedResult(const std::vector<double>& first,
                                   const std::vector<double>& second) {
  const scenario::Scenario scenario = smallFabric();
  const SimRunner runner;
  ResultBuilder builder(scaleProcedure(), "section 11.1", std::vector<results::Deviation>(),
                        {scenario, runner.bench.capabilities()});
  builder.kpi("time_us", "first", builder.repeated("first", "time", first, "us"));
  builder.kpi("time_us", "second", builder.repeated("second", "time", second, "us"));
  return builder.take();
}

// The text of a figure that one of two repetitions observed.
std::string halfObserved(double value, const char* unit) {
  const scenario::Scenario scenario = smallFabric();
  const SimRunner runner;
  Design design({scenario, runner.bench.capabilities()});
  design.add({}, {}, 0);
  Figure figure{.column = "Convergence", .unit = unit, .kpi = ""};
  figure.absent = "never converged";
  figure.paired = [value](std::size_t, std::size_t repetition,
                          const bench::TrialResult&) -> std::optional<Reading> {
    if (repetition == 0) return std::nullopt;
    return Reading(value);
  };
  Measured measured{design.points.front(), std::vector<bench::TrialResult>(2)};
  return std::get<std::string>(cellOf(design, measured, figure));
}

TEST(Figures, OneThatSomeRepetitionsObservedHasAReadableUnit) {
  const std::string rest = " in 1 of 2 repetitions, else never converged";
  EXPECT_EQ(halfObserved(982'312.4, "us"), "982 ms" + rest);
  EXPECT_EQ(halfObserved(3, "us"), "3 µs" + rest);
  EXPECT_EQ(halfObserved(12'000, ""), "12,000" + rest);
}

// What changes a result is in the configuration, so that two runs that differ say in what.
TEST(SwitchConfiguration, HasTheTimesOfFlowControl) {
  fabric::SwitchSpec switches;
  fabric::PfcSpec& pfc = switches.pfc.emplace();
  pfc.dynamic_alpha = Fraction::percent(50);
  pfc.quanta = 3;
  pfc.response = nanoseconds(40);
  pfc.watchdog.emplace().detection = milliseconds(7);
  switches.cbfc.emplace().channels = 0x10;
  switches.cbfc->update_spacing = Bytes(12'345);
  switches.cbfc->packet_overhead = -4;
  switches.ecn.emplace_back().at_dequeue = true;
  ConfigurationLines lines;
  addSwitchConfiguration(switches, lines);
  const std::map<std::string, std::string> by_name(lines.begin(), lines.end());
  EXPECT_EQ(by_name.at("PFC"),
            "xoff 100000 B, xon 97000 B, headroom 100000 B, priorities 0x08, xoff at 0.5 of the "
            "free buffer, pauses of 3 x 512 bit times, response 40 ns, watchdog drops after 7 ms, "
            "restores after 200 ms, polls every "
            "100 ms");
  EXPECT_EQ(by_name.at("CBFC"),
            "2048 credits of 128 B, channels 0x10, -4 B a frame; updates every 12345 B or 1 us, "
            "effective after "
            "100 ns");
  EXPECT_THAT(by_name.at("ECN"), HasSubstr(", when frames leave"));
}

TEST(ResultBuilder, OneRepetitionIsADeviation) {
  const auto told = [](const results::TestResult& result) {
    std::string all;
    for (const results::Deviation& one : result.deviations) all += one.what + "\n";
    return all;
  };
  EXPECT_THAT(told(repeatedResult({1}, {2})), HasSubstr("one repetition of each point"));
  EXPECT_THAT(told(repeatedResult({1, 1}, {2})), testing::Not(HasSubstr("one repetition")));
}

// Deviation of 9, 10, 11 is 1, CV 10 %; of 98, 100, 102 it is 2 %.
TEST(ResultBuilder, FiguresThatScatterAreAnAnomaly) {
  const results::TestResult result = repeatedResult({9, 10, 11}, {98, 100, 102});
  ASSERT_FALSE(result.anomalies.empty());
  EXPECT_EQ(result.anomalies.back().what,
            "1 of 2 figures have a CV above 5 %, the most 10 %: time_us at first");
  EXPECT_TRUE(repeatedResult({98, 100, 102}, {5, 5, 5}).anomalies.empty());
}

// 1, 12, 23: 12 +- 4.303 * 11 / sqrt(3) = 12 +- 27.3 us, and no time is negative. An improvement
// may be.
TEST(ResultBuilder, IntervalsEndWhereTheDeclaredRangeDoes) {
  const scenario::Scenario scenario = smallFabric();
  const SimRunner runner;
  ResultBuilder builder(scaleProcedure(), "section 11.1", std::vector<results::Deviation>(),
                        {scenario, runner.bench.capabilities()});
  const std::vector<double> values{1, 12, 23};
  builder.kpi("job_time_us", "a", builder.repeated("a", "time", values, "us"));
  builder.kpi("jct_improvement_percent", "a", builder.repeated("a", "gain", values, "%"));
  const results::TestResult result = builder.take();
  const results::Quantity& time = result.kpis.at(0).quantity;
  EXPECT_EQ(time.confidence_low, 0);
  EXPECT_NEAR(time.confidence_high.value(), 39.33, 0.01);
  EXPECT_EQ(time.uncertainty.least, 0);
  const auto cell = std::get<results::Quantity>(result.repeatability.rows.at(0).at(3));
  EXPECT_EQ(cell.confidence_low, 0);
  EXPECT_EQ(cell.uncertainty, time.uncertainty);
  const results::Quantity& gain = result.kpis.at(1).quantity;
  EXPECT_NEAR(gain.confidence_low.value(), -15.33, 0.01);
  EXPECT_FALSE(gain.uncertainty.least);
}

TEST(ResultBuilder, FramesBeyondTheWindowAreOneAnomaly) {
  const scenario::Scenario scenario = smallFabric();
  const SimRunner runner;
  ResultBuilder builder(scaleProcedure(), "section 11.1", std::vector<results::Deviation>(),
                        {scenario, runner.bench.capabilities()});
  for (const std::uint64_t stale : {0, 5, 3}) {
    bench::TrialResult trial;
    trial.streams.resize(2);
    trial.streams[1].stale = stale;
    EXPECT_TRUE(builder.accept({}, trial, "trial with " + std::to_string(stale)));
  }
  const results::TestResult result = builder.take();
  ASSERT_EQ(result.anomalies.size(), 1U);
  EXPECT_THAT(result.anomalies[0].what, HasSubstr("8 frames in 2 trials, at most 5 in one"));
  EXPECT_EQ(result.anomalies[0].where, "trial with 5");
}

// A P99 needs 10 / (1 - 0.99) samples.
TEST(ResultBuilder, MarksInTablesAloneAreAnAnomaly) {
  const scenario::Scenario scenario = smallFabric();
  const SimRunner runner;
  ResultBuilder builder(scaleProcedure(), "section 11.1", std::vector<results::Deviation>(),
                        {scenario, runner.bench.capabilities()});
  const auto p99 = [](std::uint64_t samples) {
    return std::vector<results::Cell>{std::string("x"), modelledPercentile(1, "ms", 0.99, samples)};
  };
  builder.result().tables = {{"a", "Enough", "", {"Point", "P99"}, {p99(1000)}},
                             {"b", "Before and after", "", {"Point", "P99"}, {p99(999), p99(5)}}};
  const results::TestResult result = builder.take();
  ASSERT_EQ(result.anomalies.size(), 1U);
  EXPECT_EQ(result.anomalies[0].what,
            "too few samples for 2 percentiles in tables, which are marked: Before and after");
  EXPECT_EQ(result.anomalies[0].where, "percentiles");
}

// The deviation of the mean is 2.333 / sqrt(3) us with two degrees of freedom, and so its expanded
// uncertainty 4.30 times 1.35 us: 6 us. 0.4 of 100.456 us is not justified.
TEST(ResultBuilder, AFigureInASentenceHasThePlacesOfItsUncertainty) {
  const scenario::Scenario scenario = smallFabric();
  const SimRunner runner;
  ResultBuilder builder(scaleProcedure(), "section 11.1", std::vector<results::Deviation>(),
                        {scenario, runner.bench.capabilities()});
  const results::Quantity time =
      quantityOf(std::vector<Reading>{98.123, 100.456, 102.789}, "us", ObservationPoint::kModelled);
  builder.kpi("time_us", "64 B", time);
  EXPECT_EQ(builder.text(time), "100 µs");
}

// Minimum and P99 are one number, but the P99 lies somewhere in a bucket of 4 ns.
TEST(ResultBuilder, APrimaryFigureHasTheUncertaintyOfItsOwnKpi) {
  const scenario::Scenario scenario = smallFabric();
  const SimRunner runner;
  ResultBuilder builder(scaleProcedure(), "section 11.1", std::vector<results::Deviation>(),
                        {scenario, runner.bench.capabilities()});
  const auto exact = quantityOf(std::vector<Reading>{848.0}, "ns");
  const auto in_bucket = quantityOf(std::vector<Reading>{within(848, 4, "histogram bucket")}, "ns");
  builder.kpi("latency_min_ns", "64 B", exact);
  const auto finished = builder.kpi("latency_p99_ns", "64 B", in_bucket);
  builder.primary("P99", in_bucket);
  builder.primary("P99, as the table has it", finished);
  builder.primary("minimum", exact);
  const results::TestResult result = builder.take();
  ASSERT_EQ(result.primary.size(), 3U);
  EXPECT_EQ(result.primary[0].uncertainty, result.kpis[1].quantity.uncertainty);
  EXPECT_EQ(result.primary[1].uncertainty, result.kpis[1].quantity.uncertainty);
  EXPECT_EQ(result.primary[2].uncertainty, result.kpis[0].quantity.uncertainty);
  EXPECT_NE(result.primary[0].uncertainty, result.primary[2].uncertainty);
  EXPECT_GT(results::systematicUncertainty(result.primary[0]), 4 / std::sqrt(12.0) - 1e-9);
}

TEST(TrialConfiguration, IsWhatThePointsSet) {
  SweepPoint ecmp;
  ecmp.spec.dut = smallFabric().fabricSpec();
  transport::RoceSpec roce = defaultRoce();
  ecmp.spec.transport = roce;
  SweepPoint spray = ecmp;
  spray.spec.dut.switches.load_balancing.kind = fabric::LoadBalancingKind::kSprayRoundRobin;
  roce.path_mtu = 1024;
  spray.spec.transport = roce;
  ConfigurationLines lines{{"PFC", "as the test says"}};
  addTrialConfiguration({ecmp, spray}, lines);
  const auto line = [&](const std::string& name) {
    std::string found;
    for (const auto& [key, value] : lines) {
      if (key == name) found += value;
    }
    return found;
  };
  EXPECT_EQ(line("Load balancing"), "ecmp; spray-round-robin");
  EXPECT_THAT(line("Shared buffer"), HasSubstr("32000000 B"));
  EXPECT_EQ(line("PFC"), "as the test says");
  EXPECT_THAT(
      line("NIC, RoCEv2 RC"),
      testing::AllOf(HasSubstr("path MTU 4096 B, go-back-N"), HasSubstr("; IPv4, path MTU 1024 B"),
                     HasSubstr("timeout 1048576 ns doubling"), HasSubstr("7 retries")));
  EXPECT_THAT(line("NIC, DCQCN"), HasSubstr("CNP at most every 50 us"));
}

// Every one that a scenario may have, by its own name.
TEST(NicConfiguration, NamesEveryServiceAndCongestionControlOfUet) {
  using transport::UetCongestionControl;
  using transport::UetService;
  transport::UetSpec uet;
  const auto lineOf = [&] {
    ConfigurationLines lines;
    addNicConfiguration(uet, lines);
    return lines.at(0).first + ": " + lines.at(0).second;
  };
  for (const auto& [service, name] :
       std::map<UetService, std::string>{{UetService::kRod, "NIC, UET ROD: IPv4, MTU"},
                                         {UetService::kRud, "NIC, UET RUD: IPv4, MTU"},
                                         {UetService::kRudi, "NIC, UET RUDI: IPv4, MTU"},
                                         {UetService::kUud, "NIC, UET UUD: IPv4, MTU"}}) {
    uet.service = service;
    EXPECT_THAT(lineOf(), HasSubstr(name));
  }
  // UUD has none, and RUDI the fixed window, whatever the others have.
  EXPECT_THAT(lineOf(), testing::Not(HasSubstr("NSCC")));
  EXPECT_THAT(lineOf(), testing::Not(HasSubstr("retries")));
  uet.service = UetService::kRudi;
  EXPECT_THAT(lineOf(), HasSubstr(", fixed window, "));
  uet.service = UetService::kRud;
  for (const auto& [control, name] : std::map<UetCongestionControl, std::string>{
           {UetCongestionControl::kNone, ", fixed window, "},
           {UetCongestionControl::kNscc, ", NSCC, "},
           {UetCongestionControl::kRccc, ", receiver credit, "},
           {UetCongestionControl::kNsccRccc, ", NSCC and receiver credit, "},
           {UetCongestionControl::kSwift, ", Swift, "}}) {
    uet.congestion_control = control;
    EXPECT_THAT(lineOf(), HasSubstr(name));
  }
}

// Headings without rows and a blank summary are no result.
TEST(ResultBuilder, WithoutAValidPointTheSummarySaysSo) {
  const scenario::Scenario scenario = smallFabric();
  const SimRunner runner;
  const auto takeWith = [&](bool valid) {
    ResultBuilder builder(scaleProcedure(), "section 11.1", std::vector<results::Deviation>(),
                          {scenario, runner.bench.capabilities()});
    builder.result().valid = valid;
    builder.result().tables.push_back({"empty", "Empty", "", {"Ranks"}, {}});
    builder.result().tables.push_back({"full", "Full", "", {"Ranks"}, {{std::string("16")}}});
    return builder.take();
  };
  const results::TestResult none = takeWith(false);
  EXPECT_EQ(none.summary, "No figures: no point of the test is valid.");
  ASSERT_EQ(none.tables.size(), 1U);
  EXPECT_EQ(none.tables[0].id, "full");
  EXPECT_EQ(takeWith(true).tables.size(), 2U);
}

}  // namespace
}  // namespace plumbline::suite
