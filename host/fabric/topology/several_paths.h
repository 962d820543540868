// Whether load balancing of a topology has a choice.
#pragma once

#include "fabric/topology/topology.h"

namespace plumbline::fabric {

// Whether packets of a flow can take different paths: switches and their cables are no tree.
bool hasSeveralPaths(const Topology& topology);

}  // namespace plumbline::fabric
