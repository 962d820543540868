// Losses, trims, copies and overtaking at every position of a message, with the retransmissions
// computed by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/random.h"
#include "tests/transport/uet_hosts.h"

namespace plumbline::transport_test {
namespace {

using transport::NackCode;
using transport::UetCongestionControl;
using transport::UetService;
using transport::UetSpec;
using transport::Verb;

constexpr std::uint64_t kPackets = 6;  // all have left before the first answer arrives

UetSpec specOf(UetService service) {
  UetSpec spec;
  spec.service = service;
  spec.congestion_control = UetCongestionControl::kNone;
  spec.rto = microseconds(100);
  spec.loss_gap = 0;
  return spec;
}

UetHosts& disturbed(UetHosts& hosts, Action action, std::uint64_t position,
                    Picoseconds extra = {}) {
  Rule rule;
  rule.matches = UetHosts::isData;
  rule.first = position;
  rule.action = action;
  rule.extra = extra;
  hosts.network->add(rule);
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, kPackets * 4096, 7});
  hosts.network->run();
  return hosts;
}

void expectDelivered(const UetHosts& hosts) {
  ASSERT_EQ(hosts.applications[1].arrivals.size(), 1U);
  EXPECT_EQ(hosts.applications[1].arrivals[0].event.bytes, kPackets * 4096);
  ASSERT_EQ(hosts.applications[0].completions.size(), 1U);
  EXPECT_FALSE(hosts.applications[0].completions[0].event.failed);
  EXPECT_EQ(hosts.uet[1]->stats().payload_received, kPackets * 4096);
}

TEST(UetLoss, RodGoesBackToTheLostPacket) {
  for (std::uint64_t k = 0; k < kPackets; ++k) {
    UetHosts hosts(specOf(UetService::kRod));
    disturbed(hosts, Action::kDrop, k);
    expectDelivered(hosts);
    // All ten left before the NACK came: everything from the lost one on leaves again. The loss of
    // the last one only shows by its timeout.
    EXPECT_EQ(hosts.uet[0]->stats().retransmitted, kPackets - k) << k;
    EXPECT_EQ(hosts.uet[0]->stats().timeouts, k == kPackets - 1 ? 1U : 0U) << k;
    EXPECT_EQ(hosts.uet[0]->stats().nack_received, k == kPackets - 1 ? 0U : 1U) << k;
    EXPECT_EQ(hosts.uet[1]->stats().discarded, kPackets - 1 - k) << k;
  }
}

TEST(UetLoss, RodRepeatsEverythingFromATrimmedPacketOn) {
  for (std::uint64_t k = 0; k < kPackets; ++k) {
    UetHosts hosts(specOf(UetService::kRod));
    disturbed(hosts, Action::kTrim, k);
    expectDelivered(hosts);
    EXPECT_EQ(hosts.uet[0]->stats().retransmitted, kPackets - k) << k;
    EXPECT_EQ(hosts.uet[0]->stats().timeouts, 0U) << k;
    EXPECT_EQ(hosts.uet[1]->stats().trimmed_received, 1U);
  }
}

TEST(UetLoss, UnorderedServicesRepeatTheTrimmedPacketOnly) {
  for (const UetService service : {UetService::kRud, UetService::kRudi}) {
    for (std::uint64_t k = 0; k < kPackets; ++k) {
      UetHosts hosts(specOf(service));
      disturbed(hosts, Action::kTrim, k);
      expectDelivered(hosts);
      EXPECT_EQ(hosts.uet[0]->stats().retransmitted, 1U) << k;
      EXPECT_EQ(hosts.uet[0]->stats().timeouts, 0U) << k;
      const auto nacks = hosts.network->sent(UetHosts::isNack);
      ASSERT_EQ(nacks.size(), 1U);
      EXPECT_EQ(nacks[0].packet.aux, static_cast<std::uint32_t>(NackCode::kTrimmed));
      EXPECT_EQ(hosts.uet[1]->stats().duplicates, 0U);
    }
  }
}

