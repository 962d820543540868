#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "wire/addresses.h"
#include "wire/frame.h"
#include "worked_frames.h"

namespace plumbline::wire {
namespace {

using test::fromHex;

Buffer pdsBytes(const Pds& header) {
  Buffer out;
  encodePds(out, header);
  return out;
}

// Encodes, compares with `hex`, decodes and encodes again.
template <typename Header>
Header pdsRoundTrip(const Header& header, std::string_view hex) {
  const Buffer bytes = pdsBytes(header);
  EXPECT_EQ(bytes, fromHex(hex));
  const PdsDecoded decoded = decodePds(bytes);
  EXPECT_EQ(decoded.error, PdsError::kNone);
  EXPECT_EQ(decoded.size, bytes.size());
  EXPECT_EQ(pdsBytes(decoded.header), bytes);
  // Each shorter length is an error, and is not decoded as another type.
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_EQ(decodePds(ByteView(bytes).first(length)).error, PdsError::kTruncated);
  }
  return std::get<Header>(decodePds(bytes).header);
}

TEST(Pds, Requests) {
  // Prologue (type << 11) | (next << 7) | flags, by hand: 2, 3, ar | syn.
  PdsRequest rud{.ack_request = true,
                 .clear_psn_offset = -2,
                 .psn = 0x01020304,
                 .spdcid = 0x0506,
                 .target = {.syn = true, .pdc_info = 0xA, .psn_offset = 0xF23}};
  EXPECT_EQ(pdsRoundTrip(rud, "118cfffe010203040506af23"), rud);
  PdsRequest rod{.ordered = true,
                 .next = PdsNext::kRequestSmall,
                 .retransmit = true,
                 .psn = 0xFFFFFFFF,
                 .spdcid = 1,
                 .target = {.dpdcid = 0xFEDC}};
  EXPECT_EQ(pdsRoundTrip(rod, "18900000ffffffff0001fedc"), rod);
  rud.cc = PdsRequestCc{0x42, 0xABCDEF};
  EXPECT_EQ(pdsRoundTrip(rud, "698cfffe010203040506af2342abcdef"), rud);
  rod.cc = PdsRequestCc{1, 2};
  EXPECT_EQ(pdsRoundTrip(rod, "70900000ffffffff0001fedc01000002"), rod);
  EXPECT_EQ(pdsType(rod), PdsType::kRodCcRequest);
}

TEST(Pds, Acknowledgements) {
  const PdsAck ack{.next = PdsNext::kResponseDataSmall,
                   .ecn_marked = true,
                   .probe = true,
                   .request = AckRequest::kClose,
                   .ack_psn_offset = 0x7FFF,
                   .cack_psn = 5,
                   .spdcid = 6,
                   .dpdcid = 7};
  const PdsAck got = pdsRoundTrip(ack, "3b2c7fff0000000500060007");
  EXPECT_EQ(got.request, AckRequest::kClose);
  EXPECT_TRUE(got.probe && got.ecn_marked && !got.retransmit && !got.cc);

  PdsAck ack_cc{.retransmit = true, .cack_psn = 1};
  const NsccState nscc{.service_time = 0x1122,
                       .restore_cwnd = true,
                       .rcv_cwnd_pend = 0x7F,
                       .rcvd_bytes = 0x334455,
                       .ooo_count = 0x6677};
  ack_cc.cc = PdsAckCc{.cc_flags = 3,
                       .mpr = 9,
                       .sack_psn_offset = -1,
                       .sack_bitmap = 0x8000000000000001ULL,
                       .state = nscc.toBits()};
  const PdsAck got_cc = pdsRoundTrip(ack_cc,
                                     "401000000000000100000000"
                                     "0309ffff8000000000000001"
                                     "1122ff3344556677");
  EXPECT_EQ(NsccState::fromBits(got_cc.cc->state), nscc);
  EXPECT_EQ(got_cc.cc->sack_psn_offset, -1);

  const CreditState credit{0xABCDEF, 0x1234};
  EXPECT_EQ(credit.toBits(), 0xABCDEF0000001234ULL);
  EXPECT_EQ(CreditState::fromBits(credit.toBits()), credit);
}

TEST(Pds, CcxLengthsAreParameters) {
  // 40 bytes of ACK_CCX in most sources, 44 in one; the same for NACK_CCX.
  Buffer bytes = fromHex("48000000000000010002000310040005");
  bytes.resize(48, 0xEE);
  const PdsDecoded usual = decodePds(bytes);
  EXPECT_EQ(usual.size, 40U);
  EXPECT_EQ(std::get<PdsAck>(usual.header).ccx_state.size(), 16U);
  EXPECT_EQ(std::get<PdsAck>(usual.header).type(), PdsType::kAckCcx);
  EXPECT_EQ(pdsBytes(usual.header), Buffer(bytes.begin(), bytes.begin() + 40));
  EXPECT_EQ(decodePds(bytes, {.ack_ccx = 44}).size, 44U);
  EXPECT_EQ(decodePds(bytes, {.ack_ccx = 60}).error, PdsError::kTruncated);

  bytes[0] = 0x60;
  const PdsDecoded nack = decodePds(bytes);
  EXPECT_EQ(nack.size, 32U);
  EXPECT_EQ(pdsType(nack.header), PdsType::kNackCcx);
  EXPECT_EQ(pdsBytes(nack.header), Buffer(bytes.begin(), bytes.begin() + 32));
  EXPECT_EQ(decodePds(bytes, {.nack_ccx = 24}).size, 24U);
  // A size that would cut off decoded fields cannot be set.
  EXPECT_EQ(decodePds(bytes, {.nack_ccx = 0}).size, 17U);
  bytes[0] = 0x48;
  EXPECT_EQ(decodePds(bytes, {.ack_ccx = 0}).size, 25U);
}

TEST(Pds, NackControlRudiUudTss) {
  const PdsNack nack{.ecn_marked = true,
                     .rudi = true,
                     .code = 0x0D,
                     .vendor_code = 0x77,
                     .psn = 1,
                     .spdcid = 2,
                     .dpdcid = 3,
                     .payload = 4};
  const PdsNack got = pdsRoundTrip(nack, "50280d77000000010002000300000004");
  EXPECT_TRUE(got.rudi && got.ecn_marked && got.ccx_state.empty());
  EXPECT_EQ(pdsNackName(got.code), "ROD_OOO");

  const PdsControl control{.control_type = 6,
                           .ordered = true,
                           .ack_request = true,
                           .probe_opaque = 0xBEEF,
                           .psn = 1,
                           .spdcid = 2,
                           .target = {.dpdcid = 3},
                           .payload = 4};
  EXPECT_EQ(pdsRoundTrip(control, "5b28beef000000010002000300000004"), control);
  EXPECT_EQ(pdsControlName(6), "PROBE");
  EXPECT_EQ(pdsNext(control), PdsNext::kNone);

  const PdsRudi request{.retransmit = true, .packet_id = 0x01020304};
  EXPECT_EQ(pdsRoundTrip(request, "2190000001020304"), request);
  const PdsRudi response{
      .response = true, .next = PdsNext::kResponse, .ecn_marked = true, .packet_id = 9};
  EXPECT_EQ(pdsRoundTrip(response, "2a20000000000009"), response);
  const PdsUud uud{.next = PdsNext::kRequestMedium};
  EXPECT_EQ(pdsRoundTrip(uud, "31000000"), uud);

  PdsTss tss{.an = true, .sdi = 0x123456, .epoch = 0x789A, .counter = 0x010203040506ULL};
  EXPECT_EQ(pdsRoundTrip(tss, "09123456789a010203040506"), tss);
  tss.ssi = 0xCAFEF00D;
  EXPECT_EQ(pdsRoundTrip(tss, "0d123456cafef00d789a010203040506"), tss);
}

TEST(Pds, ReservedTypesAreErrors) {
  for (unsigned type = 0; type < 32; ++type) {
    const Buffer bytes = [type] {
      Buffer b(64, 0);
      b[0] = static_cast<std::uint8_t>(type << 3);
      return b;
    }();
    const bool reserved = type == 0 || type > 14;
    EXPECT_EQ(decodePds(bytes).error == PdsError::kReservedType, reserved) << type;
    EXPECT_EQ(pdsTypeName(static_cast<PdsType>(type)) == "reserved", reserved) << type;
  }
}

template <typename Header>
void sesRoundTrip(const Header& header, PdsNext next, std::string_view hex) {
  Buffer bytes;
  encodeSes(bytes, header);
  EXPECT_EQ(bytes, fromHex(hex));
  EXPECT_EQ(sesNext(header), next);
  const SesDecoded decoded = decodeSes(bytes, next);
  EXPECT_EQ(decoded.error, SesError::kNone);
  EXPECT_EQ(decoded.size, bytes.size());
  EXPECT_EQ(std::get<Header>(decoded.header), header);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_EQ(decodeSes(ByteView(bytes).first(length), next).error, SesError::kTruncated);
  }
}

