// What a bench can that has tester cards, simulated or real.
#pragma once

#include "base/units.h"
#include "bench/trial/bench.h"

namespace plumbline::bench {

// Of cards as they are packed (docs/card.md), with ports of `line_rate` and a datapath clock of
// `clock_period`. Name, ports, DUT and costs are the bench's own.
Capabilities cardCapabilities(BitRate line_rate, Picoseconds clock_period);

}  // namespace plumbline::bench
