// Addresses of the tester's ports: benchmark networks only (198.18.0.0/15, RFC 2544; 2001:db8::/32,
// RFC 3849) and locally administered MACs.
#pragma once

#include <cstdint>

#include "wire/ethernet.h"
#include "wire/ip.h"

namespace plumbline::wire {

// Every port has its own IPv4 /24 (and IPv6 /64), so that streams with many addresses of different
// ports never collide: as many as 198.18.0.0/15 holds.
inline constexpr std::uint32_t kMaxHosts = 512;

// 02:00:00:00:00:01 for port 0, counting up.
MacAddress hostMac(std::uint32_t host);
// 198.18.<host>.1, continued in 198.19. Throws Error(kUsage) for host >= kMaxHosts.
Ipv4Address hostIpv4(std::uint32_t host);
// 2001:db8:0:<host>::1. Throws Error(kUsage) for host >= kMaxHosts.
Ipv6Address hostIpv6(std::uint32_t host);

}  // namespace plumbline::wire
