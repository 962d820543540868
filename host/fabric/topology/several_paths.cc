#include "fabric/topology/several_paths.h"

namespace plumbline::fabric {

bool hasSeveralPaths(const Topology& topology) {
  const std::size_t cables = topology.fabricLinks() / 2;
  // Switches in a tree have one cable less than they are. A bare link has none.
  return cables > 0 && cables >= topology.switches().size();
}

}  // namespace plumbline::fabric
