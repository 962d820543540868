#include "bench/card/transit.h"

#include <algorithm>

#include "wire/crc.h"
#include "wire/ethernet.h"
#include "wire/ip.h"

namespace plumbline::bench {
namespace {

// Places in a frame.
constexpr std::size_t kTypeAt = 12;
constexpr std::size_t kTciAt = 14;
constexpr std::size_t kInnerTypeAt = 16;
constexpr std::size_t kUntaggedNetwork = 14;
constexpr std::size_t kTaggedNetwork = 18;
// Places in an IPv4 and an IPv6 header.
constexpr std::size_t kTosAt = 1;
constexpr std::size_t kTotalLengthAt = 2;
constexpr std::size_t kTtlAt = 8;
constexpr std::size_t kChecksumAt = 10;
constexpr std::size_t kPayloadLengthAt = 4;
constexpr std::size_t kHopLimitAt = 7;

constexpr std::uint8_t kPcpMask = 0xE0;
constexpr unsigned kPcpShift = 5;
constexpr std::uint8_t kEcnMask = 0x03;
constexpr unsigned kDscpShift = 2;
// The traffic class of IPv6 begins in the middle of its first byte.
constexpr unsigned kClassShift = 4;
constexpr std::uint16_t kClassMask = 0x0FF0;

// ToS or traffic class after the switches.
std::uint8_t newClass(std::uint8_t old, const fabric::Packet& packet) {
  std::uint8_t value = old;
  if (packet.trimmed) {
    value = static_cast<std::uint8_t>(kTrimmedDscp << kDscpShift | (value & kEcnMask));
  }
  if (packet.ce) value |= kEcnMask;
  return value;
}

// An IPv4 header of which words are replaced; each replacement updates the checksum.
class Ipv4Patch {
 public:
  explicit Ipv4Patch(std::uint8_t* header) : header_(header) {}

  void replace(std::size_t at, std::uint16_t word) {
    std::uint8_t* checksum = header_ + kChecksumAt;
    std::uint32_t sum = static_cast<std::uint16_t>(~wire::load16(checksum));
    sum += static_cast<std::uint16_t>(~wire::load16(header_ + at));
    sum += word;
    while (sum > 0xFFFF) sum = (sum & 0xFFFF) + (sum >> 16);
    wire::store16(checksum, static_cast<std::uint16_t>(~sum));
    wire::store16(header_ + at, word);
  }

 private:
  std::uint8_t* header_;
};

// `room`: bytes of the frame from the header on, without FCS. False when the TTL does not last.
bool patchIpv4(std::uint8_t* header, std::size_t room, const fabric::Packet& packet) {
  const std::uint8_t ttl = header[kTtlAt];
  if (ttl <= packet.hops) return false;
  Ipv4Patch patch(header);
  patch.replace(kTtlAt, static_cast<std::uint16_t>((ttl - packet.hops) << 8 | header[kTtlAt + 1]));
  const std::uint8_t tos = newClass(header[kTosAt], packet);
  if (tos != header[kTosAt]) {
    patch.replace(kTosAt - 1, static_cast<std::uint16_t>(header[kTosAt - 1] << 8 | tos));
  }
  if (packet.trimmed && wire::load16(header + kTotalLengthAt) > room) {
    patch.replace(kTotalLengthAt, static_cast<std::uint16_t>(room));
  }
  return true;
}

bool patchIpv6(std::uint8_t* header, std::size_t room, const fabric::Packet& packet) {
  const std::uint8_t limit = header[kHopLimitAt];
  if (limit <= packet.hops) return false;
  header[kHopLimitAt] = static_cast<std::uint8_t>(limit - packet.hops);
  const std::uint16_t first = wire::load16(header);
  const auto old_class = static_cast<std::uint8_t>((first & kClassMask) >> kClassShift);
  wire::store16(header, static_cast<std::uint16_t>((first & ~kClassMask) |
                                                   newClass(old_class, packet) << kClassShift));
  const std::size_t payload_room = room - wire::Ipv6Header::kSize;
  if (packet.trimmed && wire::load16(header + kPayloadLengthAt) > payload_room) {
    wire::store16(header + kPayloadLengthAt, static_cast<std::uint16_t>(payload_room));
  }
  return true;
}

}  // namespace

std::optional<wire::Buffer> afterTransit(wire::ByteView sent, const fabric::Packet& packet) {
  wire::Buffer frame(sent.begin(), sent.end());
  if (unmodified(packet) || frame.size() < wire::kMinFrameSize) return frame;
  if (packet.trimmed) {
    frame.resize(std::clamp<std::size_t>(packet.length, wire::kMinFrameSize, frame.size()));
  }
  frame.resize(frame.size() - wire::kFcsSize);
  std::size_t network = kUntaggedNetwork;
  std::uint16_t type = wire::load16(&frame[kTypeAt]);
  if (type == wire::ether_type::kVlan) {
    frame[kTciAt] =
        static_cast<std::uint8_t>((frame[kTciAt] & ~kPcpMask) | packet.priority << kPcpShift);
    network = kTaggedNetwork;
    type = wire::load16(&frame[kInnerTypeAt]);
  }
  const std::size_t room = frame.size() - network;
  bool lasted = true;
  if (type == wire::ether_type::kIpv4) {
    lasted = patchIpv4(&frame[network], room, packet);
  } else if (type == wire::ether_type::kIpv6) {
    lasted = patchIpv6(&frame[network], room, packet);
  }
  if (!lasted) return std::nullopt;
  wire::appendFcs(frame);
  return frame;
}

}  // namespace plumbline::bench
