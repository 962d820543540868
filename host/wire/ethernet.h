// Ethernet II and 802.1Q headers (IEEE 802.3, 802.1Q).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "wire/bytes.h"

namespace plumbline::wire {

// Frame lengths include the FCS.
inline constexpr std::size_t kMinFrameSize = 64;
inline constexpr std::size_t kMaxFrameSize = 9216;

namespace ether_type {
inline constexpr std::uint16_t kIpv4 = 0x0800;
inline constexpr std::uint16_t kVlan = 0x8100;
inline constexpr std::uint16_t kIpv6 = 0x86DD;
inline constexpr std::uint16_t kMacControl = 0x8808;
}  // namespace ether_type

struct MacAddress {
  std::array<std::uint8_t, 6> octets{};

  constexpr auto operator<=>(const MacAddress&) const = default;
  // Lower case, colon separated.
  [[nodiscard]] std::string toString() const;
};

struct EthernetHeader {
  static constexpr std::size_t kSize = 14;

  MacAddress destination{};
  MacAddress source{};
  std::uint16_t ether_type = 0;  // or the length of an 802.3 frame, when below 0x600

  bool operator==(const EthernetHeader&) const = default;
  void encode(FixedSpan<kSize> out) const;
  static EthernetHeader decode(FixedView<kSize> in);
};

// The four bytes after the source address of a tagged frame. The Ethernet header before a tag has
// ether_type kVlan, the tag has that of the following protocol; on the wire the tag is TCI and
// inner type.
struct VlanTag {
  static constexpr std::size_t kSize = 4;

  std::uint8_t pcp = 0;   // priority code point, 0 to 7
  bool dei = false;       // drop eligible
  std::uint16_t vid = 0;  // 0 to 4095; 0 = priority tag only
  std::uint16_t ether_type = 0;

  bool operator==(const VlanTag&) const = default;
  void encode(FixedSpan<kSize> out) const;
  static VlanTag decode(FixedView<kSize> in);
};

}  // namespace plumbline::wire
