// Routes that are computed against those that packets were seen to take.
#include "bench/flow/flow_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bench/sim/route_probe.h"
#include "bench/sim/sim_hosts.h"
#include "fabric/engine/fabric.h"

namespace plumbline::bench {
namespace {

// Hosts 0 to 7 send to hosts 15 to 8, 256 packets each, on queue pair `flow`.
TrialSpec crossing(fabric::LoadBalancingKind balancing, std::uint32_t flow) {
  TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kClos2;
  spec.dut.topology.leaves = 4;
  spec.dut.topology.hosts_per_leaf = 4;
  spec.dut.topology.spines = 4;
  spec.dut.topology.link_rate = gigabitsPerSecond(100);
  spec.dut.switches.load_balancing.kind = balancing;
  spec.dut.switches.shared_buffer.emplace();
  spec.dut.switches.pfc.emplace();
  spec.dut.seed = 7;
  spec.transport = transport::RoceSpec();
  workload::JobSpec& job = spec.workload.emplace().jobs.emplace_back();
  job.first_flow = flow;
  job.placement.rule = workload::PlacementRule::kExplicit;
  workload::MessageProgram program;
  program.pattern = workload::Pattern::kExplicit;
  program.bytes = 1U << 20;
  program.messages = 1;
  for (std::uint32_t host = 0; host < 16; ++host) job.placement.hosts.push_back(host);
  for (std::uint32_t host = 0; host < 8; ++host) program.pairs.emplace_back(host, 15 - host);
  job.program = program;
  return spec;
}

// Compares all pairs; shares may differ by `tolerance`.
void expectRoutesAsSeen(const TrialSpec& spec, double tolerance) {
  fabric::Fabric fabric(spec.dut);
  const SimHosts hosts(spec, fabric);
  RouteProbe probe;
  fabric.observe(probe);
  fabric.runUntil(milliseconds(20));
  ASSERT_TRUE(hosts.workloadFinished());
  ASSERT_EQ(routesRefusal(spec), std::nullopt);
  const fabric::FabricPlan plan(spec.dut);
  FlowRoutes routes(spec, plan);
  const auto all = probe.routes();
  const auto& program = std::get<workload::MessageProgram>(spec.workload->jobs.front().program);
  EXPECT_EQ(all.size(), program.pairs.size());
  for (const auto& [pair, seen] : all) {
    const auto computed =
        routes.uses(pair.first, pair.second, spec.workload->jobs.front().first_flow);
    ASSERT_EQ(computed.size(), seen.size()) << pair.first << " to " << pair.second;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      EXPECT_EQ(computed[i].link, seen[i].link) << pair.first << " to " << pair.second;
      EXPECT_NEAR(computed[i].share, seen[i].share, tolerance);
    }
  }
}

TEST(FlowRoutes, OfHashesAreThoseOfPackets) {
  using fabric::LoadBalancingKind;
  for (const auto kind : {LoadBalancingKind::kEcmp, LoadBalancingKind::kEcmpQp}) {
    for (const std::uint32_t flow : {0U, 3U}) expectRoutesAsSeen(crossing(kind, flow), 0);
  }
}

// Only switches that hash the QP distinguish queue pairs with one 5-tuple.
TEST(FlowRoutes, OfASharedSourcePort) {
  for (const auto kind : {fabric::LoadBalancingKind::kEcmp, fabric::LoadBalancingKind::kEcmpQp}) {
    TrialSpec spec = crossing(kind, 5);
    std::get<transport::RoceSpec>(*spec.transport).shared_source_port = true;
    expectRoutesAsSeen(spec, 0);
  }
}

TEST(FlowRoutes, OfThreeTiers) {
  TrialSpec spec = crossing(fabric::LoadBalancingKind::kEcmp, 1);
  spec.dut.topology.kind = fabric::TopologyKind::kClos3;
  spec.dut.topology.pods = 2;
  spec.dut.topology.leaves = 2;
  spec.dut.topology.superspines = 8;
  expectRoutesAsSeen(spec, 0);
}

// Round robin is exact over whole rounds of one sender: senders of a leaf in step keep to a path
// each. Random choices scatter.
TEST(FlowRoutes, OfSprayAreEqualShares) {
  TrialSpec one = crossing(fabric::LoadBalancingKind::kSprayRoundRobin, 0);
  std::get<workload::MessageProgram>(one.workload->jobs.front().program).pairs = {{0, 15}};
  expectRoutesAsSeen(one, 0.02);
  expectRoutesAsSeen(crossing(fabric::LoadBalancingKind::kSprayRandom, 0), 0.1);
  TrialSpec hosts_spray = crossing(fabric::LoadBalancingKind::kEcmp, 0);
  std::get<transport::RoceSpec>(*hosts_spray.transport).spray = true;
  expectRoutesAsSeen(hosts_spray, 0.1);
}

TEST(FlowRoutes, RefuseWhatDependsOnTheTrial) {
  TrialSpec spec = crossing(fabric::LoadBalancingKind::kFlowlet, 0);
  EXPECT_THAT(routesRefusal(spec).value_or(""), testing::HasSubstr("flowlets"));
  spec = crossing(fabric::LoadBalancingKind::kWeighted, 0);
  EXPECT_THAT(routesRefusal(spec).value_or(""), testing::HasSubstr("weighted"));
  spec = crossing(fabric::LoadBalancingKind::kEcmp, 0);
  spec.dut.failures.push_back({"leaf0-spine1", milliseconds(1), {}});
  EXPECT_THAT(routesRefusal(spec).value_or(""), testing::HasSubstr("goes wrong"));
  spec = crossing(fabric::LoadBalancingKind::kEcmp, 0);
  transport::DcqcnSpec& dcqcn = std::get<transport::RoceSpec>(*spec.transport).dcqcn;
  dcqcn.enabled = true;
  dcqcn.max_rate = spec.dut.topology.link_rate;
  EXPECT_EQ(routesRefusal(spec), std::nullopt);
  dcqcn.max_rate = dcqcn.min_rate;
  EXPECT_THAT(routesRefusal(spec).value_or(""), testing::HasSubstr("dcqcn.max_rate"));
  dcqcn.enabled = false;
  EXPECT_EQ(routesRefusal(spec), std::nullopt);
  transport::UetSpec uet;
  spec.transport = uet;
  EXPECT_EQ(routesRefusal(spec), std::nullopt);
  uet.entropy.policy = transport::UetEntropyPolicy::kConstant;
  spec.transport = uet;
  EXPECT_THAT(routesRefusal(spec).value_or(""), testing::HasSubstr("one entropy value"));
}

}  // namespace
}  // namespace plumbline::bench
