// Loads that PFC delays: load that a sender did not offer is neither throughput nor loss. Against
// closed forms, on simulated hosts.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "suite/framework/lossless_share.h"
#include "suite/framework/trials.h"
#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Keeps the MMR of the last trial without loss or delayed senders.
class PassingTrial final : public TrialRunner {
 public:
  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override {
    bench::TrialResult result = runner.run(spec, repetition, label);
    if (result.lost() == 0 && slotsGivenUp(result) == 0) mmr = *result.fabric->link_mmr;
    return result;
  }

  SimRunner runner;
  double mmr = 0;
};

// Every host to the one of the same place on the next leaf, one QP each: a hash assigns the four
// flows of a leaf to four uplinks. The busiest link has MMR times the mean of one flow, so every
// flow can have at most 1/MMR of line rate.
scenario::Scenario throughEcmp() {
  scenario::Scenario scenario = smallFabric();
  scenario.traffic.message_sizes = {{Bytes(4096)}};
  scenario.traffic.pairs.emplace();
  for (std::uint32_t host = 0; host < 16; ++host) {
    scenario.traffic.pairs->push_back({host, (host + 4) % 16});
  }
  scenario.parameters.duration = microseconds(500);
  scenario.parameters.repetitions = 1;
  return scenario;
}

TEST(OfferedRate, ThroughputOfEcmpUnderPfcIsOneOverTheMmr) {
  const scenario::Scenario scenario = throughEcmp();
  PassingTrial runner;
  const results::TestResult result =
      throughputProcedure().run({scenario, runner.runner.bench.capabilities()}, runner);
  ASSERT_TRUE(result.valid);
  ASSERT_GE(runner.mmr, 1.9);
  const double found = kpi(result, "throughput_percent", "4096 B, 1 QP, unidirectional").value;
  EXPECT_LE(found, 100 / runner.mmr + 100.0 / 64 + 2.4);  // three switches take 200 KB each
  EXPECT_GE(found, 100 / runner.mmr - 100.0 / 64);
  EXPECT_THAT(text(table(result, "throughput").rows.at(0)[9]), HasSubstr("PFC"));
  EXPECT_EQ(table(result, "port_utilisation").rows.size(), 16U);
}

// LLR repeats what a bit error damages. Of 8,192 bits of a frame one is wrong with p = 7.9 %. A
// slot is 20.88 ns. The retry begins with the first one after the frame, twice 50 ns of cable and
// 100 ns of processing: eleven slots are lost. A frame takes 1 + 11 p / (1 - p) slots, so the link
// carries 51.6 %. A queue of a frame in a thousand may be left at the end.
TEST(OfferedRate, ReplaysOfTheHostsLinksLowerTheThroughput) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology = {};
  scenario.topology.link_rate = gigabitsPerSecond(400);
  scenario.switches = {};
  scenario.switches.llr.emplace();
  scenario.bit_errors.push_back({"hosts", 1e-5});
  scenario.traffic.frame_sizes = {{Bytes(1024)}};
  scenario.traffic.message_sizes.reset();
  scenario.parameters.duration = milliseconds(5);
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(throughputProcedure(), scenario);
  ASSERT_TRUE(result.valid) << anomalies(result);
  const double found = kpi(result, "throughput_percent", "1024 B, 1 QP, unidirectional").value;
  const double wrong = 1 - std::pow(1 - 1e-5, 8192);
  const double carried = 100 / (1 + 11 * wrong / (1 - wrong));
  EXPECT_LE(found, carried * 1.001);
  EXPECT_GE(found, carried - 3 * 100.0 / 64);
  EXPECT_THAT(text(table(result, "throughput").rows.at(0)[9]), HasSubstr("LLR: a sender sent 99."));
  // The latency under half of that load is measured as well.
  scenario.parameters.loads = {{Fraction::percent(30)}};
  const results::TestResult latency = runTest(latencyProcedure(), scenario);
  EXPECT_TRUE(latency.valid) << anomalies(latency);
}

