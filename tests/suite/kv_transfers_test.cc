// I5.1 to I5.4 on simulated hosts, compared with hand calculations. At 400 Gb/s a byte takes 20 ps.
// A full packet is 4096 B of payload and 62 B of headers, trailers included; preamble and gap are
// 20 B more, and the first packet of a message has 16 B of RETH.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "suite/inference/inference.h"
#include "suite/inference/transfers.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

constexpr double kBytePs = 20;
constexpr double kSlotPs = (4096 + 62 + 20) * kBytePs;  // 83,560

// Two leaves, one spine: one path. Links of 50 and 250 ns, switches of 600 ns that cut through.
scenario::Scenario onePath(std::uint32_t hosts_per_leaf) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.leaves = 2;
  scenario.topology.spines = 1;
  scenario.topology.hosts_per_leaf = hosts_per_leaf;
  scenario.switches.forwarding = fabric::Forwarding::kCutThrough;
  scenario.parameters.repetitions = 1;
  return scenario;
}
// From the first bit at the sender to the last one of the message at the receiver: propagation, the
// latency of three switches, all slots but the last one, and the last packet itself.
double arrivalUs(std::int64_t packets) {
  const double way = 1e3 * (2 * 50 + 2 * 250 + 3 * 600);
  const double reth = 16 * kBytePs;
  const double last = (4096 + 62) * kBytePs;
  return (way + static_cast<double>(packets - 1) * kSlotPs + reth + last) / 1e6;
}

