// docs/wireshark/plumbline.lua in tshark: the worked frames of the specifications' tables against
// values computed by hand, and frames of our encoder against the encoded values.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/paths/paths.h"
#include "tool.h"
#include "wire/addresses.h"
#include "wire/frame.h"
#include "wire/pcapng.h"
#include "worked_frames.h"

namespace plumbline::wire::test {
namespace {

constexpr std::uint16_t kLinkTypeUser0 = 147;  // control ordered sets, eight bytes each

using Fields = std::map<std::string, std::string>;

struct Frame {
  std::string name;
  Buffer bytes;
  Fields expected;  // as tshark prints them; empty: the field is absent
  std::uint16_t link_type = kLinkTypeEthernet;
};

// The values that FACTS A.9 and B.3.3 state beside the bytes.
std::vector<Frame> worked() {
  std::vector<Frame> frames;
  frames.push_back({"write",
                    workedFrame("uet_rud_write_crc").bytes,
                    {{"uet.pds.type", "2"},
                     {"uet.pds.next_hdr", "3"},
                     {"uet.pds.flags.syn", "1"},
                     {"uet.pds.flags.retx", "0"},
                     {"uet.pds.psn", "65536"},
                     {"uet.pds.spdcid", "0x0101"},
                     {"uet.pds.dpdcid", ""},
                     {"uet.pds.psn_offset", "0"},
                     {"uet.ses.opcode", "0x01"},
                     {"uet.ses.flags.som", "1"},
                     {"uet.ses.flags.eom", "1"},
                     {"uet.ses.message_id", "1"},
                     {"uet.ses.job_id", "10"},
                     {"uet.ses.pid_on_fep", "1"},
                     {"uet.ses.resource_index", "2"},
                     {"uet.ses.buffer_offset", "0x0000000000001000"},
                     {"uet.ses.initiator", "1"},
                     {"uet.ses.key", "0x000000000000abcd"},
                     {"uet.ses.request_length", "64"},
                     {"plumbline.magic", ""}}});
  frames.push_back({"ack",
                    workedFrame("uet_ack_response").bytes,
                    {{"uet.pds.type", "7"},
                     {"uet.pds.cack_psn", "65536"},
                     {"uet.pds.spdcid", "0x0202"},
                     {"uet.pds.dpdcid", "0x0101"},
                     {"uet.pds.flags.m", "0"},
                     {"uet.ses.return_code", "0x01"},
                     {"uet.ses.modified_length", "64"},
                     {"uet.ses.job_id", "10"}}});
  frames.push_back({"ack_cc",
                    workedFrame("uet_ack_cc_nscc").bytes,
                    {{"uet.pds.type", "8"},
                     {"uet.pds.flags.m", "1"},
                     {"uet.pds.ack_psn_offset", "2"},
                     {"uet.pds.cack_psn", "65536"},
                     {"uet.pds.sack_psn_offset", "1"},
                     {"uet.pds.sack_bitmap", "0x0000000000000002"},
                     {"uet.pds.mpr", "8"},
                     {"uet.pds.cc_type", "0"},
                     {"uet.pds.nscc.service_time", "10"},
                     {"uet.pds.nscc.rcvd_bytes", "4"},
                     {"uet.ses.opcode", ""}}});
  frames.push_back({"nack",
                    workedFrame("uet_nack_trimmed").bytes,
                    {{"uet.pds.type", "10"},
                     {"uet.pds.nack_code", "0x01"},
                     {"uet.pds.nack_psn", "65537"},
                     {"uet.pds.spdcid", "0x0202"},
                     {"uet.pds.dpdcid", "0x0101"}}});
  frames.push_back({"cc_update",
                    workedFrame("cc_update").bytes,
                    {{"uetcbfc.opcode", "0xfffe"},
                     {"uetcbfc.cid", "0xfa7acb"},
                     {"uetcbfc.type", "1"},
                     {"uetcbfc.consumed.vc0", "74565"},  // 0x12345
                     {"uetcbfc.consumed.vc1", "0"},
                     {"uetcbfc.consumed.vc15", "0"},
                     {"uetcbfc.consumed.vc16", ""}}});
  // Other MAC control stays Wireshark's.
  frames.push_back(
      {"pfc",
       workedFrame("pfc_xoff").bytes,
       {{"uetcbfc.opcode", ""}, {"macc.opcode", "0x0101"}, {"macc.cbfc.pause_time.c3", "65535"}}});
  return frames;
}

// Ordered sets of FACTS B.1: LLR_ACK of 0xABCDE is stated there; the others follow its layout.
std::vector<Frame> orderedSets() {
  const auto set = [](const char* name, const char* hex, Fields expected) {
    return Frame{name, fromHex(hex), std::move(expected), kLinkTypeUser0};
  };
  return {set("llr_ack", "4b01abcde6000000",
              {{"uectlos.type", "0x01"},
               {"uectlos.o_code", "0x06"},
               {"uectlos.llr.seq", "703710"},
               {"uectlos.llr.init_data", ""}}),
          set("llr_init", "4b03000016123400",
              {{"uectlos.type", "0x03"},
               {"uectlos.llr.seq", "1"},
               {"uectlos.llr.init_data", "0x1234"}}),
          // Channel 3 freed 0x7FFF credits, channel 31 freed 1.
          set("cf_update", "4b101ffff6f80010",
              {{"uectlos.type", "0x10"},
               {"uectlos.cf.vc", "3,31"},
               {"uectlos.cf.freed", "32767,1"},
               {"uectlos.llr.seq", ""}})};
}

Buffer tagged(std::uint32_t group, std::uint32_t row, std::uint64_t sequence,
              std::uint64_t departure) {
  Buffer payload(64, 0x55);
  TestTag{TestTag::makeId(group, row), sequence, departure}.encode(
      FixedSpan<TestTag::kSize>(payload.data(), TestTag::kSize));
  return payload;
}

const Fields kTag = {{"plumbline.magic", "0x504c"},
                     {"plumbline.group", "21"},
                     {"plumbline.flow", "1234"},
                     {"plumbline.sequence", "81985529216486895"},  // 0x0123456789ABCDEF
                     {"plumbline.departure", "281474976710654"}};  // 2^48 - 2

// The encoder's input, for every header with a different layout.
std::vector<Frame> encoded() {
  const Buffer payload = tagged(21, 1234, 0x0123456789ABCDEFULL, 0xFFFF'FFFF'FFFEULL);
  std::vector<Frame> frames;
  for (const char* base : {"roce_write_only", "roce_write_only_vlan", "roce_write_only_ipv6"}) {
    FrameSpec spec = workedFrame(base).spec;
    spec.payload = payload;
    frames.push_back({base, encodeFrame(spec), kTag});
    std::get<RoceLayer>(spec.transport).bth.opcode = 0x04;  // SEND Only: no RETH
    std::get<RoceLayer>(spec.transport).reth.reset();
    frames.push_back({std::string(base) + " send", encodeFrame(spec), kTag});
    spec.transport = std::monostate{};
    spec.udp->destination_port = 7;
    frames.push_back({std::string(base) + " udp", encodeFrame(spec), kTag});
  }
  FrameSpec spec = workedFrame("uet_rud_write").spec;
  spec.payload = payload;
  frames.push_back({"uet tag", encodeFrame(spec), kTag});
  const auto add = [&](const char* name, Pds pds, Ses ses, Fields expected) {
    UetLayer layer;
    layer.pds = std::move(pds);
    layer.ses = std::move(ses);
    FrameSpec one = spec;
    one.transport = layer;
    if (pdsNext(layer.pds) == PdsNext::kNone) one.payload = {};
    frames.push_back({name, encodeFrame(one), std::move(expected)});
  };
  SesMedium medium;
  medium.flags = {.opcode = ses_opcode::kSend, .header_data = true};
  medium.request_length = 0x1FFF;
  medium.address = {3, 0xABCDEF, 0x123, 0x456};
  medium.offset_or_data = 0x1122334455667788ULL;
  medium.initiator = 7;
  medium.key = 9;
  add("rod cc medium",
      PdsRequest{.ordered = true,
                 .next = PdsNext::kRequestMedium,
                 .retransmit = true,
                 .ack_request = true,
                 .clear_psn_offset = -5,
                 .psn = 0xFFFFFFFE,
                 .spdcid = 0x1234,
                 .target = {.dpdcid = 0x5678},
                 .cc = PdsRequestCc{17, 0xABCDE}},
      medium,
      {{"uet.pds.type", "14"},
       {"uet.pds.flags.retx", "1"},
       {"uet.pds.flags.ar", "1"},
       {"uet.pds.flags.syn", "0"},
       {"uet.pds.clear_psn_offset", "-5"},
       {"uet.pds.psn", "4294967294"},
       {"uet.pds.dpdcid", "0x5678"},
       {"uet.pds.ccc_id", "17"},
       {"uet.pds.credit_target", "703710"},
       {"uet.ses.opcode", "0x05"},
       {"uet.ses.request_length_short", "8191"},
       {"uet.ses.ri_generation", "3"},
       {"uet.ses.job_id", "11259375"},
       {"uet.ses.pid_on_fep", "291"},
       {"uet.ses.resource_index", "1110"},
       {"uet.ses.header_data", "0x1122334455667788"},
       {"uet.ses.buffer_offset", ""},
       {"uet.ses.initiator", "7"},
       {"uet.ses.key", "0x0000000000000009"},
       {"plumbline.flow", "1234"}});
  SesStandard later;
  later.flags = {.opcode = ses_opcode::kWrite, .end_of_message = false, .start_of_message = false};
  later.payload_length = 64;
  later.message_offset = 4096;
  add("rudi later", PdsRudi{.packet_id = 77}, later,
      {{"uet.pds.type", "4"},
       {"uet.pds.pkt_id", "77"},
       {"uet.ses.flags.som", "0"},
       {"uet.ses.payload_length", "64"},
       {"uet.ses.message_offset", "4096"},
       {"uet.ses.header_data", ""}});
  SesSmall small;
  small.request_length = 64;
  small.buffer_offset = 0xFFFF;
  add("uud small", PdsUud{.next = PdsNext::kRequestSmall}, small,
      {{"uet.pds.type", "6"},
       {"uet.ses.request_length_short", "64"},
       {"uet.ses.buffer_offset", "0x000000000000ffff"},
       {"plumbline.sequence", "81985529216486895"}});
  add("control",
      PdsControl{.control_type = 6,
                 .ack_request = true,
                 .probe_opaque = 0xBEEF,
                 .psn = 5,
                 .spdcid = 1,
                 .target = {.dpdcid = 2},
                 .payload = 0xCAFE},
      std::monostate{},
      {{"uet.pds.type", "11"},
       {"uet.pds.ctl_type", "6"},
       {"uet.pds.next_hdr", ""},
       {"uet.pds.probe_opaque", "0xbeef"},
       {"uet.pds.psn", "5"},
       {"uet.pds.payload", "0x0000cafe"}});
  add("credit ack",
      PdsAck{.probe = true,
             .request = AckRequest::kClose,
             .cack_psn = 3,
             .cc = PdsAckCc{.cc_type = PdsAckCc::kCredit,
                            .state = CreditState{.credit = 0x123456, .ooo_count = 9}.toBits()}},
      std::monostate{},
      {{"uet.pds.type", "8"},
       {"uet.pds.flags.p", "1"},
       {"uet.pds.flags.req", "2"},
       {"uet.pds.ack_psn_offset", ""},
       {"uet.pds.credit.credit", "1193046"},
       {"uet.pds.ooo_count", "9"}});
  add("response data", PdsAck{.next = PdsNext::kResponseData},
      SesResponseData{.message_id = 4,
                      .job_id = 5,
                      .read_request_message_id = 6,
                      .payload_length = 7,
                      .modified_length = 8,
                      .message_offset = 9},
      {{"uet.ses.message_id", "4"},
       {"uet.ses.job_id", "5"},
       {"uet.ses.read_request_message_id", "6"},
       {"uet.ses.data_length", "7"},
       {"uet.ses.modified_length", "8"},
       {"uet.ses.message_offset", "9"}});

  CcUpdate update;
  update.message_type = 2;
  for (std::uint32_t i = 0; i < update.consumed.size(); ++i) update.consumed[i] = 0xFFFFF - i;
  FrameSpec control = workedFrame("cc_update").spec;
  control.network = update;
  Fields credits = {{"uetcbfc.type", "2"}, {"uetcbfc.consumed.vc0", ""}};
  for (int i = 0; i < 16; ++i) {
    credits[fmt::format("uetcbfc.consumed.vc{}", 16 + i)] = std::to_string(0xFFFFF - i);
  }
  frames.push_back({"cc_update of the upper channels", encodeFrame(control), credits});

  // Trimmed to 24 bytes after the IP header: UDP and PDS with four bytes of SES.
  Buffer trimmed = workedFrame("uet_rud_write").bytes;
  trimmed.resize(14 + 20 + 24 + kFcsSize);
  trimmed[16] = 0;
  trimmed[17] = 44;  // IP length
  frames.push_back({"trimmed",
                    trimmed,
                    {{"uet.pds.type", "2"},
                     {"uet.pds.psn", "65536"},
                     {"uet.ses.opcode", ""},
                     {"uet.trimmed", "1"}}});
  return frames;
}

TEST(Dissector, ShowsWhatIsInTheFrames) {
  std::vector<Frame> frames = worked();
  for (auto more : {orderedSets(), encoded()}) {
    frames.insert(frames.end(), more.begin(), more.end());
  }
  const auto file = scratchFile("dissector.pcapng");
  {
    std::ofstream out(file, std::ios::binary);
    PcapngWriter writer(out, {});
    std::map<std::uint16_t, std::uint32_t> interfaces;
    for (const Frame& frame : frames) {
      if (!interfaces.contains(frame.link_type)) {
        PcapngInterface interface;
        interface.link_type = frame.link_type;
        if (frame.link_type == kLinkTypeEthernet) interface.fcs_bytes = kFcsSize;
        interfaces[frame.link_type] = writer.addInterface(interface);
      }
      PcapngPacket packet;
      packet.interface = interfaces[frame.link_type];
      packet.original_length = static_cast<std::uint32_t>(frame.bytes.size());
      packet.bytes = frame.bytes;
      writer.write(packet);
    }
  }
  std::vector<std::string> fields;
  for (const Frame& frame : frames) {
    for (const auto& [field, value] : frame.expected) {
      if (std::find(fields.begin(), fields.end(), field) == fields.end()) fields.push_back(field);
    }
  }
  // An unknown field, or a script with a mistake, ends tshark.
  std::string command = fmt::format("tshark -X lua_script:{} -r {} -T fields",
                                    checkoutPath("docs/wireshark/plumbline.lua"), file.string());
  for (const std::string& field : fields) command += " -e " + field;
  const ToolResult shown = runTool(command);
  ASSERT_EQ(shown.exit_code, 0) << command;
  ASSERT_EQ(shown.lines.size(), frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::vector<std::string> values = splitTabs(shown.lines[i]);
    ASSERT_EQ(values.size(), fields.size()) << shown.lines[i];
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const auto expected = frames[i].expected.find(fields[f]);
      if (expected == frames[i].expected.end()) continue;
      EXPECT_EQ(values[f], expected->second) << frames[i].name << ": " << fields[f];
    }
  }
}

// MAC control frames that are cut short are the frame's fault, not the script's.
TEST(Dissector, ControlFramesCutShortAreMalformed) {
  const auto file = scratchFile("dissector_short.pcapng");
  const Buffer whole = encodeFrame(workedFrame("cc_update").spec);
  std::size_t frames = 0;
  {
    std::ofstream out(file, std::ios::binary);
    PcapngWriter writer(out, {});
    PcapngPacket packet;
    packet.interface = writer.addInterface({});
    for (const std::uint8_t opcode : {0x00, 0x01, 0xFF}) {
      for (std::size_t length = 14; length < 24; ++length, ++frames) {
        Buffer bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
        if (length > 15) {
          bytes[14] = opcode;
          bytes[15] = opcode == 0 ? 1 : opcode;  // PAUSE, PFC, and what is neither
        }
        packet.original_length = static_cast<std::uint32_t>(bytes.size());
        packet.bytes = bytes;
        writer.write(packet);
      }
    }
  }
  const ToolResult shown =
      runTool(fmt::format("tshark -V -X lua_script:{} -r {}",
                          checkoutPath("docs/wireshark/plumbline.lua"), file.string()));
  ASSERT_EQ(shown.exit_code, 0);
  std::size_t seen = 0;
  for (const std::string& line : shown.lines) {
    EXPECT_EQ(line.find("Lua Error"), std::string::npos) << line;
    seen += line.starts_with("Frame ") ? 1 : 0;
  }
  EXPECT_EQ(seen, frames);
}

}  // namespace
}  // namespace plumbline::wire::test
