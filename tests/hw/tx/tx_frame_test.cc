// Every byte of what plumb_tx sends.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/random.h"
#include "tests/hw/tx/tx_bench.h"
#include "wire/frame.h"
#include "wire/template.h"

namespace plumbline::test {
namespace {

constexpr std::uint32_t kFlows = 256;

// Compares whole frames; says where they differ instead of printing them.
void expectSame(const wire::Buffer& got, const wire::Buffer& want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i], want[i]) << what << ", byte " << i << " of " << got.size();
  }
}

// Runs `flows` (each with its own schedule entry) to the end and checks every frame. The tag id
// of a flow is its number.
void runAndCheck(TxBench& bench, const std::vector<FlowConfig>& flows,
                 const std::vector<Entry>& schedule, std::int32_t offset) {
  for (std::uint32_t f = 0; f < flows.size(); ++f) bench.loadFlow(f, flows[f]);
  bench.loadSchedule(schedule);
  bench.keep_bytes = true;
  bench.sent.clear();
  bench.setOffset(offset);
  bench.setStartTime(bench.now() + 8'000'000);
  bench.setRunning(true);
  bench.runUntilIdle(3'000'000);
  bench.setRunning(false);
  bench.clocks(4);
}

// What a template is made of: frames of one kind, at every length.
struct Format {
  const char* name;
  std::optional<std::uint8_t> opcode;  // RoCE
  bool ipv6;
  bool vlan;
  bool uet = false;
};

constexpr std::uint32_t kUetTag = 12 + 44;  // behind UDP: PDS and standard SES

// A RUD request over UDP, as the format says, in place of what the specification has there.
wire::StreamTemplate uetTemplate(const wire::StreamTemplateSpec& spec) {
  wire::FrameSpec frame;
  frame.destination = spec.destination_mac;
  frame.source = spec.source_mac;
  if (spec.vlan_id) frame.vlan = wire::VlanTag{.pcp = spec.priority, .vid = *spec.vlan_id};
  if (spec.ipv6) {
    frame.network = wire::Ipv6Header{.dscp = spec.dscp, .ecn = spec.ecn};
  } else {
    frame.network = wire::Ipv4Header{.dscp = spec.dscp, .ecn = spec.ecn};
  }
  frame.udp = wire::UdpHeader{.source_port = 0xC000, .destination_port = wire::udp_port::kUet};
  wire::UetLayer uet;
  uet.pds = wire::PdsRequest{.next = wire::PdsNext::kRequestStandard, .psn = spec.psn};
  uet.ses = wire::SesStandard{};
  frame.transport = uet;
  wire::StreamTemplate made;
  made.l3 = spec.vlan_id ? 18 : 14;
  made.udp = made.l3 + (spec.ipv6 ? 40 : 20);
  made.tag_off = made.udp + 8 + kUetTag;
  made.pay_off = made.tag_off + wire::TestTag::kSize;
  const std::vector<std::uint8_t> payload(spec.length - made.tag_off - 4);
  frame.payload = payload;
  const wire::Buffer bytes = encodeFrame(frame);
  std::copy_n(bytes.begin(), std::min<std::size_t>(bytes.size() - 4, made.bytes.size()),
              made.bytes.begin());
  return made;
}

