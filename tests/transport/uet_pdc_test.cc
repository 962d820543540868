// The life of a PDC: SYN, data before the handshake, limits, closing; acknowledgement rules.
#include <gtest/gtest.h>

#include "tests/transport/uet_hosts.h"

namespace plumbline::transport_test {
namespace {

using transport::ackOffset;
using transport::ConnectionStats;
using transport::NackCode;
using transport::NsccState;
using transport::PdsType;
using transport::pdsType;
using transport::UetCongestionControl;
using transport::UetService;
using transport::UetSpec;
using transport::unpackData;
using transport::Verb;

TEST(UetPdc, SynIsSetUntilTheFirstAckAndStartsAtOnePlace) {
  UetSpec spec;
  spec.start_psn = 0xFFFFFFF0;  // the PSN wraps within the first window
  UetHosts hosts(spec);
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 60 * 4096ULL, 0});
  hosts.network->run();
  const auto acks = hosts.network->sent(UetHosts::isAck);
  ASSERT_FALSE(acks.empty());
  const Picoseconds answered =
      acks[0].time + microseconds(1) + Picoseconds(80L * acks[0].packet.length);
  const auto data = hosts.network->sent(UetHosts::isData);
  ASSERT_EQ(data.size(), 60U);
  std::uint32_t with_syn = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto fields = unpackData(data[i].packet.extra, true);
    EXPECT_EQ(data[i].packet.psn, 0xFFFFFFF0 + static_cast<std::uint32_t>(i));
    EXPECT_EQ(fields.syn, data[i].time < answered) << i;
    if (!fields.syn) continue;
    ++with_syn;
    EXPECT_EQ(data[i].packet.psn - fields.psn_offset, 0xFFFFFFF0U);
  }
  // Data flowed before the handshake was over: one RTT and four packets for the first ACK.
  EXPECT_GT(with_syn, 6U);
  EXPECT_EQ(hosts.uet[0]->uetStats().setup_max, answered);
  EXPECT_EQ(hosts.uet[0]->uetStats().pdcs_established, 1U);
  EXPECT_EQ(hosts.applications[1].arrivals.size(), 1U);
}

// Another draw is another time at the same fabric: a PDC in order keeps its path, and packets that
// are sprayed have other ones.
TEST(UetPdc, AnotherDrawHasOtherEntropiesWhereTheyChangeWithTime) {
  const auto hashes = [](UetService service, std::uint64_t draw_seed) {
    UetHosts hosts(plain(service), 2, 1, draw_seed);
    hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 60 * 4096ULL, 0});
    hosts.network->run();
    std::vector<std::uint32_t> all;
    for (const auto& data : hosts.network->sent(UetHosts::isData)) {
      all.push_back(data.packet.flow_hash);
    }
    return all;
  };
  EXPECT_EQ(hashes(UetService::kRod, 1), hashes(UetService::kRod, 2));
  EXPECT_NE(hashes(UetService::kRud, 1), hashes(UetService::kRud, 2));
}

TEST(UetPdc, IsClosedAfterIdlingAndOpenedAnew) {
  UetSpec spec;
  spec.close_after = microseconds(50);
  UetHosts hosts(spec);
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 100, 1});
  hosts.applications[0].postAt(microseconds(30), {1, 0, Verb::kWrite, 100, 2});
  hosts.applications[0].postAt(microseconds(500), {1, 0, Verb::kWrite, 100, 3});
  hosts.network->run();
  const auto closes = hosts.network->sent(UetHosts::isClose);
  ASSERT_EQ(closes.size(), 2U);
  // Idle since the completion of the second message.
  EXPECT_EQ(closes[0].time, hosts.applications[0].completions[1].time + microseconds(50));
  const auto& stats = hosts.uet[0]->uetStats();
  EXPECT_EQ(stats.pdcs_opened, 2U);
  EXPECT_EQ(stats.pdcs_closed, 2U);
  EXPECT_EQ(stats.max_open, 1U);
  EXPECT_EQ(hosts.uet[1]->uetStats().targets_opened, 2U);
  EXPECT_EQ(hosts.uet[0]->openPdcs(), 0U);
  EXPECT_EQ(hosts.uet[1]->openTargets(), 0U);
  const auto data = hosts.network->sent(UetHosts::isData);
  ASSERT_EQ(data.size(), 3U);
  EXPECT_EQ(data[0].packet.connection, data[1].packet.connection);
  EXPECT_NE(data[0].packet.connection, data[2].packet.connection);
}

TEST(UetPdc, StaysOpenWhenClosingIsOff) {
  UetSpec spec;
  spec.close_after = fabric::kNever;
  UetHosts hosts(spec);
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 100, 1});
  hosts.network->run(milliseconds(50));
  EXPECT_TRUE(hosts.network->sent(UetHosts::isClose).empty());
  EXPECT_EQ(hosts.uet[0]->openPdcs(), 1U);
  EXPECT_EQ(hosts.uet[1]->openTargets(), 1U);
}

