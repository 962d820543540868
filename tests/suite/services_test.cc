// T6.1, T6.2 and T6.7 on the bench of simulated hosts: services, and the cost of setup.
#include "suite/training/services.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <variant>

#include "suite/framework/wire_bytes.h"
#include "suite/training/training.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

using ::testing::HasSubstr;

// From a host of one leaf to one of another: links of 50, 250, 250 and 50 ns, three switches of
// 600 ns, a frame of `bytes` stored at each of four ends at 400 Gb/s [ns].
double wayNs(double bytes) { return 600 + 3 * 600 + 4 * bytes * 8 / 400; }

// REQ, REP and RTU: 14 + 20 + 8 + 12 + 8 + 256 + 4 + 4.
constexpr double kMadFrame = 326;
// Three steps of the connection manager with its defaults, and REQ and REP on their way [ns].
const double kQpSetupNs = 3 * 500'000.0 + 2 * wayNs(kMadFrame);

TEST(Services, WireBytesAreThoseOfTheFrames) {
  // 4096 B are Only: 14 + 20 + 8 + 12 + 16 + 4096 + 8 + 20. Two packets: RETH in the first.
  EXPECT_EQ(wireBytesOf(defaultRoce(), Bytes(4096)), 4194);
  EXPECT_EQ(wireBytesOf(defaultRoce(), Bytes(8192)), 4194 + 4178);
  EXPECT_EQ(wireBytesOf(defaultRoce(), Bytes(1)), 14 + 20 + 8 + 12 + 16 + 4 + 8 + 20);
  // 14 + 20 + 8 + 12 + 44 + 4096 + 4 + 20.
  EXPECT_EQ(wireBytesOf(transport::UetSpec(), Bytes(8192)), 2 * 4218);
}

TEST(Services, PayloadSharesAreThoseOfFullPackets) {
  transport::RoceSpec roce;
  EXPECT_DOUBLE_EQ(payloadShareOf(roce), 4096.0 / 4178);
  roce.path_mtu = 256;
  EXPECT_DOUBLE_EQ(payloadShareOf(roce), 256.0 / 338);
  EXPECT_DOUBLE_EQ(payloadShareOf(transport::UetSpec()), 4096.0 / 4218);
}

scenario::Scenario onePoint(std::uint32_t flows) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.flows = {{flows}};
  return scenario;
}

TEST(ServiceThroughput, FindsWhatEachServiceCarries) {
  const results::TestResult result = runTest(serviceThroughputProcedure(), onePoint(1));
  ASSERT_TRUE(result.valid);
  for (const char* service : {"ROD", "RUD", "RUDI", "UUD", "RC", "UC"}) {
    for (const char* direction : {"unidirectional", "bidirectional"}) {
      const std::string point = std::string("1 MiB, 1 flows, ") + direction + ", " + service;
      const double percent = kpi(result, "throughput_percent_of_line", point).value;
      const double payload = kpi(result, "payload_gbps", point).value;
      // 256 packets. RoCEv2: RETH in the first. UET: PDS of 12, RUDI 8, UUD 4 bytes.
      const double slot = std::string(service) == "RUDI"  ? 4214
                          : std::string(service) == "UUD" ? 4210
                          : point.ends_with("C")          ? 4178 + 16.0 / 256
                                                          : 4218;
      const double share = 4096 / slot;  // L1 in payload, exactly
      EXPECT_NEAR(payload, 4 * percent * share, 1e-6) << point;
      // No interval reaches beyond the payload of line rate.
      const auto reach = results::reachOf(kpi(result, "payload_gbps", point));
      if (reach) {
        EXPECT_LE(payload + reach->above, 400 * share * (1 + 1e-9)) << point;
      }
      // A multiple of a sixteenth of line rate.
      EXPECT_NEAR(percent / 6.25, std::round(percent / 6.25), 1e-9) << point;
      // Eight pairs on four leaves: ECMP throws two pairs of a leaf at four uplinks.
      EXPECT_GE(percent, 25) << point;
    }
  }
  // Spray has no such collisions.
  for (const char* service : {"RUD", "RUDI", "UUD"}) {
    const std::string point = std::string("1 MiB, 1 flows, unidirectional, ") + service;
    EXPECT_GE(kpi(result, "throughput_percent_of_line", point).value, 93) << service;
    EXPECT_NE(findKpi(result, "trimmed_packets", point), nullptr);
  }
  EXPECT_EQ(table(result, "services").columns.size(), 9U);
  EXPECT_EQ(table(result, "services").rows.size(), 2U);
}