constexpr SesAddress kAddress{
    .ri_generation = 0x11, .job_id = 0x223344, .pid_on_fep = 0x556, .resource_index = 0x778};

TEST(Ses, Requests) {
  SesStandard standard{.flags = {.opcode = 5,
                                 .version = 1,
                                 .delivery_complete = true,
                                 .relative = true,
                                 .end_of_message = false},
                       .message_id = 0x0102,
                       .address = kAddress,
                       .buffer_offset = 0x0807060504030201ULL,
                       .initiator = 0x0A0B0C0D,
                       .key = 0x1817161514131211ULL,
                       .header_data = 0x2827262524232221ULL,
                       .request_length = 0x31323334};
  sesRoundTrip(standard, PdsNext::kRequestStandard,
               "0569010211223344055607780807060504030201"
               "0a0b0c0d18171615141312112827262524232221"
               "31323334");
  // Packets after the first carry their position in the message instead of header data.
  standard.flags.start_of_message = false;
  standard.header_data = 0;
  standard.payload_length = 0x3FFF;
  standard.message_offset = 0x00100000;
  sesRoundTrip(standard, PdsNext::kRequestStandard,
               "0568010211223344055607780807060504030201"
               "0a0b0c0d181716151413121100003fff00100000"
               "31323334");
  sesRoundTrip(SesMedium{.flags = {.opcode = 1, .header_data = true},
                         .request_length = 0x1234,
                         .address = kAddress,
                         .offset_or_data = 1,
                         .initiator = 2,
                         .key = 3},
               PdsNext::kRequestMedium,
               "010712341122334405560778000000000000000100000002"
               "0000000000000003");
  sesRoundTrip(SesSmall{.flags = {.opcode = 2, .initiator_error = true},
                        .request_length = 1,
                        .address = kAddress,
                        .buffer_offset = 2},
               PdsNext::kRequestSmall,
               "02130001112233440556077800000000000000"
               "02");
}

