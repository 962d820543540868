#include "bench/card/flow_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/addresses.h"
#include "wire/frame.h"

namespace plumbline::bench {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Capabilities someCapabilities() {
  Capabilities capabilities;
  capabilities.max_ports = 8;
  capabilities.line_rate = gigabitsPerSecond(100);
  capabilities.flows_per_port = 256;
  capabilities.groups = 16;
  capabilities.max_qps = 4096;
  return capabilities;
}

StreamSpec stream(std::uint32_t from, std::uint32_t to, Bytes frame, Fraction rate) {
  StreamSpec spec;
  spec.name = "s";
  spec.from = from;
  spec.to = to;
  spec.frame = frame;
  spec.load = ConstantLoad{rate};
  return spec;
}

TrialSpec trial(std::vector<StreamSpec> streams) {
  TrialSpec spec;
  spec.dut.topology.hosts = 4;
  spec.streams = std::move(streams);
  spec.duration = microseconds(10);
  return spec;
}

TEST(PlanFlows, CountsTheFramesThatBeginWithinTheTrial) {
  // 1024 B: 83,520 ps per frame at line rate, 119.7 in 10 us.
  TrialSpec spec = trial({stream(0, 1, Bytes(1024), Fraction::one())});
  FlowPlan plan = planFlows(spec, someCapabilities());
  EXPECT_EQ(plan.streams[0].frames, 120U);
  EXPECT_EQ(plan.flows[0][0].burst_frames, 120U);
  EXPECT_EQ(plan.flows[0][0].bursts, 1U);
  EXPECT_EQ(plan.flows[0][0].period.raw(), 83520ULL << 16);
  // The last frame is due at 119 slots, the wire free one slot later (rounded up by 1 ps).
  EXPECT_EQ(plan.end, Picoseconds(120 * 83520 + 1));

  spec.streams[0].start = Picoseconds(10'000'000 - 83520);
  plan = planFlows(spec, someCapabilities());
  EXPECT_EQ(plan.streams[0].frames, 1U);
  EXPECT_EQ(plan.flows[0][0].first_due, spec.streams[0].start);
}

TEST(PlanFlows, KeepsTheGridBeyondTheLongestBurst) {
  TrialSpec spec = trial({stream(0, 1, Bytes(98), Fraction::one())});
  spec.duration = milliseconds(200);  // 21.2 M frames of 9440 ps
  const FlowPlan plan = planFlows(spec, someCapabilities());
  EXPECT_EQ(plan.streams[0].frames, 21'186'441U);
  EXPECT_EQ(plan.flows[0][0].burst_frames, 1U);
  EXPECT_EQ(plan.flows[0][0].bursts, 21'186'441U);
  EXPECT_EQ(plan.flows[0][0].burst_interval, plan.flows[0][0].period);
}

TEST(PlanFlows, MakesBurstsOfExactGap) {
  TrialSpec spec = trial({stream(0, 1, Bytes(1024), Fraction::one())});
  spec.streams[0].load =
      BurstLoad{.frames = 10, .extra_gap = Bytes(6), .bursts = 3, .interval = microseconds(2)};
  const FlowPlan plan = planFlows(spec, someCapabilities());
  EXPECT_EQ(plan.streams[0].frames, 30U);
  EXPECT_EQ(plan.flows[0][0].period.raw(), (83520ULL + 480) << 16);
  EXPECT_EQ(plan.flows[0][0].burst_interval.raw(), 2'000'000ULL << 16);
  EXPECT_EQ(plan.end, Picoseconds(4'000'000 + 9 * 84000 + 83520 + 1));
}

TEST(PlanFlows, GivesEveryStreamAFlowARowAndItsGroup) {
  TrialSpec spec = trial({stream(0, 1, Bytes(1024), Fraction::percent(30)),
                          stream(2, 1, Bytes(98), Fraction::percent(30)),
                          stream(0, 3, Bytes(4096), Fraction::percent(30))});
  spec.streams[2].group = 5;
  const FlowPlan plan = planFlows(spec, someCapabilities());
  ASSERT_EQ(plan.flows.size(), 4U);
  ASSERT_EQ(plan.flows[0].size(), 2U);
  ASSERT_EQ(plan.flows[2].size(), 1U);
  EXPECT_THAT(plan.flows[1], IsEmpty());
  EXPECT_EQ(plan.streams[0].flow, 0U);
  EXPECT_EQ(plan.streams[1].flow, 0U);
  EXPECT_EQ(plan.streams[2].flow, 1U);
  EXPECT_EQ(plan.flows[0][0].row, 0U);
  EXPECT_EQ(plan.flows[2][0].row, 1U);
  EXPECT_EQ(plan.flows[0][1].row, 2U);
  EXPECT_EQ(plan.flows[0][1].group, 5U);
  // Frames of one flow wait for one frame of the other at most: 84 ns and 329 ns slots.
  EXPECT_EQ(plan.late_threshold[0], nanoseconds(10) + Picoseconds(4116) * 80);
  EXPECT_EQ(plan.late_threshold[2], nanoseconds(10));
}

TEST(PlanFlows, TemplatesAreAddressedToTheHosts) {
  for (const bool ipv6 : {false, true}) {
    TrialSpec spec = trial({stream(3, 1, Bytes(256), Fraction::one())});
    spec.streams[0].format.ipv6 = ipv6;
    spec.streams[0].format.qps = 7;
    spec.streams[0].format.vlan_id = 99;
    const card::FlowConfig flow = planFlows(spec, someCapabilities()).flows[3][0];
    ASSERT_EQ(flow.head.size(), 256U);
    wire::DecodeOptions options;
    options.has_fcs = false;
    // The template's last bytes are the ICRC's and FCS's place.
    const wire::DecodedFrame frame =
        wire::decodeFrame(wire::ByteView(flow.head).first(256 - 4), options);
    ASSERT_TRUE(frame.ok()) << decodeErrorName(frame.error);
    EXPECT_EQ(frame.ethernet.destination, wire::hostMac(1));
    EXPECT_EQ(frame.ethernet.source, wire::hostMac(3));
    ASSERT_TRUE(frame.vlan);
    EXPECT_EQ(frame.vlan->vid, 99);
    EXPECT_EQ(frame.vlan->pcp, 3);
    if (ipv6) {
      EXPECT_EQ(frame.ipv6()->source, wire::hostIpv6(3));
      EXPECT_EQ(frame.ipv6()->destination, wire::hostIpv6(1));
      EXPECT_EQ(frame.ipv6()->ecn, wire::Ecn::kEct0);
    } else {
      EXPECT_EQ(frame.ipv4()->source, wire::hostIpv4(3));
      EXPECT_EQ(frame.ipv4()->destination, wire::hostIpv4(1));
      EXPECT_EQ(frame.ipv4()->dscp, 26);
    }
    ASSERT_NE(frame.roce(), nullptr);
    EXPECT_EQ(frame.roce()->bth.opcode, wire::roce_opcode::kRcWriteOnly);
    EXPECT_EQ(frame.roce()->bth.dest_qp, flow.qp_base);
    EXPECT_EQ(frame.udp->source_port, flow.source_port_base);
    EXPECT_GE(flow.source_port_base, 0xC000U);
    EXPECT_EQ(flow.qp_count, 7U);
    EXPECT_EQ(flow.source_port_mode, card::SourcePortMode::kFollowsQp);
    EXPECT_EQ(flow.vlan, true);
    EXPECT_EQ(flow.ipv6, ipv6);
    EXPECT_TRUE(flow.icrc && flow.roce && flow.modify_qp && flow.modify_psn);
    // Directly after the RETH.
    EXPECT_EQ(flow.tag_offset, 18U + (ipv6 ? 40 : 20) + 8 + 12 + 16);
    EXPECT_EQ(flow.payload_offset, flow.tag_offset + 18);
  }
}

TEST(PlanFlows, PlainUdpHasNoRoceFields) {
  TrialSpec spec = trial({stream(0, 1, Bytes(64), Fraction::one())});
  spec.streams[0].format.transport = Transport::kUdp;
  const card::FlowConfig flow = planFlows(spec, someCapabilities()).flows[0][0];
  EXPECT_FALSE(flow.icrc || flow.roce || flow.modify_qp || flow.modify_psn);
  EXPECT_EQ(flow.tag_offset, 42U);
}

TEST(PlanFlows, QueuePairsAndPortsOfStreamsStayInTheirRanges) {
  TrialSpec spec = trial({});
  for (std::uint32_t i = 0; i < 200; ++i) {
    spec.streams.push_back(stream(0, 1, Bytes(98), Fraction::partsPerTrillion(1'000'000'000)));
    spec.streams.back().format.qps = 4096;
  }
  ASSERT_THAT(planRefusals(spec, someCapabilities()), IsEmpty());
  const FlowPlan plan = planFlows(spec, someCapabilities());
  std::uint32_t next_qp = 0;
  for (const card::FlowConfig& flow : plan.flows[0]) {
    EXPECT_GE(flow.qp_base, next_qp);
    next_qp = flow.qp_base + 4096;
    EXPECT_GE(flow.source_port_base, 0xC000U);
    EXPECT_LE(flow.source_port_base + flow.qp_count, 0x10000U);
  }
  EXPECT_LE(next_qp, 1U << 24);
}

TEST(UsedHosts, IncludesTheCapturedOne) {
  TrialSpec spec = trial({stream(3, 1, Bytes(98), Fraction::one())});
  EXPECT_THAT(usedHosts(spec), ElementsAre(1, 3));
  spec.capture_port = 2;
  EXPECT_THAT(usedHosts(spec), ElementsAre(1, 2, 3));
}

// The refusals of a good trial after one change.
std::vector<std::string> refused(const std::function<void(TrialSpec&)>& change) {
  TrialSpec spec = trial({stream(0, 1, Bytes(1024), Fraction::percent(50)),
                          stream(0, 2, Bytes(1024), Fraction::percent(50))});
  change(spec);
  return planRefusals(spec, someCapabilities());
}

TEST(PlanRefusals, GiveAReasonOfSeveralStreamsOnce) {
  const auto why = refused([](TrialSpec& s) {
    s.streams.push_back(s.streams.front());
    for (StreamSpec& stream : s.streams) stream.frame = Bytes(20'000);
    s.streams[0].start = Picoseconds(-1);
  });
  EXPECT_THAT(why, Contains(AllOf(HasSubstr("stream 0 "), HasSubstr(" and 2 others: frames of "))));
  EXPECT_THAT(why, Contains(EndsWith(": a start time before the common start")));
  EXPECT_THAT(why, Not(Contains(HasSubstr("stream 1 "))));
}

TEST(PlanRefusals, SayWhatTheBenchCannotDo) {
  EXPECT_THAT(refused([](TrialSpec&) {}), IsEmpty());
  const auto change = [](auto&& function) { return refused(function); };
  EXPECT_THAT(change([](TrialSpec& s) { s.streams.clear(); }), Contains(HasSubstr("no streams")));
  EXPECT_THAT(change([](TrialSpec& s) { s.streams[0].to = 4; }),
              Contains(HasSubstr("to host 4 of a DUT with 4 hosts")));
  EXPECT_THAT(change([](TrialSpec& s) { s.streams[0].to = 0; }), Contains(HasSubstr("to itself")));
  EXPECT_THAT(change([](TrialSpec& s) { s.streams[1].group = 16; }),
              Contains(HasSubstr("latency group 16")));
  EXPECT_THAT(change([](TrialSpec& s) { s.streams[1].format.qps = 4097; }),
              Contains(HasSubstr("4097 queue pairs")));
  EXPECT_THAT(change([](TrialSpec& s) { s.streams[1].format.qps = 0; }),
              Contains(HasSubstr("0 queue pairs")));
  EXPECT_THAT(change([](TrialSpec& s) { s.streams[0].frame = Bytes(97); }),
              Contains(HasSubstr("need 98 to 9216 B")));
  EXPECT_THAT(change([](TrialSpec& s) { s.streams[0].frame = Bytes(9217); }),
              Contains(HasSubstr("9217 B")));
  EXPECT_THAT(change([](TrialSpec& s) {
                s.streams[0].load = ConstantLoad{Fraction::partsPerTrillion(500'000'000'001)};
              }),
              Contains(HasSubstr("host 0 is to send 50")).Times(0));
  EXPECT_THAT(change([](TrialSpec& s) { s.streams[0].load = ConstantLoad{Fraction::percent(51)}; }),
              Contains(HasSubstr("host 0 is to send 101 %")));
  EXPECT_THAT(change([](TrialSpec& s) { s.streams[0].load = ConstantLoad{Fraction()}; }),
              Contains(HasSubstr("rate 0")));
  EXPECT_THAT(change([](TrialSpec& s) { s.duration = Picoseconds(); }),
              Contains(HasSubstr("nothing to send")));
  EXPECT_THAT(change([](TrialSpec& s) { s.streams[0].start = Picoseconds(-1); }),
              Contains(HasSubstr("before the common start")));
  EXPECT_THAT(change([](TrialSpec& s) { s.streams[0].load = BurstLoad{.frames = 2}; }),
              Contains(HasSubstr("bursts beside other streams")));
  EXPECT_THAT(change([](TrialSpec& s) { s.streams[0].load = BurstLoad{.frames = (1U << 24) + 1}; }),
              Contains(HasSubstr("16777217 frames")));
  EXPECT_THAT(change([](TrialSpec& s) {
                s.streams[0].load =
                    BurstLoad{.frames = 100, .bursts = 2, .interval = microseconds(8)};
              }),
              Contains(HasSubstr("before the one before has ended")));
  EXPECT_THAT(change([](TrialSpec& s) { s.dut.topology.link_rate = gigabitsPerSecond(400); }),
              Contains(HasSubstr("400 Gb/s")));
  EXPECT_THAT(change([](TrialSpec& s) { s.capture_port = 4; }),
              Contains(HasSubstr("capture at host 4")));
  EXPECT_THAT(change([](TrialSpec& s) { s.streams[0].format.dscp = 64; }),
              Contains(HasSubstr("DSCP")));
}

TEST(PlanRefusals, CountPortsAndFlows) {
  EXPECT_THAT(refused([](TrialSpec& s) {
                s.dut.topology.hosts = 12;
                s.streams.clear();
                for (std::uint32_t i = 0; i < 9; ++i) {
                  s.streams.push_back(stream(i, i + 1, Bytes(98), Fraction::one()));
                }
              }),
              Contains(HasSubstr("10 hosts, the bench has 8 ports")));
  EXPECT_THAT(refused([](TrialSpec& s) {
                s.streams.assign(257,
                                 stream(0, 1, Bytes(98), Fraction::partsPerTrillion(1000000000)));
              }),
              Contains(HasSubstr("257 streams, a port has 256 flows")));
}

}  // namespace
}  // namespace plumbline::bench
