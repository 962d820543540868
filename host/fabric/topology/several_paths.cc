#include "fabric/topology/several_paths.h"

#include <set>

#include "base/work.h"
#include "fabric/topology/path_search.h"

namespace plumbline::fabric {
namespace {

std::uint32_t switchBehind(const Topology& topology, LinkId link) {
  return topology.nodes()[topology.links()[link].to].index;
}

}  // namespace

bool hasSeveralPaths(const Topology& topology) {
  const std::size_t cables = topology.fabricLinks() / 2;
  // Switches in a tree have one cable less than they are. A bare link has none.
  if (cables == 0 || cables < topology.switches().size()) return false;
  std::set<std::uint32_t> edges;  // switches with hosts
  for (const NodeId host : topology.hosts()) {
    edges.insert(switchBehind(topology, topology.nodes()[host].out_links.front()));
  }
  const auto arcs =
      arcsBetweenSwitches(topology, std::vector<bool>(topology.links().size(), false));
  PathSearch search(arcs);
  for (const std::uint32_t target : edges) {
    checkWork();
    search.run(target);
    for (std::uint32_t at : edges) {
      while (!search.firstLinks(at).empty()) {
        if (search.firstLinks(at).size() > 1) return true;
        at = switchBehind(topology, search.firstLinks(at).front());
      }
    }
  }
  return false;
}

}  // namespace plumbline::fabric
