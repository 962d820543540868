// A drawing of the simulated fabric.
#pragma once

#include <string>

#include "fabric/fabric_spec.h"

namespace plumbline::report {

// SVG with the tester's ports as hosts at the bottom, switches above, every cable drawn, rates and
// delays beside the tiers. Tiers that are too wide show their first and last members and an
// ellipsis; the numbers are in fabric::topologyText().
std::string renderTopology(const fabric::TopologySpec& topology);

}  // namespace plumbline::report
