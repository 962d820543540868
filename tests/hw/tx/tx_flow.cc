#include "tests/hw/tx/tx_flow.h"

#include "wire/crc.h"
#include "wire/roce.h"
#include "wire/test_tag.h"

namespace plumbline::test {
namespace {

// One's-complement sum of the IPv4 header at `p` without its checksum, and without the 16-bit word
// at offset `skip` if not negative.
std::uint16_t headerSum(const std::uint8_t* p, int skip) {
  std::uint32_t sum = 0;
  for (int at = 0; at < 20; at += 2) {
    if (at != 10 && at != skip) sum += wire::load16(p + at);
  }
  while (sum > 0xFFFF) sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

// Offset within the IP header of the low 16 bits of the address that is modified.
std::uint32_t addressWord(const FlowConfig& flow) {
  if (flow.ipv6) return flow.addr_mode == 1 ? 22 : 38;
  return flow.addr_mode == 1 ? 14 : 18;
}

void writeFields(const FlowConfig& flow, const FrameFields& fields, wire::Buffer& frame) {
  std::uint8_t* udp = frame.data() + flow.udp();
  if (flow.sport_mode != 0) {
    wire::store16(udp, static_cast<std::uint16_t>(flow.sport_base + fields.sport_index));
  }
  if (flow.qp_en) {
    if (fields.pdc) {
      wire::store32(udp + 16, fields.qp);
    } else {
      wire::store24(udp + 13, fields.qp);
    }
  }
  if (flow.psn_en && flow.roce) wire::store24(udp + 17, fields.psn);
  if (flow.psn_en && flow.uet) wire::store32(udp + 12, fields.psn);
  if (flow.addr_mode == 1 || flow.addr_mode == 2) {
    std::uint8_t* ip = frame.data() + flow.l3();
    wire::store16(ip + addressWord(flow),
                  static_cast<std::uint16_t>(flow.addr_base + fields.addr_index));
    if (!flow.ipv6) wire::store16(ip + 10, static_cast<std::uint16_t>(~headerSum(ip, -1)));
  }
}

}  // namespace

Row FlowConfig::row() const {
  Row row{};
  setBits(row, 0, 16, length);
  setBits(row, 16, 16, tag_id);
  setBits(row, 32, 8, tag_off);
  setBits(row, 40, 9, pay_off);
  setBits(row, 49, 1, tag_en ? 1 : 0);
  setBits(row, 50, 1, icrc ? 1 : 0);
  setBits(row, 51, 1, vlan ? 1 : 0);
  setBits(row, 52, 1, ipv6 ? 1 : 0);
  setBits(row, 53, 1, roce ? 1 : 0);
  setBits(row, 54, 1, uet ? 1 : 0);
  setBits(row, 55, 1, psn_en ? 1 : 0);
  setBits(row, 56, 1, qp_en ? 1 : 0);
  setBits(row, 57, 2, sport_mode);
  setBits(row, 59, 2, addr_mode);
  setBits(row, 61, 3, priority);
  setBits(row, 64, 13, qp_count);
  setBits(row, 80, 24, qp_base);
  setBits(row, 104, 32, psn_base);
  setBits(row, 136, 16, sport_base);
  setBits(row, 152, 17, sport_count);
  setBits(row, 176, 16, addr_base);
  setBits(row, 192, 17, addr_count);
  if (!ipv6 && addr_mode != 0) {
    setBits(row, 216, 16, headerSum(bytes.data() + l3(), static_cast<int>(addressWord(*this))));
  }
  setBits(row, 256, 64, period);
  setBits(row, 320, 25, burst_len);
  setBits(row, 352, 32, burst_count);
  setBits(row, 384, 64, burst_interval);
  return row;
}

Row FlowConfig::templateRow(std::uint32_t beat) const {
  Row row{};
  for (std::uint32_t i = 0; i < 64; ++i) setBits(row, 8 * i, 8, bytes.at(64 * beat + i));
  return row;
}

wire::Buffer expectedFrame(const FlowConfig& flow, std::uint64_t number, std::uint64_t departure) {
  const std::uint64_t qp_index = number % flow.qp_count;
  const std::uint64_t psn = flow.psn_base + (flow.uet ? number : number / flow.qp_count);
  FrameFields fields;
  fields.sport_index =
      static_cast<std::uint32_t>(flow.sport_mode == 1 ? qp_index : number % flow.sport_count);
  fields.addr_index = static_cast<std::uint32_t>(number % flow.addr_count);
  fields.qp = static_cast<std::uint32_t>(flow.qp_base + qp_index);
  fields.psn = static_cast<std::uint32_t>(psn);
  fields.tag_id = flow.tag_id;
  fields.sequence = number;
  return makeFrame(flow, fields, departure);
}

wire::Buffer makeFrame(const FlowConfig& flow, const FrameFields& fields, std::uint64_t departure) {
  // The template's bytes, and payload from pay_off on. Headers and tag may lie beyond the end of a
  // short frame, so there is room for all of them until the end.
  wire::Buffer frame(std::max<std::size_t>(flow.length, 256));
  for (std::size_t i = 0; i < frame.size(); ++i) {
    frame[i] = i < flow.pay_off ? flow.bytes.at(i) : static_cast<std::uint8_t>(i - flow.pay_off);
  }
  writeFields(flow, fields, frame);
  if (flow.tag_en) {
    const wire::TestTag tag{.id = static_cast<std::uint16_t>(fields.tag_id),
                            .sequence = fields.sequence,
                            .departure = departure & 0xFFFFFFFFFFFF};
    tag.encode(
        wire::FixedSpan<wire::TestTag::kSize>(frame.data() + flow.tag_off, wire::TestTag::kSize));
  }
  frame.resize(flow.length - 4);
  if (flow.icrc) {
    frame.resize(flow.length - 8);
    const std::uint32_t icrc = wire::roceIcrc(wire::ByteView(frame).subspan(flow.l3()), flow.ipv6);
    frame.resize(flow.length - 4);
    wire::store32Le(frame.data() + flow.length - 8, icrc);
  }
  wire::appendFcs(frame);
  return frame;
}

}  // namespace plumbline::test