scenario::Scenario oneUplink() {
  scenario::Scenario scenario = onePoint(1);
  scenario.topology.kind = fabric::TopologyKind::kClos2;
  scenario.topology.leaves = 2;
  scenario.topology.spines = 1;
  scenario.topology.hosts_per_leaf = 4;  // four hosts of a leaf share one uplink: 25 %
  return scenario;
}

// The offered load exceeds the receiver's link: the result must be the carried rate.
// The draft's configuration of hosts, and the resolution, which the draft has at 1/256 or better.
TEST(ServiceThroughput, StatesItsHostsAndItsResolution) {
  scenario::Scenario scenario = onePoint(1);
  transport::RoceSpec roce;
  roce.ipv6 = roce.vlan = true;
  scenario.transport = roce;
  scenario.parameters.resolution = Fraction::percent(10);
  const results::TestResult result = runTest(serviceThroughputProcedure(), scenario);
  std::map<std::string, std::string> lines(result.configuration.begin(),
                                           result.configuration.end());
  EXPECT_EQ(lines["Resolution of the search"], "1/10 of line rate");
  EXPECT_THAT(lines["NIC, RoCEv2 RC"], HasSubstr("IPv6, VLAN tag, path MTU 4096 B"));
  EXPECT_THAT(lines["NIC, UET RUD"], HasSubstr("IPv6, MTU 4096 B"));  // compared over the same IP
  EXPECT_EQ(lines.count("NIC, DCQCN"), 1U);
  EXPECT_THAT(result.deviations, testing::Contains(testing::Field(
                                     &results::Deviation::what,
                                     "resolution of the search: 1/10 of line rate instead of "
                                     "1/256")));
}

TEST(ServiceThroughput, RateIsTheOneCarriedNotTheOneOffered) {
  const results::TestResult result = runTest(serviceThroughputProcedure(), oneUplink());
  for (const char* service : {"RUD", "RC"}) {
    const double percent = kpi(result, "throughput_percent_of_line",
                               std::string("1 MiB, 1 flows, unidirectional, ") + service)
                               .value;
    EXPECT_LE(percent, 25) << service;
    // DCQCN leaves some of the link unused after its first cuts.
    EXPECT_GE(percent, service == std::string("RC") ? 6.25 : 18) << service;
  }
}

// Short messages are as many as the last one's allowance needs: 10 us are 119 of 4 KiB.
TEST(ServiceThroughput, OfShortMessagesIsTheRateCarriedToo) {
  scenario::Scenario scenario = oneUplink();
  scenario.topology.hosts_per_leaf = 2;  // 50 %
  scenario.parameters.sizes = {{Bytes(4096)}};
  scenario.parameters.iterations = 700;
  const results::TestResult result = runTest(serviceThroughputProcedure(), scenario);
  for (const char* service : {"RUD", "RC"}) {
    EXPECT_LE(kpi(result, "throughput_percent_of_line",
                  std::string("4 KiB, 1 flows, unidirectional, ") + service)
                  .value,
              50)
        << service;
  }
  for (const results::Anomaly& anomaly : result.anomalies) {
    EXPECT_EQ(anomaly.what.find("too few or too short"), std::string::npos) << anomaly.what;
  }
}

// Ten kilometres of cable make a message late, not slow: nothing else uses the path.
TEST(ServiceThroughput, OfALongPathIsLineRateAsWell) {
  scenario::Scenario scenario = onePoint(1);
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 2;
  scenario.topology.host_link_delay = microseconds(50);
  const results::TestResult result = runTest(serviceThroughputProcedure(), scenario);
  for (const char* service : {"UUD", "RC", "UC"}) {
    EXPECT_EQ(kpi(result, "throughput_percent_of_line",
                  std::string("1 MiB, 1 flows, unidirectional, ") + service)
                  .value,
              100)
        << service;
  }
}

// Two messages arrive before the allowance for the path is over, whatever the rate: the interval
// contains what the uplink carries.
TEST(ServiceThroughput, OfTooFewMessagesIsUncertain) {
  scenario::Scenario scenario = oneUplink();
  scenario.parameters.sizes = {{Bytes(4096)}};
  scenario.parameters.iterations = 2;
  scenario.parameters.repetitions = 2;
  const results::TestResult result = runTest(serviceThroughputProcedure(), scenario);
  const results::Quantity& rate =
      kpi(result, "throughput_percent_of_line", "4 KiB, 1 flows, unidirectional, RUD");
  EXPECT_LE(rate.value - results::expandedUncertainty(rate)->half, 25);
  EXPECT_TRUE(std::any_of(
      result.anomalies.begin(), result.anomalies.end(), [](const results::Anomaly& anomaly) {
        return anomaly.what.starts_with("at 12 of 12 points messages are too few");
      }));
}

