#include "wire/uet_ses.h"

#include <array>

namespace plumbline::wire {
namespace {

constexpr std::uint16_t kLengthMask = 0x3FFF;  // 14-bit lengths

void encodeFlags(std::uint8_t* p, const SesRequestFlags& flags) {
  p[0] = flags.opcode & 0x3FU;
  p[1] = static_cast<std::uint8_t>(
      (flags.version & 3U) << 6 | (flags.delivery_complete ? 0x20U : 0U) |
      (flags.initiator_error ? 0x10U : 0U) | (flags.relative ? 0x08U : 0U) |
      (flags.header_data ? 0x04U : 0U) | (flags.end_of_message ? 0x02U : 0U) |
      (flags.start_of_message ? 0x01U : 0U));
}

SesRequestFlags decodeFlags(const std::uint8_t* p) {
  SesRequestFlags flags;
  flags.opcode = p[0] & 0x3FU;
  flags.version = p[1] >> 6;
  flags.delivery_complete = (p[1] & 0x20U) != 0;
  flags.initiator_error = (p[1] & 0x10U) != 0;
  flags.relative = (p[1] & 0x08U) != 0;
  flags.header_data = (p[1] & 0x04U) != 0;
  flags.end_of_message = (p[1] & 0x02U) != 0;
  flags.start_of_message = (p[1] & 0x01U) != 0;
  return flags;
}

void encodeAddress(std::uint8_t* p, const SesAddress& address) {
  p[0] = address.ri_generation;
  store24(p + 1, address.job_id);
  store16(p + 4, address.pid_on_fep & 0xFFFU);
  store16(p + 6, address.resource_index & 0xFFFU);
}

SesAddress decodeAddress(const std::uint8_t* p) {
  SesAddress address;
  address.ri_generation = p[0];
  address.job_id = load24(p + 1);
  address.pid_on_fep = load16(p + 4) & 0xFFFU;
  address.resource_index = load16(p + 6) & 0xFFFU;
  return address;
}

void encodeCode(std::uint8_t* p, const SesResponseCode& code) {
  p[0] = static_cast<std::uint8_t>((code.list & 3U) << 6 | (code.opcode & 0x3FU));
  p[1] = static_cast<std::uint8_t>((code.version & 3U) << 6 | (code.return_code & 0x3FU));
}

SesResponseCode decodeCode(const std::uint8_t* p) {
  SesResponseCode code;
  code.list = p[0] >> 6;
  code.opcode = p[0] & 0x3FU;
  code.version = p[1] >> 6;
  code.return_code = p[1] & 0x3FU;
  return code;
}

template <typename Header>
SesDecoded decodeAs(ByteView bytes) {
  SesDecoded decoded;
  decoded.size = Header::kSize;
  if (bytes.size() < Header::kSize) {
    decoded.error = SesError::kTruncated;
  } else {
    decoded.header = Header::decode(bytes.first<Header::kSize>());
  }
  return decoded;
}

}  // namespace

void SesStandard::encode(FixedSpan<kSize> out) const {
  encodeFlags(out.data(), flags);
  store16(&out[2], message_id);
  encodeAddress(&out[4], address);
  store64(&out[12], buffer_offset);
  store32(&out[20], initiator);
  store64(&out[24], key);
  if (flags.start_of_message) {
    store64(&out[32], header_data);
  } else {
    store32(&out[32], payload_length & kLengthMask);
    store32(&out[36], message_offset);
  }
  store32(&out[40], request_length);
}

SesStandard SesStandard::decode(FixedView<kSize> in) {
  SesStandard ses;
  ses.flags = decodeFlags(in.data());
  ses.message_id = load16(&in[2]);
  ses.address = decodeAddress(&in[4]);
  ses.buffer_offset = load64(&in[12]);
  ses.initiator = load32(&in[20]);
  ses.key = load64(&in[24]);
  if (ses.flags.start_of_message) {
    ses.header_data = load64(&in[32]);
  } else {
    ses.payload_length = load16(&in[34]) & kLengthMask;
    ses.message_offset = load32(&in[36]);
  }
  ses.request_length = load32(&in[40]);
  return ses;
}

void SesMedium::encode(FixedSpan<kSize> out) const {
  encodeFlags(out.data(), flags);
  store16(&out[2], request_length & kLengthMask);
  encodeAddress(&out[4], address);
  store64(&out[12], offset_or_data);
  store32(&out[20], initiator);
  store64(&out[24], key);
}

SesMedium SesMedium::decode(FixedView<kSize> in) {
  SesMedium ses;
  ses.flags = decodeFlags(in.data());
  ses.request_length = load16(&in[2]) & kLengthMask;
  ses.address = decodeAddress(&in[4]);
  ses.offset_or_data = load64(&in[12]);
  ses.initiator = load32(&in[20]);
  ses.key = load64(&in[24]);
  return ses;
}

void SesSmall::encode(FixedSpan<kSize> out) const {
  encodeFlags(out.data(), flags);
  store16(&out[2], request_length & kLengthMask);
  encodeAddress(&out[4], address);
  store64(&out[12], buffer_offset);
}

SesSmall SesSmall::decode(FixedView<kSize> in) {
  SesSmall ses;
  ses.flags = decodeFlags(in.data());
  ses.request_length = load16(&in[2]) & kLengthMask;
  ses.address = decodeAddress(&in[4]);
  ses.buffer_offset = load64(&in[12]);
  return ses;
}

void SesResponse::encode(FixedSpan<kSize> out) const {
  encodeCode(out.data(), code);
  store16(&out[2], message_id);
  out[4] = ri_generation;
  store24(&out[5], job_id);
  store32(&out[8], modified_length);
}

SesResponse SesResponse::decode(FixedView<kSize> in) {
  return {decodeCode(in.data()), load16(&in[2]), in[4], load24(&in[5]), load32(&in[8])};
}

void SesResponseData::encode(FixedSpan<kSize> out) const {
  encodeCode(out.data(), code);
  store16(&out[2], message_id);
  store32(&out[4], job_id & 0xFFFFFFU);
  store16(&out[8], read_request_message_id);
  store16(&out[10], payload_length & kLengthMask);
  store32(&out[12], modified_length);
  store32(&out[16], message_offset);
}

SesResponseData SesResponseData::decode(FixedView<kSize> in) {
  SesResponseData ses;
  ses.code = decodeCode(in.data());
  ses.message_id = load16(&in[2]);
  ses.job_id = load24(&in[5]);
  ses.read_request_message_id = load16(&in[8]);
  ses.payload_length = load16(&in[10]) & kLengthMask;
  ses.modified_length = load32(&in[12]);
  ses.message_offset = load32(&in[16]);
  return ses;
}

void SesResponseDataSmall::encode(FixedSpan<kSize> out) const {
  encodeCode(out.data(), code);
  store16(&out[2], payload_length & kLengthMask);
  store32(&out[4], job_id & 0xFFFFFFU);
  store32(&out[8], original_request_psn);
}

SesResponseDataSmall SesResponseDataSmall::decode(FixedView<kSize> in) {
  SesResponseDataSmall ses;
  ses.code = decodeCode(in.data());
  ses.payload_length = load16(&in[2]) & kLengthMask;
  ses.job_id = load24(&in[5]);
  ses.original_request_psn = load32(&in[8]);
  return ses;
}

SesDecoded decodeSes(ByteView bytes, PdsNext next) {
  switch (next) {
    case PdsNext::kNone:
      return {};
    case PdsNext::kRequestSmall:
      return decodeAs<SesSmall>(bytes);
    case PdsNext::kRequestMedium:
      return decodeAs<SesMedium>(bytes);
    case PdsNext::kRequestStandard:
      return decodeAs<SesStandard>(bytes);
    case PdsNext::kResponse:
      return decodeAs<SesResponse>(bytes);
    case PdsNext::kResponseData:
      return decodeAs<SesResponseData>(bytes);
    case PdsNext::kResponseDataSmall:
      return decodeAs<SesResponseDataSmall>(bytes);
  }
  return {SesError::kReservedNext, 0, {}};
}

void encodeSes(Buffer& out, const Ses& header) {
  std::visit(
      [&out](const auto& h) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(h)>, std::monostate>) append(out, h);
      },
      header);
}