TEST(UetPdc, StateFollowsOpenPdcsNotThoseEverOpened) {
  UetSpec spec;
  spec.close_after = microseconds(10);
  UetHosts hosts(spec, 20);
  for (int i = 0; i < 190; ++i) {
    hosts.applications[0].postAt(microseconds(30L * i),
                                 {1 + static_cast<std::uint32_t>(i) % 19, 0, Verb::kWrite, 9000,
                                  static_cast<std::uint32_t>(i)});
  }
  hosts.network->run();
  EXPECT_EQ(hosts.uet[0]->uetStats().pdcs_opened, 190U);
  EXPECT_LE(hosts.uet[0]->uetStats().max_open, 2U);
  EXPECT_EQ(hosts.applications[0].completions.size(), 190U);
}

TEST(UetPdc, InitiatorKeepsItsLimit) {
  UetSpec spec;
  spec.max_pdcs = 3;
  UetHosts hosts(spec, 9);
  for (std::uint32_t peer = 1; peer <= 8; ++peer) {
    hosts.applications[0].postAt(Picoseconds(0), {peer, 0, Verb::kWrite, 50'000, peer});
  }
  hosts.network->run();
  EXPECT_EQ(hosts.applications[0].completions.size(), 8U);
  EXPECT_EQ(hosts.uet[0]->uetStats().max_open, 3U);
  EXPECT_EQ(hosts.uet[0]->uetStats().pdcs_opened, 8U);
}

// The first packets open the target: setup costs the context and no round trip before data.
TEST(UetPdc, ContextsTakeTheirTimeOneAfterTheOther) {
  UetSpec spec = plain(UetService::kRud);
  spec.pdc_setup.emplace().context_time = microseconds(3);
  UetHosts hosts(spec, 5);
  for (std::uint32_t peer = 1; peer <= 4; ++peer) {
    hosts.applications[0].postAt(microseconds(1), {peer, 0, Verb::kWrite, 100, peer});
  }
  hosts.network->run();
  const auto data = hosts.network->sent(UetHosts::isData);
  ASSERT_EQ(data.size(), 4U);
  for (std::int64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(data[static_cast<std::size_t>(i)].time, microseconds(1 + 3 * (i + 1)));
  }
  const ConnectionStats& stats = *hosts.uet[0]->connectionStats();
  EXPECT_EQ(stats.opened, 4U);
  EXPECT_EQ(stats.established, 4U);
  EXPECT_EQ(stats.max_open_connections, 4U);
  // The last context, the data packet there and its ACK back: RUD 12, SES 44, payload 100; ACK 12
  // and SES 12, of headers 14 + 20 + 8 and FCS 4.
  const Picoseconds round_trip = (kWire * 2) + bytes(46 + 12 + 44 + 100) + bytes(46 + 12 + 12);
  EXPECT_EQ(stats.setup.maximum(),
            static_cast<std::uint64_t>((microseconds(12) + round_trip).count()));
  EXPECT_EQ(stats.last_established - stats.first_opened, microseconds(12) + round_trip);
}

TEST(UetPdc, PendingPdcsAreLimited) {
  UetSpec spec = plain(UetService::kRud);
  spec.pdc_setup.emplace().context_time = Picoseconds(0);
  spec.pdc_setup->max_pending = 2;
  UetHosts hosts(spec, 7);
  for (std::uint32_t peer = 1; peer <= 6; ++peer) {
    hosts.applications[0].postAt(Picoseconds(0), {peer, 0, Verb::kWrite, 100, peer});
  }
  hosts.network->run();
  const auto data = hosts.network->sent(UetHosts::isData);
  ASSERT_EQ(data.size(), 6U);
  EXPECT_LT(data[1].time, kWire);
  EXPECT_GT(data[2].time, kWire * 2);  // not before the first one's ACK
  EXPECT_GT(data[4].time, kWire * 4);
  EXPECT_EQ(hosts.uet[0]->connectionStats()->established, 6U);
}

TEST(UetPdc, WithoutASetUpNothingIsCounted) {
  UetHosts hosts(UetSpec{});
  EXPECT_EQ(hosts.uet[0]->connectionStats(), nullptr);
}

TEST(UetPdc, TargetRefusesAndTheSourceTriesAgain) {
  for (const UetService service : {UetService::kRod, UetService::kRud}) {
    UetSpec spec;
    spec.service = service;
    spec.max_pdcs = 2;
    spec.no_pdc_retry = microseconds(20);
    UetHosts hosts(spec, 6);
    for (std::uint32_t host = 1; host <= 5; ++host) {
      hosts.applications[host].postAt(Picoseconds(0), {0, 0, Verb::kWrite, 20'000, host});
    }
    hosts.network->run();
    EXPECT_EQ(hosts.applications[0].arrivals.size(), 5U);
    EXPECT_EQ(hosts.uet[0]->uetStats().max_open_targets, 2U);
    EXPECT_GT(hosts.uet[0]->uetStats().targets_refused, 0U);
    const auto nacks = hosts.network->sent(UetHosts::isNack);
    ASSERT_FALSE(nacks.empty());
    EXPECT_EQ(nacks[0].packet.aux, static_cast<std::uint32_t>(NackCode::kNoPdcAvailable));
  }
}

TEST(UetPdc, LostCloseAndItsLostAckAreRepeated) {
  for (const bool lose_ack : {false, true}) {
    UetSpec spec;
    spec.rto = microseconds(40);
    UetHosts hosts(spec);
    Rule rule;
    rule.matches = lose_ack ? UetHosts::isAck : UetHosts::isClose;
    rule.first = lose_ack ? 1 : 0;  // the first ACK is that of the data
    hosts.network->add(rule);
    hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 100, 1});
    hosts.network->run();
    EXPECT_EQ(hosts.network->sent(UetHosts::isClose).size(), 2U);
    EXPECT_EQ(hosts.uet[0]->uetStats().pdcs_closed, 1U);
    EXPECT_EQ(hosts.uet[0]->stats().messages_failed, 0U);
    EXPECT_EQ(hosts.uet[1]->openTargets(), 0U);
  }
}

TEST(UetPdc, LateCopyOfAClosedPdcDeliversNothing) {
  UetSpec spec;
  spec.close_after = microseconds(10);
  UetHosts hosts(spec);
  Rule rule;
  rule.matches = UetHosts::isData;
  rule.action = Action::kDuplicate;
  rule.extra = microseconds(200);
  hosts.network->add(rule);
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 100, 1});
  hosts.network->run();
  EXPECT_EQ(hosts.applications[1].arrivals.size(), 1U);
  const auto nacks = hosts.network->sent(UetHosts::isNack);
  ASSERT_EQ(nacks.size(), 1U);
  EXPECT_EQ(nacks[0].packet.aux, static_cast<std::uint32_t>(NackCode::kClosing));
  EXPECT_EQ(hosts.uet[1]->uetStats().targets_opened, 1U);
}

