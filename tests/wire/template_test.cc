// Templates, completed to whole frames as docs/card.md describes for the card.
#include "wire/template.h"

#include <gtest/gtest.h>

#include <tuple>

#include "base/error.h"
#include "wire/addresses.h"
#include "wire/frame.h"

namespace plumbline::wire {
namespace {

StreamTemplateSpec baseSpec() {
  StreamTemplateSpec spec;
  spec.destination_mac = hostMac(1);
  spec.source_mac = hostMac(0);
  spec.priority = 3;
  spec.source_ipv4 = hostIpv4(0);
  spec.destination_ipv4 = hostIpv4(1);
  spec.source_ipv6 = hostIpv6(0);
  spec.destination_ipv6 = hostIpv6(1);
  spec.dscp = 26;
  spec.ecn = Ecn::kEct0;
  spec.dest_qp = 0x12;
  spec.psn = 0x100;
  spec.virtual_address = 0x1000;
  spec.rkey = 0xABCD;
  return spec;
}

// Template, payload pattern from pay_off, tag, ICRC, FCS.
Buffer complete(const StreamTemplate& t, std::uint32_t length, bool ipv6, const TestTag& tag) {
  Buffer frame(length - kFcsSize);
  std::copy_n(t.bytes.begin(), std::min<std::size_t>(kTemplateSize, frame.size()), frame.begin());
  for (std::size_t i = t.pay_off; i < frame.size(); ++i) {
    frame[i] = static_cast<std::uint8_t>(i - t.pay_off);
  }
  tag.encode(ByteSpan(frame).subspan(t.tag_off).first<TestTag::kSize>());
  if (t.icrc) {
    const std::size_t end = frame.size() - kIcrcSize;
    store32Le(&frame[end], roceIcrc(ByteView(frame).subspan(t.l3, end - t.l3), ipv6));
  }
  appendFcs(frame);
  return frame;
}

using Variant = std::tuple<int, bool, bool>;  // opcode or -1 for UDP, IPv6, VLAN

class Templates : public testing::TestWithParam<Variant> {
 protected:
  static StreamTemplateSpec spec() {
    const auto [opcode, ipv6, vlan] = GetParam();
    StreamTemplateSpec s = baseSpec();
    if (opcode >= 0) s.roce_opcode = static_cast<std::uint8_t>(opcode);
    s.ipv6 = ipv6;
    if (vlan) s.vlan_id = 100;
    return s;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Variants, Templates,
    testing::Combine(testing::Values(-1, roce_opcode::kRcSendOnly, roce_opcode::kRcWriteOnly,
                                     roce_opcode::kUcWriteOnly, roce_opcode::kRcWriteOnlyImm,
                                     roce_opcode::kRcReadResponseOnly),
                     testing::Bool(), testing::Bool()),
    [](const auto& info) {
      const int opcode = std::get<0>(info.param);
      return (opcode < 0 ? std::string("Udp") : "Roce" + std::to_string(opcode)) +
             (std::get<1>(info.param) ? "Ipv6" : "Ipv4") +
             (std::get<2>(info.param) ? "Vlan" : "Plain");
    });

TEST_P(Templates, MakeGoodFramesOfEveryLength) {
  StreamTemplateSpec s = spec();
  const std::uint32_t min = minimumTaggedLength(s);
  s.length = min;
  EXPECT_TRUE(makeStreamTemplate(s).roce_aligned);
  const TestTag tag{TestTag::makeId(3, 77), 12345, 0xABCDEF};
  for (std::uint32_t length = min; length <= kMaxFrameSize; length += length < min + 300 ? 1 : 97) {
    s.length = length;
    const StreamTemplate t = makeStreamTemplate(s);
    const Buffer bytes = complete(t, length, s.ipv6, tag);
    ASSERT_EQ(bytes.size(), length);
    const DecodedFrame frame = decodeFrame(bytes);
    ASSERT_TRUE(frame.ok()) << decodeErrorName(frame.error) << " at length " << length;
    EXPECT_EQ(frame.tag, tag);
    EXPECT_EQ(frame.offsets.network, t.l3);
    EXPECT_EQ(frame.offsets.udp, t.udp);
    EXPECT_EQ(frame.offsets.payload, t.tag_off);
    EXPECT_EQ(t.pay_off, t.tag_off + TestTag::kSize);
    EXPECT_TRUE(frame.padding.empty());
    if (frame.ipv4_checksum) {
      EXPECT_TRUE(frame.ipv4_checksum->ok());
    }
    EXPECT_EQ(frame.roce() != nullptr, s.roce_opcode.has_value());
    EXPECT_EQ(t.icrc, s.roce_opcode.has_value());
    if (frame.roce() != nullptr) {
      EXPECT_TRUE(frame.icrc->ok());
      const std::size_t room = frame.payload.size() + frame.roce()->bth.pad_count;
      EXPECT_EQ(frame.roce()->bth.pad_count, t.pad_count);
      EXPECT_EQ(t.pad_count, room % 4);
      EXPECT_EQ(t.roce_aligned, room % 4 == 0);
      EXPECT_EQ(frame.payload.size() % 4, 0U);
      if (frame.roce()->reth) {
        EXPECT_EQ(frame.roce()->reth->dma_length, frame.payload.size());
      }
    }
    // The pattern counts from zero after the tag.
    for (std::size_t i = TestTag::kSize; i < frame.payload.size(); ++i) {
      ASSERT_EQ(frame.payload[i], (i - TestTag::kSize) & 0xFFU);
    }
  }
}

TEST_P(Templates, RefuseOneByteLessThanTheLeast) {
  StreamTemplateSpec s = spec();
  s.length = minimumTaggedLength(s) - 1;
  EXPECT_THROW(makeStreamTemplate(s), Error);
  s.length = kMaxFrameSize + 1;
  EXPECT_THROW(makeStreamTemplate(s), Error);
}

TEST_P(Templates, TagFitsTheTemplate) {
  StreamTemplateSpec s = spec();
  s.length = 512;
  EXPECT_LE(makeStreamTemplate(s).tag_off + TestTag::kSize, kTemplateSize);
}

TEST(Template, LeastLengths) {
  StreamTemplateSpec s = baseSpec();
  EXPECT_EQ(minimumTaggedLength(s), 64U);  // docs/card.md
  s.roce_opcode = roce_opcode::kRcSendOnly;
  EXPECT_EQ(minimumTaggedLength(s), 82U);
  s.roce_opcode = roce_opcode::kRcWriteOnly;
  EXPECT_EQ(minimumTaggedLength(s), 98U);
  s.ipv6 = true;
  s.vlan_id = 1;
  EXPECT_EQ(minimumTaggedLength(s), 122U);
}

TEST(Template, FieldsAreWhereTheCardLooksForThem) {
  StreamTemplateSpec s = baseSpec();
  s.roce_opcode = roce_opcode::kRcWriteOnly;
  s.vlan_id = 100;
  s.source_port = 0xC123;
  s.length = 1026;
  const StreamTemplate t = makeStreamTemplate(s);
  EXPECT_EQ(t.l3, 18U);
  EXPECT_EQ(t.udp, 38U);
  EXPECT_EQ(t.tag_off, 74U);
  EXPECT_EQ(t.pay_off, 92U);
  EXPECT_EQ(load16(&t.bytes[14]), 3U << 13 | 100U);
  EXPECT_EQ(load16(&t.bytes[t.udp]), 0xC123);
  EXPECT_EQ(load24(&t.bytes[t.udp + 13]), 0x12U);   // destination QP
  EXPECT_EQ(load24(&t.bytes[t.udp + 17]), 0x100U);  // PSN
  EXPECT_EQ(load16(&t.bytes[t.l3 + 14]), 0x0001);   // low 16 bits of 198.18.0.1
  EXPECT_EQ(load16(&t.bytes[t.l3 + 18]), 0x0101);   // low 16 bits of 198.18.1.1
  EXPECT_TRUE(t.roce_aligned);
}

// The card's rule for the checksum: base plus the address word, folded and inverted.
TEST(Template, ChecksumBaseGivesTheChecksumOfEveryAddress) {
  for (const auto modifier : {AddressModifier::kSource, AddressModifier::kDestination}) {
    StreamTemplateSpec s = baseSpec();
    s.address_modifier = modifier;
    s.length = 128;
    StreamTemplate t = makeStreamTemplate(s);
    EXPECT_NE(t.csum_base, 0);
    const std::size_t word = t.l3 + (modifier == AddressModifier::kSource ? 14 : 18);
    for (std::uint32_t address = 0; address < 0x10000; ++address) {
      store16(&t.bytes[word], static_cast<std::uint16_t>(address));
      const std::uint32_t sum = t.csum_base + address;
      const auto card = static_cast<std::uint16_t>(~((sum & 0xFFFFU) + (sum >> 16)));
      const ByteView header = ByteView(t.bytes).subspan(t.l3, Ipv4Header::kSize);
      ASSERT_EQ(card, ipv4Checksum(header.first<Ipv4Header::kSize>())) << address;
    }
  }
  StreamTemplateSpec s = baseSpec();
  EXPECT_EQ(makeStreamTemplate(s).csum_base, 0);
  s.ipv6 = true;
  s.length = 128;
  s.address_modifier = AddressModifier::kSource;
  EXPECT_EQ(makeStreamTemplate(s).csum_base, 0);
}

TEST(Template, RefusesOpcodesWithoutPayloadAndForeignPorts) {
  StreamTemplateSpec s = baseSpec();
  s.length = 256;
  for (const std::uint8_t opcode :
       {roce_opcode::kRcAcknowledge, roce_opcode::kRcReadRequest, roce_opcode::kCnp}) {
    s.roce_opcode = opcode;
    EXPECT_THROW(makeStreamTemplate(s), Error);
    EXPECT_THROW(minimumTaggedLength(s), Error);
  }
  s.roce_opcode = 0xFE;
  EXPECT_THROW(makeStreamTemplate(s), Error);
  s.roce_opcode.reset();
  EXPECT_NO_THROW(makeStreamTemplate(s));
  for (const std::uint16_t port : {udp_port::kRoce, udp_port::kUet}) {
    s.destination_port = port;
    EXPECT_THROW(makeStreamTemplate(s), Error);
  }
}

}  // namespace
}  // namespace plumbline::wire
