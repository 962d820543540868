// Sources of the uncertainty of a figure: repetitions, batches, histograms, clocks, searches.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "results/quantity_text.h"
#include "results/uncertainty_text.h"
#include "suite/framework/bench_clock.h"
#include "suite/framework/reading.h"
#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using results::Statistics;

double standardOf(const results::Quantity& quantity, const std::string& source) {
  for (const results::SystematicPart& part : quantity.uncertainty.systematic.value()) {
    if (part.source.starts_with(source)) return part.standard;
  }
  return -1;
}

// 9, 10, 11: s = 1, over sqrt(3).
TEST(Readings, ThatScatterHaveATypeAUncertainty) {
  const std::vector<Reading> readings{9.0, 10.0, 11.0};
  const results::Quantity mean = quantityOf(readings, "us");
  EXPECT_EQ(mean.uncertainty.statistics, Statistics::kRepetitions);
  EXPECT_NEAR(mean.uncertainty.statistical.value, 0.57735, 1e-5);
  EXPECT_EQ(mean.uncertainty.statistical.degrees_of_freedom, 2);
  EXPECT_TRUE(mean.confidence_low);
}

TEST(Readings, ThatAreTheSameHaveNoInterval) {
  const std::vector<Reading> readings{10.0, 10.0, 10.0};
  const results::Quantity mean = quantityOf(readings, "us");
  EXPECT_EQ(mean.uncertainty.statistics, Statistics::kIdentical);
  EXPECT_FALSE(mean.confidence_low);
  EXPECT_FALSE(mean.confidence_high);
  const results::Quantity fixed = quantityOf(readings, "us", ObservationPoint::kModelled, true);
  EXPECT_EQ(fixed.uncertainty.statistics, Statistics::kDeterministic);
  EXPECT_FALSE(fixed.confidence_low);
}

// A figure of one repetition may come with the interval of batches within it: half of it is 2.0930
// (Student's t of 19 degrees of freedom) times 0.5.
TEST(Readings, OfOneTrialMayHaveBatches) {
  Reading reading(100);
  reading.batches = stats::BatchMean{100, 2.0930241 / 2, 20};
  const results::Quantity one = quantityOf(std::vector<Reading>{reading}, "Gb/s");
  EXPECT_EQ(one.uncertainty.statistics, Statistics::kBatches);
  EXPECT_EQ(one.uncertainty.batches, 20U);
  EXPECT_NEAR(one.uncertainty.statistical.value, 0.5, 1e-6);
  EXPECT_EQ(one.uncertainty.statistical.degrees_of_freedom, 19);
  EXPECT_NEAR(one.confidence_low.value(), 98.9535, 1e-4);
  EXPECT_EQ(one.repetitions, 1U);
  // In another unit.
  EXPECT_NEAR(
      quantityOf(std::vector<Reading>{reading.times(10)}, "Gb/s").uncertainty.statistical.value, 5,
      1e-5);
  // With two repetitions their own scatter counts.
  Reading other = reading;
  other.value = 102;
  const results::Quantity two = quantityOf(std::vector<Reading>{reading, other}, "Gb/s");
  EXPECT_EQ(two.uncertainty.statistics, Statistics::kRepetitions);
  EXPECT_NEAR(two.uncertainty.statistical.value, 1, 1e-9);  // sqrt(2) / sqrt(2)
}

// 1,001 ps lies in a bucket of 1,000 to 1,003.
TEST(Readings, OfAHistogramHaveItsBucketAndItsCount) {
  stats::Histogram times;
  times.record(500);
  times.record(1001, 100);
  times.record(3000);
  const Reading median = quantileOf(times, 0.5, 1000);
  EXPECT_DOUBLE_EQ(median.width, 0.003);
  EXPECT_EQ(median.percentile, (results::Percentile{0.5, 102}));
  const results::Quantity figure = quantityOf(std::vector<Reading>{median}, "ns");
  EXPECT_NEAR(standardOf(figure, "histogram bucket"), 0.003 / std::sqrt(12.0), 1e-12);
  EXPECT_FALSE(quantileOf(times, 1, 1000).percentile);
  EXPECT_EQ(quantileOf(times, 0, 1000).value, 0.5);
  EXPECT_TRUE(std::isnan(quantileOf(stats::Histogram(), 0.5, 1000).value));
}

bench::Capabilities software() {
  bench::Capabilities bench = someBench();
  bench.observed = ObservationPoint::kEndpointSoftware;
  bench.simulated_dut = false;
  bench.timestamp_resolution = nanoseconds(1);
  bench.clock_reading = nanoseconds(30);
  return bench;
}

