// Round-trip time of the idle network, for transports that need it as a parameter.
#pragma once

#include <optional>

#include "base/units.h"
#include "fabric/spec/fabric_spec.h"
#include "transport/uet/uet_spec.h"
#include "workload/workload_spec.h"

namespace plumbline::bench {

// UetSpec::base_rtt from the topology: the longest idle round trip between two hosts of one job of
// `workload`; between any two hosts of the fabric without a workload, or if no job has two hosts.
// Sums a full packet of `uet` and its ACK, from the first bit sent to the last bit received, along
// the first of the shortest paths: delays of links, latencies of switches, and serialisation at the
// sender and in every store-and-forward switch. Throws Error(kUsage) for an invalid fabric or
// placement.
Picoseconds idleRoundTrip(const fabric::FabricSpec& dut,
                          const std::optional<workload::WorkloadSpec>& workload,
                          const transport::UetSpec& uet);

}  // namespace plumbline::bench
