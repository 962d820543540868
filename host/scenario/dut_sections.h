// Parts of `dut:` with readers of their own. They fill the specification with all valid values,
// report the others, and record in `places` where each stands.
#pragma once

#include "fabric/spec/fabric_spec.h"
#include "scenario/spec_reader.h"

namespace plumbline::scenario {

// `topology:`
void readTopology(const YamlNode& node, fabric::TopologySpec& topology, FieldPlaces& places,
                  Problems& problems);

}  // namespace plumbline::scenario
