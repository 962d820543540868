// How far pauses spread from the congested host.
#pragma once

#include <cstdint>
#include <optional>

#include "bench/trial/fabric_result.h"
#include "fabric/topology/topology.h"

namespace plumbline::suite {

// The largest distance from `host` of a link whose sender was paused, counted in links from the
// node that sent the PAUSE to `host`. 1: the host's own switch paused its senders; in a two-tier
// Clos 2: spines paused leaves, 3: leaves paused hosts. 0: no pauses. Nothing where the links are
// not those of `topology`.
std::optional<std::uint32_t> pauseHops(const fabric::Topology& topology,
                                       const bench::FabricResult& result, fabric::HostId host);

}  // namespace plumbline::suite