TEST(TxFrame, EveryLengthOfEveryFormat) {
  const std::array<Format, 5> formats{{{"UDP", std::nullopt, false, false},
                                       {"RoCE SEND, IPv4", 0x04, false, false},
                                       {"RoCE WRITE, IPv6, 802.1Q", 0x0A, true, true},
                                       {"UET RUD, IPv4", std::nullopt, false, false, true},
                                       {"UET RUD, IPv6, 802.1Q", std::nullopt, true, true, true}}};
  TxBench bench;
  for (const Format& format : formats) {
    std::uint32_t length = 64;
    std::uint64_t checked = 0;
    wire::StreamTemplateSpec spec{.destination_mac = {2, 0, 0, 0, 0, 2},
                                  .source_mac = {2, 0, 0, 0, 0, 1},
                                  .vlan_id = std::nullopt,
                                  .priority = 3,
                                  .ipv6 = format.ipv6,
                                  .dscp = 26,
                                  .ecn = wire::Ecn::kEct0,
                                  .roce_opcode = format.opcode,
                                  .dest_qp = 0x12,
                                  .psn = 0x100,
                                  .virtual_address = 0x123456789ABCDEF0,
                                  .rkey = 0xABCD};
    if (format.vlan) spec.vlan_id = 100;
    const std::uint32_t shortest =
        format.uet ? 14 + (format.vlan ? 4 : 0) + (format.ipv6 ? 40 : 20) + 8 + kUetTag +
                         static_cast<std::uint32_t>(wire::TestTag::kSize) + 4
                   : wire::minimumTaggedLength(spec);
    length = shortest;
    while (length <= 9216) {
      std::vector<FlowConfig> flows;
      std::vector<Entry> schedule;
      Due due = 0;
      for (std::uint32_t f = 0; f < kFlows && length <= 9216; ++f, ++length) {
        spec.length = length;
        const wire::StreamTemplate made =
            format.uet ? uetTemplate(spec) : wire::makeStreamTemplate(spec);
        FlowConfig flow{.length = length,
                        .tag_id = static_cast<std::uint16_t>(f),
                        .tag_off = made.tag_off,
                        .pay_off = made.pay_off,
                        .tag_en = true,
                        .icrc = made.icrc,
                        .vlan = format.vlan,
                        .ipv6 = format.ipv6,
                        .roce = format.opcode.has_value(),
                        .uet = format.uet,
                        .psn_en = format.uet,
                        .psn_base = spec.psn,
                        .period = slot(length) * kPsFraction,
                        .burst_len = 1,
                        .burst_count = 1,
                        .burst_interval = slot(length) * kPsFraction,
                        .bytes = made.bytes};
        flows.push_back(flow);
        schedule.push_back({due, f});
        due += dueAt(slot(length));
      }
      runAndCheck(bench, flows, schedule, 0);
      ASSERT_EQ(bench.sent.size(), flows.size());
      for (std::uint32_t f = 0; f < flows.size(); ++f) {
        const SentFrame& frame = bench.sent[f];
        expectSame(frame.bytes, expectedFrame(flows[f], 0, frame.departure),
                   std::string(format.name) + " " + std::to_string(flows[f].length));
        if (HasFatalFailure()) return;
        // And as a receiver that knows nothing of the card sees it.
        const wire::DecodedFrame decoded = wire::decodeFrame(frame.bytes);
        ASSERT_TRUE(decoded.ok()) << format.name << " " << flows[f].length;
        ASSERT_TRUE(decoded.fcs->ok());
        ASSERT_EQ(decoded.icrc.has_value(), format.opcode.has_value());
        ASSERT_EQ(decoded.uet() != nullptr, format.uet);
        if (decoded.icrc.has_value()) {
          ASSERT_TRUE(decoded.icrc->ok());
        }
        ++checked;
      }
      bench.clear();
    }
    EXPECT_EQ(checked, 9216 - shortest + 1) << format.name;
    RecordProperty(std::string("frames ") + format.name, static_cast<int>(checked));
  }
}

// RoCE frames too short for a tag, down to the shortest that has a BTH.
TEST(TxFrame, ShortFramesWithoutTag) {
  TxBench bench;
  RandomStream random(1, "short");
  std::vector<FlowConfig> flows;
  std::vector<Entry> schedule;
  for (std::uint32_t f = 0; f < kFlows; ++f) {
    FlowConfig flow{.icrc = true, .vlan = (f & 1) != 0, .ipv6 = (f & 2) != 0, .roce = true};
    const std::uint32_t shortest = std::max(64U, flow.udp() + 8 + 12 + 8);
    flow.length = shortest + f / 4;
    flow.pay_off = flow.udp() + 20 + (f / 4) % 5;
    flow.period = slot(flow.length) * kPsFraction;
    flow.burst_len = 1 + f % 3;
    flow.burst_count = 1;
    for (auto& byte : flow.bytes) byte = static_cast<std::uint8_t>(random.next());
    flows.push_back(flow);
    schedule.push_back({0, f});
  }
  runAndCheck(bench, flows, schedule, 0);
  // All are due together and nothing in a frame names its flow: compare them as a set.
  const auto text = [](const wire::Buffer& bytes) {
    return std::string(bytes.begin(), bytes.end());
  };
  std::multiset<std::string> expected;
  for (const FlowConfig& flow : flows) {
    for (std::uint32_t n = 0; n < flow.burst_len; ++n) {
      expected.insert(text(expectedFrame(flow, n, 0)));
    }
  }
  ASSERT_EQ(bench.sent.size(), expected.size());
  for (const SentFrame& frame : bench.sent) {
    const auto found = expected.find(text(frame.bytes));
    ASSERT_NE(found, expected.end()) << "length " << frame.length;
    expected.erase(found);
  }
}