TEST(UetLoss, UnorderedServicesRepeatALostPacketAfterItsTimeout) {
  for (const UetService service : {UetService::kRud, UetService::kRudi}) {
    for (std::uint64_t k = 0; k < kPackets; ++k) {
      UetHosts hosts(specOf(service));
      disturbed(hosts, Action::kDrop, k);
      expectDelivered(hosts);
      EXPECT_EQ(hosts.uet[0]->stats().timeouts, 1U) << k;
      EXPECT_EQ(hosts.uet[0]->stats().retransmitted, 1U) << k;
    }
  }
}

TEST(UetLoss, RudInfersALossFromWhatWasSentLater) {
  UetSpec spec = specOf(UetService::kRud);
  spec.loss_gap = 4;
  UetHosts hosts(spec);
  disturbed(hosts, Action::kDrop, 1);
  expectDelivered(hosts);
  EXPECT_EQ(hosts.uet[0]->stats().retransmitted, 1U);
  EXPECT_EQ(hosts.uet[0]->stats().timeouts, 0U);
  EXPECT_EQ(hosts.uet[0]->uetStats().gap_losses, 1U);
}

TEST(UetLoss, CopiesAreSeenAndNotDelivered) {
  for (const UetService service :
       {UetService::kRod, UetService::kRud, UetService::kRudi, UetService::kUud}) {
    for (std::uint64_t k = 0; k < kPackets; ++k) {
      UetHosts hosts(specOf(service));
      disturbed(hosts, Action::kDuplicate, k, nanoseconds(50));
      expectDelivered(hosts);
      EXPECT_EQ(hosts.uet[1]->stats().duplicates, 1U) << k;
      EXPECT_EQ(hosts.uet[0]->stats().retransmitted, 0U) << k;
    }
  }
}

TEST(UetLoss, OvertakingCostsOnlyRodAnything) {
  for (const UetService service : {UetService::kRud, UetService::kRudi, UetService::kUud}) {
    for (std::uint64_t k = 0; k + 1 < kPackets; ++k) {
      UetHosts hosts(specOf(service));
      disturbed(hosts, Action::kDelay, k, microseconds(1));
      expectDelivered(hosts);
      EXPECT_EQ(hosts.uet[0]->stats().retransmitted, 0U) << k;
      EXPECT_GT(hosts.uet[1]->stats().out_of_order, 0U) << k;
    }
  }
  UetHosts hosts(specOf(UetService::kRod));
  disturbed(hosts, Action::kDelay, 2, microseconds(1));
  expectDelivered(hosts);
  EXPECT_GT(hosts.uet[0]->stats().retransmitted, 0U);
}

// UUD makes no loss good: the packets behind one are in order all the same.
TEST(UetLoss, UudCountsNothingOutOfOrderBehindALoss) {
  UetHosts hosts(specOf(UetService::kUud));
  constexpr std::uint32_t kMany = 1600;
  RandomStream random(1, "uud/loss");
  std::uint64_t lost = 0;
  hosts.network->setHook([&](fabric::Packet&, Picoseconds, Picoseconds&) {
    const bool drop = random.below(28) == 0;
    lost += drop ? 1 : 0;
    return drop ? Action::kDrop : Action::kDeliver;
  });
  for (std::uint32_t i = 0; i < kMany; ++i) {
    hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 4096, i});
  }
  hosts.network->run();
  const transport::EndpointStats& stats = hosts.uet[1]->stats();
  EXPECT_GT(lost, 20U);
  EXPECT_EQ(stats.data_received, kMany - lost);
  EXPECT_EQ(stats.out_of_order, 0U);
  EXPECT_EQ(stats.duplicates, 0U);
}