results::Quantity measured(double value, std::string unit, ObservationPoint observed) {
  results::Quantity one;
  one.value = value;
  one.unit = std::move(unit);
  one.observed = observed;
  return one;
}

TEST(BenchClock, OfTimesIsThatOfTwoTimestamps) {
  bench::Capabilities card = someBench();
  card.timestamp_resolution = Picoseconds(3104);
  card.clock_offset = nanoseconds(6);
  results::Quantity time = measured(1, "us", ObservationPoint::kTester);
  time.uncertainty.systematic = BenchClock(card).partsOf(time, kpi::Basis::kTimeAcross, {});
  // sqrt(2) * 3.104 / sqrt(12) ns, and 6 / sqrt(3) ns.
  EXPECT_NEAR(standardOf(time, "timestamp resolution"), 1.26720e-3, 1e-8);
  EXPECT_NEAR(standardOf(time, "offset between clocks"), 3.46410e-3, 1e-8);
  // Latencies between ports of the two clocks are not measured, or are.
  results::Quantity latency = measured(1, "us", ObservationPoint::kTester);
  const kpi::Basis one_way = kpi::basisOf(*kpi::find("latency_p99_ns"));
  latency.uncertainty.systematic = BenchClock(card).partsOf(latency, one_way, {});
  EXPECT_NEAR(results::systematicUncertainty(latency).value(), 1.26720e-3, 1e-8);
  card.latency_offset = nanoseconds(15);
  latency.uncertainty.systematic = BenchClock(card).partsOf(latency, one_way, {});
  EXPECT_NEAR(standardOf(latency, "offset between clocks"), 8.66025e-3, 1e-8);
  // With one clock there is no offset.
  time.uncertainty.systematic = BenchClock(card).partsOf(time, kpi::Basis::kTime, {});
  EXPECT_NEAR(results::systematicUncertainty(time).value(), 1.26720e-3, 1e-8);
  // Modelled figures have the clock of the simulation.
  results::Quantity modelled = measured(1, "ns", ObservationPoint::kModelled);
  modelled.uncertainty.systematic = BenchClock(card).partsOf(modelled, kpi::Basis::kTime, {});
  EXPECT_NEAR(results::systematicUncertainty(modelled).value(), 0.40825e-3, 1e-8);
  const auto reported = measured(1, "ns", ObservationPoint::kDutReported);
  EXPECT_FALSE(BenchClock(card).partsOf(reported, kpi::Basis::kTime, {}));
}

// 100 ppm of 2 ms are 200 ns, of 100 Gb/s 10 Mb/s. Shares of line rate are ratios.
TEST(BenchClock, TimesAndRatesDeviateAsTheClocksRate) {
  bench::Capabilities card = someBench();
  card.clock_rate = 100e-6;
  results::Quantity time = measured(2, "ms", ObservationPoint::kTester);
  time.uncertainty.systematic = BenchClock(card).partsOf(time, kpi::Basis::kTime, {});
  EXPECT_NEAR(standardOf(time, "rate of the clock, within 100 ppm"), 2e-4 / std::sqrt(3.0), 1e-9);
  results::Quantity rate = measured(100, "Gb/s", ObservationPoint::kTester);
  rate.uncertainty.systematic = BenchClock(card).partsOf(rate, kpi::Basis::kTimes, milliseconds(1));
  EXPECT_NEAR(standardOf(rate, "rate of the clock"), 0.01 / std::sqrt(3.0), 1e-9);
  for (const char* unit : {"%", ""}) {
    const results::Quantity share = measured(50, unit, ObservationPoint::kTester);
    const auto parts = BenchClock(card).partsOf(share, kpi::Basis::kTimes, milliseconds(1));
    EXPECT_EQ(parts->size(), 1U) << unit;
  }
  // The simulation has one clock.
  const results::Quantity modelled = measured(2, "ms", ObservationPoint::kModelled);
  EXPECT_EQ(BenchClock(card).partsOf(modelled, kpi::Basis::kTime, {})->size(), 1U);
}

