// Frames of simulated hosts as a port of the tester gets them.
#include "bench/sim/sim_frame.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "bench/sim/sim_hosts.h"
#include "transport/roce/roce_packet.h"
#include "wire/addresses.h"
#include "wire/frame.h"

namespace plumbline::bench {
namespace {

// Packets of host 2 to host 1, a port of the tester: messages of one, two and many packets.
std::vector<fabric::Packet> packetsOf(const transport::RoceSpec& roce, transport::Verb verb) {
  TrialSpec spec;
  spec.dut.topology.hosts = 3;
  fabric::EcnSpec ecn;
  ecn.kmin = Bytes(0);
  ecn.kmax = Bytes(0);
  spec.dut.switches.ecn = {ecn};
  spec.transport = roce;
  spec.workload.emplace();
  for (const std::uint64_t bytes : {1U, 3U, 700U, 1024U, 1500U, 5003U}) {
    workload::JobSpec job;
    job.name = std::to_string(bytes);
    job.verb = verb;
    job.placement.rule = workload::PlacementRule::kExplicit;
    job.placement.hosts = {1, 2};
    workload::MessageProgram messages;
    messages.pattern = workload::Pattern::kIncast;
    messages.bytes = bytes;
    messages.messages = 1;
    job.program = messages;
    spec.workload->jobs.push_back(job);
  }
  fabric::Fabric fabric(spec.dut);
  std::vector<fabric::Packet> packets;
  fabric.onDeliver([&](fabric::HostId, const fabric::Packet& packet, Picoseconds) {
    packets.push_back(packet);
  });
  const SimHosts hosts(spec, fabric, {0, 1});
  fabric.runUntil(microseconds(50));
  return packets;
}

TEST(SimFrame, IsAsLongAndAsRightAsItsPacket) {
  std::set<std::uint8_t> opcodes;
  for (const bool ipv6 : {false, true}) {
    for (const bool vlan : {false, true}) {
      for (const auto verb :
           {transport::Verb::kWrite, transport::Verb::kWriteImmediate, transport::Verb::kSend}) {
        transport::RoceSpec roce;
        roce.service = transport::RoceService::kUc;
        roce.path_mtu = 1024;
        roce.ipv6 = ipv6;
        roce.vlan = vlan;
        const std::vector<fabric::Packet> packets = packetsOf(roce, verb);
        ASSERT_EQ(packets.size(), 4U + 2 + 5);
        bool marked = false;
        for (const fabric::Packet& packet : packets) {
          const wire::Buffer frame = frameOf(packet, roce);
          EXPECT_EQ(frame.size(), packet.length);
          const wire::DecodedFrame decoded = wire::decodeFrame(frame);
          ASSERT_TRUE(decoded.ok());
          ASSERT_TRUE(decoded.roce() != nullptr && decoded.icrc);
          EXPECT_TRUE(decoded.icrc->ok() && decoded.fcs->ok());
          EXPECT_EQ(decoded.roce()->bth.dest_qp, packet.connection);
          EXPECT_EQ(decoded.roce()->bth.psn, packet.psn);
          EXPECT_EQ(decoded.ethernet.source, wire::hostMac(2));
          EXPECT_EQ(decoded.ethernet.destination, wire::hostMac(1));
          EXPECT_EQ(decoded.vlan.has_value(), vlan);
          const auto ecn = ipv6 ? decoded.ipv6()->ecn : decoded.ipv4()->ecn;
          EXPECT_EQ(ecn, packet.ce ? wire::Ecn::kCe : wire::Ecn::kEct0);
          EXPECT_EQ(ipv6 ? decoded.ipv6()->hop_limit : decoded.ipv4()->ttl, 63);
          EXPECT_FALSE(decoded.tag);
          marked |= packet.ce;
          opcodes.insert(decoded.roce()->bth.opcode);
        }
        EXPECT_TRUE(marked);
      }
    }
  }
  // UC SEND and WRITE in all positions; immediate data in the last or only packet of a message.
  EXPECT_EQ(opcodes,
            (std::set<std::uint8_t>{0x20, 0x21, 0x22, 0x24, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x2B}));
}

// UD SEND Only to the QP 1 of the other host: headers and length are right.
TEST(SimFrame, HasConnectionManagement) {
  for (const bool ipv6 : {false, true}) {
    transport::RoceSpec roce;
    roce.ipv6 = ipv6;
    fabric::Packet packet;
    packet.source = 2;
    packet.destination = 1;
    packet.opcode =
        transport::opcodeOf(transport::ProtocolId::kRoce, transport::roce_code::kConnectRequest);
    packet.length = transport::RoceFrames(roce).bytes(transport::roce_code::kConnectRequest, 0);
    const wire::Buffer frame = frameOf(packet, roce);
    ASSERT_EQ(frame.size(), packet.length);
    const std::size_t bth = 14 + (ipv6 ? 40U : 20U) + 8;
    EXPECT_EQ(frame[bth], 0x64);
    EXPECT_EQ(frame[bth + 7], 1);
    // The tester's codec does not support UD, but everything before it.
    EXPECT_EQ(wire::decodeFrame(frame).error, wire::DecodeError::kRoceOpcode);
  }
}

TEST(SimFrame, HasAnAddressForEveryHost) {
  std::set<wire::Ipv4Address> addresses;
  fabric::Packet packet;
  packet.opcode = transport::opcodeOf(transport::ProtocolId::kRoce, 0x24);
  packet.extra = 100;
  for (std::uint32_t host = 0; host < fabric::kMaxHosts; ++host) {
    packet.source = static_cast<std::uint16_t>(host);
    const wire::Buffer frame = frameOf(packet, {});
    addresses.insert(wire::decodeFrame(frame).ipv4()->source);
  }
  EXPECT_EQ(addresses.size(), fabric::kMaxHosts);
}

}  // namespace
}  // namespace plumbline::bench
