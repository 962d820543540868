// Capabilities of a bench with tester cards, simulated or real.
#pragma once

#include "base/units.h"
#include "bench/trial/bench.h"

namespace plumbline::bench {

// Of cards as they are built (docs/card.md), with ports of `line_rate` and a datapath clock of
// `clock_period`. The bench sets name, ports, DUT and costs itself.
Capabilities cardCapabilities(BitRate line_rate, Picoseconds clock_period);

}  // namespace plumbline::bench