// Anything the tables can say: every modifier, tag and payload anywhere, header bytes random.
class TxFrameRandom : public testing::TestWithParam<int> {};

FlowConfig randomFlow(RandomStream& random, std::uint32_t number) {
  FlowConfig flow;
  flow.vlan = random.below(2) != 0;
  flow.ipv6 = random.below(2) != 0;
  const std::uint64_t kind = random.below(3);
  flow.roce = kind == 1;
  flow.uet = kind == 2;
  flow.icrc = random.below(2) != 0;
  flow.priority = static_cast<std::uint32_t>(random.below(8));
  // Long enough for all fields of the headers, and the check sequences behind them.
  const std::uint32_t shortest = std::max(64U, flow.udp() + 20 + 8);
  flow.length =
      static_cast<std::uint32_t>(shortest + random.below(random.below(2) == 0 ? 400 : 40));
  flow.tag_id = static_cast<std::uint16_t>(number);
  flow.tag_en = true;
  // The tag anywhere behind the headers, as far as its bytes (and the template) reach.
  const std::uint32_t room = std::min(flow.length - 8, 256U);
  const std::uint32_t behind = flow.udp() + 20;
  if (behind + 18 <= room) {
    flow.tag_off = static_cast<std::uint32_t>(behind + random.below(room - 18 - behind + 1));
  } else {
    flow.tag_en = false;
  }
  flow.pay_off = static_cast<std::uint32_t>(random.below(257));
  flow.psn_en = random.below(4) != 0;
  flow.qp_en = random.below(4) != 0 && !flow.uet;
  flow.sport_mode = static_cast<std::uint32_t>(random.below(3));
  flow.addr_mode = static_cast<std::uint32_t>(random.below(3));
  flow.qp_count = static_cast<std::uint32_t>(1 + random.below(random.below(2) == 0 ? 4 : 4096));
  flow.qp_base = static_cast<std::uint32_t>(random.below(1U << 24));
  flow.psn_base = static_cast<std::uint32_t>(random.next());
  flow.sport_base = static_cast<std::uint32_t>(random.below(1U << 16));
  flow.sport_count = static_cast<std::uint32_t>(1 + random.below(random.below(2) == 0 ? 5 : 65536));
  flow.addr_base = static_cast<std::uint32_t>(random.below(1U << 16));
  flow.addr_count = static_cast<std::uint32_t>(1 + random.below(65536 - flow.addr_base));
  if (random.below(2) == 0) flow.addr_count = std::min(flow.addr_count, 3U);
  for (auto& byte : flow.bytes) byte = static_cast<std::uint8_t>(random.next());
  // The modifiers must not be overwritten by the payload, nor the header sum be of other bytes.
  flow.pay_off = std::max(flow.pay_off, flow.udp() + 20);
  return flow;
}

