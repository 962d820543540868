#include "tests/hw/rx/rx_frames.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace plumbline::test {
namespace {

using wire::PdsNext;

wire::RoceLayer roceLayer(Kind kind) {
  using namespace wire::roce_opcode;
  wire::RoceLayer layer;
  layer.bth.dest_qp = 0x123456;
  layer.bth.psn = 0xFFFFFE;
  layer.bth.ack_request = true;
  switch (kind) {
    case Kind::kRoceSend:
      layer.bth.opcode = kRcSendOnly;
      break;
    case Kind::kRoceSendImm:
      layer.bth.opcode = 0x25;
      layer.immediate = wire::ImmDt{.value = 0xA5A5A5A5};
      break;
    case Kind::kRoceWriteMiddle:
      layer.bth.opcode = 0x07;
      break;
    case Kind::kRoceWrite:
      layer.bth.opcode = kRcWriteOnly;
      layer.reth = wire::Reth{.virtual_address = 0x12345000, .rkey = 0xABCD, .dma_length = 64};
      break;
    case Kind::kRoceWriteImm:
      layer.bth.opcode = kRcWriteOnlyImm;
      layer.reth = wire::Reth{.virtual_address = ~0ULL, .rkey = 1, .dma_length = 4096};
      layer.immediate = wire::ImmDt{.value = 7};
      break;
    case Kind::kRoceReadResponse:
      layer.bth.opcode = kRcReadResponseOnly;
      layer.aeth = wire::Aeth{.syndrome = 0x1F, .msn = 1};
      break;
    default:
      ADD_FAILURE() << "not RoCE";
  }
  return layer;
}

wire::UetLayer uetLayer(Kind kind) {
  wire::UetLayer layer;
  switch (kind) {
    case Kind::kUetRudStandard:
      layer.pds = wire::PdsRequest{.ordered = false, .next = PdsNext::kRequestStandard};
      layer.ses = wire::SesStandard{};
      break;
    case Kind::kUetRodSmall:
      layer.pds = wire::PdsRequest{.ordered = true, .next = PdsNext::kRequestSmall};
      layer.ses = wire::SesSmall{};
      break;
    case Kind::kUetRudCcMedium:
      layer.pds = wire::PdsRequest{
          .ordered = false, .next = PdsNext::kRequestMedium, .cc = wire::PdsRequestCc{}};
      layer.ses = wire::SesMedium{};
      break;
    case Kind::kUetRudi:
      layer.pds = wire::PdsRudi{.next = PdsNext::kRequestStandard};
      layer.ses = wire::SesStandard{};
      break;
    case Kind::kUetUud:
      layer.pds = wire::PdsUud{.next = PdsNext::kRequestStandard};
      layer.ses = wire::SesStandard{};
      break;
    case Kind::kUetAck:
      layer.pds = wire::PdsAck{.next = PdsNext::kResponse};
      layer.ses = wire::SesResponse{};
      break;
    case Kind::kUetAckCc:
      layer.pds = wire::PdsAck{.next = PdsNext::kNone, .cc = wire::PdsAckCc{}};
      break;
    case Kind::kUetAckCcx: {
      static constexpr std::array<std::uint8_t, 16> kState{};
      layer.pds = wire::PdsAck{
          .next = PdsNext::kResponseDataSmall, .cc = wire::PdsAckCc{}, .ccx_state = kState};
      layer.ses = wire::SesResponseDataSmall{};
      break;
    }
    case Kind::kUetNack:
      layer.pds = wire::PdsNack{.next = PdsNext::kNone, .code = 1};
      break;
    case Kind::kUetNackCcx: {
      static constexpr std::array<std::uint8_t, 16> kState{};
      layer.pds = wire::PdsNack{.next = PdsNext::kNone, .code = 1, .ccx_state = kState};
      break;
    }
    case Kind::kUetControl:
      // The kind of a control packet lies where others announce their SES header.
      layer.pds = wire::PdsControl{.control_type = 3};
      break;
    case Kind::kUetResponseData:
      layer.pds = wire::PdsRudi{.response = true, .next = PdsNext::kResponseData};
      layer.ses = wire::SesResponseData{};
      break;
    default:
      ADD_FAILURE() << "not UET";
  }
  return layer;
}

wire::FrameSpec specOf(const FrameOptions& options) {
  wire::FrameSpec spec;
  spec.destination = {{0x02, 0, 0, 0, 0, 0x02}};
  spec.source = {{0x02, 0, 0, 0, 0, 0x01}};
  if (options.vlan) {
    spec.vlan = wire::VlanTag{.pcp = 3, .vid = 100};
  }
  if (options.ipv6) {
    spec.network =
        wire::Ipv6Header{.dscp = 26,
                         .ecn = options.ecn,
                         .flow_label = 0x12345,
                         .source = {{0x20, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}},
                         .destination = {{0x20, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}}};
  } else {
    spec.network = wire::Ipv4Header{.dscp = 26,
                                    .ecn = options.ecn,
                                    .source = {{198, 18, 0, 1}},
                                    .destination = {{198, 18, 0, 2}}};
  }
  spec.udp = wire::UdpHeader{.source_port = 0xC123, .destination_port = wire::udp_port::kDiscard};
  spec.udp_checksum = options.udp_checksum;
  spec.pad_count = 0;
  if (isRoce(options.kind)) {
    spec.udp->destination_port = wire::udp_port::kRoce;
    spec.transport = roceLayer(options.kind);
  } else if (options.kind != Kind::kUdp) {
    spec.udp->destination_port = wire::udp_port::kUet;
    spec.transport = uetLayer(options.kind);
  }
  return spec;
}

}  // namespace