TEST(UetAck, IsGivenEvery16KiB) {
  UetHosts hosts(UetSpec{});
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 12 * 4096ULL, 0});
  hosts.network->run();
  const auto acks = hosts.network->sent(UetHosts::isAck);
  ASSERT_EQ(acks.size(), 4U);  // 4, 8, 12 packets, and CLOSE_CMD
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(pdsType(acks[i].packet.opcode), PdsType::kAckCc);
    EXPECT_EQ(acks[i].packet.length, 78);
    // rcvd_bytes: nominal sizes of 4200 bytes in units of 256, rounded up.
    EXPECT_EQ(NsccState::fromBits(acks[i].packet.extra).rcvd_bytes,
              (4 * (i + 1) * 4200 + 255) / 256);
    EXPECT_EQ(NsccState::fromBits(acks[i].packet.extra).service_time, 0);
    EXPECT_EQ(ackOffset(acks[i].packet.aux), 0);
  }
}

TEST(UetAck, SmallPacketsCountAsAtLeastOneKiB) {
  UetSpec spec;
  spec.congestion_control = UetCongestionControl::kNone;
  UetHosts hosts(spec);
  for (std::uint32_t i = 0; i < 40; ++i) {
    hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 10, i});
  }
  hosts.network->run();
  const auto acks = hosts.network->sent(UetHosts::isAck);
  // After 16 and 32 packets, the last one requests its own, CLOSE_CMD.
  ASSERT_EQ(acks.size(), 4U);
  EXPECT_EQ(pdsType(acks[0].packet.opcode), PdsType::kAck);
  EXPECT_EQ(acks[0].packet.length, 70);
  const auto data = hosts.network->sent(UetHosts::isData);
  EXPECT_EQ(acks[0].packet.psn, data[15].packet.psn);
  EXPECT_EQ(acks[1].packet.psn, data[31].packet.psn);
  EXPECT_EQ(acks[2].packet.psn, data[39].packet.psn);
}

TEST(UetAck, MarkIsAnsweredAtOnceAndReported) {
  UetHosts hosts(UetSpec{});
  Rule rule;
  rule.matches = UetHosts::isData;
  rule.first = 1;
  rule.action = Action::kMark;
  hosts.network->add(rule);
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 6 * 4096ULL, 0});
  hosts.network->run();
  const auto acks = hosts.network->sent(UetHosts::isAck);
  ASSERT_EQ(acks.size(), 3U);  // packet 2 (marked), packet 6, CLOSE_CMD
  EXPECT_NE(acks[0].packet.opcode & transport::kFlagMarked, 0);
  EXPECT_EQ(acks[1].packet.opcode & transport::kFlagMarked, 0);
  EXPECT_EQ(hosts.uet[1]->stats().ce_received, 1U);
}

TEST(UetAck, PerPacketWhenAskedFor) {
  UetSpec spec;
  spec.ack_per_packet = true;
  UetHosts hosts(spec);
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 12 * 4096ULL, 0});
  hosts.network->run();
  EXPECT_EQ(hosts.network->sent(UetHosts::isAck).size(), 13U);
}

}  // namespace
}  // namespace plumbline::transport_test
