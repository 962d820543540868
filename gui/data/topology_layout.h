// SPDX-License-Identifier: GPL-3.0-or-later
// Positions of a fabric's nodes in its drawing: hosts at the bottom, and switches above by their
// distance from hosts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "control/api_types.h"

namespace plumbline::gui {

struct PlacedNode {
  std::string name;
  bool host = false;
  std::size_t tier = 0;  // 0: hosts
  double x = 0;          // 0 to 1, from left to right
  double y = 0;          // 0 to 1, from top to bottom
  bool fails = false;    // at some time of the scenario
};

// Both directions of one cable, as indices of TopologyPicture::links.
struct PlacedCable {
  std::size_t a = 0;  // places in TopologyLayout::nodes
  std::size_t b = 0;
  std::vector<std::size_t> links;
  bool fails = false;
  std::size_t parallel = 0;  // its number among the cables between the same two nodes
};

struct TopologyLayout {
  std::vector<PlacedNode> nodes;
  std::vector<PlacedCable> cables;
  std::size_t tiers = 0;
  std::size_t widest = 0;  // nodes of the widest tier
};

// Links of nodes that are not listed are left out.
TopologyLayout layoutTopology(const control::TopologyPicture& picture);

}  // namespace plumbline::gui
