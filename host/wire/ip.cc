#include "wire/ip.h"

#include <fmt/format.h>

#include <algorithm>

namespace plumbline::wire {
namespace {

constexpr std::size_t kChecksumOffset = 10;

}  // namespace

std::string Ipv4Address::toString() const {
  return fmt::format("{}.{}.{}.{}", octets[0], octets[1], octets[2], octets[3]);
}

std::string Ipv6Address::toString() const {
  std::array<std::uint16_t, 8> groups{};
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = load16(&octets[2 * i]);
  // The first longest run of at least two zero groups is written as "::".
  std::size_t best = groups.size();
  std::size_t best_length = 1;
  for (std::size_t i = 0; i < groups.size();) {
    std::size_t end = i;
    while (end < groups.size() && groups[end] == 0) ++end;
    if (end - i > best_length) {
      best = i;
      best_length = end - i;
    }
    i = end + 1;
  }
  std::string text;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i == best) {
      text += "::";
      i += best_length - 1;
      continue;
    }
    if (!text.empty() && text.back() != ':') text += ':';
    text += fmt::format("{:x}", groups[i]);
  }
  return text;
}

void Ipv4Header::encode(FixedSpan<kSize> out) const {
  out[0] = static_cast<std::uint8_t>(0x40U | (ihl & 0xFU));
  out[1] = static_cast<std::uint8_t>(dscp << 2 | static_cast<unsigned>(ecn));
  store16(&out[2], total_length);
  store16(&out[4], identification);
  store16(&out[6], static_cast<std::uint16_t>((dont_fragment ? 0x4000U : 0U) |
                                              (more_fragments ? 0x2000U : 0U) |
                                              (fragment_offset & 0x1FFFU)));
  out[8] = ttl;
  out[9] = protocol;
  store16(&out[kChecksumOffset], checksum);
  std::copy(source.octets.begin(), source.octets.end(), out.begin() + 12);
  std::copy(destination.octets.begin(), destination.octets.end(), out.begin() + 16);
}

Ipv4Header Ipv4Header::decode(FixedView<kSize> in) {
  Ipv4Header header;
  header.ihl = in[0] & 0xFU;
  header.dscp = in[1] >> 2;
  header.ecn = static_cast<Ecn>(in[1] & 3U);
  header.total_length = load16(&in[2]);
  header.identification = load16(&in[4]);
  const std::uint16_t fragment = load16(&in[6]);
  header.dont_fragment = (fragment & 0x4000U) != 0;
  header.more_fragments = (fragment & 0x2000U) != 0;
  header.fragment_offset = fragment & 0x1FFFU;
  header.ttl = in[8];
  header.protocol = in[9];
  header.checksum = load16(&in[kChecksumOffset]);
  std::copy_n(in.begin() + 12, 4, header.source.octets.begin());
  std::copy_n(in.begin() + 16, 4, header.destination.octets.begin());
  return header;
}

void Ipv6Header::encode(FixedSpan<kSize> out) const {
  const std::uint32_t traffic_class =
      static_cast<std::uint32_t>(dscp & 0x3FU) << 2 | static_cast<std::uint32_t>(ecn);
  store32(out.data(), 6U << 28 | traffic_class << 20 | (flow_label & 0xFFFFFU));
  store16(&out[4], payload_length);
  out[6] = next_header;
  out[7] = hop_limit;
  std::copy(source.octets.begin(), source.octets.end(), out.begin() + 8);
  std::copy(destination.octets.begin(), destination.octets.end(), out.begin() + 24);
}

Ipv6Header Ipv6Header::decode(FixedView<kSize> in) {
  const std::uint32_t first = load32(in.data());
  Ipv6Header header;
  header.dscp = static_cast<std::uint8_t>((first >> 22) & 0x3FU);
  header.ecn = static_cast<Ecn>((first >> 20) & 3U);
  header.flow_label = first & 0xFFFFFU;
  header.payload_length = load16(&in[4]);
  header.next_header = in[6];
  header.hop_limit = in[7];
  std::copy_n(in.begin() + 8, 16, header.source.octets.begin());
  std::copy_n(in.begin() + 24, 16, header.destination.octets.begin());
  return header;
}

std::uint16_t internetSum(ByteView bytes, std::uint32_t sum) {
  std::uint64_t total = sum;
  std::size_t i = 0;
  for (; i + 1 < bytes.size(); i += 2) total += load16(&bytes[i]);
  if (i < bytes.size()) total += static_cast<std::uint32_t>(bytes[i]) << 8;
  while ((total >> 16) != 0) total = (total & 0xFFFFU) + (total >> 16);
  return static_cast<std::uint16_t>(total);
}

std::uint16_t ipv4Checksum(FixedView<Ipv4Header::kSize> header) {
  const std::uint16_t before = internetSum(header.first<kChecksumOffset>());
  return static_cast<std::uint16_t>(~internetSum(header.subspan<kChecksumOffset + 2>(), before));
}

}  // namespace plumbline::wire
