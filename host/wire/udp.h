// UDP header (RFC 768) and its checksum over IPv4 and IPv6.
#pragma once

#include <cstdint>

#include "wire/bytes.h"
#include "wire/ip.h"

namespace plumbline::wire {

namespace udp_port {
inline constexpr std::uint16_t kRoce = 4791;
inline constexpr std::uint16_t kUet = 4793;
// Port of plain test frames: hosts do not answer it, should a frame escape from the test network.
inline constexpr std::uint16_t kDiscard = 9;
}  // namespace udp_port

struct UdpHeader {
  static constexpr std::size_t kSize = 8;

  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint16_t length = 0;    // header and payload
  std::uint16_t checksum = 0;  // 0 = not computed

  bool operator==(const UdpHeader&) const = default;
  void encode(FixedSpan<kSize> out) const;
  static UdpHeader decode(FixedView<kSize> in);
};

// Checksum of `datagram` (UDP header and payload; its checksum field is ignored) between two
// addresses, which are the bytes from the source address on: 8 for IPv4, 32 for IPv6. Never zero: a
// computed zero is sent as 0xFFFF. `datagram` has at least a header.
std::uint16_t udpChecksum(ByteView addresses, ByteView datagram);

}  // namespace plumbline::wire
