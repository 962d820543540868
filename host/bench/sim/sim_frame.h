// The bytes of a simulated host's packet, for delivery at a port of the tester.
#pragma once

#include "fabric/engine/packet.h"
#include "transport/roce/roce_spec.h"
#include "wire/bytes.h"

namespace plumbline::bench {

// The RoCEv2 frame of `packet`, from a RoCE endpoint with `spec`, as it leaves the last switch:
// correct headers, lengths, ICRC and FCS, zeros as payload. Of connection management only BTH and
// length are correct: datagram header, MAD and ICRC are zero. Fields that the packet does not have
// are chosen: UDP source port from its flow hash, virtual address and keys zero, DSCP the class
// selector of its priority. Without a test tag, so the card counts it as untagged.
wire::Buffer frameOf(const fabric::Packet& packet, const transport::RoceSpec& spec);

}  // namespace plumbline::bench
