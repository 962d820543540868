// Whole frames: from a description to bytes (encodeFrame) and from untrusted bytes to a view of all
// layers (decodeFrame). Frames begin with the destination address, without preamble and gap.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "wire/bytes.h"
#include "wire/crc.h"
#include "wire/ethernet.h"
#include "wire/flow_control.h"
#include "wire/ip.h"
#include "wire/roce.h"
#include "wire/test_tag.h"
#include "wire/udp.h"
#include "wire/uet_crc.h"
#include "wire/uet_pds.h"
#include "wire/uet_ses.h"

namespace plumbline::wire {

// RoCEv2: the extension headers of the opcode are present, the others absent.
struct RoceLayer {
  Bth bth{};
  std::optional<Reth> reth{};
  std::optional<Aeth> aeth{};
  std::optional<ImmDt> immediate{};
  std::optional<Ieth> ieth{};

  bool operator==(const RoceLayer&) const = default;
};

struct UetLayer {
  // UET directly over IP has this entropy value in place of UDP's source port.
  std::optional<std::uint16_t> entropy{};
  Pds pds{};
  Ses ses{};
};

// Another Ethernet protocol: the payload follows this EtherType.
struct OtherNetwork {
  std::uint16_t ether_type = 0;

  bool operator==(const OtherNetwork&) const = default;
};

using Network =
    std::variant<OtherNetwork, Ipv4Header, Ipv6Header, PfcHeader, PauseHeader, CcUpdate>;
using TransportLayer = std::variant<std::monostate, RoceLayer, UetLayer>;

// Description of a frame to encode. Lengths, EtherTypes, IPv4 checksum, PadCnt, ICRC, UET CRC and
// FCS are always computed, whatever the description has there.
struct FrameSpec {
  MacAddress destination{};
  MacAddress source{};
  std::optional<VlanTag> vlan{};
  Network network{};
  std::optional<UdpHeader> udp{};
  bool udp_checksum = false;  // compute it; false: the checksum is zero
  TransportLayer transport{};
  ByteView payload{};  // of the innermost layer
  // RoCE: number of pad bytes (0 to 3) instead of that which fills payload and pad to four bytes.
  std::optional<std::uint8_t> pad_count{};
  std::optional<UetCrcOptions> uet_crc{};  // append it
};

// Encodes the frame, padded to 64 bytes and with its FCS. Throws Error(kUsage) for a contradictory
// description: an extension header that the opcode does not have or that is missing, a transport
// without UDP, a payload where none is allowed, a packet longer than IP can express.
Buffer encodeFrame(const FrameSpec& spec);

// Information for decoding that is not in the frame itself.
struct DecodeOptions {
  bool has_fcs = true;  // the last four bytes are the FCS
  std::optional<UetCrcOptions> uet_crc{};
  PdsSizes pds_sizes;
  std::uint8_t uet_ip_protocol = ip_protocol::kUetNative;
};

// Faults of a frame. FCS, ICRC and checksum are verdicts, not errors of decoding.
enum class DecodeError {
  kNone,
  kTruncated,      // a header or its stated length exceeds the frame
  kRunt,           // shorter than 64 bytes with FCS
  kIpVersion,      // contradicts the EtherType
  kIpv4Options,    // header length other than 20: not supported
  kIpLength,       // IP length below its own headers
  kUdpLength,      // UDP length below its header or beyond the IP packet
  kRoceOpcode,     // not in the opcode table
  kRocePadding,    // PadCnt or ICRC does not fit into the packet
  kUetType,        // reserved PDS type
  kUetNextHeader,  // reserved SES type
};

std::string_view decodeErrorName(DecodeError error);

struct CheckVerdict {
  std::uint32_t expected = 0;  // the wire's bytes read as big-endian
  std::uint32_t received = 0;
  [[nodiscard]] bool ok() const { return expected == received; }
};

// Offset of each layer in the frame; zero for absent layers (and for Ethernet).
struct LayerOffsets {
  std::size_t network = 0;    // IP header, or the bytes after the EtherType
  std::size_t udp = 0;        // UDP or entropy header
  std::size_t transport = 0;  // BTH or PDS
  std::size_t ses = 0;
  std::size_t payload = 0;
};

// A frame as decoded: values of its headers and views of the rest, into the bytes given to
// decodeFrame(). Layers up to the error are present.
struct DecodedFrame {
  ByteView bytes{};
  DecodeError error = DecodeError::kNone;
  std::size_t error_offset = 0;  // of the header or field at fault

  EthernetHeader ethernet{};
  std::optional<VlanTag> vlan{};
  Network network{};
  std::optional<UdpHeader> udp{};
  TransportLayer transport{};
  LayerOffsets offsets;
  ByteView payload{};  // of the innermost layer, without pad and check sequences
  ByteView padding{};  // Ethernet padding after the IP packet or control frame
  std::optional<TestTag> tag{};
  bool fragment = false;  // IPv4 fragment: not decoded beyond IP
  bool trimmed = false;   // UET packet cut by a switch: IP ends before the UDP length (FACTS A.7)

  std::optional<CheckVerdict> fcs{};
  std::optional<CheckVerdict> ipv4_checksum{};
  std::optional<CheckVerdict> udp_checksum{};  // absent when the sender computed none
  std::optional<CheckVerdict> icrc{};
  std::optional<CheckVerdict> uet_crc{};

  [[nodiscard]] bool ok() const { return error == DecodeError::kNone; }
  // nullptr when the frame has no such layer.
  [[nodiscard]] const Ipv4Header* ipv4() const { return std::get_if<Ipv4Header>(&network); }
  [[nodiscard]] const Ipv6Header* ipv6() const { return std::get_if<Ipv6Header>(&network); }
  [[nodiscard]] const PfcHeader* pfc() const { return std::get_if<PfcHeader>(&network); }
  [[nodiscard]] const PauseHeader* pause() const { return std::get_if<PauseHeader>(&network); }
  [[nodiscard]] const CcUpdate* ccUpdate() const { return std::get_if<CcUpdate>(&network); }
  [[nodiscard]] const RoceLayer* roce() const { return std::get_if<RoceLayer>(&transport); }
  [[nodiscard]] const UetLayer* uet() const { return std::get_if<UetLayer>(&transport); }
};

// Decodes any bytes; never throws and never reads outside them. The result views `bytes`.
DecodedFrame decodeFrame(ByteView bytes, const DecodeOptions& options = {});

// A dissection for people, one line per layer, each ended by a newline.
std::string describe(const DecodedFrame& frame);

}  // namespace plumbline::wire