// The search ends sooner or later than planned, by no more than half.
TEST(ServiceThroughput, PlansAboutAsManyTrialsAsItRuns) {
  const scenario::Scenario scenario = onePoint(1);
  SimRunner runner;
  const TestConfig config{scenario, runner.bench.capabilities()};
  const Plan plan = serviceThroughputProcedure().plan(config);
  serviceThroughputProcedure().run(config, runner);
  EXPECT_NEAR(static_cast<double>(plan.trials_expected), static_cast<double>(runner.trials),
              0.5 * static_cast<double>(runner.trials));
}

TEST(ServiceThroughput, TellsSetUpTimesAndHowManyConnectionsSustainTheRate) {
  const results::TestResult result = runTest(serviceThroughputProcedure(), onePoint(16));
  for (const char* service : {"RC", "UC"}) {
    EXPECT_NEAR(kpi(result, "setup_us", service).value, kQpSetupNs / 1e3, 0.01) << service;
  }
  for (const char* service : {"ROD", "RUD"}) {
    // The context, 100 ns, and the first message's way there and its ACK's back.
    EXPECT_GT(kpi(result, "setup_us", service).value, 0.1 + 2 * 2.4) << service;
    EXPECT_LT(kpi(result, "setup_us", service).value, 0.1 + 2 * 2.5) << service;
  }
  EXPECT_EQ(findKpi(result, "setup_us", "UUD"), nullptr);
  for (const char* service : {"ROD", "RUD", "RC", "UC"}) {
    const double max = kpi(result, "sustained_connections", service).value;
    EXPECT_GE(max, 16) << service;
    EXPECT_LE(max, 256) << service;
  }
}

// No more PDCs or QPs than a host may have: 6 of a sweep of 4 and 16, and set-ups of 6 alone.
TEST(ServiceThroughput, HasNoMoreConnectionsThanAHostMayHave) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.flows = {{4, 16}};
  transport::UetSpec uet;
  uet.max_pdcs = 6;
  scenario.transport = uet;
  const results::TestResult result = runTest(serviceThroughputProcedure(), scenario);
  for (const char* service : {"ROD", "RUD"}) {
    const std::string of = std::string(", unidirectional, ") + service;
    EXPECT_NE(findKpi(result, "payload_gbps", "1 MiB, 4 flows" + of), nullptr);
    EXPECT_EQ(findKpi(result, "payload_gbps", "1 MiB, 16 flows" + of), nullptr);
    EXPECT_THAT(deviations(result), HasSubstr(std::string(service) +
                                              " with 16 PDCs or QPs per pair not measured: a host "
                                              "may have 6 (transport.max_pdcs)"));
    EXPECT_LE(kpi(result, "sustained_connections", service).value, 6);
  }
  EXPECT_NE(findKpi(result, "payload_gbps", "1 MiB, 16 flows, unidirectional, RC"), nullptr);
  scenario.parameters.flows = {{4}};
  transport::RoceSpec roce;
  roce.cm.emplace().max_qps = 6;
  scenario.transport = roce;
  const results::TestResult of_qps = runTest(serviceThroughputProcedure(), scenario);
  for (const char* service : {"RC", "UC"}) {
    EXPECT_NEAR(kpi(of_qps, "setup_us", service).value, kQpSetupNs / 1e3, 0.01) << service;
    EXPECT_LE(kpi(of_qps, "sustained_connections", service).value, 6);
  }
}

scenario::Scenario shortMessages() {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.sizes = {{Bytes(64)}};
  scenario.parameters.iterations = 10;
  scenario.parameters.repetitions = 1;
  return scenario;
}

// 64 B from host 0 to host 8.
TEST(ServiceLatency, AtZeroLoadIsThePath) {
  const results::TestResult result = runTest(serviceLatencyProcedure(), shortMessages());
  ASSERT_TRUE(result.valid);
  // RoCEv2 WRITE Only of 64 B: 14 + 20 + 8 + 12 + 16 + 64 + 4 + 4 = 142 B, 2.84 ns; the first bit
  // arrives when it has been stored three times.
  EXPECT_NEAR(kpi(result, "one_way_mean_ns", "64 B, zero load, RC").value, 600 + 3 * 600 + 3 * 2.84,
              0.01);
  EXPECT_GT(kpi(result, "message_mean_ns", "64 B, zero load, ROD").value,
            2 * kpi(result, "one_way_mean_ns", "64 B, zero load, ROD").value - 100);
}

