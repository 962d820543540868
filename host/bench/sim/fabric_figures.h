// Results of a simulated fabric and its hosts after a trial, for all benches with one.
#pragma once

#include "bench/sim/hop_watch.h"
#include "bench/sim/sim_hosts.h"
#include "bench/trial/fabric_result.h"
#include "fabric/engine/fabric.h"

namespace plumbline::bench {

// Links, flows and jobs over the whole trial, up to the fabric's present time; without samples and
// without the cost of the simulation. Finishes pending work, so call it only when the fabric will
// not run again. Observation points: modelled (fabric), endpoint software, modelled (hosts).
// `streams_end`: when the trial's streams, which do not end with its jobs, have sent their last
// frame; 0 without streams.
FabricResult fabricFigures(const fabric::Fabric& fabric, const SimHosts& hosts,
                           const HopWatch& hops, Picoseconds streams_end);

}  // namespace plumbline::bench
