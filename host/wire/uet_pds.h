// Ultra Ethernet packet delivery sublayer (PDS) headers (FACTS A.2, A.3; UE 1.0.x). Where sources
// disagree there is a parameter (FACTS J).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "wire/bytes.h"

namespace plumbline::wire {

enum class PdsType : std::uint8_t {
  kTss = 1,
  kRudRequest = 2,
  kRodRequest = 3,
  kRudiRequest = 4,
  kRudiResponse = 5,
  kUudRequest = 6,
  kAck = 7,
  kAckCc = 8,
  kAckCcx = 9,
  kNack = 10,
  kControl = 11,
  kNackCcx = 12,
  kRudCcRequest = 13,
  kRodCcRequest = 14,
};

// The SES header after the PDS header.
enum class PdsNext : std::uint8_t {
  kNone = 0,
  kRequestSmall = 1,
  kRequestMedium = 2,
  kRequestStandard = 3,
  kResponse = 4,
  kResponseData = 5,
  kResponseDataSmall = 6,
};

// Sizes for which sources disagree; bytes of the whole PDS header (FACTS J.3).
struct PdsSizes {
  std::size_t ack_ccx = 40;
  std::size_t nack_ccx = 32;
};

// Packet delivery context in a packet: the receiver's id or, while the context is being opened
// (syn), the distance to its first PSN.
struct PdcTarget {
  bool syn = false;
  std::uint16_t dpdcid = 0;      // syn = false
  std::uint8_t pdc_info = 0;     // syn = true; 4 bits
  std::uint16_t psn_offset = 0;  // syn = true; 12 bits: first PSN = psn - psn_offset

  bool operator==(const PdcTarget&) const = default;
};

// Congestion control part of the CC request types.
struct PdsRequestCc {
  std::uint8_t ccc_id = 0;
  std::uint32_t credit_target = 0;  // 24 bits, cumulative, units of 256 B

  bool operator==(const PdsRequestCc&) const = default;
};

// RUD_REQ, ROD_REQ and, with `cc`, RUD_CC_REQ and ROD_CC_REQ.
struct PdsRequest {
  bool ordered = false;  // ROD, else RUD
  PdsNext next = PdsNext::kRequestStandard;
  bool retransmit = false;
  bool ack_request = false;
  std::int16_t clear_psn_offset = 0;
  std::uint32_t psn = 0;
  std::uint16_t spdcid = 0;
  PdcTarget target{};
  std::optional<PdsRequestCc> cc{};

  bool operator==(const PdsRequest&) const = default;
};

// State of the network-signal congestion control in an ACK_CC with cc_type 0.
struct NsccState {
  std::uint16_t service_time = 0;  // units of 128 ns; 0 = not valid
  bool restore_cwnd = false;
  std::uint8_t rcv_cwnd_pend = 0;  // 7 bits
  std::uint32_t rcvd_bytes = 0;    // 24 bits, units of 256 B
  std::uint16_t ooo_count = 0;

  bool operator==(const NsccState&) const = default;
  [[nodiscard]] constexpr std::uint64_t toBits() const {
    return static_cast<std::uint64_t>(service_time) << 48 |
           static_cast<std::uint64_t>(restore_cwnd ? 1 : 0) << 47 |
           static_cast<std::uint64_t>(rcv_cwnd_pend & 0x7FU) << 40 |
           static_cast<std::uint64_t>(rcvd_bytes & 0xFFFFFFU) << 16 | ooo_count;
  }
  static constexpr NsccState fromBits(std::uint64_t bits) {
    return {.service_time = static_cast<std::uint16_t>(bits >> 48),
            .restore_cwnd = (bits >> 47 & 1U) != 0,
            .rcv_cwnd_pend = static_cast<std::uint8_t>(bits >> 40 & 0x7FU),
            .rcvd_bytes = static_cast<std::uint32_t>(bits >> 16 & 0xFFFFFFU),
            .ooo_count = static_cast<std::uint16_t>(bits)};
  }
};

// State of the credit-based schemes in an ACK_CC with cc_type 1.
struct CreditState {
  std::uint32_t credit = 0;  // 24 bits, cumulative
  std::uint16_t ooo_count = 0;

  bool operator==(const CreditState&) const = default;
  [[nodiscard]] std::uint64_t toBits() const;
  static CreditState fromBits(std::uint64_t bits);
};

// Additional fields of ACK_CC and ACK_CCX.
struct PdsAckCc {
  static constexpr std::uint8_t kNscc = 0;
  static constexpr std::uint8_t kCredit = 1;

