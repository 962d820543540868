#include "wire/template.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "wire/frame.h"

namespace plumbline::wire {
namespace {

// nullptr for plain UDP.
const RoceOpcode* opcodeOf(const StreamTemplateSpec& spec) {
  if (!spec.roce_opcode) return nullptr;
  const RoceOpcode* opcode = findRoceOpcode(*spec.roce_opcode);
  if (opcode == nullptr || !opcode->payload) {
    throw Error(ErrorKind::kUsage,
                fmt::format("RoCE opcode {:#04x} cannot carry a test tag", *spec.roce_opcode), {},
                "a SEND, WRITE or READ response opcode of RC or UC");
  }
  return opcode;
}

std::size_t ipOffset(const StreamTemplateSpec& spec) {
  return EthernetHeader::kSize + (spec.vlan_id ? VlanTag::kSize : 0);
}

std::size_t udpOffset(const StreamTemplateSpec& spec) {
  return ipOffset(spec) + (spec.ipv6 ? Ipv6Header::kSize : Ipv4Header::kSize);
}

std::size_t tagOffset(const StreamTemplateSpec& spec, const RoceOpcode* opcode) {
  return udpOffset(spec) + UdpHeader::kSize +
         (opcode != nullptr ? Bth::kSize + opcode->extensionSize() : 0);
}

// Sum of the IPv4 header without its checksum and the address word that the card counts through.
std::uint16_t checksumBase(FixedView<Ipv4Header::kSize> header, AddressModifier modifier) {
  std::array<std::uint8_t, Ipv4Header::kSize> copy{};
  std::copy(header.begin(), header.end(), copy.begin());
  store16(&copy[10], 0);
  store16(&copy[modifier == AddressModifier::kSource ? 14 : 18], 0);
  return internetSum(copy);
}

}  // namespace

std::uint32_t minimumTaggedLength(const StreamTemplateSpec& spec) {
  const RoceOpcode* opcode = opcodeOf(spec);
  // RoCE carries multiples of four, see StreamTemplate::roce_aligned; the tag is all in the
  // payload.
  constexpr std::size_t kAlignedTag = (TestTag::kSize + 3) / 4 * 4;
  const std::size_t length = tagOffset(spec, opcode) +
                             (opcode != nullptr ? kAlignedTag + kIcrcSize : TestTag::kSize) +
                             kFcsSize;
  return static_cast<std::uint32_t>(std::max(length, kMinFrameSize));
}

StreamTemplate makeStreamTemplate(const StreamTemplateSpec& spec) {
  const RoceOpcode* opcode = opcodeOf(spec);
  const std::uint32_t min = minimumTaggedLength(spec);
  if (spec.length < min || spec.length > kMaxFrameSize) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("a frame of {} bytes does not hold these headers and a test tag", spec.length),
        {}, fmt::format("{} to {} bytes", min, kMaxFrameSize));
  }
  if (opcode == nullptr &&
      (spec.destination_port == udp_port::kRoce || spec.destination_port == udp_port::kUet)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("plain UDP test frames to port {}", spec.destination_port), {},
                "a port other than those of RoCE (4791) and UET (4793)");
  }

  StreamTemplate result;
  result.l3 = static_cast<std::uint32_t>(ipOffset(spec));
  result.udp = static_cast<std::uint32_t>(udpOffset(spec));
  result.tag_off = static_cast<std::uint32_t>(tagOffset(spec, opcode));
  result.pay_off = result.tag_off + static_cast<std::uint32_t>(TestTag::kSize);
  result.icrc = opcode != nullptr;

  FrameSpec frame;
  frame.destination = spec.destination_mac;
  frame.source = spec.source_mac;
  if (spec.vlan_id) frame.vlan = VlanTag{.pcp = spec.priority, .vid = *spec.vlan_id};
  if (spec.ipv6) {
    frame.network = Ipv6Header{.dscp = spec.dscp,
                               .ecn = spec.ecn,
                               .source = spec.source_ipv6,
                               .destination = spec.destination_ipv6};
  } else {
    frame.network = Ipv4Header{.dscp = spec.dscp,
                               .ecn = spec.ecn,
                               .source = spec.source_ipv4,
                               .destination = spec.destination_ipv4};
  }
  frame.udp =
      UdpHeader{.source_port = spec.source_port,
                .destination_port = opcode != nullptr ? udp_port::kRoce : spec.destination_port};

  const std::size_t check_size = kFcsSize + (result.icrc ? kIcrcSize : 0);
  const std::size_t room = spec.length - result.tag_off - check_size;
  if (result.icrc) result.pad_count = static_cast<std::uint8_t>(room % 4);
  result.roce_aligned = result.pad_count == 0;
  frame.pad_count = result.pad_count;
  Buffer payload(room - result.pad_count, 0);
  for (std::size_t i = TestTag::kSize; i < payload.size(); ++i) {
    payload[i] = static_cast<std::uint8_t>(i - TestTag::kSize);
  }
  frame.payload = payload;
  if (opcode != nullptr) {
    RoceLayer roce;
    roce.bth.opcode = opcode->code;
    roce.bth.dest_qp = spec.dest_qp;
    roce.bth.psn = spec.psn;
    if (opcode->reth) {
      roce.reth = Reth{spec.virtual_address, spec.rkey, static_cast<std::uint32_t>(payload.size())};
    }
    if (opcode->aeth) roce.aeth = Aeth{};
    if (opcode->immediate) roce.immediate = ImmDt{};
    if (opcode->ieth) roce.ieth = Ieth{};
    frame.transport = roce;
  }

  const Buffer bytes = encodeFrame(frame);
  std::copy_n(bytes.begin(), std::min(kTemplateSize, bytes.size() - check_size),
              result.bytes.begin());
  if (!spec.ipv6 && spec.address_modifier != AddressModifier::kNone) {
    const ByteView header = ByteView(bytes).subspan(result.l3, Ipv4Header::kSize);
    result.csum_base = checksumBase(header.first<Ipv4Header::kSize>(), spec.address_modifier);
  }
  return result;
}

}  // namespace plumbline::wire
