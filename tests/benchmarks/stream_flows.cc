#include "tests/benchmarks/stream_flows.h"

#include <algorithm>

#include "sim/wire.h"
#include "wire/bytes.h"
#include "wire/frame.h"

namespace plumbline::hw_test {
namespace {

constexpr std::uint32_t kBthOffset = 14 + 20 + 8;  // IPv4, untagged

card::MessagePart partOf(const wire::StreamTemplateSpec& stream) {
  const card::FlowConfig flow = makeFlow(stream, 0);
  return {flow.head, flow.length, flow.payload_offset, flow.tag_offset};
}

}  // namespace

wire::StreamTemplateSpec udpStream(std::uint32_t from_port, std::uint32_t length) {
  const auto from = static_cast<std::uint8_t>(from_port);
  const auto to = static_cast<std::uint8_t>(neighbour(from_port));
  wire::StreamTemplateSpec stream;
  stream.source_mac = {{0x02, 0, 0, 0, 0, from}};
  stream.destination_mac = {{0x02, 0, 0, 0, 0, to}};
  stream.source_ipv4 = {{198, 18, 0, from}};
  stream.destination_ipv4 = {{198, 18, 0, to}};
  stream.source_ipv6.octets = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, from};
  stream.destination_ipv6.octets = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, to};
  stream.ecn = wire::Ecn::kEct0;
  stream.length = length;
  return stream;
}

wire::StreamTemplateSpec roceStream(std::uint32_t from_port, std::uint32_t length) {
  wire::StreamTemplateSpec stream = udpStream(from_port, length);
  stream.roce_opcode = wire::roce_opcode::kRcWriteOnly;
  stream.dest_qp = 0x100;
  return stream;
}

card::FlowConfig makeFlow(const wire::StreamTemplateSpec& stream, std::uint32_t row,
                          std::uint32_t group) {
  const wire::StreamTemplate frame = makeStreamTemplate(stream);
  card::FlowConfig flow;
  flow.head.assign(frame.bytes.begin(), frame.bytes.end());
  flow.length = stream.length;
  flow.payload_offset = frame.pay_off;
  flow.tag_offset = frame.tag_off;
  flow.group = group;
  flow.row = row;
  flow.vlan = stream.vlan_id.has_value();
  flow.ipv6 = stream.ipv6;
  flow.roce = stream.roce_opcode.has_value();
  flow.icrc = frame.icrc;
  flow.modify_psn = flow.roce;
  flow.psn_base = stream.psn;
  flow.modify_qp = flow.roce;
  flow.qp_base = stream.dest_qp;
  flow.source_port_base = stream.source_port;
  flow.checksum_base = frame.csum_base;
  flow.priority = stream.priority;
  return flow;
}

void setConstantRate(card::FlowConfig& flow, Fraction rate, std::uint32_t frames,
                     Picoseconds first_due) {
  flow.first_due = first_due;
  flow.period = card::framePeriod(Bytes(flow.length), sim::kLineRate, rate);
  flow.burst_frames = frames;
  flow.bursts = 1;
}

card::FlowConfig writeFlow(std::uint32_t port, std::uint32_t length, std::uint32_t pairs,
                           std::uint32_t frames) {
  wire::StreamTemplateSpec stream = roceStream(port, length);
  stream.virtual_address = 0x7F00'0000'1000;
  stream.rkey = 0xBEEF;
  const auto with = [&stream](std::uint8_t opcode) {
    stream.roce_opcode = opcode;
    return stream;
  };
  card::FlowConfig flow = makeFlow(
      with(frames > 1 ? wire::roce_opcode::kRcWriteFirst : wire::roce_opcode::kRcWriteOnly), 0);
  flow.queue_pairs.emplace();
  for (std::uint32_t i = 0; i < pairs; ++i) {
    flow.queue_pairs->pairs.push_back({0x4000 + 3 * i, 0xFFFF00 + i});
  }
  flow.queue_pairs->row_per_pair = true;
  if (frames > 1) {
    flow.message = card::Message{frames, partOf(with(kRcWriteMiddle)), partOf(with(kRcWriteLast))};
    // RETH has the length of the message: the payload of its frames after their headers.
    const std::uint32_t first = length - kBthOffset - 12 - 16 - 8;
    const std::uint32_t other = length - kBthOffset - 12 - 8;
    wire::store32(flow.head.data() + kBthOffset + 12 + 12, first + (frames - 1) * other);
  }
  return flow;
}

