// Workloads on a real transport: RoCE NICs, over wires without contention.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/transport/test_network.h"
#include "transport/nic.h"
#include "transport/roce/roce_protocol.h"
#include "workload/ideal_time.h"
#include "workload/workload.h"

namespace plumbline::workload {
namespace {

using transport_test::TestNetwork;

constexpr BitRate kRate = gigabitsPerSecond(100);
constexpr Picoseconds kDelay = microseconds(1);

class RoceCluster {
 public:
  RoceCluster(const WorkloadSpec& spec, std::uint32_t hosts, const transport::RoceSpec& roce)
      : workload(spec, hosts) {
    for (std::uint32_t host = 0; host < hosts; ++host) {
      std::vector<std::unique_ptr<transport::Protocol>> protocols;
      protocols.push_back(std::make_unique<transport::RoceProtocol>(
          roce,
          transport::HostContext{
              .self = host, .rate = kRate, .seed = 1, .application = workload.application(host)}));
      nics_.push_back(
          std::make_unique<transport::Nic>(workload.application(host), std::move(protocols)));
      endpoints_.push_back(nics_.back().get());
    }
    network = std::make_unique<TestNetwork>(endpoints_, kRate, kDelay);
  }

  Workload workload;
  std::unique_ptr<TestNetwork> network;

 private:
  std::vector<std::unique_ptr<transport::Nic>> nics_;
  std::vector<fabric::Endpoint*> endpoints_;
};

WorkloadSpec ringOf(std::uint32_t ranks, std::uint64_t bytes, std::uint32_t flows, FlowUse use) {
  TrainingProgram program;
  program.iterations = 2;
  program.collectives.emplace_back().bytes = bytes;
  WorkloadSpec spec;
  JobSpec& job = spec.jobs.emplace_back();
  job.placement.ranks = ranks;
  job.flows = flows;
  job.flow_use = use;
  job.program = program;
  return spec;
}

// A message of three RDMA Write packets: RETH in the first, 62 bytes of other headers and trailers
// in each, preamble and gap between them. Nothing is acknowledged, so nothing else is on the wires.
TEST(WorkloadOnRoce, RingTakesTheAnalyticTimeExactly) {
  transport::RoceSpec roce;
  roce.service = transport::RoceService::kUc;
  roce.path_mtu = 1024;
  const MessageTime time{[](std::uint64_t) {
                           return frameSlot(Bytes(1024 + 78), kRate) +
                                  frameSlot(Bytes(1024 + 62), kRate) +
                                  serializationTime(Bytes(1024 + 62), kRate);
                         },
                         kDelay,
                         {}};
  RoceCluster cluster(ringOf(4, 4ULL * 3 * 1024, 1, FlowUse::kRoundRobin), 4, roce);
  cluster.network->run();
  const JobResult result = cluster.workload.results()[0];
  ASSERT_TRUE(result.finished);
  ASSERT_EQ(result.iterations.size(), 2U);
  const Picoseconds expected = ringAllReduceTime(4, 4ULL * 3 * 1024, time);
  EXPECT_EQ(result.iterations[0].duration(), expected);
  EXPECT_EQ(result.iterations[1].duration(), expected);
}

TEST(WorkloadOnRoce, FinishesInSpiteOfLoss) {
  for (const FlowUse use : {FlowUse::kRoundRobin, FlowUse::kSplit}) {
    RoceCluster cluster(ringOf(5, 100'001, 3, use), 5, {});
    std::uint32_t count = 0;
    cluster.network->setHook([&](fabric::Packet&, Picoseconds, Picoseconds&) {
      return ++count % 17 == 0 ? transport_test::Action::kDrop : transport_test::Action::kDeliver;
    });
    cluster.network->run();
    const JobResult result = cluster.workload.results()[0];
    EXPECT_TRUE(result.finished);
    EXPECT_GT(count, 17U);
    EXPECT_EQ(result.total.messages_failed, 0U);
    EXPECT_EQ(result.total.bytes_arrived, 2U * 2 * 4 * 100'001);
  }
}

}  // namespace
}  // namespace plumbline::workload
