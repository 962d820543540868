#include "wire/uet_pds.h"

#include <array>

namespace plumbline::wire {
namespace {

// Bits of the 7-bit flags field of the prologue.
constexpr unsigned kFlagEcn = 0x20;         // ACK, NACK, RUDI response
constexpr unsigned kFlagControlRod = 0x20;  // CP
constexpr unsigned kFlagRetransmit = 0x10;
constexpr unsigned kFlagAckRequest = 0x08;  // requests, CP
constexpr unsigned kFlagProbe = 0x08;       // ACK
constexpr unsigned kFlagNackRudi = 0x08;    // NACK
constexpr unsigned kFlagSyn = 0x04;         // requests, CP
constexpr unsigned kAckRequestShift = 1;    // two bits, ACK

constexpr std::size_t kRequestSize = 12;
constexpr std::size_t kRequestCcSize = 16;
constexpr std::size_t kAckSize = 12;
constexpr std::size_t kAckCcSize = 32;
constexpr std::size_t kAckCcxStateOffset = 24;
constexpr std::size_t kNackSize = 16;
constexpr std::size_t kControlSize = 16;
constexpr std::size_t kRudiSize = 8;
constexpr std::size_t kUudSize = 4;
constexpr std::size_t kTssSize = 12;
constexpr std::size_t kTssSsiSize = 16;

std::uint16_t prologue(PdsType type, unsigned next, unsigned flags) {
  return static_cast<std::uint16_t>(static_cast<unsigned>(type) << 11 | (next & 0xFU) << 7 |
                                    (flags & 0x7FU));
}

// Size of the header that begins `bytes` (at least two); 0 for a reserved type.
std::size_t headerSize(ByteView bytes, const PdsSizes& sizes) {
  switch (static_cast<PdsType>(bytes[0] >> 3)) {
    case PdsType::kTss:
      return (bytes[0] & 4U) != 0 ? kTssSsiSize : kTssSize;
    case PdsType::kRudRequest:
    case PdsType::kRodRequest:
      return kRequestSize;
    case PdsType::kRudiRequest:
    case PdsType::kRudiResponse:
      return kRudiSize;
    case PdsType::kUudRequest:
      return kUudSize;
    case PdsType::kAck:
      return kAckSize;
    case PdsType::kAckCc:
      return kAckCcSize;
    case PdsType::kAckCcx:
      return sizes.ack_ccx;
    case PdsType::kNack:
      return kNackSize;
    case PdsType::kControl:
      return kControlSize;
    case PdsType::kNackCcx:
      return sizes.nack_ccx;
    case PdsType::kRudCcRequest:
    case PdsType::kRodCcRequest:
      return kRequestCcSize;
  }
  return 0;
}

PdcTarget decodeTarget(std::uint16_t word, bool syn) {
  PdcTarget target;
  target.syn = syn;
  if (syn) {
    target.pdc_info = static_cast<std::uint8_t>(word >> 12);
    target.psn_offset = word & 0xFFFU;
  } else {
    target.dpdcid = word;
  }
  return target;
}

std::uint16_t encodeTarget(const PdcTarget& target) {
  if (!target.syn) return target.dpdcid;
  return static_cast<std::uint16_t>((target.pdc_info & 0xFU) << 12 | (target.psn_offset & 0xFFFU));
}

// The decoders below get exactly the bytes of their header.

Pds decodeRequest(ByteView in, PdsType type, PdsNext next, unsigned flags) {
  PdsRequest request;
  request.ordered = type == PdsType::kRodRequest || type == PdsType::kRodCcRequest;
  request.next = next;
  request.retransmit = (flags & kFlagRetransmit) != 0;
  request.ack_request = (flags & kFlagAckRequest) != 0;
  request.clear_psn_offset = static_cast<std::int16_t>(load16(&in[2]));
  request.psn = load32(&in[4]);
  request.spdcid = load16(&in[8]);
  request.target = decodeTarget(load16(&in[10]), (flags & kFlagSyn) != 0);
  if (in.size() == kRequestCcSize) request.cc = PdsRequestCc{in[12], load24(&in[13])};
  return request;
}

Pds decodeAck(ByteView in, PdsType type, PdsNext next, unsigned flags) {
  PdsAck ack;
  ack.next = next;
  ack.ecn_marked = (flags & kFlagEcn) != 0;
  ack.retransmit = (flags & kFlagRetransmit) != 0;
  ack.probe = (flags & kFlagProbe) != 0;
  ack.request = static_cast<AckRequest>((flags >> kAckRequestShift) & 3U);
  ack.ack_psn_offset = static_cast<std::int16_t>(load16(&in[2]));
  ack.cack_psn = load32(&in[4]);
  ack.spdcid = load16(&in[8]);
  ack.dpdcid = load16(&in[10]);
  if (type == PdsType::kAck) return ack;
  PdsAckCc cc;
  cc.cc_type = in[12] >> 4;
  cc.cc_flags = in[12] & 0xFU;
  cc.mpr = in[13];
  cc.sack_psn_offset = static_cast<std::int16_t>(load16(&in[14]));
  cc.sack_bitmap = load64(&in[16]);
  if (type == PdsType::kAckCc) {
    cc.state = load64(&in[kAckCcxStateOffset]);
  } else {
    ack.ccx_state = in.subspan(kAckCcxStateOffset);
  }
  ack.cc = cc;
  return ack;
}

Pds decodeNack(ByteView in, PdsNext next, unsigned flags) {
  PdsNack nack;
  nack.next = next;
  nack.ecn_marked = (flags & kFlagEcn) != 0;
  nack.retransmit = (flags & kFlagRetransmit) != 0;
  nack.rudi = (flags & kFlagNackRudi) != 0;
  nack.code = in[2];
  nack.vendor_code = in[3];
  nack.psn = load32(&in[4]);
  nack.spdcid = load16(&in[8]);
  nack.dpdcid = load16(&in[10]);
  nack.payload = load32(&in[12]);
  nack.ccx_state = in.subspan(kNackSize);
  return nack;
}

Pds decodeControl(ByteView in, unsigned control_type, unsigned flags) {
  PdsControl control;
  control.control_type = static_cast<std::uint8_t>(control_type);
  control.ordered = (flags & kFlagControlRod) != 0;
  control.retransmit = (flags & kFlagRetransmit) != 0;
  control.ack_request = (flags & kFlagAckRequest) != 0;
  control.probe_opaque = load16(&in[2]);
  control.psn = load32(&in[4]);
  control.spdcid = load16(&in[8]);
  control.target = decodeTarget(load16(&in[10]), (flags & kFlagSyn) != 0);
  control.payload = load32(&in[12]);
  return control;
}

Pds decodeTss(ByteView in) {
  PdsTss tss;
  tss.an = (in[0] & 1U) != 0;
  tss.sdi = load24(&in[1]);
  if (in.size() == kTssSsiSize) tss.ssi = load32(&in[4]);
  const std::uint8_t* tsc = in.last(8).data();
  tss.epoch = load16(tsc);
  tss.counter = load48(tsc + 2);
  return tss;
}

// Appends room for a header, so that encoders write by offset.
std::uint8_t* grow(Buffer& out, std::size_t size) {
  const std::size_t at = out.size();
  out.resize(at + size);
  return out.data() + at;
}

void encodeHeader(Buffer& out, const PdsRequest& request) {
  std::uint8_t* p = grow(out, request.cc ? kRequestCcSize : kRequestSize);
  const unsigned flags = (request.retransmit ? kFlagRetransmit : 0) |
                         (request.ack_request ? kFlagAckRequest : 0) |
                         (request.target.syn ? kFlagSyn : 0);
  store16(p, prologue(pdsType(request), static_cast<unsigned>(request.next), flags));
  store16(p + 2, static_cast<std::uint16_t>(request.clear_psn_offset));
  store32(p + 4, request.psn);
  store16(p + 8, request.spdcid);
  store16(p + 10, encodeTarget(request.target));
  if (request.cc) {
    p[12] = request.cc->ccc_id;
    store24(p + 13, request.cc->credit_target);
  }
}

void encodeHeader(Buffer& out, const PdsAck& ack) {
  const PdsType type = ack.type();
  const std::size_t size = type == PdsType::kAck     ? kAckSize
                           : type == PdsType::kAckCc ? kAckCcSize
                                                     : kAckCcxStateOffset;
  std::uint8_t* p = grow(out, size);
  const unsigned flags = (ack.ecn_marked ? kFlagEcn : 0) | (ack.retransmit ? kFlagRetransmit : 0) |
                         (ack.probe ? kFlagProbe : 0) |
                         static_cast<unsigned>(ack.request) << kAckRequestShift;
  store16(p, prologue(type, static_cast<unsigned>(ack.next), flags));
  store16(p + 2, static_cast<std::uint16_t>(ack.ack_psn_offset));
  store32(p + 4, ack.cack_psn);
  store16(p + 8, ack.spdcid);
  store16(p + 10, ack.dpdcid);
  if (type == PdsType::kAck) return;
  const PdsAckCc cc = ack.cc.value_or(PdsAckCc{});
  p[12] = static_cast<std::uint8_t>(cc.cc_type << 4 | (cc.cc_flags & 0xFU));
  p[13] = cc.mpr;
  store16(p + 14, static_cast<std::uint16_t>(cc.sack_psn_offset));
  store64(p + 16, cc.sack_bitmap);
  if (type == PdsType::kAckCc) store64(p + kAckCcxStateOffset, cc.state);
  out.insert(out.end(), ack.ccx_state.begin(), ack.ccx_state.end());
}

void encodeHeader(Buffer& out, const PdsNack& nack) {
  std::uint8_t* p = grow(out, kNackSize);
  const unsigned flags = (nack.ecn_marked ? kFlagEcn : 0) |
                         (nack.retransmit ? kFlagRetransmit : 0) | (nack.rudi ? kFlagNackRudi : 0);
  store16(p, prologue(pdsType(nack), static_cast<unsigned>(nack.next), flags));
  p[2] = nack.code;
  p[3] = nack.vendor_code;
  store32(p + 4, nack.psn);
  store16(p + 8, nack.spdcid);
  store16(p + 10, nack.dpdcid);
  store32(p + 12, nack.payload);
  out.insert(out.end(), nack.ccx_state.begin(), nack.ccx_state.end());
}

void encodeHeader(Buffer& out, const PdsControl& control) {
  std::uint8_t* p = grow(out, kControlSize);
  const unsigned flags =
      (control.ordered ? kFlagControlRod : 0) | (control.retransmit ? kFlagRetransmit : 0) |
      (control.ack_request ? kFlagAckRequest : 0) | (control.target.syn ? kFlagSyn : 0);
  store16(p, prologue(PdsType::kControl, control.control_type, flags));
  store16(p + 2, control.probe_opaque);
  store32(p + 4, control.psn);
  store16(p + 8, control.spdcid);
  store16(p + 10, encodeTarget(control.target));
  store32(p + 12, control.payload);
}

void encodeHeader(Buffer& out, const PdsRudi& rudi) {
  std::uint8_t* p = grow(out, kRudiSize);
  const unsigned flags = (rudi.ecn_marked ? kFlagEcn : 0) | (rudi.retransmit ? kFlagRetransmit : 0);
  store16(p, prologue(pdsType(rudi), static_cast<unsigned>(rudi.next), flags));
  store32(p + 4, rudi.packet_id);
}

void encodeHeader(Buffer& out, const PdsUud& uud) {
  std::uint8_t* p = grow(out, kUudSize);
  store16(p, prologue(PdsType::kUudRequest, static_cast<unsigned>(uud.next), 0));
}

void encodeHeader(Buffer& out, const PdsTss& tss) {
  std::uint8_t* p = grow(out, tss.ssi ? kTssSsiSize : kTssSize);
  p[0] = static_cast<std::uint8_t>(static_cast<unsigned>(PdsType::kTss) << 3 | (tss.ssi ? 4U : 0U) |
                                   (tss.an ? 1U : 0U));
  store24(p + 1, tss.sdi);
  p += 4;
  if (tss.ssi) {
    store32(p, *tss.ssi);
    p += 4;
  }
  store16(p, tss.epoch);
  store48(p + 2, tss.counter);
}

PdsType typeOf(const PdsRequest& request) {
  if (request.cc) return request.ordered ? PdsType::kRodCcRequest : PdsType::kRudCcRequest;
  return request.ordered ? PdsType::kRodRequest : PdsType::kRudRequest;
}
PdsType typeOf(const PdsAck& ack) { return ack.type(); }
PdsType typeOf(const PdsNack& nack) {
  return nack.ccx_state.empty() ? PdsType::kNack : PdsType::kNackCcx;
}
PdsType typeOf(const PdsControl&) { return PdsType::kControl; }
PdsType typeOf(const PdsRudi& rudi) {
  return rudi.response ? PdsType::kRudiResponse : PdsType::kRudiRequest;
}
PdsType typeOf(const PdsUud&) { return PdsType::kUudRequest; }
PdsType typeOf(const PdsTss&) { return PdsType::kTss; }

template <typename Header>
PdsNext nextOf(const Header& header) {
  return header.next;
}
template <>
PdsNext nextOf(const PdsControl&) {
  return PdsNext::kNone;
}
template <>
PdsNext nextOf(const PdsTss&) {
  return PdsNext::kNone;
}

}  // namespace

std::uint64_t CreditState::toBits() const {
  return static_cast<std::uint64_t>(credit & 0xFFFFFFU) << 40 | ooo_count;
}

CreditState CreditState::fromBits(std::uint64_t bits) {
  return {static_cast<std::uint32_t>(bits >> 40), static_cast<std::uint16_t>(bits)};
}

PdsType PdsAck::type() const {
  if (!ccx_state.empty()) return PdsType::kAckCcx;
  return cc ? PdsType::kAckCc : PdsType::kAck;
}

PdsDecoded decodePds(ByteView bytes, const PdsSizes& sizes) {
  PdsDecoded decoded;
  if (bytes.size() < 2) {
    decoded.error = PdsError::kTruncated;
    return decoded;
  }
  // A configured size never cuts off decoded fields.
  const PdsSizes safe{std::max(sizes.ack_ccx, kAckCcxStateOffset + 1),
                      std::max(sizes.nack_ccx, kNackSize + 1)};
  decoded.size = headerSize(bytes, safe);
  if (decoded.size == 0) {
    decoded.error = PdsError::kReservedType;
    return decoded;
  }
  if (bytes.size() < decoded.size) {
    decoded.error = PdsError::kTruncated;
    return decoded;
  }
  const ByteView in = bytes.first(decoded.size);
  const std::uint16_t word = load16(in.data());
  const auto type = static_cast<PdsType>(word >> 11);
  const unsigned next_bits = (word >> 7) & 0xFU;
  const auto next = static_cast<PdsNext>(next_bits);
  const unsigned flags = word & 0x7FU;
  switch (type) {
    case PdsType::kTss:
      decoded.header = decodeTss(in);
      break;
    case PdsType::kRudRequest:
    case PdsType::kRodRequest:
    case PdsType::kRudCcRequest:
    case PdsType::kRodCcRequest:
      decoded.header = decodeRequest(in, type, next, flags);
      break;
    case PdsType::kAck:
    case PdsType::kAckCc:
    case PdsType::kAckCcx:
      decoded.header = decodeAck(in, type, next, flags);
      break;
    case PdsType::kNack:
    case PdsType::kNackCcx:
      decoded.header = decodeNack(in, next, flags);
      break;
    case PdsType::kControl:
      decoded.header = decodeControl(in, next_bits, flags);
      break;
    case PdsType::kRudiRequest:
    case PdsType::kRudiResponse:
      decoded.header = PdsRudi{type == PdsType::kRudiResponse, next, (flags & kFlagEcn) != 0,
                               (flags & kFlagRetransmit) != 0, load32(&in[4])};
      break;
    case PdsType::kUudRequest:
      decoded.header = PdsUud{next};
      break;
  }
  return decoded;
}

void encodePds(Buffer& out, const Pds& header) {
  std::visit([&out](const auto& h) { encodeHeader(out, h); }, header);
}

PdsType pdsType(const Pds& header) {
  return std::visit([](const auto& h) { return typeOf(h); }, header);
}

PdsNext pdsNext(const Pds& header) {
  return std::visit([](const auto& h) { return nextOf(h); }, header);
}

std::string_view pdsTypeName(PdsType type) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"reserved", "TSS", "RUD_REQ", "ROD_REQ", "RUDI_REQ", "RUDI_RESP", "UUD_REQ", "ACK", "ACK_CC",
       "ACK_CCX", "NACK", "CP", "NACK_CCX", "RUD_CC_REQ", "ROD_CC_REQ"});
  const auto index = static_cast<std::size_t>(type);
  return index < kNames.size() ? kNames[index] : kNames[0];
}

