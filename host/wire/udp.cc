#include "wire/udp.h"

namespace plumbline::wire {

void UdpHeader::encode(FixedSpan<kSize> out) const {
  store16(out.data(), source_port);
  store16(&out[2], destination_port);
  store16(&out[4], length);
  store16(&out[6], checksum);
}

UdpHeader UdpHeader::decode(FixedView<kSize> in) {
  return {load16(in.data()), load16(&in[2]), load16(&in[4]), load16(&in[6])};
}

std::uint16_t udpChecksum(ByteView addresses, ByteView datagram) {
  // The pseudo header's other words are the length and the protocol, for both IP versions.
  const std::uint32_t start = static_cast<std::uint32_t>(datagram.size()) + ip_protocol::kUdp;
  std::uint32_t sum = internetSum(addresses, start);
  sum = internetSum(datagram.first(6), sum);
  sum = internetSum(datagram.subspan(UdpHeader::kSize), sum);
  const auto checksum = static_cast<std::uint16_t>(~sum);
  return checksum == 0 ? 0xFFFF : checksum;
}

}  // namespace plumbline::wire
