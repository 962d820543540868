#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "wire/frame.h"

namespace plumbline::wire {
namespace {

constexpr std::size_t kMaxIpLength = 0xFFFF;

[[noreturn]] void contradiction(const std::string& what, const std::string& remedy) {
  throw Error(ErrorKind::kUsage, what, "frame description", remedy);
}

bool isIp(const Network& network) {
  return std::holds_alternative<Ipv4Header>(network) || std::holds_alternative<Ipv6Header>(network);
}

std::uint16_t etherTypeOf(const Network& network) {
  if (const auto* other = std::get_if<OtherNetwork>(&network)) return other->ether_type;
  if (std::holds_alternative<Ipv4Header>(network)) return ether_type::kIpv4;
  if (std::holds_alternative<Ipv6Header>(network)) return ether_type::kIpv6;
  return ether_type::kMacControl;
}

// Encodes one frame front to back, then fills in the fields that depend on later bytes.
class Encoder {
 public:
  explicit Encoder(const FrameSpec& spec) : spec_(spec) {}

  Buffer encode() {
    checkLayers();
    ethernet();
    network();
    transport();
    finishIp();
    out_.resize(std::max(out_.size(), kMinFrameSize - kFcsSize));
    appendFcs(out_);
    return std::move(out_);
  }

 private:
  void checkLayers() const {
    const bool has_transport = spec_.transport.index() != 0;
    const auto* uet = std::get_if<UetLayer>(&spec_.transport);
    const bool native = uet != nullptr && uet->entropy.has_value();
    if ((spec_.udp || has_transport) && !isIp(spec_.network)) {
      contradiction("UDP or a transport without IP", "an IPv4 or IPv6 header");
    }
    if (has_transport && spec_.udp.has_value() == native) {
      contradiction("a transport needs UDP, or UET an entropy value instead", "one of the two");
    }
    if (spec_.udp_checksum && (!spec_.udp || spec_.uet_crc)) {
      contradiction("a UDP checksum without UDP or together with the UET CRC, which covers it",
                    "udp_checksum = false");
    }
    const bool control = !isIp(spec_.network) && spec_.network.index() != 0;
    if (control && (!spec_.payload.empty() || spec_.vlan)) {
      contradiction("a MAC control frame with a payload or VLAN tag", "neither");
    }
    if (spec_.uet_crc && uet == nullptr) contradiction("a UET CRC without UET", "no UET CRC");
  }

  void ethernet() {
    const std::uint16_t type = etherTypeOf(spec_.network);
    append(out_,
           EthernetHeader{spec_.destination, spec_.source, spec_.vlan ? ether_type::kVlan : type});
    if (spec_.vlan) {
      VlanTag tag = *spec_.vlan;
      tag.ether_type = type;
      append(out_, tag);
    }
    ip_ = out_.size();
  }

  void network() {
    std::visit(
        [this](const auto& header) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(header)>, OtherNetwork>) {
            append(out_, header);
          }
        },
        spec_.network);
    udp_ = out_.size();
    if (spec_.udp) append(out_, *spec_.udp);
  }

  void transport() {
    if (const auto* layer = std::get_if<RoceLayer>(&spec_.transport)) {
      roce(*layer);
    } else if (const auto* other = std::get_if<UetLayer>(&spec_.transport)) {
      uet(*other);
    } else {
      payload();
      finishUdp();
    }
  }

  void payload() { out_.insert(out_.end(), spec_.payload.begin(), spec_.payload.end()); }

