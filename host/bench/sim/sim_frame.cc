#include "bench/sim/sim_frame.h"

#include "transport/roce/roce_packet.h"
#include "wire/addresses.h"
#include "wire/frame.h"

namespace plumbline::bench {
namespace {

constexpr std::uint8_t kTtl = 64;
constexpr std::uint8_t kCodeMask = 0x3F;  // of Packet::opcode: the code within the protocol
constexpr std::uint16_t kVlan = 1;

// The tester's address plan has fewer networks than hosts: every further 512 hosts are the next
// addresses of the same networks.
wire::Ipv4Address ipv4Of(fabric::HostId host) {
  wire::Ipv4Address address = wire::hostIpv4(host % wire::kMaxHosts);
  address.octets[3] = static_cast<std::uint8_t>(address.octets[3] + host / wire::kMaxHosts);
  return address;
}

wire::Ipv6Address ipv6Of(fabric::HostId host) {
  wire::Ipv6Address address = wire::hostIpv6(host % wire::kMaxHosts);
  address.octets[15] = static_cast<std::uint8_t>(address.octets[15] + host / wire::kMaxHosts);
  return address;
}

// Ethernet, IP and UDP of a packet between RoCE endpoints.
wire::FrameSpec headersOf(const fabric::Packet& packet, const transport::RoceSpec& spec) {
  const auto dscp = static_cast<std::uint8_t>(packet.priority << 3);
  const wire::Ecn ecn =
      packet.ce ? wire::Ecn::kCe : (packet.ect ? wire::Ecn::kEct0 : wire::Ecn::kNotEct);
  const auto ttl = static_cast<std::uint8_t>(kTtl - packet.hops);
  wire::FrameSpec frame;
  frame.destination = wire::hostMac(packet.destination);
  frame.source = wire::hostMac(packet.source);
  if (spec.vlan) {
    frame.vlan = wire::VlanTag{.pcp = static_cast<std::uint8_t>(packet.priority), .vid = kVlan};
  }
  if (spec.ipv6) {
    frame.network = wire::Ipv6Header{.dscp = dscp,
                                     .ecn = ecn,
                                     .hop_limit = ttl,
                                     .source = ipv6Of(packet.source),
                                     .destination = ipv6Of(packet.destination)};
  } else {
    frame.network = wire::Ipv4Header{.dscp = dscp,
                                     .ecn = ecn,
                                     .ttl = ttl,
                                     .source = ipv4Of(packet.source),
                                     .destination = ipv4Of(packet.destination)};
  }
  frame.udp = wire::UdpHeader{
      .source_port = static_cast<std::uint16_t>(transport::kFirstSourcePort |
                                                (packet.flow_hash & (transport::kSourcePorts - 1))),
      .destination_port = wire::udp_port::kRoce};
  return frame;
}

// A message of the connection manager: its BTH, and zeros for DETH, MAD and ICRC.
wire::Buffer connectionFrame(const fabric::Packet& packet, const transport::RoceSpec& spec) {
  constexpr std::size_t kDethMadIcrc = 8 + 256 + 4;
  wire::Bth bth;
  bth.opcode = transport::bthOpcode(packet.opcode & kCodeMask);
  bth.dest_qp = 1;  // the general services interface
  wire::Buffer payload(wire::Bth::kSize + kDethMadIcrc);
  bth.encode(wire::FixedSpan<wire::Bth::kSize>(payload.data(), wire::Bth::kSize));
  wire::FrameSpec frame = headersOf(packet, spec);
  frame.payload = payload;
  return wire::encodeFrame(frame);
}

}  // namespace

wire::Buffer frameOf(const fabric::Packet& packet, const transport::RoceSpec& spec) {
  const std::uint8_t code = packet.opcode & kCodeMask;
  const bool connection = transport::meaningOf(code).kind == transport::RoceKind::kConnection;
  if (connection) return connectionFrame(packet, spec);
  const wire::RoceOpcode* opcode = wire::findRoceOpcode(transport::bthOpcode(code));
  wire::RoceLayer layer;
  layer.bth.opcode = opcode->code;
  layer.bth.dest_qp = packet.connection;
  layer.bth.psn = packet.psn & transport::kPsnMask;
  if (opcode->reth) layer.reth.emplace();
  if (opcode->aeth) layer.aeth.emplace();
  if (opcode->immediate) layer.immediate = wire::ImmDt{packet.aux};
  if (opcode->ieth) layer.ieth.emplace();
  const wire::Buffer payload(opcode->payload ? transport::DataInfo::unpack(packet.extra).payload
                                             : 0);

  wire::FrameSpec frame = headersOf(packet, spec);
  frame.transport = layer;
  frame.payload = payload;
  return wire::encodeFrame(frame);
}

}  // namespace plumbline::bench
