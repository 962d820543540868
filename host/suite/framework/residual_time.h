// How long a simulated DUT may hold frames after the last one was sent, from its specification. A
// trial that ends earlier would count frames that are still under way as lost.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "fabric/spec/fabric_spec.h"

namespace plumbline::suite {

// Switches on a longest of the shortest paths between two hosts; of a graph all of its switches.
std::int64_t switchesOnPath(const fabric::TopologySpec& topology);

// Upper bound on the time from the first bit of a `frame` into the idle DUT to its last bit out of
// it: cables, latencies of switches, and serialisation on every link, along switchesOnPath().
Picoseconds pathTime(const fabric::FabricSpec& dut, Bytes frame);

// Upper bound on the time that frames of up to `frame` bytes need to leave the DUT after the last
// of them was sent into it: pathTime(), the full buffers of these switches at the rate of the
// slowest link, and the times for which hosts hold frames back by scripted PAUSE.
Picoseconds residualTime(const fabric::FabricSpec& dut, Bytes frame);

}  // namespace plumbline::suite
