// The ICRC against an implementation that is not ours.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/random.h"
#include "tests/paths/paths.h"
#include "tool.h"
#include "wire/frame.h"

namespace plumbline::wire::test {
namespace {

constexpr int kScapyMissing = 3;

std::string hex(ByteView bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// A frame in which all fields inside or outside the ICRC are random. At least 64 bytes, because
// scapy does not handle Ethernet padding after the ICRC.
Buffer randomFrame(RandomStream& random) {
  const auto bits = [&random](unsigned count) {
    return static_cast<std::uint32_t>(random.below(1ULL << count));
  };
  FrameSpec spec;
  store48(spec.destination.octets.data(), random.next());
  store48(spec.source.octets.data(), random.next());
  if (bits(1) != 0) {
    spec.vlan = VlanTag{.pcp = static_cast<std::uint8_t>(bits(3)),
                        .vid = static_cast<std::uint16_t>(bits(12))};
  }
  Ipv4Header ip;
  ip.dscp = static_cast<std::uint8_t>(bits(6));
  ip.ecn = static_cast<Ecn>(bits(2));
  ip.identification = static_cast<std::uint16_t>(bits(16));
  ip.dont_fragment = bits(1) != 0;
  ip.ttl = static_cast<std::uint8_t>(bits(8));
  store32(ip.source.octets.data(), bits(32));
  store32(ip.destination.octets.data(), bits(32));
  spec.network = ip;
  spec.udp = UdpHeader{.source_port = static_cast<std::uint16_t>(bits(16)),
                       .destination_port = udp_port::kRoce};
  spec.udp_checksum = bits(1) != 0;
  const RoceOpcode& opcode = roceOpcodes()[random.below(roceOpcodes().size())];
  RoceLayer layer;
  layer.bth.opcode = opcode.code;
  layer.bth.fecn = bits(1) != 0;
  layer.bth.becn = bits(1) != 0;
  layer.bth.dest_qp = bits(24);
  layer.bth.ack_request = bits(1) != 0;
  layer.bth.psn = bits(24);
  if (opcode.reth) layer.reth = Reth{random.next(), bits(32), bits(32)};
  if (opcode.aeth) layer.aeth = Aeth{static_cast<std::uint8_t>(bits(8)), bits(24)};
  if (opcode.immediate) layer.immediate = ImmDt{bits(32)};
  if (opcode.ieth) layer.ieth = Ieth{bits(32)};
  spec.transport = layer;
  Buffer payload(opcode.payload ? 4 + random.below(1500) : 0);
  for (auto& byte : payload) byte = static_cast<std::uint8_t>(random.next());
  spec.payload = payload;
  return encodeFrame(spec);
}

TEST(Scapy, AgreesOnTheIcrcOfRandomIpv4Frames) {
  RandomStream random(2024, "scapy");
  std::vector<std::uint32_t> expected;
  const auto path = scratchFile("frames.hex");
  {
    std::ofstream file(path);
    for (int i = 0; i < 500; ++i) {
      const Buffer frame = randomFrame(random);
      const DecodedFrame decoded = decodeFrame(frame);
      ASSERT_TRUE(decoded.ok() && decoded.icrc->ok());
      expected.push_back(decoded.icrc->received);
      file << hex(ByteView(frame).first(frame.size() - kFcsSize)) << '\n';
    }
  }
  const ToolResult result = runTool("/usr/bin/python3 " + checkoutPath("tests/wire/scapy_icrc.py") +
                                    " < " + path.string());
  if (result.exit_code == kScapyMissing) {
    GTEST_SKIP() << "scapy is not installed (package python3-scapy): ICRC not compared with it";
  }
  ASSERT_EQ(result.exit_code, 0) << "the scapy script failed";
  ASSERT_EQ(result.lines.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(result.lines[i], fmt::format("{:08x}", expected[i])) << "frame " << i;
  }
}

}  // namespace
}  // namespace plumbline::wire::test