// Of 100 Gb/s over 1 us, 1 ns of resolution is sqrt(2) / sqrt(12) permille: 0.040825 Gb/s.
TEST(BenchClock, OfRatesIsInProportionToTheWindow) {
  bench::Capabilities bench = software();
  bench.clock_reading = {};
  results::Quantity rate = measured(100, "Gb/s", ObservationPoint::kEndpointSoftware);
  rate.uncertainty.systematic =
      BenchClock(bench).partsOf(rate, kpi::Basis::kTimes, microseconds(1));
  EXPECT_NEAR(results::systematicUncertainty(rate).value(), 0.040825, 1e-6);
  const auto minute = BenchClock(bench).partsOf(rate, kpi::Basis::kTimes, seconds(60));
  EXPECT_TRUE(minute->at(0).source.ends_with(" over 60 s or more")) << minute->at(0).source;
  EXPECT_FALSE(BenchClock(bench).partsOf(rate, kpi::Basis::kTimes, {}));
  // 2 % more than another time: both times have it, of 102 % together.
  results::Quantity more = measured(2, "%", ObservationPoint::kEndpointSoftware);
  more.uncertainty.systematic =
      BenchClock(bench).partsOf(more, kpi::Basis::kTimes, microseconds(1));
  EXPECT_NEAR(results::systematicUncertainty(more).value(), 102 * std::sqrt(2.0) * 0.00040825,
              1e-6);
  EXPECT_TRUE(BenchClock(bench).partsOf(rate, kpi::Basis::kCounts, {})->empty());
}

// The median of 1.5 us is in the bucket of 183 * 8,192 to 184 * 8,192 - 1 ps, which the least value
// cuts at its beginning: 7,327 ps wide. With timestamps of 3 ns it is 2.4441 ns.
TEST(EndToEnd, PercentileOfAHistogramOnTheTester) {
  FakeDut dut;
  dut.latencies = [](std::uint32_t, Fraction rate) {
    const std::uint64_t base = rate.toDouble() > 0.4 ? 1'500'000 : 1'000'000;
    std::vector<std::uint64_t> values(2000, base);
    values.push_back(2 * base);
    return values;
  };
  scenario::Scenario scenario = someScenario();
  scenario.traffic.directions = {{scenario::Direction::kUnidirectional}};
  const results::TestResult result = runTest(latencyProcedure(), scenario, dut);
  const results::Quantity& median = kpi(result, "latency_p50_ns", "1024 B, 50 % load");
  EXPECT_NEAR(standardOf(median, "histogram bucket"), 2.115123, 1e-5);
  EXPECT_NEAR(standardOf(median, "timestamp resolution 3 ns"), 1.224745, 1e-5);
  EXPECT_EQ(median.uncertainty.statistics, Statistics::kIdentical);
  EXPECT_NEAR(results::expandedUncertainty(median)->half, 4.888252, 1e-5);
  EXPECT_EQ(median.percentile, (results::Percentile{0.5, 2 * 2001}));  // of two pairs
  // The least, the mean and the largest are exact except for the clock.
  EXPECT_EQ(standardOf(kpi(result, "latency_max_ns", "1024 B, 50 % load"), "histogram"), -1);
  // The table has the same.
  EXPECT_EQ(quantity(table(result, "latency").rows.at(1).at(5)).uncertainty, median.uncertainty);
}

// 1 ns of resolution twice is 0.40825 ns, up to 30 ns of reading the clock 17.3205 ns: together
// 17.3253 ns, and twice that.
TEST(EndToEnd, LatencyOfEndpointSoftware) {
  FakeDut dut;
  const bench::Capabilities bench = software();
  scenario::Scenario scenario = someScenario();
  scenario.traffic.directions = {{scenario::Direction::kUnidirectional}};
  const results::TestResult result = latencyProcedure().run({scenario, bench}, dut);
  const results::Quantity& mean = kpi(result, "latency_mean_ns", "1024 B, 50 % load");
  EXPECT_EQ(mean.observed, ObservationPoint::kEndpointSoftware);
  EXPECT_NEAR(results::expandedUncertainty(mean)->half, 34.6506, 1e-3);
  EXPECT_EQ(results::systematicText(mean),
            "17 ns (timestamp resolution 1 ns; reading the clock, up to 30 ns)");
  EXPECT_EQ(result.primary.at(1).uncertainty, mean.uncertainty);
}

// Two senders and one receiver at a switch with this buffer, of which one port may have the half.
scenario::Scenario twoSendersToOne(Bytes buffer, Picoseconds duration) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 4;
  scenario.switches.shared_buffer->total = buffer;
  scenario.switches.pfc.reset();
  scenario.switches.trim.reset();
  scenario.traffic.pairs = {{{1, 0}, {2, 0}}};
  scenario.traffic.directions = {{scenario::Direction::kUnidirectional}};
  scenario.traffic.message_sizes = {{Bytes(4096)}};
  scenario.traffic.qps = {{1}};
  scenario.parameters.duration = duration;
  return scenario;
}

