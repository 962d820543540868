#include <algorithm>

#include "wire/frame.h"

namespace plumbline::wire {
namespace {

// Decodes one frame front to back. Every step checks the length that it needs before it reads;
// `end_` only decreases, from the frame to the IP packet to the UDP datagram to the end before the
// check sequences.
class Decoder {
 public:
  Decoder(ByteView bytes, const DecodeOptions& options) : options_(options) { f_.bytes = bytes; }

  DecodedFrame decode() {
    end_ = f_.bytes.size();
    if (options_.has_fcs && end_ >= kFcsSize) {
      end_ -= kFcsSize;
      f_.fcs =
          CheckVerdict{__builtin_bswap32(crc32(f_.bytes.first(end_))), load32(&f_.bytes[end_])};
    }
    ethernet();
    if (f_.ok() && f_.bytes.size() + (options_.has_fcs ? 0 : kFcsSize) < kMinFrameSize) {
      fail(DecodeError::kRunt, f_.bytes.size());
    }
    return f_;
  }

 private:
  void fail(DecodeError error, std::size_t offset) {
    f_.error = error;
    f_.error_offset = offset;
  }

  [[nodiscard]] std::size_t left() const { return end_ - at_; }

  // The next header of type H, or a truncation error.
  template <typename H>
  std::optional<H> take() {
    if (left() < H::kSize) {
      fail(DecodeError::kTruncated, at_);
      return std::nullopt;
    }
    const auto header = H::decode(f_.bytes.subspan(at_).first<H::kSize>());
    at_ += H::kSize;
    return header;
  }

  void decodePayload() {
    f_.offsets.payload = at_;
    f_.payload = f_.bytes.subspan(at_, left());
  }

  void findTag() {
    if (f_.payload.size() < TestTag::kSize) return;
    f_.tag = TestTag::decode(f_.payload.first<TestTag::kSize>());
  }

  void ethernet() {
    const auto header = take<EthernetHeader>();
    if (!header) return;
    f_.ethernet = *header;
    std::uint16_t type = header->ether_type;
    if (type == ether_type::kVlan) {
      const auto tag = take<VlanTag>();
      if (!tag) return;
      f_.vlan = *tag;
      type = tag->ether_type;
    }
    f_.offsets.network = at_;
    f_.network = OtherNetwork{type};
    switch (type) {
      case ether_type::kIpv4:
        ipv4();
        break;
      case ether_type::kIpv6:
        ipv6();
        break;
      case ether_type::kMacControl:
        macControl();
        break;
      default:
        decodePayload();
        break;
    }
  }

  void macControl() {
    if (left() < sizeof(std::uint16_t)) return fail(DecodeError::kTruncated, at_);
    const std::uint16_t opcode = load16(&f_.bytes[at_]);
    if (opcode == mac_control_opcode::kPfc) {
      keep(take<PfcHeader>());
    } else if (opcode == mac_control_opcode::kPause) {
      keep(take<PauseHeader>());
    } else if (left() >= CcUpdate::kSize &&
               CcUpdate::matches(f_.bytes.subspan(at_).first<CcUpdate::kSize>())) {
      keep(take<CcUpdate>());
    } else {
      decodePayload();
    }
  }

  // A MAC control header; the following bytes are padding.
  template <typename H>
  void keep(const std::optional<H>& header) {
    if (!header) return;
    f_.network = *header;
    f_.padding = f_.bytes.subspan(at_, left());
  }

  // Ends the frame `length` bytes after `start`, if it is that long.
  bool endAt(std::size_t start, std::size_t length) {
    if (end_ - start < length) {
      fail(DecodeError::kTruncated, start);
      return false;
    }
    f_.padding = f_.bytes.subspan(start + length, end_ - start - length);
    end_ = start + length;
    return true;
  }

  void ipv4() {
    const std::size_t start = at_;
    const auto header = take<Ipv4Header>();
    if (!header) return;
    if (f_.bytes[start] >> 4 != 4) return fail(DecodeError::kIpVersion, start);
    f_.network = *header;
    if (header->ihl != Ipv4Header::kSize / 4) return fail(DecodeError::kIpv4Options, start);
    f_.ipv4_checksum = CheckVerdict{
        ipv4Checksum(f_.bytes.subspan(start).first<Ipv4Header::kSize>()), header->checksum};
    if (header->total_length < Ipv4Header::kSize) return fail(DecodeError::kIpLength, start + 2);
    if (!endAt(start, header->total_length)) return;
    f_.fragment = header->more_fragments || header->fragment_offset != 0;
    if (f_.fragment) return decodePayload();
    afterIp(header->protocol);
  }

  void ipv6() {
    const std::size_t start = at_;
    const auto header = take<Ipv6Header>();
    if (!header) return;
    if (f_.bytes[start] >> 4 != 6) return fail(DecodeError::kIpVersion, start);
    f_.network = *header;
    if (!endAt(start, Ipv6Header::kSize + header->payload_length)) return;
    afterIp(header->next_header);
  }

  void afterIp(std::uint8_t protocol) {
    f_.offsets.udp = at_;
    if (protocol == ip_protocol::kUdp) {
      udp();
    } else if (protocol == options_.uet_ip_protocol) {
      if (left() < 4) return fail(DecodeError::kTruncated, at_);
      UetLayer layer;
      layer.entropy = load16(&f_.bytes[at_]);
      at_ += 4;
      uet(layer);
    } else {
      f_.offsets.udp = 0;
      decodePayload();
    }
  }

