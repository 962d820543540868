// The bytes of a simulated host's packet, for when it comes out at a port of the tester.
#pragma once

#include "fabric/engine/packet.h"
#include "transport/roce/roce_spec.h"
#include "wire/bytes.h"

namespace plumbline::bench {

// The RoCEv2 frame that `packet`, from a RoCE endpoint with `spec`, stands for, as it leaves the
// last switch: right headers, lengths, ICRC and FCS, zeros as payload. Of connection management
// only BTH and length are right: datagram header, MAD and ICRC are zero. What the packet does not
// say is chosen: UDP source port from its flow hash, virtual address and keys zero, DSCP the class
// selector of its priority. Carries no test tag, so the card counts it as untagged.
wire::Buffer frameOf(const fabric::Packet& packet, const transport::RoceSpec& spec);

}  // namespace plumbline::bench