// Packets that paths of different lengths delay, lose and double: those that arrive after one sent
// later count, each once.
TEST(UetLoss, UudCountsPacketsThatArriveAfterOneSentLater) {
  UetSpec spec = specOf(UetService::kUud);
  spec.start_psn = 0xFFFFFF00;  // they wrap
  UetHosts hosts(spec);
  constexpr std::uint32_t kMany = 1600;
  RandomStream random(2, "uud/spray");
  std::vector<std::pair<Picoseconds, std::uint32_t>> arrivals;
  std::uint64_t doubled = 0;
  hosts.network->setHook([&](fabric::Packet& packet, Picoseconds now, Picoseconds& extra) {
    extra = nanoseconds(static_cast<std::int64_t>(random.below(5'000)));
    const std::uint64_t dice = random.below(20);
    if (dice == 0) return Action::kDrop;
    arrivals.emplace_back(now + extra, packet.psn - *spec.start_psn);
    if (dice > 1) return Action::kDelay;
    ++doubled;
    arrivals.back().first = now;  // and again, which is no news
    return Action::kDuplicate;
  });
  for (std::uint32_t i = 0; i < kMany; ++i) {
    hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 4096, i});
  }
  hosts.network->run();
  std::sort(arrivals.begin(), arrivals.end());
  std::uint64_t late = 0;
  std::uint32_t newest = 0;
  for (const auto& [time, number] : arrivals) {
    late += number < newest ? 1 : 0;
    newest = std::max(newest, number);
  }
  ASSERT_GT(late, 100U);
  EXPECT_EQ(hosts.uet[1]->stats().out_of_order, late);
  EXPECT_EQ(hosts.uet[1]->stats().duplicates, doubled);
}

TEST(UetLoss, UudNeverDeliversAMessageWithALoss) {
  for (std::uint64_t k = 0; k < kPackets; ++k) {
    UetHosts hosts(specOf(UetService::kUud));
    disturbed(hosts, Action::kDrop, k);
    EXPECT_TRUE(hosts.applications[1].arrivals.empty()) << k;
    EXPECT_EQ(hosts.applications[0].completions.size(), 1U);
    EXPECT_EQ(hosts.network->sent(UetHosts::isAck).size(), 0U);
    EXPECT_EQ(hosts.uet[0]->stats().retransmitted, 0U);
  }
}

// A PDC fails in an outage. Its target is still there when the next PDCs open, and must not take
// their packets for copies of the old ones.
TEST(UetLoss, NothingIsDoneThatDidNotArriveAfterAFailedPdc) {
  for (const UetService service : {UetService::kRod, UetService::kRud}) {
    UetSpec spec = specOf(service);
    spec.max_rto_retries = 1;
    UetHosts hosts(spec);
    hosts.network->setHook([](fabric::Packet&, Picoseconds now, Picoseconds&) {
      // One outage in every 2 ms, longer than the retries.
      const Picoseconds phase(now.count() % milliseconds(2).count());
      return phase < microseconds(500) && now > milliseconds(1) ? Action::kDrop : Action::kDeliver;
    });
    constexpr std::uint32_t kMessages = 200;
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      hosts.applications[0].postAt(microseconds(100) * i, {1, 0, Verb::kWrite, 65'536, i});
    }
    hosts.network->run();
    const auto& completions = hosts.applications[0].completions;
    ASSERT_EQ(completions.size(), kMessages);
    const auto failed = static_cast<std::size_t>(std::count_if(
        completions.begin(), completions.end(), [](const auto& one) { return one.event.failed; }));
    EXPECT_GT(failed, 0U);
    EXPECT_GT(hosts.uet[0]->uetStats().pdcs_failed, 2U);
    EXPECT_GE(hosts.applications[1].arrivals.size(), kMessages - failed);
    EXPECT_GE(hosts.uet[1]->stats().payload_received, (kMessages - failed) * 65'536);
  }
}

// A peer that falls silent while losses of before are still waiting for the window.
TEST(UetLoss, AnUnreachablePeerFailsInBoundedTimeAlsoWhileLossesWait) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    UetSpec spec = specOf(UetService::kRud);
    spec.congestion_control = UetCongestionControl::kNscc;
    spec.max_rto_retries = 3;
    spec.loss_gap = 8;
    UetHosts hosts(spec, 2, seed);
    std::uint64_t draw = seed;
    hosts.network->setHook([&draw](fabric::Packet& p, Picoseconds now, Picoseconds&) {
      draw = draw * 6364136223846793005ULL + 1442695040888963407ULL;
      const bool lost = UetHosts::isData(p) && draw >> 62 == 0;  // every fourth
      return lost || now > microseconds(40) ? Action::kDrop : Action::kDeliver;
    });
    hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 4 << 20, 7});
    hosts.network->run(milliseconds(100));
    ASSERT_EQ(hosts.applications[0].completions.size(), 1U) << seed;
    EXPECT_TRUE(hosts.applications[0].completions[0].event.failed) << seed;
    // 1 + 2 + 4 + 8 times `rto` after the last packet.
    EXPECT_LE(hosts.applications[0].completions[0].time, microseconds(41) + spec.rto * 15) << seed;
  }
}