  std::uint8_t cc_type = kNscc;  // 4 bits
  std::uint8_t cc_flags = 0;     // 4 bits
  std::uint8_t mpr = 0;          // units of 128 PSNs
  std::int16_t sack_psn_offset = 0;
  std::uint64_t sack_bitmap = 0;  // bit i: PSN cack_psn + sack_psn_offset + i was received
  std::uint64_t state = 0;        // ACK_CC: NsccState or CreditState by cc_type

  bool operator==(const PdsAckCc&) const = default;
};

enum class AckRequest : std::uint8_t { kNone = 0, kClear = 1, kClose = 2, kReserved = 3 };

// ACK; with `cc` ACK_CC; with `cc` and `ccx_state` ACK_CCX, whose state is not decoded.
struct PdsAck {
  PdsNext next = PdsNext::kNone;
  bool ecn_marked = false;  // a packet marked CE is acknowledged
  bool retransmit = false;
  bool probe = false;  // answers a PROBE: ack_psn_offset holds its opaque value
  AckRequest request = AckRequest::kNone;
  std::int16_t ack_psn_offset = 0;
  std::uint32_t cack_psn = 0;
  std::uint16_t spdcid = 0;
  std::uint16_t dpdcid = 0;
  std::optional<PdsAckCc> cc{};  // of ACK_CCX without `state`
  ByteView ccx_state{};

  [[nodiscard]] PdsType type() const;
};

// NACK; with `ccx_state` NACK_CCX: bytes from its nccx_type on, not decoded.
struct PdsNack {
  PdsNext next = PdsNext::kNone;
  bool ecn_marked = false;
  bool retransmit = false;
  bool rudi = false;  // `psn` is a RUDI packet id
  std::uint8_t code = 0;
  std::uint8_t vendor_code = 0;
  std::uint32_t psn = 0;
  std::uint16_t spdcid = 0;
  std::uint16_t dpdcid = 0;
  std::uint32_t payload = 0;
  ByteView ccx_state{};
};

// Control packet (CP).
struct PdsControl {
  std::uint8_t control_type = 0;  // 4 bits: 0 NOOP … 9 NEGOTIATION
  bool ordered = false;
  bool retransmit = false;
  bool ack_request = false;
  std::uint16_t probe_opaque = 0;
  std::uint32_t psn = 0;
  std::uint16_t spdcid = 0;
  PdcTarget target{};
  std::uint32_t payload = 0;

  bool operator==(const PdsControl&) const = default;
};

// RUDI request and response.
struct PdsRudi {
  bool response = false;
  PdsNext next = PdsNext::kRequestStandard;
  bool ecn_marked = false;  // responses only
  bool retransmit = false;
  std::uint32_t packet_id = 0;

  bool operator==(const PdsRudi&) const = default;
};

struct PdsUud {
  PdsNext next = PdsNext::kRequestStandard;

  bool operator==(const PdsUud&) const = default;
};

// Security header. The following bytes are encrypted and not decoded.
struct PdsTss {
  bool an = false;
  std::uint32_t sdi = 0;               // 24 bits
  std::optional<std::uint32_t> ssi{};  // header is 16 bytes with it, else 12
  std::uint16_t epoch = 0;
  std::uint64_t counter = 0;  // 48 bits

  bool operator==(const PdsTss&) const = default;
};

using Pds = std::variant<PdsRequest, PdsAck, PdsNack, PdsControl, PdsRudi, PdsUud, PdsTss>;

enum class PdsError { kNone, kTruncated, kReservedType };

struct PdsDecoded {
  PdsError error = PdsError::kNone;
  std::size_t size = 0;  // bytes of the header
  Pds header{};          // views into the decoded bytes
};

// Decodes the PDS header at the start of `bytes`. Reserved bits are ignored.
PdsDecoded decodePds(ByteView bytes, const PdsSizes& sizes = {});

// Appends `header` with reserved bits zero.
void encodePds(Buffer& out, const Pds& header);

PdsType pdsType(const Pds& header);
// The following SES header; kNone after control packets and TSS. May be a reserved value.
PdsNext pdsNext(const Pds& header);

std::string_view pdsTypeName(PdsType type);          // "RUD_REQ"
std::string_view pdsControlName(std::uint8_t type);  // "PROBE"; "reserved"
std::string_view pdsNackName(std::uint8_t code);     // "TRIMMED"; "reserved"

}  // namespace plumbline::wire
