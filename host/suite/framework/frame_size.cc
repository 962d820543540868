#include "suite/framework/frame_size.h"

#include <fmt/format.h>

#include "wire/crc.h"
#include "wire/ethernet.h"
#include "wire/ip.h"
#include "wire/roce.h"
#include "wire/udp.h"
#include "wire/uet_pds.h"
#include "wire/uet_ses.h"

namespace plumbline::suite {
namespace {

std::string labelOf(Bytes size) { return fmt::format("{} B", size.count()); }

std::size_t pdsSize(bench::Transport transport) {
  wire::Buffer header;
  if (transport == bench::Transport::kUetRudi) {
    wire::encodePds(header, wire::PdsRudi{});
  } else if (transport == bench::Transport::kUetUud) {
    wire::encodePds(header, wire::PdsUud{});
  } else {
    wire::encodePds(header, wire::PdsRequest{});
  }
  return header.size();
}

}  // namespace

Bytes frameOverhead(const bench::FrameFormat& format) {
  std::size_t bytes = wire::EthernetHeader::kSize + wire::UdpHeader::kSize + wire::kFcsSize;
  if (format.vlan_id) bytes += wire::VlanTag::kSize;
  bytes += format.ipv6 ? wire::Ipv6Header::kSize : wire::Ipv4Header::kSize;
  if (isRoce(format.transport)) bytes += wire::Bth::kSize + wire::kIcrcSize;
  if (format.transport == bench::Transport::kRoceWrite) bytes += wire::Reth::kSize;
  if (isUet(format.transport)) bytes += pdsSize(format.transport) + wire::SesStandard::kSize;
  return Bytes(static_cast<std::int64_t>(bytes));
}

SizePoint messagePoint(Bytes message, const bench::FrameFormat& format) {
  const Bytes padded((message.count() + 3) / 4 * 4);
  return {frameOverhead(format) + padded, message, labelOf(message),
          static_cast<double>(message.count())};
}

SizePoint framePoint(Bytes frame, const bench::FrameFormat& format) {
  return {frame, frame - frameOverhead(format), labelOf(frame), static_cast<double>(frame.count())};
}

}  // namespace plumbline::suite
