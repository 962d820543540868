#include "gui/data/topology_layout.h"

#include <gtest/gtest.h>

#include <map>

namespace plumbline::gui {
namespace {

using control::TopologyPicture;

void join(TopologyPicture& picture, const std::string& a, const std::string& b,
          const std::string& suffix = {}) {
  picture.links.push_back({a + "-" + b + suffix, a, b, 100});
  picture.links.push_back({b + "-" + a + suffix, b, a, 100});
}

// Two leaves with two hosts each, two spines.
TopologyPicture clos() {
  TopologyPicture picture;
  for (const char* host : {"host0", "host1", "host2", "host3"}) {
    picture.nodes.push_back({host, "host"});
  }
  for (const char* name : {"leaf0", "leaf1", "spine0", "spine1"}) {
    picture.nodes.push_back({name, "switch"});
  }
  join(picture, "host0", "leaf0");
  join(picture, "host1", "leaf0");
  join(picture, "host2", "leaf1");
  join(picture, "host3", "leaf1");
  for (const char* leaf : {"leaf0", "leaf1"}) {
    for (const char* spine : {"spine0", "spine1"}) join(picture, leaf, spine);
  }
  return picture;
}

TEST(TopologyLayout, TiersAreDistancesFromHosts) {
  const TopologyLayout layout = layoutTopology(clos());
  std::map<std::string, PlacedNode> nodes;
  for (const PlacedNode& node : layout.nodes) nodes[node.name] = node;
  EXPECT_EQ(layout.tiers, 3U);
  EXPECT_EQ(layout.widest, 4U);
  EXPECT_EQ(nodes["host2"].tier, 0U);
  EXPECT_EQ(nodes["leaf1"].tier, 1U);
  EXPECT_EQ(nodes["spine0"].tier, 2U);
  EXPECT_DOUBLE_EQ(nodes["host2"].y, 1);
  EXPECT_DOUBLE_EQ(nodes["spine0"].y, 0);
  // Leaves stand over their hosts.
  EXPECT_DOUBLE_EQ(nodes["leaf0"].x, 0.25);
  EXPECT_DOUBLE_EQ(nodes["leaf1"].x, 0.75);
  EXPECT_LT(nodes["host1"].x, nodes["host2"].x);
}

TEST(TopologyLayout, BothDirectionsAreOneCableAndParallelOnesAreNot) {
  TopologyPicture picture = clos();
  EXPECT_EQ(layoutTopology(picture).cables.size(), 8U);
  join(picture, "leaf0", "spine0", "#1");
  const TopologyLayout layout = layoutTopology(picture);
  ASSERT_EQ(layout.cables.size(), 9U);
  for (const PlacedCable& cable : layout.cables) EXPECT_EQ(cable.links.size(), 2U);
  EXPECT_EQ(layout.cables.back().parallel, 1U);
}

TEST(TopologyLayout, FailuresMarkTheirCableOrSwitch) {
  TopologyPicture picture = clos();
  picture.failures = {{"spine0-leaf1", 5, std::nullopt}, {"spine1", 7, 9}};
  const TopologyLayout layout = layoutTopology(picture);
  std::size_t cables = 0;
  for (const PlacedCable& cable : layout.cables) cables += cable.fails ? 1 : 0;
  EXPECT_EQ(cables, 1U);
  for (const PlacedNode& node : layout.nodes) EXPECT_EQ(node.fails, node.name == "spine1");
}

TEST(TopologyLayout, CopesWithWhatMakesNoSense) {
  EXPECT_TRUE(layoutTopology({}).nodes.empty());
  TopologyPicture picture;
  picture.nodes = {{"lonely", "switch"}};
  picture.links = {{"a-b", "a", "b", 1}};
  const TopologyLayout layout = layoutTopology(picture);
  EXPECT_EQ(layout.nodes.size(), 1U);
  EXPECT_TRUE(layout.cables.empty());
}

}  // namespace
}  // namespace plumbline::gui