  void udp() {
    const std::size_t start = at_;
    const auto header = take<UdpHeader>();
    if (!header) return;
    f_.udp = *header;
    const bool is_uet = header->destination_port == udp_port::kUet;
    const std::size_t available = end_ - start;
    if (header->length < UdpHeader::kSize) return fail(DecodeError::kUdpLength, start + 4);
    if (header->length > available) {
      // A switch that trims leaves the UDP length as it was.
      if (!is_uet) return fail(DecodeError::kUdpLength, start + 4);
      f_.trimmed = true;
    } else {
      end_ = start + header->length;
      checkUdp(start);
    }
    if (header->destination_port == udp_port::kRoce) {
      roce();
    } else if (is_uet) {
      uet({});
    } else {
      decodePayload();
      findTag();
    }
  }

  void checkUdp(std::size_t start) {
    if (f_.udp->checksum == 0) return;
    const bool is_ipv6 = f_.ipv6() != nullptr;
    const ByteView addresses =
        f_.bytes.subspan(f_.offsets.network + (is_ipv6 ? 8 : 12), is_ipv6 ? 32 : 8);
    f_.udp_checksum = CheckVerdict{udpChecksum(addresses, f_.bytes.subspan(start, end_ - start)),
                                   f_.udp->checksum};
  }

  void roce() {
    f_.offsets.transport = at_;
    const auto bth = take<Bth>();
    if (!bth) return;
    RoceLayer layer;
    layer.bth = *bth;
    f_.transport = layer;
    if (left() < kIcrcSize) return fail(DecodeError::kRocePadding, at_);
    end_ -= kIcrcSize;
    const std::size_t ip = f_.offsets.network;
    f_.icrc = CheckVerdict{
        __builtin_bswap32(roceIcrc(f_.bytes.subspan(ip, end_ - ip), f_.ipv6() != nullptr)),
        load32(&f_.bytes[end_])};

    const RoceOpcode* opcode = findRoceOpcode(bth->opcode);
    if (opcode == nullptr) return fail(DecodeError::kRoceOpcode, f_.offsets.transport);
    const bool complete = (!opcode->reth || (layer.reth = take<Reth>())) &&
                          (!opcode->aeth || (layer.aeth = take<Aeth>())) &&
                          (!opcode->immediate || (layer.immediate = take<ImmDt>())) &&
                          (!opcode->ieth || (layer.ieth = take<Ieth>()));
    f_.transport = layer;
    if (!complete) return;
    if (opcode->transport == RoceTransport::kCnp) {
      if (left() < kCnpReservedSize) return fail(DecodeError::kTruncated, at_);
      at_ += kCnpReservedSize;
    }
    if (left() < bth->pad_count) return fail(DecodeError::kRocePadding, f_.offsets.transport + 1);
    end_ -= bth->pad_count;
    decodePayload();
    findTag();
  }

  void uet(UetLayer layer) {
    f_.offsets.transport = at_;
    const PdsDecoded pds = decodePds(f_.bytes.subspan(at_, left()), options_.pds_sizes);
    if (pds.error != PdsError::kNone) {
      return fail(
          pds.error == PdsError::kReservedType ? DecodeError::kUetType : DecodeError::kTruncated,
          at_);
    }
    layer.pds = pds.header;
    f_.transport = layer;
    const bool encrypted = pdsType(pds.header) == PdsType::kTss;
    if (options_.uet_crc && !encrypted && !f_.trimmed) {
      if (left() - pds.size < kUetCrcSize) return fail(DecodeError::kTruncated, at_);
      end_ -= kUetCrcSize;
      const UetOffsets offsets{f_.offsets.network + (f_.ipv6() != nullptr ? 8 : 12), f_.offsets.udp,
                               at_};
      f_.uet_crc = CheckVerdict{uetCrc(f_.bytes.first(end_), offsets, *options_.uet_crc),
                                load32(&f_.bytes[end_])};
    }
    at_ += pds.size;
    f_.offsets.ses = at_;
    const SesDecoded ses = decodeSes(f_.bytes.subspan(at_, left()), pdsNext(pds.header));
    if (ses.error == SesError::kReservedNext) {
      return fail(DecodeError::kUetNextHeader, f_.offsets.transport);
    }
    if (ses.error == SesError::kTruncated) {
      // Trimming cuts the SES header too.
      if (!f_.trimmed) return fail(DecodeError::kTruncated, at_);
    } else {
      layer.ses = ses.header;
      f_.transport = layer;
      at_ += ses.size;
    }
    decodePayload();
    if (!encrypted) findTag();
  }

  const DecodeOptions& options_;
  DecodedFrame f_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

}  // namespace

DecodedFrame decodeFrame(ByteView bytes, const DecodeOptions& options) {
  return Decoder(bytes, options).decode();
}

std::string_view decodeErrorName(DecodeError error) {
  switch (error) {
    case DecodeError::kNone:
      return "none";
    case DecodeError::kTruncated:
      return "a header or stated length exceeds the frame";
    case DecodeError::kRunt:
      return "shorter than 64 bytes";
    case DecodeError::kIpVersion:
      return "IP version differs from the EtherType";
    case DecodeError::kIpv4Options:
      return "IPv4 options are not understood";
    case DecodeError::kIpLength:
      return "IP length below its header";
    case DecodeError::kUdpLength:
      return "UDP length does not fit the IP packet";
    case DecodeError::kRoceOpcode:
      return "RoCE opcode is not understood";
    case DecodeError::kRocePadding:
      return "RoCE packet too short for its pad and ICRC";
    case DecodeError::kUetType:
      return "reserved UET packet type";
    case DecodeError::kUetNextHeader:
      return "reserved UET next header";
  }
  return "unknown";
}

}  // namespace plumbline::wire