TEST_P(TxFrameRandom, EveryByte) {
  TxBench bench;
  RandomStream random(static_cast<std::uint64_t>(GetParam()), "frames");
  std::vector<FlowConfig> flows;
  std::vector<Entry> schedule;
  std::uint64_t load = 0;
  for (std::uint32_t f = 0; f < kFlows; ++f) {
    flows.push_back(randomFlow(random, f));
    load += slot(flows.back().length);
  }
  for (std::uint32_t f = 0; f < kFlows; ++f) {
    flows[f].burst_len = static_cast<std::uint32_t>(1 + random.below(20));
    flows[f].burst_count = 1;
    // Some come back to back, which makes the same flow follow itself after two clocks.
    flows[f].period =
        (f % 4 == 0 ? slot(flows[f].length) : load + random.below(5000)) * kPsFraction;
    schedule.push_back({dueAt(random.below(load)) + random.below(kPsFraction), f});
  }
  const auto offset = static_cast<std::int32_t>(random.below(400'000)) - 200'000;
  runAndCheck(bench, flows, schedule, offset);

  std::vector<std::uint64_t> sent(kFlows);
  std::uint64_t untagged = 0;
  for (const SentFrame& frame : bench.sent) {
    // Which flow it is: by its tag where it has one; the rest is found by comparing.
    std::uint32_t f = 0;
    for (; f < kFlows; ++f) {
      const FlowConfig& flow = flows[f];
      if (flow.length != frame.length || sent[f] == flow.burst_len) continue;
      if (flow.tag_en ? wire::load16(frame.bytes.data() + flow.tag_off) == 0x504C &&
                            wire::load16(frame.bytes.data() + flow.tag_off + 2) == f
                      : frame.bytes == expectedFrame(flow, sent[f], 0)) {
        break;
      }
    }
    ASSERT_LT(f, kFlows) << "a frame of length " << frame.length << " belongs to no flow";
    expectSame(frame.bytes, expectedFrame(flows[f], sent[f], frame.departure),
               "flow " + std::to_string(f) + " frame " + std::to_string(sent[f]));
    if (HasFatalFailure()) return;
    EXPECT_EQ(frame.user, (SentUser{.icrc = flows[f].icrc,
                                    .priority = flows[f].priority,
                                    .flow = f,
                                    .number = static_cast<std::uint32_t>(sent[f]),
                                    .length = flows[f].length}));
    if (!flows[f].tag_en) ++untagged;
    ++sent[f];
  }
  for (std::uint32_t f = 0; f < kFlows; ++f) EXPECT_EQ(sent[f], flows[f].burst_len) << f;
  EXPECT_LT(untagged, bench.sent.size() / 2);
  // The offset was in the departure: without it the first beat crosses within a clock before, or
  // as late as the wire was free.
  const SentFrame& first = bench.sent.front();
  EXPECT_NEAR(static_cast<double>(first.departure) - offset, static_cast<double>(first.crossing),
              2);
}

INSTANTIATE_TEST_SUITE_P(Seeds, TxFrameRandom, testing::Range(0, 8));

// Counters that wrap: 4096 QPs, 65536 ports and addresses, PSNs around 2^24 and 2^32.
TEST(TxFrame, LongCounts) {
  TxBench bench;
  RandomStream random(3, "counts");
  std::vector<FlowConfig> flows(3);
  for (FlowConfig& flow : flows) {
    for (auto& byte : flow.bytes) byte = static_cast<std::uint8_t>(random.next());
    flow.length = 90;
    flow.pay_off = 62;
    flow.psn_en = true;
    flow.sport_count = 65536;
    flow.sport_mode = 2;
    flow.sport_base = 0xFFF0;
    flow.addr_count = 65536;
    flow.burst_len = 70'000;
    flow.burst_count = 1;
    flow.period = 3 * slot(90) * kPsFraction;
  }
  flows[0].roce = flows[0].qp_en = true;
  flows[0].qp_count = 4096;
  flows[0].qp_base = 0xFFFFF0;
  flows[0].psn_base = 0xFFFFF8;
  flows[0].sport_mode = 1;
  flows[0].addr_mode = 1;
  flows[1].uet = true;
  flows[1].psn_base = 0xFFFFFFF0;
  flows[1].addr_mode = 2;
  flows[2].roce = flows[2].icrc = true;
  flows[2].qp_count = 1;
  flows[2].psn_base = 0xFFFF00;
  std::array<std::uint64_t, 3> sent{};
  bench.keep_bytes = true;
  bench.on_frame = [&](const SentFrame& frame) {
    // The three follow each other in turn.
    const std::size_t f = (sent[0] + sent[1] + sent[2]) % 3;
    if (!HasFatalFailure()) {
      expectSame(frame.bytes, expectedFrame(flows[f], sent[f], frame.departure),
                 "flow " + std::to_string(f) + " frame " + std::to_string(sent[f]));
    }
    ++sent[f];
  };
  runAndCheck(bench, flows, {{0, 0}, {dueAt(slot(90)), 1}, {dueAt(2 * slot(90)), 2}}, 0);
  EXPECT_EQ(sent, (std::array<std::uint64_t, 3>{70'000, 70'000, 70'000}));
}

}  // namespace
}  // namespace plumbline::test
