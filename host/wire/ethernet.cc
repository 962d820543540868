#include "wire/ethernet.h"

#include <fmt/format.h>

#include <algorithm>

namespace plumbline::wire {

std::string MacAddress::toString() const {
  return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", octets[0], octets[1], octets[2],
                     octets[3], octets[4], octets[5]);
}

void EthernetHeader::encode(FixedSpan<kSize> out) const {
  std::copy(destination.octets.begin(), destination.octets.end(), out.begin());
  std::copy(source.octets.begin(), source.octets.end(), out.begin() + 6);
  store16(&out[12], ether_type);
}

EthernetHeader EthernetHeader::decode(FixedView<kSize> in) {
  EthernetHeader header;
  std::copy_n(in.begin(), 6, header.destination.octets.begin());
  std::copy_n(in.begin() + 6, 6, header.source.octets.begin());
  header.ether_type = load16(&in[12]);
  return header;
}

void VlanTag::encode(FixedSpan<kSize> out) const {
  store16(out.data(),
          static_cast<std::uint16_t>((pcp & 7U) << 13 | (dei ? 1U : 0U) << 12 | (vid & 0xFFFU)));
  store16(&out[2], ether_type);
}

VlanTag VlanTag::decode(FixedView<kSize> in) {
  const std::uint16_t tci = load16(in.data());
  VlanTag tag;
  tag.pcp = static_cast<std::uint8_t>(tci >> 13);
  tag.dei = (tci & 0x1000U) != 0;
  tag.vid = tci & 0xFFFU;
  tag.ether_type = load16(&in[2]);
  return tag;
}

}  // namespace plumbline::wire
