// What the switches of the simulated DUT do to the bytes of a frame that they forward.
#pragma once

#include <cstdint>
#include <optional>

#include "bench/card/packet.h"
#include "fabric/engine/packet.h"
#include "wire/bytes.h"

namespace plumbline::bench {

// The frame that leaves the fabric as `packet` after `sent` entered (both with FCS). Switches
// forward as routers do, but do not change MAC addresses:
//
//   TTL, hop limit       one less per switch (RFC 1812 §5.3.1, RFC 8200 §3)
//   ECN field            CE if the packet was marked (RFC 3168 §5)
//   IPv4 checksum        updated incrementally (RFC 1624, equation 3): a wrong one stays wrong
//   PCP of a VLAN tag    the packet's priority
//   trimmed frames       cut to the packet's length; DSCP kTrimmedDscp; IP length corrected; UDP
//                        length unchanged (Ultra Ethernet, packet trimming). They have no ICRC.
//   FCS                  recomputed
//
// The ICRC of RoCEv2 covers none of these fields, so it stays valid. Frames that are neither IPv4
// nor IPv6 keep their bytes except for the PCP and a cut.
//
// Nothing when the TTL is too small: the switch where it reaches zero drops the frame.
std::optional<wire::Buffer> afterTransit(wire::ByteView sent, const fabric::Packet& packet);

// True when afterTransit() would return `sent` unchanged.
[[nodiscard]] constexpr bool unmodified(const fabric::Packet& packet) {
  return packet.hops == 0 && !packet.trimmed;
}

}  // namespace plumbline::bench