// A sender tells every 256 us what it has consumed, in a frame of 64 B: 26 ppm of a link of 100
// Gb/s go to these, within the 0.1 % of the draft.
TEST(OfferedRate, CreditUpdatesAreNoOverload) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology = {};
  scenario.topology.link_rate = gigabitsPerSecond(400);
  scenario.switches = {};
  scenario.switches.cbfc.emplace();
  scenario.traffic.frame_sizes = {{Bytes(1500)}};
  scenario.traffic.message_sizes.reset();
  scenario.parameters.duration = milliseconds(2);
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(throughputProcedure(), scenario);
  ASSERT_TRUE(result.valid) << anomalies(result);
  EXPECT_EQ(kpi(result, "throughput_percent", "1500 B, 1 QP, unidirectional").value, 100);
}

TEST(OfferedRate, WithoutPfcTheSameRateIsFoundByLoss) {
  scenario::Scenario scenario = throughEcmp();
  scenario.switches.pfc.reset();
  scenario.switches.shared_buffer.reset();
  scenario.switches.buffer_per_port = Bytes(100'000);
  PassingTrial runner;
  const results::TestResult result =
      throughputProcedure().run({scenario, runner.runner.bench.capabilities()}, runner);
  ASSERT_TRUE(result.valid);
  const double found = kpi(result, "throughput_percent", "4096 B, 1 QP, unidirectional").value;
  EXPECT_NEAR(found, 100 / runner.mmr, 100.0 / 64 + 0.8);
  EXPECT_EQ(text(table(result, "throughput").rows.at(0)[9]), "loss");
}

// N hosts to one, all on one switch.
scenario::Scenario incast() {
  scenario::Scenario scenario;
  scenario.bench = "sim";
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 9;
  scenario.topology.link_rate = gigabitsPerSecond(400);
  scenario.topology.host_link_delay = nanoseconds(50);
  scenario.switches.latency = nanoseconds(600);
  scenario.switches.shared_buffer.emplace().total = Bytes(64'000'000);
  scenario.traffic.message_sizes = {{Bytes(4096)}};
  scenario.parameters.incast_ratios = {{2, 8}};
  scenario.parameters.repetitions = 2;
  scenario.parameters.drain = milliseconds(1);
  return scenario;
}

// A sender's input holds (N - 1) / N of the arrivals: as many whole frames as xoff has room for
// after N / (N - 1) times their number. The next one is detected when it has passed the switch's
// latency, and the PAUSE takes effect two cables later.
TEST(OfferedRate, PfcHoldsABurstBackFromXoffOn) {
  for (const Picoseconds drain : {milliseconds(1), milliseconds(3)}) {
    scenario::Scenario scenario = incast();
    scenario.switches.pfc.emplace().xoff = Bytes(200'000);
    scenario.parameters.drain = drain;
    const results::TestResult result = runTest(burstProcedure(), scenario);
    ASSERT_TRUE(result.valid);
    std::size_t row = 0;
    for (const double n : {2.0, 8.0}) {
      const std::string point = fmt::format("4096 B, {:.0f}:1", n);
      EXPECT_EQ(findKpi(result, "burst_frames", point), nullptr);
      const double slot_ns = (4174 + 20) * 8 / 400.0;
      const double closed = 1 + 200'000 / 4174 * n / (n - 1) + (600 + 2 * 50) / slot_ns;
      const double unpaused = kpi(result, "burst_unpaused_frames", point).value;
      EXPECT_NEAR(unpaused, closed, 1) << point;
      const auto& cells = table(result, "burst").rows.at(row++);
      EXPECT_THAT(text(cells[2]), HasSubstr("held back by PFC: no loss in bursts of"));
      EXPECT_EQ(quantity(cells[8]).value, n * unpaused * 4174);
    }
  }
}

// 64 MB shared, alpha 1: a queue of 32 MB, which takes 1.3 ms to drain. Frames still queued after a
// wait of 1 ms must not count as lost.
TEST(OfferedRate, TheWaitForResidualFramesDecidesNothing) {
  scenario::Scenario scenario = incast();
  scenario.topology.hosts = 3;
  scenario.parameters.incast_ratios = {{2}};
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(burstProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  const double frames = kpi(result, "burst_frames", "4096 B, 2:1").value;
  EXPECT_NEAR(frames, 32'000'000 / 4174, 2);
  EXPECT_EQ(findKpi(result, "burst_unpaused_frames", "4096 B, 2:1"), nullptr);
}

// Without room above xoff a lossless priority loses frames: they are counted and reported.
TEST(OfferedRate, LossesBehindAPauseAreFound) {
  scenario::Scenario scenario = incast();
  scenario.parameters.incast_ratios = {{8}};
  scenario.parameters.repetitions = 1;
  scenario.switches.pfc.emplace().xoff = Bytes(200'000);
  scenario.switches.pfc->headroom = Bytes(1'000);
  const results::TestResult result = runTest(burstProcedure(), scenario);
  EXPECT_NEAR(kpi(result, "burst_frames", "4096 B, 8:1").value, 200'000 / 4174.0 * 8 / 7, 4);
}

// One pair on one switch: two cables and the switch's latency each way, and both frames are stored
// twice, by the switch and by their receiver.
TEST(OfferedRate, ARoundTripIsThePathTwiceAndBothFrames) {
  scenario::Scenario scenario = incast();
  scenario.topology.hosts = 4;
  scenario.parameters.loads = {{Fraction::percent(50)}};
  scenario.parameters.duration = microseconds(100);
  const results::TestResult result = runTest(latencyProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  const double expected = 2 * (2 * 50 + 600) + 2 * 8 * (4096 + 78 + 66) / 400.0;
  const auto& rows = table(result, "round_trip_distribution").rows;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_NEAR(kpi(result, "round_trip_min_ns", "4096 B, zero load").value, expected, 0.5);
  EXPECT_NEAR(kpi(result, "round_trip_max_ns", "4096 B, zero load").value, expected, 0.5);
  EXPECT_THAT(deviations(result), Not(HasSubstr("distribution of the round trip")));
}

// The hosts of the only pair exchange the messages: nothing loads the switch then.
TEST(OfferedRate, ARoundTripUnderLoadNeedsAnotherPair) {
  scenario::Scenario scenario = incast();
  scenario.topology.hosts = 2;
  scenario.parameters.loads = {{Fraction::percent(50)}};
  scenario.parameters.duration = microseconds(100);
  scenario.traffic.directions = {{scenario::Direction::kUnidirectional}};
  const results::TestResult result = runTest(latencyProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  const auto& rows = table(result, "round_trip_distribution").rows;
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(text(rows[0][1]), "zero load");
  EXPECT_EQ(std::count_if(result.deviations.begin(), result.deviations.end(),
                          [](const results::Deviation& one) {
                            return one.what.starts_with("round trip under load not measured");
                          }),
            1);
  EXPECT_THAT(deviations(result), HasSubstr("sum of the one-way means"));
  EXPECT_THAT(deviations(result), Not(HasSubstr("reflector")));
}

// Two cables of 600 us: 1.2 ms from sender to receiver, longer than the profile's wait of 1 ms.
scenario::Scenario overLongCables() {
  scenario::Scenario scenario = incast();
  scenario.topology.hosts = 2;
  scenario.topology.host_link_delay = microseconds(600);
  scenario.traffic.directions = {{scenario::Direction::kUnidirectional}};
  scenario.parameters.drain.reset();
  scenario.parameters.duration = microseconds(200);
  return scenario;
}

TEST(OfferedRate, FramesOnLongCablesAreNotLost) {
  scenario::Scenario scenario = overLongCables();
  const results::TestResult throughput = runTest(throughputProcedure(), scenario);
  EXPECT_TRUE(throughput.valid);
  EXPECT_EQ(kpi(throughput, "throughput_percent", "4096 B, 1 QP, unidirectional").value, 100);
  scenario.parameters.loads = {{Fraction::percent(50)}};
  const results::TestResult latency = runTest(latencyProcedure(), scenario);
  EXPECT_TRUE(latency.valid);
  EXPECT_THAT(anomalies(latency), Not(HasSubstr("lost")));
}

// Four cables of 2 ms there and back, which no timeout takes for a loss.
TEST(OfferedRate, ARoundTripOverLongCablesIsWaitedFor) {
  scenario::Scenario scenario = overLongCables();
  scenario.topology.host_link_delay = milliseconds(2);
  const results::TestResult result = runTest(latencyProcedure(), scenario);
  EXPECT_TRUE(result.valid);
  const double expected = 2 * (2 * 2e6 + 600) + 2 * 8 * (4096 + 78 + 66) / 400.0;
  EXPECT_NEAR(kpi(result, "round_trip_min_ns", "4096 B, zero load").value, expected, 0.5);
  EXPECT_NEAR(kpi(result, "round_trip_max_ns", "4096 B, zero load").value, expected, 0.5);
}

// Takes the times of messages away.
class WithoutMessages final : public TrialRunner {
 public:
  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override {
    bench::TrialResult result = runner.run(spec, repetition, label);
    for (bench::JobOutcome& job : result.fabric->jobs) job.message_time = {};
    return result;
  }

  SimRunner runner;
};

TEST(OfferedRate, ARoundTripThatDoesNotEndHasAReason) {
  const scenario::Scenario scenario = overLongCables();
  WithoutMessages runner;
  const results::TestResult result =
      latencyProcedure().run({scenario, runner.runner.bench.capabilities()}, runner);
  EXPECT_FALSE(result.valid);
  EXPECT_THAT(anomalies(result), HasSubstr("no message came back before the trial ended"));
}

// 7,041 frames of 142 B fill the buffer, and need 162 B each on the wire: 91 us behind 1.2 ms.
TEST(OfferedRate, ABurstOfShortFramesArrivesOverLongCables) {
  scenario::Scenario scenario = overLongCables();
  scenario.topology.hosts = 3;
  scenario.topology.link_rate = gigabitsPerSecond(100);
  scenario.switches.shared_buffer.reset();
  scenario.switches.buffer_per_port = Bytes(1'000'000);
  scenario.traffic.message_sizes = {{Bytes(64)}};
  scenario.parameters.incast_ratios = {{2}};
  SimRunner runner(gigabitsPerSecond(100));
  const results::TestResult result =
      burstProcedure().run({scenario, runner.bench.capabilities()}, runner);
  EXPECT_TRUE(result.valid);
  EXPECT_NEAR(kpi(result, "burst_frames", "64 B, 2:1").value, 1e6 / 142, 2);
}

TEST(OfferedRate, ATrialThatEndsBeforeItsFramesArriveIsNotValid) {
  scenario::Scenario scenario = overLongCables();
  scenario.parameters.drain = milliseconds(1);
  const results::TestResult result = runTest(throughputProcedure(), scenario);
  EXPECT_FALSE(result.valid);
  EXPECT_EQ(findKpi(result, "throughput_percent", "4096 B, 1 QP, unidirectional"), nullptr);
  EXPECT_THAT(anomalies(result),
              HasSubstr("frames were still in the DUT when the drain time of 1000 us ended"));
}

// Eight senders overload a port of 40 Gb/s eightfold for 1 ms: 35 MB wait in a queue that may have
// 50 MB, and take 7 ms.
TEST(OfferedRate, FramesOfADeepBufferAreNotLost) {
  scenario::Scenario scenario = incast();
  scenario.topology.link_rate = gigabitsPerSecond(40);
  scenario.switches.shared_buffer->total = Bytes(100'000'000);
  scenario.traffic.pairs.emplace();
  for (std::uint32_t host = 1; host <= 8; ++host) scenario.traffic.pairs->push_back({host, 0});
  scenario.parameters.drain.reset();
  scenario.parameters.duration = milliseconds(1);
  SimRunner runner(gigabitsPerSecond(40));
  const results::TestResult result =
      throughputProcedure().run({scenario, runner.bench.capabilities()}, runner);
  EXPECT_TRUE(result.valid);
  // Arrivals take 8 ms, not one: 100 % of the port over all of that time, and no 800 % over one.
  const auto& ports = table(result, "port_utilisation").rows;
  EXPECT_EQ(text(ports.at(0)[1]), "host0");
  EXPECT_TRUE(text(ports.at(0)[3]).ends_with(" to 100 %")) << text(ports.at(0)[3]);
  // The buffer hides the overload, and the report says so.
  EXPECT_EQ(kpi(result, "throughput_percent", "4096 B, 1 QP, unidirectional").value, 100);
  EXPECT_THAT(anomalies(result), HasSubstr("cannot fill the DUT's buffer"));
}

// Two senders to one port carry half of line rate each. A reserve of 1.5 MB holds an overload of
// 60 % for 200 us, so that 80 % pass; the interval has to contain the 50 %.
TEST(OfferedRate, AReserveHidesOverloadAsWell) {
  scenario::Scenario scenario = incast();
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 4;
  scenario.switches = {};
  fabric::SharedBufferSpec& shared = scenario.switches.shared_buffer.emplace();
  shared.total = Bytes(8'000'000);
  shared.alpha = Fraction::percent(6);
  shared.reserve_per_port = Bytes(1'500'000);
  scenario.topology.link_rate = gigabitsPerSecond(100);
  scenario.traffic.message_sizes = {{Bytes(4096)}};
  scenario.traffic.pairs = {{{0, 3}, {1, 3}}};
  scenario.parameters.duration = microseconds(200);
  scenario.parameters.drain.reset();
  SimRunner runner(gigabitsPerSecond(100));
  const results::TestResult result =
      throughputProcedure().run({scenario, runner.bench.capabilities()}, runner);
  const results::Quantity& found =
      kpi(result, "throughput_percent", "4096 B, 1 QP, unidirectional");
  EXPECT_NEAR(found.value, 80, 2);
  EXPECT_LT(found.value - results::expandedUncertainty(found)->half, 50);
}

// A storm's two PAUSE frames take 13.44 ns of the sender's wire: no frame counts as late for that.
TEST(OfferedRate, AHostThatSendsPausesIsNotLate) {
  scenario::Scenario scenario = incast();
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 4;
  scenario.topology.link_rate = gigabitsPerSecond(100);
  scenario.storms = {
      {.host = 1, .priorities = 1 << 5, .start = microseconds(50), .duration = microseconds(100)}};
  scenario.traffic.message_sizes = {{Bytes(1024)}};
  scenario.traffic.directions = {{scenario::Direction::kBidirectional}};
  scenario.traffic.pairs = {{{0, 1}, {2, 3}}};
  scenario.parameters.duration = microseconds(400);
  SimRunner runner(gigabitsPerSecond(100));
  const results::TestResult result =
      throughputProcedure().run({scenario, runner.bench.capabilities()}, runner);
  EXPECT_TRUE(result.valid) << anomalies(result);
  EXPECT_EQ(kpi(result, "throughput_percent", "1024 B, 1 QP, bidirectional").value, 100);
}

// Credits of a channel hold senders back, not PFC.
TEST(OfferedRate, FlowControlIsCalledByItsName) {
  scenario::Scenario scenario = incast();
  scenario.switches.pfc.reset();
  scenario.switches.cbfc.emplace().channels = 0xFF;
  const bench::Capabilities capabilities = SimRunner().bench.capabilities();
  const TestConfig config{scenario, capabilities};
  EXPECT_STREQ(flowControlOf(config), "CBFC");
  scenario.switches.cbfc.reset();
  EXPECT_STREQ(flowControlOf(config), "PFC");
}

TEST(OfferedRate, TheBufferInWordsIsTheOneInUse) {
  fabric::SwitchSpec switches;
  fabric::TopologySpec one;
  one.kind = fabric::TopologyKind::kSingleSwitch;
  one.hosts = 5;
  switches.buffer_per_port = Bytes(1'000'000);
  EXPECT_EQ(bufferText(switches, one), "1000000 B of buffer per port");
  switches.shared_buffer.emplace().total = Bytes(64'000'000);
  EXPECT_EQ(bufferText(switches, one),
            "64000000 B of buffer shared by all ports, alpha 1: 32000000 B for one");
  // q = alpha * (total - 5 * reserve - (q - reserve)), where that is more than the reserve.
  switches.shared_buffer->reserve_per_port = Bytes(1'000'000);
  EXPECT_EQ(bufferText(switches, one),
            "64000000 B of buffer shared by all ports, alpha 1: 30000000 B for one, 1000000 B "
            "reserved for each");
  switches.shared_buffer->alpha = Fraction::percent(1);
  EXPECT_THAT(bufferText(switches, one), HasSubstr("alpha 0.01: 1000000 B for one"));
  // Headroom is not for lossy frames: of 6 ports of a leaf, and 2 of a spine.
  switches.shared_buffer->reserve_per_port = Bytes(0);
  switches.shared_buffer->alpha = Fraction::one();
  switches.pfc.emplace().headroom = Bytes(1'000'000);
  fabric::TopologySpec clos;
  clos.kind = fabric::TopologyKind::kClos2;
  clos.leaves = 2;
  clos.spines = 2;
  clos.hosts_per_leaf = 4;
  EXPECT_THAT(bufferText(switches, clos), HasSubstr("29000000 to 31000000 B for one"));
}

}  // namespace
}  // namespace plumbline::suite