std::string_view pdsControlName(std::uint8_t type) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"NOOP", "ACK_REQ", "CLEAR_CMD", "CLEAR_REQ", "CLOSE_CMD", "CLOSE_REQ", "PROBE", "CREDIT",
       "CREDIT_REQ", "NEGOTIATION"});
  return type < kNames.size() ? kNames[type] : "reserved";
}

std::string_view pdsNackName(std::uint8_t code) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"reserved",         "TRIMMED",          "TRIMMED_LASTHOP",   "TRIMMED_ACK",
       "NO_PDC_AVAIL",     "NO_CCC_AVAIL",     "NO_BITMAP",         "NO_PKT_BUFFER",
       "NO_GTD_DEL_AVAIL", "NO_SES_MSG_AVAIL", "NO_RESOURCE",       "PSN_OOR_WINDOW",
       "reserved",         "ROD_OOO",          "INV_DPDCID",        "PDC_HDR_MISMATCH",
       "CLOSING",          "CLOSING_IN_ERR",   "PKT_NOT_RCVD",      "GTD_RESP_UNAVAIL",
       "ACK_WITH_DATA",    "INVALID_SYN",      "PDC_MODE_MISMATCH", "NEW_START_PSN",
       "RCVD_SES_PROCG",   "UNEXP_EVENT",      "RCVR_INFER_LOSS"});
  switch (code) {
    case 0xFD:
      return "experimental (normal)";
    case 0xFE:
      return "experimental (error)";
    case 0xFF:
      return "experimental (fatal)";
    default:
      return code < kNames.size() ? kNames[code] : kNames[0];
  }
}

}  // namespace plumbline::wire
