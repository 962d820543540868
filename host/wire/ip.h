// IPv4 without options and IPv6 without extension headers (RFC 791, RFC 8200), the ECN field
// (RFC 3168) and the Internet checksum (RFC 1071).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

#include "wire/bytes.h"

namespace plumbline::wire {

namespace ip_protocol {
inline constexpr std::uint8_t kUdp = 17;
// UET without UDP has no assigned number yet; RFC 3692 experimental (FACTS J.4).
inline constexpr std::uint8_t kUetNative = 253;
}  // namespace ip_protocol

enum class Ecn : std::uint8_t { kNotEct = 0, kEct1 = 1, kEct0 = 2, kCe = 3 };

struct Ipv4Address {
  std::array<std::uint8_t, 4> octets{};

  constexpr auto operator<=>(const Ipv4Address&) const = default;
  [[nodiscard]] std::string toString() const;  // dotted decimal
};

struct Ipv6Address {
  std::array<std::uint8_t, 16> octets{};

  constexpr auto operator<=>(const Ipv6Address&) const = default;
  [[nodiscard]] std::string toString() const;  // RFC 5952
};

struct Ipv4Header {
  static constexpr std::size_t kSize = 20;

  std::uint8_t ihl = 5;  // header length in 32-bit words; only 5 is decoded further
  std::uint8_t dscp = 0;
  Ecn ecn = Ecn::kNotEct;
  std::uint16_t total_length = 0;  // bytes from the IP header on
  std::uint16_t identification = 0;
  bool dont_fragment = true;
  bool more_fragments = false;
  std::uint16_t fragment_offset = 0;  // in units of 8 bytes
  std::uint8_t ttl = 64;
  std::uint8_t protocol = ip_protocol::kUdp;
  std::uint16_t checksum = 0;
  Ipv4Address source{};
  Ipv4Address destination{};

  bool operator==(const Ipv4Header&) const = default;
  // Writes the fields unchanged, including the checksum.
  void encode(FixedSpan<kSize> out) const;
  static Ipv4Header decode(FixedView<kSize> in);
};

struct Ipv6Header {
  static constexpr std::size_t kSize = 40;

  std::uint8_t dscp = 0;
  Ecn ecn = Ecn::kNotEct;
  std::uint32_t flow_label = 0;  // 20 bits
  std::uint16_t payload_length = 0;
  std::uint8_t next_header = ip_protocol::kUdp;
  std::uint8_t hop_limit = 64;
  Ipv6Address source{};
  Ipv6Address destination{};

  bool operator==(const Ipv6Header&) const = default;
  void encode(FixedSpan<kSize> out) const;
  static Ipv6Header decode(FixedView<kSize> in);
};

// One's-complement sum of the big-endian 16-bit words of `bytes` (an odd last byte is padded with
// zero) added to `sum`; folded to 16 bits, not inverted.
std::uint16_t internetSum(ByteView bytes, std::uint32_t sum = 0);

// Header checksum of an IPv4 header; the contents of its checksum field are ignored.
std::uint16_t ipv4Checksum(FixedView<Ipv4Header::kSize> header);

}  // namespace plumbline::wire
