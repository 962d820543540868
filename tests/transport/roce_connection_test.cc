// Connection management: REQ, REP, RTU and their cost.
#include <gtest/gtest.h>

#include "tests/transport/roce_hosts.h"

namespace plumbline::transport_test {
namespace {

using transport::RoceCmSpec;
using transport::RoceKind;
using transport::RoceSpec;
namespace roce_code = transport::roce_code;

bool isConnection(const fabric::Packet& packet) {
  return transport::meaningOf(RoceHosts::code(packet)).kind == RoceKind::kConnection;
}

RoceSpec managed(Picoseconds processing = microseconds(10)) {
  RoceSpec spec;
  spec.path_mtu = kMtu;
  spec.cm.emplace().processing = processing;
  spec.cm->response_timeout = milliseconds(1);
  spec.cm->retries = 2;
  return spec;
}

// Ethernet 14, IPv4 20, UDP 8, BTH 12, DETH 8, MAD 256, ICRC 4, FCS 4.
constexpr std::int64_t kMadFrame = 326;

TEST(RoceConnection, HandshakeTakesThreeStepsAndARoundTrip) {
  RoceHosts hosts(managed());
  hosts.applications[0].postAt(microseconds(5), write(100));
  hosts.network->run();
  const auto sent = hosts.network->sent(isConnection);
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_EQ(RoceHosts::code(sent[0].packet), roce_code::kConnectRequest);
  EXPECT_EQ(RoceHosts::code(sent[1].packet), roce_code::kConnectReply);
  EXPECT_EQ(RoceHosts::code(sent[2].packet), roce_code::kReadyToUse);
  EXPECT_EQ(sent[0].packet.length, kMadFrame);
  EXPECT_EQ(transport::bthOpcode(RoceHosts::code(sent[0].packet)), 0x64);  // UD SEND Only
  // 5 us + processing; then each way the frame and the wire, and processing at either end.
  const Picoseconds way = Picoseconds(kMadFrame * kByte) + kDelay;
  EXPECT_EQ(sent[0].time, microseconds(15));
  EXPECT_EQ(sent[1].time, microseconds(15) + way + microseconds(10));
  const Picoseconds ready = microseconds(15) + (way + microseconds(10)) * 2;
  EXPECT_EQ(sent[2].time, ready);
  const auto data = hosts.network->sent(RoceHosts::isData);
  ASSERT_EQ(data.size(), 1U);
  // After the RTU, with preamble and gap.
  EXPECT_EQ(data[0].time, ready + Picoseconds((kMadFrame + 20) * kByte));
  const transport::ConnectionStats& stats = *hosts.roce[0]->connectionStats();
  EXPECT_EQ(stats.opened, 1U);
  EXPECT_EQ(stats.established, 1U);
  EXPECT_EQ(stats.setup.minimum(), static_cast<std::uint64_t>((ready - microseconds(5)).count()));
  EXPECT_EQ(stats.max_open_connections, 1U);
  EXPECT_EQ(hosts.roce[1]->connectionStats()->opened, 0U);
  EXPECT_EQ(hosts.applications[0].completions.size(), 1U);
}

TEST(RoceConnection, OnlyTheFirstMessageOfAQpWaits) {
  RoceHosts hosts(managed());
  hosts.applications[0].postAt(Picoseconds(0), write(100));
  hosts.applications[0].postAt(milliseconds(1), write(100));
  hosts.network->run();
  EXPECT_EQ(hosts.network->sent(isConnection).size(), 3U);
  EXPECT_EQ(hosts.network->sent(RoceHosts::isData).back().time, milliseconds(1));
}

TEST(RoceConnection, WithoutManagementThereIsNone) {
  RoceHosts hosts(RoceSpec{});
  hosts.applications[0].postAt(Picoseconds(0), write(100));
  hosts.network->run();
  EXPECT_TRUE(hosts.network->sent(isConnection).empty());
  EXPECT_EQ(hosts.roce[0]->connectionStats(), nullptr);
}

// The initiator does two steps per connection, one at a time: M connections take 2 M steps.
TEST(RoceConnection, RateIsThatOfTheInitiatorsProcessing) {
  constexpr std::uint32_t kConnections = 50;
  RoceHosts hosts(managed());
  for (std::uint32_t flow = 0; flow < kConnections; ++flow) {
    hosts.applications[0].postAt(Picoseconds(0), write(100, flow, flow));
  }
  hosts.network->run();
  const transport::ConnectionStats& stats = *hosts.roce[0]->connectionStats();
  EXPECT_EQ(stats.established, kConnections);
  EXPECT_EQ(stats.max_open_connections, kConnections);
  EXPECT_EQ(stats.last_established - stats.first_opened, microseconds(10) * (2 * kConnections));
  EXPECT_EQ(hosts.applications[0].completions.size(), kConnections);
}

TEST(RoceConnection, LostMessagesAreRepeated) {
  for (const std::uint8_t lost :
       {roce_code::kConnectRequest, roce_code::kConnectReply, roce_code::kReadyToUse}) {
    RoceHosts hosts(managed());
    Rule rule;
    rule.matches = [lost](const fabric::Packet& packet) { return RoceHosts::code(packet) == lost; };
    rule.count = 1;
    hosts.network->add(rule);
    hosts.applications[0].postAt(Picoseconds(0), write(100));
    hosts.applications[1].postAt(milliseconds(3),
                                 {.to = 0, .flow = 0, .bytes = 100});  // over the same QP
    hosts.network->run();
    EXPECT_EQ(hosts.applications[0].completions.size(), 1U) << int{lost};
    EXPECT_EQ(hosts.applications[1].completions.size(), 1U) << int{lost};
    EXPECT_EQ(hosts.roce[0]->connectionStats()->established, 1U);
    EXPECT_EQ(hosts.roce[0]->stats().messages_failed, 0U);
  }
}

TEST(RoceConnection, WithoutAnAnswerItFails) {
  RoceHosts hosts(managed());
  Rule rule;
  rule.matches = isConnection;
  rule.count = 100;
  hosts.network->add(rule);
  hosts.applications[0].postAt(Picoseconds(0), write(100));
  hosts.network->run();
  EXPECT_EQ(hosts.network->sent(isConnection).size(), 3U);  // and two retries
  EXPECT_EQ(hosts.roce[0]->connectionStats()->failed, 1U);
  ASSERT_EQ(hosts.applications[0].completions.size(), 1U);
  EXPECT_TRUE(hosts.applications[0].completions[0].event.failed);
}

TEST(RoceConnection, HostHasSoManyQps) {
  RoceSpec spec = managed();
  spec.cm->max_qps = 3;
  RoceHosts hosts(spec, 6);
  for (std::uint32_t host = 1; host < 6; ++host) {
    hosts.applications[host].postAt(microseconds(host), {.to = 0, .bytes = 100});
  }
  hosts.network->run();
  const auto rejected = hosts.network->sent([](const fabric::Packet& packet) {
    return RoceHosts::code(packet) == roce_code::kConnectReject;
  });
  EXPECT_EQ(rejected.size(), 2U);
  EXPECT_EQ(hosts.applications[0].arrivals.size(), 3U);
  std::uint64_t failed = 0;
  for (const auto* roce : hosts.roce) failed += roce->connectionStats()->failed;
  EXPECT_EQ(failed, 2U);
}

TEST(RoceConnection, BothEndsMayAskAtOnce) {
  for (const Picoseconds later : {Picoseconds(0), microseconds(3), microseconds(12)}) {
    RoceHosts hosts(managed());
    hosts.applications[0].postAt(later, write(100));
    hosts.applications[1].postAt(Picoseconds(0), {.to = 0, .bytes = 100});
    hosts.network->run();
    EXPECT_EQ(hosts.applications[0].completions.size(), 1U) << later.count();
    EXPECT_EQ(hosts.applications[1].completions.size(), 1U) << later.count();
    const std::uint64_t established = hosts.roce[0]->connectionStats()->established +
                                      hosts.roce[1]->connectionStats()->established;
    EXPECT_EQ(established, 1U) << later.count();
  }
}

TEST(RoceConnection, UnreliableConnectionsAreManagedToo) {
  RoceSpec spec = managed();
  spec.service = transport::RoceService::kUc;
  RoceHosts hosts(spec);
  hosts.applications[0].postAt(Picoseconds(0), write(5000));
  hosts.network->run();
  EXPECT_EQ(hosts.applications[1].arrivals.size(), 1U);
  EXPECT_EQ(hosts.network->sent(isConnection).size(), 3U);
}

TEST(RoceConnection, RefusesWhatIsOutOfRange) {
  const auto refused = [](auto change) {
    RoceSpec spec = managed();
    change(spec);
    EXPECT_THROW(validate(spec), Error);
  };
  refused([](RoceSpec& s) { s.cm->processing = Picoseconds(-1); });
  refused([](RoceSpec& s) { s.cm->response_timeout = Picoseconds(0); });
  refused([](RoceSpec& s) { s.cm->retries = 16; });
  refused([](RoceSpec& s) { s.cm->priority = 8; });
  refused([](RoceSpec& s) { s.cm->max_qps = 0; });
  refused([](RoceSpec& s) { s.setup_time = microseconds(1); });
}

}  // namespace
}  // namespace plumbline::transport_test
