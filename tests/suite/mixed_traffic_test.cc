// I5.4, I8.1 to I8.4 and I9.3 on simulated hosts, compared with hand calculations: at 400 Gb/s a
// byte takes 20 ps, and a full packet of 4,158 B a slot of 83.56 ns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "suite/inference/class_rates.h"
#include "suite/inference/inference.h"
#include "suite/inference/tiers.h"
#include "suite/inference/transfers.h"
#include "tests/suite/fake_dut.h"
#include "tests/suite/sim_runner.h"

namespace plumbline::suite {
namespace {

constexpr double kSlotUs = 0.08356;
constexpr double kPacket = 4158;

scenario::Scenario oneSwitch(std::uint32_t hosts) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.kind = fabric::TopologyKind::kSingleSwitch;
  scenario.topology.hosts = hosts;
  scenario.parameters.repetitions = 1;
  return scenario;
}

// M packets come in a slot and one leaves: the queue grows by M - 1. The first one of a message has
// 16 B more, and the switch stores a packet before it queues it.
TEST(EcnIncast, MarksFirstWhereTheQueueExceedsTheThreshold) {
  scenario::Scenario scenario = oneSwitch(9);
  scenario.parameters.incast_ratios = {{2, 8}};
  scenario.parameters.sizes = {{Bytes(100'000), Bytes(1'000'000)}};
  const results::TestResult result = runTest(ecnIncastProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  for (const int senders : {2, 8}) {
    for (const double threshold : {1e5, 1e6}) {
      const std::string point = std::to_string(senders) + " senders, " +
                                (threshold < 5e5 ? "100000 B" : "1000000 B") + ", none";
      const double queue = kpi(result, "queue_at_onset_bytes", point).value;
      EXPECT_GT(queue, threshold);
      EXPECT_NEAR(queue / kPacket, std::ceil(threshold / kPacket), 1) << point;
      // 50 ns of cable, 600 ns of switch, 4,174 B stored; then K / (4158 (M - 1)) slots.
      const double way = 0.65 + 4174 * 20e-6;
      const double grown = threshold / kPacket / (senders - 1) * kSlotUs;
      EXPECT_NEAR(kpi(result, "ecn_onset_us", point).value, way + grown, 2 * kSlotUs) << point;
      // K / ((M - 1) 50 GB/s), as the draft's reader computes it: without gaps, so half a per cent
      // less.
      EXPECT_NEAR(kpi(result, "ecn_onset_computed_us", point).value,
                  way + threshold / (senders - 1) / 50e3, 1e-3);
      // The link is never idle: all packets in their slots, and the way.
      const double wire = senders * (4096 * kSlotUs + 16 * 20e-6);
      const double goodput = kpi(result, "goodput_percent", point).value;
      EXPECT_LE(goodput, 100.0 * senders * 16'777'216 * 20e-6 / wire);
      EXPECT_GE(goodput, 100.0 * senders * 16'777'216 * 20e-6 / (wire + 3));
      EXPECT_EQ(kpi(result, "drop_ppm", point).value, 0);
      // Not marked: packets that find no more than K while the queue grows, M / (M - 1) of K; while
      // it drains no packets arrive.
      const double unmarked = threshold / kPacket * senders / (senders - 1);
      EXPECT_NEAR(kpi(result, "ecn_percent", point).value, 100 - 100 * unmarked / (4096 * senders),
                  0.1)
          << point;
    }
  }
}

// One sender fills no queue. A limit on the time to the first mark is not met by other points.
TEST(EcnIncast, WithoutAMarkThereIsNoOnset) {
  scenario::Scenario scenario = oneSwitch(5);
  scenario.parameters.incast_ratios = {{1, 2}};
  scenario.parameters.sizes = {{Bytes(100'000), Bytes(30'000'000)}};
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(ecnIncastProcedure(), scenario);
  EXPECT_EQ(kpi(result, "ecn_percent", "1 senders, 100000 B, none").value, 0);
  EXPECT_EQ(findKpi(result, "ecn_onset_computed_us", "1 senders, 100000 B, none"), nullptr);
  EXPECT_GT(kpi(result, "ecn_onset_us", "2 senders, 100000 B, none").value, 0);
  std::size_t without = 0;
  for (const results::UnmeasuredKpi& one : result.unmeasured) {
    if (one.name == "ecn_onset_us") ++without;
  }
  EXPECT_EQ(without, 6U);  // but for the two of 100 KB and two senders
  EXPECT_NE(result.summary.find("Nothing is marked at 6 points."), std::string::npos)
      << result.summary;
}

// A packet of 256 B of payload has 318 B and 16 B of RETH in the first. It is stored in 6.68 ns.
TEST(EcnIncast, OnsetIsThatOfTheScenariosPackets) {
  scenario::Scenario scenario = oneSwitch(3);
  transport::RoceSpec roce;
  roce.path_mtu = 256;
  scenario.transport = roce;
  scenario.parameters.incast_ratios = {{2}};
  scenario.parameters.sizes = {{Bytes(100'000)}};
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(ecnIncastProcedure(), scenario);
  const std::string point = "2 senders, 100000 B, none";
  EXPECT_NEAR(kpi(result, "ecn_onset_computed_us", point).value,
              0.65 + 334 * 20e-6 + 100'000 / 50e3, 1e-3);
  // The queue grows by 318 B in a slot of 338 B.
  EXPECT_NEAR(kpi(result, "ecn_onset_us", point).value,
              0.65 + 334 * 20e-6 + 100'000.0 / 318 * 338 * 20e-6, 3 * 338 * 20e-6);
  EXPECT_EQ(kpi(result, "drop_ppm", point).value, 0);
}

TEST(EcnIncast, RefusesASwitchOfTwoHosts) {
  const scenario::Scenario scenario = oneSwitch(2);
  SimRunner runner;
  EXPECT_EQ(ecnIncastProcedure().plan({scenario, runner.bench.capabilities()}).refusals.size(), 1U);
}

// 16 MiB take 342.3 us. Four in 10 ms never meet; four in 100 us do, and take 1,369 us in all.
TEST(PfcBursts, PauseOnlyWhereTransfersMeet) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.repetitions = 1;
  scenario.parameters.incast_ratios = {{4}};
  scenario.parameters.sizes = {{Bytes(10'000), Bytes(200'000)}};
  const results::TestResult result = runTest(pfcBurstProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  for (const char* xoff : {"10000 B", "200000 B"}) {
    const std::string calm = std::string("4 bursts, 10 ms, ") + xoff;
    EXPECT_EQ(kpi(result, "pause_frames", calm).value, 0);
    EXPECT_EQ(kpi(result, "paused_us", calm).value, 0);
    EXPECT_EQ(kpi(result, "pause_hops", calm).value, 0);
    EXPECT_NEAR(kpi(result, "kv_transfer_max_us", calm).value, 4096 * kSlotUs + 2.7, 0.5);
    // The last one is posted 7.5 ms after the first.
    EXPECT_NEAR(kpi(result, "completion_us", calm).value, 7500 + 4096 * kSlotUs + 5, 4);
    const std::string burst = std::string("4 bursts, 100 us, ") + xoff;
    EXPECT_GT(kpi(result, "pause_frames", burst).value, 0);
    EXPECT_GE(kpi(result, "completion_us", burst).value, 4 * 4096 * kSlotUs);
    EXPECT_EQ(kpi(result, "drop_ppm", burst).value, 0);
    EXPECT_GE(kpi(result, "hol_same_class_us", burst).value,
              kpi(result, "hol_same_class_us", calm).value);
  }
  EXPECT_LE(kpi(result, "completion_us", "4 bursts, 100 us, 200000 B").value,
            1.05 * 4 * 4096 * kSlotUs);
}

// A frame of the highest strict priority waits for the end of one frame at each port of switches,
// however much the lossless class sends and is paused.
TEST(PfcBursts, DoNotHoldUpAHigherClass) {
  scenario::Scenario scenario = smallFabric();
  scenario.topology.hosts_per_leaf = 8;
  scenario.parameters.repetitions = 1;
  scenario.parameters.incast_ratios = {{16}};
  scenario.parameters.sizes = {{Bytes(10'000)}};
  const results::TestResult result = runTest(pfcBurstProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  for (const char* window : {"100 us", "10 ms"}) {
    const std::string point = std::string("16 bursts, ") + window + ", 10000 B";
    EXPECT_LE(kpi(result, "hol_other_class_us", point).value, 3 * kSlotUs) << point;
  }
  EXPECT_GT(kpi(result, "hol_same_class_us", "16 bursts, 100 us, 10000 B").value, 1);
}

// By strict priority a class below the bursts' would wait for them without any pause.
TEST(PfcBurst, NeedsAClassThatIsServedBeforeTheBursts) {
  scenario::Scenario scenario = smallFabric();
  scenario.switches.pfc->priorities = 0x80;
  SimRunner runner;
  const auto refusals = [&] {
    return pfcBurstProcedure().plan({scenario, runner.bench.capabilities()}).refusals;
  };
  EXPECT_THAT(refusals(), testing::Contains(testing::HasSubstr("dut.switch.weights")));
  scenario.switches.weights[7] = 1;  // all others before it
  EXPECT_THAT(refusals(), testing::IsEmpty());
}

TEST(Tiers, AreThePipelineOfTheirLegs) {
  // Three legs of 2, 5 and 1 us: eight chunks take 8 us and seven times the slowest.
  const std::vector<TierStage> stages{{"a", 2}, {"b", 5}, {"c", 1}};
  EXPECT_DOUBLE_EQ(pipelineMicroseconds(stages, 1), 8);
  EXPECT_DOUBLE_EQ(pipelineMicroseconds(stages, 8), 8 + 7 * 5);
  // 1.2 chunks: the first leaves the stages at 2, 7 and 8 us, its fifth at 2.4, 8 and 8.2 us. With
  // seven chunks more between them all of the last two stages is 35 us later.
  EXPECT_DOUBLE_EQ(pipelineMicroseconds(stages, 1.2), 8.2);
  EXPECT_DOUBLE_EQ(pipelineMicroseconds(stages, 8.2), 8 + 7 * 5 + 0.2);
  // 257 KiB to an SSD: 256 KiB at 55 GB/s, and all at 7.
  EXPECT_NEAR(
      pipelineMicroseconds({{"PCIe", 262'144 / 55e3}, {"NVMe", 262'144 / 7e3}}, 257.0 / 256),
      262'144 / 55e3 + 263'168 / 7e3, 1e-9);
  EXPECT_DOUBLE_EQ(pipelineGigabytes(stages, Bytes(50'000)), 10);
  EXPECT_DOUBLE_EQ(chunkMicroseconds(Bytes(55'000), 55), 1);
}

TEST(Tiers, BetweenServersTheFabricIsTheSlowestLeg) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(tierProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  const double chunk = 262'144;
  const double fabric = kpi(result, "kv_gigabytes_per_s", "GPU to GPU, 16 MiB").value;
  EXPECT_GT(fabric, 0.98 * 49.0187);
  EXPECT_LT(fabric, 49.0187);
  EXPECT_NEAR(kpi(result, "tier_gigabytes_per_s", "GPU to GPU, 16 MiB").value, fabric, 1e-9);
  EXPECT_NEAR(kpi(result, "tier_vs_gpu_percent", "host memory to GPU, 16 MiB").value, 100, 1e-9);
  // 64 chunks: PCIe twice, the first one through the fabric, 63 at the fabric's rate.
  const double first = kpi(result, "kv_transfer_p50_us", "GPU to GPU, 16 MiB").value;
  EXPECT_NEAR(kpi(result, "tier_transfer_p50_us", "GPU to GPU, 16 MiB").value,
              2 * chunk / 55e3 + first + 63 * chunk / fabric / 1e3, 1e-6);
  EXPECT_NEAR(kpi(result, "tier_gigabytes_per_s", "GPU to NVMe, 16 MiB").value, 7, 1e-9);
  EXPECT_NEAR(kpi(result, "tier_transfer_p99_us", "GPU to NVMe, 16 MiB").value,
              chunk / 55e3 + 64 * chunk / 7e3, 1e-6);
  EXPECT_NEAR(kpi(result, "tier_vs_gpu_percent", "GPU to NVMe, 1 MiB").value, 700 / fabric, 1e-6);
  EXPECT_EQ(findKpi(result, "kv_gigabytes_per_s", "GPU to NVMe, 1 MiB"), nullptr);
}

// Rates by hand: KV 10 B a sample of 1 us until EP joins at sample 20, then both half of it.
TEST(ClassRates, SettleAtTheFirstWindowThatStays) {
  bench::Samples samples;
  samples.interval = microseconds(1);
  samples.flows = {{0, 1, 0}, {1, 3, 0}};
  std::uint64_t kv = 0;
  std::uint64_t ep = 0;
  for (int i = 0; i < 80; ++i) {
    kv += i < 30 ? 1000 : 500;
    ep += i < 20 ? 0 : i < 30 ? 0 : 500;
    samples.samples.emplace_back().received = {kv, ep};
  }
  const auto settling = settlingOf(classRates(samples), microseconds(20));
  ASSERT_TRUE(settling);
  EXPECT_NEAR(settling->kv_gbps, 4, 1e-9);  // 500 B/us
  EXPECT_NEAR(settling->ep_gbps, 4, 1e-9);
  ASSERT_TRUE(settling->settled);
  EXPECT_EQ(*settling->settled, microseconds(10));
  // One that rises to the end is not steady.
  for (std::size_t i = 0; i < 80; ++i) {
    samples.samples[i].received[1] = static_cast<std::uint64_t>(i * i);
  }
  EXPECT_FALSE(settlingOf(classRates(samples), microseconds(20))->settled);
}

// Rates are over ten samples: of 14 samples since the joining the last third begins after nine, and
// its first rate is over samples since the joining alone. Of 13 it is not.
TEST(ClassRates, AreNotSteadyBeforeAWholeWindowAfterTheJoining) {
  bench::Samples samples;
  samples.interval = microseconds(1);
  samples.flows = {{0, 1, 0}, {1, 3, 0}};
  EXPECT_FALSE(settlingOf(classRates(samples), microseconds(0)));
  EXPECT_FALSE(settlingOf(classRates(samples), microseconds(5)));
  for (std::uint64_t i = 1; i <= 5 + 13; ++i) {
    samples.samples.emplace_back().received = {1000 * i, 500 * i};
  }
  EXPECT_FALSE(settlingOf(classRates(samples), microseconds(5)));
  samples.samples.emplace_back().received = {19'000, 9'500};
  const auto settling = settlingOf(classRates(samples), microseconds(5));
  ASSERT_TRUE(settling);
  EXPECT_NEAR(settling->kv_gbps, 8, 1e-9);  // 1000 B/us
  EXPECT_NEAR(settling->ep_gbps, 4, 1e-9);
}

TEST(MixedTraffic, KvHasWhatItOffersAtMost) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.repetitions = 1;
  scenario.parameters.duration = microseconds(400);
  const results::TestResult result = runTest(mixedConvergenceProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  // Eight decode hosts' links, and eight prefill hosts' 80 %, of payload 4096 in 4178 B.
  const double link = 400 * 4096.0 / 4178;
  for (const char* point : {"EP joins KV, RoCEv2 RC, DCQCN", "EP joins KV, UET RUD, NSCC",
                            "KV joins EP, RoCEv2 RC, DCQCN", "KV joins EP, UET RUD, NSCC"}) {
    const double kv = kpi(result, "kv_steady_gbps", point).value;
    const double ep = kpi(result, "ep_steady_gbps", point).value;
    EXPECT_GT(kv, 0) << point;
    EXPECT_GT(ep, 0) << point;
    EXPECT_LE(kv + ep, 1.01 * 8 * link) << point;
    EXPECT_NEAR(kpi(result, "class_jfi", point).value,
                (kv + ep) * (kv + ep) / (2 * (kv * kv + ep * ep)), 1e-9);
  }
}

// Samples are 20 us: there is none, one from before the joining, and no whole window after it.
TEST(MixedTraffic, ShortTrialsDoNotObserveSteadyRates) {
  for (const Picoseconds duration : {microseconds(3), microseconds(25), microseconds(200)}) {
    scenario::Scenario scenario = smallFabric();
    scenario.parameters.repetitions = 1;
    scenario.parameters.duration = duration;
    const results::TestResult result = runTest(mixedConvergenceProcedure(), scenario);
    ASSERT_TRUE(result.valid);
    for (const char* figure :
         {"class_convergence_us", "kv_steady_gbps", "ep_steady_gbps", "class_jfi"}) {
      EXPECT_TRUE(isUnmeasured(result, figure, "EP joins KV, UET RUD, NSCC"))
          << figure << " " << duration.count();
      EXPECT_EQ(findKpi(result, figure, "EP joins KV, UET RUD, NSCC"), nullptr) << figure;
    }
    EXPECT_NE(anomalies(result).find("convergence and steady rates not observed"),
              std::string::npos)
        << anomalies(result);
  }
}

TEST(KvDeadlock, IsThatOfTheCycleWithTransfersBesideIt) {
  scenario::Scenario scenario = smallFabric();
  scenario.parameters.repetitions = 1;
  const results::TestResult result = runTest(kvDeadlockProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  EXPECT_EQ(kpi(result, "deadlock", "no trigger").value, 0);
  EXPECT_EQ(kpi(result, "pfc_storm", "no trigger").value, 0);
  EXPECT_EQ(kpi(result, "pause_hops", "no trigger").value, 0);
  EXPECT_EQ(kpi(result, "deadlock", "trigger, no watchdog").value, 1);
  EXPECT_EQ(kpi(result, "pfc_storm", "trigger, no watchdog").value, 1);
  EXPECT_GE(kpi(result, "pause_hops", "trigger, no watchdog").value, 3);
  // From the trigger at 0.4 ms to the end at 4 ms, without its first steps.
  EXPECT_GT(kpi(result, "zero_throughput_us", "trigger, no watchdog").value, 2500);
  for (const char* point : {"trigger, watchdog drops", "trigger, watchdog forwards"}) {
    EXPECT_EQ(kpi(result, "deadlock", point).value, 0) << point;
    EXPECT_LT(kpi(result, "zero_throughput_us", point).value, 1000) << point;
  }
  // Four hosts of a leaf, spread over 80 us at 2 %: never silent for long without a trigger.
  EXPECT_LT(kpi(result, "kv_zero_throughput_us", "no trigger").value, 100);
}

TEST(InferenceBalancing, SprayFillsEveryLinkAndEcmpThrowsBalls) {
  scenario::Scenario scenario = smallFabric();
  scenario.transport = transport::RoceSpec{};
  scenario.parameters.balancing = {{"ecmp", "spray"}};
  scenario.parameters.iterations = 1;
  scenario.parameters.repetitions = 2;
  const results::TestResult result = runTest(inferenceBalancingProcedure(), scenario);
  ASSERT_TRUE(result.valid);
  for (const char* traffic : {"KV", "EP", "mixed"}) {
    const std::string spray = std::string(traffic) + ", packet spray";
    const std::string ecmp = std::string(traffic) + ", ECMP";
    EXPECT_GT(kpi(result, "link_jfi", spray).value, 0.98) << traffic;
    EXPECT_LT(kpi(result, "link_jfi", ecmp).value, kpi(result, "link_jfi", spray).value);
    EXPECT_GE(kpi(result, "busiest_link_percent", ecmp).value,
              kpi(result, "idlest_link_percent", ecmp).value);
    EXPECT_GT(kpi(result, "oversubscription", ecmp).value,
              kpi(result, "oversubscription", spray).value);
  }
  // KV: two flows of a leaf, each a host's link full, on four uplinks: half of a link each.
  EXPECT_NEAR(kpi(result, "oversubscription", "KV, packet spray").value, 0.5, 0.03);
  // ECMP puts whole flows on links: one at least, two where they meet.
  EXPECT_GE(kpi(result, "oversubscription", "KV, ECMP").value, 0.99);
  // Two of four uplinks have no transfer, acknowledgements at most.
  EXPECT_LT(kpi(result, "idlest_link_percent", "KV, ECMP").value, 5);
}

}  // namespace
}  // namespace plumbline::suite
