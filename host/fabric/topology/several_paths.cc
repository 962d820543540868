#include "fabric/topology/several_paths.h"

namespace plumbline::fabric {

bool hasSeveralPaths(const Topology& topology) {
  const std::size_t cables = topology.fabricLinks() / 2;
  // Switches in a tree have one cable less than they are.
  return cables >= topology.switches().size();
}

}  // namespace plumbline::fabric
