// Trials at flow level against the same trials packet by packet.
#include "bench/flow/flow_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/error.h"
#include "bench/sim/sim_bench.h"
#include "serving/metrics.h"
#include "tests/serving/serving_setup.h"

namespace plumbline::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Hosts on one switch at 100 Gb/s.
TrialSpec servingOnFlows(std::uint32_t prefill, std::uint32_t decode) {
  TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kSingleSwitch;
  spec.dut.topology.hosts = prefill + decode;
  spec.dut.topology.link_rate = gigabitsPerSecond(100);
  spec.dut.switches.shared_buffer.emplace();
  spec.dut.switches.pfc.emplace();
  spec.transport = transport::RoceSpec();
  serving::ServingProgram& program = spec.serving.emplace();
  program.system = serving::plainSpec();
  program.system.reaction = microseconds(5);
  program.system.check_every = 0;
  program.system.servers.prefill.workers = prefill;
  program.system.servers.decode.workers = decode;
  program.workload = serving::fixedWorkload(40, 400, 10, 60);
  spec.flow_level = true;
  return spec;
}

TrialResult runOn(const TrialSpec& spec) {
  return SimBench({.line_rate = gigabitsPerSecond(100)}).run(spec, {});
}

double meanTtft(const TrialResult& result) {
  return serving::metricsOf(*result.serving, {}).ttft.mean.value();
}

