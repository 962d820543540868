// What a simulated fabric and the hosts on it say when a trial is over: the same for every bench
// that has one.
#pragma once

#include "bench/sim/hop_watch.h"
#include "bench/sim/sim_hosts.h"
#include "bench/trial/fabric_result.h"
#include "fabric/engine/fabric.h"

namespace plumbline::bench {

// Links, flows and jobs over all of the trial, up to the fabric's present time; without samples
// and without what the simulation itself cost.
// Settles what is under way: only when nothing more is to be run. Observation points: the fabric
// modelled, hosts endpoint software (modelled).
FabricResult fabricFigures(const fabric::Fabric& fabric, const SimHosts& hosts,
                           const HopWatch& hops);

}  // namespace plumbline::bench
