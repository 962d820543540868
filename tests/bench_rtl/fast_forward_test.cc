#include "bench/flow/fast_forward.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/error.h"
#include "bench/sim/sim_bench.h"

namespace plumbline::bench {
namespace {

using workload::Algorithm;
using workload::CollectiveKind;
using workload::TrainingProgram;

TrialSpec ringOn(const fabric::TopologySpec& topology, std::uint64_t bytes) {
  TrialSpec spec;
  spec.dut.topology = topology;
  spec.transport = transport::RoceSpec{};
  workload::JobSpec job;
  job.name = "ring";
  job.placement.ranks = topology.hostCount();
  TrainingProgram program;
  program.collectives = {{.bytes = bytes}};
  job.program = program;
  spec.workload.emplace().jobs = {job};
  return spec;
}
TrainingProgram& programOf(TrialSpec& spec) {
  return std::get<TrainingProgram>(spec.workload->jobs[0].program);
}
fabric::TopologySpec oneSwitch(std::uint32_t hosts) {
  fabric::TopologySpec topology;
  topology.hosts = hosts;
  return topology;
}
fabric::TopologySpec clos(std::uint32_t spines) {
  fabric::TopologySpec topology;
  topology.kind = fabric::TopologyKind::kClos2;
  topology.leaves = 4;
  topology.spines = spines;
  topology.hosts_per_leaf = 4;
  return topology;
}

// As small as the packets of the three runs allow.
TrialResult fastForwarded(TrialSpec spec, std::uint64_t packets) {
  spec.fast_forward.emplace().packets = packets;
  return SimBench({}).run(spec, {});
}
TrialResult simulated(const TrialSpec& spec) { return SimBench({}).run(spec, {}); }

// A prediction may be off by the result's own error estimate, and by this much more.
constexpr double kMargin = 0.005;

void expectWithinCalibration(const TrialSpec& spec, std::uint64_t packets) {
  const TrialResult fast = fastForwarded(spec, packets);
  const TrialResult full = simulated(spec);
  ASSERT_TRUE(fast.fabric->fast_forward);
  ASSERT_FALSE(full.fabric->fast_forward);
  const FastForwardOutcome& outcome = *fast.fabric->fast_forward;
  const double allowed = outcome.calibrated_error + outcome.calibration_spread + kMargin;
  EXPECT_LT(allowed, 0.1);
  const JobOutcome& predicted = fast.fabric->jobs.at(0);
  const JobOutcome& seen = full.fabric->jobs.at(0);
  EXPECT_TRUE(predicted.finished);
  EXPECT_EQ(predicted.name, seen.name);
  EXPECT_NEAR(predicted.completion.toMicroseconds(), seen.completion.toMicroseconds(),
              allowed * seen.completion.toMicroseconds());
  ASSERT_EQ(predicted.iterations.size(), seen.iterations.size());
  for (std::size_t i = 0; i < seen.iterations.size(); ++i) {
    EXPECT_NEAR(predicted.iterations[i].toMicroseconds(), seen.iterations[i].toMicroseconds(),
                allowed * seen.iterations[i].toMicroseconds())
        << i;
  }
  EXPECT_EQ(fast.card_time, fast.fabric->sim_end);
  // It must have been worth it.
  EXPECT_LT(outcome.packet_hops, full.fabric->packet_hops / 2);
}

TEST(FastForward, PredictsARingOnASwitch) {
  expectWithinCalibration(ringOn(oneSwitch(8), 64U << 20), 30'000);
}

// Neighbours on different leaves, flows that collide on uplinks.
TEST(FastForward, PredictsARingAcrossAClosWithEcmp) {
  TrialSpec spec = ringOn(clos(2), 64U << 20);
  spec.dut.switches.pfc.emplace();
  spec.workload->jobs[0].placement.rule = workload::PlacementRule::kInterleaved;
  spec.workload->jobs[0].placement.hosts_per_leaf = 4;
  expectWithinCalibration(spec, 150'000);
}

TEST(FastForward, PredictsASprayedRingOfUet) {
  TrialSpec spec = ringOn(clos(2), 64U << 20);
  spec.transport = transport::UetSpec{};
  spec.dut.switches.ecn.emplace_back();
  spec.dut.switches.load_balancing.kind = fabric::LoadBalancingKind::kSprayRandom;
  spec.workload->jobs[0].placement.rule = workload::PlacementRule::kInterleaved;
  spec.workload->jobs[0].placement.hosts_per_leaf = 4;
  expectWithinCalibration(spec, 150'000);
}

TEST(FastForward, PredictsHierarchicalRingsAndAllToAll) {
  TrialSpec spec = ringOn(oneSwitch(8), 128U << 20);
  auto& collectives = programOf(spec).collectives;
  collectives[0].algorithm = Algorithm::kHierarchical;
  collectives[0].ranks_per_server = 2;
  collectives[0].chunk_bytes = 1U << 20;
  collectives.push_back({.kind = CollectiveKind::kAllToAll,
                         .algorithm = Algorithm::kLinearShift,
                         .bytes = 32U << 20,
                         .window = 1});
  expectWithinCalibration(spec, 30'000);
}

// Iterations beyond the third are never simulated.
TEST(FastForward, PredictsIterations) {
  TrialSpec spec = ringOn(oneSwitch(8), 8U << 20);
  programOf(spec).iterations = 12;
  programOf(spec).compute = microseconds(300);
  programOf(spec).barrier = true;
  expectWithinCalibration(spec, 60'000);
}

// Without contention a ring takes 2(n-1) times a chunk's packets on the wire, which every host
// shares with its acknowledgements of what it receives: one per 16 packets.
TEST(FastForward, AgreesWithTheClosedFormFarBeyondWhatIsSimulated) {
  const TrialSpec spec = ringOn(oneSwitch(8), 64ULL << 30);
  const TrialResult fast = fastForwarded(spec, 30'000);
  const double packets = (8ULL << 30) / 4096.0;
  // 4096 bytes of payload; Ethernet with FCS, IPv4, UDP, BTH, ICRC; preamble and gap. The RETH of a
  // message's first packet does not show.
  const double packet = 4096 + 18 + 20 + 8 + 12 + 4 + 20;
  const double acknowledgement = 64 + 20;
  const double chunk_us = packets * (packet + acknowledgement / 16) * 8 / 100e3;
  EXPECT_NEAR(fast.fabric->jobs.at(0).completion.toMicroseconds() / (14 * chunk_us), 1, 1e-4);
  EXPECT_LT(fast.fabric->fast_forward->calibrated_error, 0.001);
}

TEST(FastForward, IsRepeatable) {
  const TrialSpec spec = ringOn(clos(2), 64U << 20);
  TrialResult once = fastForwarded(spec, 150'000);
  TrialResult again = fastForwarded(spec, 150'000);
  once.fabric->peak_rss_bytes = again.fabric->peak_rss_bytes = 0;
  EXPECT_EQ(once.fabric->toJson(), again.fabric->toJson());
}

TEST(FastForward, SimulatesWhatIsAffordable) {
  const TrialSpec spec = ringOn(oneSwitch(4), 1U << 20);
  TrialResult plain = simulated(spec);
  // 2 * 3 steps * 4 ranks * 64 packets.
  TrialResult allowed = fastForwarded(spec, 1536);
  plain.wall_seconds = allowed.wall_seconds = 0;
  plain.fabric->peak_rss_bytes = allowed.fabric->peak_rss_bytes = 0;
  EXPECT_EQ(plain.toJson(), allowed.toJson());
  EXPECT_EQ(plain.toJson().find("fast_forward"), std::string::npos);
  TrialSpec fewer = spec;
  fewer.fast_forward.emplace().packets = 1535;
  EXPECT_TRUE(mustFastForward(fewer));
}

TEST(FastForward, IsOffByDefault) {
  const TrialSpec spec = ringOn(oneSwitch(4), 1U << 30);
  EXPECT_FALSE(mustFastForward(spec));
  EXPECT_EQ(spec.toJson().find("fast_forward"), std::string::npos);
}

TEST(FastForward, RefusesWhatDoesNotRepeat) {
  using Change = void (*)(TrialSpec&);
  const std::pair<const char*, Change> cases[] = {
      {"single job", [](TrialSpec& s) { s.workload->jobs.push_back(s.workload->jobs[0]); }},
      {"only collectives",
       [](TrialSpec& s) { s.workload->jobs[0].program = workload::MessageProgram(); }},
      {"overlap or stragglers", [](TrialSpec& s) { programOf(s).overlap = true; }},
      {"overlap or stragglers", [](TrialSpec& s) { programOf(s).compute_spread = seconds(1); }},
      {"only rings",
       [](TrialSpec& s) { programOf(s).collectives[0].algorithm = Algorithm::kTree; }},
      {"only rings",
       [](TrialSpec& s) {
         programOf(s).collectives[0].kind = CollectiveKind::kAllToAll;
         programOf(s).collectives[0].algorithm = Algorithm::kLinearShift;
       }},
      {"a duration", [](TrialSpec& s) { s.duration = seconds(1); }},
      {"goes wrong",
       [](TrialSpec& s) {
         s.dut.bit_errors.push_back({"*", 1e-9});
       }},
      {"goes wrong",
       [](TrialSpec& s) {
         s.dut.failures.push_back({"switch0-host1", seconds(1), {}});
       }},
      {"goes wrong",
       [](TrialSpec& s) {
         s.dut.storms.push_back({0, 8, seconds(1), seconds(1)});
       }},
  };
  for (const auto& [why, change] : cases) {
    TrialSpec spec = ringOn(oneSwitch(4), 1U << 30);
    spec.workload->jobs[0].placement.ranks = 2;
    spec.fast_forward.emplace();
    EXPECT_TRUE(fastForwardRefusals(spec).empty());
    change(spec);
    const auto refusals = fastForwardRefusals(spec);
    ASSERT_EQ(refusals.size(), 1U) << why;
    EXPECT_NE(refusals[0].find(why), std::string::npos) << refusals[0];
  }
}

// The bench reports a sufficient number of packets, and that number is enough.
TEST(FastForward, RefusesTooFewPackets) {
  TrialSpec spec = ringOn(oneSwitch(8), 1U << 30);
  spec.fast_forward.emplace().packets = 10;
  SimBench bench({});
  const auto refusals = bench.refusals(spec);
  ASSERT_EQ(refusals.size(), 1U);
  EXPECT_THROW(bench.run(spec, {}), Error);
  const std::string number = refusals[0].substr(refusals[0].rfind(' ') + 1);
  spec.fast_forward->packets = std::stoull(number);
  EXPECT_TRUE(bench.refusals(spec).empty());
  spec.fast_forward->packets -= 1;
  EXPECT_EQ(bench.refusals(spec).size(), 1U);
}

TEST(FastForward, SurvivesItsJson) {
  FabricResult result;
  result.sim_end = seconds(3);
  result.peak_rss_bytes = 4;
  result.fast_forward = FastForwardOutcome{
      {{1, seconds(2), seconds(3)}, {4, seconds(5), seconds(6)}}, 0.25, 0.125, 7, seconds(8), 9};
  JobOutcome& job = result.jobs.emplace_back();
  job.name = "a";
  job.finished = true;
  job.iterations = {seconds(1), seconds(2)};
  job.completion = seconds(3);
  const std::string text = result.toJson();
  for (const char* absent :
       {"latency", "links", "flows", "endpoints", "message_time", "\"total\""}) {
    EXPECT_EQ(text.find(absent), std::string::npos) << absent;
  }
  const FabricResult back = FabricResult::fromJson(text);
  EXPECT_EQ(back.toJson(), text);
  ASSERT_TRUE(back.fast_forward);
  EXPECT_EQ(back.sim_end, seconds(3));
  EXPECT_EQ(back.jobs.at(0).iterations, job.iterations);
  EXPECT_EQ(back.jobs.at(0).completion, seconds(3));
  EXPECT_EQ(back.fast_forward->points.at(1).packet_level, seconds(6));
  EXPECT_EQ(back.fast_forward->calibrated_error, 0.25);
  EXPECT_EQ(back.fast_forward->calibration_spread, 0.125);
  EXPECT_EQ(back.fast_forward->packet_hops, 9U);
}

}  // namespace
}  // namespace plumbline::bench