TEST(Ses, Responses) {
  sesRoundTrip(SesResponse{.code = {.list = 2, .opcode = 1, .version = 1, .return_code = 0x24},
                           .message_id = 3,
                           .ri_generation = 4,
                           .job_id = 0x050607,
                           .modified_length = 8},
               PdsNext::kResponse, "816400030405060700000008");
  sesRoundTrip(SesResponseData{.code = {.opcode = 2},
                               .message_id = 3,
                               .job_id = 0x050607,
                               .read_request_message_id = 9,
                               .payload_length = 0x2000,
                               .modified_length = 8,
                               .message_offset = 0x0A0B0C0D},
               PdsNext::kResponseData, "020100030005060700092000000000080a0b0c0d");
  sesRoundTrip(SesResponseDataSmall{.code = {.opcode = 2},
                                    .payload_length = 5,
                                    .job_id = 0x050607,
                                    .original_request_psn = 6},
               PdsNext::kResponseDataSmall, "020100050005060700000006");
}

TEST(Ses, ReservedBitsAreIgnoredAndSentAsZero) {
  Buffer ones(SesStandard::kSize, 0xFF);
  ones[1] &= 0xFE;  // not the first packet: payload length instead of header data
  const auto again = [&ones](PdsNext next) {
    Buffer out;
    encodeSes(out, decodeSes(ones, next).header);
    return out;
  };
  EXPECT_EQ(again(PdsNext::kRequestStandard),
            fromHex("3ffeffffffffffff0fff0fffffffffffffffffffffffffffffffffffffffffff"
                    "00003fffffffffffffffffff"));
  EXPECT_EQ(again(PdsNext::kRequestSmall), fromHex("3ffe3fffffffffff0fff0fffffffffffffffffff"));
  EXPECT_EQ(again(PdsNext::kRequestMedium),
            fromHex("3ffe3fffffffffff0fff0fffffffffffffffffffffffffffffffffffffffffff"));
  EXPECT_EQ(again(PdsNext::kResponse), fromHex("fffeffffffffffffffffffff"));
  EXPECT_EQ(again(PdsNext::kResponseData), fromHex("fffeffff00ffffffffff3fffffffffffffffffff"));
  EXPECT_EQ(again(PdsNext::kResponseDataSmall), fromHex("fffe3fff00ffffffffffffff"));
}