const std::vector<Kind>& allKinds() {
  static const std::vector<Kind> kinds = {
      Kind::kUdp,         Kind::kRoceSend,       Kind::kRoceSendImm,      Kind::kRoceWriteMiddle,
      Kind::kRoceWrite,   Kind::kRoceWriteImm,   Kind::kRoceReadResponse, Kind::kUetRudStandard,
      Kind::kUetRodSmall, Kind::kUetRudCcMedium, Kind::kUetRudi,          Kind::kUetUud,
      Kind::kUetAck,      Kind::kUetAckCc,       Kind::kUetAckCcx,        Kind::kUetNack,
      Kind::kUetNackCcx,  Kind::kUetControl,     Kind::kUetResponseData};
  return kinds;
}

std::string kindName(Kind kind) {
  static const std::vector<std::string> names = {
      "UDP",       "SEND",      "SEND imm", "WRITE middle",  "WRITE",
      "WRITE imm", "READ resp", "RUD std",  "ROD small",     "RUD_CC medium",
      "RUDI",      "UUD",       "ACK",      "ACK_CC",        "ACK_CCX",
      "NACK",      "NACK_CCX",  "CP",       "RUDI resp data"};
  return names.at(static_cast<std::size_t>(kind));
}

bool isRoce(Kind kind) { return kind >= Kind::kRoceSend && kind <= Kind::kRoceReadResponse; }

std::size_t tagOffset(const FrameOptions& options) {
  // FACTS A.2, A.4 and C.2, written out once more independently of encoder and card.
  static constexpr std::array<std::size_t, 19> kTransport = {
      0,      12,     12 + 4,  12, 12 + 16, 12 + 16 + 4, 12 + 4, 12 + 44, 12 + 20, 16 + 32,
      8 + 44, 4 + 44, 12 + 12, 32, 40 + 12, 16,          32,     16,      8 + 20};
  return 14U + (options.vlan ? 4U : 0U) + (options.ipv6 ? 40U : 20U) + 8U +
         kTransport.at(static_cast<std::size_t>(options.kind));
}

std::uint32_t minimumLength(const FrameOptions& options) {
  const std::size_t size = tagOffset(options) + (options.tag ? wire::TestTag::kSize : 0) +
                           (isRoce(options.kind) ? wire::kIcrcSize : 0) + wire::kFcsSize;
  return static_cast<std::uint32_t>(std::max<std::size_t>(size, 64));
}

wire::Buffer makeFrame(const FrameOptions& options, RandomStream& random) {
  wire::FrameSpec spec = specOf(options);
  const std::size_t behind = (isRoce(options.kind) ? wire::kIcrcSize : 0) + wire::kFcsSize;
  wire::Buffer payload(options.length - tagOffset(options) - behind);
  for (auto& byte : payload) {
    byte = static_cast<std::uint8_t>(random.next());
  }
  if (options.tag) {
    options.tag->encode(wire::FixedSpan<wire::TestTag::kSize>(payload.data(), 18));
  } else if (!payload.empty()) {
    payload[0] = 0;  // never the magic
  }
  spec.payload = payload;
  wire::Buffer frame = wire::encodeFrame(spec);
  EXPECT_EQ(frame.size(), options.length) << kindName(options.kind);
  return frame;
}

void refreshFcs(wire::Buffer& frame) {
  frame.resize(frame.size() - wire::kFcsSize);
  wire::appendFcs(frame);
}

void resizeFrame(wire::Buffer& frame, std::size_t length) {
  frame.resize(length - wire::kFcsSize);
  wire::appendFcs(frame);
}

wire::Buffer makePfc(std::uint8_t enabled, const std::array<std::uint16_t, 8>& quanta) {
  wire::FrameSpec spec;
  spec.destination = wire::kMacControlAddress;
  spec.source = {{0x02, 0, 0, 0, 0, 0x01}};
  spec.network = wire::PfcHeader{.enabled = enabled, .quanta = quanta};
  return wire::encodeFrame(spec);
}

}  // namespace plumbline::test