TEST(UetLoss, TimeoutsDoubleAndThenTheMessageFails) {
  for (const UetService service : {UetService::kRod, UetService::kRud, UetService::kRudi}) {
    UetSpec spec = specOf(service);
    spec.max_rto_retries = 3;
    UetHosts hosts(spec);
    Rule rule;
    rule.matches = UetHosts::isData;
    rule.count = 1000;
    hosts.network->add(rule);
    hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 100, 7});
    hosts.network->run();
    const auto data = hosts.network->sent(UetHosts::isData);
    ASSERT_EQ(data.size(), 4U);
    EXPECT_EQ(data[1].time, microseconds(100));
    EXPECT_EQ(data[2].time, microseconds(300));
    EXPECT_EQ(data[3].time, microseconds(700));
    ASSERT_EQ(hosts.applications[0].completions.size(), 1U);
    EXPECT_TRUE(hosts.applications[0].completions[0].event.failed);
    EXPECT_EQ(hosts.applications[0].completions[0].time, microseconds(1500));
    EXPECT_EQ(hosts.uet[0]->stats().messages_failed, 1U);
    EXPECT_EQ(hosts.uet[0]->openPdcs(), 0U);
  }
}

TEST(UetLoss, NackRetriesAreLimitedWhenAskedFor) {
  UetSpec spec = specOf(UetService::kRud);
  spec.max_nack_retries = 2;
  UetHosts hosts(spec);
  Rule rule;
  rule.matches = UetHosts::isData;
  rule.count = 1000;
  rule.action = Action::kTrim;
  hosts.network->add(rule);
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 100, 7});
  hosts.network->run();
  EXPECT_EQ(hosts.network->sent(UetHosts::isData).size(), 3U);
  ASSERT_EQ(hosts.applications[0].completions.size(), 1U);
  EXPECT_TRUE(hosts.applications[0].completions[0].event.failed);
}

TEST(UetLoss, ALostAckCostsOneCopyAtMost) {
  for (const UetService service : {UetService::kRod, UetService::kRud, UetService::kRudi}) {
    UetHosts hosts(specOf(service));
    Rule rule;
    rule.matches = UetHosts::isAck;
    hosts.network->add(rule);
    hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 100, 7});
    hosts.network->run();
    EXPECT_EQ(hosts.applications[1].arrivals.size(), 1U);
    EXPECT_EQ(hosts.uet[0]->stats().retransmitted, 1U);
    EXPECT_EQ(hosts.uet[1]->stats().duplicates, 1U);
    EXPECT_FALSE(hosts.applications[0].completions.at(0).event.failed);
  }
}

}  // namespace
}  // namespace plumbline::transport_test
