// A fabric in words.
#pragma once

#include <string>

#include "fabric/spec/fabric_spec.h"

namespace plumbline::fabric {

// "A: 2-tier Clos, 8 leaves × 16 spines, 16 hosts per leaf, 128 host ports", with the letter that
// the IETF drafts give the topology, where they give one.
std::string topologyText(const TopologySpec& topology);

}  // namespace plumbline::fabric
