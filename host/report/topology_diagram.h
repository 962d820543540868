// A drawing of the simulated fabric.
#pragma once

#include <string>
#include <vector>

#include "fabric/spec/fabric_spec.h"

namespace plumbline::report {

// SVG with the tester's ports as hosts at the bottom, switches above, every cable drawn, and the
// rates and delays of cables beside the tiers. A cable between two switches of a row that are not
// adjacent goes around those between. Tiers that are too wide show their first and last members and
// an ellipsis; the numbers are in fabric::topologyText(). Cables and switches of `failures` are
// dashed and red.
std::string renderTopology(const fabric::TopologySpec& topology,
                           const std::vector<fabric::FailureSpec>& failures = {});

}  // namespace plumbline::report
