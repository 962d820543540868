// Impossible fabrics are refused by name of the field, with what is allowed.
#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"
#include "fabric/fabric.h"
#include "fabric/fabric_spec.h"
#include "tests/fabric/traffic.h"

namespace plumbline::fabric::testing {
namespace {

// Expects Error(kUsage) at `field` for the spec that `change` makes of a good one.
void expectRefused(FabricSpec spec, const std::function<void(FabricSpec&)>& change,
                   const std::string& field) {
  EXPECT_NO_THROW(Fabric{spec});
  change(spec);
  try {
    const Fabric fabric(spec);
    ADD_FAILURE() << "accepted a bad " << field;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.where(), field);
    EXPECT_NE(error.remedy().find("allowed: "), std::string::npos) << error.what();
  }
}

TEST(Spec, DefaultsAreValid) { EXPECT_NO_THROW(validate(FabricSpec{})); }

TEST(Spec, HostCounts) {
  EXPECT_EQ(linkSpec().hostCount(), 2U);
  EXPECT_EQ(switchSpec(7).hostCount(), 7U);
  EXPECT_EQ(closSpec(8, 16, 16).hostCount(), 128U);
  EXPECT_EQ(closSpec(0xFFFFFFFF, 1, 0xFFFFFFFF).hostCount(), 0xFFFFFFFFU);
  EXPECT_EQ(Fabric(closSpec(3, 2, 5)).hostCount(), 15U);
}

TEST(Spec, Topology) {
  expectRefused(
      switchSpec(2), [](auto& s) { s.topology.hosts = 0; }, "topology.hosts");
  expectRefused(
      switchSpec(2), [](auto& s) { s.topology.hosts = 1; }, "topology.hosts");
  expectRefused(
      switchSpec(8192), [](auto& s) { s.topology.hosts = 8193; }, "topology.hosts");
  expectRefused(
      closSpec(2, 2, 2), [](auto& s) { s.topology.leaves = 0; }, "topology.leaves");
  expectRefused(
      closSpec(2, 2, 2), [](auto& s) { s.topology.spines = 0; }, "topology.spines");
  expectRefused(
      closSpec(2, 2, 2), [](auto& s) { s.topology.spines = 1025; }, "topology.spines");
  expectRefused(
      closSpec(2, 2, 2), [](auto& s) { s.topology.hosts_per_leaf = 0; }, "topology.hosts_per_leaf");
  expectRefused(
      closSpec(2, 2, 1), [](auto& s) { s.topology.leaves = 1; },
      "topology.leaves * topology.hosts_per_leaf");
  expectRefused(
      closSpec(128, 2, 64), [](auto& s) { s.topology.leaves = 129; },
      "topology.leaves * topology.hosts_per_leaf");
  expectRefused(
      switchSpec(2), [](auto& s) { s.topology.kind = static_cast<TopologyKind>(9); },
      "topology.kind");
}

TEST(Spec, DelaysAndRates) {
  for (const FabricSpec& spec : {linkSpec(), switchSpec(2), closSpec(2, 2, 2)}) {
    expectRefused(
        spec, [](auto& s) { s.topology.host_link_delay = Picoseconds(0); },
        "topology.host_link_delay");
    expectRefused(
        spec, [](auto& s) { s.topology.host_link_delay = Picoseconds(-1); },
        "topology.host_link_delay");
    expectRefused(
        spec, [](auto& s) { s.topology.link_rate = BitRate(0); }, "topology.link_rate");
    expectRefused(
        spec, [](auto& s) { s.topology.link_rate = BitRate(-100); }, "topology.link_rate");
    expectRefused(
        spec, [](auto& s) { s.switches.latency = Picoseconds(0); }, "switches.latency");
  }
  expectRefused(
      closSpec(2, 2, 2), [](auto& s) { s.topology.fabric_link_delay = Picoseconds(0); },
      "topology.fabric_link_delay");
  expectRefused(
      closSpec(2, 2, 2), [](auto& s) { s.topology.fabric_link_delay = seconds(2); },
      "topology.fabric_link_delay");
  // A delay of links that the topology does not have does not matter.
  FabricSpec spec = switchSpec(2);
  spec.topology.fabric_link_delay = Picoseconds(0);
  EXPECT_NO_THROW(validate(spec));
}

TEST(Spec, Switches) {
  expectRefused(
      switchSpec(2), [](auto& s) { s.switches.buffer_per_port = Bytes(63); },
      "switches.buffer_per_port");
  expectRefused(
      switchSpec(2), [](auto& s) { s.switches.buffer_per_port = Bytes(-1); },
      "switches.buffer_per_port");
  expectRefused(
      switchSpec(2), [](auto& s) { s.switches.forwarding = static_cast<Forwarding>(7); },
      "switches.forwarding");
}

TEST(Spec, Impairments) {
  FabricSpec spec = switchSpec(2);
  spec.impairments = {{ImpairmentKind::kDrop, 1, 5, {}},
                      {ImpairmentKind::kDelay, 0, 5, seconds(1)}};
  expectRefused(
      spec, [](auto& s) { s.impairments[0].host = 2; }, "impairments[0].host");
  expectRefused(
      spec, [](auto& s) { s.impairments[1].delay = Picoseconds(0); }, "impairments[1].delay");
  expectRefused(
      spec, [](auto& s) { s.impairments[1].host = 1; }, "impairments[1].frame");
  expectRefused(
      spec, [](auto& s) { s.impairments[0].kind = static_cast<ImpairmentKind>(3); },
      "impairments[0].kind");
}

TEST(Spec, LargestTopologyRoutes) {
  Fabric fabric(closSpec(256, 32, 32));
  Log log;
  log.watch(fabric);
  fabric.send(0, packetTo(0, 8191, 64), nanoseconds(1));
  drain(fabric);
  ASSERT_EQ(log.deliveries.size(), 1U);
  EXPECT_EQ(log.deliveries[0].to, 8191U);
  EXPECT_EQ(fabric.switchName(255), "leaf255");
  EXPECT_EQ(fabric.switchName(256), "spine0");
}

}  // namespace
}  // namespace plumbline::fabric::testing
