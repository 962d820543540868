// Frames beyond the worked ones: refusals of the encoder, and decoding of unusual frames.
#include "wire/frame.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "wire/addresses.h"
#include "worked_frames.h"

namespace plumbline::wire {
namespace {

FrameSpec udpFrame(ByteView payload) {
  FrameSpec spec;
  spec.destination = hostMac(1);
  spec.source = hostMac(0);
  spec.network = Ipv4Header{.source = hostIpv4(0), .destination = hostIpv4(1)};
  spec.udp = UdpHeader{.source_port = 0xC000, .destination_port = udp_port::kDiscard};
  spec.payload = payload;
  return spec;
}

TEST(EncodeFrame, PadsToSixtyFourBytes) {
  const Buffer payload(3, 0xAB);
  const Buffer bytes = encodeFrame(udpFrame(payload));
  EXPECT_EQ(bytes.size(), kMinFrameSize);
  const DecodedFrame frame = decodeFrame(bytes);
  ASSERT_TRUE(frame.ok());
  EXPECT_EQ(frame.payload.size(), 3U);
  EXPECT_EQ(frame.padding.size(), 60U - 14 - 20 - 8 - 3);
  EXPECT_EQ(frame.ipv4()->total_length, 31);
  EXPECT_EQ(frame.udp->length, 11);
}

TEST(EncodeFrame, OtherEtherTypesCarryTheirPayload) {
  FrameSpec spec;
  spec.network = OtherNetwork{0x88B5};
  const Buffer payload(100, 1);
  spec.payload = payload;
  const DecodedFrame frame = decodeFrame(encodeFrame(spec));
  ASSERT_TRUE(frame.ok());
  EXPECT_EQ(frame.ethernet.ether_type, 0x88B5);
  EXPECT_EQ(frame.payload.size(), 100U);
}

TEST(EncodeFrame, RefusesContradictions) {
  const Buffer payload(4);
  const auto refused = [](const FrameSpec& spec) {
    try {
      encodeFrame(spec);
      return false;
    } catch (const Error& error) {
      return error.kind() == ErrorKind::kUsage && !error.remedy().empty();
    }
  };
  EXPECT_FALSE(refused(udpFrame(payload)));
  FrameSpec spec = udpFrame(payload);
  spec.network = OtherNetwork{0x1234};
  EXPECT_TRUE(refused(spec)) << "UDP without IP";
  spec = udpFrame(payload);
  spec.transport = RoceLayer{};
  spec.udp.reset();
  EXPECT_TRUE(refused(spec)) << "RoCE without UDP";
  spec = udpFrame(payload);
  spec.udp.reset();
  spec.udp_checksum = true;
  EXPECT_TRUE(refused(spec)) << "checksum of no UDP";
  spec = udpFrame(payload);
  spec.uet_crc = UetCrcOptions{};
  EXPECT_TRUE(refused(spec)) << "UET CRC without UET";
  spec = udpFrame(payload);
  spec.network = PfcHeader{};
  spec.udp.reset();
  EXPECT_TRUE(refused(spec)) << "PFC with a payload";
  spec.payload = {};
  EXPECT_FALSE(refused(spec));
  spec.vlan = VlanTag{};
  EXPECT_TRUE(refused(spec)) << "PFC with a tag";
  spec = udpFrame(payload);
  RoceLayer layer;
  layer.bth.opcode = 0xFF;
  spec.transport = layer;
  EXPECT_TRUE(refused(spec)) << "unknown opcode";
  layer.bth.opcode = roce_opcode::kRcAcknowledge;
  layer.aeth = Aeth{};
  spec.transport = layer;
  EXPECT_TRUE(refused(spec)) << "payload of an acknowledge";
  layer = {};
  layer.bth.opcode = roce_opcode::kRcSendOnly;
  spec.transport = layer;
  spec.pad_count = 4;
  EXPECT_TRUE(refused(spec)) << "four pad bytes";
  const Buffer long_payload(0x10000);
  EXPECT_TRUE(refused(udpFrame(long_payload))) << "beyond IP's length";
}

TEST(DecodeFrame, WithoutFcs) {
  const test::WorkedFrame& worked = test::workedFrame("roce_write_only");
  const ByteView bytes = ByteView(worked.bytes).first(worked.bytes.size() - kFcsSize);
  DecodeOptions options;
  options.has_fcs = false;
  const DecodedFrame frame = decodeFrame(bytes, options);
  ASSERT_TRUE(frame.ok());
  EXPECT_FALSE(frame.fcs.has_value());
  EXPECT_TRUE(frame.icrc->ok());
  EXPECT_EQ(frame.payload.size(), 64U);
}

// Changes bytes of a plain UDP frame and returns the decoder's result.
struct Damage {
  const char* name;
  std::size_t offset;
  std::uint16_t value;
  DecodeError error;
  std::size_t error_offset;
};

class DamagedHeaders : public testing::TestWithParam<Damage> {};

INSTANTIATE_TEST_SUITE_P(
    Fields, DamagedHeaders,
    testing::Values(Damage{"IpVersion", 14, 0x6500, DecodeError::kIpVersion, 14},
                    Damage{"IpOptions", 14, 0x4600, DecodeError::kIpv4Options, 14},
                    Damage{"IpHeaderTooShort", 14, 0x4400, DecodeError::kIpv4Options, 14},
                    Damage{"IpLengthBelowHeader", 16, 19, DecodeError::kIpLength, 16},
                    Damage{"IpLengthBeyondFrame", 16, 200, DecodeError::kTruncated, 14},
                    Damage{"IpLengthWithoutUdp", 16, 27, DecodeError::kTruncated, 34},
                    Damage{"UdpLengthBelowHeader", 38, 7, DecodeError::kUdpLength, 38},
                    Damage{"UdpLengthBeyondIp", 38, 109, DecodeError::kUdpLength, 38}),
    [](const auto& info) { return info.param.name; });

TEST_P(DamagedHeaders, AreNamedWithTheirPlace) {
  const Buffer payload(100);
  Buffer bytes = encodeFrame(udpFrame(payload));
  store16(&bytes[GetParam().offset], GetParam().value);
  const DecodedFrame frame = decodeFrame(bytes);
  EXPECT_EQ(frame.error, GetParam().error) << decodeErrorName(frame.error);
  EXPECT_EQ(frame.error_offset, GetParam().error_offset);
}

TEST(DecodeFrame, AShorterUdpLengthEndsThePayload) {
  const Buffer payload(100);
  Buffer bytes = encodeFrame(udpFrame(payload));
  store16(&bytes[38], 58);
  const DecodedFrame frame = decodeFrame(bytes);
  EXPECT_TRUE(frame.ok());
  EXPECT_EQ(frame.payload.size(), 50U);
}

TEST(DecodeFrame, VerdictsFollowTheDamage) {
  FrameSpec spec = udpFrame({});
  const Buffer payload(100);
  spec.payload = payload;
  spec.udp_checksum = true;
  Buffer bytes = encodeFrame(spec);
  EXPECT_TRUE(decodeFrame(bytes).udp_checksum->ok());
  bytes[80] ^= 1;
  EXPECT_FALSE(decodeFrame(bytes).udp_checksum->ok());
  EXPECT_TRUE(decodeFrame(bytes).ipv4_checksum->ok());
  bytes[22] ^= 1;  // TTL
  EXPECT_FALSE(decodeFrame(bytes).ipv4_checksum->ok());
}

TEST(DecodeFrame, FragmentsAndOtherProtocolsStayOpaque) {
  const Buffer payload(100);
  FrameSpec spec = udpFrame(payload);
  std::get<Ipv4Header>(spec.network).more_fragments = true;
  DecodedFrame frame = decodeFrame(encodeFrame(spec));
  EXPECT_TRUE(frame.ok() && frame.fragment && !frame.udp);
  EXPECT_EQ(frame.payload.size(), 108U);
  spec = udpFrame(payload);
  spec.udp.reset();
  std::get<Ipv4Header>(spec.network).protocol = 6;
  frame = decodeFrame(encodeFrame(spec));
  EXPECT_TRUE(frame.ok() && !frame.udp);
  EXPECT_EQ(frame.payload.size(), 100U);
}

TEST(DecodeFrame, UnknownMacControlIsOpaque) {
  FrameSpec spec;
  spec.destination = kMacControlAddress;
  spec.network = OtherNetwork{ether_type::kMacControl};
  const Buffer payload = test::fromHex("0002aabb");
  spec.payload = payload;
  const DecodedFrame frame = decodeFrame(encodeFrame(spec));
  EXPECT_TRUE(frame.ok());
  EXPECT_TRUE(frame.pfc() == nullptr && frame.pause() == nullptr && frame.ccUpdate() == nullptr);
  EXPECT_EQ(frame.payload.size(), 46U);
}

TEST(DecodeFrame, RuntsAreErrorsEvenWithAGoodFcs) {
  Buffer bytes(40, 0);
  store16(&bytes[12], 0x88B5);
  appendFcs(bytes);
  const DecodedFrame frame = decodeFrame(bytes);
  EXPECT_EQ(frame.error, DecodeError::kRunt);
  EXPECT_TRUE(frame.fcs->ok());
}

TEST(DecodeFrame, FindsTheTagBehindEveryTransport) {
  const TestTag tag{TestTag::makeId(1, 2), 3, 4};
  Buffer payload;
  append(payload, tag);
  payload.resize(40);
  EXPECT_EQ(decodeFrame(encodeFrame(udpFrame(payload))).tag, tag);
  for (const char* name : {"roce_write_only", "roce_write_only_ipv6", "roce_write_only_vlan",
                           "uet_rud_write", "uet_rud_write_crc"}) {
    const test::WorkedFrame& worked = test::workedFrame(name);
    EXPECT_EQ(decodeFrame(worked.bytes, worked.options).tag, std::nullopt) << name;
    FrameSpec spec = worked.spec;
    spec.payload = payload;
    EXPECT_EQ(decodeFrame(encodeFrame(spec), worked.options).tag, tag) << name;
    // One byte too short for a tag.
    spec.payload = ByteView(payload).first(TestTag::kSize - 1);
    EXPECT_EQ(decodeFrame(encodeFrame(spec), worked.options).tag, std::nullopt) << name;
  }
}

TEST(DecodeErrorNames, AreDistinct) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(DecodeError::kUetNextHeader); ++i) {
    names.insert(decodeErrorName(static_cast<DecodeError>(i)));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(DecodeError::kUetNextHeader) + 1);
  EXPECT_EQ(names.count("unknown"), 0U);
}

}  // namespace
}  // namespace plumbline::wire
