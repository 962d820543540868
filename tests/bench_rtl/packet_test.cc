#include "bench/card/packet.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "transport/protocol.h"
#include "wire/addresses.h"
#include "wire/template.h"

namespace plumbline::bench {
namespace {

wire::StreamTemplateSpec someFrame() {
  wire::StreamTemplateSpec spec;
  spec.destination_mac = wire::hostMac(1);
  spec.source_mac = wire::hostMac(0);
  spec.source_ipv4 = wire::hostIpv4(0);
  spec.destination_ipv4 = wire::hostIpv4(1);
  spec.source_ipv6 = wire::hostIpv6(0);
  spec.destination_ipv6 = wire::hostIpv6(1);
  spec.dscp = 26;
  spec.ecn = wire::Ecn::kEct0;
  spec.roce_opcode = wire::roce_opcode::kRcWriteOnly;
  spec.length = 200;
  return spec;
}

fabric::Packet packet(const wire::StreamTemplateSpec& spec) {
  const wire::StreamTemplate made = wire::makeStreamTemplate(spec);
  const wire::ByteView bytes = wire::ByteView(made.bytes).first(spec.length);
  return packetOf(wire::decodeFrame(bytes), 1);
}

TEST(PacketOf, CarriesWhatSwitchesLookAt) {
  const fabric::Packet untagged = packet(someFrame());
  EXPECT_EQ(untagged.length, 200U);
  EXPECT_EQ(untagged.destination, 1U);
  EXPECT_EQ(untagged.priority, 3);  // of DSCP 26
  EXPECT_TRUE(untagged.ect);
  EXPECT_FALSE(untagged.ce);

  wire::StreamTemplateSpec spec = someFrame();
  spec.vlan_id = 5;
  spec.priority = 6;
  spec.ecn = wire::Ecn::kCe;
  EXPECT_EQ(packet(spec).priority, 6);
  EXPECT_TRUE(packet(spec).ce);
  EXPECT_FALSE(packet(spec).ect);
  spec.ecn = wire::Ecn::kNotEct;
  EXPECT_FALSE(packet(spec).ect || packet(spec).ce);
}

TEST(PacketOf, TellsTrimmableFramesAndTheirConnection) {
  wire::StreamTemplateSpec spec = someFrame();
  spec.dest_qp = 0xABCDEF;
  spec.psn = 0x123456;
  EXPECT_EQ(packet(spec).connection, 0xABCDEFU);
  EXPECT_EQ(packet(spec).psn, 0x123456U);
  for (const bool ipv6 : {false, true}) {
    spec.ipv6 = ipv6;
    for (const std::uint8_t dscp : {0, 24, 26, 27, 48}) {
      spec.dscp = dscp;
      EXPECT_EQ(packet(spec).trimmable, dscp == 26) << int{dscp};
    }
  }
  spec.roce_opcode.reset();
  EXPECT_EQ(packet(spec).connection, 0U);
  EXPECT_EQ(packet(spec).psn, 0U);
}

// No protocol of simulated hosts accepts the card's frames.
TEST(PacketOf, BelongsToNoProtocol) {
  const auto protocol = transport::protocolOf(packet(someFrame()).opcode);
  EXPECT_NE(protocol, transport::ProtocolId::kStream);
  EXPECT_NE(protocol, transport::ProtocolId::kRoce);
  EXPECT_NE(protocol, transport::ProtocolId::kUet);
}

TEST(PriorityOf, AStreamIsThatOfItsFrames) {
  for (const bool tagged : {false, true}) {
    FrameFormat format;
    format.priority = 6;
    format.dscp = 46;
    if (tagged) format.vlan_id = 9;
    wire::StreamTemplateSpec spec = someFrame();
    spec.dscp = format.dscp;
    spec.priority = format.priority;
    spec.vlan_id = format.vlan_id;
    EXPECT_EQ(priorityOf(format), packet(spec).priority) << tagged;
  }
}

TEST(FlowHash, DependsOnTheFiveTupleOnly) {
  for (const bool ipv6 : {false, true}) {
    wire::StreamTemplateSpec base = someFrame();
    base.ipv6 = ipv6;
    const std::uint64_t hash = packet(base).flow_hash;
    wire::StreamTemplateSpec same = base;
    same.psn = 77;
    same.dest_qp = 99;
    same.dscp = 0;
    same.length = 220;
    same.vlan_id = 3;
    EXPECT_EQ(packet(same).flow_hash, hash);
    wire::StreamTemplateSpec other = base;
    other.source_port += 1;
    EXPECT_NE(packet(other).flow_hash, hash);
    other = base;
    other.source_ipv4 = wire::hostIpv4(2);
    other.source_ipv6 = wire::hostIpv6(2);
    EXPECT_NE(packet(other).flow_hash, hash);
    other = base;
    other.destination_ipv4 = wire::hostIpv4(2);
    other.destination_ipv6 = wire::hostIpv6(2);
    EXPECT_NE(packet(other).flow_hash, hash);
    // Direction matters: source and destination are not interchangeable.
    other = base;
    std::swap(other.source_ipv4, other.destination_ipv4);
    std::swap(other.source_ipv6, other.destination_ipv6);
    EXPECT_NE(packet(other).flow_hash, hash);
  }
}

// ECMP takes the hash modulo a small number: neighbouring source ports must spread.
TEST(FlowHash, SpreadsNeighbouringPorts) {
  for (const std::uint64_t paths : {2U, 3U, 4U, 16U}) {
    std::vector<int> counts(paths);
    wire::StreamTemplateSpec spec = someFrame();
    for (int i = 0; i < 1600; ++i, ++spec.source_port) ++counts[packet(spec).flow_hash % paths];
    for (const int count : counts) {
      EXPECT_NEAR(count, 1600.0 / static_cast<double>(paths), 160) << paths;
    }
  }
}

}  // namespace
}  // namespace plumbline::bench
