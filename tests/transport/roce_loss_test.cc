// Reliable connections over a network that loses, repeats and reorders, case by case.
#include <gtest/gtest.h>

#include "tests/transport/roce_hosts.h"

namespace plumbline::transport_test {
namespace {

using transport::AckKind;
using transport::RoceRecovery;
using transport::RoceSpec;

constexpr std::int64_t kFrame = 1024 + 62;  // of a full packet that is not the first
constexpr std::uint64_t kPackets = 10;
constexpr std::uint64_t kBytes = kPackets * kMtu;

RoceSpec lossSpec(RoceRecovery recovery) {
  RoceSpec spec;
  spec.recovery = recovery;
  spec.path_mtu = static_cast<std::uint32_t>(kMtu);
  spec.ack_every = 0;
  return spec;
}

// Transmissions of the data packet with this PSN.
auto dataWithPsn(std::uint32_t psn) {
  return [psn](const fabric::Packet& packet) {
    return RoceHosts::isData(packet) && packet.psn == psn;
  };
}

// When packet `k` of a message that starts at zero leaves for the first time.
std::int64_t leaves(std::uint64_t k) {
  const auto n = static_cast<std::int64_t>(k);
  return n * (kFrame + 20) * kByte + (n > 0 ? 16 * kByte : 0);
}

void expectOnce(const RoceHosts& hosts, std::uint64_t bytes = kBytes) {
  ASSERT_EQ(hosts.applications[1].arrivals.size(), 1U);
  EXPECT_EQ(hosts.applications[1].arrivals[0].event.bytes, bytes);
  ASSERT_EQ(hosts.applications[0].completions.size(), 1U);
  EXPECT_FALSE(hosts.applications[0].completions[0].event.failed);
  EXPECT_EQ(hosts.roce[1]->stats().payload_received, bytes);
  EXPECT_EQ(hosts.roce[0]->openMessages(), 0U);
  EXPECT_EQ(hosts.roce[1]->openReorderBuffers(), 0U);
}

// The ten packets have all left before a NAK can be back, so that a lost one and all that follow
// are sent again. When the last one is lost there is neither NAK nor ACK, and the timeout repeats
// all.
TEST(RoceLoss, GoBackNAtEachPosition) {
  for (std::uint32_t k = 0; k < kPackets; ++k) {
    SCOPED_TRACE(k);
    RoceHosts hosts(lossSpec(RoceRecovery::kGoBackN));
    hosts.network->add({.matches = dataWithPsn(k)});
    hosts.applications[0].postAt(Picoseconds{0}, write(kBytes));
    hosts.network->run();
    expectOnce(hosts);
    const bool tail = k == kPackets - 1;
    const transport::EndpointStats& sender = hosts.roce[0]->stats();
    const transport::EndpointStats& receiver = hosts.roce[1]->stats();
    EXPECT_EQ(sender.retransmitted, tail ? kPackets : kPackets - k);
    EXPECT_EQ(sender.nack_received, tail ? 0U : 1U);
    EXPECT_EQ(sender.timeouts, tail ? 1U : 0U);
    EXPECT_EQ(receiver.discarded, kPackets - 1 - k);
    EXPECT_EQ(receiver.out_of_order, kPackets - 1 - k);
    EXPECT_EQ(receiver.duplicates, tail ? kPackets - 1 : 0U);
    // The NAK answers the packet after the lost one.
    const std::int64_t nak_back = leaves(k + 1) + kFrame * kByte + 2 * kDelay.count() + 66 * kByte;
    const std::int64_t again = tail ? 2 * leaves(k) + RoceSpec{}.ack_timeout.count() : nak_back;
    const auto copies = hosts.network->sent(dataWithPsn(k));
    ASSERT_EQ(copies.size(), 2U);
    EXPECT_EQ(copies[1].time.count(), again);
  }
}

TEST(RoceLoss, SelectiveRepeatAtEachPosition) {
  for (std::uint32_t k = 0; k < kPackets; ++k) {
    SCOPED_TRACE(k);
    RoceHosts hosts(lossSpec(RoceRecovery::kSelectiveRepeat));
    hosts.network->add({.matches = dataWithPsn(k)});
    hosts.applications[0].postAt(Picoseconds{0}, write(kBytes));
    hosts.network->run();
    expectOnce(hosts);
    const bool tail = k == kPackets - 1;
    EXPECT_EQ(hosts.roce[0]->stats().retransmitted, tail ? kPackets : 1U);
    EXPECT_EQ(hosts.roce[0]->stats().nack_received, kPackets - 1 - k);
    EXPECT_EQ(hosts.roce[0]->stats().timeouts, tail ? 1U : 0U);
    EXPECT_EQ(hosts.roce[1]->stats().discarded, 0U);
    EXPECT_EQ(hosts.roce[1]->stats().duplicates, tail ? kPackets - 1 : 0U);
    EXPECT_EQ(hosts.roce[1]->stats().out_of_order, kPackets - 1 - k);
  }
}

TEST(RoceLoss, SelectiveRepeatSendsEveryHoleOnce) {
  RoceHosts hosts(lossSpec(RoceRecovery::kSelectiveRepeat));
  for (const std::uint32_t k : {0U, 3U, 4U, 7U}) hosts.network->add({.matches = dataWithPsn(k)});
  hosts.applications[0].postAt(Picoseconds{0}, write(kBytes));
  hosts.network->run();
  expectOnce(hosts);
  EXPECT_EQ(hosts.roce[0]->stats().retransmitted, 4U);
  EXPECT_EQ(hosts.roce[0]->stats().timeouts, 0U);
  for (const std::uint32_t k : {0U, 3U, 4U, 7U}) {
    EXPECT_EQ(hosts.network->sent(dataWithPsn(k)).size(), 2U);
  }
}

// The selective NAK has the first missing packet and the later packets that have arrived.
TEST(RoceLoss, SelectiveNakCarriesABitmap) {
  RoceHosts hosts(lossSpec(RoceRecovery::kSelectiveRepeat));
  hosts.network->add({.matches = dataWithPsn(2)});
  hosts.network->add({.matches = dataWithPsn(4)});
  hosts.applications[0].postAt(Picoseconds{0}, write(6 * kMtu));
  hosts.network->run();
  const auto acks = hosts.network->sent(RoceHosts::isAck);
  ASSERT_GE(acks.size(), 2U);
  EXPECT_EQ(acks[0].packet.aux, static_cast<std::uint32_t>(AckKind::kSelectiveNak));
  EXPECT_EQ(acks[0].packet.psn, 2U);
  EXPECT_EQ(acks[0].packet.extra, 0b0010U);
  EXPECT_EQ(acks[1].packet.extra, 0b1010U);
  EXPECT_EQ(acks[0].packet.length, 74);
}

// Late, not lost: whether a packet is sent again depends on how much reordering counts as normal.
TEST(RoceLoss, ReorderTolerance) {
  for (const std::uint32_t tolerance : {0U, 2U, 3U, 8U}) {
    RoceSpec spec = lossSpec(RoceRecovery::kSelectiveRepeat);
    spec.reorder_tolerance = tolerance;
    RoceHosts hosts(spec);
    // Arrives after packets 5, 6 and 7.
    const Picoseconds slots{3 * (kFrame + 20) * kByte + 1};
    hosts.network->add({.matches = dataWithPsn(4), .action = Action::kDelay, .extra = slots});
    hosts.applications[0].postAt(Picoseconds{0}, write(kBytes));
    hosts.network->run();
    expectOnce(hosts);
    EXPECT_EQ(hosts.roce[0]->stats().retransmitted, tolerance < 3 ? 1U : 0U) << tolerance;
    EXPECT_EQ(hosts.roce[1]->stats().duplicates, tolerance < 3 ? 1U : 0U) << tolerance;
    EXPECT_EQ(hosts.roce[1]->stats().out_of_order, 3U);
  }
}

// One NAK until the missing packet arrives: when it is lost again, only the timeout helps.
TEST(RoceLoss, SecondLossOfTheSamePacketWaitsForTheTimeout) {
  RoceHosts hosts(lossSpec(RoceRecovery::kGoBackN));
  hosts.network->add({.matches = dataWithPsn(4), .count = 2});
  hosts.applications[0].postAt(Picoseconds{0}, write(kBytes));
  hosts.network->run();
  expectOnce(hosts);
  EXPECT_EQ(hosts.roce[0]->stats().nack_received, 1U);
  EXPECT_EQ(hosts.roce[0]->stats().timeouts, 1U);
  EXPECT_EQ(hosts.roce[0]->stats().retransmitted, 6U + 6U);
  const auto copies = hosts.network->sent(dataWithPsn(4));
  ASSERT_EQ(copies.size(), 3U);
  // The NAK restarted the timer.
  EXPECT_EQ(copies[2].time, copies[1].time + RoceSpec{}.ack_timeout);
}

// All packets have arrived but the sender does not know: it repeats until the first copy is
// answered.
TEST(RoceLoss, LostAck) {
  for (const RoceRecovery recovery : {RoceRecovery::kGoBackN, RoceRecovery::kSelectiveRepeat}) {
    RoceHosts hosts(lossSpec(recovery));
    hosts.network->add({.matches = RoceHosts::isAck});
    hosts.applications[0].postAt(Picoseconds{0}, write(kBytes));
    hosts.network->run();
    expectOnce(hosts);
    EXPECT_EQ(hosts.roce[0]->stats().timeouts, 1U);
    EXPECT_EQ(hosts.roce[0]->stats().retransmitted, kPackets);
    EXPECT_EQ(hosts.roce[1]->stats().duplicates, kPackets);
  }
}

TEST(RoceLoss, RepeatedByTheNetwork) {
  RoceHosts hosts(lossSpec(RoceRecovery::kGoBackN));
  hosts.network->add(
      {.matches = RoceHosts::isData, .count = kPackets, .action = Action::kDuplicate});
  hosts.applications[0].postAt(Picoseconds{0}, write(kBytes));
  hosts.network->run();
  expectOnce(hosts);
  EXPECT_EQ(hosts.roce[1]->stats().duplicates, kPackets);
  EXPECT_EQ(hosts.roce[1]->stats().data_received, 2 * kPackets);
  EXPECT_EQ(hosts.roce[0]->stats().retransmitted, 0U);
}

TEST(RoceLoss, TimeoutsBackOffAndFail) {
  for (const bool exponential : {true, false}) {
    RoceSpec spec = lossSpec(RoceRecovery::kGoBackN);
    spec.ack_timeout = microseconds(100);
    spec.max_ack_timeout = microseconds(400);
    spec.exponential_backoff = exponential;
    spec.retry_count = 4;
    RoceHosts hosts(spec);
    hosts.network->add({.matches = RoceHosts::isData, .count = 1000});
    hosts.applications[0].postAt(Picoseconds{0}, write(100));
    hosts.network->run();
    std::vector<std::int64_t> starts;
    for (const Sent& frame : hosts.network->sent(RoceHosts::isData)) {
      starts.push_back(frame.time.count() / 1'000'000);
      EXPECT_EQ(frame.time.count() % 1'000'000, 0);
    }
    const auto& completions = hosts.applications[0].completions;
    ASSERT_EQ(completions.size(), 1U);
    EXPECT_TRUE(completions[0].event.failed);
    if (exponential) {
      EXPECT_EQ(starts, (std::vector<std::int64_t>{0, 100, 300, 700, 1100}));
      EXPECT_EQ(completions[0].time, microseconds(1500));
    } else {
      EXPECT_EQ(starts, (std::vector<std::int64_t>{0, 100, 200, 300, 400}));
      EXPECT_EQ(completions[0].time, microseconds(500));
    }
    EXPECT_EQ(hosts.roce[0]->stats().timeouts, 5U);
    EXPECT_EQ(hosts.roce[0]->stats().messages_failed, 1U);
    EXPECT_EQ(hosts.roce[0]->stats().messages_completed, 0U);
    EXPECT_TRUE(hosts.applications[1].arrivals.empty());
    EXPECT_EQ(hosts.nics[0]->wakeAt(), fabric::kNever);
  }
}

TEST(RoceLoss, ProgressEndsTheBackoff) {
  RoceSpec spec = lossSpec(RoceRecovery::kGoBackN);
  spec.ack_timeout = microseconds(100);
  RoceHosts hosts(spec);
  hosts.network->add({.matches = dataWithPsn(0), .count = 2});
  hosts.network->add({.matches = dataWithPsn(1), .count = 1});
  hosts.applications[0].postAt(Picoseconds{0}, write(100));
  hosts.applications[0].postAt(milliseconds(1), write(100));
  hosts.network->run();
  EXPECT_EQ(hosts.network->sent(dataWithPsn(0)).back().time, microseconds(300));
  EXPECT_EQ(hosts.network->sent(dataWithPsn(1)).back().time, microseconds(1100));
  EXPECT_EQ(hosts.applications[0].completions.size(), 2U);
}

// All messages of the failed QP end, later ones a timeout after they were posted; other QPs go on.
TEST(RoceLoss, FailureIsOfOneQp) {
  RoceSpec spec = lossSpec(RoceRecovery::kGoBackN);
  spec.ack_timeout = microseconds(100);
  spec.exponential_backoff = false;
  spec.retry_count = 1;
  RoceHosts hosts(spec);
  hosts.network->add({.matches =
                          [](const fabric::Packet& packet) {
                            return RoceHosts::isData(packet) && (packet.connection & 0xFF) == 0;
                          },
                      .count = 1000});
  hosts.applications[0].postAt(Picoseconds{0}, write(100, 0));
  hosts.applications[0].postAt(Picoseconds{0}, write(200, 0));
  hosts.applications[0].postAt(Picoseconds{0}, write(300, 1));
  hosts.applications[0].postAt(milliseconds(1), write(400, 0));
  hosts.applications[0].postAt(milliseconds(1), write(500, 1));
  hosts.network->run();
  const auto& completions = hosts.applications[0].completions;
  ASSERT_EQ(completions.size(), 5U);
  EXPECT_EQ(completions[0].event.bytes, 300U);
  EXPECT_FALSE(completions[0].event.failed);
  for (std::size_t i : {1U, 2U}) {
    EXPECT_TRUE(completions[i].event.failed);
    EXPECT_EQ(completions[i].event.bytes, 100U * i);
    EXPECT_EQ(completions[i].time, microseconds(200));
  }
  EXPECT_EQ(completions[3].event.bytes, 500U);
  EXPECT_FALSE(completions[3].event.failed);
  EXPECT_EQ(completions[4].event.bytes, 400U);
  EXPECT_TRUE(completions[4].event.failed);
  EXPECT_EQ(completions[4].time, microseconds(1100));
  EXPECT_EQ(hosts.roce[0]->openMessages(), 0U);
}

// An application that posts again whenever a message fails does not stop the clock.
TEST(RoceLoss, PostingAfterFailureTakesTime) {
  RoceSpec spec = lossSpec(RoceRecovery::kGoBackN);
  spec.ack_timeout = microseconds(100);
  spec.exponential_backoff = false;
  spec.retry_count = 0;
  RoceHosts hosts(spec);
  hosts.network->add({.matches = RoceHosts::isData, .count = 1000});
  hosts.applications[0].onEachCompletion([](transport::Poster& poster, const transport::Completion&,
                                            Picoseconds now) { poster.post(write(100), now); });
  hosts.applications[0].postAt(Picoseconds{0}, write(100));
  hosts.network->run(microseconds(1050));
  EXPECT_EQ(hosts.applications[0].completions.size(), 10U);
}

TEST(RoceLoss, AcrossTheWrapOfPsns) {
  for (const RoceRecovery recovery : {RoceRecovery::kGoBackN, RoceRecovery::kSelectiveRepeat}) {
    for (const std::uint32_t lost : {0xFFFFFEU, 0xFFFFFFU, 0U, 1U}) {
      RoceSpec spec = lossSpec(recovery);
      spec.first_psn = 0xFFFFFB;
      RoceHosts hosts(spec);
      hosts.network->add({.matches = dataWithPsn(lost)});
      hosts.applications[0].postAt(Picoseconds{0}, write(kBytes));
      hosts.network->run();
      expectOnce(hosts);
      const std::uint32_t position = (lost + 5) & 0xFFFFFF;
      EXPECT_EQ(hosts.roce[0]->stats().retransmitted,
                recovery == RoceRecovery::kGoBackN ? kPackets - position : 1);
      EXPECT_EQ(hosts.roce[0]->stats().timeouts, 0U);
    }
  }
}

// Packets that do not fit into the reorder buffer are retransmitted as well.
TEST(RoceLoss, ReorderBufferHasAnEnd) {
  RoceSpec spec = lossSpec(RoceRecovery::kSelectiveRepeat);
  spec.path_mtu = 256;
  spec.reorder_packets = 64;
  RoceHosts hosts(spec, 2, microseconds(2));
  hosts.network->add({.matches = dataWithPsn(0)});
  hosts.applications[0].postAt(Picoseconds{0}, write(102'400));
  hosts.network->run();
  expectOnce(hosts, 102'400);
  EXPECT_GT(hosts.roce[1]->stats().discarded, 0U);
}

}  // namespace
}  // namespace plumbline::transport_test
