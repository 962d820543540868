#include "suite/framework/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"

namespace plumbline::suite {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

scenario::Scenario standardScenario() {
  scenario::Scenario scenario;
  scenario.topology.hosts = 8;
  scenario.profile = scenario::Profile::kStandard;
  return scenario;
}

Settings settings(TestId test, const scenario::Scenario& scenario) {
  const bench::Capabilities bench = someBench();
  return settingsFor(test, {scenario, bench});
}

std::string deviationText(TestId test, const scenario::Scenario& scenario) {
  const bench::Capabilities bench = someBench();
  const TestConfig config{scenario, bench};
  std::string all;
  for (const auto& one : deviations(test, settingsFor(test, config), config)) {
    all += one.what + "\n";
  }
  return all;
}

std::vector<std::int64_t> payloads(const Settings& settings) {
  std::vector<std::int64_t> sizes;
  for (const SizePoint& size : settings.sizes) sizes.push_back(size.payload.count());
  return sizes;
}

// The drafts' numbers (METHODOLOGY, T5.1 to T5.3), written out.
TEST(StandardProfile, HasTheNumbersOfTheDrafts) {
  const scenario::Scenario scenario = standardScenario();
  const Settings throughput = settings(TestId::kThroughput, scenario);
  EXPECT_THAT(payloads(throughput), ElementsAre(64, 256, 1024, 4096));
  EXPECT_THAT(throughput.qps, ElementsAre(1, 4, 16, 32));
  EXPECT_EQ(throughput.directions.size(), 2U);
  EXPECT_EQ(throughput.duration, seconds(60));
  EXPECT_EQ(throughput.rate_steps, 1024U);  // 0.1 % in ten iterations
  EXPECT_EQ(throughput.drain, seconds(2));

  const Settings latency = settings(TestId::kLatency, scenario);
  EXPECT_EQ(latency.duration, seconds(120));
  EXPECT_EQ(latency.repetitions, 20U);

  const Settings burst = settings(TestId::kBurst, scenario);
  EXPECT_EQ(burst.repetitions, 50U);
  // 2, 4, 8, 16, 32:1 as far as eight hosts go, and the most they can do.
  EXPECT_THAT(burst.incast_ratios, ElementsAre(2, 4, 7));
}

TEST(StandardProfile, DeviatesOnlyWhereTheTesterDoes) {
  const scenario::Scenario scenario = standardScenario();
  for (const TestId test : {TestId::kThroughput, TestId::kLatency, TestId::kBurst}) {
    const std::string text = deviationText(test, scenario);
    EXPECT_THAT(text, HasSubstr("messages of 64 KB"));
    EXPECT_THAT(text, Not(HasSubstr("repetitions")));
    EXPECT_THAT(text, Not(HasSubstr("duration of a trial")));
    EXPECT_THAT(text, Not(HasSubstr("resolution")));
  }
  EXPECT_THAT(deviationText(TestId::kBurst, scenario),
              HasSubstr("incast ratios not measured: 8:1, 16:1, 32:1"));
}

TEST(QuickProfile, ListsEveryNumberThatDiffers) {
  scenario::Scenario scenario = standardScenario();
  scenario.profile = scenario::Profile::kQuick;
  const std::string throughput = deviationText(TestId::kThroughput, scenario);
  EXPECT_THAT(throughput, HasSubstr("duration of a trial: 200 us instead of 60 s"));
  EXPECT_THAT(throughput, HasSubstr("repetitions: 2 instead of 3"));
  EXPECT_THAT(throughput, HasSubstr("1/64 of line rate instead of 1/1024"));
  EXPECT_THAT(throughput, HasSubstr("message sizes of the draft not measured: 256 B"));
  EXPECT_THAT(throughput, HasSubstr("queue pairs per pair not measured: 4, 16, 32"));
  EXPECT_THAT(throughput, HasSubstr("direction not measured: bidirectional"));
  EXPECT_THAT(throughput, HasSubstr("wait for residual frames: 1 ms instead of 2 s"));
  EXPECT_THAT(deviationText(TestId::kLatency, scenario), HasSubstr("repetitions: 3 instead of 20"));
  const std::string burst = deviationText(TestId::kBurst, scenario);
  EXPECT_THAT(burst, HasSubstr("repetitions: 3 instead of 50"));
  EXPECT_THAT(burst, HasSubstr("longest burst tried: 65536 frames instead of 16777216"));
}

// A limit of a figure's meaning is an anomaly of the result, not a deviation of its set-up.
TEST(QuickProfile, SaysWhatABufferHidesFromShortTrials) {
  scenario::Scenario scenario = someScenario();
  const auto hidden = [&scenario](TestId test) {
    const bench::Capabilities bench = someBench();
    const TestConfig config{scenario, bench};
    return hiddenOverload(test, settingsFor(test, config), config).value_or(HiddenOverload{}).text;
  };
  // 1 MB is 80 us at 100 Gb/s: 40 % of a trial of 200 us.
  EXPECT_THAT(hidden(TestId::kThroughput), HasSubstr("below 40 % of line rate"));
  EXPECT_EQ(hidden(TestId::kBurst), "");  // looks for the buffer
  EXPECT_THAT(deviationText(TestId::kThroughput, scenario), Not(HasSubstr("cannot fill a buffer")));
  FakeDut dut;
  const results::TestResult result = runTest(throughputProcedure(), scenario, dut);
  EXPECT_THAT(anomalies(result),
              HasSubstr("cannot fill the DUT's buffer (1000000 B of buffer per port)"));
  // The bound is part of the figures' uncertainty, as of a rectangular distribution.
  ASSERT_FALSE(result.kpis.empty());
  const results::Quantity& rate = result.kpis.front().quantity;
  ASSERT_TRUE(rate.uncertainty.systematic);
  EXPECT_THAT(*rate.uncertainty.systematic,
              testing::Contains(
                  testing::AllOf(testing::Field(&results::SystematicPart::source,
                                                "overload that buffers hide: at most 40 %"),
                                 testing::Field(&results::SystematicPart::standard,
                                                testing::DoubleNear(40 / std::sqrt(3), 1e-9)))));
  // A shared buffer counts, not the unused one per port: alpha 1 gives one port half.
  scenario.switches.shared_buffer.emplace().total = Bytes(2'000'000);
  scenario.switches.buffer_per_port = Bytes(1'000);
  EXPECT_THAT(hidden(TestId::kThroughput), HasSubstr("2000000 B of buffer shared by all ports"));
  EXPECT_THAT(hidden(TestId::kThroughput), HasSubstr("below 40 % of line rate"));
  // Under PFC a sender is held back before that: 150 KB in its switch are 12 us, 6 % of 200 us.
  scenario.switches.pfc.emplace();
  scenario.switches.pfc->xoff = Bytes(100'000);
  scenario.switches.pfc->headroom = Bytes(50'000);
  EXPECT_THAT(hidden(TestId::kThroughput), HasSubstr("which hides 6 % of line rate"));
  // Of 2 MB the headrooms of four ports leave 1.8 MB. A dynamic xoff of 1/8 of what is free of that
  // lets an input have 200,000 B: 10 % with headroom.
  scenario.switches.pfc->dynamic_alpha = Fraction::partsPerTrillion(125'000'000'000);
  EXPECT_THAT(hidden(TestId::kThroughput), HasSubstr("takes up to 250000 B"));
  EXPECT_THAT(hidden(TestId::kThroughput), HasSubstr("which hides 10 % of line rate"));
  // CBFC holds it back when the credits of the link are in use: 1000 of 256 B are 10.24 %.
  scenario.switches.pfc.reset();
  scenario.switches.cbfc.emplace();
  scenario.switches.cbfc->credits = 1000;
  scenario.switches.cbfc->credit_size = Bytes(256);
  EXPECT_THAT(
      hidden(TestId::kThroughput),
      HasSubstr("before CBFC holds a sender back, each of 1 switches on its way takes up to "
                "256000 B of it (the credits of a link), which hides 10.2 %"));
  scenario.switches.cbfc.reset();
  scenario.switches.shared_buffer.reset();
  EXPECT_EQ(hidden(TestId::kThroughput), "");
  // Leaf, spine and leaf may each hide an overload of 10 %.
  scenario.switches.buffer_per_port = Bytes(250'000);
  scenario.topology.kind = fabric::TopologyKind::kClos2;
  EXPECT_THAT(hidden(TestId::kThroughput), HasSubstr("in each of 3 switches on a path"));
  EXPECT_THAT(hidden(TestId::kThroughput), HasSubstr("below 30 % of line rate"));
  scenario.switches.buffer_per_port = Bytes(1'000'000);
  scenario.topology.kind = fabric::TopologyKind::kLink;
  EXPECT_EQ(hidden(TestId::kThroughput), "");
}

TEST(Settings, TakeTheScenariosOwnNumbers) {
  scenario::Scenario scenario = standardScenario();
  scenario.traffic.message_sizes.reset();
  scenario.traffic.frame_sizes = {{Bytes(128), Bytes(9000)}};
  scenario.traffic.qps = {{2, 3}};
  scenario.traffic.directions = {{scenario::Direction::kBidirectional}};
  scenario.parameters.repetitions = 4;
  scenario.parameters.duration = milliseconds(5);
  scenario.parameters.drain = milliseconds(6);
  scenario.parameters.resolution = Fraction::percent(3);
  scenario.parameters.loads = {{Fraction::percent(10)}};
  scenario.parameters.incast_ratios = {{5}};
  scenario.parameters.max_burst = 99;

  const Settings latency = settings(TestId::kLatency, scenario);
  ASSERT_EQ(latency.sizes.size(), 2U);
  EXPECT_EQ(latency.sizes[1].frame, Bytes(9000));
  EXPECT_EQ(latency.sizes[1].label, "9000 B");
  EXPECT_FALSE(latency.message_sizes);
  EXPECT_THAT(latency.qps, ElementsAre(2, 3));
  EXPECT_EQ(latency.directions.size(), 1U);
  EXPECT_EQ(latency.repetitions, 4U);
  EXPECT_EQ(latency.duration, milliseconds(5));
  EXPECT_EQ(latency.drain, milliseconds(6));
  EXPECT_EQ(latency.rate_steps, 34U);  // the coarsest grid that resolves 3 %
  EXPECT_THAT(latency.loads, ElementsAre(Fraction::percent(10)));
  // A trial that waits for nothing would not be judged by the frames that it leaves.
  scenario.parameters.drain = Picoseconds(0);
  EXPECT_GT(settings(TestId::kLatency, scenario).drain, Picoseconds(0));
  const Settings burst = settings(TestId::kBurst, scenario);
  EXPECT_THAT(burst.incast_ratios, ElementsAre(5));
  EXPECT_EQ(burst.max_burst, 99U);
  EXPECT_THAT(settings(TestId::kThroughput, scenario).loads, IsEmpty());
}

TEST(Settings, UdpSweepsFrameSizes) {
  scenario::Scenario scenario = standardScenario();
  scenario.traffic.format.transport = bench::Transport::kUdp;
  const Settings throughput = settings(TestId::kThroughput, scenario);
  EXPECT_FALSE(throughput.message_sizes);
  ASSERT_EQ(throughput.sizes.size(), 7U);  // RFC 2544
  EXPECT_EQ(throughput.sizes[0].frame, Bytes(64));
  EXPECT_EQ(throughput.sizes[6].frame, Bytes(1518));
}

// FACTS: a queue pair is RoCE's, a packet delivery context RUD's and ROD's.
TEST(Settings, QueuePairsAreSweptWhereThereAreSome) {
  scenario::Scenario scenario = standardScenario();
  const auto pairs = [&](bench::Transport transport) {
    scenario.traffic.format.transport = transport;
    return settings(TestId::kLatency, scenario).qps;
  };
  EXPECT_THAT(pairs(bench::Transport::kRoceWrite), ElementsAre(16));
  EXPECT_THAT(pairs(bench::Transport::kUetRud), ElementsAre(16));
  for (const auto none :
       {bench::Transport::kUdp, bench::Transport::kUetRudi, bench::Transport::kUetUud}) {
    EXPECT_THAT(pairs(none), ElementsAre(1));
  }
}

TEST(Settings, RatiosStopAtTheBenchsPorts) {
  scenario::Scenario scenario = standardScenario();
  scenario.topology.hosts = 64;
  EXPECT_THAT(settings(TestId::kBurst, scenario).incast_ratios, ElementsAre(2, 4, 7));
  scenario.topology.hosts = 2;
  EXPECT_THAT(settings(TestId::kBurst, scenario).incast_ratios, ElementsAre(1));
}

// Overheads of FACTS C.3: WRITE Only 78 bytes, SEND 62, IPv6 20 more, VLAN 4 more.
TEST(FrameSize, CountsTheHeaders) {
  bench::FrameFormat format;
  EXPECT_EQ(frameOverhead(format), Bytes(78));
  format.transport = bench::Transport::kRoceSend;
  EXPECT_EQ(frameOverhead(format), Bytes(62));
  format.ipv6 = true;
  EXPECT_EQ(frameOverhead(format), Bytes(82));
  format.vlan_id = 1;
  EXPECT_EQ(frameOverhead(format), Bytes(86));
  format.transport = bench::Transport::kUdp;
  EXPECT_EQ(frameOverhead(format), Bytes(14 + 4 + 40 + 8 + 4));
}

TEST(FrameSize, PadsMessagesToFourBytes) {
  const bench::FrameFormat format;
  EXPECT_EQ(messagePoint(Bytes(4096), format).frame, Bytes(4174));
  EXPECT_EQ(messagePoint(Bytes(65), format).frame, Bytes(78 + 68));
  EXPECT_EQ(messagePoint(Bytes(65), format).payload, Bytes(65));
  EXPECT_EQ(framePoint(Bytes(1024), format).payload, Bytes(946));
}

TEST(Text, IsExact) {
  EXPECT_EQ(durationText(seconds(60)), "60 s");
  EXPECT_EQ(durationText(microseconds(200)), "200 us");
  EXPECT_EQ(durationText(Picoseconds(1'500'000)), "1500 ns");
  EXPECT_EQ(durationText(Picoseconds(3104)), "3104 ps");
  EXPECT_EQ(durationText(Picoseconds()), "0 s");
  EXPECT_EQ(roundedTimeText(Picoseconds(10'485'760)), "10.49 us");
  EXPECT_EQ(roundedTimeText(Picoseconds(66'433'788'160)), "66.43 ms");
  EXPECT_EQ(roundedTimeText(seconds(90)), "90 s");
  EXPECT_EQ(roundedTimeText(Picoseconds()), "0 s");
  EXPECT_EQ(percentText(Fraction::percent(50)), "50 %");
  EXPECT_EQ(percentText(Fraction::partsPerTrillion(984375000000)), "98.4375 %");
}

}  // namespace
}  // namespace plumbline::suite
