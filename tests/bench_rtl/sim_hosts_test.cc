// Simulated hosts of a trial, on a fabric of their own.
#include "bench/sim/sim_hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "transport/roce/roce_spec.h"
#include "transport/uet/uet_spec.h"

namespace plumbline::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

StreamSpec stream(std::uint32_t from, std::uint32_t to, Bytes frame) {
  StreamSpec spec;
  spec.name = "some";
  spec.from = from;
  spec.to = to;
  spec.frame = frame;
  spec.load = ConstantLoad{Fraction::percent(50)};
  return spec;
}

TrialSpec fourHosts() {
  TrialSpec spec;
  spec.dut.topology.hosts = 4;
  spec.duration = microseconds(20);
  return spec;
}

workload::JobSpec ring(std::vector<fabric::HostId> hosts, std::uint64_t bytes) {
  workload::JobSpec job;
  job.name = "ring";
  job.placement.rule = workload::PlacementRule::kExplicit;
  job.placement.hosts = std::move(hosts);
  workload::TrainingProgram training;
  training.collectives = {{.kind = workload::CollectiveKind::kAllGather, .bytes = bytes}};
  job.program = training;
  return job;
}

TEST(SimHosts, SendTheStreamsOfTheTrial) {
  TrialSpec spec = fourHosts();
  spec.streams = {stream(2, 0, Bytes(1024)), stream(1, 3, Bytes(512))};
  spec.streams[0].group = 5;
  spec.streams[1].group = 2;
  spec.streams[1].load = BurstLoad{.frames = 7, .bursts = 3, .interval = microseconds(2)};
  fabric::Fabric fabric(spec.dut);
  const SimHosts hosts(spec, fabric);
  EXPECT_THAT(hosts.hosts(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(hosts.streams(), ElementsAre(0, 1));
  fabric.runUntil(microseconds(40));

  const auto outcomes = hosts.streamOutcomes();
  ASSERT_EQ(outcomes.size(), 2U);
  // 83.52 ns / 0.5 apart from 0 on, as long as they are due before 20 us.
  EXPECT_EQ(outcomes[0].sent.frames, 120U);
  EXPECT_EQ(outcomes[0].received.frames, 120U);
  EXPECT_EQ(outcomes[0].received.bytes, 120U * 1024);
  EXPECT_EQ(outcomes[1].received.frames, 21U);
  EXPECT_EQ(outcomes[0].lost() + outcomes[1].lost(), 0U);
  EXPECT_EQ(outcomes[0].sent.late + outcomes[1].sent.late, 0U);

  const auto latency = hosts.streamLatency();
  ASSERT_EQ(latency.size(), 2U);
  EXPECT_EQ(latency[0].group, 2U);
  EXPECT_EQ(latency[0].histogram.count(), 21U);
  EXPECT_EQ(latency[1].group, 5U);
  const auto expected = fabric.unloadedLatency(2, 0, Bytes(1024)).count();
  EXPECT_EQ(latency[1].histogram.minimum(), static_cast<std::uint64_t>(expected));
  EXPECT_EQ(latency[1].histogram.maximum(), static_cast<std::uint64_t>(expected));
  EXPECT_EQ(hosts.statsOf(2).data_sent, 120U);
  EXPECT_EQ(hosts.statsOf(0).data_received, 120U);
  EXPECT_EQ(hosts.flowsOf(2).size(), 1U);
  EXPECT_TRUE(hosts.workloadFinished());
  EXPECT_THAT(hosts.jobResults(), IsEmpty());
}

TEST(SimHosts, LeaveTheTestersPortsAlone) {
  TrialSpec spec = fourHosts();
  spec.streams = {stream(0, 1, Bytes(1024)), stream(2, 1, Bytes(1024))};
  fabric::Fabric fabric(spec.dut);
  std::uint64_t delivered = 0;
  fabric.onDeliver([&](fabric::HostId host, const fabric::Packet& packet, Picoseconds) {
    EXPECT_EQ(host, 1U);
    EXPECT_EQ(packet.source, 2U);
    ++delivered;
  });
  const SimHosts hosts(spec, fabric, {0, 1});
  EXPECT_THAT(hosts.hosts(), ElementsAre(2));  // nothing is to do on host 3
  EXPECT_THAT(hosts.streams(), ElementsAre(1));
  EXPECT_TRUE(hosts.simulated(2));
  EXPECT_FALSE(hosts.simulated(0) || hosts.simulated(1) || hosts.simulated(3));
  fabric.runUntil(microseconds(40));
  EXPECT_EQ(delivered, 120U);
  EXPECT_EQ(hosts.streamOutcomes().at(0).sent.frames, 120U);
  EXPECT_EQ(hosts.statsOf(0).data_sent, 0U);
  EXPECT_THAT(hosts.flowsOf(1), IsEmpty());
}

TEST(SimHosts, RunTheWorkloadOverTheTrialsTransport) {
  for (const int transport : {0, 1, 2}) {
    TrialSpec spec = fourHosts();
    if (transport == 1) {
      transport::RoceSpec roce;
      roce.path_mtu = 1024;
      spec.transport = roce;
    }
    if (transport == 2) spec.transport = transport::UetSpec{};
    spec.workload.emplace();
    spec.workload->jobs = {ring({3, 0, 2}, 120'000)};
    fabric::Fabric fabric(spec.dut);
    const SimHosts hosts(spec, fabric);
    EXPECT_THAT(hosts.hosts(), ElementsAre(0, 2, 3));
    EXPECT_FALSE(hosts.workloadFinished());
    fabric.runUntil(milliseconds(1));
    EXPECT_TRUE(hosts.workloadFinished()) << transport;
    const auto results = hosts.jobResults();
    ASSERT_EQ(results.size(), 1U);
    EXPECT_TRUE(results[0].finished);
    // Every rank passes two of three shares of the buffer on.
    for (const fabric::HostId host : {0U, 2U, 3U}) {
      EXPECT_EQ(hosts.statsOf(host).payload_received, 80'000U) << transport;
      // 40,000 bytes in packets of at most 1024 or 4096.
      EXPECT_EQ(hosts.statsOf(host).data_received, transport == 1 ? 80U : 20U) << transport;
    }
  }
}

TEST(SimHosts, ShareAPortBetweenStreamsAndWorkload) {
  TrialSpec spec = fourHosts();
  spec.streams = {stream(0, 1, Bytes(1024))};
  spec.workload.emplace();
  spec.workload->jobs = {ring({0, 1}, 40'000)};
  fabric::Fabric fabric(spec.dut);
  const SimHosts hosts(spec, fabric);
  fabric.runUntil(milliseconds(1));
  EXPECT_TRUE(hosts.workloadFinished());
  EXPECT_EQ(hosts.streamOutcomes().at(0).received.frames, 120U);
  EXPECT_EQ(hosts.statsOf(1).payload_received, 120U * 1024 + 20'000);
}

TEST(SimHosts, RefuseWhatCannotBe) {
  TrialSpec spec = fourHosts();
  spec.workload.emplace();
  spec.workload->jobs = {ring({0, 7}, 1000)};
  fabric::Fabric fabric(spec.dut);
  EXPECT_THROW(SimHosts(spec, fabric), Error);
  spec = fourHosts();
  spec.streams = {stream(0, 1, Bytes(20))};
  EXPECT_THROW(SimHosts(spec, fabric), Error);
}

}  // namespace
}  // namespace plumbline::bench
