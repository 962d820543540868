// Messages of every size and verb over every service of an undisturbed network.
#include <gtest/gtest.h>

#include <numeric>
#include <utility>

#include "base/error.h"
#include "tests/transport/uet_hosts.h"

namespace plumbline::transport_test {
namespace {

using transport::UetCongestionControl;
using transport::UetService;
using transport::UetSpec;
using transport::Verb;

class EveryService : public ::testing::TestWithParam<UetService> {
 protected:
  UetSpec spec() const {
    UetSpec s;
    s.service = GetParam();
    return s;
  }
};

INSTANTIATE_TEST_SUITE_P(Uet, EveryService,
                         ::testing::Values(UetService::kRod, UetService::kRud, UetService::kRudi,
                                           UetService::kUud));

TEST_P(EveryService, DeliversEverySizeAroundThePacketBoundaries) {
  for (const std::uint64_t bytes : {1ULL, 4095ULL, 4096ULL, 4097ULL, 8191ULL, 8192ULL, 8193ULL,
                                    16384ULL, 65537ULL, 4'000'001ULL}) {
    UetHosts hosts(spec());
    hosts.applications[0].postAt(microseconds(1), {1, 3, Verb::kWrite, bytes, 77});
    hosts.network->run();
    ASSERT_EQ(hosts.applications[1].arrivals.size(), 1U) << bytes;
    const auto& arrival = hosts.applications[1].arrivals[0].event;
    EXPECT_EQ(arrival.bytes, bytes);
    EXPECT_EQ(arrival.from, 0U);
    EXPECT_EQ(arrival.flow, 3U);
    EXPECT_EQ(arrival.tag, 77U);
    ASSERT_EQ(hosts.applications[0].completions.size(), 1U) << bytes;
    EXPECT_FALSE(hosts.applications[0].completions[0].event.failed);
    EXPECT_EQ(hosts.applications[0].completions[0].event.posted, microseconds(1));
    const auto& stats = hosts.uet[0]->stats();
    EXPECT_EQ(stats.data_sent, (bytes + 4095) / 4096);
    EXPECT_EQ(stats.retransmitted, 0U);
    EXPECT_EQ(hosts.uet[1]->stats().payload_received, bytes);
    EXPECT_EQ(hosts.uet[1]->stats().duplicates, 0U);
  }
}

TEST_P(EveryService, FramesHaveTheSizesOfTheFactSheet) {
  // A.1.1 without the optional CRC: 102, 102, 98, 94 bytes around the payload.
  const std::uint16_t overhead = GetParam() == UetService::kRudi  ? 98
                                 : GetParam() == UetService::kUud ? 94
                                                                  : 102;
  UetHosts hosts(spec());
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kSend, 4096 + 10, 0});
  hosts.network->run();
  const auto data = hosts.network->sent(UetHosts::isData);
  ASSERT_EQ(data.size(), 2U);
  EXPECT_EQ(data[0].packet.length, 4096 + overhead);
  EXPECT_EQ(data[1].packet.length, 10 + overhead);
  EXPECT_EQ(data[1].time - data[0].time, Picoseconds(80L * (4096 + overhead + 20)));
}

TEST_P(EveryService, FirstDataLeavesAtOnceAndArrivesInOneWayTime) {
  UetHosts hosts(spec());
  hosts.applications[0].postAt(microseconds(5), {1, 0, Verb::kWrite, 64, 0});
  hosts.network->run();
  const auto data = hosts.network->sent(UetHosts::isData);
  ASSERT_EQ(data.size(), 1U);
  EXPECT_EQ(data[0].time, microseconds(5));
  ASSERT_EQ(hosts.applications[1].arrivals.size(), 1U);
  EXPECT_EQ(hosts.applications[1].arrivals[0].time,
            microseconds(6) + Picoseconds(80L * data[0].packet.length));
  EXPECT_EQ(hosts.uet[1]->stats().latency.minimum(), 1'000'000U);
  EXPECT_EQ(hosts.uet[1]->stats().latency.maximum(), 1'000'000U);
}

TEST_P(EveryService, ManyFlowsShareTheWireFrameByFrame) {
  UetHosts hosts(spec());
  for (std::uint32_t flow = 0; flow < 4; ++flow) {
    hosts.applications[0].postAt(Picoseconds(0), {1, flow, Verb::kWrite, 3 * 4096ULL, flow});
  }
  hosts.network->run();
  const auto data = hosts.network->sent(UetHosts::isData);
  ASSERT_EQ(data.size(), 12U);
  for (std::size_t i = 0; i < data.size(); ++i) {
    EXPECT_EQ(data[i].packet.connection >> 16, i % 4) << i;
  }
  EXPECT_EQ(hosts.applications[1].arrivals.size(), 4U);
}