card::FlowConfig uetFlow(std::uint32_t port, std::uint32_t length, std::uint32_t pdcs) {
  const wire::StreamTemplateSpec stream = udpStream(port, std::max(length, 64U));
  wire::FrameSpec spec;
  spec.destination = stream.destination_mac;
  spec.source = stream.source_mac;
  spec.network = wire::Ipv4Header{.ecn = wire::Ecn::kEct0,
                                  .source = stream.source_ipv4,
                                  .destination = stream.destination_ipv4};
  spec.udp = wire::UdpHeader{.source_port = 0xC000, .destination_port = wire::udp_port::kUet};
  wire::UetLayer uet;
  const bool with_ses = length >= kBthOffset + 12 + 44 + 18 + 4;
  wire::PdsRequest request;
  request.next = with_ses ? wire::PdsNext::kRequestStandard : wire::PdsNext::kNone;
  uet.pds = request;
  if (with_ses) uet.ses = wire::SesStandard{};
  spec.transport = uet;
  const std::uint32_t headers = kBthOffset + 12 + (with_ses ? 44 : 0);
  const std::vector<std::uint8_t> payload(length - headers - 4);
  spec.payload = payload;
  const std::vector<std::uint8_t> bytes = encodeFrame(spec);
  card::FlowConfig flow;
  flow.head.assign(bytes.begin(), bytes.begin() + std::min<std::ptrdiff_t>(256, length - 4));
  flow.length = length;
  flow.tagged = headers + 18 + 4 <= length;
  flow.tag_offset = headers;
  flow.payload_offset = headers + (flow.tagged ? 18 : 0);
  flow.uet = flow.modify_psn = flow.modify_qp = true;
  flow.queue_pairs.emplace();
  for (std::uint32_t i = 0; i < pdcs; ++i) {
    flow.queue_pairs->pairs.push_back({(0x100 + i) << 16 | (0x200 + i), 0xFFFFFF00 + i});
  }
  flow.queue_pairs->row_per_pair = flow.tagged;
  return flow;
}

namespace {

// RoCE SEND frames too short for a tag.
card::FlowConfig shortRoceFlow(std::uint32_t port, std::uint32_t length) {
  card::FlowConfig flow = writeFlow(port, 128, 4, 1);
  flow.length = length;
  flow.tagged = false;
  flow.queue_pairs->row_per_pair = false;
  flow.payload_offset = kBthOffset + 12;
  flow.head.resize(kBthOffset + 12);
  flow.head[kBthOffset] = wire::roce_opcode::kRcSendOnly;
  // Pad to four bytes; lengths of IP and UDP; the header's checksum anew.
  const std::uint32_t payload = length - kBthOffset - 12 - 8;
  flow.head[kBthOffset + 1] = static_cast<std::uint8_t>(payload % 4 << 4);
  wire::store16(flow.head.data() + 16, static_cast<std::uint16_t>(length - 18));
  wire::store16(flow.head.data() + 38, static_cast<std::uint16_t>(length - 38));
  wire::store16(flow.head.data() + 24, 0);
  std::uint32_t sum = 0;
  for (std::size_t at = 14; at < 34; at += 2) sum += wire::load16(flow.head.data() + at);
  while (sum > 0xFFFF) sum = (sum & 0xFFFF) + (sum >> 16);
  wire::store16(flow.head.data() + 24, static_cast<std::uint16_t>(~sum));
  return flow;
}

}  // namespace

card::FlowConfig roceFlow(std::uint32_t port, std::uint32_t length) {
  return length < 100 ? shortRoceFlow(port, length) : writeFlow(port, length, 16, 4);
}

}  // namespace plumbline::hw_test
