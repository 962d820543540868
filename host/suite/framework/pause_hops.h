// How far pauses spread from the host that they protect.
#pragma once

#include <cstdint>
#include <optional>

#include "bench/trial/fabric_result.h"
#include "fabric/topology/topology.h"

namespace plumbline::suite {

// Of all links whose sender was paused, the farthest from `host`: links from the node that asked
// for the pause to `host`. 1: the host's own switch paused who sends to it; in a two-tier Clos
// 2: spines paused leaves, 3: leaves paused hosts. 0: none was paused. Nothing where the links are
// not those of `topology`.
std::optional<std::uint32_t> pauseHops(const fabric::Topology& topology,
                                       const bench::FabricResult& result, fabric::HostId host);

}  // namespace plumbline::suite
