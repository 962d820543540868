// What the switches of the simulated DUT do to the bytes of a frame that they forward.
#pragma once

#include <cstdint>
#include <optional>

#include "bench/card/packet.h"
#include "fabric/engine/packet.h"
#include "wire/bytes.h"

namespace plumbline::bench {

// The frame that comes out when `sent` went in (both with FCS), if `packet` is what came out of the
// fabric for it. Switches forward as routers do, but leave MAC addresses alone:
//
//   TTL, hop limit       one less per switch (RFC 1812 §5.3.1, RFC 8200 §3)
//   ECN field            CE if the packet was marked (RFC 3168 §5)
//   IPv4 checksum        updated incrementally (RFC 1624, equation 3): one that was wrong stays so
//   PCP of a VLAN tag    the packet's priority
//   trimmed frames       cut to the packet's length; DSCP kTrimmedDscp; IP length corrected; UDP
//                        length as it was (Ultra Ethernet, packet trimming). They have no ICRC.
//   FCS                  that of the new bytes
//
// The ICRC of RoCEv2 covers nothing of this, so it stays right. Frames that are neither IPv4 nor
// IPv6 keep their bytes but for the PCP and a cut.
//
// Nothing when the TTL does not last: the frame ends at the switch where it would become zero.
std::optional<wire::Buffer> afterTransit(wire::ByteView sent, const fabric::Packet& packet);

// True when afterTransit() would give back `sent` as it is.
[[nodiscard]] constexpr bool untouched(const fabric::Packet& packet) {
  return packet.hops == 0 && !packet.trimmed;
}

}  // namespace plumbline::bench
