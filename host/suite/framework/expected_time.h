// What a plan costs on this machine.
#pragma once

#include <cstdint>

#include "bench/trial/bench.h"
#include "suite/procedure.h"

namespace plumbline::suite {

// Processor time of a small simulation of hosts on a fabric, over what it takes on the machine that
// the costs in bench::Capabilities and of the tests' packet-hops are of: above 1 for a slower one,
// or for one that shares its caches with more programs. The least of three runs; some 50 ms.
double measureSlowness();

// The same, measured once in the life of the program.
double machineSlowness();

// Wall clock of the plan's trials on a DUT with so many hosts [s], roughly: of benches that
// simulate that of a core which nobody else uses. `slowness` is measureSlowness().
double expectedSeconds(const Plan& plan, std::uint32_t hosts, const bench::Capabilities& bench,
                       double slowness);

}  // namespace plumbline::suite
