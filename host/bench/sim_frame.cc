#include "bench/sim_frame.h"

#include "transport/roce_packet.h"
#include "wire/addresses.h"
#include "wire/frame.h"

namespace plumbline::bench {
namespace {

constexpr std::uint8_t kTtl = 64;
constexpr std::uint8_t kCodeMask = 0x3F;  // of Packet::opcode: the code within the protocol
constexpr std::uint16_t kVlan = 1;

// There are more hosts than networks of the tester's addresses: every further 512 hosts are the
// next addresses of the same networks.
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

}  // namespace

wire::Buffer frameOf(const fabric::Packet& packet, const transport::RoceSpec& spec) {
  const wire::RoceOpcode* opcode =
      wire::findRoceOpcode(transport::bthOpcode(packet.opcode & kCodeMask));
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
  frame.transport = layer;
  frame.payload = payload;
  return wire::encodeFrame(frame);
}

}  // namespace plumbline::bench