TEST(Ses, NamesAndReservedNext) {
  EXPECT_EQ(sesOpcodeName(1), "WRITE");
  EXPECT_EQ(sesOpcodeName(0xF), "MSG_ERROR");
  EXPECT_EQ(sesOpcodeName(0x3F), "reserved");
  EXPECT_EQ(sesReturnName(1), "OK");
  EXPECT_EQ(sesReturnName(0x17), "PERM");
  EXPECT_EQ(sesReturnName(0x24), "DROPPED");
  EXPECT_EQ(sesReturnName(0x25), "reserved");
  const Buffer bytes(64, 0);
  for (unsigned next = 7; next < 16; ++next) {
    EXPECT_EQ(decodeSes(bytes, static_cast<PdsNext>(next)).error, SesError::kReservedNext);
  }
  EXPECT_EQ(decodeSes(bytes, PdsNext::kNone).size, 0U);
}

TEST(UetFrame, NativeIpCarriesAnEntropyHeader) {
  FrameSpec spec = test::workedFrame("uet_rud_write_crc").spec;
  spec.udp.reset();
  std::get<Ipv4Header>(spec.network).protocol = ip_protocol::kUetNative;
  std::get<UetLayer>(spec.transport).entropy = 0xBEEF;
  const Buffer bytes = encodeFrame(spec);
  // Native IP saves four bytes against UDP (FACTS A.1.1).
  EXPECT_EQ(bytes.size() + 4, test::workedFrame("uet_rud_write_crc").bytes.size());
  DecodeOptions options;
  options.uet_crc = UetCrcOptions{};
  const DecodedFrame frame = decodeFrame(bytes, options);
  ASSERT_TRUE(frame.ok()) << decodeErrorName(frame.error);
  ASSERT_NE(frame.uet(), nullptr);
  EXPECT_EQ(frame.uet()->entropy, 0xBEEF);
  EXPECT_TRUE(frame.uet_crc->ok());
  EXPECT_EQ(frame.payload.size(), 64U);
  // With another protocol number configured it is opaque.
  options.uet_ip_protocol = 254;
  EXPECT_EQ(decodeFrame(bytes, options).uet(), nullptr);
}

