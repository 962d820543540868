// Changes of a frame's bytes by switches, against scapy, tshark and the frame's own check
// sequences.
#include "bench/card/transit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "base/random.h"
#include "tests/paths/paths.h"
#include "tests/wire/tool.h"
#include "wire/addresses.h"
#include "wire/frame.h"
#include "wire/pcapng.h"

namespace plumbline::bench {
namespace {

using wire::test::runTool;
using wire::test::scratchFile;
using wire::test::ToolResult;

constexpr int kScapyMissing = 3;

std::string hex(wire::ByteView bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

struct Shape {
  bool ipv6 = false;
  bool vlan = false;
  bool roce = true;
  std::uint8_t ttl = 64;
  std::uint8_t dscp = kTrimmableDscp;
  wire::Ecn ecn = wire::Ecn::kEct0;
  std::size_t payload = 500;
};

wire::Buffer makeFrame(const Shape& shape, RandomStream& random) {
  wire::FrameSpec spec;
  spec.destination = wire::hostMac(1);
  spec.source = wire::hostMac(0);
  if (shape.vlan) spec.vlan = wire::VlanTag{.pcp = 3, .dei = true, .vid = 0xABC};
  if (shape.ipv6) {
    spec.network = wire::Ipv6Header{.dscp = shape.dscp,
                                    .ecn = shape.ecn,
                                    .flow_label = static_cast<std::uint32_t>(random.below(1 << 20)),
                                    .hop_limit = shape.ttl,
                                    .source = wire::hostIpv6(0),
                                    .destination = wire::hostIpv6(1)};
  } else {
    spec.network = wire::Ipv4Header{.dscp = shape.dscp,
                                    .ecn = shape.ecn,
                                    .identification = static_cast<std::uint16_t>(random.next()),
                                    .ttl = shape.ttl,
                                    .source = wire::hostIpv4(0),
                                    .destination = wire::hostIpv4(1)};
  }
  spec.udp = wire::UdpHeader{
      .source_port = static_cast<std::uint16_t>(0xC000 + random.below(0x4000)),
      .destination_port = shape.roce ? wire::udp_port::kRoce : wire::udp_port::kDiscard};
  if (shape.roce) {
    wire::RoceLayer layer;
    layer.bth.opcode = wire::roce_opcode::kRcWriteOnly;
    layer.bth.dest_qp = static_cast<std::uint32_t>(random.below(1 << 24));
    layer.bth.psn = static_cast<std::uint32_t>(random.below(1 << 24));
    layer.reth = wire::Reth{random.next(), 7, 1000};
    spec.transport = layer;
  }
  wire::Buffer payload(shape.payload);
  for (auto& byte : payload) byte = static_cast<std::uint8_t>(random.next());
  spec.payload = payload;
  return wire::encodeFrame(spec);
}

fabric::Packet afterHops(const wire::Buffer& sent, std::uint32_t hops) {
  fabric::Packet packet;
  packet.length = static_cast<std::uint16_t>(sent.size());
  packet.priority = 3;
  packet.hops = hops;
  return packet;
}

// Every combination of headers, marking and trimming with random fields.
struct Case {
  wire::Buffer sent;
  fabric::Packet packet;
};

std::vector<Case> manyCases() {
  RandomStream random(7, "transit");
  std::vector<Case> cases;
  for (int i = 0; i < 600; ++i) {
    Shape shape;
    shape.ipv6 = (i & 1) != 0;
    shape.vlan = (i & 2) != 0;
    shape.roce = (i & 4) != 0;
    shape.ttl = static_cast<std::uint8_t>(7 + random.below(249));
    shape.dscp = static_cast<std::uint8_t>(random.below(64));
    shape.ecn = static_cast<wire::Ecn>(random.below(4));
    shape.payload = random.below(1400);
    wire::Buffer sent = makeFrame(shape, random);
    fabric::Packet packet = afterHops(sent, 1 + static_cast<std::uint32_t>(random.below(6)));
    packet.ect = shape.ecn == wire::Ecn::kEct0 || shape.ecn == wire::Ecn::kEct1;
    packet.ce = shape.ecn == wire::Ecn::kCe || (packet.ect && (i & 8) != 0);
    if ((i & 16) != 0 && sent.size() > 100) {
      packet.trimmed = true;
      packet.length = static_cast<std::uint16_t>(64 + random.below(sent.size() - 64));
      packet.priority = 5;
    }
    cases.push_back({std::move(sent), packet});
  }
  return cases;
}

TEST(Transit, GivesTheBytesThatScapyBuilds) {
  const std::vector<Case> cases = manyCases();
  const auto path = scratchFile("transit.txt");
  {
    std::ofstream file(path);
    for (const Case& c : cases) {
      file << hex(wire::ByteView(c.sent).first(c.sent.size() - wire::kFcsSize)) << ' '
           << c.packet.hops << ' ' << int{c.packet.ce} << ' '
           << (c.packet.trimmed ? c.packet.length : 0) << ' ' << int{c.packet.priority} << '\n';
    }
  }
  const ToolResult result =
      runTool("/usr/bin/python3 " + checkoutPath("tests/bench_rtl/transit_scapy.py") + " < " +
              path.string());
  if (result.exit_code == kScapyMissing) {
    GTEST_SKIP() << "scapy is not installed (package python3-scapy): bytes not compared with it";
  }
  ASSERT_EQ(result.exit_code, 0) << "the scapy script failed";
  ASSERT_EQ(result.lines.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto out = afterTransit(cases[i].sent, cases[i].packet);
    ASSERT_TRUE(out);
    ASSERT_EQ(hex(*out), result.lines[i]) << "case " << i;
  }
}

TEST(Transit, LeavesFramesThatTsharkFindsNoFaultIn) {
  if (runTool("tshark --version").exit_code != 0) {
    GTEST_SKIP() << "tshark is not installed (package tshark): frames not dissected by it";
  }
  const std::vector<Case> cases = manyCases();
  const auto path = scratchFile("transit.pcapng");
  {
    std::ofstream file(path, std::ios::binary);
    wire::PcapngWriter writer(file,
                              {wire::PcapngResolution::kNanoseconds, "simulated DUT", "plumbline"});
    writer.addInterface({.name = "out", .speed = gigabitsPerSecond(100), .fcs_bytes = 4});
    for (const Case& c : cases) {
      wire::PcapngPacket packet;
      const auto out = afterTransit(c.sent, c.packet);
      packet.bytes = *out;
      packet.original_length = static_cast<std::uint32_t>(out->size());
      writer.write(packet);
    }
  }
  const ToolResult result =
      runTool("tshark -n -r " + path.string() +
              " -o eth.check_fcs:TRUE -o ip.check_checksum:TRUE -T fields -E occurrence=f -e "
              "eth.fcs.status -e ip.checksum.status"
              " -e ip.ttl -e ipv6.hlim -e ip.len -e ipv6.plen -e vlan.priority");
  ASSERT_EQ(result.lines.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& c = cases[i];
    const std::vector<std::string> fields = wire::test::splitTabs(result.lines[i]);
    ASSERT_EQ(fields.size(), 7U);
    const wire::DecodedFrame before = wire::decodeFrame(c.sent);
    EXPECT_EQ(fields[0], "1") << i;
    if (const auto* ip = before.ipv4()) {
      EXPECT_EQ(fields[1], "1") << i;
      EXPECT_EQ(fields[2], std::to_string(ip->ttl - c.packet.hops)) << i;
      const std::size_t network = before.offsets.network;
      EXPECT_EQ(fields[4], std::to_string(std::min<std::size_t>(
                               ip->total_length, c.packet.length - wire::kFcsSize - network)));
    } else {
      const auto* ip6 = before.ipv6();
      EXPECT_EQ(fields[3], std::to_string(ip6->hop_limit - c.packet.hops)) << i;
      const std::size_t headers = before.offsets.network + wire::Ipv6Header::kSize;
      EXPECT_EQ(fields[5], std::to_string(std::min<std::size_t>(
                               ip6->payload_length, c.packet.length - wire::kFcsSize - headers)));
    }
    EXPECT_EQ(fields[6], before.vlan ? std::to_string(c.packet.priority) : "");
  }
}

// Positions of bytes that differ, of two frames of one length.
std::set<std::size_t> differences(const wire::Buffer& a, const wire::Buffer& b) {
  std::set<std::size_t> places;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) places.insert(i);
  }
  return places;
}

TEST(Transit, ChangesNothingButTtlEcnChecksumAndFcs) {
  RandomStream random(8, "transit");
  const wire::Buffer sent = makeFrame({}, random);
  fabric::Packet packet = afterHops(sent, 2);
  packet.ect = true;
  packet.ce = true;
  const auto out = afterTransit(sent, packet);
  ASSERT_TRUE(out);
  ASSERT_EQ(out->size(), sent.size());
  const std::size_t fcs = sent.size() - 4;
  const std::set<std::size_t> allowed{15, 22, 24, 25, fcs, fcs + 1, fcs + 2, fcs + 3};
  for (const std::size_t place : differences(sent, *out)) {
    EXPECT_TRUE(allowed.contains(place)) << place;
  }
  EXPECT_EQ((*out)[22], 62);
  EXPECT_EQ((*out)[15] & 3, 3);
  const wire::DecodedFrame decoded = wire::decodeFrame(*out);
  ASSERT_TRUE(decoded.ok() && decoded.icrc);
  EXPECT_TRUE(decoded.icrc->ok());
  EXPECT_TRUE(decoded.fcs->ok());
  EXPECT_TRUE(decoded.ipv4_checksum->ok());
}

TEST(Transit, KeepsTheIcrcOfEveryUntrimmedFrameRight) {
  int checked = 0;
  for (const Case& c : manyCases()) {
    if (c.packet.trimmed || !wire::decodeFrame(c.sent).roce()) continue;
    const auto out = afterTransit(c.sent, c.packet);
    const wire::DecodedFrame decoded = wire::decodeFrame(*out);
    ASSERT_TRUE(decoded.icrc);
    EXPECT_TRUE(decoded.icrc->ok());
    ++checked;
  }
  EXPECT_GT(checked, 100);
}

// RFC 1624: the incremental update equals a new computation when the checksum was right, and a
// wrong one is as wrong afterwards.
TEST(Transit, UpdatesTheChecksumAndDoesNotRepairIt) {
  RandomStream random(9, "transit");
  for (int i = 0; i < 2000; ++i) {
    Shape shape;
    shape.ttl = static_cast<std::uint8_t>(2 + random.below(254));
    shape.payload = 20;
    wire::Buffer sent = makeFrame(shape, random);
    fabric::Packet packet = afterHops(sent, 1);
    packet.ce = i % 2 != 0;
    auto out = afterTransit(sent, packet);
    const auto right = wire::decodeFrame(*out).ipv4_checksum;
    EXPECT_EQ(right->expected, right->received);

    sent[24] ^= 0x10;
    out = afterTransit(sent, packet);
    const auto wrong = wire::decodeFrame(*out);
    EXPECT_FALSE(wrong.ipv4_checksum->ok());
    EXPECT_TRUE(wrong.fcs->ok());  // switches make a new one, for any contents
  }
}

TEST(Transit, EndsWhereTheTtlDoes) {
  RandomStream random(10, "transit");
  for (const bool ipv6 : {false, true}) {
    const wire::Buffer sent = makeFrame({.ipv6 = ipv6, .ttl = 3}, random);
    EXPECT_FALSE(afterTransit(sent, afterHops(sent, 3)));
    EXPECT_FALSE(afterTransit(sent, afterHops(sent, 4)));
    const auto out = afterTransit(sent, afterHops(sent, 2));
    ASSERT_TRUE(out);
    const wire::DecodedFrame decoded = wire::decodeFrame(*out);
    EXPECT_EQ(ipv6 ? decoded.ipv6()->hop_limit : decoded.ipv4()->ttl, 1);
  }
}

TEST(Transit, IsNoneOnABareLink) {
  RandomStream random(11, "transit");
  const wire::Buffer sent = makeFrame({}, random);
  EXPECT_TRUE(unmodified(afterHops(sent, 0)));
  EXPECT_EQ(*afterTransit(sent, afterHops(sent, 0)), sent);
  EXPECT_FALSE(unmodified(afterHops(sent, 1)));
}

TEST(Transit, OfATrimmedFrameKeepsWhatAReceiverNeeds) {
  RandomStream random(12, "transit");
  for (const bool ipv6 : {false, true}) {
    const wire::Buffer sent = makeFrame({.ipv6 = ipv6, .vlan = true}, random);
    fabric::Packet packet = afterHops(sent, 1);
    packet.trimmed = true;
    packet.length = 128;
    packet.priority = 5;
    const auto out = afterTransit(sent, packet);
    ASSERT_TRUE(out);
    ASSERT_EQ(out->size(), 128U);
    const wire::DecodedFrame decoded = wire::decodeFrame(*out);
    EXPECT_TRUE(decoded.fcs->ok());
    EXPECT_EQ(decoded.vlan->pcp, 5);
    EXPECT_EQ(decoded.vlan->vid, 0xABC);
    EXPECT_TRUE(decoded.vlan->dei);
    // 128 bytes without FCS and 18 bytes of Ethernet; UDP has the original length.
    EXPECT_EQ(ipv6 ? decoded.ipv6()->payload_length + 40 : decoded.ipv4()->total_length, 106);
    EXPECT_EQ(ipv6 ? decoded.ipv6()->dscp : decoded.ipv4()->dscp, kTrimmedDscp);
    EXPECT_EQ(decoded.udp->length, wire::decodeFrame(sent).udp->length);
    EXPECT_EQ(decoded.error, wire::DecodeError::kUdpLength);  // which a receiver detects
    const std::size_t udp = decoded.offsets.udp;
    EXPECT_TRUE(std::equal(out->begin() + static_cast<std::ptrdiff_t>(udp), out->end() - 4,
                           sent.begin() + static_cast<std::ptrdiff_t>(udp)));
  }
}

}  // namespace
}  // namespace plumbline::bench