TEST(KvTransferTimes, OfTheDraft) {
  EXPECT_EQ(packetsOf(Bytes(64 * kKibibyte)), 16);
  EXPECT_EQ(packetsOf(Bytes(kGibibyte)), 262'144);
  EXPECT_EQ(packetsOf(Bytes(4097)), 2);
  // 50 GB/s * 4096 / 4178.
  EXPECT_NEAR(payloadCeiling(transport::RoceSpec(), gigabitsPerSecond(400)), 49.0187, 1e-4);
  EXPECT_EQ(wireTimeOf(Bytes(16 * kMebibyte), gigabitsPerSecond(400)),
            Picoseconds(4096 * 83'560 + 320));
}

// A service that loses messages without a word has no times of them.
TEST(KvTransferTimes, NeedATransportThatAcknowledges) {
  SimRunner runner;
  transport::RoceSpec uc;
  uc.service = transport::RoceService::kUc;
  transport::UetSpec uud;
  uud.service = transport::UetService::kUud;
  for (const bench::TransportSpec& transport :
       {bench::TransportSpec(uc), bench::TransportSpec(uud)}) {
    scenario::Scenario scenario = smallFabric();
    scenario.transport = transport;
    for (const Procedure* test : {&kvThroughputProcedure(), &kvLatencyProcedure(),
                                  &kvScalingProcedure(), &tierProcedure()}) {
      EXPECT_EQ(test->plan({scenario, runner.bench.capabilities()}).refusals.size(), 1U)
          << test->id();
    }
  }
}

// One path: the wire is the limit, whatever the number of queue pairs.
TEST(KvThroughput, IsThatOfTheWireWithAnyNumberOfQueuePairs) {
  scenario::Scenario scenario = onePath(2);
  scenario.parameters.sizes = {{Bytes(64 * kKibibyte), Bytes(kMebibyte), Bytes(10'000)}};
  scenario.parameters.flows = {{1, 16}};
  const results::TestResult result = runTest(kvThroughputProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  struct Size {
    const char* text;
    double bytes, packets, wire_bytes;
  };
  for (const Size& size :
       {Size{"64 KiB", 65'536, 16, 16 * 4178 + 16}, Size{"1 MiB", 1'048'576, 256, 256 * 4178 + 16},
        // Two full packets and one of 1,808 B.
        Size{"10000 B", 10'000, 3, 3 * 82 + 10'000 + 16}}) {
    for (const char* qps : {"1 QP", "16 QPs"}) {
      const std::string point = std::string(size.text) + ", " + qps;
      const double rate = kpi(result, "kv_gigabytes_per_s", point).value;
      const double wire = 50 * size.bytes / size.wire_bytes;
      // 64 MiB at least; the way there and back is below 10 us.
      const double least_us = 67'108'864 / wire / 1e3;
      EXPECT_LE(rate, wire) << point;
      EXPECT_GE(rate, wire * least_us / (least_us + 10)) << point;
      EXPECT_NEAR(kpi(result, "goodput_percent", point).value, 2 * rate, 1e-9) << point;
      EXPECT_GT(kpi(result, "flow_jfi", point).value, 0.99) << point;
    }
  }
  const auto& chart = result.charts.at(0);
  EXPECT_EQ(chart.series.at(0).name, "NIC line rate");
  EXPECT_TRUE(chart.series.at(0).reference);
  EXPECT_EQ(chart.series.at(0).y.at(0), 50);
  EXPECT_TRUE(chart.log_x);
}

TEST(KvLatency, AloneIsExactlyItsPacketsAndThePath) {
  scenario::Scenario scenario = onePath(2);
  scenario.parameters.sizes = {
      {Bytes(4096), Bytes(64 * kKibibyte), Bytes(kMebibyte), Bytes(16 * kMebibyte)}};
  scenario.parameters.loads = {{Fraction::percent(25)}};
  scenario.parameters.iterations = 3;
  const results::TestResult result = runTest(kvLatencyProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  for (const auto& [text, packets] : {std::pair{"4 KiB", 1}, std::pair{"64 KiB", 16},
                                      std::pair{"1 MiB", 256}, std::pair{"16 MiB", 4096}}) {
    const std::string point = std::string(text) + ", 0 %, none";
    for (const char* what : {"kv_transfer_min_us", "kv_transfer_max_us"}) {
      EXPECT_NEAR(kpi(result, what, point).value, arrivalUs(packets), 1e-6) << what << point;
    }
    EXPECT_EQ(kpi(result, "background_percent", point).value, 0);
    // The acknowledgement returns on the same path.
    EXPECT_GT(kpi(result, "kv_completion_p50_us", point).value, arrivalUs(packets) + 2.4);
  }
}

// Single packets beside the Poisson background of sixteen hosts at half of the link: the wait is
// that of an M/D/1 queue, in the mean rho / (2 (1 - rho)) = 0.5 services, each a packet with RETH.
// Sixteen senders that cannot send two packets at once make it up to a sixteenth less even.
TEST(KvLatency, OfOnePacketBesidePoissonBackgroundIsThatOfMd1) {
  scenario::Scenario scenario = onePath(17);
  scenario.parameters.sizes = {{Bytes(4096)}};
  scenario.parameters.loads = {{Fraction::percent(50), Fraction::percent(80)}};
  scenario.parameters.iterations = 3000;
  const results::TestResult result = runTest(kvLatencyProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  const double service_us = 4194 * kBytePs / 1e6;
  for (const auto& [load, mean] : {std::pair{"50", 0.5}, std::pair{"80", 2.0}}) {
    const std::string point = std::string("4 KiB, ") + load + " %, ";
    const double wait =
        (kpi(result, "kv_transfer_mean_us", point + "Poisson").value - arrivalUs(1)) / service_us;
    EXPECT_GT(wait, 0.8 * mean) << load;
    EXPECT_LT(wait, 1.1 * mean) << load;
    EXPECT_NEAR(kpi(result, "background_percent", point + "Poisson").value, std::stod(load), 2);
    EXPECT_NEAR(kpi(result, "background_percent", point + "constant").value, std::stod(load), 2);
    // Constant gaps leave less to chance.
    EXPECT_LT(kpi(result, "kv_transfer_mean_us", point + "constant").value,
              kpi(result, "kv_transfer_mean_us", point + "Poisson").value);
  }
  // P99 of the waiting time in M/D/1 at a load of 0.5: 3.34 service times.
  const double p99 =
      (kpi(result, "kv_transfer_p99_us", "4 KiB, 50 %, Poisson").value - arrivalUs(1)) / service_us;
  EXPECT_GT(p99, 0.8 * 3.34);
  EXPECT_LT(p99, 1.2 * 3.34);
}

// First in, first out: while n packets of a message arrive, rho n of others do, so that its last
// one waits W = rho n slots plus the rest of the previous message's queue. That one left rho W
// behind it, of which (1 - rho) g was sent until the next one came, g later: W = rho / (1 - rho) n
// slots - g.
TEST(KvLatency, OfManyPacketsGrowsWithTheBackground) {
  scenario::Scenario scenario = onePath(9);
  scenario.switches.pfc->xoff = Bytes(4'000'000);
  scenario.parameters.sizes = {{Bytes(kMebibyte)}};
  scenario.parameters.loads = {{Fraction::percent(50)}};
  scenario.parameters.iterations = 100;
  const results::TestResult result = runTest(kvLatencyProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  const double p50 = kpi(result, "kv_transfer_p50_us", "1 MiB, 50 %, Poisson").value;
  const double wire = 256 * kSlotPs / 1e6;
  EXPECT_EQ(kpi(result, "pfc_per_s", "1 MiB, 50 %, Poisson").value, 0);
  // From the first switch to the receiver, the acknowledgement, and again to the first switch.
  const double gap = (250 + 600 + 250 + 600 + 50 + 83.16) / 1e3 + 2.4 + 0.65;
  EXPECT_NEAR(p50 - arrivalUs(256), wire - gap, 0.05 * wire);
  EXPECT_EQ(result.distributions.size(), 3U);
}

TEST(KvLatency, RefusesWhatSharesNoPath) {
  scenario::Scenario scenario = onePath(1);
  SimRunner runner;
  EXPECT_NE(kvLatencyProcedure()
                .plan({scenario, runner.bench.capabilities()})
                .refusals.at(0)
                .find("a second host"),
            std::string::npos);
  scenario = onePath(4);
  scenario.topology.leaves = 1;
  EXPECT_NE(kvLatencyProcedure()
                .plan({scenario, runner.bench.capabilities()})
                .refusals.at(0)
                .find("on one leaf"),
            std::string::npos);
  // Three hosts cannot fill four uplinks to 90 %.
  scenario = smallFabric();
  const Plan plan = kvLatencyProcedure().plan({scenario, runner.bench.capabilities()});
  EXPECT_TRUE(plan.refusals.empty());
  for (const std::string& point : plan.points) {
    EXPECT_EQ(point.find("90 %"), std::string::npos);
  }
}

// Spray on a fabric without oversubscription: every pair has a path of its own, as if alone.
TEST(KvScaling, WithSprayEveryPairIsAsFastAsAlone) {
  scenario::Scenario scenario = smallFabric();
  scenario.switches.forwarding = fabric::Forwarding::kCutThrough;
  scenario.transport = transport::RoceSpec{};
  scenario.parameters.repetitions = 1;
  scenario.parameters.flows = {{1, 4, 8}};
  const results::TestResult result = runTest(kvScalingProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  // 16 MiB: 4096 slots, and the way there and back, whose acknowledgement is below 0.1 us.
  const double time_us = arrivalUs(4096);
  for (const int pairs : {1, 4, 8}) {
    const std::string point = std::to_string(pairs) + " pairs, packet spray";
    const double max = pairs * 16.777216e6 / (time_us + 2.4) / 1e3;
    const double rate = kpi(result, "kv_gigabytes_per_s", point).value;
    EXPECT_LE(rate, max) << point;
    EXPECT_GT(rate, 0.99 * max) << point;
    EXPECT_GT(rate, 0.97 * pairs * 49.0187) << point;
    EXPECT_GT(kpi(result, "flow_jfi", point).value, 0.999) << point;
    EXPECT_NEAR(kpi(result, "kv_transfer_p50_us", point).value, time_us, 0.01 * time_us) << point;
    EXPECT_GT(kpi(result, "uplink_jfi", point).value, 0.99) << point;
  }
  EXPECT_NEAR(kpi(result, "kv_transfer_p50_us", "1 pairs, ECMP").value, time_us, 0.01 * time_us);
}

// ECMP distributes the four flows of each of two leaves over four uplinks each. The squared
// coefficient of variation of m flows on n links has the mean (n - 1) / m: of the eight links
// together 0.75 or, with one mean for both leaves, the same. JFI = 1 / (1 + CV^2).
TEST(KvScaling, WithEcmpUplinksAreAsEvenAsBallsInBins) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.leaves = 8;
  scenario.topology.hosts_per_leaf = 8;
  scenario.transport = transport::RoceSpec{};
  scenario.parameters.repetitions = 6;
  scenario.parameters.iterations = 1;
  scenario.parameters.sizes = {{Bytes(256 * kKibibyte)}};
  scenario.parameters.balancing = {{"ecmp"}};
  scenario.parameters.flows = {{32}};
  const results::TestResult result = runTest(kvScalingProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  // Four leaves of eight flows on four uplinks: 1 / (1 + 3 / 8).
  EXPECT_NEAR(kpi(result, "uplink_jfi", "32 pairs, ECMP").value, 1 / (1 + 3.0 / 8), 0.07);
}

// Leaves of pools have names of their own. Eight pairs, sprayed: even. One flow by ECMP is on one
// of the eight uplinks of its leaf, two cables to each of four spines.
TEST(KvScaling, UplinksOfPools) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.kind = fabric::TopologyKind::kPools;
  scenario.topology.prefill_leaves = 2;
  scenario.topology.decode_leaves = 2;
  scenario.topology.uplinks = 2;
  scenario.transport = transport::RoceSpec{};
  scenario.parameters.repetitions = 1;
  scenario.parameters.iterations = 1;
  scenario.parameters.sizes = {{Bytes(4096 * kKibibyte)}};
  scenario.parameters.balancing = {{"ecmp", "spray"}};
  scenario.parameters.flows = {{1, 8}};
  const results::TestResult result = runTest(kvScalingProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  EXPECT_GT(kpi(result, "uplink_jfi", "8 pairs, packet spray").value, 0.99);
  EXPECT_DOUBLE_EQ(kpi(result, "uplink_jfi", "1 pairs, ECMP").value, 1 / 8.0);
}

}  // namespace
}  // namespace plumbline::suite
