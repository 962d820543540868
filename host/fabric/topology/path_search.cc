#include "fabric/topology/path_search.h"

#include <algorithm>

namespace plumbline::fabric {
namespace {

constexpr std::uint32_t kUnreached = 0xFFFFFFFF;

}  // namespace

std::vector<std::vector<Arc>> arcsBetweenSwitches(const Topology& topology,
                                                  const std::vector<bool>& down) {
  std::vector<std::vector<Arc>> arcs(topology.switches().size());
  for (LinkId id = 0; id < topology.links().size(); ++id) {
    const Node& from = topology.nodes()[topology.links()[id].from];
    const Node& to = topology.nodes()[topology.links()[id].to];
    if (down[id] || from.kind != NodeKind::kSwitch || to.kind != NodeKind::kSwitch) continue;
    arcs[to.index].push_back({from.index, id});
  }
  return arcs;
}

void PathSearch::run(std::uint32_t target) {
  std::fill(hops_.begin(), hops_.end(), kUnreached);
  for (auto& links : first_links_) links.clear();
  frontier_.assign(1, target);
  hops_[target] = 0;
  for (std::size_t next = 0; next < frontier_.size(); ++next) {
    const std::uint32_t hops = hops_[frontier_[next]] + 1;
    for (const Arc& arc : arcs_[frontier_[next]]) {
      if (hops_[arc.from] == kUnreached) {
        hops_[arc.from] = hops;
        frontier_.push_back(arc.from);
      }
      if (hops_[arc.from] == hops) first_links_[arc.from].push_back(arc.link);
    }
  }
  for (auto& links : first_links_) std::sort(links.begin(), links.end());
}

}  // namespace plumbline::fabric
