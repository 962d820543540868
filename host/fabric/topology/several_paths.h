// Whether load balancing of a topology has a choice.
#pragma once

#include "fabric/topology/topology.h"

namespace plumbline::fabric {

// Whether packets between two hosts can take different paths: somewhere on the way several cables
// begin a path of fewest hops (routing.h).
bool hasSeveralPaths(const Topology& topology);

}  // namespace plumbline::fabric
