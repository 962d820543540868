// Every worked frame, byte for byte, in both directions.
#include "worked_frames.h"

#include <gtest/gtest.h>

#include <random>

namespace plumbline::wire::test {
namespace {

class WorkedFrames : public testing::TestWithParam<WorkedFrame> {};

INSTANTIATE_TEST_SUITE_P(Facts, WorkedFrames, testing::ValuesIn(workedFrames()),
                         [](const auto& info) { return info.param.name; });

TEST_P(WorkedFrames, EncodeToTheirBytes) {
  EXPECT_EQ(encodeFrame(GetParam().spec), GetParam().bytes);
}

TEST_P(WorkedFrames, DecodeWithEveryCheckGood) {
  const DecodedFrame frame = decodeFrame(GetParam().bytes, GetParam().options);
  ASSERT_TRUE(frame.ok()) << decodeErrorName(frame.error) << " at " << frame.error_offset;
  ASSERT_TRUE(frame.fcs.has_value());
  EXPECT_TRUE(frame.fcs->ok());
  EXPECT_EQ(frame.ipv4_checksum.has_value(), frame.ipv4() != nullptr);
  if (frame.ipv4_checksum) {
    EXPECT_TRUE(frame.ipv4_checksum->ok());
  }
  EXPECT_EQ(frame.udp_checksum.has_value(), GetParam().spec.udp_checksum);
  if (frame.udp_checksum) {
    EXPECT_TRUE(frame.udp_checksum->ok());
  }
  EXPECT_EQ(frame.icrc.has_value(), frame.roce() != nullptr);
  if (frame.icrc) {
    EXPECT_TRUE(frame.icrc->ok());
  }
  EXPECT_EQ(frame.uet_crc.has_value(), GetParam().options.uet_crc.has_value());
  if (frame.uet_crc) {
    EXPECT_TRUE(frame.uet_crc->ok());
  }
}

TEST_P(WorkedFrames, DecodeToTheirDescription) {
  const FrameSpec& spec = GetParam().spec;
  const DecodedFrame frame = decodeFrame(GetParam().bytes, GetParam().options);
  EXPECT_EQ(frame.ethernet.destination, spec.destination);
  EXPECT_EQ(frame.ethernet.source, spec.source);
  EXPECT_TRUE(std::equal(frame.payload.begin(), frame.payload.end(), spec.payload.begin(),
                         spec.payload.end()));
  // Decoding finds all values of the description: encoding them again gives the same bytes.
  FrameSpec again;
  again.destination = frame.ethernet.destination;
  again.source = frame.ethernet.source;
  again.vlan = frame.vlan;
  again.network = frame.network;
  again.udp = frame.udp;
  again.udp_checksum = frame.udp_checksum.has_value();
  again.transport = frame.transport;
  again.payload = frame.payload;
  if (frame.uet_crc) again.uet_crc = GetParam().options.uet_crc;
  EXPECT_EQ(encodeFrame(again), GetParam().bytes);
}

TEST_P(WorkedFrames, FlippingAnyBitSpoilsTheFcs) {
  Buffer bytes = GetParam().bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      bytes[i] = static_cast<std::uint8_t>(bytes[i] ^ (1U << bit));
      const DecodedFrame frame = decodeFrame(bytes, GetParam().options);
      ASSERT_TRUE(frame.fcs.has_value());
      EXPECT_FALSE(frame.fcs->ok()) << "byte " << i << " bit " << bit;
      EXPECT_FALSE(fcsOk(bytes));
      bytes[i] = static_cast<std::uint8_t>(bytes[i] ^ (1U << bit));
    }
  }
}

TEST_P(WorkedFrames, CutAnywhereAreErrors) {
  for (std::size_t length = 0; length < GetParam().bytes.size(); ++length) {
    // A buffer of exactly that length, so that an address sanitizer detects a read beyond its end.
    const Buffer cut(GetParam().bytes.begin(),
                     GetParam().bytes.begin() + static_cast<std::ptrdiff_t>(length));
    const DecodedFrame frame = decodeFrame(cut, GetParam().options);
    EXPECT_FALSE(frame.ok()) << length << " bytes";
    EXPECT_LE(frame.error_offset, length);
  }
}

TEST_P(WorkedFrames, CutAndSealedWithAGoodFcsAreErrors) {
  for (std::size_t length = 0; length + kFcsSize < GetParam().bytes.size(); ++length) {
    Buffer cut(GetParam().bytes.begin(),
               GetParam().bytes.begin() + static_cast<std::ptrdiff_t>(length));
    appendFcs(cut);
    EXPECT_FALSE(decodeFrame(cut, GetParam().options).ok()) << length << " bytes";
  }
}