PdsNext sesNext(const Ses& header) {
  // The alternatives stand in the order of the field's values.
  return static_cast<PdsNext>(header.index());
}

std::string_view sesOpcodeName(std::uint8_t opcode) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"NO_OP", "WRITE", "READ", "ATOMIC", "FETCHING_ATOMIC", "SEND", "RENDEZVOUS_SEND",
       "DATAGRAM_SEND", "DEFERRABLE_SEND", "TAGGED_SEND", "RENDEZVOUS_TSEND", "DEFERRABLE_TSEND",
       "DEFERRABLE_RTR", "TSEND_ATOMIC", "TSEND_FETCH_ATOMIC", "MSG_ERROR", "SYNC_WRITE",
       "SYNC_ATOMIC"});
  return opcode < kNames.size() ? kNames[opcode] : "reserved";
}

std::string_view sesReturnName(std::uint8_t code) {
  constexpr std::string_view kAddressTranslation = "AT error";
  constexpr std::string_view kAtomic = "AMO error";
  static constexpr auto kNames = std::to_array<std::string_view>({"NULL",
                                                                  "OK",
                                                                  "BAD_GENERATION",
                                                                  "DISABLED",
                                                                  "DISABLED_GEN",
                                                                  "NO_MATCH",
                                                                  "UNSUPPORTED_OP",
                                                                  "UNSUPPORTED_SIZE",
                                                                  kAddressTranslation,
                                                                  kAddressTranslation,
                                                                  kAddressTranslation,
                                                                  kAddressTranslation,
                                                                  kAddressTranslation,
                                                                  "HOST_POISONED",
                                                                  "HOST_UNSUCCESS",
                                                                  kAtomic,
                                                                  kAtomic,
                                                                  kAtomic,
                                                                  kAtomic,
                                                                  kAtomic,
                                                                  kAtomic,
                                                                  kAtomic,
                                                                  kAtomic,
                                                                  "PERM",
                                                                  "OP_VIOLATION",
                                                                  "BAD_INDEX",
                                                                  "BAD_PID",
                                                                  "BAD_JOB_ID",
                                                                  "BAD_MKEY",
                                                                  "BAD_ADDR",
                                                                  "CANCELLED",
                                                                  "UNDELIVERABLE",
                                                                  "UNCOR",
                                                                  "UNCOR_TRNSNT",
                                                                  "TOO_LONG",
                                                                  "INITIATOR_ERR",
                                                                  "DROPPED"});
  return code < kNames.size() ? kNames[code] : "reserved";
}

}  // namespace plumbline::wire
