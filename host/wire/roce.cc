#include "wire/roce.h"

#include <algorithm>
#include <array>

#include "wire/crc.h"
#include "wire/ip.h"
#include "wire/udp.h"

namespace plumbline::wire {
namespace {

using enum RoceTransport;

// code, transport, name, RETH, AETH, ImmDt, IETH, payload
constexpr auto kOpcodes = std::to_array<RoceOpcode>({
    {0x00, kRc, "RC SEND First", false, false, false, false, true},
    {0x01, kRc, "RC SEND Middle", false, false, false, false, true},
    {0x02, kRc, "RC SEND Last", false, false, false, false, true},
    {0x03, kRc, "RC SEND Last with Immediate", false, false, true, false, true},
    {0x04, kRc, "RC SEND Only", false, false, false, false, true},
    {0x05, kRc, "RC SEND Only with Immediate", false, false, true, false, true},
    {0x06, kRc, "RC RDMA WRITE First", true, false, false, false, true},
    {0x07, kRc, "RC RDMA WRITE Middle", false, false, false, false, true},
    {0x08, kRc, "RC RDMA WRITE Last", false, false, false, false, true},
    {0x09, kRc, "RC RDMA WRITE Last with Immediate", false, false, true, false, true},
    {0x0A, kRc, "RC RDMA WRITE Only", true, false, false, false, true},
    {0x0B, kRc, "RC RDMA WRITE Only with Immediate", true, false, true, false, true},
    {0x0C, kRc, "RC RDMA READ Request", true, false, false, false, false},
    {0x0D, kRc, "RC RDMA READ Response First", false, true, false, false, true},
    {0x0E, kRc, "RC RDMA READ Response Middle", false, false, false, false, true},
    {0x0F, kRc, "RC RDMA READ Response Last", false, true, false, false, true},
    {0x10, kRc, "RC RDMA READ Response Only", false, true, false, false, true},
    {0x11, kRc, "RC Acknowledge", false, true, false, false, false},
    {0x16, kRc, "RC SEND Last with Invalidate", false, false, false, true, true},
    {0x17, kRc, "RC SEND Only with Invalidate", false, false, false, true, true},
    {0x20, kUc, "UC SEND First", false, false, false, false, true},
    {0x21, kUc, "UC SEND Middle", false, false, false, false, true},
    {0x22, kUc, "UC SEND Last", false, false, false, false, true},
    {0x23, kUc, "UC SEND Last with Immediate", false, false, true, false, true},
    {0x24, kUc, "UC SEND Only", false, false, false, false, true},
    {0x25, kUc, "UC SEND Only with Immediate", false, false, true, false, true},
    {0x26, kUc, "UC RDMA WRITE First", true, false, false, false, true},
    {0x27, kUc, "UC RDMA WRITE Middle", false, false, false, false, true},
    {0x28, kUc, "UC RDMA WRITE Last", false, false, false, false, true},
    {0x29, kUc, "UC RDMA WRITE Last with Immediate", false, false, true, false, true},
    {0x2A, kUc, "UC RDMA WRITE Only", true, false, false, false, true},
    {0x2B, kUc, "UC RDMA WRITE Only with Immediate", true, false, true, false, true},
    {0x81, kCnp, "CNP", false, false, false, false, false},
});

// Bytes of an invariant CRC in place of the InfiniBand local route header.
constexpr std::array<std::uint8_t, 8> kLrhPlaceholder = {0xFF, 0xFF, 0xFF, 0xFF,
                                                         0xFF, 0xFF, 0xFF, 0xFF};
constexpr std::size_t kBthFecnOffset = 4;

}  // namespace

std::size_t RoceOpcode::extensionSize() const {
  return (reth ? Reth::kSize : 0) + (aeth ? Aeth::kSize : 0) + (immediate ? ImmDt::kSize : 0) +
         (ieth ? Ieth::kSize : 0) + (transport == kCnp ? kCnpReservedSize : 0);
}

const RoceOpcode* findRoceOpcode(std::uint8_t code) {
  const auto* const found = std::lower_bound(
      kOpcodes.begin(), kOpcodes.end(), code,
      [](const RoceOpcode& opcode, std::uint8_t wanted) { return opcode.code < wanted; });
  return found != kOpcodes.end() && found->code == code ? found : nullptr;
}

std::span<const RoceOpcode> roceOpcodes() { return kOpcodes; }

void Bth::encode(FixedSpan<kSize> out) const {
  out[0] = opcode;
  out[1] = static_cast<std::uint8_t>((solicited_event ? 0x80U : 0U) | (mig_req ? 0x40U : 0U) |
                                     (pad_count & 3U) << 4 | (version & 0xFU));
  store16(&out[2], pkey);
  out[kBthFecnOffset] = static_cast<std::uint8_t>((fecn ? 0x80U : 0U) | (becn ? 0x40U : 0U));
  store24(&out[5], dest_qp);
  out[8] = ack_request ? 0x80 : 0;
  store24(&out[9], psn);
}

Bth Bth::decode(FixedView<kSize> in) {
  Bth bth;
  bth.opcode = in[0];
  bth.solicited_event = (in[1] & 0x80U) != 0;
  bth.mig_req = (in[1] & 0x40U) != 0;
  bth.pad_count = (in[1] >> 4) & 3U;
  bth.version = in[1] & 0xFU;
  bth.pkey = load16(&in[2]);
  bth.fecn = (in[kBthFecnOffset] & 0x80U) != 0;
  bth.becn = (in[kBthFecnOffset] & 0x40U) != 0;
  bth.dest_qp = load24(&in[5]);
  bth.ack_request = (in[8] & 0x80U) != 0;
  bth.psn = load24(&in[9]);
  return bth;
}

void Reth::encode(FixedSpan<kSize> out) const {
  store64(out.data(), virtual_address);
  store32(&out[8], rkey);
  store32(&out[12], dma_length);
}

Reth Reth::decode(FixedView<kSize> in) {
  return {load64(in.data()), load32(&in[8]), load32(&in[12])};
}

void Aeth::encode(FixedSpan<kSize> out) const {
  out[0] = syndrome;
  store24(&out[1], msn);
}

Aeth Aeth::decode(FixedView<kSize> in) { return {in[0], load24(&in[1])}; }

void ImmDt::encode(FixedSpan<kSize> out) const { store32(out.data(), value); }

ImmDt ImmDt::decode(FixedView<kSize> in) { return {load32(in.data())}; }

void Ieth::encode(FixedSpan<kSize> out) const { store32(out.data(), rkey); }

Ieth Ieth::decode(FixedView<kSize> in) { return {load32(in.data())}; }

std::string_view nakCodeName(std::uint8_t code) {
  switch (code) {
    case 0:
      return "PSN sequence error";
    case 1:
      return "invalid request";
    case 2:
      return "remote access error";
    case 3:
      return "remote operational error";
    case 4:
      return "invalid RD request";
    default:
      return "reserved";
  }
}

std::uint32_t roceIcrc(ByteView packet, bool ipv6) {
  // Copy of the headers up to the BTH with every field that may change on the way set to ones.
  constexpr std::size_t kLongest = Ipv6Header::kSize + UdpHeader::kSize + Bth::kSize;
  std::array<std::uint8_t, kLongest> headers{};
  const std::size_t ip_size = ipv6 ? Ipv6Header::kSize : Ipv4Header::kSize;
  const std::size_t headers_size = ip_size + UdpHeader::kSize + Bth::kSize;
  std::copy_n(packet.begin(), headers_size, headers.begin());
  if (ipv6) {
    headers[0] |= 0x0F;                         // traffic class, flow label
    std::fill_n(headers.begin() + 1, 3, 0xFF);  // the rest of both
    headers[7] = 0xFF;                          // hop limit
  } else {
    headers[1] = 0xFF;                           // type of service
    headers[8] = 0xFF;                           // time to live
    std::fill_n(headers.begin() + 10, 2, 0xFF);  // header checksum
  }
  std::fill_n(headers.begin() + ip_size + 6, 2, 0xFF);  // UDP checksum
  headers[ip_size + UdpHeader::kSize + kBthFecnOffset] = 0xFF;

  Crc32 crc;
  crc.update(kLrhPlaceholder);
  crc.update(ByteView(headers).first(headers_size));
  crc.update(packet.subspan(headers_size));
  return crc.value();
}

}  // namespace plumbline::wire
