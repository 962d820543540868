#include "worked_frames.h"

#include <array>
#include <stdexcept>
#include <utility>

namespace plumbline::wire::test {
namespace {

constexpr const char* kUetRudWriteCrc =
    "0200000000020200000000010800456a0098000140004011adc2c6120001c6120002c12312b9008400001184"
    "00000001000001010000010300010000000a00010002000000000000100000000001000000000000abcd0000"
    "00000000000000000040000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021"
    "22232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f00f8143379951cdc";

constexpr const char* kUetRudWrite =
    "0200000000020200000000010800456a0094000140004011adc6c6120001c6120002c12312b9008000001184"
    "00000001000001010000010300010000000a00010002000000000000100000000001000000000000abcd0000"
    "00000000000000000040000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021"
    "22232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3fe7b6753a";

constexpr const char* kUetAckResponse =
    "0200000000010200000000020800456a0038000240004011ae21c6120002c6120001c12312b9002400003a00"
    "00000001000002020101010100010000000a00000040190b396ff5593699";

constexpr const char* kUetAckCcNscc =
    "0200000000010200000000020800456a0040000340004011ae18c6120002c6120001c12312b9002c00004020"
    "00020001000002020101000800010000000000000002000a00000004000039099d83545c874a";

constexpr const char* kUetNackTrimmed =
    "0200000000010200000000020800456a0030000440004011ae27c6120002c6120001c12312b9001c00005000"
    "010000010001020201010000000016f57af4ffce07a7";

constexpr const char* kCcUpdate =
    "0180c20000010200000000018808fffefa7acb01123450000000000000000000000000000000000000000000"
    "00000000000000000000000000000000dfdda2ee";

constexpr const char* kRoceWriteOnly =
    "0200000000020200000000010800456a007c000140004011addec6120001c6120002c12312b7006800000a40"
    "ffff000000128000010000000000123450000000abcd00000040000102030405060708090a0b0c0d0e0f1011"
    "12131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d"
    "3e3f81f847b85f7b1dc6";

constexpr const char* kRoceWriteOnlyVlan =
    "020000000002020000000001810060640800456a007c000140004011addec6120001c6120002c12312b70068"
    "00000a40ffff000000128000010000000000123450000000abcd00000040000102030405060708090a0b0c0d"
    "0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f30313233343536373839"
    "3a3b3c3d3e3f81f847b821d117bd";

constexpr const char* kRoceWriteOnlyIpv6 =
    "02000000000202000000000186dd66a123450068114020010002000000000000000000000001200100020000"
    "00000000000000000002c12312b7006800000a40ffff000000128000010000000000123450000000abcd0000"
    "0040000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20212223242526272829"
    "2a2b2c2d2e2f303132333435363738393a3b3c3d3e3ff5e2f71e912526c6";

constexpr const char* kRoceWriteOnlyIpv6UdpChecksum =
    "02000000000202000000000186dd66a123450068114020010002000000000000000000000001200100020000"
    "00000000000000000002c12312b7006880a00a40ffff000000128000010000000000123450000000abcd0000"
    "0040000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20212223242526272829"
    "2a2b2c2d2e2f303132333435363738393a3b3c3d3e3ff5e2f71ef0a2fb13";

constexpr const char* kRoceWriteOnlyRoutedCe =
    "0200000000020200000000010800456b007c000140003f11aeddc6120001c6120002c12312b7006800000a40"
    "ffff000000128000010000000000123450000000abcd00000040000102030405060708090a0b0c0d0e0f1011"
    "12131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d"
    "3e3f81f847b86a7e2cb6";

constexpr const char* kRoceCnp =
    "020000000001020000000002080045c0003c000240004011adc7c6120002c6120001c12312b7002800008140"
    "ffff4000003400000000000000000000000000000000000000006e6417001aa919df";

constexpr const char* kRoceAck =
    "0200000000010200000000020800456a0030000340004011ae28c6120002c6120001c12312b7001c00001140"
    "ffff00000034000001001f0000014e04d08e8c5cb7bb";

constexpr const char* kRoceWriteOnlyPad =
    "0200000000020200000000010800456a0044000140004011ae16c6120001c6120002c12312b7003000000a70"
    "ffff000000128000010100000000123450000000abcd000000050001020304000000036774f0e6d4f7c9";

constexpr const char* kPfcXoff =
    "0180c2000001020000000001880801010008000000000000ffff000000000000000000000000000000000000"
    "00000000000000000000000000000000b0b229c3";

constexpr const char* kPfcXon =
    "0180c20000010200000000018808010100080000000000000000000000000000000000000000000000000000"
    "00000000000000000000000000000000d13178ac";

constexpr MacAddress kMac1{{0x02, 0, 0, 0, 0, 0x01}};
constexpr MacAddress kMac2{{0x02, 0, 0, 0, 0, 0x02}};
constexpr Ipv4Address kIp1{{198, 18, 0, 1}};
constexpr Ipv4Address kIp2{{198, 18, 0, 2}};
constexpr Ipv6Address kIp61{{0x20, 0x01, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
constexpr Ipv6Address kIp62{{0x20, 0x01, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}};

constexpr auto kPayload = [] {
  std::array<std::uint8_t, 64> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
  return bytes;
}();

// From port 1 to port 2, as most of the frames.
FrameSpec forward(std::uint16_t identification, std::uint16_t port) {
  FrameSpec spec;
  spec.destination = kMac2;
  spec.source = kMac1;
  spec.network = Ipv4Header{.dscp = 26,
                            .ecn = Ecn::kEct0,
                            .identification = identification,
                            .source = kIp1,
                            .destination = kIp2};
  spec.udp = UdpHeader{.source_port = 0xC123, .destination_port = port};
  return spec;
}

FrameSpec backward(std::uint16_t identification, std::uint16_t port) {
  FrameSpec spec = forward(identification, port);
  std::swap(spec.destination, spec.source);
  auto& ip = std::get<Ipv4Header>(spec.network);
  std::swap(ip.source, ip.destination);
  return spec;
}

RoceLayer writeOnly(std::uint32_t psn, std::uint32_t length) {
  RoceLayer layer;
  layer.bth =
      Bth{.opcode = roce_opcode::kRcWriteOnly, .dest_qp = 0x12, .ack_request = true, .psn = psn};
  layer.reth = Reth{0x12345000, 0xABCD, length};
  return layer;
}

FrameSpec roceWrite() {
  FrameSpec spec = forward(1, udp_port::kRoce);
  spec.transport = writeOnly(0x100, 64);
  spec.payload = kPayload;
  return spec;
}

FrameSpec roceWriteIpv6() {
  FrameSpec spec = roceWrite();
  spec.network = Ipv6Header{
      .dscp = 26, .ecn = Ecn::kEct0, .flow_label = 0x12345, .source = kIp61, .destination = kIp62};
  return spec;
}

FrameSpec uetWrite() {
  FrameSpec spec = forward(1, udp_port::kUet);
  UetLayer uet;
  uet.pds = PdsRequest{.psn = 0x10000, .spdcid = 0x0101, .target = {.syn = true}};
  uet.ses = SesStandard{.flags = {.opcode = ses_opcode::kWrite},
                        .message_id = 1,
                        .address = {.job_id = 0xA, .pid_on_fep = 1, .resource_index = 2},
                        .buffer_offset = 0x1000,
                        .initiator = 1,
                        .key = 0xABCD,
                        .request_length = 64};
  spec.transport = uet;
  spec.payload = kPayload;
  return spec;
}

// UET frames of the sheet carry the CRC trailer in its default form.
WorkedFrame withCrc(std::string name, FrameSpec spec, std::string_view hex) {
  spec.uet_crc = UetCrcOptions{};
  WorkedFrame frame{std::move(name), spec, fromHex(hex), {}};
  frame.options.uet_crc = UetCrcOptions{};
  return frame;
}

WorkedFrame plain(std::string name, const FrameSpec& spec, std::string_view hex) {
  return {std::move(name), spec, fromHex(hex), {}};
}

FrameSpec control(const Network& network) {
  FrameSpec spec;
  spec.destination = kMacControlAddress;
  spec.source = kMac1;
  spec.network = network;
  return spec;
}

std::vector<WorkedFrame> makeUet() {
  std::vector<WorkedFrame> frames;
  frames.push_back(withCrc("uet_rud_write_crc", uetWrite(), kUetRudWriteCrc));
  frames.push_back(plain("uet_rud_write", uetWrite(), kUetRudWrite));

  FrameSpec ack = backward(2, udp_port::kUet);
  UetLayer uet;
  uet.pds =
      PdsAck{.next = PdsNext::kResponse, .cack_psn = 0x10000, .spdcid = 0x0202, .dpdcid = 0x0101};
  uet.ses = SesResponse{.message_id = 1, .job_id = 0xA, .modified_length = 64};
  ack.transport = uet;
  frames.push_back(withCrc("uet_ack_response", ack, kUetAckResponse));

  FrameSpec ack_cc = backward(3, udp_port::kUet);
  const NsccState state{.service_time = 10, .rcvd_bytes = 4};
  uet.pds = PdsAck{
      .ecn_marked = true,
      .ack_psn_offset = 2,
      .cack_psn = 0x10000,
      .spdcid = 0x0202,
      .dpdcid = 0x0101,
      .cc = PdsAckCc{.mpr = 8, .sack_psn_offset = 1, .sack_bitmap = 2, .state = state.toBits()}};
  uet.ses = std::monostate{};
  ack_cc.transport = uet;
  frames.push_back(withCrc("uet_ack_cc_nscc", ack_cc, kUetAckCcNscc));

  FrameSpec nack = backward(4, udp_port::kUet);
  uet.pds = PdsNack{.code = 1, .psn = 0x10001, .spdcid = 0x0202, .dpdcid = 0x0101};
  nack.transport = uet;
  frames.push_back(withCrc("uet_nack_trimmed", nack, kUetNackTrimmed));
  return frames;
}

std::vector<WorkedFrame> makeRoce() {
  std::vector<WorkedFrame> frames;
  frames.push_back(plain("roce_write_only", roceWrite(), kRoceWriteOnly));

  FrameSpec vlan = roceWrite();
  vlan.vlan = VlanTag{.pcp = 3, .vid = 100};
  frames.push_back(plain("roce_write_only_vlan", vlan, kRoceWriteOnlyVlan));

  FrameSpec ipv6 = roceWriteIpv6();
  frames.push_back(plain("roce_write_only_ipv6", ipv6, kRoceWriteOnlyIpv6));
  ipv6.udp_checksum = true;
  frames.push_back(plain("roce_write_only_ipv6_udp_checksum", ipv6, kRoceWriteOnlyIpv6UdpChecksum));

  FrameSpec routed = roceWrite();
  auto& routed_ip = std::get<Ipv4Header>(routed.network);
  routed_ip.ecn = Ecn::kCe;
  routed_ip.ttl = 63;
  frames.push_back(plain("roce_write_only_routed_ce", routed, kRoceWriteOnlyRoutedCe));

  FrameSpec cnp = backward(2, udp_port::kRoce);
  auto& cnp_ip = std::get<Ipv4Header>(cnp.network);
  cnp_ip.dscp = 48;
  cnp_ip.ecn = Ecn::kNotEct;
  RoceLayer layer;
  layer.bth = Bth{.opcode = roce_opcode::kCnp, .becn = true, .dest_qp = 0x34};
  cnp.transport = layer;
  frames.push_back(plain("roce_cnp", cnp, kRoceCnp));

  FrameSpec ack = backward(3, udp_port::kRoce);
  layer.bth = Bth{.opcode = roce_opcode::kRcAcknowledge, .dest_qp = 0x34, .psn = 0x100};
  layer.aeth = Aeth{0x1F, 1};
  ack.transport = layer;
  frames.push_back(plain("roce_ack", ack, kRoceAck));

  FrameSpec pad = forward(1, udp_port::kRoce);
  pad.transport = writeOnly(0x101, 5);
  pad.payload = ByteView(kPayload).first(5);
  frames.push_back(plain("roce_write_only_pad", pad, kRoceWriteOnlyPad));
  return frames;
}

std::vector<WorkedFrame> makeControl() {
  std::vector<WorkedFrame> frames;
  CcUpdate update;
  update.consumed[0] = 0x12345;
  frames.push_back(plain("cc_update", control(update), kCcUpdate));

  PfcHeader pfc{.enabled = 1U << 3};
  frames.push_back(plain("pfc_xon", control(pfc), kPfcXon));
  pfc.quanta[3] = 0xFFFF;
  frames.push_back(plain("pfc_xoff", control(pfc), kPfcXoff));
  return frames;
}

}  // namespace

const std::vector<WorkedFrame>& workedFrames() {
  static const std::vector<WorkedFrame> frames = [] {
    std::vector<WorkedFrame> all = makeRoce();
    for (auto&& group : {makeUet(), makeControl()}) {
      all.insert(all.end(), group.begin(), group.end());
    }
    return all;
  }();
  return frames;
}

const WorkedFrame& workedFrame(const std::string& name) {
  for (const WorkedFrame& frame : workedFrames()) {
    if (frame.name == name) return frame;
  }
  throw std::out_of_range("no worked frame " + name);
}

Buffer fromHex(std::string_view hex) {
  Buffer bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(
        static_cast<std::uint8_t>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

}  // namespace plumbline::wire::test
