// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/data/topology_layout.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

namespace plumbline::gui {
namespace {

// A cable's name without the direction: for "leaf0-spine1#1" and its reverse, the two nodes are
// known, and the number after '#' distinguishes parallel cables.
std::string cableNumber(const std::string& link) {
  const auto hash = link.rfind('#');
  return hash == std::string::npos ? std::string() : link.substr(hash);
}

void assignTiers(TopologyLayout& layout) {
  std::vector<std::vector<std::size_t>> neighbours(layout.nodes.size());
  for (const PlacedCable& cable : layout.cables) {
    neighbours[cable.a].push_back(cable.b);
    neighbours[cable.b].push_back(cable.a);
  }
  std::vector<bool> reached(layout.nodes.size(), false);
  std::deque<std::size_t> next;
  for (std::size_t i = 0; i < layout.nodes.size(); ++i) {
    if (!layout.nodes[i].host) continue;
    reached[i] = true;
    next.push_back(i);
  }
  while (!next.empty()) {
    const std::size_t node = next.front();
    next.pop_front();
    for (const std::size_t other : neighbours[node]) {
      if (reached[other]) continue;
      reached[other] = true;
      layout.nodes[other].tier = layout.nodes[node].tier + 1;
      next.push_back(other);
    }
  }
  for (std::size_t i = 0; i < layout.nodes.size(); ++i) {
    if (!reached[i]) layout.nodes[i].tier = 1;  // a switch that no host can reach
  }
}

// Mean place of each node's neighbours one tier below, so that spines stand over their leaves.
void placeAcross(TopologyLayout& layout) {
  std::vector<std::vector<std::size_t>> tiers(layout.tiers);
  for (std::size_t i = 0; i < layout.nodes.size(); ++i) tiers[layout.nodes[i].tier].push_back(i);
  std::vector<double> pull(layout.nodes.size(), 0);
  for (std::size_t tier = 0; tier < tiers.size(); ++tier) {
    std::vector<std::size_t>& members = tiers[tier];
    layout.widest = std::max(layout.widest, members.size());
    std::vector<std::pair<double, std::size_t>> sums(layout.nodes.size(), {0, 0});
    for (const PlacedCable& cable : layout.cables) {
      for (const auto& [up, down] : {std::pair(cable.a, cable.b), std::pair(cable.b, cable.a)}) {
        if (layout.nodes[up].tier != tier || layout.nodes[down].tier + 1 != tier) continue;
        sums[up].first += layout.nodes[down].x;
        ++sums[up].second;
      }
    }
    for (const std::size_t node : members) {
      if (sums[node].second > 0) {
        pull[node] = sums[node].first / static_cast<double>(sums[node].second);
      }
    }
    std::stable_sort(members.begin(), members.end(),
                     [&pull](std::size_t a, std::size_t b) { return pull[a] < pull[b] - 1e-9; });
    for (std::size_t place = 0; place < members.size(); ++place) {
      PlacedNode& node = layout.nodes[members[place]];
      node.x = (static_cast<double>(place) + 0.5) / static_cast<double>(members.size());
      node.y = layout.tiers < 2
                   ? 0.5
                   : 1 - static_cast<double>(tier) / static_cast<double>(layout.tiers - 1);
    }
  }
}

}  // namespace

TopologyLayout layoutTopology(const control::TopologyPicture& picture) {
  TopologyLayout layout;
  std::set<std::string> failing;
  for (const control::TopologyFailure& failure : picture.failures) failing.insert(failure.element);
  std::map<std::string, std::size_t> place_of;
  for (const control::TopologyNode& node : picture.nodes) {
    place_of.emplace(node.name, layout.nodes.size());
    layout.nodes.push_back({node.name, node.kind == "host", 0, 0, 0, failing.count(node.name) > 0});
  }
  std::map<std::pair<std::pair<std::size_t, std::size_t>, std::string>, std::size_t> cable_of;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> parallel;
  for (std::size_t i = 0; i < picture.links.size(); ++i) {
    const control::TopologyLink& link = picture.links[i];
    const auto from = place_of.find(link.from);
    const auto to = place_of.find(link.to);
    if (from == place_of.end() || to == place_of.end()) continue;
    const std::pair<std::size_t, std::size_t> ends = std::minmax(from->second, to->second);
    const auto [entry, fresh] =
        cable_of.try_emplace({ends, cableNumber(link.name)}, layout.cables.size());
    if (fresh) {
      layout.cables.push_back({ends.first, ends.second, {}, false, parallel[ends]++});
    }
    PlacedCable& cable = layout.cables[entry->second];
    cable.links.push_back(i);
    cable.fails = cable.fails || failing.count(link.name) > 0;
  }
  assignTiers(layout);
  for (const PlacedNode& node : layout.nodes) layout.tiers = std::max(layout.tiers, node.tier + 1);
  placeAcross(layout);
  return layout;
}

}  // namespace plumbline::gui