// Payload of a full packet over its slot: Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4,
// preamble and gap 20.
TEST(FlowTrial, ProbeFindsThePayloadShare) {
  const TrialResult result = runOn(servingOnFlows(1, 1));
  ASSERT_TRUE(result.flow_level);
  EXPECT_FALSE(result.fabric);
  EXPECT_NEAR(result.flow_level->payload_share, 4096.0 / 4178, 1e-6);
  EXPECT_GT(result.flow_level->probe_packet_hops, 2U * (64 + 1024));
  ASSERT_EQ(result.flow_level->links.size(), 2U);
  for (const FlowLink& link : result.flow_level->links) {
    EXPECT_EQ(link.bytes, 60.0 * 400 * 131'072);
    EXPECT_FALSE(link.between_switches);
  }
}

// A request without contention: the packets' time, within the accuracy of the probe's rate.
TEST(FlowTrial, ZeroLoadIsThatOfPackets) {
  TrialSpec spec = servingOnFlows(1, 1);
  spec.serving->workload = serving::fixedWorkload(1, 1000, 2, 1);
  for (const auto verb : {serving::TransferVerb::kWriteImmediate, serving::TransferVerb::kRead}) {
    spec.serving->system.transfer.verb = verb;
    const serving::RequestRecord flows = runOn(spec).serving->requests.at(0);
    TrialSpec packets = spec;
    packets.flow_level = false;
    const serving::RequestRecord simulated = runOn(packets).serving->requests.at(0);
    const double difference =
        static_cast<double>((flows.last_arrival - simulated.last_arrival).count());
    EXPECT_LT(std::abs(difference), 1e-6 * 131'072'000 * 80);
  }
}

// Two prefill workers and one decode worker, whose NIC is busy for a third of the time: TTFT and
// the mean of a transfer within 2 % of the packet level.
TEST(FlowTrial, LoadedSystemIsThatOfPackets) {
  TrialSpec spec = servingOnFlows(2, 1);
  const TrialResult flows = runOn(spec);
  spec.flow_level = false;
  const TrialResult packets = runOn(spec);
  EXPECT_NEAR(meanTtft(flows), meanTtft(packets), 0.02 * meanTtft(packets));
  const auto transfer = [](const TrialResult& result) {
    double sum = 0;
    for (const auto& record : result.serving->requests) {
      sum += (record.last_arrival - record.first_post).toSeconds();
    }
    return sum;
  };
  EXPECT_NEAR(transfer(flows), transfer(packets), 0.02 * transfer(packets));
  EXPECT_EQ(flows.serving->bytes, packets.serving->bytes);
}

TrialSpec pairsOnFlows() {
  TrialSpec spec = servingOnFlows(2, 2);
  spec.serving.reset();
  workload::JobSpec& job = spec.workload.emplace().jobs.emplace_back();
  job.name = "kv";
  job.placement.rule = workload::PlacementRule::kExplicit;
  job.placement.hosts = {0, 1, 2, 3};
  workload::MessageProgram program;
  program.pattern = workload::Pattern::kExplicit;
  program.pairs = {{0, 2}, {1, 3}};
  program.bytes = 4U << 20;
  program.messages = 3;
  job.program = program;
  return spec;
}

TEST(FlowTrial, PairsOfHosts) {
  const TrialSpec spec = pairsOnFlows();
  const TrialResult result = runOn(spec);
  ASSERT_TRUE(result.flow_level);
  ASSERT_EQ(result.flow_level->jobs.size(), 1U);
  const FlowJob& job = result.flow_level->jobs.front();
  EXPECT_TRUE(job.finished);
  EXPECT_EQ(job.messages_completed, 6U);
  EXPECT_EQ(job.bytes_arrived, 6U * (4U << 20));
  // One after the other on each pair; between them the way there and back.
  const double alone = (4U << 20) * 8 / 100e9 * 4178 / 4096;
  EXPECT_GT(job.active.toSeconds(), 3 * alone);
  EXPECT_LT(job.active.toSeconds(), 3 * (alone + 5e-6));
  TrialSpec packets = spec;
  packets.flow_level = false;
  const TrialResult simulated = runOn(packets);
  EXPECT_NEAR(job.active.toSeconds(), simulated.fabric->jobs.front().active.toSeconds(),
              0.002 * job.active.toSeconds());
}

TEST(FlowTrial, SameTrialSameResult) {
  const auto text = [](const TrialSpec& spec) {
    TrialResult result = runOn(spec);
    result.wall_seconds = 0;
    const std::string json = result.toJson();
    EXPECT_EQ(TrialResult::fromJson(json).toJson(), json);
    EXPECT_THAT(json, testing::Not(HasSubstr("\"fabric\"")));
    return json;
  };
  EXPECT_EQ(text(servingOnFlows(2, 1)), text(servingOnFlows(2, 1)));
  EXPECT_EQ(text(pairsOnFlows()), text(pairsOnFlows()));
}

TEST(FlowTrial, KeyTellsTheLevels) {
  TrialSpec spec = servingOnFlows(1, 1);
  const std::string flows = spec.toJson();
  spec.flow_level = false;
  EXPECT_NE(spec.toJson(), flows);
  EXPECT_THAT(spec.toJson(), testing::Not(HasSubstr("flow_level")));
}

TEST(FlowTrial, RefusesWhatItDoesNotModel) {
  const auto why = [](const TrialSpec& spec) {
    std::string all;
    for (const std::string& one : SimBench({}).refusals(spec)) all += one + "\n";
    return all;
  };
  EXPECT_EQ(why(servingOnFlows(1, 1)), "");
  EXPECT_EQ(why(pairsOnFlows()), "");
  TrialSpec spec = servingOnFlows(1, 1);
  spec.workload = pairsOnFlows().workload;
  EXPECT_THAT(why(spec), HasSubstr("one serving system, or jobs"));
  spec = servingOnFlows(1, 1);
  spec.series.emplace();
  EXPECT_THAT(why(spec), HasSubstr("neither streams, samples"));
  spec = servingOnFlows(1, 1);
  spec.dut.topology.hosts = 1;
  EXPECT_THAT(why(spec), HasSubstr("NIC 1 would be host 1 of 1"));
  spec = servingOnFlows(1, 1);
  spec.dut.storms.push_back({});
  EXPECT_THAT(why(spec), HasSubstr("goes wrong"));
  spec = pairsOnFlows();
  spec.workload->jobs.front().flows = 2;
  EXPECT_THAT(why(spec), HasSubstr("one queue pair"));
  spec = pairsOnFlows();
  std::get<workload::MessageProgram>(spec.workload->jobs.front().program).messages =
      std::numeric_limits<std::uint64_t>::max();
  EXPECT_THAT(why(spec), HasSubstr("without end"));
  spec = pairsOnFlows();
  spec.workload->jobs.front().program = workload::MoeProgram();
  EXPECT_THAT(why(spec), HasSubstr("listed pairs"));
  std::get<transport::RoceSpec>(*spec.transport).service = transport::RoceService::kUc;
  EXPECT_THAT(why(spec), HasSubstr("acknowledgements"));
}

}  // namespace
}  // namespace plumbline::bench
