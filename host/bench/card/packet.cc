#include "bench/card/packet.h"

#include <string_view>

#include "base/random.h"

namespace plumbline::bench {
namespace {

std::uint64_t hashOf(wire::ByteView bytes) {
  return hash64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

std::uint64_t flowHash(const wire::DecodedFrame& frame) {
  std::uint64_t hash = 0;
  if (const auto* ip = frame.ipv4()) {
    hash = hashOf(ip->source.octets) ^ mix64(hashOf(ip->destination.octets) + ip->protocol);
  } else if (const auto* ip6 = frame.ipv6()) {
    hash = hashOf(ip6->source.octets) ^ mix64(hashOf(ip6->destination.octets) + ip6->next_header);
  } else {
    return hashOf(frame.ethernet.source.octets) ^ mix64(hashOf(frame.ethernet.destination.octets));
  }
  if (frame.udp) {
    hash ^= mix64(static_cast<std::uint64_t>(frame.udp->source_port) << 16 |
                  frame.udp->destination_port);
  }
  return mix64(hash);
}

std::uint8_t priorityOf(const wire::DecodedFrame& frame) {
  if (frame.vlan) return frame.vlan->pcp;
  if (const auto* ip = frame.ipv4()) return ip->dscp >> 3;
  if (const auto* ip6 = frame.ipv6()) return ip6->dscp >> 3;
  return 0;
}

std::uint8_t priorityOf(const FrameFormat& format) {
  return format.vlan_id ? format.priority : format.dscp >> 3;
}

fabric::Packet packetOf(const wire::DecodedFrame& frame, fabric::HostId destination) {
  fabric::Packet packet;
  packet.flow_hash = static_cast<std::uint32_t>(flowHash(frame) >> 32);
  packet.length = static_cast<std::uint16_t>(frame.bytes.size());
  packet.destination = static_cast<std::uint16_t>(destination);
  packet.priority = priorityOf(frame) & 7U;
  packet.opcode = kCardFrameOpcode;
  const auto readIp = [&packet](const auto& ip) {
    packet.ect = ip.ecn == wire::Ecn::kEct0 || ip.ecn == wire::Ecn::kEct1;
    packet.ce = ip.ecn == wire::Ecn::kCe;
    packet.trimmable = ip.dscp == kTrimmableDscp;
  };
  if (const auto* ip = frame.ipv4()) readIp(*ip);
  if (const auto* ip = frame.ipv6()) readIp(*ip);
  if (const auto* roce = frame.roce()) {
    packet.connection = roce->bth.dest_qp & 0xFFFFFFU;
    packet.psn = roce->bth.psn;
  }
  return packet;
}

}  // namespace plumbline::bench
