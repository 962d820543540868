// Header templates for the card: the bytes that the driver loads into the template table, and the
// values of the flow configuration that follow from them (docs/card.md, "Builder").
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "wire/bytes.h"
#include "wire/ethernet.h"
#include "wire/ip.h"
#include "wire/udp.h"

namespace plumbline::wire {

// Template bytes per flow on the card; later bytes come from the payload pattern.
inline constexpr std::size_t kTemplateSize = 256;

// The address that the card increments (addr_mode of the flow table).
enum class AddressModifier : std::uint8_t { kNone = 0, kSource = 1, kDestination = 2 };

// A test stream as the card is to send it. Fields that the card modifies per frame start from the
// values here.
struct StreamTemplateSpec {
  MacAddress destination_mac{};
  MacAddress source_mac{};
  std::optional<std::uint16_t> vlan_id{};  // 802.1Q tag with PCP = priority
  std::uint8_t priority = 0;
  bool ipv6 = false;
  Ipv4Address source_ipv4{};  // the pair of the chosen version is used
  Ipv4Address destination_ipv4{};
  Ipv6Address source_ipv6{};
  Ipv6Address destination_ipv6{};
  std::uint8_t dscp = 0;
  Ecn ecn = Ecn::kNotEct;
  AddressModifier address_modifier = AddressModifier::kNone;
  std::uint16_t source_port = 0xC000;
  std::uint16_t destination_port = udp_port::kDiscard;  // of plain UDP; RoCE has its own
  // A RoCE opcode with payload (roce_opcode::kRcSendOnly, kRcWriteOnly, …); empty = plain UDP.
  std::optional<std::uint8_t> roce_opcode{};
  std::uint32_t dest_qp = 0;
  std::uint32_t psn = 0;
  std::uint64_t virtual_address = 0;  // of opcodes with RETH
  std::uint32_t rkey = 0;
  std::uint32_t length = 64;  // frame bytes including FCS
};

struct StreamTemplate {
  // The frame's first bytes, complete except for the fields that the card fills in (tag, ICRC,
  // FCS); zeros after the frame's end.
  std::array<std::uint8_t, kTemplateSize> bytes{};
  std::uint32_t l3 = 0;         // offset of the IP header: 14, tagged 18
  std::uint32_t udp = 0;        // offset of the UDP header
  std::uint32_t tag_off = 0;    // offset of the test tag, directly after the transport headers
  std::uint32_t pay_off = 0;    // offset of the incrementing payload, directly after the tag
  std::uint16_t csum_base = 0;  // IPv4 with an address modifier, else 0
  bool icrc = false;            // the card ends the frame with an ICRC
  std::uint8_t pad_count = 0;   // as written to the BTH
  // False when the frame's length is not a multiple of four for RoCE payload and pad, which a NIC
  // would refuse though switches do not check it: the excess is declared as pad, so that every
  // decoder agrees on the payload length.
  bool roce_aligned = true;
};

// Smallest frame length (with FCS, at least 64) for the headers of `spec` and a test tag. Throws
// Error(kUsage) for an opcode that is unknown or has no payload.
std::uint32_t minimumTaggedLength(const StreamTemplateSpec& spec);

// Makes the template. The UDP checksum is zero: the payload changes with every frame. Throws
// Error(kUsage) for a length outside [minimumTaggedLength(spec), 9216], an opcode without payload
// and a plain UDP stream to a RoCE or UET port.
StreamTemplate makeStreamTemplate(const StreamTemplateSpec& spec);

}  // namespace plumbline::wire
