#include "fabric/engine/footprint.h"

#include <gtest/gtest.h>

#include "fabric/topology/topology.h"

namespace plumbline::fabric {
namespace {

// What is counted without building is what is built.
void expectCounts(const TopologySpec& spec) {
  const Footprint footprint = footprintOf(spec);
  const Topology topology = buildTopology(spec);
  EXPECT_EQ(footprint.hosts, topology.hosts().size());
  EXPECT_EQ(footprint.switches, topology.switches().size());
  EXPECT_EQ(footprint.links, topology.links().size());
}

TEST(Footprint, CountsWhatIsBuilt) {
  TopologySpec spec;
  spec.kind = TopologyKind::kLink;
  expectCounts(spec);
  spec.kind = TopologyKind::kSingleSwitch;
  spec.hosts = 7;
  expectCounts(spec);
  spec.kind = TopologyKind::kClos2;
  spec.leaves = 3;
  spec.spines = 5;
  spec.hosts_per_leaf = 4;
  spec.uplinks = 2;
  expectCounts(spec);
  spec.kind = TopologyKind::kClos3;
  spec.pods = 3;
  spec.superspines = 10;
  expectCounts(spec);
  spec.kind = TopologyKind::kRail;
  spec.servers = 5;
  spec.rails = 3;
  spec.servers_per_leaf = 2;
  expectCounts(spec);
  spec.kind = TopologyKind::kPools;
  spec.prefill_leaves = 2;
  spec.decode_leaves = 3;
  expectCounts(spec);
}

// 1,024 leaves and spines with 8 hosts to a leaf: 2 * (1024 * 1024 + 8192) links.
TEST(Footprint, OfAMeshIsThatOfItsLinks) {
  TopologySpec spec;
  spec.kind = TopologyKind::kClos2;
  spec.leaves = 1024;
  spec.spines = 1024;
  spec.hosts_per_leaf = 8;
  const Footprint footprint = footprintOf(spec);
  EXPECT_EQ(footprint.links, 2'113'536U);
  EXPECT_EQ(footprint.routes, 2'097'152U);
  EXPECT_GT(footprint.bytes, 2.9e9);  // by a smaller mesh, which took 2,750 B a link, 5.8 GB
  EXPECT_LT(footprint.bytes, 11.6e9);
}

}  // namespace
}  // namespace plumbline::fabric
