// The round trip of the idle network, for transports that are told one.
#pragma once

#include <optional>

#include "base/units.h"
#include "fabric/spec/fabric_spec.h"
#include "transport/uet/uet_spec.h"
#include "workload/workload_spec.h"

namespace plumbline::bench {

// What UetSpec::base_rtt means, out of the topology: the longest idle round trip between two hosts
// of one job of `workload`; between any two of the fabric where there is none, or no job has two. A
// full packet of `uet` there and its ACK back, from the first bit sent to the last bit received,
// along the first of the shortest paths: delays of links, latencies of switches, and serialisation
// at the end and in every switch that stores. Throws Error(kUsage) for a fabric or a placement that
// cannot be.
Picoseconds idleRoundTrip(const fabric::FabricSpec& dut,
                          const std::optional<workload::WorkloadSpec>& workload,
                          const transport::UetSpec& uet);

}  // namespace plumbline::bench
