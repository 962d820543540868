// Round-trip time of the idle network, and the parameters of transports that follow from it.
#pragma once

#include <optional>

#include "base/units.h"
#include "bench/json/transport_json.h"
#include "fabric/spec/fabric_spec.h"
#include "workload/workload_spec.h"

namespace plumbline::bench {

// The longest idle round trip between two hosts of one job of `workload`; between any two hosts of
// the fabric without a workload, or if no job has two hosts. Sums a full packet of `transport` and
// its ACK, from the first bit sent to the last bit received, along the first of the shortest paths:
// delays of links, latencies of switches, and serialisation at the sender and in every
// store-and-forward switch. Throws Error(kUsage) for an invalid fabric or placement.
Picoseconds idleRoundTrip(const fabric::FabricSpec& dut,
                          const std::optional<workload::WorkloadSpec>& workload,
                          const TransportSpec& transport);

// Sets the parameters that follow from that round trip: base_rtt of UET, which is it, and the
// timeout of UET and of RC where it is below twice that time. Such a timeout would repeat packets
// whose ACK is on its way. UET's rto becomes twice the round trip; RC's ack_timeout the shortest
// "local ACK timeout" of InfiniBand that is not below it, as connection management computes it from
// the packet lifetime of a path (InfiniBand Architecture vol. 1, ch. 12). Throws as above.
void fitToPath(TransportSpec& transport, const fabric::FabricSpec& dut,
               const std::optional<workload::WorkloadSpec>& workload);

}  // namespace plumbline::bench