TEST(UetFrame, CrcOptionsChangeCoverageAndByteOrder) {
  const test::WorkedFrame& worked = test::workedFrame("uet_rud_write_crc");
  for (const auto start : {UetCrcStart::kIpSource, UetCrcStart::kUdp, UetCrcStart::kPds}) {
    for (const bool most_significant_first : {false, true}) {
      FrameSpec spec = worked.spec;
      spec.uet_crc = UetCrcOptions{start, most_significant_first};
      const Buffer bytes = encodeFrame(spec);
      EXPECT_EQ(bytes == worked.bytes, start == UetCrcStart::kIpSource && !most_significant_first);
      DecodeOptions options;
      options.uet_crc = spec.uet_crc;
      EXPECT_TRUE(decodeFrame(bytes, options).uet_crc->ok());
      // A byte of the coverage spoils it: the IP address for the longest coverage only.
      Buffer damaged = bytes;
      damaged[29] ^= 1;
      EXPECT_EQ(decodeFrame(damaged, options).uet_crc->ok(), start != UetCrcStart::kIpSource);
      damaged = bytes;
      damaged[35] ^= 1;  // UDP source port
      EXPECT_EQ(decodeFrame(damaged, options).uet_crc->ok(), start == UetCrcStart::kPds);
      damaged = bytes;
      damaged[120] ^= 1;
      EXPECT_FALSE(decodeFrame(damaged, options).uet_crc->ok());
    }
  }
}

TEST(UetFrame, ATrimmedPacketIsRecognised) {
  // As a switch cuts it: 24 bytes kept after the IP header, IP length corrected, UDP's not.
  const test::WorkedFrame& worked = test::workedFrame("uet_rud_write_crc");
  Buffer bytes(worked.bytes.begin(), worked.bytes.begin() + 14 + 20 + 24);
  store16(&bytes[16], 44);
  store16(&bytes[24], ipv4Checksum(ByteView(bytes).subspan(14).first<20>()));
  bytes.resize(60);
  appendFcs(bytes);
  const DecodedFrame frame = decodeFrame(bytes, worked.options);
  EXPECT_TRUE(frame.ok()) << decodeErrorName(frame.error);
  EXPECT_TRUE(frame.trimmed);
  ASSERT_NE(frame.uet(), nullptr);
  EXPECT_EQ(std::get<PdsRequest>(frame.uet()->pds).psn, 0x10000U);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(frame.uet()->ses));
  EXPECT_FALSE(frame.uet_crc.has_value());
  // The same cut of a RoCE packet is an error.
  Buffer roce = bytes;
  store16(&roce[36], udp_port::kRoce);
  EXPECT_EQ(decodeFrame(roce).error, DecodeError::kUdpLength);
}

TEST(UetFrame, ReservedTypeAndNextHeaderAreErrors) {
  Buffer bytes = test::workedFrame("uet_rud_write").bytes;
  bytes[42] = 0xF8;
  EXPECT_EQ(decodeFrame(bytes).error, DecodeError::kUetType);
  EXPECT_EQ(decodeFrame(bytes).error_offset, 42U);
  bytes = test::workedFrame("uet_rud_write").bytes;
  store16(&bytes[42], 2U << 11 | 15U << 7);
  EXPECT_EQ(decodeFrame(bytes).error, DecodeError::kUetNextHeader);
}

TEST(UetFrame, EncodingRefusesContradictions) {
  FrameSpec spec = test::workedFrame("uet_rud_write").spec;
  std::get<UetLayer>(spec.transport).ses = SesSmall{};
  EXPECT_THROW(encodeFrame(spec), Error);
  spec = test::workedFrame("uet_rud_write_crc").spec;
  spec.udp_checksum = true;
  EXPECT_THROW(encodeFrame(spec), Error);
  spec = test::workedFrame("uet_rud_write").spec;
  std::get<UetLayer>(spec.transport).entropy = 1;  // and UDP
  EXPECT_THROW(encodeFrame(spec), Error);
}

}  // namespace
}  // namespace plumbline::wire
