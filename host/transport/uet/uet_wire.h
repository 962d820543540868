// How UET packets look on the wire, and where the model keeps their fields in a fabric::Packet.
//
//                 data, CLOSE_CMD          ACK, ACK_CC            NACK         CREDIT, CREDIT_REQ
//   opcode        PDS type (A.2); for ACK, ACK_CC, RUDI_RESP and NACK also the flags m and retx
//   connection    flow << 16 | initiator's PDC id, both directions: it names the PDC together with
//                 the initiator; the target's own id, a shortcut of hardware, is not modelled
//   psn           PSN or packet id         CACK_PSN               nack_psn     -
//   aux           tag, or read length      two signed offsets     code         control type
//   stamp         time of its first bit    SACK bitmap            -            -
//   extra         see DataFields           NSCC state             -            credit or its target
#pragma once

#include <algorithm>
#include <cstdint>

#include "fabric/engine/packet.h"
#include "transport/protocol.h"
#include "transport/uet/uet_spec.h"
#include "wire/uet_pds.h"

namespace plumbline::transport {

// The codes of ProtocolId::kUet (A.2). This model uses those that pdsBytes() accepts.
using wire::PdsType;
// Packet::extra of ACK_CC, bit for bit as in the header (A.3.3).
using wire::NsccState;

// NACK codes (A.3.5) that this model sends.
enum class NackCode : std::uint8_t {
  kTrimmed = 0x01,
  kTrimmedLastHop = 0x02,
  kNoPdcAvailable = 0x04,
  kPsnOutOfWindow = 0x0B,
  kRodOutOfOrder = 0x0D,
  kInvalidDpdcid = 0x0E,
  kClosing = 0x10,
};

// Control packet types (A.3.6) that this model sends.
enum class ControlType : std::uint8_t { kCloseCommand = 4, kCredit = 7, kCreditRequest = 8 };

inline constexpr std::uint8_t kFlagMarked = 0x10;  // of the six code bits: m
inline constexpr std::uint8_t kFlagRetx = 0x20;    // retx

constexpr std::uint8_t uetOpcode(PdsType type, std::uint8_t flags = 0) {
  return opcodeOf(ProtocolId::kUet, static_cast<std::uint8_t>(static_cast<unsigned>(type) | flags));
}
// Flags of an answer: to a packet with CE, to a retransmission.
constexpr std::uint8_t answerFlags(bool marked, bool retx) {
  return static_cast<std::uint8_t>((marked ? kFlagMarked : 0U) | (retx ? kFlagRetx : 0U));
}
constexpr PdsType pdsType(std::uint8_t opcode) { return static_cast<PdsType>(opcode & 0x0F); }

// ---- Sizes ----

inline constexpr std::uint16_t kMinFrame = 64;
inline constexpr std::uint16_t kSesStandard = 44;      // A.4.1
inline constexpr std::uint16_t kSesResponse = 12;      // A.4.5
inline constexpr std::uint16_t kSesResponseData = 20;  // A.4.5

// PDS header bytes (A.2).
constexpr std::uint16_t pdsBytes(PdsType type) {
  switch (type) {
    case PdsType::kUudRequest:
      return 4;
    case PdsType::kRudiRequest:
    case PdsType::kRudiResponse:
      return 8;
    case PdsType::kRudRequest:
    case PdsType::kRodRequest:
    case PdsType::kAck:
      return 12;
    case PdsType::kAckCc:
      return 32;
    case PdsType::kNack:
    case PdsType::kControl:
    case PdsType::kRudCcRequest:
    case PdsType::kRodCcRequest:
      return 16;
    case PdsType::kTss:
    case PdsType::kAckCcx:
    case PdsType::kNackCcx:
      break;
  }
  return 0;
}

// Frame bytes with FCS of a packet with these PDS, SES and payload bytes, before padding: Ethernet
// 14, IPv4 20 or IPv6 40, UDP 8, FCS 4, CRC 4 where used.
constexpr std::uint16_t unpaddedFrame(const UetSpec& spec, PdsType type, std::uint16_t ses,
                                      std::uint16_t payload) {
  return static_cast<std::uint16_t>(14 + (spec.ipv6 ? 40 : 20) + 8 + pdsBytes(type) + ses +
                                    payload + (spec.crc ? 4 : 0) + 4);
}
constexpr std::uint16_t frameBytes(const UetSpec& spec, PdsType type, std::uint16_t ses,
                                   std::uint16_t payload) {
  return std::max(kMinFrame, unpaddedFrame(spec, type, ses, payload));
}
// Bytes of a packet in window accounting (A.6.1): UDP length plus 40 bytes.
constexpr std::uint32_t nominalSize(const UetSpec& spec, PdsType type, std::uint16_t ses,
                                    std::uint16_t payload) {
  return 8U + pdsBytes(type) + ses + payload + (spec.crc ? 4U : 0U) + 40U;
}

constexpr bool usesCredit(UetCongestionControl control) {
  return control == UetCongestionControl::kRccc || control == UetCongestionControl::kNsccRccc;
}
// Whether the control adjusts a source's window, which needs feedback in every ACK: all do but a
// fixed window and receiver credit alone.
constexpr bool movesWindow(UetCongestionControl control) {
  return control != UetCongestionControl::kNone && control != UetCongestionControl::kRccc;
}

constexpr bool usesPdcs(UetService service) {
  return service == UetService::kRod || service == UetService::kRud;
}

// The effective congestion control for `spec.service`: RUDI and UUD have no PDC to carry its
// feedback.
constexpr UetCongestionControl effectiveControl(const UetSpec& spec) {
  return usesPdcs(spec.service) ? spec.congestion_control : UetCongestionControl::kNone;
}

// The type of data packets under `spec`.
constexpr PdsType dataType(const UetSpec& spec) {
  const bool credit = usesCredit(spec.congestion_control);
  switch (spec.service) {
    case UetService::kRod:
      return credit ? PdsType::kRodCcRequest : PdsType::kRodRequest;
    case UetService::kRud:
      return credit ? PdsType::kRudCcRequest : PdsType::kRudRequest;
    case UetService::kRudi:
      return PdsType::kRudiRequest;
    case UetService::kUud:
      break;
  }
  return PdsType::kUudRequest;
}

// ---- Fields ----

// Packet::extra of data packets and CLOSE_CMD.
struct DataFields {
  std::uint32_t credit_target = 0;  // 24 bits, units of 256 bytes
  // With SYN: psn - Start_PSN; RUDI and UUD: distance from `psn` down to the oldest PSN still
  // needed. 12 bits.
  std::uint32_t psn_offset = 0;
  // PSNs since the message's first (message_offset / MTU); 28 bits, with an offset beside it 16.
  std::uint32_t index = 0;
  std::uint8_t verb = 0;
  bool last = false;  // EOM
  bool syn = false;
  bool ack_request = false;
  bool retx = false;
  bool response = false;  // read data: `aux` is the PSN of its request
};

inline constexpr std::uint32_t kMaxPsnOffset = 4095;
// Packets that one message may have.
inline constexpr std::uint64_t kMaxMessagePackets = std::uint64_t{1} << 28;

// Bits 63..40 credit_target or, without a PDC, psn_offset; 39..12 index, or with SYN psn_offset:12
// and index:16; 6..0 flags. A SYN packet belongs to the first window, so its index is small.
constexpr std::uint64_t packData(const DataFields& f, bool has_pdc) {
  const std::uint64_t high = has_pdc ? f.credit_target & 0xFFFFFF : f.psn_offset;
  const std::uint64_t place =
      has_pdc && f.syn ? std::uint64_t{f.psn_offset} << 16 | f.index : f.index;
  return high << 40 | place << 12 | std::uint64_t{f.verb} << 5 | std::uint64_t{f.response} << 4 |
         std::uint64_t{f.retx} << 3 | std::uint64_t{f.ack_request} << 2 |
         std::uint64_t{f.syn} << 1 | std::uint64_t{f.last};
}
constexpr DataFields unpackData(std::uint64_t extra, bool has_pdc) {
  DataFields f;
  f.syn = (extra >> 1 & 1) != 0;
  const auto high = static_cast<std::uint32_t>(extra >> 40);
  const auto place = static_cast<std::uint32_t>(extra >> 12 & 0xFFFFFFF);
  f.credit_target = has_pdc ? high : 0;
  f.psn_offset = has_pdc ? (f.syn ? place >> 16 : 0) : high;
  f.index = has_pdc && f.syn ? place & 0xFFFF : place;
  f.verb = static_cast<std::uint8_t>(extra >> 5 & 3);
  f.response = (extra >> 4 & 1) != 0;
  f.retx = (extra >> 3 & 1) != 0;
  f.ack_request = (extra >> 2 & 1) != 0;
  f.last = (extra & 1) != 0;
  return f;
}

inline constexpr std::int64_t kServiceTimeUnitPs = 128'000;
inline constexpr std::uint16_t kLongestServiceTime =
    0xFFFF;                                        // this or more: the ACK gives no sample
inline constexpr std::uint32_t kCreditUnit = 256;  // bytes, of credit and rcvd_bytes

// Packet::aux of ACKs: ack_psn_offset and sack_psn_offset, each relative to CACK_PSN.
constexpr std::uint32_t packOffsets(std::int64_t ack, std::int64_t sack) {
  return static_cast<std::uint32_t>(static_cast<std::uint16_t>(ack)) << 16 |
         static_cast<std::uint16_t>(sack);
}
constexpr std::int64_t ackOffset(std::uint32_t aux) {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(aux >> 16));
}
constexpr std::int64_t sackOffset(std::uint32_t aux) {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(aux));
}

// Serial-number arithmetic: the 64-bit PSN nearest to `near` whose low 32 bits are `wire`.
constexpr std::uint64_t unwrapPsn(std::uint32_t wire, std::uint64_t near) {
  return near + static_cast<std::uint64_t>(static_cast<std::int64_t>(
                    static_cast<std::int32_t>(wire - static_cast<std::uint32_t>(near))));
}
// The same for 24-bit counters: the signed distance from `from` to `to`.
constexpr std::int32_t distance24(std::uint32_t from, std::uint32_t to) {
  return static_cast<std::int32_t>((to - from) << 8) >> 8;
}

}  // namespace plumbline::transport