  void roce(const RoceLayer& layer) {
    const RoceOpcode* opcode = findRoceOpcode(layer.bth.opcode);
    if (opcode == nullptr) {
      contradiction(fmt::format("RoCE opcode {:#04x} is not known", layer.bth.opcode),
                    "an opcode of SEND, WRITE, READ or acknowledge of RC or UC, or CNP");
    }
    if (opcode->reth != layer.reth.has_value() || opcode->aeth != layer.aeth.has_value() ||
        opcode->immediate != layer.immediate.has_value() ||
        opcode->ieth != layer.ieth.has_value()) {
      contradiction(fmt::format("extension headers do not fit {}", opcode->name),
                    "those that the opcode calls for");
    }
    if (!opcode->payload && !spec_.payload.empty()) {
      contradiction(fmt::format("{} carries no payload", opcode->name), "an empty payload");
    }
    Bth bth = layer.bth;
    bth.pad_count =
        spec_.pad_count.value_or(static_cast<std::uint8_t>((4 - spec_.payload.size() % 4) % 4));
    if (bth.pad_count > 3) contradiction("more than three pad bytes", "0 to 3");
    append(out_, bth);
    if (layer.reth) append(out_, *layer.reth);
    if (layer.aeth) append(out_, *layer.aeth);
    if (layer.immediate) append(out_, *layer.immediate);
    if (layer.ieth) append(out_, *layer.ieth);
    if (opcode->transport == RoceTransport::kCnp) out_.resize(out_.size() + kCnpReservedSize);
    payload();
    out_.resize(out_.size() + bth.pad_count);
    // The lengths, including the ICRC's own four bytes, are covered by the ICRC; the UDP checksum
    // covers the ICRC.
    const std::size_t icrc = out_.size();
    out_.resize(icrc + kIcrcSize);
    writeLengths();
    const bool ipv6 = std::holds_alternative<Ipv6Header>(spec_.network);
    store32Le(&out_[icrc], roceIcrc(ByteView(out_).subspan(ip_, icrc - ip_), ipv6));
    finishUdp();
  }

  void uet(const UetLayer& layer) {
    if (pdsNext(layer.pds) != sesNext(layer.ses)) {
      contradiction("the PDS header announces another SES header than the one that follows",
                    "the same");
    }
    if (layer.entropy) {
      const std::size_t at = out_.size();
      out_.resize(at + 4);
      store16(&out_[at], *layer.entropy);
    }
    const std::size_t pds = out_.size();
    encodePds(out_, layer.pds);
    encodeSes(out_, layer.ses);
    payload();
    if (!spec_.uet_crc) {
      finishUdp();
      return;
    }
    const std::size_t crc = out_.size();
    out_.resize(crc + kUetCrcSize);
    writeLengths();
    const bool ipv6 = std::holds_alternative<Ipv6Header>(spec_.network);
    const UetOffsets offsets{ip_ + (ipv6 ? 8U : 12U), udp_, pds};
    store32(&out_[crc], uetCrc(ByteView(out_).first(crc), offsets, *spec_.uet_crc));
  }

  void writeLengths() {
    if (!isIp(spec_.network)) return;
    const std::size_t ip_length = out_.size() - ip_;
    if (ip_length > kMaxIpLength) {
      contradiction(fmt::format("an IP packet of {} bytes", ip_length), "at most 65535 bytes");
    }
    if (std::holds_alternative<Ipv6Header>(spec_.network)) {
      store16(&out_[ip_ + 4], static_cast<std::uint16_t>(ip_length - Ipv6Header::kSize));
    } else {
      store16(&out_[ip_ + 2], static_cast<std::uint16_t>(ip_length));
    }
    if (spec_.udp) {
      store16(&out_[udp_ + 4], static_cast<std::uint16_t>(out_.size() - udp_));
      store16(&out_[udp_ + 6], 0);
    }
  }

  void finishUdp() {
    writeLengths();
    if (!spec_.udp_checksum) return;
    const bool ipv6 = std::holds_alternative<Ipv6Header>(spec_.network);
    const ByteView frame(out_);
    const ByteView addresses = ipv6 ? frame.subspan(ip_ + 8, 32) : frame.subspan(ip_ + 12, 8);
    store16(&out_[udp_ + 6], udpChecksum(addresses, frame.subspan(udp_)));
  }

  void finishIp() {
    if (!std::holds_alternative<Ipv4Header>(spec_.network)) return;
    const ByteView header = ByteView(out_).subspan(ip_, Ipv4Header::kSize);
    store16(&out_[ip_ + 10], ipv4Checksum(header.first<Ipv4Header::kSize>()));
  }

  const FrameSpec& spec_;
  Buffer out_;
  std::size_t ip_ = 0;
  std::size_t udp_ = 0;
};

}  // namespace

Buffer encodeFrame(const FrameSpec& spec) { return Encoder(spec).encode(); }

}  // namespace plumbline::wire
