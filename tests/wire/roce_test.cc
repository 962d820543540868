#include "wire/roce.h"

#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "base/random.h"
#include "wire/addresses.h"
#include "wire/frame.h"

namespace plumbline::wire {
namespace {

FrameSpec baseFrame() {
  FrameSpec spec;
  spec.destination = hostMac(1);
  spec.source = hostMac(0);
  spec.network = Ipv4Header{.source = hostIpv4(0), .destination = hostIpv4(1)};
  spec.udp = UdpHeader{.source_port = 0xC000, .destination_port = udp_port::kRoce};
  return spec;
}

RoceLayer layerFor(const RoceOpcode& opcode, RandomStream& random) {
  const auto bits = [&random](unsigned count) {
    return static_cast<std::uint32_t>(random.below(1ULL << count));
  };
  RoceLayer layer;
  layer.bth.opcode = opcode.code;
  layer.bth.solicited_event = bits(1) != 0;
  layer.bth.mig_req = bits(1) != 0;
  layer.bth.version = static_cast<std::uint8_t>(bits(4));
  layer.bth.pkey = static_cast<std::uint16_t>(bits(16));
  layer.bth.fecn = bits(1) != 0;
  layer.bth.becn = bits(1) != 0;
  layer.bth.dest_qp = bits(24);
  layer.bth.ack_request = bits(1) != 0;
  layer.bth.psn = bits(24);
  if (opcode.reth) layer.reth = Reth{random.next(), bits(32), bits(32)};
  if (opcode.aeth) layer.aeth = Aeth{static_cast<std::uint8_t>(bits(8)), bits(24)};
  if (opcode.immediate) layer.immediate = ImmDt{bits(32)};
  if (opcode.ieth) layer.ieth = Ieth{bits(32)};
  return layer;
}

class RoceOpcodes : public testing::TestWithParam<RoceOpcode> {};

INSTANTIATE_TEST_SUITE_P(Table, RoceOpcodes,
                         testing::ValuesIn(roceOpcodes().begin(), roceOpcodes().end()),
                         [](const auto& info) {
                           std::string name;
                           for (const char c : info.param.name) {
                             if (c != ' ') name += c;
                           }
                           return name;
                         });

TEST_P(RoceOpcodes, RoundTripsWithEveryPayloadLength) {
  RandomStream random(GetParam().code, "round trip");
  for (std::size_t length = 0; length <= 70; ++length) {
    if (length > 0 && !GetParam().payload) break;
    Buffer payload(length);
    for (auto& byte : payload) byte = static_cast<std::uint8_t>(random.next());
    FrameSpec spec = baseFrame();
    RoceLayer layer = layerFor(GetParam(), random);
    spec.transport = layer;
    spec.payload = payload;
    const Buffer bytes = encodeFrame(spec);
    const DecodedFrame frame = decodeFrame(bytes);
    ASSERT_TRUE(frame.ok()) << decodeErrorName(frame.error);
    ASSERT_NE(frame.roce(), nullptr);
    layer.bth.pad_count = static_cast<std::uint8_t>((4 - length % 4) % 4);
    EXPECT_EQ(*frame.roce(), layer);
    EXPECT_TRUE(
        std::equal(frame.payload.begin(), frame.payload.end(), payload.begin(), payload.end()));
    EXPECT_TRUE(frame.icrc->ok());
    // The UDP datagram ends with pad and ICRC: nothing is left over or missing.
    EXPECT_EQ(frame.udp->length, UdpHeader::kSize + Bth::kSize + GetParam().extensionSize() +
                                     length + layer.bth.pad_count + kIcrcSize);
  }
}

TEST_P(RoceOpcodes, RefuseMissingAndForeignExtensionHeaders) {
  RandomStream random(1, "extensions");
  const RoceLayer good = layerFor(GetParam(), random);
  const auto refused = [](const RoceLayer& layer) {
    FrameSpec spec = baseFrame();
    spec.transport = layer;
    try {
      encodeFrame(spec);
      return false;
    } catch (const Error& error) {
      return error.kind() == ErrorKind::kUsage;
    }
  };
  EXPECT_FALSE(refused(good));
  RoceLayer bad = good;
  bad.reth = good.reth ? std::optional<Reth>{} : Reth{};
  EXPECT_TRUE(refused(bad));
  bad = good;
  bad.aeth = good.aeth ? std::optional<Aeth>{} : Aeth{};
  EXPECT_TRUE(refused(bad));
  bad = good;
  bad.immediate = good.immediate ? std::optional<ImmDt>{} : ImmDt{};
  EXPECT_TRUE(refused(bad));
  bad = good;
  bad.ieth = good.ieth ? std::optional<Ieth>{} : Ieth{};
  EXPECT_TRUE(refused(bad));
}

// The table of FACTS C.2 in its own form: operation (low five bits) to extension bytes.
TEST(RoceOpcodeTable, MatchesTheSpecificationsTable) {
  const std::map<unsigned, std::size_t> shared = {{0x00, 0}, {0x01, 0}, {0x02, 0},  {0x03, 4},
                                                  {0x04, 0}, {0x05, 4}, {0x06, 16}, {0x07, 0},
                                                  {0x08, 0}, {0x09, 4}, {0x0A, 16}, {0x0B, 20}};
  const std::map<unsigned, std::size_t> reliable_only = {
      {0x0C, 16}, {0x0D, 4}, {0x0E, 0}, {0x0F, 4}, {0x10, 4}, {0x11, 4}, {0x16, 4}, {0x17, 4}};
  std::map<unsigned, std::size_t> expected = shared;
  expected.insert(reliable_only.begin(), reliable_only.end());
  for (const auto& [operation, size] : shared) expected[0x20 + operation] = size;
  expected[0x81] = kCnpReservedSize;
  std::map<unsigned, std::size_t> actual;
  for (const RoceOpcode& opcode : roceOpcodes()) actual[opcode.code] = opcode.extensionSize();
  EXPECT_EQ(actual, expected);
}

TEST(RoceOpcodeTable, FindsWhatItHoldsAndNothingElse) {
  unsigned found = 0;
  for (unsigned code = 0; code < 256; ++code) {
    const RoceOpcode* opcode = findRoceOpcode(static_cast<std::uint8_t>(code));
    if (opcode == nullptr) continue;
    EXPECT_EQ(opcode->code, code);
    ++found;
  }
  EXPECT_EQ(found, roceOpcodes().size());
  EXPECT_EQ(findRoceOpcode(roce_opcode::kRcWriteOnly)->name, "RC RDMA WRITE Only");
  EXPECT_EQ(findRoceOpcode(0x09)->name, "RC RDMA WRITE Last with Immediate");
}

TEST(RoceFrame, AnUnknownOpcodeIsAnErrorThatStillChecksTheIcrc) {
  FrameSpec spec = baseFrame();
  RoceLayer layer;
  layer.bth.opcode = roce_opcode::kRcSendOnly;
  spec.transport = layer;
  Buffer bytes = encodeFrame(spec);
  bytes[42] = 0x1F;  // first byte of the BTH
  const DecodedFrame frame = decodeFrame(bytes);
  EXPECT_EQ(frame.error, DecodeError::kRoceOpcode);
  EXPECT_EQ(frame.error_offset, 42U);
  ASSERT_TRUE(frame.icrc.has_value());
  EXPECT_FALSE(frame.icrc->ok());
}

TEST(RoceFrame, PadBeyondThePayloadIsAnError) {
  FrameSpec spec = baseFrame();
  RoceLayer layer;
  layer.bth.opcode = roce_opcode::kRcSendOnly;
  spec.transport = layer;
  Buffer bytes = encodeFrame(spec);
  bytes[43] |= 0x30;
  EXPECT_EQ(decodeFrame(bytes).error, DecodeError::kRocePadding);
}

TEST(Aeth, KindsAndCodes) {
  EXPECT_EQ((Aeth{0x1F, 0}.kind()), AethKind::kAck);
  EXPECT_EQ((Aeth{0x1F, 0}.code()), 0x1F);
  EXPECT_EQ((Aeth{0x2C, 0}.kind()), AethKind::kRnrNak);
  EXPECT_EQ((Aeth{0x2C, 0}.code()), 12);
  EXPECT_EQ((Aeth{0x60, 0}.kind()), AethKind::kNak);
  EXPECT_EQ(nakCodeName(Aeth{0x60, 0}.code()), "PSN sequence error");
  EXPECT_EQ(nakCodeName(Aeth{0x63, 0}.code()), "remote operational error");
  EXPECT_EQ(nakCodeName(9), "reserved");
}

// Fields that a router may change must not change the ICRC, and all others must.
TEST(Icrc, CoversEverythingButWhatRoutersChange) {
  for (const bool ipv6 : {false, true}) {
    FrameSpec spec = baseFrame();
    if (ipv6) {
      spec.network = Ipv6Header{.source = hostIpv6(0), .destination = hostIpv6(1)};
    }
    RoceLayer layer;
    layer.bth.opcode = roce_opcode::kRcWriteOnly;
    layer.reth = Reth{1, 2, 8};
    spec.transport = layer;
    const Buffer payload(8, 0xA5);
    spec.payload = payload;
    const Buffer frame = encodeFrame(spec);
    Buffer packet(frame.begin() + 14, frame.end() - 8);
    const std::uint32_t good = roceIcrc(packet, ipv6);

    // Bits that may change, by byte of the packet.
    std::map<std::size_t, unsigned> variant;
    const std::size_t udp = ipv6 ? 40 : 20;
    if (ipv6) {
      variant = {{0, 0x0F}, {1, 0xFF}, {2, 0xFF}, {3, 0xFF}, {7, 0xFF}};
    } else {
      variant = {{1, 0xFF}, {8, 0xFF}, {10, 0xFF}, {11, 0xFF}};
    }
    variant[udp + 6] = 0xFF;
    variant[udp + 7] = 0xFF;
    variant[udp + 8 + 4] = 0xFF;
    for (std::size_t i = 0; i < packet.size(); ++i) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        packet[i] = static_cast<std::uint8_t>(packet[i] ^ (1U << bit));
        const bool may_change = variant.count(i) != 0 && (variant[i] >> bit & 1U) != 0;
        EXPECT_EQ(roceIcrc(packet, ipv6) == good, may_change) << "byte " << i << " bit " << bit;
        packet[i] = static_cast<std::uint8_t>(packet[i] ^ (1U << bit));
      }
    }
  }
}

}  // namespace
}  // namespace plumbline::wire