TEST_P(EveryService, MessagesOfAFlowAreSentInTheirOrder) {
  UetHosts hosts(spec());
  for (std::uint32_t tag = 0; tag < 50; ++tag) {
    hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 1 + tag * 777, tag});
  }
  hosts.network->run();
  ASSERT_EQ(hosts.applications[1].arrivals.size(), 50U);
  for (std::uint32_t tag = 0; tag < 50; ++tag) {
    EXPECT_EQ(hosts.applications[1].arrivals[tag].event.tag, tag);
    EXPECT_EQ(hosts.applications[1].arrivals[tag].event.bytes, 1 + tag * 777);
    EXPECT_EQ(hosts.applications[0].completions[tag].event.tag, tag);
  }
}

TEST_P(EveryService, FlowStatisticsOutliveTheirFlow) {
  UetHosts hosts(spec());
  hosts.applications[0].postAt(microseconds(2), {1, 9, Verb::kWrite, 10'000, 0});
  hosts.applications[0].postAt(milliseconds(2), {1, 9, Verb::kWrite, 5'000, 0});
  hosts.network->run();
  std::vector<transport::FlowStats> sent;
  hosts.uet[0]->appendFlows(sent);
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].peer, 1U);
  EXPECT_EQ(sent[0].flow, 9U);
  EXPECT_EQ(sent[0].packets_sent, 5U);
  EXPECT_EQ(sent[0].payload_acknowledged, 15'000U);
  EXPECT_EQ(sent[0].payload_received, 0U);
  EXPECT_EQ(sent[0].first_sent, microseconds(2));
  EXPECT_EQ(sent[0].last_done, hosts.applications[0].completions[1].time);
  std::vector<transport::FlowStats> received;
  hosts.uet[1]->appendFlows(received);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].peer, 0U);
  EXPECT_EQ(received[0].payload_received, 15'000U);
  EXPECT_EQ(received[0].last_done, hosts.applications[1].arrivals[1].time);
}

TEST_P(EveryService, DataIsHeldWhileItsPriorityIsPaused) {
  UetHosts hosts(spec());
  hosts.network->pause(Picoseconds(0), 0, 0x01);
  hosts.network->pause(microseconds(30), 0, 0x00);
  hosts.applications[0].postAt(microseconds(1), {1, 0, Verb::kWrite, 5000, 0});
  hosts.network->run();
  const auto data = hosts.network->sent(UetHosts::isData);
  ASSERT_EQ(data.size(), 2U);
  EXPECT_EQ(data[0].time, microseconds(30));
}

TEST(UetRead, DataComesBackAndIsToldToThePosterOnly) {
  for (const UetService service : {UetService::kRod, UetService::kRud}) {
    UetSpec spec;
    spec.service = service;
    UetHosts hosts(spec);
    hosts.applications[0].postAt(Picoseconds(0), {1, 2, Verb::kRead, 10'000, 42});
    hosts.applications[0].postAt(Picoseconds(0), {1, 2, Verb::kRead, 100, 43});
    hosts.network->run();
    EXPECT_TRUE(hosts.applications[1].arrivals.empty());
    EXPECT_TRUE(hosts.applications[1].completions.empty());
    ASSERT_EQ(hosts.applications[0].arrivals.size(), 2U);
    EXPECT_EQ(hosts.applications[0].arrivals[0].event.bytes, 10'000U);
    EXPECT_EQ(hosts.applications[0].arrivals[0].event.tag, 42U);
    EXPECT_EQ(hosts.applications[0].arrivals[0].event.verb, Verb::kRead);
    EXPECT_EQ(hosts.applications[0].arrivals[1].event.tag, 43U);
    ASSERT_EQ(hosts.applications[0].completions.size(), 2U);
    EXPECT_EQ(hosts.applications[0].completions[1].event.bytes, 100U);
    const auto data = hosts.network->sent(UetHosts::isData);
    ASSERT_EQ(data.size(), 6U);
    EXPECT_EQ(data[0].packet.length, 102U);  // the request: no payload
    // Read data: PDS 12, SES response with data 20.
    EXPECT_EQ(data[2].host, 1U);
    EXPECT_EQ(data[2].packet.length, 4096 + 14 + 20 + 8 + 12 + 20 + 4);
    EXPECT_EQ(hosts.uet[0]->openPdcs(), 0U);
    EXPECT_EQ(hosts.uet[1]->openTargets(), 0U);
  }
}

// Requests have no payload: they are control, as with RoCE, also those that are sent again, arrive
// twice, or are discarded behind a lost one.
TEST(UetRead, RequestsCountAsControlHoweverOftenTheyAreSent) {
  for (const UetService service : {UetService::kRod, UetService::kRud}) {
    for (const auto& [action, extra] :
         {std::pair{Action::kDeliver, Picoseconds(0)}, std::pair{Action::kDrop, Picoseconds(0)},
          std::pair{Action::kDuplicate, microseconds(3)}, std::pair{Action::kTrim, Picoseconds(0)},
          std::pair{Action::kMark, Picoseconds(0)}, std::pair{Action::kDelay, microseconds(3)}}) {
      UetSpec spec;
      spec.service = service;
      spec.congestion_control =
          action == Action::kMark ? UetCongestionControl::kRccc : UetCongestionControl::kNscc;
      spec.rto = microseconds(100);
      UetHosts hosts(spec);
      constexpr std::uint32_t kReads = 10;
      Rule rule;
      rule.matches = [](const fabric::Packet& p) { return p.source == 0 && UetHosts::isData(p); };
      rule.first = 2;
      rule.action = action;
      rule.extra = extra;
      hosts.network->add(rule);
      for (std::uint32_t i = 0; i < kReads; ++i) {
        hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kRead, 10'000, i});
      }
      hosts.network->run();
      EXPECT_EQ(hosts.applications[0].completions.size(), kReads);
      const transport::EndpointStats& poster = hosts.uet[0]->stats();
      const transport::EndpointStats& responder = hosts.uet[1]->stats();
      EXPECT_EQ(poster.data_sent + poster.bytes_sent + poster.retransmitted, 0U);
      EXPECT_EQ(responder.data_received + responder.latency.count(), 0U);
      EXPECT_EQ(responder.duplicates + responder.out_of_order + responder.discarded +
                    responder.ce_received,
                0U);
      // All that host 0 sent is control, and three packets of data for each request.
      EXPECT_EQ(poster.control_sent,
                hosts.network->sent([](const fabric::Packet& p) { return p.source == 0; }).size());
      EXPECT_EQ(responder.data_sent, 3U * kReads);
      EXPECT_EQ(responder.retransmitted, 0U);
      EXPECT_EQ(poster.data_received, 3U * kReads);
      EXPECT_EQ(poster.latency.count(), 3U * kReads);
    }
  }
}

TEST(UetRead, ServicesWithoutPdcRefuseIt) {
  for (const UetService service : {UetService::kRudi, UetService::kUud}) {
    UetSpec spec;
    spec.service = service;
    UetHosts hosts(spec);
    EXPECT_THROW(hosts.uet[0]->post({1, 0, Verb::kRead, 10, 0}, Picoseconds(0)), Error);
  }
  UetHosts hosts(UetSpec{});
  EXPECT_THROW(hosts.uet[0]->post({1, 0, Verb::kRead, 1ULL << 32, 0}, Picoseconds(0)), Error);
  EXPECT_THROW(hosts.uet[0]->post({1, 0, Verb::kWrite, 0, 0}, Picoseconds(0)), Error);
  EXPECT_THROW(hosts.uet[0]->post({1, 256, Verb::kWrite, 1, 0}, Picoseconds(0)), Error);
  EXPECT_THROW(hosts.uet[0]->post({1, 0, Verb::kWrite, (1ULL << 40) + 1, 0}, Picoseconds(0)),
               Error);
}

// With a fixed window of exactly two packets and one RTT, the sender stalls after every second one.
TEST(UetWindow, FixedWindowHoldsBackTheThirdPacket) {
  UetSpec spec;
  spec.congestion_control = UetCongestionControl::kNone;
  // Nominal size of a full packet: 8 + 12 + 44 + 4096 + 40 = 4200 bytes; BDP = 150,000 bytes.
  spec.fixed_window = 2 * 4200.5 / 150'000;
  UetHosts hosts(spec);
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 4 * 4096ULL, 0});
  hosts.network->run();
  const auto data = hosts.network->sent(UetHosts::isData);
  ASSERT_EQ(data.size(), 4U);
  const Picoseconds slot((4198 + 20) * 80L);
  EXPECT_EQ(data[1].time, slot);
  // The second packet requests an ACK: 1 µs and its length there, an ACK of 70 bytes back.
  EXPECT_EQ(data[2].time, slot + microseconds(2) + Picoseconds(4198 * 80L) + Picoseconds(70 * 80L));
  EXPECT_TRUE(transport::unpackData(data[1].packet.extra, true).ack_request);
  EXPECT_FALSE(transport::unpackData(data[0].packet.extra, true).ack_request);
}

}  // namespace
}  // namespace plumbline::transport_test