// A first message waits for its QP: three steps, REQ and REP, and the RTU before it on the wire. A
// PDC's waits for its context alone.
TEST(ServiceLatency, FirstMessagesPayForTheirSetUp) {
  const results::TestResult result = runTest(serviceLatencyProcedure(), shortMessages());
  ASSERT_TRUE(result.valid);
  EXPECT_NEAR(kpi(result, "setup_mean_ns", "64 B, first message, RC").value, kQpSetupNs, 10);
  const auto more = [&result](const std::string& service) {
    return kpi(result, "message_mean_ns", "64 B, first message, " + service).value -
           kpi(result, "message_mean_ns", "64 B, zero load, " + service).value;
  };
  // Frames of two pairs of a leaf may meet at a link: some 326 B, 6.5 ns each.
  EXPECT_NEAR(more("RC"), kQpSetupNs + (kMadFrame + 20) * 8 / 400, 20);
  for (const char* service : {"ROD", "RUD"}) EXPECT_NEAR(more(service), 100, 5) << service;
}

// Four pairs with ten PDCs or QPs each: 40 first messages, enough for P50 and few for P95 and more.
TEST(ServiceLatency, FirstMessagesAreManyAndTheirNumberIsTold) {
  const results::TestResult result = runTest(serviceLatencyProcedure(), shortMessages());
  const auto percentileOf = [&result](const char* name) {
    return kpi(result, name, "64 B, first message, RC").percentile.value();
  };
  EXPECT_EQ(percentileOf("message_p50_ns"), (results::Percentile{0.5, 40}));
  EXPECT_FALSE(percentileOf("message_p50_ns").tooFew());
  for (const char* name : {"message_p95_ns", "message_p99_ns", "message_p999_ns"}) {
    EXPECT_TRUE(percentileOf(name).tooFew()) << name;
  }
}