// Two senders share the link of one receiver: half of the rate passes, and at the next step, 33/64,
// 0.8 MB are too much for a port that may hold 0.5 MB. Steps of 1.5625 % and senders that may be
// short by 0.1 % of the rate, as a bound: (1.5625 + 0.05) / sqrt(3) = 0.930977. The 0.5 MB hide 2 %
// of line rate in 500 us, a bound as well: 2 / sqrt(3) = 1.154701.
TEST(EndToEnd, ThroughputOfTheSimulatedFabric) {
  const results::TestResult result =
      runTest(throughputProcedure(), twoSendersToOne(Bytes(1'000'000), microseconds(500)));
  ASSERT_EQ(result.kpis.size(), 1U);
  const results::Quantity& percent = result.kpis.front().quantity;
  EXPECT_EQ(percent.observed, ObservationPoint::kModelled);
  EXPECT_DOUBLE_EQ(percent.value, 50);
  EXPECT_NEAR(standardOf(percent, "search step"), 0.930977, 1e-6);
  EXPECT_EQ(percent.uncertainty.statistics, Statistics::kIdentical);
  EXPECT_NEAR(standardOf(percent, "overload that buffers hide"), 1.154701, 1e-6);
  EXPECT_NEAR(results::expandedUncertainty(percent)->half, 2 * std::hypot(0.930977, 1.154701),
              1e-5);
  // What buffers hide makes the rate too high and never too low: upwards the search alone counts.
  EXPECT_NEAR(percent.uncertainty.most.value(), 50 + 2 * 0.930977, 1e-5);
  EXPECT_FALSE(percent.uncertainty.least);
  EXPECT_EQ(results::quantityWithSpread(percent), "50 +2 −3 %");
  // The table has the same in the unit of payload: 4,096 of 4,194 B of two ports of 400 Gb/s.
  const results::Quantity payload = quantity(table(result, "throughput").rows.at(0).at(7));
  EXPECT_NEAR(payload.uncertainty.most.value(),
              percent.uncertainty.most.value() / 100 * 0.8 * 4096 / 4194, 1e-9);
}

// The buffer of 16 MB at 400 Gb/s hides 160 % in 200 us: the two senders seem to have line rate
// each. It may be anything down to nothing, but not more.
TEST(EndToEnd, AThroughputIsNeitherNegativeNorAboveLineRate) {
  const results::TestResult result =
      runTest(throughputProcedure(), twoSendersToOne(Bytes(32'000'000), microseconds(200)));
  const results::Quantity& percent = result.kpis.front().quantity;
  EXPECT_DOUBLE_EQ(percent.value, 100);
  EXPECT_NEAR(standardOf(percent, "overload that buffers hide"), 100 / std::sqrt(3), 1e-6);
  EXPECT_EQ(results::quantityWithSpread(percent), "100 +0 −100 %");
}

// A ring on one switch uses no random numbers: repetitions with other seeds are identical.
TEST(EndToEnd, DeterministicRepetitionsSaySo) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 8;
  scenario.parameters.sizes = {{Bytes(1 << 20)}};
  scenario.parameters.ranks = {{8}};
  scenario.parameters.iterations = 2;
  scenario.parameters.repetitions = 2;
  scenario.parameters.balancing = {{"ECMP"}};
  const results::TestResult result = runTest(allReduceProcedure(), scenario);
  ASSERT_FALSE(result.kpis.empty());
  for (const results::Kpi& one : result.kpis) {
    EXPECT_EQ(one.quantity.uncertainty.statistics, Statistics::kDeterministic) << one.name;
    EXPECT_FALSE(one.quantity.confidence_low) << one.name;
    EXPECT_TRUE(results::expandedUncertainty(one.quantity)) << one.name;
  }
  EXPECT_EQ(text(result.repeatability.rows.front().at(4)),
            "deterministic: repetitions add nothing");
}

// Hashes with other seeds load other links: figures that stay the same do so by chance.
TEST(EndToEnd, SeedsThatMatterAreNotDeterministic) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.sizes = {{Bytes(1 << 20)}};
  scenario.parameters.ranks = {{8}};
  scenario.parameters.iterations = 2;
  scenario.parameters.repetitions = 2;
  scenario.parameters.balancing = {{"ECMP"}};
  for (const results::Kpi& one : runTest(allReduceProcedure(), scenario).kpis) {
    EXPECT_NE(one.quantity.uncertainty.statistics, Statistics::kDeterministic) << one.name;
  }
}

}  // namespace
}  // namespace plumbline::suite
