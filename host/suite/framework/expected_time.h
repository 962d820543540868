// Expected duration of a plan on this machine.
#pragma once

#include <cstdint>

#include "bench/trial/bench.h"
#include "suite/procedure.h"

namespace plumbline::suite {

// Processor time of a small simulation of hosts on a fabric, relative to the machine for which the
// costs in bench::Capabilities and of the tests' packet-hops were measured: above 1 for a slower
// machine, or one whose caches are shared with more programs. The minimum of three runs; some 50
// ms.
double measureSlowdown();

// The same, measured once per process.
double machineSlowdown();

// Approximate wall time of the plan's trials on a DUT with `hosts` hosts [s]; for simulating
// benches on an otherwise idle core. `slowness` is measureSlowdown().
double expectedSeconds(const Plan& plan, std::uint32_t hosts, const bench::Capabilities& bench,
                       double slowdown);

}  // namespace plumbline::suite