// The scenario's own setup applies: out of band, 30 us, nothing on the wire.
TEST(ServiceLatency, QpsMayBeSetUpOutOfBand) {
  scenario::Scenario scenario = shortMessages();
  transport::RoceSpec roce = defaultRoce();
  roce.setup_time = microseconds(30);
  scenario.transport = roce;
  const results::TestResult result = runTest(serviceLatencyProcedure(), scenario);
  const double more = kpi(result, "message_mean_ns", "64 B, first message, RC").value -
                      kpi(result, "message_min_ns", "64 B, zero load, RC").value;
  EXPECT_NEAR(more, 30'000, 10);
  // No message at zero load waits for it: all take the same time.
  EXPECT_NEAR(kpi(result, "message_mean_ns", "64 B, zero load, RC").value,
              kpi(result, "message_min_ns", "64 B, zero load, RC").value, 1);
}

bool setsUp(const bench::TransportSpec& transport) {
  if (const auto* roce = std::get_if<transport::RoceSpec>(&transport)) {
    return roce->cm || roce->setup_time > Picoseconds(0);
  }
  return std::get<transport::UetSpec>(transport).pdc_setup.has_value();
}

// Whatever the scenario says of set-up, only trials that measure it have any: the first messages of
// T6.2 and the opened connections of T6.7.
TEST(Setup, IsOnlyInTrialsThatMeasureIt) {
  transport::RoceSpec roce = defaultRoce();
  roce.cm.emplace();
  transport::UetSpec uet;
  uet.pdc_setup.emplace();
  const SimRunner runner;
  std::size_t seen = 0;
  for (const bench::TransportSpec& transport :
       {bench::TransportSpec(roce), bench::TransportSpec(uet)}) {
    scenario::Scenario scenario = smallFabric();
    scenario.transport = transport;
    for (const Procedure* test : procedures()) {
      if (!test->onHosts() || test->runsWorkload()) continue;
      for (const PlannedTrial& trial :
           test->plan({scenario, runner.bench.capabilities()}).samples) {
        if (!trial.spec.transport) continue;
        ++seen;
        EXPECT_EQ(setsUp(*trial.spec.transport),
                  trial.label.find("first message") != std::string::npos ||
                      trial.label.find("opened") != std::string::npos)
            << test->id() << ", " << trial.label;
      }
    }
  }
  EXPECT_GT(seen, 100U);
}

// QPs that exist share the host's link, whatever opening one would take.
TEST(Setup, DoesNotSlowDownConnectionsThatExist) {
  const std::string point = "100 connections, established, 64 KiB each, RC";
  const double share =
      kpi(runTest(pdcScaleProcedure(), smallFabric()), "goodput_percent", point).value;
  scenario::Scenario scenario = smallFabric();
  transport::RoceSpec roce = defaultRoce();
  roce.setup_time = milliseconds(10);
  scenario.transport = roce;
  const results::TestResult result = runTest(pdcScaleProcedure(), scenario);
  EXPECT_EQ(kpi(result, "goodput_percent", point).value, share);
  // Out of band, all at once.
  EXPECT_GE(kpi(result, "first_message_p50_us", "100 connections, opened, 64 B each, RC").value,
            10'000);
  EXPECT_TRUE(std::any_of(result.configuration.begin(), result.configuration.end(),
                          [](const auto& line) { return line.first == "QPs and PDCs"; }));
}

// (a) RC: the initiator does two steps of 500 us for each, one at a time: 1,000 a second. RUD: M
// contexts of 100 ns, then the last one's way there and back: frames of 166 B and ACKs of
// 78 B (14 + 20 + 8 + 32 + 4).
TEST(PdcScale, ConnectionsPerSecondAreWhatSetUpPermits) {
  const results::TestResult result = runTest(pdcScaleProcedure(), smallFabric());
  ASSERT_TRUE(result.valid);
  for (const std::uint32_t m : {100U, 1000U}) {
    const std::string point = std::to_string(m) + " connections, opened, 64 B each, ";
    EXPECT_NEAR(kpi(result, "connections_per_s", point + "RC").value, 1000, 1);
    const double last_ns = m * 100.0 + wayNs(166) + wayNs(78);
    EXPECT_NEAR(kpi(result, "connections_per_s", point + "RUD").value, m / (last_ns * 1e-9),
                1e-4 * m / (last_ns * 1e-9));
    for (const char* service : {"RUD", "RC"}) {
      EXPECT_EQ(kpi(result, "most_connections", point + service).value, m) << point;
    }
  }
}

// (c) One connection, then more: together they reach no less than it alone.
// One uplink for four hosts, and a buffer that UET's packets overflow: some services carry no rate.
// A limit on these is not met, and their cells say why.
TEST(ServiceThroughput, APointWithoutARateIsNotMeasured) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.leaves = 2;
  scenario.topology.spines = 1;
  scenario.switches.shared_buffer.reset();
  scenario.switches.trim.reset();
  scenario.switches.ecn.clear();
  scenario.switches.buffer_per_port = Bytes(200'000);
  scenario.parameters.sizes = {{Bytes(256 << 10)}};
  scenario.parameters.flows = {{1}};
  const results::TestResult result = runTest(serviceThroughputProcedure(), scenario);
  ASSERT_TRUE(result.valid) << anomalies(result);
  EXPECT_FALSE(result.unmeasured.empty());
  std::size_t without = 0;
  for (const auto& row : table(result, "services").rows) {
    for (const results::Cell& cell : row) {
      const auto* words = std::get_if<std::string>(&cell);
      if (words == nullptr) continue;
      EXPECT_NE(*words, "not valid");
      without += *words == "no rate passed" ? 1 : 0;
    }
  }
  EXPECT_GT(without, 0U);
  // Both figures of each.
  EXPECT_EQ(result.unmeasured.size(), 2 * without);
}

TEST(PdcScale, ConnectionsAreTheScenarios) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.flows = {{1, 7}};
  const results::TestResult result = runTest(pdcScaleProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  for (const char* point :
       {"1 connections, opened, 64 B each, RC", "7 connections, opened, 64 B each, RC"}) {
    EXPECT_NE(findKpi(result, "connections_per_s", point), nullptr) << point;
  }
  EXPECT_NE(findKpi(result, "goodput_percent", "7 connections, established, 64 KiB each, RUD"),
            nullptr);
  EXPECT_EQ(findKpi(result, "goodput_percent", "100 connections, established, 64 KiB each, RC"),
            nullptr);
}

TEST(PdcScale, FindsTheMostConcurrentConnections) {
  const results::TestResult result = runTest(pdcScaleProcedure(), smallFabric());
  for (const char* service : {"RUD", "RC"}) {
    const std::string one = std::string("1 connections, established, 64 KiB each, ") + service;
    EXPECT_EQ(findKpi(result, "of_single_connection_percent", one), nullptr);
    EXPECT_EQ(kpi(result, "concurrent_connections", service).value, 1000) << service;
  }
}

// PDCs that wait for an id of their host limit the number in use.
// Two leaves with two hosts each and one uplink of a fifth of the hosts' rate: half a host's peers
// and more are behind it, and so is that of the single connection. The uplink is no limit of
// connections.
TEST(PdcScale, ASlowUplinkIsNoLimitOfConnections) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.leaves = 2;
  scenario.topology.spines = 1;
  scenario.topology.hosts_per_leaf = 2;
  scenario.topology.fabric_rate = gigabitsPerSecond(80);
  const results::TestResult result = runTest(pdcScaleProcedure(), scenario);
  for (const char* service : {"RUD", "RC"}) {
    const std::string established = " connections, established, 64 KiB each, ";
    EXPECT_LT(kpi(result, "goodput_percent", "1" + established + service).value, 20) << service;
    EXPECT_EQ(kpi(result, "concurrent_connections", service).value, 100) << service;
  }
}

// Cables of 10 us: a round trip of 21.2 us is 1.06 MB at 400 Gb/s. One connection alone fills the
// link all the same, less the last message's way, and all together are no faster.
TEST(PdcScale, OneConnectionFillsALongPath) {
  scenario::Scenario scenario;
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = 3;
  scenario.topology.link_rate = gigabitsPerSecond(400);
  scenario.topology.host_link_delay = microseconds(5);
  scenario.switches.latency = nanoseconds(600);
  const results::TestResult result = runTest(pdcScaleProcedure(), scenario);
  for (const char* service : {"RUD", "RC"}) {
    const std::string established = " connections, established, 64 KiB each, ";
    EXPECT_GT(kpi(result, "goodput_percent", "1" + established + service).value, 90) << service;
    EXPECT_NEAR(kpi(result, "of_single_connection_percent", "100" + established + service).value,
                100, 5)
        << service;
  }
}

TEST(PdcScale, TheHostsNumberOfPdcsLimits) {
  scenario::Scenario scenario = smallFabric();
  transport::UetSpec uet;
  uet.max_pdcs = 40;
  uet.base_rtt = microseconds(5);
  scenario.transport = uet;
  const results::TestResult result = runTest(pdcScaleProcedure(), scenario);
  EXPECT_EQ(kpi(result, "most_connections", "100 connections, opened, 64 B each, RUD").value, 40);
  // More than 40 are not presented as if they were all in use.
  EXPECT_EQ(kpi(result, "concurrent_connections", "RUD").value, 1);
  EXPECT_EQ(kpi(result, "concurrent_connections", "RC").value, 1000);
  for (const results::Kpi& one : result.kpis) {
    EXPECT_FALSE(one.point.ends_with("00 connections, established, 64 KiB each, RUD")) << one.point;
  }
  EXPECT_EQ(text(table(result, "maximum").rows.at(0).at(2)),
            "none found: transport.max_pdcs allows no larger number of the sweep");
  EXPECT_THAT(deviations(result), HasSubstr("a host may have 40 connections of RUD "
                                            "(transport.max_pdcs): of 100 or 1000 opened at once"));
}

// A QP that is rejected fails its message, and the trial would not be valid.
TEST(PdcScale, QpsBeyondTheHostsNumberAreLeftOut) {
  scenario::Scenario scenario = smallFabric();
  transport::RoceSpec roce;
  roce.cm.emplace().max_qps = 150;
  scenario.transport = roce;
  const results::TestResult result = runTest(pdcScaleProcedure(), scenario);
  EXPECT_TRUE(result.valid);
  EXPECT_EQ(kpi(result, "most_connections", "100 connections, opened, 64 B each, RC").value, 100);
  EXPECT_EQ(kpi(result, "concurrent_connections", "RC").value, 100);
  EXPECT_EQ(kpi(result, "concurrent_connections", "RUD").value, 1000);
  for (const results::Kpi& one : result.kpis) {
    EXPECT_FALSE(one.point.starts_with("1000 ") && one.point.ends_with(" RC")) << one.point;
  }
  EXPECT_THAT(deviations(result), HasSubstr("a host may have 150 connections of RC "
                                            "(transport.connections.max_qps): 1000 are not"));
}

}  // namespace
}  // namespace plumbline::suite
