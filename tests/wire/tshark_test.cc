// Captures and frames as tshark, a dissector that is not ours, reads them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tool.h"
#include "wire/addresses.h"
#include "wire/frame.h"
#include "wire/pcapng.h"
#include "worked_frames.h"

namespace plumbline::wire::test {
namespace {

// One packet of the capture and tshark's expected output, field by field.
struct Case {
  Buffer bytes;
  PacketDirection direction = PacketDirection::kInbound;
  Picoseconds timestamp;
};

constexpr auto kFields = std::to_array<const char*>({
    "frame.time_epoch",
    "frame.interface_name",
    "frame.packet_flags_direction",
    "frame.comment",
    "frame.len",
    "eth.dst",
    "eth.src",
    "eth.fcs.status",
    "vlan.id",
    "vlan.priority",
    "ip.src",
    "ip.dst",
    "ip.dsfield.ecn",
    "ip.checksum.status",
    "ipv6.src",
    "ipv6.flow",
    "udp.srcport",
    "udp.dstport",
    "udp.checksum.status",
    "infiniband.bth.opcode",
    "infiniband.bth.padcnt",
    "infiniband.bth.destqp",
    "infiniband.bth.psn",
    "infiniband.bth.a",
    "infiniband.reth.va",
    "infiniband.reth.r_key",
    "infiniband.reth.dmalen",
    "infiniband.aeth.syndrome",
    "infiniband.aeth.msn",
    "infiniband.immdt",
    "infiniband.invariant.crc",
    "macc.opcode",
    "macc.cbfc.enbv",
    "macc.cbfc.pause_time.c3",
    "macc.pause_time",
});

std::string epoch(Picoseconds time) {
  const std::int64_t ns = time.count() / 1000;
  return fmt::format("{}.{:09}", ns / 1'000'000'000, ns % 1'000'000'000);
}

// tshark's expected output for a frame, from our own decoding of it.
std::map<std::string, std::string> expectation(const Case& c, const std::string& comment) {
  const DecodedFrame frame = decodeFrame(c.bytes);
  std::map<std::string, std::string> expected;
  for (const char* field : kFields) expected[field] = "";
  expected["frame.time_epoch"] = epoch(c.timestamp);
  const bool inbound = c.direction == PacketDirection::kInbound;
  expected["frame.interface_name"] = inbound ? "port1" : "port0";
  expected["frame.packet_flags_direction"] = inbound ? "0x00000001" : "0x00000002";
  expected["frame.comment"] = comment;
  expected["frame.len"] = std::to_string(c.bytes.size());
  expected["eth.dst"] = frame.ethernet.destination.toString();
  expected["eth.src"] = frame.ethernet.source.toString();
  expected["eth.fcs.status"] = frame.fcs->ok() ? "1" : "0";
  if (frame.vlan) {
    expected["vlan.id"] = std::to_string(frame.vlan->vid);
    expected["vlan.priority"] = std::to_string(frame.vlan->pcp);
  }
  if (const Ipv4Header* ip = frame.ipv4()) {
    expected["ip.src"] = ip->source.toString();
    expected["ip.dst"] = ip->destination.toString();
    expected["ip.dsfield.ecn"] = std::to_string(static_cast<int>(ip->ecn));
    expected["ip.checksum.status"] = "1";
  }
  if (const Ipv6Header* ip = frame.ipv6()) {
    expected["ipv6.src"] = ip->source.toString();
    expected["ipv6.flow"] = fmt::format("{:#08x}", ip->flow_label);
  }
  if (frame.udp) {
    expected["udp.srcport"] = std::to_string(frame.udp->source_port);
    expected["udp.dstport"] = std::to_string(frame.udp->destination_port);
    // 1 good, 3 not present, 4 illegal: RFC 8200 requires a checksum over IPv6.
    expected["udp.checksum.status"] =
        frame.udp_checksum ? "1" : (frame.ipv6() != nullptr ? "4" : "3");
  }
  if (const RoceLayer* roce = frame.roce()) {
    expected["infiniband.bth.opcode"] = std::to_string(roce->bth.opcode);
    expected["infiniband.bth.padcnt"] = std::to_string(roce->bth.pad_count);
    expected["infiniband.bth.destqp"] = fmt::format("{:#08x}", roce->bth.dest_qp);
    expected["infiniband.bth.psn"] = std::to_string(roce->bth.psn);
    expected["infiniband.bth.a"] = roce->bth.ack_request ? "1" : "0";
    if (roce->reth) {
      expected["infiniband.reth.va"] = fmt::format("{:#018x}", roce->reth->virtual_address);
      expected["infiniband.reth.r_key"] = fmt::format("{:#010x}", roce->reth->rkey);
      expected["infiniband.reth.dmalen"] = std::to_string(roce->reth->dma_length);
    }
    if (roce->aeth) {
      expected["infiniband.aeth.syndrome"] = std::to_string(roce->aeth->syndrome);
      expected["infiniband.aeth.msn"] = std::to_string(roce->aeth->msn);
    }
    if (roce->immediate) {
      expected["infiniband.immdt"] = fmt::format("{:08x}", roce->immediate->value);
    }
    expected["infiniband.invariant.crc"] = fmt::format("{:#010x}", frame.icrc->received);
  }
  if (const PfcHeader* pfc = frame.pfc()) {
    expected["macc.opcode"] = "0x0101";
    expected["macc.cbfc.enbv"] = fmt::format("{:#06x}", pfc->enabled);
    expected["macc.cbfc.pause_time.c3"] = std::to_string(pfc->quanta[3]);
  }
  if (const PauseHeader* pause = frame.pause()) {
    expected["macc.opcode"] = "0x0001";
    expected["macc.pause_time"] = std::to_string(pause->quanta);
  }
  return expected;
}

std::vector<Case> casesFor(PcapngResolution resolution) {
  std::vector<Case> all;
  for (const WorkedFrame& worked : workedFrames()) {
    // tshark knows neither CNP nor the unassigned MAC control opcode.
    if (worked.name == "roce_cnp" || worked.name == "cc_update") continue;
    all.push_back({worked.bytes, PacketDirection::kInbound, Picoseconds(0)});
  }
  FrameSpec pause;
  pause.destination = kMacControlAddress;
  pause.source = hostMac(0);
  pause.network = PauseHeader{0x1234};
  all.push_back({encodeFrame(pause), PacketDirection::kInbound, Picoseconds(0)});
  for (const RoceOpcode& opcode : roceOpcodes()) {
    if (opcode.transport == RoceTransport::kCnp) continue;
    FrameSpec spec = workedFrame("roce_write_only_vlan").spec;
    RoceLayer layer;
    layer.bth = {.opcode = opcode.code, .dest_qp = 0xABCDEF, .psn = 0xFEDCBA};
    if (opcode.reth) layer.reth = Reth{0x0123456789ABCDEFULL, 0x89ABCDEF, 0x1000};
    if (opcode.aeth) layer.aeth = Aeth{0x63, 0x123456};
    if (opcode.immediate) layer.immediate = ImmDt{0xDEADBEEF};
    if (opcode.ieth) layer.ieth = Ieth{0x12345678};
    spec.transport = layer;
    const Buffer payload(opcode.payload ? 57 : 0, 0x11);
    spec.payload = payload;
    all.push_back({encodeFrame(spec), PacketDirection::kInbound, Picoseconds(0)});
  }
  Buffer damaged = workedFrame("roce_write_only").bytes;
  damaged.back() ^= 1;
  all.push_back({damaged, PacketDirection::kInbound, Picoseconds(0)});
  // tshark 4.0 overflows 64 bits when it scales picoseconds, so that with those the fraction of a
  // second stays below 18 ms.
  const Picoseconds step = resolution == PcapngResolution::kNanoseconds
                               ? Picoseconds(1'234'567'891'011)
                               : seconds(1) + nanoseconds(234'567);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % 2 == 0) all[i].direction = PacketDirection::kOutbound;
    all[i].timestamp = static_cast<std::int64_t>(i) * step + Picoseconds(999);
  }
  return all;
}

class Tshark : public testing::TestWithParam<PcapngResolution> {};

INSTANTIATE_TEST_SUITE_P(Resolutions, Tshark,
                         testing::Values(PcapngResolution::kNanoseconds,
                                         PcapngResolution::kPicoseconds),
                         [](const auto& info) {
                           return info.param == PcapngResolution::kNanoseconds ? "Nanoseconds"
                                                                               : "Picoseconds";
                         });

TEST_P(Tshark, ReadsOurCapturesAsWeMeanThem) {
  if (runTool("tshark --version").exit_code != 0) {
    GTEST_SKIP() << "tshark is not installed (package tshark): captures not compared with it";
  }
  const std::vector<Case> all = casesFor(GetParam());
  const auto path = scratchFile("capture.pcapng");
  {
    std::ofstream file(path, std::ios::binary);
    PcapngWriter writer(file, {GetParam(), "simulated card", "plumbline"});
    for (const char* name : {"port0", "port1"}) {
      writer.addInterface({.name = name, .speed = gigabitsPerSecond(100), .fcs_bytes = 4});
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      PcapngPacket packet;
      packet.interface = all[i].direction == PacketDirection::kInbound ? 1 : 0;
      packet.timestamp = all[i].timestamp;
      packet.bytes = all[i].bytes;
      packet.original_length = static_cast<std::uint32_t>(all[i].bytes.size());
      packet.direction = all[i].direction;
      const std::string comment = fmt::format("case {}", i);
      packet.comment = comment;
      writer.write(packet);
    }
  }
  std::string command = "tshark -n -r " + path.string() +
                        " -o eth.check_fcs:TRUE -o ip.check_checksum:TRUE"
                        " -o udp.check_checksum:TRUE -T fields -E occurrence=f";
  for (const char* field : kFields) command += std::string(" -e ") + field;
  const ToolResult result = runTool(command);
  ASSERT_EQ(result.exit_code, 0);
  ASSERT_EQ(result.lines.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto expected = expectation(all[i], fmt::format("case {}", i));
    const std::vector<std::string> fields = splitTabs(result.lines[i]);
    ASSERT_EQ(fields.size(), kFields.size());
    for (std::size_t f = 0; f < kFields.size(); ++f) {
      EXPECT_EQ(fields[f], expected.at(kFields[f])) << kFields[f] << " of case " << i;
    }
  }
}

}  // namespace
}  // namespace plumbline::wire::test
