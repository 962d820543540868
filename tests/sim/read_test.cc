// READs through a switch: what counts as data is what has payload, for every transport that has
// them.
#include <gtest/gtest.h>

#include "tests/sim/stack.h"
#include "transport/roce/roce_spec.h"
#include "transport/uet/uet_spec.h"

namespace plumbline::sim::testing {
namespace {

// Requests of some 100 bytes are stored in the switch for less time than data. The latency of data
// is that of full frames alone: two links, the switch, and storing a frame of headers and 4096 B,
// the first of a response, whose followers keep their distance.
TEST(Read, OnlyDataCountsAsData) {
  constexpr std::uint64_t kReads = 100;
  for (const bool uet : {false, true}) {
    for (const std::uint64_t packets : {1U, 3U}) {
      TrialSpec spec;
      spec.dut = oneSwitch(2, gigabitsPerSecond(100), nanoseconds(50));
      spec.dut.switches.latency = nanoseconds(600);
      spec.dut.switches.buffer_per_port = Bytes(10'000'000);
      spec.workload.emplace();
      spec.workload->jobs = {messagesTo(0, {1}, packets * 4096, kReads)};
      spec.workload->jobs[0].verb = transport::Verb::kRead;
      // Ethernet 14, IPv4 20, UDP 8, FCS 4; RoCE: BTH 12, ICRC 4, and AETH 4 in the first and last
      // packet of a response; UET: PDS 12 and SES 20 of read data.
      std::int64_t frame = 4096 + 14 + 20 + 8 + 4;
      if (uet) {
        spec.transport = transport::UetSpec{};
        frame += 12 + 20;
      } else {
        transport::RoceSpec roce;
        roce.path_mtu = 4096;
        spec.transport = roce;
        frame += 12 + 4 + 4;
      }
      Stack stack(spec);
      const Account account = stack.run(seconds(1));
      stack.expectFinished();
      const transport::EndpointStats& all = account.endpoints;
      EXPECT_EQ(all.data_sent, kReads * packets);
      EXPECT_EQ(all.data_received, kReads * packets);
      EXPECT_EQ(all.payload_received, kReads * packets * 4096);
      EXPECT_EQ(all.retransmitted, 0U);
      EXPECT_GE(all.control_sent, kReads);
      ASSERT_EQ(all.latency.count(), kReads * packets);
      const auto path = static_cast<std::uint64_t>(700'000 + frame * 80);
      EXPECT_EQ(all.latency.minimum(), path);
      EXPECT_EQ(all.latency.maximum(), path);
    }
  }
}

}  // namespace
}  // namespace plumbline::sim::testing