// A shorter packet whose lengths agree: IP and UDP say so, the rest becomes Ethernet padding.
TEST_P(WorkedFrames, CutWithConsistentLengthsAreErrorsOrFailTheirCheck) {
  const DecodedFrame whole = decodeFrame(GetParam().bytes, GetParam().options);
  if (!whole.udp) return;
  const std::size_t udp = whole.offsets.udp;
  for (std::uint16_t length = UdpHeader::kSize; length < whole.udp->length; ++length) {
    Buffer bytes = GetParam().bytes;
    store16(&bytes[udp + 4], length);
    const std::size_t ip = whole.offsets.network;
    if (whole.ipv6() != nullptr) {
      store16(&bytes[ip + 4], length);
    } else {
      store16(&bytes[ip + 2], static_cast<std::uint16_t>(udp - ip + length));
    }
    const DecodedFrame cut = decodeFrame(bytes, GetParam().options);
    EXPECT_LE(cut.payload.size() + kFcsSize, bytes.size());
    if (!cut.ok()) continue;
    EXPECT_LT(cut.payload.size(), whole.payload.size()) << length;
    if (whole.icrc) {
      EXPECT_FALSE(cut.icrc->ok()) << length;
    }
    if (whole.uet_crc) {
      EXPECT_FALSE(cut.uet_crc->ok()) << length;
    }
  }
}

TEST_P(WorkedFrames, RandomDamageNeverCrashesAndNeverDescribesNothing) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    Buffer bytes = GetParam().bytes;
    const unsigned flips = 1 + random() % 8;
    for (unsigned i = 0; i < flips; ++i) {
      bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    }
    bytes.resize(random() % (bytes.size() + 1));
    const DecodedFrame frame = decodeFrame(bytes, GetParam().options);
    EXPECT_LE(frame.offsets.payload + frame.payload.size(), bytes.size());
    EXPECT_FALSE(describe(frame).empty());
  }
}

TEST(WorkedFramesValues, IcrcIsTheSameTaggedUntaggedAndRouted) {
  const auto icrcOf = [](const std::string& name) {
    return decodeFrame(workedFrame(name).bytes).icrc->received;
  };
  EXPECT_EQ(icrcOf("roce_write_only"), 0x81F847B8U);
  EXPECT_EQ(icrcOf("roce_write_only_vlan"), 0x81F847B8U);
  EXPECT_EQ(icrcOf("roce_write_only_routed_ce"), 0x81F847B8U);
  EXPECT_EQ(icrcOf("roce_write_only_ipv6"), 0xF5E2F71EU);
  EXPECT_EQ(icrcOf("roce_write_only_ipv6_udp_checksum"), 0xF5E2F71EU);
}

TEST(WorkedFramesValues, WriteOnlyFields) {
  const DecodedFrame frame = decodeFrame(workedFrame("roce_write_only_vlan").bytes);
  ASSERT_TRUE(frame.vlan && frame.roce() != nullptr && frame.roce()->reth);
  EXPECT_EQ(frame.vlan->pcp, 3);
  EXPECT_EQ(frame.vlan->vid, 100);
  EXPECT_EQ(frame.ipv4()->source.toString(), "198.18.0.1");
  EXPECT_EQ(frame.ipv4()->dscp, 26);
  EXPECT_EQ(frame.ipv4()->ecn, Ecn::kEct0);
  EXPECT_EQ(frame.udp->source_port, 0xC123);
  EXPECT_EQ(frame.roce()->bth.dest_qp, 0x12U);
  EXPECT_EQ(frame.roce()->bth.psn, 0x100U);
  EXPECT_TRUE(frame.roce()->bth.ack_request);
  EXPECT_EQ(frame.roce()->reth->virtual_address, 0x12345000U);
  EXPECT_EQ(frame.offsets.network, 18U);
  EXPECT_EQ(frame.offsets.udp, 38U);
  EXPECT_EQ(frame.offsets.transport, 46U);
  EXPECT_EQ(frame.offsets.payload, 74U);
}

TEST(WorkedFramesValues, AckCcFields) {
  const WorkedFrame& worked = workedFrame("uet_ack_cc_nscc");
  const DecodedFrame frame = decodeFrame(worked.bytes, worked.options);
  ASSERT_NE(frame.uet(), nullptr);
  const auto& ack = std::get<PdsAck>(frame.uet()->pds);
  EXPECT_EQ(ack.type(), PdsType::kAckCc);
  EXPECT_TRUE(ack.ecn_marked);
  ASSERT_TRUE(ack.cc.has_value());
  EXPECT_EQ(ack.cc->mpr, 8);
  EXPECT_EQ(ack.cc->sack_bitmap, 2U);
  const NsccState state = NsccState::fromBits(ack.cc->state);
  EXPECT_EQ(state.service_time, 10);
  EXPECT_EQ(state.rcvd_bytes, 4U);
  EXPECT_EQ(state.ooo_count, 0);
}

TEST(WorkedFramesValues, PauseQuanta) {
  const DecodedFrame frame = decodeFrame(workedFrame("pfc_xoff").bytes);
  ASSERT_NE(frame.pfc(), nullptr);
  EXPECT_EQ(frame.pfc()->enabled, 8);
  EXPECT_EQ(frame.pfc()->quanta[3], 0xFFFF);
  EXPECT_EQ(frame.padding.size(), 26U);
}

}  // namespace
}  // namespace plumbline::wire::test
