// The software's first frame, read back by the wire decoder: every layer and check sequence.
#include "session/first_frame.h"

#include <gtest/gtest.h>

#include "bench/card/flow_plan.h"
#include "wire/frame.h"

namespace plumbline::session {
namespace {

struct Format {
  const char* name;
  bench::Transport transport;
  bool ipv6;
  bool vlan;
  std::int64_t length;
};

void PrintTo(const Format& format, std::ostream* out) { *out << format.name; }

class FirstFrame : public testing::TestWithParam<Format> {};

TEST_P(FirstFrame, IsWhatTheStreamSays) {
  const Format& format = GetParam();
  bench::StreamSpec stream;
  stream.name = "s";
  stream.to = 1;
  stream.format.transport = format.transport;
  stream.format.ipv6 = format.ipv6;
  if (format.vlan) stream.format.vlan_id = 100;
  stream.format.dscp = 26;
  stream.frame = Bytes(format.length);
  stream.load = bench::ConstantLoad{Fraction::percent(10)};
  stream.start = nanoseconds(700);
  stream.group = 3;
  bench::TrialSpec spec;
  spec.duration = microseconds(10);
  spec.streams = {stream};
  bench::Capabilities capabilities;
  capabilities.max_ports = 2;
  capabilities.line_rate = gigabitsPerSecond(100);
  capabilities.flows_per_port = 256;
  capabilities.groups = 16;
  capabilities.max_qps = 256;
  ASSERT_TRUE(bench::planRefusals(spec, capabilities).empty());
  const auto plan = bench::planFlows(spec, capabilities);

  const auto bytes = firstFrame(plan.flows.at(0).at(0));
  ASSERT_EQ(bytes.size(), static_cast<std::size_t>(format.length));
  const auto frame = wire::decodeFrame(bytes);
  ASSERT_TRUE(frame.ok()) << wire::decodeErrorName(frame.error);
  EXPECT_TRUE(frame.fcs && frame.fcs->ok());
  EXPECT_EQ(frame.ipv6() != nullptr, format.ipv6);
  EXPECT_EQ(frame.vlan.has_value(), format.vlan);
  EXPECT_EQ(frame.roce() != nullptr, format.transport != bench::Transport::kUdp);
  EXPECT_EQ(frame.icrc.has_value(), format.transport != bench::Transport::kUdp);
  EXPECT_TRUE(!frame.icrc || frame.icrc->ok());
  EXPECT_EQ(frame.ipv4_checksum.has_value(), !format.ipv6);
  EXPECT_TRUE(!frame.ipv4_checksum || frame.ipv4_checksum->ok());
  ASSERT_TRUE(frame.tag.has_value());
  EXPECT_EQ(frame.tag->group(), 3u);
  EXPECT_EQ(frame.tag->sequence, 0u);
  EXPECT_EQ(frame.tag->departure, 700'000u);
  // Incrementing octets after the tag, which is at the start of the payload.
  for (std::size_t i = wire::TestTag::kSize; i < frame.payload.size(); ++i) {
    ASSERT_EQ(frame.payload[i], static_cast<std::uint8_t>(i - wire::TestTag::kSize)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Formats, FirstFrame,
    testing::Values(Format{"SmallestUdp", bench::Transport::kUdp, false, false, 64},
                    Format{"Udp6Vlan", bench::Transport::kUdp, true, true, 1518},
                    Format{"Write", bench::Transport::kRoceWrite, false, false, 1024 + 78},
                    Format{"WriteVlan", bench::Transport::kRoceWrite, false, true, 64 + 82},
                    Format{"Send6", bench::Transport::kRoceSend, true, false, 4096 + 82},
                    Format{"Largest", bench::Transport::kUdp, false, false, 9216}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace plumbline::session
